"""The histogram diff: split at the longest common stretch around the rarest common line, and again on both sides.

Where every common line is too frequent (more than 64 times in the old file's region) the region goes to Myers. Mirrors
`git diff --histogram`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count

from ...annotations import TYPE_CHECKING
from ...limits import paced, pause, step
from .myers import same_ahead, same_back

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["Classic", "histogram_marks"]

_MAX_CHAIN = 64
_STRETCH = 1 << 14  # lines that are gone through in one go

#: Myers on two lists of keys; returns the marks of deleted and of inserted lines.
Classic = Callable[[list[bytes], list[bytes]], tuple[bytearray, bytearray]]


def histogram_marks(ka: list[bytes], kb: list[bytes], classic: Classic, ctx: Context) -> tuple[bytearray, bytearray]:
    """Mark deleted lines of `ka` and inserted lines of `kb` (0 and 1)."""
    deleted, inserted = bytearray(len(ka)), bytearray(len(kb))
    number: dict[bytes, int] = {}
    a = list(map(number.setdefault, paced(ka), count()))
    b = list(map(number.setdefault, paced(kb), count(len(ka))))
    regions = [(0, len(a), 0, len(b))]
    while regions:
        a0, a1, b0, b1 = regions.pop()
        ctx.tick()
        if a0 < a1 and b0 < b1:
            region = _Region(a, b, a0, a1, b0, b1).longest()
            if region is None:
                deleted[a0:a1], inserted[b0:b1] = classic(ka[a0:a1], kb[b0:b1])
                continue
            start_a, end_a, start_b = region
            if end_a > start_a:
                regions.append((end_a, a1, start_b + end_a - start_a, b1))
                regions.append((a0, start_a, b0, start_b))
                continue
        deleted[a0:a1] = b"\1" * (a1 - a0)
        inserted[b0:b1] = b"\1" * (b1 - b0)
    return deleted, inserted


class _Region:
    """A stretch of both files, with the positions of each line of the old file."""

    __slots__ = ("a", "a0", "a1", "b", "b0", "b1", "best", "common", "counts", "rarest", "where")

    def __init__(self, a: list[int], b: list[int], a0: int, a1: int, b0: int, b1: int) -> None:
        self.a, self.a0, self.a1 = a, a0, a1
        self.b, self.b0, self.b1 = b, b0, b1
        lines = a[a0:a1]
        self.counts = Counter(paced(lines))
        self.where = dict(zip(paced(lines), range(a0, a1)))  # the last position of each
        self.best = (0, 0, 0)  # start and end in a, start in b
        self.rarest = _MAX_CHAIN + 1
        self.common = False

    def longest(self) -> tuple[int, int, int] | None:
        """The stretch to split at: (start, end) in the old file and start in the new; empty if there is no common line.

        None if there are common lines, but all of them are too frequent.
        """
        at, stop, b, counts = self.b0, self.b1, self.b, self.counts
        while at < stop:
            step()
            edge = min(at + _STRETCH, stop)
            while at < edge:
                times = counts.get(b[at])
                if times is None:
                    at += 1
                elif times > self.rarest:
                    self.common = True
                    at += 1
                else:
                    self.common = True
                    at = self._try(at, self._positions(b[at], times))
        if self.common and self.rarest > _MAX_CHAIN:
            return None
        return self.best

    def _positions(self, key: int, times: int) -> list[int]:
        """The positions of a line in the old file's region."""
        positions = [self.where[key]]
        if times > 1:
            if self.a1 - self.a0 > _STRETCH:
                pause()
            a, last = self.a, positions.pop()
            at = a.index(key, self.a0)
            while at < last:
                positions.append(at)
                at = a.index(key, at + 1)
            positions.append(last)
        return positions

    def _try(self, new_line: int, positions: list[int]) -> int:
        """Extend each match of a line of the new file in both directions; returns the next line worth trying."""
        step()
        a, b, counts = self.a, self.b, self.counts
        a0, a1, b0, b1 = self.a0, self.a1, self.b0, self.b1
        following = new_line + 1
        reached = -1
        for line in positions:
            if line < reached:
                continue
            rarity = len(positions)
            back = same_back(a, b, line, new_line, min(line - a0, new_line - b0))
            ahead = same_ahead(a, b, line + 1, new_line + 1, min(a1 - line, b1 - new_line) - 1)
            start_a, start_b = line - back, new_line - back
            end_a, end_b = line + ahead + 1, new_line + ahead + 1
            if rarity > 1 and end_a - start_a > 1:
                rarity = min(map(counts.__getitem__, paced(a[start_a:end_a])))
            following = max(following, end_b)
            best_a, best_end, _ = self.best
            if max(best_end - best_a - 1, 0) < end_a - start_a - 1 or rarity < self.rarest:
                self.best = (start_a, end_a, start_b)
                self.rarest = rarity
            reached = end_a
        return following
