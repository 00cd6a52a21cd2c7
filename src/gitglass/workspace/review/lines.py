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
    visible."""

    sign: str
    old: int
    new: int
    words: str


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


def hunk_rows(before: list[bytes], after: list[bytes], hunk: ReviewHunk) -> Iterator[Row]:
    """One hunk with the lines about it."""
    start = max(hunk.old_start - _CONTEXT, 0)
    shift = hunk.new_start - hunk.old_start
    end = hunk.old_start + hunk.old_count
    yield Row(
        "@", 0, 0, f"@@ -{hunk.old_start + 1},{hunk.old_count} +{hunk.new_start + 1},{hunk.new_count} @@ {hunk.id}"
    )
    for at in range(start, hunk.old_start):
        yield Row(" ", at + 1, at + shift + 1, words_of(before[at]))
    for at in range(hunk.old_start, end):
        yield Row("-", at + 1, 0, words_of(before[at]))
    for at in range(hunk.new_start, hunk.new_start + hunk.new_count):
        yield Row("+", 0, at + 1, words_of(after[at]))
    shift = hunk.new_start + hunk.new_count - end
    for at in range(end, min(end + _CONTEXT, len(before))):
        yield Row(" ", at + 1, at + shift + 1, words_of(before[at]))


def file_rows(workspace: Workspace, file: ReviewFile, ctx: Context) -> Iterator[Row]:
    """All of a file: its hunks, or every line of one that comes or goes."""
    ctx.tick()
    if what_is_no_text(file):
        return
    old, new = contents_of(workspace, file)
    before, after = lines_of(old), lines_of(new)
    if file.hunks:
        for hunk in file.hunks:
            yield from hunk_rows(before, after, hunk)
    elif old != new:
        yield from (Row("-", at, 0, words_of(line)) for at, line in enumerate(before, 1))
        yield from (Row("+", 0, at, words_of(line)) for at, line in enumerate(after, 1))


def words_of(line: bytes) -> str:
    """A line for a person: control and bidirectional characters shown, the missing newline said."""
    text = line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
    words = "\t".join(shown(part) for part in text[:_MOST_SHOWN].split("\t"))
    more = f"… ({len(text)} characters)" if len(text) > _MOST_SHOWN else ""
    return words + more + ("" if line.endswith(b"\n") else " (no newline at the end)")
