"""The lines of a reviewed file as rows: what stays, what goes, what comes, with their numbers, hunk by hunk.

Both the terminal and the page are made of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ...limits import Context
from ...records import record
from ..workspace import Workspace
from .box import shown
from .hunks import ReviewHunk, lines_of
from .model import ReviewFile

_CONTEXT = 3
_MOST_SHOWN = 400  # characters of a line
#: files that tools write: they are folded, with their counts
_GENERATED = ("*.lock", "package-lock.json", "pnpm-lock.yaml", "go.sum", "*.min.js", "*.min.css", "*.map", "*.pb.go")


@record(frozen=True)
class Row:
    """A line: " ", "-", "+", or "@" for the head of a hunk; its numbers on both sides (0: none); its text, made
    visible; of a head, the hunk's id."""

    sign: str
    old: int
    new: int
    words: str
    hunk: str = ""


def is_generated(path: str) -> bool:
    """Whether a path is by its name what tools write."""
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, pattern) for pattern in _GENERATED)


def contents_of(workspace: Workspace, file: ReviewFile) -> tuple[bytes, bytes]:
    """Both sides of a file."""
    at = next(at for at, one in enumerate(workspace.staged) if one.commit == file.commit)
    path = file.path.encode("utf-8", "surrogateescape")
    old = workspace.store.odb.entry(workspace.tree_before(at), path)
    before = b"" if old is None or old[0] == 0o160000 else workspace.blob(old[1])
    is_blob = file.file.blob and file.file.new_mode != "160000"
    return before, workspace.blob(bytes.fromhex(file.file.blob)) if is_blob else b""


def what_is_no_text(file: ReviewFile) -> str:
    """What stands in the place of lines: a binary file, a pointer of Git LFS; "" for a text."""
    if file.file.binary:
        return f"binary file, {file.file.size} bytes"
    if file.file.lfs:
        return "kept by Git LFS: this is the pointer"
    return ""


def hunk_head(hunk: ReviewHunk) -> str:
    """`@@ -3,1 +3,2 @@ id`: the lines of both sides; of a side without any, the line before, as git counts."""
    old, new = (
        f"{start + (count > 0)},{count}"
        for start, count in ((hunk.old_start, hunk.old_count), (hunk.new_start, hunk.new_count))
    )
    return f"@@ -{old} +{new} @@ {hunk.id}"


def hunk_rows(
    before: list[bytes], after: list[bytes], hunks: tuple[ReviewHunk, ...], at: int, *, begin: int = 0
) -> Iterator[Row]:
    """One hunk of a file with the lines about it that are the same on both sides: they end where another hunk begins,
    and start at line `begin` at the earliest."""
    hunk = hunks[at]
    end = hunk.old_start + hunk.old_count
    first = max(hunk.old_start - _CONTEXT, begin, _end(hunks[at - 1]) if at else 0)
    last = min(end + _CONTEXT, hunks[at + 1].old_start if at + 1 < len(hunks) else len(before))
    shift = hunk.new_start - hunk.old_start
    yield Row("@", 0, 0, hunk_head(hunk), hunk.id)
    for line in range(first, hunk.old_start):
        yield Row(" ", line + 1, line + shift + 1, words_of(before[line]))
    for line in range(hunk.old_start, end):
        yield Row("-", line + 1, 0, words_of(before[line]))
    for line in range(hunk.new_start, hunk.new_start + hunk.new_count):
        yield Row("+", 0, line + 1, words_of(after[line]))
    shift = hunk.new_start + hunk.new_count - end
    for line in range(end, last):
        yield Row(" ", line + 1, line + shift + 1, words_of(before[line]))


def _end(hunk: ReviewHunk) -> int:
    return hunk.old_start + hunk.old_count


def file_rows(workspace: Workspace, file: ReviewFile, ctx: Context) -> Iterator[Row]:
    """All of a file: its hunks, or every line of one that comes or goes."""
    ctx.tick()
    if what_is_no_text(file):
        return
    old, new = contents_of(workspace, file)
    before, after = lines_of(old), lines_of(new)
    if file.hunks:
        for at in range(len(file.hunks)):
            begin = _end(file.hunks[at - 1]) + _CONTEXT if at else 0
            yield from hunk_rows(before, after, file.hunks, at, begin=begin)
    elif old != new:
        yield from (Row("-", at, 0, words_of(line)) for at, line in enumerate(before, 1))
        yield from (Row("+", 0, at, words_of(line)) for at, line in enumerate(after, 1))


def words_of(line: bytes) -> str:
    """A line for a person: control and bidirectional characters shown, the missing newline said."""
    text = line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
    words = "\t".join(shown(part) for part in text[:_MOST_SHOWN].split("\t"))
    more = f"… ({len(text)} characters)" if len(text) > _MOST_SHOWN else ""
    return words + more + ("" if line.endswith(b"\n") else " (no newline at the end)")
