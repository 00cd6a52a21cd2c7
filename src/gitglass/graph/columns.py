"""What a commit-graph knows of all its commits, as one array for each fact: parents and commit time by position.

A walk over a long history looks at each commit once, in an order that jumps about the file. An array of four bytes a
commit stays in the processor's cache where rows, and objects made of them, do not; and it is made by the thousand.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable

from .positions import MORE, NONE, Positions

ONE = NONE  # in the column of second parents: the first is the only one
OTHER = MORE  # none, more than two, or a row that is broken: the walk asks for the row itself

#: first parents, second parents, commit times, and levels times four, with two bits of the time
Columns = tuple["array[int]", "array[int]", "array[int]", "array[int]"]

_STEP = 1 << 12  # rows at a time: they stay in the processor's cache while they are taken apart
_NO_PARENT = bytes([NONE >> 24])  # the first byte of what stands for no parent, and of no position
_TIME_BITS = bytes(byte & 3 for byte in range(256))  # of the byte that the level shares with the time


def columns_of(positions: Positions, check: Callable[[], None]) -> Columns | None:
    """First parents, second parents, commit times and levels by position; None where the table of rows is not held in
    memory.

    First parents are positions; where the second is neither ONE nor a position, the row has to be asked. Raises
    BrokenGraph where the graph is too short.
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
        if times.typecode == "I" and late.count(0) < len(late):  # after the year 2106
            times = array("Q", times)
        if times.typecode == "I":
            times += part[at + 3 :: words]
        else:
            times.extend(high << 32 | low for high, low in zip(late, part[at + 3 :: words], strict=True))
    if times.typecode == "I" and any(row[2] >> 32 & 3 for row in outside):
        times = array("Q", times)
    for one, two, packed in outside:
        first.append(0 if one == NONE else one)
        second.append(OTHER if one == NONE else two)
        times.append(packed & (1 << 34) - 1)
        levels.append(packed >> 32)
    if max(first, default=0) >= len(first):  # where the row is broken, it is asked, and says so
        for at, parent in enumerate(first):
            if parent >= len(first):
                first[at], second[at] = 0, OTHER
    return first, second, times, levels
