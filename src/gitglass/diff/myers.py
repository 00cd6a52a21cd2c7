"""Myers' shortest edit script, from both ends at once, giving up where git's does.

The result must be the very script git finds, not just *a* shortest one, so the order in which diagonals are tried and
the two escapes from quadratic work are git's: a long enough snake found late is taken as the middle, and beyond a cost
the furthest point reached is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..limits import Context

__all__ = ["mark_changes", "rough_sqrt", "same_ahead", "same_back"]

_SNAKE = 20  # equal lines in a row that make a snake worth taking
_HEURISTIC_FROM = 256  # edit cost from which snakes are looked for
_MIN_GIVE_UP = 256  # edit cost below which the search never gives up
_PROGRESS = 4  # a snake counts when the way to it is this many times longer than the cost so far
_FAR = 1 << 60
_SHORT = 8  # equal lines from which runs are compared by slices

_Cut = tuple[int, int, bool, bool]


def rough_sqrt(n: int) -> int:
    """A power of two near the square root: what git takes for one."""
    root = 1
    while n > 0:
        root <<= 1
        n >>= 2
    return root


def mark_changes(a: list[int], b: list[int], minimal: bool, ctx: Context) -> tuple[bytearray, bytearray]:
    """Mark what of `a` is deleted and what of `b` is inserted, as two arrays of 0 and 1.

    With `minimal` the script is the shortest there is (`--minimal`).
    """
    gone = bytearray(len(a))
    come = bytearray(len(b))
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
            come[b0:b1] = b"\1" * (b1 - b0)
        elif b0 == b1:
            gone[a0:a1] = b"\1" * (a1 - a0)
        else:
            i, j, exact_low, exact_high = _cut(a, b, a0, a1, b0, b1, exact, give_up, ctx)
            boxes.append((i, a1, j, b1, exact_high))
            boxes.append((a0, i, b0, j, exact_low))
    return gone, come


def _cut(
    a: list[int], b: list[int], a0: int, a1: int, b0: int, b1: int, exact: bool, give_up: int, ctx: Context
) -> _Cut:
    """Where a good script passes through the box, and whether each half has still to be solved exactly.

    `ahead[d]` is how far into `a` the forward search has come on diagonal d (= i - j), `back[d]` the same for the
    search from the end. Both arrays are shifted so that the lowest diagonal has index 1.
    """
    low = a0 - b1
    high = a1 - b0
    shift = 1 - low
    first = a0 - b0
    last = a1 - b1
    odd = (first - last) & 1
    f_low = f_high = first
    b_low = b_high = last
    size = high - low + 3
    ahead = [0] * size
    back = [0] * size
    ahead[first + shift] = a0
    back[last + shift] = a1
    cost = 0
    tick = ctx.tick
    while True:
        cost += 1
        tick()
        long_snake = False

        if f_low > low:
            f_low -= 1
            ahead[f_low - 1 + shift] = -1
        else:
            f_low += 1
        if f_high < high:
            f_high += 1
            ahead[f_high + 1 + shift] = -1
        else:
            f_high -= 1
        for d in range(f_high, f_low - 1, -2):
            at = d + shift
            i = ahead[at + 1]
            below = ahead[at - 1]
            if below >= i:
                i = below + 1
            j = i - d
            if i < a1 and j < b1 and a[i] == b[j]:
                snake = same_ahead(a, b, i, j, a1 - i if a1 - i < b1 - j else b1 - j)
                i += snake
                j += snake
                if snake > _SNAKE:
                    long_snake = True
            ahead[at] = i
            if odd and b_low <= d <= b_high and back[at] <= i:
                return i, j, True, True

        if b_low > low:
            b_low -= 1
            back[b_low - 1 + shift] = _FAR
        else:
            b_low += 1
        if b_high < high:
            b_high += 1
            back[b_high + 1 + shift] = _FAR
        else:
            b_high -= 1
        for d in range(b_high, b_low - 1, -2):
            at = d + shift
            i = back[at - 1]
            above = back[at + 1]
            if i >= above:
                i = above - 1
            j = i - d
            if i > a0 and j > b0 and a[i - 1] == b[j - 1]:
                snake = same_back(a, b, i, j, i - a0 if i - a0 < j - b0 else j - b0)
                i -= snake
                j -= snake
                if snake > _SNAKE:
                    long_snake = True
            back[at] = i
            if not odd and f_low <= d <= f_high and i <= ahead[at]:
                return i, j, True, True

        if exact:
            continue
        if long_snake and cost > _HEURISTIC_FROM:
            cut = _snake_ahead(a, b, (a0, a1, b0, b1), range(f_high, f_low - 1, -2), ahead, shift, cost, first)
            if cut is None:
                cut = _snake_back(a, b, (a0, a1, b0, b1), range(b_high, b_low - 1, -2), back, shift, cost, last)
            if cut is not None:
                return cut
        if cost >= give_up:
            return _furthest(
                (a0, a1, b0, b1), range(f_high, f_low - 1, -2), range(b_high, b_low - 1, -2), ahead, back, shift
            )


def same_ahead(a: list[int], b: list[int], i: int, j: int, most: int) -> int:
    """How many lines are equal from i and j on, at most `most`; long runs are compared by slices."""
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


def same_back(a: list[int], b: list[int], i: int, j: int, most: int) -> int:
    """The same for the lines before i and j."""
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


def _snake_ahead(
    a: list[int],
    b: list[int],
    box: tuple[int, int, int, int],
    diagonals: range,
    ahead: list[int],
    shift: int,
    cost: int,
    first: int,
) -> _Cut | None:
    """The most promising diagonal of the forward search that ends in a long snake."""
    a0, a1, b0, b1 = box
    best = 0
    cut: _Cut | None = None
    for d in diagonals:
        i = ahead[d + shift]
        j = i - d
        value = (i - a0) + (j - b0) - abs(d - first)
        if value <= max(_PROGRESS * cost, best) or not (a0 + _SNAKE <= i < a1 and b0 + _SNAKE <= j < b1):
            continue
        if a[i - _SNAKE : i] == b[j - _SNAKE : j]:
            best = value
            cut = (i, j, True, False)
    return cut


def _snake_back(
    a: list[int],
    b: list[int],
    box: tuple[int, int, int, int],
    diagonals: range,
    back: list[int],
    shift: int,
    cost: int,
    last: int,
) -> _Cut | None:
    """The same for the search from the end."""
    a0, a1, b0, b1 = box
    best = 0
    cut: _Cut | None = None
    for d in diagonals:
        i = back[d + shift]
        j = i - d
        value = (a1 - i) + (b1 - j) - abs(d - last)
        if value <= max(_PROGRESS * cost, best) or not (a0 < i <= a1 - _SNAKE and b0 < j <= b1 - _SNAKE):
            continue
        if a[i : i + _SNAKE] == b[j : j + _SNAKE]:
            best = value
            cut = (i, j, False, True)
    return cut


def _furthest(
    box: tuple[int, int, int, int], forward: range, backward: range, ahead: list[int], back: list[int], shift: int
) -> _Cut:
    """Enough time spent: the point furthest from its corner, whichever search reached it."""
    a0, a1, b0, b1 = box
    best_sum = best_at = -1
    for d in forward:
        i = min(ahead[d + shift], a1)
        j = i - d
        if j > b1:
            i, j = b1 + d, b1
        if i + j > best_sum:
            best_sum, best_at = i + j, i
    least_sum = least_at = _FAR
    for d in backward:
        i = max(a0, back[d + shift])
        j = i - d
        if j < b0:
            i, j = b0 + d, b0
        if i + j < least_sum:
            least_sum, least_at = i + j, i
    if (a1 + b1) - least_sum < best_sum - (a0 + b0):
        return best_at, best_sum - best_at, True, False
    return least_at, least_sum - least_at, False, True
