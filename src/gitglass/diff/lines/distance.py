"""The gaps in which two versions of a text differ, and their edit distance, without reading the equal blocks between.

A block is found by searching the other version for a few bytes from after a change. Whether the distances of the gaps
between blocks add up to the shortest distance of the whole has to be proved (`shortest`). For some gaps in a row:

- Lines that one side has more often than the other are matched by no script. If the distances add up to just the
  number of these lines, no script is shorter.
- Otherwise let `slack` be the difference. A shorter script may cross a block on another diagonal. If it reaches the
  block's own diagonal anywhere, it can as well follow it to both ends of the block; the block then separates what is
  before from what is after it. If it does not, it stays less than the sum away from that diagonal, being shorter than
  the sum. A line of the block that occurs once among as many lines around it then has no partner, on either side, which
  makes that script longer than the first bound by two. So half of `slack` such lines make a block a separator.
- Gaps that no block separates are taken together, with the blocks between.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from ...annotations import TYPE_CHECKING
from ...limits import lines_in
from .common_ends import common_head
from .discard import split_lines
from .lcs_length import edit_distance

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["Gap", "find_gaps", "shortest"]

_Two = tuple[int, int]

_NEEDLE = 90  # bytes that are searched for after a change: three or four lines
_WINDOW = 1 << 10  # ... in so many bytes of the other version at first, then in twice as many each time
_TRIES = 5  # lines after a change that are searched for: where much differs, more are seldom worth their time
_BLOCK = 1500  # bytes that must be equal: cutting fewer into lines costs less than a gap
_CREDIT = 6  # searches that may fail; a block of n times the minimal length allows n more
_SMALL = 3000  # bytes of two texts in which no blocks are searched for


class Gap:
    """A stretch that differs: where it begins and ends in each text, and its lines on either side.

    `common` are the lines of each side that the other one has as well, `strange` is the number of the others.
    """

    __slots__ = ("common", "ends", "sides", "starts", "strange")

    def __init__(self, starts: _Two, ends: _Two, one: list[bytes], two: list[bytes]) -> None:
        self.starts = starts
        self.ends = ends
        self.sides = one, two
        a = list(filter(set(two).__contains__, one)) if one and two else []
        b = list(filter(set(a).__contains__, two)) if a else []
        self.common = a, b
        self.strange = len(one) - len(a), len(two) - len(b)

    def distance(self, ctx: Context) -> int:
        """The least number of lines to delete and insert in this gap."""
        a, b = self.common
        strange = sum(self.strange)
        return strange if a == b else strange + edit_distance(a, b, ctx)


# -------------------------------------------------------------------- finding the gaps
def find_gaps(a: bytes, b: bytes, ctx: Context) -> list[Gap]:
    """The gaps of two texts that begin and end differently, in order; none if the texts differ in most places."""
    ranges: list[tuple[int, int, int, int]] = []
    i = j = x = y = 0
    credit = _CREDIT if len(a) + len(b) > _SMALL else 0
    while credit > 0:
        ctx.tick()
        credit -= 1
        x, y = _next_equal(a, x, b, y)
        if x < 0:
            break
        length = _equal_run(a, x, b, y)
        if length >= _BLOCK:
            ranges.append((i, x, j, y))
            i, j = x + length, y + length
            credit += length // _BLOCK
        elif not length:
            break
        x, y = x + length, y + length
    ranges.append((i, len(a), j, len(b)))
    if len(a) + len(b) > _SMALL:
        size = sum([x - i + y - j for i, x, j, y in ranges])
        if size * 2 > len(a) + len(b):
            return []
    return [Gap((i, j), (x, y), split_lines(a[i:x]), split_lines(b[j:y])) for i, x, j, y in ranges]


def _next_equal(a: bytes, i: int, b: bytes, j: int) -> tuple[int, int]:
    """The positions at which lines after i and j are equal again; (-1, -1) if none are found."""
    p, q = i, j
    wide = _WINDOW
    for _ in range(_TRIES):
        needle, other = a[p : p + _NEEDLE], b[q : q + _NEEDLE]
        if len(needle) < _NEEDLE or len(other) < _NEEDLE:
            break
        y = b.find(needle, j, j + wide)
        if y == j or (y > 0 and b[y - 1] == 10):
            return p, y
        x = a.find(other, i, i + wide)
        if x == i or (x > 0 and a[x - 1] == 10):
            return x, q
        p, q = a.find(b"\n", p) + 1, b.find(b"\n", q) + 1
        if not p or not q:
            break
        wide *= 2
    return -1, -1


def _equal_run(a: bytes, i: int, b: bytes, j: int) -> int:
    """The bytes of whole lines that are equal from i and j on."""
    size = min(len(a) - i, len(b) - j)
    got, step = 0, 256
    while got < size:
        step = min(step, size - got)
        if a[i + got : i + got + step] != b[j + got : j + got + step]:
            got += common_head(a[i + got : i + got + step], b[j + got : j + got + step])
            break
        got += step
        step *= 2
    return max(a.rfind(b"\n", i, i + got) + 1 - i, 0)


# -------------------------------------------------------------------- edit distance
def shortest(gaps: list[Gap], a: bytes, ctx: Context) -> int:
    """The edit distance of the lines of two texts. `a` is the first of them. Raises `lcs.TooLong`."""
    if len(gaps) == 1:
        return gaps[0].distance(ctx)
    costs = [gap.distance(ctx) for gap in gaps]
    done = 0
    regions = [(0, len(gaps))]
    while regions:
        ctx.tick()
        first, last = regions.pop()
        total = sum(costs[first:last])
        if last - first > 1:
            slack = total - _imbalance(gaps[first:last])
            if slack:
                cuts = [at for at in range(first + 1, last) if _separates(a, gaps[at - 1], gaps[at], total, slack)]
                if cuts:
                    bounds = [first, *cuts, last]
                    regions += pairwise(bounds)
                    continue
                total = _together(gaps[first:last], a).distance(ctx)
        done += total
    return done


def _imbalance(gaps: list[Gap]) -> int:
    """How many lines one side has more often than the other, in total."""
    one: Counter[bytes] = Counter()
    two: Counter[bytes] = Counter()
    for gap in gaps:
        one.update(gap.sides[0])
        two.update(gap.sides[1])
    shared = one.keys() & two.keys()
    return one.total() + two.total() - 2 * sum(map(min, map(one.__getitem__, shared), map(two.__getitem__, shared)))


def _separates(a: bytes, before: Gap, after: Gap, distance: int, slack: int) -> bool:
    """Whether the block between two gaps has enough lines that occur once within `distance` lines around."""
    start, end = before.ends[0], after.starts[0]
    wanted = slack // 2
    least = 2 * distance + wanted
    if end - start < least:
        return False
    most = 60 * (least + 20)
    if end - start > most:
        middle = (start + end - most) // 2
        lines = lines_in(a[middle : middle + most])[1:-1]
    else:
        lines = lines_in(a[start:end])[:-1]
    if len(lines) < least:
        return False
    counts = Counter(lines)
    return list(map(counts.__getitem__, lines[distance : len(lines) - distance])).count(1) >= wanted


def _together(gaps: list[Gap], a: bytes) -> Gap:
    """Some gaps and the blocks between them as one gap."""
    one: list[bytes] = []
    two: list[bytes] = []
    at = gaps[0].starts[0]
    for gap in gaps:
        block = lines_in(a[at : gap.starts[0]])[:-1]
        one += block
        one += gap.sides[0]
        two += block
        two += gap.sides[1]
        at = gap.ends[0]
    return Gap(gaps[0].starts, gaps[-1].ends, one, two)
