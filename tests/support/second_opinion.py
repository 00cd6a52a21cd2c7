"""git's plumbing asked for what a plan says it will come to (WRITE.md 2.7, `engine="git"`): in a room of its own.

The room has a git directory with nothing but a configuration of ours, a copy of the index, and a place for objects
beside those of the repository, which are read only. Nothing is inherited, every path goes in on standard input, every
commit is a whole name. git never sees the repository's own configuration, hooks or refs.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import gitglass
from gitglass.mutate.changes import Row
from gitglass.mutate.index_file import rows_at
from gitglass.mutate.plan import Plan

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
Entries = dict[bytes, tuple[Row, ...]]


class Room:
    """One room beside a repository. The work tree is that of the repository (`inside=False`), or a copy of it."""

    def __init__(self, repo: Path, place: Path, *, inside: bool) -> None:
        self.tree = place / "tree" if inside else repo
        self._git, self._objects = place / "git", place / "objects"
        for folder in (self._git / "refs", self._git / "objects", self._objects):
            folder.mkdir(parents=True)
        (self._git / "HEAD").write_text("ref: refs/heads/none\n")
        (self._git / "config").write_text(_CONFIG)
        shutil.copy2(repo / ".git/index", self._git / "index")
        if inside:
            shutil.copytree(repo, self.tree, symlinks=True, ignore=lambda folder, names: {".git"} & set(names))
        self._environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(place), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "GIT_DIR": str(self._git), "GIT_WORK_TREE": str(self.tree), "GIT_INDEX_FILE": str(self._git / "index"),
            "GIT_OBJECT_DIRECTORY": str(self._objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repo / ".git/objects"),
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": ":", "GIT_OPTIONAL_LOCKS": "0",
        }  # fmt: skip
        self.ask("update-index", "-q", "--refresh")  # which knows the copied files

    def ask(self, *argv: str, given: bytes = b"", **more: str) -> bytes:
        """What one command line of plumbing prints, its status 0 or 1. Raises AssertionError for another."""
        words = ["git", "--no-pager", "--literal-pathspecs", *argv]
        done = subprocess.run(words, cwd=self.tree, env={**self._environment, **more}, input=given, capture_output=True)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    def entries(self) -> bytes:
        """The index of the room."""
        return self.ask("ls-files", "-s", "-z")


def afterwards(repo: Path, plan: Plan) -> Entries:
    """The entries that the index has once a plan is carried out."""
    index = gitglass.open(repo).store.index
    entries = {path: rows_at(index, path) for path in index.paths}
    entries |= {change.path: change.after for change in plan.changes.entries}
    return {path: rows for path, rows in entries.items() if rows}


def listed(entries: Entries) -> bytes:
    """Entries as `git ls-files -s -z` prints them."""
    rows = [(path, row) for path in sorted(entries) for row in entries[path]]
    return b"".join(b"%06o %b %d\t%b\0" % (row.mode, row.oid.hex().encode(), row.stage, path) for path, row in rows)
