"""The patience diff: match lines that occur once in each file and keep their order; compare the regions between.

A region without such lines goes to Myers. With anchors (`--anchored=<text>`) lines that begin with the text are matched
whatever it costs. Mirrors `git diff --patience`.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter

from ...annotations import TYPE_CHECKING
from ...limits import paced
from .histogram import Classic

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["patience_marks"]

_Region = tuple[int, int, int, int]


def patience_marks(
    ka: list[bytes], kb: list[bytes], old: list[bytes], anchors: tuple[bytes, ...], classic: Classic, ctx: Context
) -> tuple[bytearray, bytearray]:
    """Mark deleted lines of `ka` and inserted lines of `kb` (0 and 1). `old` is the text behind `ka`."""
    deleted, inserted = bytearray(len(ka)), bytearray(len(kb))
    regions: list[_Region] = [(0, len(ka), 0, len(kb))]
    while regions:
        a0, a1, b0, b1 = regions.pop()
        ctx.tick()
        if a0 < a1 and b0 < b1:
            seen = set(ka[a0:a1])
            if not seen.isdisjoint(kb[b0:b1]):
                matched = _held(ka, kb, (a0, a1, b0, b1), old, anchors)
                if matched:
                    regions += _between(ka, kb, (a0, a1, b0, b1), matched)
                else:
                    deleted[a0:a1], inserted[b0:b1] = classic(ka[a0:a1], kb[b0:b1])
                continue
        deleted[a0:a1] = b"\1" * (a1 - a0)
        inserted[b0:b1] = b"\1" * (b1 - b0)
    return deleted, inserted


def _unique_pairs(ka: list[bytes], kb: list[bytes], region: _Region) -> list[tuple[int, int]]:
    """Lines that occur once on each side, as (line in a, line in b), in the order of a."""
    a0, a1, b0, b1 = region
    ours, theirs = ka[a0:a1], kb[b0:b1]
    in_a, in_b = Counter(paced(ours)), Counter(paced(theirs))
    line_of = dict(zip(theirs, range(b0, b1)))
    return [(at, line_of[key]) for at, key in enumerate(paced(ours), a0) if in_b.get(key) == 1 and in_a[key] == 1]


def _held(
    ka: list[bytes], kb: list[bytes], region: _Region, old: list[bytes], anchors: tuple[bytes, ...]
) -> list[tuple[int, int]]:
    """The longest run of unique pairs that is in order on both sides (patience sorting)."""
    piles: list[int] = []  # index of the pair on top of each pile
    tops: list[int] = []  # and that pair's line in b: they rise from pile to pile
    before: list[int] = []  # for each pair, the pair that precedes it
    pairs = _unique_pairs(ka, kb, region)
    floor = -1  # an anchored pile: neither it nor those below may change any more
    for index, (at, line_b) in enumerate(paced(pairs)):
        pile = bisect(tops, line_b)
        before.append(piles[pile - 1] if pile else -1)
        if pile <= floor:
            continue
        if anchors and old[at].startswith(anchors):
            del piles[pile:], tops[pile:]
            floor = pile
        piles[pile : pile + 1] = [index]
        tops[pile : pile + 1] = [line_b]
    held = []
    index = piles[-1] if piles else -1
    while index >= 0:
        held.append(pairs[index])
        index = before[index]
    held.reverse()
    return held


def _between(ka: list[bytes], kb: list[bytes], region: _Region, held: list[tuple[int, int]]) -> list[_Region]:
    """The regions between matched lines, after these are extended over their equal neighbours."""
    a, a1, b, b1 = region
    regions = []
    at = 0
    while True:
        last = at >= len(held)
        next_a, next_b = (a1, b1) if last else held[at]
        if not last:
            while next_a > a and next_b > b and ka[next_a - 1] == kb[next_b - 1]:
                next_a -= 1
                next_b -= 1
        while a < next_a and b < next_b and ka[a] == kb[b]:
            a += 1
            b += 1
        if next_a > a or next_b > b:
            regions.append((a, next_a, b, next_b))
        if last:
            return regions
        while at + 1 < len(held) and held[at + 1] == (held[at][0] + 1, held[at][1] + 1):
            at += 1
        a, b = held[at][0] + 1, held[at][1] + 1
        at += 1
