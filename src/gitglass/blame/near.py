"""Decides whether two versions need a diff: not if the change is far from every line that is still blamed.

The further blame goes back, the fewer lines are left, and the more commits change other lines. Of such a change only
the number of added lines matters. A diff may report a change outside of the bytes that differ, since it slides changes
over equal lines, but never over a line that is unlike all others between the change and the blamed lines.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import add

from ..diff.lines.common_ends import equal_ends
from .origins import Runs, Script

_NEAR = 40  # lines that are examined between the change and the nearest blamed line


class Spans:
    """The lines that are still blamed, as spans that do not overlap."""

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
    """The change as a single hunk around all that differs, if no run is near it; None if a diff is needed."""
    head, tail = equal_ends(old, new)
    old_end, new_end = len(old) - tail, len(new) - tail
    first = new.count(b"\n", 0, head)
    added = _lines(new, head, new_end)
    spans = Spans(runs)
    at = bisect_left(spans.starts, first + added)
    blamed_end = spans.ends[at - 1] if at else 0
    if blamed_end > first:
        return None
    middle = {*old[head:old_end].split(b"\n"), *new[head:new_end].split(b"\n")}
    if at and not _blocks(_lines_before(new, head, min(first - blamed_end + 1, _NEAR)), middle):
        return None
    if at < len(spans.starts):
        gap = spans.starts[at] - first - added
        if not _blocks(_lines_after(new, new_end, min(gap + 1, _NEAR)), middle):
            return None
    return [(first, _lines(old, head, old_end), first, added)]


def _lines(text: bytes, start: int, end: int) -> int:
    """The number of lines between two offsets; the last line of the text may lack a newline."""
    number = text.count(b"\n", start, end)
    return number + (start < end == len(text) and text[end - 1] != 10)


def _blocks(gap: list[bytes], middle: set[bytes]) -> bool:
    """Whether some line of the gap (or the first blamed line behind it) occurs once there and not in the change."""
    lines: set[bytes] = set()
    twice: set[bytes] = set()
    for line in gap:
        (twice if line in lines else lines).add(line)
    return any(line not in middle and line not in twice for line in lines)


def _lines_before(text: bytes, end: int, number: int) -> list[bytes]:
    """`number` complete lines that end at byte `end`."""
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
