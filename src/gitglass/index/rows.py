"""Cuts the entries of an index file with regular expressions, one stretch of the file at a time.

It reads version 2 without extended flags, which git usually writes: a fixed part, the path, and one to eight zero bytes
up to a multiple of eight. Each column is made by one call for thousands of entries, and only on first use. A file that
differs from this form in any byte is left to the reader that goes entry by entry (`index/parse.py`).

Mirrors gitformat-index(5), "Index entry".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from io import BytesIO
from itertools import chain, repeat
from operator import itemgetter

from ..deferred import lazy_pattern
from ..errors import Corrupt
from ..limits import pause, step
from ..records import record

_STRETCH = 1 << 17
_MANY = 1 << 16
_NEAR = 1 << 11  # rows that stay in the processor's cache while each of their bytes is taken in turn
_BLOCK = 8  # entries that one match takes, since a match costs more than the groups in it
_MANY_ENTRIES = 1 << 12  # number of entries from which on that is worth the longer pattern

# In an entry the byte with the type of the file, and the first byte of flags: of a regular file or a link, without the
# bits for a conflict, for a file that is assumed to be unchanged, and for extended flags; and without the last only.
_USUAL = rb"[\x80-\x8f\xa0-\xaf]", rb"[\x00-\x0f]"
_SHORT = rb".", rb"[\x00-\x3f\x80-\xbf]"
_SIZES = (62, 74)  # of an entry's fixed part, as object names have 20 or 32 bytes


def _padded(fixed: int, kind: bytes, flags: bytes, block: int) -> re.Pattern[bytes]:
    """A pattern for the paths of so many entries with their padding; where these do not follow, the last group takes
    the rest, so that `findall` skips nothing. It gives no byte back and takes linear time."""
    entry = b".{26}%b.{%d}%b.([^\\0]*+\\0{1,8}+)" % (kind, fixed - 29, flags)
    return lazy_pattern(entry * block + b"|(.+)", re.DOTALL)


#: by the length of the fixed part and the number of entries, each with whether the entries are usual ones
_PADDED = {
    (fixed, block): [(form is _USUAL, _padded(fixed, *form, block)) for form in (_USUAL, _SHORT)]
    for fixed in _SIZES
    for block in (_BLOCK, 1)
}
_FIXED = {
    fixed: lazy_pattern(b"|".join(rb"(.{%d})[^\0]*+\0{1,8}+" % fixed * block for block in (_BLOCK, 1)), re.DOTALL)
    for fixed in _SIZES
}


@record
class Rows:
    """The entries of an index file.

    `stretches` are parts of the file, of whole entries: the start and end of each, and the number of entries before it.
    `usual`: each of them is a regular file or a link, and none is in conflict, or assumed to be unchanged.
    """

    data: bytes
    fixed: int
    stretches: list[tuple[int, int, int]]
    usual: bool = True

    def stretch_of(self, position: int) -> int:
        """The number of the stretch that an entry is in."""
        return max(bisect_right(self.stretches, position, key=itemgetter(2)) - 1, 0)

    def fixed_within(self, start: int, end: int) -> bytes:
        """The fixed parts of the entries in a part of the file, side by side."""
        return b"".join(chain.from_iterable(_FIXED[self.fixed].findall(self.data, start, end)))

    def fixed_parts(self) -> bytes:
        """The fixed parts of all entries, side by side."""
        parts = BytesIO()  # which grows where it is: a join would need as much memory again
        for part in self.fixed_stretches():
            parts.write(part)
        return parts.getvalue()

    def fixed_stretches(self) -> Iterator[bytes]:
        """The same in parts, of some thousands of entries each."""
        for start, end, _ in self.stretches:
            pause()
            yield self.fixed_within(start, end)


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
    last = len(data) - hash_len
    rows = Rows(data, fixed, [])
    paths: list[bytes] = []
    start = 12
    while len(paths) < count:
        pause()
        end = data.rfind(b"\0", start, min(start + _STRETCH, last)) + 1
        pieces, stop = _pieces(rows, start, end, many=count > _MANY_ENTRIES)
        over = pieces[count - len(paths) :]
        if not over and stop == end < last:
            over = pieces[-1:]  # the padding of this path may go on in the next stretch
        if over:
            del pieces[-len(over) :]
            stop -= fixed * len(over) + sum(map(len, over))
        if not pieces or any((fixed + length) & 7 for length in set(map(len, pieces))):
            return None
        rows.stretches.append((start, stop, len(paths)))
        paths += pieces
        start = stop
    return (paths, rows, start) if start <= last else None


def _pieces(rows: Rows, start: int, end: int, *, many: bool) -> tuple[list[bytes], int]:
    """The paths with their padding of the first entries in a part of the file, and the end of these; none if the first
    entry is unusual."""
    for block in (_BLOCK, 1) if many else (1,):
        for usual, pattern in _PADDED[rows.fixed, block]:
            pieces = list(chain.from_iterable(pattern.findall(rows.data, start, end)))
            rest = pieces[-1:]
            del pieces[block :: block + 1]
            if rest and rest[0]:
                del pieces[-block:]
            if pieces:
                rows.usual &= usual
                return pieces, end - len(rest[0])
    return [], start


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
