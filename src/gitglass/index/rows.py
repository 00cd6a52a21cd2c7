"""The entries of an index file cut out by regular expressions, a stretch of the file at a time.

For version 2 without extended flags, which is what git writes as a rule: a fixed part, the path, and one to eight zero
bytes up to a multiple of eight. Each column is made by one call for thousands of entries, and only when it is asked
for. Whatever does not have this form to the byte is left to the reader that goes entry by entry (`index/index.py`).

Mirrors gitformat-index(5), "Index entry".
"""

from __future__ import annotations

import re
from itertools import repeat

from ..deferred import lazy_pattern
from ..errors import Corrupt
from ..limits import pause
from ..records import record

_STRETCH = 1 << 20
_MANY = 1 << 16
_NEAR = 1 << 11  # rows that stay in the processor's own memory while each of their bytes is taken in turn
_EXTENDED = rb"[\x00-\x3f\x80-\xbf]"  # the first byte of flags without the bit for more of them


# An entry's pattern fits wherever its fixed part and a zero byte follow, so that `findall` passes over nothing.
#: by the length of an entry's fixed part, as object names have 20 or 32 bytes: the path with its padding, nothing where
#: there are extended flags
_PADDED = {
    fixed: lazy_pattern(b".{%d}(?:%b.([^\\0]*+\\0{1,8}))?+" % (fixed - 2, _EXTENDED), re.DOTALL) for fixed in (62, 74)
}
_FIXED = {fixed: lazy_pattern(rb"(.{%d}..)[^\0]*+\0{1,8}" % (fixed - 2), re.DOTALL) for fixed in (62, 74)}


@record
class Rows:
    """The entries of an index file.

    `stretches` are parts of the file: where a part begins and ends, and how many entries begin in it.
    """

    data: bytes
    fixed: int
    stretches: list[tuple[int, int, int]]

    def fixed_parts(self) -> bytes:
        """The fixed parts of all entries, side by side."""
        find, parts = _FIXED[self.fixed].findall, list[bytes]()
        for start, end, count in self.stretches:
            pause()
            parts.append(b"".join(find(self.data, start, end)[:count]))
        return b"".join(parts)


def gathered(fixed: bytes, at: int, size: int, width: int) -> bytes:
    """The `size` bytes from `at` on of every row of a table, whose rows are `width` bytes each."""
    columns: list[bytearray] = []
    for start in range(0, len(fixed), _NEAR * width):
        stretch = fixed[start : start + _NEAR * width]
        column = bytearray(len(stretch) // width * size)
        for byte in range(size):
            column[byte::size] = stretch[at + byte :: width]
        columns.append(column)
    return b"".join(columns)


def joined(pieces: list[bytes], between: bytes) -> bytes:
    """`between.join(pieces)` for very many: a join notes eighty bytes about each piece, in fresh memory where these are
    more than what was freed before; taken by the thousand, that memory is used again."""
    return between.join([between.join(pieces[start : start + _NEAR]) for start in range(0, len(pieces), _NEAR)])


def without_padding(padded: list[bytes]) -> list[bytes]:
    """Paths without the zero bytes that stand behind them."""
    paths: list[bytes] = []
    for start in range(0, len(padded), _MANY):
        pause()
        paths += map(bytes.rstrip, padded[start : start + _MANY], repeat(b"\0"))
    return paths


def cut_rows(data: bytes, count: int, hash_len: int) -> tuple[list[bytes], Rows, int] | None:
    """The paths of an index file's entries with their padding, what else they hold, and where they end; None where any
    entry is unusual.

    The clock is looked at after each megabyte.
    """
    fixed = 42 + hash_len
    find, last = _PADDED[fixed].findall, len(data) - hash_len
    rows = Rows(data, fixed, [])
    paths: list[bytes] = []
    start = 12
    while len(paths) < count:
        pause()
        # up to a zero byte, so that no try to match runs into the end of the stretch and no try is made twice
        end = data.rfind(b"\0", start, min(start + _STRETCH, last)) + 1
        pieces = find(data, start, end)
        if pieces and end < last and len(paths) + len(pieces) <= count:
            pieces.pop()  # its padding may go on in the next stretch
        del pieces[count - len(paths) :]
        lengths = list(map(len, pieces))
        if not pieces or any((fixed + length) & 7 for length in set(lengths)):
            return None
        rows.stretches.append((start, end, len(pieces)))
        paths += pieces
        start += fixed * len(pieces) + sum(lengths)
    return (paths, rows, start) if start <= last else None


def variable_number(data: bytes, position: int) -> tuple[int, int]:
    """A number whose bytes continue while the top bit is set, each step adding one."""
    byte = data[position]
    position += 1
    value = byte & 0x7F
    while byte & 0x80:
        if value > 1 << 40 or position >= len(data):
            raise Corrupt("index file corrupt")
        byte = data[position]
        position += 1
        value = (value + 1 << 7) | byte & 0x7F
    return value, position
