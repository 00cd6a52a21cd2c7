"""The point where Myers' two searches meet, read from a table of longest common subsequences instead of searched for.

The searches take steps that grow with the square of the differences. A row of the classic table takes a few operations
on one big integer (Hyyrö's bit-parallel form), so that two lists with many differences are cheaper to tabulate than to
search. The decisions of the searches follow from the costs of all points alone:

- They meet on the highest diagonal on which a shortest script has reached half its cost, at the last point there that
  half the cost reaches. If the whole cost is odd, the first search has that half, otherwise the second. The shortest
  script that runs along the highest diagonals leads there, whatever its cost is; it is found going back from the end.
- If the search gives up before, it takes the furthest point that the cost spent reaches, of either search.

The second search is the first one on both lists reversed and swapped, which leaves the order of diagonals as it is.
"""

from __future__ import annotations

from math import isqrt

from ...annotations import TYPE_CHECKING
from ...limits import need

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...limits import Context

__all__ = ["Cut", "cut_by_table", "worth_from"]

#: The point at which a box is cut in two, and whether either half has to be solved exactly.
Cut = tuple[int, int, bool, bool]

_MOST = 48 << 20  # bits of a table
_MOST_FOR_TWO = 20 << 20  # ... if the search may give up: two tables are needed, and the search is shorter
_BATCH = 64


def worth_from(rows: int, columns: int, exact: bool) -> int:
    """The cost from which a table is likely to take less time than the search would; 0 if it never is."""
    area = rows * columns
    return 12 + isqrt((rows + columns + (area >> 10)) >> 2) if area < (_MOST if exact else _MOST_FOR_TWO) else 0


def cut_by_table(a: list[int], b: list[int], exact: bool, give_up: int, ctx: Context) -> Cut:
    """The point at which Myers' search cuts two lists that begin and end differently.

    The search gives up beyond a cost of `give_up`, unless `exact`. The caller ensures that it would not look for
    snakes.
    """
    rows, columns = len(a), len(b)
    odd = (rows + columns) & 1
    table = _Table(a, b, ctx) if odd else _Table(b[::-1], a[::-1], ctx)
    if exact or table.cost <= 2 * give_up:
        i, j = table.point_at((table.cost + 1) // 2, ctx)
        return (i, j, True, True) if odd else (rows - j, columns - i, True, True)
    other = _Table(b[::-1], a[::-1], ctx) if odd else _Table(a, b, ctx)
    ahead, back = (table, other) if odd else (other, table)
    i, j = ahead.furthest(give_up)
    p, q = back.furthest(give_up)
    return (i, j, True, False) if p + q < i + j else (rows - q, columns - p, False, True)


class _Table:
    """The table of two lists. Bit j of row i is 0 if item j adds to what the first i items have in common."""

    __slots__ = ("a", "b", "cost", "rows")

    def __init__(self, a: list[int], b: list[int], ctx: Context) -> None:
        need(len(a) * len(b) >> 3)
        self.a, self.b = a, b
        masks: dict[int, int] = dict.fromkeys(a, 0)
        for at, item in enumerate(b):
            if item in masks:
                masks[item] |= 1 << at
        full = row = (1 << len(b)) - 1
        self.rows = rows = [row]
        keep = rows.append
        for start in range(0, len(a), _BATCH):
            ctx.tick()
            for mask in map(masks.__getitem__, a[start : start + _BATCH]):
                hits = row & mask
                if hits:
                    row = ((row + hits) | (row ^ hits)) & full
                keep(row)
        self.cost = len(a) - len(b) + 2 * row.bit_count()

    def point_at(self, cost: int, ctx: Context) -> tuple[int, int]:
        """The last point that `cost` reaches on the highest diagonal where a shortest script has that cost."""
        a, b, rows = self.a, self.b, self.rows
        x, y, left = len(a), len(b), self.cost
        while left > cost:
            if not (x + y) & 255:
                ctx.tick()
            if y and rows[x] >> (y - 1) & 1:  # no best script up to here matches the last item of b
                y -= 1
                left -= 1
            elif y and a[x - 1] == b[y - 1]:
                x -= 1
                y -= 1
            else:
                x -= 1
                left -= 1
        d = x - y
        x = _last(self._within(d, cost), x, min(len(a), len(b) + d))
        return x, x - d

    def furthest(self, cost: int) -> tuple[int, int]:
        """The furthest of all points that `cost` reaches; the one on the highest diagonal among equals."""
        rows, columns = len(self.a), len(self.b)
        high, low = min(cost, rows), -min(cost, columns)
        high -= (cost - high) & 1
        best, at = -1, 0
        for d in range(high, low - 1, -2):
            x = max((best + d) // 2 + 1, d, 0)
            end = min(rows, columns + d)
            if x <= end:
                within = self._within(d, cost)
                if within(x):
                    at = _last(within, x, end)
                    best = 2 * at - d
        return at, best - at

    def _within(self, d: int, cost: int) -> Callable[[int], bool]:
        """A function that tells whether `cost` reaches a line of the first list on a diagonal."""
        rows, room = self.rows, (cost - d) // 2
        return lambda x: (rows[x] & ((1 << (x - d)) - 1)).bit_count() <= room


def _last(holds: Callable[[int], bool], low: int, end: int) -> int:
    """The last number up to `end` for which `holds` is true; it is true for `low` and all numbers up to the last."""
    step = 1
    while low + step <= end and holds(low + step):
        low += step
        step *= 2
    high = min(low + step, end + 1)  # it is false there
    while high - low > 1:
        middle = (low + high) >> 1
        if holds(middle):
            low = middle
        else:
            high = middle
    return low
