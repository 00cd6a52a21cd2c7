"""Which questions a member of the zoo is asked, where asking all of them would take hours.

What a member makes hostile is read from the files in which it differs from the clean repository: each kind of file has
the commands that read it. To these come the same dozen for every member, and all typed calls and questions of the tools
in turn.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from .observer import COMMANDS

#: asked of every member
DOZEN = [line.split() for line in """
status
status -v -v
log -p --all -n 5
log --stat --summary -n 5 --format=fuller
show HEAD^{tree}
diff HEAD
blame -C -C -w --line-porcelain HEAD -- README.md
grep -n -E (a+)+$
ls-tree -r -l -t HEAD
cat-file --batch-check --batch-all-objects
for-each-ref --sort=-committerdate --count=20
fsck --unreachable --root --tags --strict --no-reflogs HEAD
""".strip().splitlines()]  # fmt: skip

_HISTORY = "log rev-list show diff-tree merge-base format-patch shortlog cherry describe name-rev compare"
_CONTENT = "show cat-file ls-tree diff blame annotate grep fsck"
_STORE = f"{_HISTORY} {_CONTENT} count-objects rev-parse branch tag notes stash"
_REFS = (
    "for-each-ref show-ref branch tag symbolic-ref describe name-rev rev-parse log merge-base reflog check-ref-format"
)
_TREE = "status diff diff-index diff-files ls-files grep hash-object blame check-ignore check-attr describe"

#: (where in the repository, the commands that read it): the first that fits counts
READERS = [
    (r"\.git/(sharedindex\..*|index)$", "status diff diff-index diff-files ls-files describe grep check-attr blame"),
    (r"\.git/(packed-refs|refs/notes/.*)$", _REFS + " notes"),
    (r"\.git/(refs/.*|reftable/.*|HEAD|ORIG_HEAD|FETCH_HEAD|MERGE_HEAD)$", _REFS),
    (r"\.git/logs/", "reflog stash log rev-parse fsck check-ref-format branch"),
    (r"\.git/info/(exclude|sparse-checkout|attributes)$", "status ls-files check-ignore check-attr diff grep"),
    (r"\.git/(info/grafts|shallow)$", _HISTORY),
    (
        r"\.git/(config.*|worktrees/.*|commondir|modules/.*)$",
        "config remote var status log diff branch ls-files rev-parse",
    ),
    (r"\.git/objects/", _STORE),
    (r"\.git/", "status log rev-parse for-each-ref config"),
    (r"\.git$", "status log rev-parse for-each-ref config remote"),
    (r"(.*/)?\.mailmap$", "log shortlog blame check-mailmap show format-patch"),
    (r"(.*/)?\.gitattributes$", "diff log show check-attr status grep blame diff-tree"),
    (r"(.*/)?\.gitmodules$", "status diff log config show ls-files diff-index diff-files"),
    (r"", _TREE),
]


def touched(repo: Path, clean: Path) -> Iterator[str]:
    """The paths in which a member differs from the repository that it was made from."""
    here, there = _files(repo), _files(clean)
    for name in sorted(here.keys() | there.keys()):
        if here.get(name) != there.get(name):
            yield name


def _files(top: Path) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    waiting = [os.fspath(top)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            name = os.path.relpath(entry.path, top)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            else:
                stat = entry.stat(follow_symlinks=False)
                found[name] = (stat.st_mode, stat.st_size, stat.st_ino if "objects" in name else stat.st_mtime_ns)
    return found


def readers(paths: Iterator[str]) -> set[str]:
    """The commands that read these files."""
    found: set[str] = set()
    for path in paths:
        words = next(words for place, words in READERS if re.match(place, path))
        found |= set(words.split())
    return found


def chosen_commands(repo: Path, clean: Path) -> list[list[str]]:
    """The dozen, and every form of the commands that read what the member makes hostile."""
    reading = readers(touched(repo, clean))
    return DOZEN + [argv for argv in COMMANDS if argv[0] in reading and argv not in DOZEN]
