"""Hunks of a change, each with an id that stays the same as long as both sides do; and a text with some of them
applied.

A hunk is one stretch of the edit script of the line diff. Accepting works on that script, never on the text of a
patch, so that every selection can be applied.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from ...diff.lines.compare import match_lines
from ...diff.lines.spec import LineSpec
from ...limits import Context, lines_in
from ...records import record

_LINES = LineSpec(indent_heuristic=True)
_ID = 12


@record(frozen=True)
class ReviewHunk:
    """A hunk: lines of the old text from `old_start` on, and lines of the new text that replace them (counted from
    0)."""

    id: str
    old_start: int
    old_count: int
    new_start: int
    new_count: int


def lines_of(content: bytes) -> list[bytes]:
    """The lines of a text with their newlines; the last one may have none."""
    parts = lines_in(content)
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def hunks_between(path: bytes, old: bytes, new: bytes, names: tuple[str, str], ctx: Context) -> list[ReviewHunk]:
    """The hunks that turn one text into another; `names` are the object names of both."""
    after = lines_of(new)
    hunks = []
    for start, count, at, size in match_lines(old, new, _LINES, ctx):
        body = b"".join(after[at : at + size])
        about = b"%b\0%b\0%b\0%d,%d\0" % (path, names[0].encode(), names[1].encode(), start, count)
        hunks.append(ReviewHunk(hashlib.sha256(about + body).hexdigest()[:_ID], start, count, at, size))
    return hunks


def with_hunks(old: bytes, new: bytes, hunks: list[ReviewHunk], accepted: Collection[str]) -> bytes:
    """The old text with the accepted hunks applied: all of them give the new text, none the old one."""
    before, after = lines_of(old), lines_of(new)
    out: list[bytes] = []
    at = 0
    for hunk in hunks:
        out += before[at : hunk.old_start]
        if hunk.id in accepted:
            out += after[hunk.new_start : hunk.new_start + hunk.new_count]
        else:
            out += before[hunk.old_start : hunk.old_start + hunk.old_count]
        at = hunk.old_start + hunk.old_count
    return b"".join([*out, *before[at:]])
