"""Myers' shortest edit script, from both ends at once, giving up where git's does.

The result must be the very script git finds, not just *a* shortest one, so the order in which diagonals are tried and
the two escapes from quadratic work are git's: a long enough snake found late is taken as the middle, and beyond a cost
the furthest point reached is. A search that would be long is not made: `lcs_table` computes where it would end.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import lt

from ...annotations import TYPE_CHECKING, Any
from .lcs_table import Cut, cut_by_table, worth_from

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["mark_changes", "rough_sqrt", "same_ahead", "same_back"]

_SNAKE = 20  # equal lines in a row that make a snake long enough
_HEURISTIC_FROM = 256  # edit cost from which snakes are looked for
_MIN_GIVE_UP = 256  # edit cost below which the search never gives up
_PROGRESS = 4  # a snake is taken if its distance from the corner is this many times the cost so far
_FAR = 1 << 60
_SHORT = 8  # longer runs of equal lines are compared by slices

_Sides = tuple[list[int], list[int], int]


def rough_sqrt(n: int) -> int:
    """A power of two near the square root: git's approximation of it."""
    root = 1
    while n > 0:
        root <<= 1
        n >>= 2
    return root


def mark_changes(a: list[int], b: list[int], minimal: bool, ctx: Context) -> tuple[bytearray, bytearray]:
    """Mark the deleted lines of `a` and the inserted ones of `b`, as two arrays of 0 and 1.

    With `minimal` the script is the shortest there is (`--minimal`).
    """
    deleted = bytearray(len(a))
    inserted = bytearray(len(b))
    give_up = max(rough_sqrt(len(a) + len(b) + 3), _MIN_GIVE_UP)
    boxes = [(0, len(a), 0, len(b), minimal)]
    while boxes:
        a0, a1, b0, b1, exact = boxes.pop()
        if a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            same = same_ahead(a, b, a0, b0, min(a1 - a0, b1 - b0))
            a0 += same
            b0 += same
        if a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            same = same_back(a, b, a1, b1, min(a1 - a0, b1 - b0))
            a1 -= same
            b1 -= same
        if a0 == a1:
            inserted[b0:b1] = b"\1" * (b1 - b0)
        elif b0 == b1:
            deleted[a0:a1] = b"\1" * (a1 - a0)
        else:
            i, j, exact_low, exact_high = _cut(a, b, a0, a1, b0, b1, exact, give_up, ctx)
            boxes.append((i, a1, j, b1, exact_high))
            boxes.append((a0, i, b0, j, exact_low))
    return deleted, inserted


def _cut(
    a: list[int], b: list[int], a0: int, a1: int, b0: int, b1: int, exact: bool, give_up: int, ctx: Context
) -> Cut:
    """The point at which a good script passes through the box, and whether each half still has to be solved exactly.

    Both sides of the box are copied between sentinels that equal nothing, so that no step has to check the bounds;
    lines count from 1 then, and 0 is a sentinel. `ahead` holds, for each diagonal d at d + shift, the line of the first
    side that the forward search has to look at next, `back` the same for the search from the end.
    """
    rows, columns = a1 - a0, b1 - b0
    pad = min(rows + columns, _FAR if exact else 2 * give_up) // 2 + 4
    shift = columns + 1
    one = [-1, *a[a0:a1], *[-1] * pad]
    two = [-2, *b[b0:b1], *[-2] * pad]
    turned = two[shift:] + two[:shift]  # turned[x - at] is two[x - d] where at = d + shift
    sides = (one, two, shift)
    last = rows - columns
    odd = last & 1
    low, high = 1, rows + columns + 1  # the outermost diagonals
    f_low = f_high = shift
    b_low = b_high = last + shift
    ahead = [0] * (rows + columns + 3)
    back = [0] * (rows + columns + 3)
    ahead[shift] = 1
    back[last + shift] = rows
    most = rows + columns
    # Tables cannot find snakes; git looks for these only in very long lists.
    table_from = worth_from(rows, columns, exact) if exact or give_up <= _HEURISTIC_FROM else 0
    cost = 0
    tick = ctx.tick
    while True:
        if cost == table_from > 0:
            i, j, exact_low, exact_high = cut_by_table(a[a0:a1], b[b0:b1], exact, give_up, ctx)
            return a0 + i, b0 + j, exact_low, exact_high
        cost += 1
        tick()
        if not cost & 255:
            ctx.check()

        if f_low > low:
            f_low -= 1
            ahead[f_low - 1] = -1
        else:
            f_low += 1
        if f_high < high:
            f_high += 1
            ahead[f_high + 1] = -1
        else:
            f_high -= 1
        long_snake = False
        above = ahead[f_high + 1]
        for at in range(f_high, f_low - 1, -2):
            below = ahead[at - 1]
            x = below + 1 if below >= above else above
            above = below
            if one[x] == turned[x - at]:
                start = x
                x += 1
                while one[x] == turned[x - at]:
                    x += 1
                    if x - start == _SHORT:
                        x += same_ahead(one, two, x, x - at + shift, most)
                        break
                if x - start > _SNAKE:
                    long_snake = True
            ahead[at] = x
        if odd:
            bottom = f_low if f_low > b_low else b_low
            top = f_high if f_high < b_high else b_high
            if any(map(lt, back[bottom : top + 1 : 2], ahead[bottom : top + 1 : 2])):
                at = _meeting(ahead, back, top)
                x = ahead[at]
                return a0 + x - 1, b0 + x - 1 - at + shift, True, True

        if b_low > low:
            b_low -= 1
            back[b_low - 1] = _FAR
        else:
            b_low += 1
        if b_high < high:
            b_high += 1
            back[b_high + 1] = _FAR
        else:
            b_high -= 1
        above = back[b_high + 1]
        for at in range(b_high, b_low - 1, -2):
            below = back[at - 1]
            x = below if below < above else above - 1
            above = below
            if one[x] == turned[x - at]:
                start = x
                x -= 1
                while one[x] == turned[x - at]:
                    x -= 1
                    if start - x == _SHORT:
                        x -= same_back(one, two, x + 1, x - at + shift + 1, min(x, x - at + shift))
                        break
                if start - x > _SNAKE:
                    long_snake = True
            back[at] = x
        if not odd:
            bottom = f_low if f_low > b_low else b_low
            top = f_high if f_high < b_high else b_high
            if any(map(lt, back[bottom : top + 1 : 2], ahead[bottom : top + 1 : 2])):
                at = _meeting(ahead, back, top)
                x = back[at]
                return a0 + x, b0 + x - at + shift, True, True

        if exact:
            continue
        cut = None
        if long_snake and cost > _HEURISTIC_FROM:
            cut = _snake_ahead(sides, rows, columns, range(f_high, f_low - 1, -2), ahead, cost)
            if cut is None:
                cut = _snake_back(sides, rows, columns, range(b_high, b_low - 1, -2), back, cost)
        if cut is None and cost >= give_up:
            forward, backward = range(f_high, f_low - 1, -2), range(b_high, b_low - 1, -2)
            cut = _furthest(rows, columns, forward, backward, ahead, back, shift)
        if cut is not None:
            return a0 + cut[0], b0 + cut[1], cut[2], cut[3]


def _meeting(ahead: list[int], back: list[int], high: int) -> int:
    """The highest diagonal, from `high` down, on which the searches have met."""
    while back[high] >= ahead[high]:
        high -= 2
    return high


def same_ahead(a: Sequence[Any], b: Sequence[Any], i: int, j: int, most: int) -> int:
    """The number of equal lines from i and j on, at most `most`; long runs are compared by slices."""
    got = 0
    while got < most and a[i + got] == b[j + got]:
        got += 1
        if got == _SHORT:
            step = _SHORT
            while got + step <= most and a[i + got : i + got + step] == b[j + got : j + got + step]:
                got += step
                step *= 2
            while step > _SHORT:
                step >>= 1
                if got + step <= most and a[i + got : i + got + step] == b[j + got : j + got + step]:
                    got += step
            while got < most and a[i + got] == b[j + got]:
                got += 1
            break
    return got


def same_back(a: Sequence[Any], b: Sequence[Any], i: int, j: int, most: int) -> int:
    """The number of equal lines before i and j, at most `most`."""
    got = 0
    while got < most and a[i - got - 1] == b[j - got - 1]:
        got += 1
        if got == _SHORT:
            step = _SHORT
            while got + step <= most and a[i - got - step : i - got] == b[j - got - step : j - got]:
                got += step
                step *= 2
            while step > _SHORT:
                step >>= 1
                if got + step <= most and a[i - got - step : i - got] == b[j - got - step : j - got]:
                    got += step
            while got < most and a[i - got - 1] == b[j - got - 1]:
                got += 1
            break
    return got


def _snake_ahead(sides: _Sides, rows: int, columns: int, diagonals: range, ahead: list[int], cost: int) -> Cut | None:
    """The most promising diagonal of the forward search that ends in a long snake."""
    one, two, shift = sides
    best = 0
    cut: Cut | None = None
    for at in diagonals:
        i = ahead[at] - 1
        j = i - at + shift
        value = i + j - abs(at - shift)
        if value <= max(_PROGRESS * cost, best) or not (_SNAKE <= i < rows and _SNAKE <= j < columns):
            continue
        if one[i + 1 - _SNAKE : i + 1] == two[j + 1 - _SNAKE : j + 1]:
            best = value
            cut = (i, j, True, False)
    return cut


def _snake_back(sides: _Sides, rows: int, columns: int, diagonals: range, back: list[int], cost: int) -> Cut | None:
    """The most promising diagonal of the backward search that ends in a long snake."""
    one, two, shift = sides
    best = 0
    cut: Cut | None = None
    for at in diagonals:
        i = back[at]
        j = i - at + shift
        value = (rows - i) + (columns - j) - abs(at - shift - rows + columns)
        if value <= max(_PROGRESS * cost, best) or not (0 < i <= rows - _SNAKE and 0 < j <= columns - _SNAKE):
            continue
        if one[i + 1 : i + 1 + _SNAKE] == two[j + 1 : j + 1 + _SNAKE]:
            best = value
            cut = (i, j, False, True)
    return cut


def _furthest(
    rows: int, columns: int, forward: range, backward: range, ahead: list[int], back: list[int], shift: int
) -> Cut:
    """The search gives up: the point furthest from its corner, of either search."""
    best_sum = best_at = -1
    for at in forward:
        i = min(ahead[at] - 1, rows)
        j = i - at + shift
        if j > columns:
            i, j = columns + at - shift, columns
        if i + j > best_sum:
            best_sum, best_at = i + j, i
    least_sum = least_at = _FAR
    for at in backward:
        i = max(0, back[at])
        j = i - at + shift
        if j < 0:
            i, j = at - shift, 0
        if i + j < least_sum:
            least_sum, least_at = i + j, i
    if (rows + columns) - least_sum < best_sum:
        return best_at, best_sum - best_at, True, False
    return least_at, least_sum - least_at, False, True
