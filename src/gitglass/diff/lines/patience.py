"""The patience diff: match lines that occur once in each file and keep their order; compare the regions between.

A region without such lines goes to Myers. With anchors (`--anchored=<text>`) lines that begin with the text are matched
whatever it costs. Mirrors `git diff --patience`.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter

from ...annotations import TYPE_CHECKING
from ...limits import paced
from .common_ends import common_front
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
                unmatched = _matched(ka, kb, (a0, a1, b0, b1), old, anchors)
                if unmatched is not None:
                    regions += unmatched
                else:
                    deleted[a0:a1], inserted[b0:b1] = classic(ka[a0:a1], kb[b0:b1])
                continue
        deleted[a0:a1] = b"\1" * (a1 - a0)
        inserted[b0:b1] = b"\1" * (b1 - b0)
    return deleted, inserted


def _matched(
    ka: list[bytes], kb: list[bytes], region: _Region, old: list[bytes], anchors: tuple[bytes, ...]
) -> list[_Region] | None:
    """The regions that are left between matched lines; None if no line occurs once on each side.

    Such lines in the equal beginning and end of both sides are always matched, so that only those between take part in
    the search.
    """
    a0, a1, b0, b1 = region
    ours, theirs = ka[a0:a1], kb[b0:b1]
    head = common_front(ours, theirs)
    tail = common_front(ours[head:][::-1], theirs[head:][::-1])
    end_a, end_b = len(ours) - tail, len(theirs) - tail
    in_a, in_b = Counter(paced(ours)), Counter(paced(theirs))

    def once(at: int) -> bool:
        return in_a[ours[at]] == 1 and in_b[ours[at]] == 1

    line_of = dict(zip(theirs[head:end_b], range(b0 + head, b1 - tail)))
    between = enumerate(paced(ours[head:end_a]), a0 + head)
    held = _held([(at, line_of[key]) for at, key in between if in_b.get(key) == 1 and in_a[key] == 1], old, anchors)
    last_above = next(filter(once, paced(range(head - 1, -1, -1))), None)
    first_below = next(filter(once, paced(range(end_a, len(ours)))), None)
    if first_below is not None:
        held.append((a0 + first_below, b0 + first_below + end_b - end_a))
    if last_above is None:
        return _between(ka, kb, region, held, open_end=first_below is None) if held else None
    begin = last_above + 1
    return _between(ka, kb, (a0 + begin, a1, b0 + begin, b1), held, open_end=first_below is None)


def _held(pairs: list[tuple[int, int]], old: list[bytes], anchors: tuple[bytes, ...]) -> list[tuple[int, int]]:
    """The longest run of pairs that is in order on both sides (patience sorting)."""
    piles: list[int] = []  # index of the pair on top of each pile
    tops: list[int] = []  # and that pair's line in b: they rise from pile to pile
    before: list[int] = []  # for each pair, the pair that precedes it
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


def _between(
    ka: list[bytes], kb: list[bytes], region: _Region, held: list[tuple[int, int]], *, open_end: bool
) -> list[_Region]:
    """The regions between matched lines, after these are extended over their equal neighbours. Without `open_end` all
    lines after the last matched ones are equal."""
    a, a1, b, b1 = region
    regions: list[_Region] = []
    at = 0
    while True:
        last = at >= len(held)
        if last and not open_end:
            return regions
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
