"""Commits that follow in a pack, read before they are asked for.

git writes the commits of a pack one after the other, nearly in the order in which a walk asks for them. Once a walk has
read many commits of a pack one by one, reading the next ones together takes less: no look-up for each, and the headers
are decoded by column. The part of them that is not asked for tells whether the walk goes along the pack at all; where
it does not, commits are read one by one again.

Only the usual form is read ahead: whole commits of 16 to 2047 bytes. All others are left to the reader of single ones,
which also raises the errors.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Sequence
from itertools import compress
from operator import and_
from zlib import decompress, decompressobj
from zlib import error as ZlibError

from ..annotations import TYPE_CHECKING, Protocol, TypeVar
from ..deferred import deferred, lazy_pattern
from ..errors import Corrupt
from ..limits import need, pause, uncollected
from .pack import AFTER, ROOM, SLACK, Pack
from .pack_index import PackIndex, Region

if TYPE_CHECKING:
    from .heads import small_sizes, two_bytes
else:
    small_sizes, two_bytes = deferred(__name__, ".heads", "small_sizes", "two_bytes")

T = TypeVar("T")

#: commits that are read together: twice as many each time, few enough for the processor's cache
_LEAST, _MOST = 128, 512
_MOST_BYTES = 1 << 18
_NEAR = 1 << 14  # so many bytes of the pack away, a commit belongs to the same part of the walk
_STRAYS = 64  # commits elsewhere in the pack after which the walk is taken to go on there
_OBJECTS = 6  # what is made of one: its bytes, its facts, and the parts of these
_USUAL = 1 << 11  # a commit in the usual form has fewer bytes
_FAR_OFF = 1 << 14  # commits that are read one by one where the walk does not go along the pack, the first time
_FURTHER = 4  # each time after that so many times as many
#: The index of a pack is searched for one region of the pack at a time: (objects of the pack, bits of an offset within
#: a region). Each search takes time in proportion to the objects, so that regions of large packs are large; and each
#: one is twice as large as the one before, up to 2**22 bytes.
_REGIONS = ((1 << 17, 17), (1 << 18, 18), (1 << 19, 19), (1 << 20, 20), (1 << 26, 24))
_MOST_BITS = 22
_DENSE = 4  # one of so many objects in a region: then it takes less to go through all than to search each
_MARK = lazy_pattern(b"\1")
_HEADER = 2  # bytes of the header of a commit in the usual form

# which first and second bytes of a header are those of a commit in the usual form
_COMMIT = bytes(byte & 0xF0 == 0x90 for byte in range(256))
_ENDS = bytes(byte < 128 for byte in range(256))


class Receiver(Protocol):
    """Where commits that were read ahead wait for the reader that asks for them."""

    used: int  # how many the reader has found there so far

    def put(self, oids: list[bytes], raws: list[bytes]) -> int:
        """Commits were read ahead. Returns how many of them the reader will find."""

    def forget(self) -> None:
        """Nothing waits any longer."""


class Ahead:
    """Reads commits ahead of a reader, and hands them to its receiver. With `head`, only so many first bytes of each
    are inflated."""

    __slots__ = ("_begin", "_count", "_end", "_far_off", "_head", "_left", "_read", "_strays", "_used")

    def __init__(self, head: int) -> None:
        self._head = head
        self._begin = self._end = 0  # the part of the pack that was read last
        self._read, self._count = 0, _LEAST  # commits that were read last, and those to read next
        self._used = 0  # how many commits had been used before those were read
        self._strays = 0
        self._left, self._far_off = 1, _FAR_OFF

    def _single(self, count: int) -> None:
        """Have so many commits be read one by one."""
        self._begin = self._end = self._read = self._strays = 0
        self._count, self._left = _LEAST, count

    def read(self, receiver: Receiver, pack: Pack, offset: int) -> int:
        """Read commits of the pack if the walk has reached the end of those that were read last; `offset` is where the
        commit begins that is asked for. Returns how many commits to read one by one before the next call."""
        self._left = 1
        if self._begin - _NEAR < offset < self._end:
            return 1  # the walk does not keep exactly to the pack's order, or the commit has another form
        if self._end <= offset < self._end + _NEAR:
            offset = self._end
        elif self._read and self._strays < _STRAYS:
            self._strays += 1
            return 1
        unused = self._read - (receiver.used - self._used)
        if 3 * unused > self._read:
            receiver.forget()
            self._single(self._far_off)
            self._far_off *= _FURTHER  # to find out takes time in proportion to the pack
            return self._left
        if 8 * unused < self._read:
            self._count = min(2 * self._count, _MOST)
        self._used = receiver.used
        try:
            self._fill(receiver, pack, offset)
        except (Corrupt, ZlibError, IndexError):  # whoever asks for a broken commit gets the error
            self._single(sys.maxsize)
        return self._left

    def _fill(self, receiver: Receiver, pack: Pack, offset: int) -> None:
        """Read commits from `offset` on, of one region of the pack."""
        region = pack.index.region
        if region is None or not region.begin <= offset < region.end:
            region = pack.index.region = find_region(pack.index, offset, region)
            if region is None:
                self._single(sys.maxsize)
                return
        starts = region.starts
        first = bisect_left(starts, offset)
        last = min(first + self._count, bisect_left(starts, offset + _MOST_BYTES))
        self._begin, self._end = offset, starts[last] if last < len(starts) else region.end
        self._read = self._strays = 0
        if first >= last:
            return
        pause()
        begin = starts[first]
        size = min(starts[last - 1] + _HEADER + AFTER + _USUAL, pack.end) - begin
        need(2 * size)
        data = pack.open().read(begin, size)
        with uncollected(_OBJECTS * (last - first)):
            oids, raws = usual_commits(
                data, [start - begin for start in starts[first:last]], region.oids[first:last], self._head
            )
            if oids:
                self._read = receiver.put(oids, raws)
        if not oids:
            self._single(_FAR_OFF)


def find_region(index: PackIndex, offset: int, last: Region | None) -> Region | None:
    """The region of the pack that an offset is in, after a `last` one; None if it cannot be found out quickly."""
    count, table = index.count, index.offset_table
    bits = next((bits for most, bits in _REGIONS if count <= most), 0)
    if not bits or table is None or offset >> 31:
        return None
    if last is not None:
        bits = max(min((last.end - last.begin).bit_length(), _MOST_BITS), bits)
    need(8 * count)
    rows = table.tobytes()
    high, next_high = (3, 2) if sys.byteorder == "little" else (0, 1)
    marks = rows[high::4].translate(_equal(offset >> 24, 0))
    if bits < 24:
        number = int.from_bytes(rows[next_high::4].translate(_equal(offset >> 16 & 255, bits - 16)), "big")
        marks = (int.from_bytes(marks, "big") & number).to_bytes(count, "big")
    if marks.count(1) * _DENSE > count:
        positions = [*compress(range(count), marks)]
    else:
        positions = [match.start() for match in _MARK.finditer(marks)]
    begin = offset >> bits << bits
    starts, oids = list(map(table.__getitem__, positions)), _oids_at(index, positions)
    order = sorted(range(len(starts)), key=starts.__getitem__)
    return Region(begin, begin + (1 << bits), [starts[at] for at in order], [oids[at] for at in order])


def _equal(byte: int, bits: int) -> bytes:
    """A table that marks the bytes which are like this one but for the lowest bits."""
    return bytes(other >> bits == byte >> bits for other in range(256))


def _oids_at(index: PackIndex, positions: list[int]) -> list[bytes]:
    """The oids at ascending positions."""
    oids: list[bytes] = []
    width, at = index.hash_len, 0
    for first in range(256):
        base = index.fan[first]
        end = bisect_left(positions, index.fan[first + 1], at)
        if end > at:
            bucket = (index.spots.get(first) or index.spot(first))[0]
            oids += [bucket[(here - base) * width : (here - base + 1) * width] for here in positions[at:end]]
            at = end
    return oids


def usual_commits(data: bytes, starts: list[int], oids: Sequence[T], head: int) -> tuple[list[T], list[bytes]]:
    """The oids, or other names, and the contents of the commits in the usual form among the objects that begin at
    `starts`.

    Raises `Corrupt` if one has another size than its header says."""
    firsts, seconds = two_bytes(data, starts)
    usual = list(map(and_, firsts.translate(_COMMIT), seconds.translate(_ENDS)))
    sizes = list(compress(small_sizes(firsts, seconds), usual))
    spans = zip([start + _HEADER for start in compress(starts, usual)], sizes)
    if head and max(sizes, default=0) > head:
        raws = [
            decompress(data[at : at + size + AFTER], 15, size + ROOM)
            if size <= head
            else decompressobj().decompress(data[at : at + head + SLACK], head)
            for at, size in spans
        ]
        sizes = [min(size, head) for size in sizes]
    else:
        raws = [decompress(data[at : at + size + AFTER], 15, size + ROOM) for at, size in spans]
    if list(map(len, raws)) != sizes:
        raise Corrupt("a commit has another size than its header says")
    return list(compress(oids, usual)), raws
