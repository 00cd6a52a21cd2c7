"""The lines of a reviewed file as rows: unchanged, removed and added ones, with their numbers, hunk by hunk.

Both the terminal and the page are made of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ...diff.lines.common_ends import common_front
from ...limits import Context
from ...records import record
from ..workspace import Workspace
from .box import shown
from .hunks import ReviewHunk, lines_of
from .model import ReviewFile

_CONTEXT = 3
_MOST_KEPT = 400  # characters of an unchanged line
_MOST_CHANGED = 4_000  # characters of a removed or added line: nobody should approve what they have not seen
_BEFORE = 100  # characters before the first one that differs
#: files that tools generate: they are folded, with their counts
_GENERATED = ("*.lock", "package-lock.json", "pnpm-lock.yaml", "go.sum", "*.min.js", "*.min.css", "*.map", "*.pb.go")


@record(frozen=True)
class Row:
    """A line: " ", "-", "+", or "@" for the head of a hunk; its numbers on both sides (0: none); its text, made
    visible; for a head, the hunk's id; a remark on the line that is no part of it."""

    sign: str
    old: int
    new: int
    words: str
    hunk: str = ""
    more: str = ""

    @property
    def whole(self) -> str:
        """The text, with the remark."""
        return self.words + self.more


def is_generated(path: str) -> bool:
    """Whether a path's name is one of a generated file."""
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, pattern) for pattern in _GENERATED)


def contents_of(workspace: Workspace, file: ReviewFile) -> tuple[bytes, bytes]:
    """The old and the new content of a file."""
    at = next(at for at, one in enumerate(workspace.staged) if one.commit == file.commit)
    path = file.path.encode("utf-8", "surrogateescape")
    old = workspace.store.odb.entry(workspace.tree_before(at), path)
    before = b"" if old is None or old[0] == 0o160000 else workspace.blob(old[1])
    is_blob = file.file.blob and file.file.new_mode != "160000"
    return before, workspace.blob(bytes.fromhex(file.file.blob)) if is_blob else b""


def what_is_no_text(file: ReviewFile) -> str:
    """The text shown instead of lines: for a binary file, or a Git LFS pointer; "" for a text."""
    if file.file.binary:
        return f"binary file, {file.file.size} bytes"
    if file.file.lfs:
        return "kept by Git LFS: this is the pointer"
    return ""


def hunk_head(hunk: ReviewHunk) -> str:
    """`@@ -3,1 +3,2 @@ id`: the lines of both sides; for a side without any, the line before, as git counts."""
    old, new = (
        f"{start + (count > 0)},{count}"
        for start, count in ((hunk.old_start, hunk.old_count), (hunk.new_start, hunk.new_count))
    )
    return f"@@ -{old} +{new} @@ {hunk.id}"


def hunk_rows(
    before: list[bytes], after: list[bytes], hunks: tuple[ReviewHunk, ...], at: int, *, begin: int = 0
) -> Iterator[Row]:
    """One hunk of a file with the unchanged lines around it: these end where another hunk begins, and start at line
    `begin` at the earliest."""
    hunk = hunks[at]
    end = hunk.old_start + hunk.old_count
    first = max(hunk.old_start - _CONTEXT, begin, _end(hunks[at - 1]) if at else 0)
    last = min(end + _CONTEXT, hunks[at + 1].old_start if at + 1 < len(hunks) else len(before))
    shift = hunk.new_start - hunk.old_start
    yield Row("@", 0, 0, hunk_head(hunk), hunk.id)
    for line in range(first, hunk.old_start):
        yield _kept(line + 1, line + shift + 1, before[line])
    added = after[hunk.new_start : hunk.new_start + hunk.new_count]
    yield from _changed(before[hunk.old_start : end], added, hunk.old_start, hunk.new_start)
    shift = hunk.new_start + hunk.new_count - end
    for line in range(end, last):
        yield _kept(line + 1, line + shift + 1, before[line])


def _end(hunk: ReviewHunk) -> int:
    return hunk.old_start + hunk.old_count


def file_rows(workspace: Workspace, file: ReviewFile, ctx: Context) -> Iterator[Row]:
    """The whole file: its hunks, or every line of an added or deleted one."""
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
        yield from _changed(before, after, 0, 0)


def _kept(old: int, new: int, line: bytes) -> Row:
    words, more = _words(line, _MOST_KEPT)
    return Row(" ", old, new, words, more=more)


def _changed(removed: list[bytes], added: list[bytes], old: int, new: int) -> Iterator[Row]:
    """The removed lines, then the added ones. A very long line is shown from a little before it begins to differ from
    the line beside it; a remark tells of differences further on."""
    for sign, lines, others in (("-", removed, added), ("+", added, removed)):
        for at, line in enumerate(lines):
            begin, end = _differing(line, others[at]) if at < len(others) else (0, 0)
            words, more = _words(line, _MOST_CHANGED, begin, end)
            yield Row(sign, *((old + at + 1, 0) if sign == "-" else (0, new + at + 1)), words, more=more)


def _differing(line: bytes, other: bytes) -> tuple[int, int]:
    """(the first character to show of a long line, the last one that differs from the line beside it)."""
    if max(len(line), len(other)) <= _MOST_CHANGED:
        return 0, 0
    one, two = _text(line), _text(other)
    front = common_front(one, two)
    end = len(one) - min(common_front(one[::-1], two[::-1]), min(len(one), len(two)) - front)
    return (max(front - _BEFORE, 0) if front > _MOST_CHANGED // 2 else 0), end


def _text(line: bytes) -> str:
    return line.removesuffix(b"\n").decode("utf-8", "surrogateescape")


def _words(line: bytes, most: int, begin: int = 0, differs: int = 0) -> tuple[str, str]:
    """A line for a person, from a character on: (its text, with control and bidirectional characters visible; a remark
    that it is longer, or that it has no newline)."""
    text = _text(line)
    words = "\t".join(shown(part) for part in text[begin : begin + most].split("\t"))
    more = f", from number {begin + 1} on" if begin else ""
    more += f"; what differs goes on to number {differs}" if differs > begin + most else ""
    more = f"… ({len(text)} characters{more})" if more or begin + most < len(text) else ""
    return words, more + ("" if line.endswith(b"\n") else " (no newline at the end)")
