"""Need two versions be compared at all?  Not where what changed is far from every line that is still asked about.

The further blame goes back, the fewer lines are left, and the more commits change something else. All that matters
of such a change is how many lines it added. What a diff reports may lie outside of the bytes that differ, as it slides
changes over equal lines; it cannot slide over a line that is unlike all others between it and the change.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import add

from ..diff.lines.common_ends import equal_ends
from .origins import Runs, Script

_NEAR = 40  # lines between the change and the nearest line asked about that are looked at


class Spans:
    """The lines that are asked about, as spans that do not overlap."""

    __slots__ = ("ends", "starts")

    def __init__(self, runs: Runs) -> None:
        ends = list(map(add, runs.starts, runs.nums))
        if not runs.overlap:
            self.starts, self.ends = runs.starts, ends
            return
        self.starts, self.ends = [], []
        for start, end in zip(runs.starts, ends):
            if self.ends and start <= self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], end)
            else:
                self.starts.append(start)
                self.ends.append(end)


def distant_change(old: bytes, new: bytes, runs: Runs) -> Script | None:
    """The change as one hunk around all that differs, if none of the runs is near it; None: a diff is needed."""
    head, tail = equal_ends(old, new)
    old_end, new_end = len(old) - tail, len(new) - tail
    first = new.count(b"\n", 0, head)
    added = _lines(new, head, new_end)
    spans = Spans(runs)
    at = bisect_left(spans.starts, first + added)
    before = spans.ends[at - 1] if at else 0
    if before > first:
        return None
    middle = {*old[head:old_end].split(b"\n"), *new[head:new_end].split(b"\n")}
    if at and not _blocks(_lines_before(new, head, min(first - before + 1, _NEAR)), middle):
        return None
    if at < len(spans.starts):
        gap = spans.starts[at] - first - added
        if not _blocks(_lines_after(new, new_end, min(gap + 1, _NEAR)), middle):
            return None
    return [(first, _lines(old, head, old_end), first, added)]


def _lines(text: bytes, start: int, end: int) -> int:
    """How many lines there are between two places; one at the end of the text may be incomplete."""
    number = text.count(b"\n", start, end)
    return number + (start < end == len(text) and text[end - 1] != 10)


def _blocks(gap: list[bytes], middle: set[bytes]) -> bool:
    """Is there a line in the gap (or the first one asked about) that occurs once, and not in the middle?"""
    seen: set[bytes] = set()
    twice: set[bytes] = set()
    for line in gap:
        (twice if line in seen else seen).add(line)
    return any(line not in middle and line not in twice for line in seen)


def _lines_before(text: bytes, end: int, number: int) -> list[bytes]:
    """So many whole lines that end at byte `end`."""
    start = end
    for _ in range(number):
        start = text.rfind(b"\n", 0, start - 1) + 1 if start else 0
    return text[start:end].split(b"\n")[:-1]


def _lines_after(text: bytes, start: int, number: int) -> list[bytes]:
    end = start
    for _ in range(number):
        newline = text.find(b"\n", end)
        if newline < 0:
            break
        end = newline + 1
    return text[start:end].split(b"\n")[:-1]
