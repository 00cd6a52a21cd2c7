"""The length of the longest common subsequence of two lists, without finding the subsequence.

Counting changed lines needs no edit script. For few differences Myers' greedy search finds the length of the
shortest script in steps that grow with the square of the differences, not with the lists; for many, Hyyrö's
bit-parallel form of the classic table keeps one of its rows in one big integer, so that a row costs four operations.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ...annotations import TYPE_CHECKING, TypeVar
from ...deferred import deferred

if TYPE_CHECKING:
    from ...limits import Context
    from .myers import same_ahead, same_back
else:
    same_ahead, same_back = deferred(__name__, ".myers", "same_ahead", "same_back")


__all__ = ["TooLong", "edit_distance"]

Item = TypeVar("Item", bound=Hashable)

_WIDEST = 8192  # items of the list that is kept in bits: bounds the memory for the masks
_BATCH = 256


class TooLong(Exception):
    """Both lists are too long for a table to be worth its cost."""


def edit_distance(a: Sequence[Item], b: Sequence[Item], ctx: Context) -> int:
    """The least number of items to delete and insert in order to turn `a` into `b`."""
    size = min(len(a), len(b))
    head = same_ahead(a, b, 0, 0, size)
    tail = same_back(a, b, len(a), len(b), size - head)
    if head + tail == size:  # one list is exhausted
        return abs(len(a) - len(b))
    one, two = a[head : len(a) - tail], b[head : len(b) - tail]
    if len(one) > len(two):
        one, two = two, one
    limit = len(two) // 40 + 8
    distance = _greedy(one, two, limit, ctx) if len(two) - len(one) <= limit else -1
    if distance >= 0:
        return distance
    if len(two) > _WIDEST:
        raise TooLong
    return len(one) + len(two) - 2 * _common(one, two, ctx)


def _greedy(a: Sequence[Item], b: Sequence[Item], limit: int, ctx: Context) -> int:
    """The edit distance by Myers' forward search (`a` is not the longer one); -1 when it is above `limit`."""
    rows, columns = len(a), len(b)
    goal = rows - columns
    middle = limit + 1
    furthest = [-1] * (2 * limit + 3)  # diagonal k: how far down `a` the search has got there, at k + middle
    furthest[middle + 1] = 0
    low, high = -limit, limit
    for cost in range(limit + 1):
        ctx.tick()
        low = max(-cost, -columns + ((cost + columns) & 1))
        high = min(cost, rows - ((cost + rows) & 1))
        for k in range(low, high + 1, 2):
            below = furthest[middle + k - 1] + 1
            above = furthest[middle + k + 1]
            x = below if below > above else above
            y = x - k
            if x < rows and y < columns and a[x] == b[y]:
                x += same_ahead(a, b, x, y, min(rows - x, columns - y))
            furthest[middle + k] = x
        if low <= goal <= high and furthest[middle + goal] >= rows:
            return cost
    return -1


def _common(a: Sequence[Item], b: Sequence[Item], ctx: Context) -> int:
    """The length of the longest common subsequence. Column j of the table's row is bit j: 0 where the row rises."""
    masks = dict.fromkeys(a, 0)
    bit = 1
    for item in b:
        if item in masks:
            masks[item] |= bit
        bit <<= 1
    all_bits = row = bit - 1
    for start in range(0, len(a), _BATCH):
        ctx.tick()
        for mask in map(masks.__getitem__, a[start : start + _BATCH]):
            hits = row & mask
            if hits:
                row = (row + hits) | (row ^ hits)
    return (all_bits & ~row).bit_count()
