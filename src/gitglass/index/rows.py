"""Cuts the entries of an index file with regular expressions, one stretch of the file at a time.

It reads version 2 without extended flags, which git usually writes: a fixed part, the path, and one to eight zero bytes
up to a multiple of eight. Each column is made by one call for thousands of entries, and only on first use. A file that
differs from this form in any byte is left to the reader that goes entry by entry (`index/parse.py`).

Mirrors gitformat-index(5), "Index entry".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from itertools import repeat

from ..deferred import lazy_pattern
from ..errors import Corrupt
from ..limits import pause, step
from ..records import record

_STRETCH = 1 << 17
_MANY = 1 << 16
_NEAR = 1 << 11  # rows that stay in the processor's cache while each of their bytes is taken in turn
_EXTENDED = rb"[\x00-\x3f\x80-\xbf]"  # the first byte of flags without the bit for extended flags


# An entry's pattern matches wherever its fixed part and a zero byte follow, so that `findall` skips nothing.
#: by the length of an entry's fixed part, as object names have 20 or 32 bytes: the path with its padding; empty if
#: the entry has extended flags
_PADDED = {
    fixed: lazy_pattern(b".{%d}(?:%b.([^\\0]*+\\0{1,8}))?+" % (fixed - 2, _EXTENDED), re.DOTALL) for fixed in (62, 74)
}
_FIXED = {fixed: lazy_pattern(rb"(.{%d}..)[^\0]*+\0{1,8}" % (fixed - 2), re.DOTALL) for fixed in (62, 74)}


@record
class Rows:
    """The entries of an index file.

    `stretches` are parts of the file: the start and end of each, and the number of entries that begin in it.
    """

    data: bytes
    fixed: int
    stretches: list[tuple[int, int, int]]

    def fixed_parts(self) -> bytes:
        """The fixed parts of all entries, side by side."""
        parts = BytesIO()  # which grows where it is: a join would need as much memory again
        for part in self.fixed_stretches():
            parts.write(part)
        return parts.getvalue()

    def fixed_stretches(self) -> Iterator[bytes]:
        """The same in parts, of some thousands of entries each."""
        find = _FIXED[self.fixed].findall
        for start, end, count in self.stretches:
            pause()
            yield b"".join(find(self.data, start, end)[:count])


def gathered(fixed: bytes, at: int, size: int, width: int) -> bytes:
    """The `size` bytes at offset `at` of every row of a table whose rows have `width` bytes each."""
    columns: list[bytearray] = []
    for start in range(0, len(fixed), _NEAR * width):
        stretch = fixed[start : start + _NEAR * width]
        column = bytearray(len(stretch) // width * size)
        for byte in range(size):
            column[byte::size] = stretch[at + byte :: width]
        columns.append(column)
    return b"".join(columns)


def joined(pieces: list[bytes], between: bytes) -> bytes:
    """`between.join(pieces)` for very many pieces. A join uses eighty bytes of bookkeeping for each piece, in new
    memory if that is more than was freed before; in smaller batches the same memory is used again."""
    return between.join([between.join(pieces[start : start + _NEAR]) for start in range(0, len(pieces), _NEAR)])


def without_padding(padded: list[bytes]) -> list[bytes]:
    """Paths without the zero bytes that follow them in the file."""
    paths: list[bytes] = []
    for start in range(0, len(padded), _MANY):
        pause()
        paths += map(bytes.rstrip, padded[start : start + _MANY], repeat(b"\0"))
    return paths


def ending(padded: list[bytes], tail: bytes) -> list[bytes]:
    """Those paths that end so, without the zero bytes that stand behind all of them."""
    if not tail:
        return without_padding(padded)
    chosen = list[bytes]()
    for start in range(0, len(padded), _NEAR):
        step()
        # all that ends with the tail and a zero byte: such a path begins behind the last zero byte
        pieces = b"\0".join(padded[start : start + _NEAR]).split(tail + b"\0")
        del pieces[-1]
        chosen += [piece[piece.rfind(b"\0") + 1 :] + tail for piece in pieces]
    return chosen


def cut_rows(data: bytes, count: int, hash_len: int) -> tuple[list[bytes], Rows, int] | None:
    """The paths of an index file's entries with their padding, the other parts of the entries, and the end of the
    entries; None if any entry is unusual.

    The clock is looked at after each megabyte.
    """
    fixed = 42 + hash_len
    find, last = _PADDED[fixed].findall, len(data) - hash_len
    rows = Rows(data, fixed, [])
    paths: list[bytes] = []
    start = 12
    while len(paths) < count:
        pause()
        # ends at a zero byte, so that no match runs into the end of the stretch and none is tried twice
        end = data.rfind(b"\0", start, min(start + _STRETCH, last)) + 1
        pieces = find(data, start, end)
        if pieces and end < last and len(paths) + len(pieces) <= count:
            pieces.pop()  # the padding of this path may go on in the next stretch
        del pieces[count - len(paths) :]
        lengths = list(map(len, pieces))
        if not pieces or any((fixed + length) & 7 for length in set(lengths)):
            return None
        rows.stretches.append((start, end, len(pieces)))
        paths += pieces
        start += fixed * len(pieces) + sum(lengths)
    return (paths, rows, start) if start <= last else None


def variable_number(data: bytes, position: int) -> tuple[int, int]:
    """A number whose bytes continue while the top bit is set; each further byte adds one (the offset encoding of
    packs)."""
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
