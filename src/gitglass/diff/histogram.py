"""The histogram diff: split at the longest common stretch around the rarest common line, and again on both sides.

Where every common line is too frequent (more than 64 times in the old file's region) the region goes to Myers. Mirrors
`git diff --histogram`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..limits import Context

__all__ = ["Classic", "histogram_marks"]

_MAX_CHAIN = 64

#: Myers on two lists of keys; returns the marks of deleted and of inserted lines.
Classic = Callable[[list[bytes], list[bytes]], tuple[bytearray, bytearray]]


def histogram_marks(ka: list[bytes], kb: list[bytes], classic: Classic, ctx: Context) -> tuple[bytearray, bytearray]:
    """Mark deleted lines of `ka` and inserted lines of `kb` (0 and 1)."""
    gone, come = bytearray(len(ka)), bytearray(len(kb))
    number: dict[bytes, int] = {}
    a = [number.setdefault(key, len(number)) for key in ka]
    b = [number.setdefault(key, len(number)) for key in kb]
    regions = [(0, len(a), 0, len(b))]
    while regions:
        a0, a1, b0, b1 = regions.pop()
        ctx.tick()
        if a0 < a1 and b0 < b1:
            found = _Region(a, b, a0, a1, b0, b1).longest()
            if found is None:
                gone[a0:a1], come[b0:b1] = classic(ka[a0:a1], kb[b0:b1])
                continue
            start_a, end_a, start_b = found
            if end_a > start_a:
                regions.append((end_a, a1, start_b + end_a - start_a, b1))
                regions.append((a0, start_a, b0, start_b))
                continue
        gone[a0:a1] = b"\1" * (a1 - a0)
        come[b0:b1] = b"\1" * (b1 - b0)
    return gone, come


class _Region:
    """A stretch of both files, and where in it each line of the old file occurs."""

    __slots__ = ("a", "a0", "a1", "b", "b0", "b1", "best", "common", "rarest", "where")

    def __init__(self, a: list[int], b: list[int], a0: int, a1: int, b0: int, b1: int) -> None:
        self.a, self.a0, self.a1 = a, a0, a1
        self.b, self.b0, self.b1 = b, b0, b1
        self.where: dict[int, list[int]] = {}
        for at in range(a0, a1):
            key = a[at]
            if key in self.where:
                self.where[key].append(at)
            else:
                self.where[key] = [at]
        self.best = (0, 0, 0)  # start and end in a, start in b
        self.rarest = _MAX_CHAIN + 1
        self.common = False

    def longest(self) -> tuple[int, int, int] | None:
        """The stretch to split at: (start, end) in the old file and start in the new; empty when nothing is common.

        None when something is common, but all of it too frequent.
        """
        at, stop, b, where = self.b0, self.b1, self.b, self.where
        while at < stop:
            places = where.get(b[at])
            if places is None:
                at += 1
            elif len(places) > self.rarest:
                self.common = True
                at += 1
            else:
                self.common = True
                at = self._try(at, places)
        if self.common and self.rarest > _MAX_CHAIN:
            return None
        return self.best

    def _try(self, here: int, places: list[int]) -> int:
        """Stretch each meeting with line `here` of the new file both ways; returns the next line worth a try."""
        a, b, where = self.a, self.b, self.where
        a0, a1, b0, b1 = self.a0, self.a1, self.b0, self.b1
        following = here + 1
        reached = -1
        for place in places:
            if place < reached:
                continue
            rarity = len(places)
            start_a, start_b = place, here
            while start_a > a0 and start_b > b0 and a[start_a - 1] == b[start_b - 1]:
                start_a -= 1
                start_b -= 1
                if rarity > 1:
                    rarity = min(rarity, len(where[a[start_a]]))
            end_a, end_b = place + 1, here + 1
            while end_a < a1 and end_b < b1 and a[end_a] == b[end_b]:
                if rarity > 1:
                    rarity = min(rarity, len(where[a[end_a]]))
                end_a += 1
                end_b += 1
            following = max(following, end_b)
            best_a, best_end, _ = self.best
            if max(best_end - best_a - 1, 0) < end_a - start_a - 1 or rarity < self.rarest:
                self.best = (start_a, end_a, start_b)
                self.rarest = rarity
            reached = end_a
        return following
