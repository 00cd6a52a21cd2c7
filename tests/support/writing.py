"""A small repository to write to, made without git, and calls that end or fail at a chosen moment."""

from __future__ import annotations

import os
import stat
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import gitglass
from gitglass.mutate.calls import Calls
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.mutate.writer import MutationResult, Writer, approve
from gitglass.request.mutations import Mutation

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
CLOCK = 1_700_000_000
CHANGING = (
    "create", "open_append", "write", "fsync", "link", "rename", "unlink", "mkdir", "rmdir", "symlink", "chmod", "make_young",
)  # fmt: skip


@cache
def _members(name: str) -> tuple[tuple[tarfile.TarInfo, bytes], ...]:
    """An archive of fixtures/, read once: each member with its content."""
    with tarfile.open(FIXTURES / "archives" / f"{name}.tar.gz") as tar:
        streams = ((member, tar.extractfile(member) if member.isreg() else None) for member in tar)
        return tuple((member, stream.read() if stream else b"") for member, stream in streams)


def copy_of(name: str, place: Path) -> Path:
    """An archive of fixtures/ unpacked at a place of its own."""
    os.makedirs(place)
    folders = []
    for member, data in _members(name):
        path = f"{place}/{member.name}"
        if member.isdir():
            os.makedirs(path, exist_ok=True)
            folders.append((path, member))
        elif member.issym():
            os.symlink(member.linkname, path)
        elif member.islnk():
            os.link(f"{place}/{member.linkname}", path)
        else:
            made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            os.write(made, data)
            os.fchmod(made, member.mode)
            os.utime(made, (member.mtime, member.mtime))
            os.close(made)
    for path, member in reversed(folders):
        os.chmod(path, member.mode)
        os.utime(path, (member.mtime, member.mtime))
    return place


def writer_of(repo: Path, calls: Calls | None = None, **granted: Any) -> Writer:
    """A writer with a frozen clock."""
    given: dict[str, Any] = {"identity": Identity("A", "a@b"), "clock": lambda: CLOCK, "zone": 0, "refs": ("*",),
                             "folders": ("*",)}  # fmt: skip
    return Writer(gitglass.open(repo), WriteGrant(**{**given, **granted}), calls=calls)


def done(repo: Path, request: Mutation, calls: Calls | None = None, **granted: Any) -> MutationResult:
    """A request, planned, approved and carried out."""
    writer = writer_of(repo, calls, **granted)
    plan = writer.plan(request)
    return writer.apply(plan, approve(plan, "test"))


class Counted(Calls):
    """Counts the calls, and does something at one of them: `at(name)` is asked before each call, `after(name)` behind."""

    def __init__(self) -> None:
        self.count = 0

    def before(self, name: str) -> None:
        """What happens before a call."""

    def after(self, name: str) -> None:
        """What happens after it."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in CHANGING:
            return found

        def call(*words: Any, **named: Any) -> Any:
            self.count += 1
            self.before(name)
            try:
                return found(*words, **named)
            finally:
                self.after(name)

        return call


class Killed(Counted):
    """Ends the process at the n-th call, before or after it."""

    def __init__(self, number: int, *, afterwards: bool) -> None:
        super().__init__()
        self.number, self.afterwards = number, afterwards

    def before(self, name: str) -> None:
        if self.count == self.number and not self.afterwards:
            os._exit(7)

    def after(self, name: str) -> None:
        if self.count == self.number and self.afterwards:
            os._exit(7)


class KilledOnceMoved(Counted):
    """Ends the process after the call that moves the branch `main`."""

    def __init__(self, repo: Path) -> None:
        super().__init__()
        self._branch = repo / ".git/refs/heads/main"
        self._before = self._branch.read_bytes()

    def after(self, name: str) -> None:
        if self._branch.read_bytes() != self._before:
            os._exit(7)


def tree_of(repo: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of the work tree with its mode and bytes; of a link, where it leads."""
    files = {}
    for at, folders, names in os.walk(repo):
        if at == str(repo):
            for one in (folders, names):
                one[:] = [name for name in one if name != ".git"]
        for name in (*folders, *names):
            path = f"{at}/{name}"
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                files[path] = mode, os.fsencode(os.readlink(path))
            elif not stat.S_ISDIR(mode):
                with open(path, "rb") as stream:
                    files[path] = mode, stream.read()
    return {os.path.relpath(path, repo): file for path, file in files.items()}


def state_of(repo: Path) -> dict[str, Any]:
    """Refs, HEAD, index and files, as our reader has them."""

    def ask(*argv: str) -> bytes:
        return gitglass.git(list(argv), cwd=repo).stdout

    return {
        "refs": ask("for-each-ref", "--format=%(refname) %(objectname) %(symref)"), "head": ask("rev-parse", "HEAD"),
        "symbolic": (repo / ".git/HEAD").read_bytes(), "index": ask("ls-files", "-s"), "files": tree_of(repo),
        "config": (repo / ".git/config").read_bytes(),
    }  # fmt: skip
