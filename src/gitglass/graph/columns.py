"""A commit-graph as one array for each fact: first parents, second parents, commit times and levels by position.

A walk over a long history reads each commit once, in an order that jumps about in the file. An array with four bytes a
commit fits in the processor's cache, unlike rows and objects made from them; and arrays are filled for thousands of
commits at a time.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable

from .positions import MORE, NONE, Positions

ONE = NONE  # in the column of second parents: the first parent is the only one
OTHER = MORE  # no parents, more than two, or a broken row: the walk has to read the row itself

#: first parents, second parents, commit times (modulo 2**32 before 2106), levels times four plus two bits of the time
Columns = tuple["array[int]", "array[int]", "array[int]", "array[int]"]

_STEP = 1 << 12  # rows at a time: they stay in the processor's cache while they are split
_NO_PARENT = bytes([NONE >> 24])  # the first byte of the value for "no parent"; no position begins with it
_TIME_BITS = bytes(byte & 3 for byte in range(256))  # the time bits in the byte that the level shares with the time


def columns_of(positions: Positions, check: Callable[[], None]) -> Columns | None:
    """First parents, second parents, commit times and levels by position; None if the table of rows is not held in
    memory.

    First parents are positions. If the second parent is neither ONE nor a position, the caller has to read the row.
    Raises BrokenGraph if the graph is too short.
    """
    rows, outside = positions.tables()
    if rows is None:
        return None
    size, width = positions.size, positions.width
    first, second, times, levels = array("I"), array("I"), array("I"), array("I")
    words, at = size // 4, width // 4
    for start in range(0, len(rows), _STEP * size):
        check()
        piece = bytes(rows[start : start + _STEP * size])
        part = array("I", piece)
        if sys.byteorder == "little":
            part.byteswap()
        first += part[at::words]
        second += part[at + 1 :: words]
        levels += part[at + 2 :: words]
        root = piece[width::size].find(_NO_PARENT)
        while root >= 0:
            first[start // size + root], second[start // size + root] = 0, OTHER
            root = piece[width::size].find(_NO_PARENT, root + 1)
        late = piece[width + 11 :: size].translate(_TIME_BITS)
        if times.typecode == "I" and late.count(0) < len(late):  # a time after the year 2106
            times = array("Q", times)
        if times.typecode == "I":
            times += part[at + 3 :: words]
        else:
            times.extend(high << 32 | low for high, low in zip(late, part[at + 3 :: words], strict=True))
    if times.typecode == "I" and any(row[2] >> 32 & 3 for row in outside):
        times = array("Q", times)
    for first_parent, second_parent, packed in outside:
        first.append(0 if first_parent == NONE else first_parent)
        second.append(OTHER if first_parent == NONE else second_parent)
        times.append(packed & (1 << 34) - 1)
        levels.append(packed >> 32)
    if max(first, default=0) >= len(first):  # whoever reads the broken row reports it
        for at, parent in enumerate(first):
            if parent >= len(first):
                first[at], second[at] = 0, OTHER
    return first, second, times, levels
