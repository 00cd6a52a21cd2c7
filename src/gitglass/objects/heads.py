"""Kind and size of every object of a pack, read from the headers of all of them; and what each takes on disk.

To read the header of one object takes a look-up in the index and a window of the pack, and the header is decoded byte
by byte. For all objects together, the pack is held in memory, one portion at a time. The headers of whole objects below
two kilobytes, which nearly all are, are decoded column by column. Deltas are decoded in the pack's order: a base comes
before its deltas, so that its kind is known by then. All other headers are decoded by `Pack`, which raises the errors.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, pairwise
from operator import itemgetter
from struct import Struct
from struct import error as Truncated
from zlib import decompressobj
from zlib import error as ZlibError

from ..errors import Corrupt, PermissionDenied, SandboxViolation, Unreadable
from ..limits import need, paced, pause
from ..records import record
from .delta import delta_sizes
from .pack import KIND_NAMES, OFS_DELTA, Pack
from .pack_index import PackIndex

_MANY = 1 << 13  # objects that are processed together: if all were deltas, that would take some thirty milliseconds
_MOST = 1 << 21  # objects of one pack; a table for more would be too large
_PORTION, _BEYOND = 1 << 24, 1 << 10  # bytes of the pack that are held at a time, and beyond for the last object
_ENTRY_BYTES = 240  # bytes that an object takes while it is decoded
_NAME_OF_KIND = [KIND_NAMES.get(number, b"") for number in range(8)]
_MORE = 127  # a larger byte of a size is continued by the next byte
_SIZES = 20  # bytes of a delta that are inflated: both sizes are within
_LONG = 256  # bytes of its stream that are enough for these
_FEW, _PART = 1000, 6  # to read all headers takes as long as to look for the sixth part of the objects
_FAR = 1023  # a mask: number of steps between two looks at the clock
# the kind that a header's first byte names; 0 if it is a delta or invalid
_KINDS = bytes(kind if 0 < (kind := byte >> 4 & 7) < 5 else 0 for byte in range(256))
_CONTINUED = bytes(byte > _MORE for byte in range(256))
# of a size: its lowest four bits, from the first byte; the next four and three more bits, from the second byte
_LOWEST = bytes(byte & 15 for byte in range(256))
_GOES_ON = bytes(255 if byte > _MORE else 0 for byte in range(256))
_NEXT = bytes((byte & 15) << 4 for byte in range(256))
_LAST = bytes(byte >> 4 & 7 for byte in range(256))
# of the stream of a delta: its head, and the bits that follow. The heads that zlib writes, by level, as such numbers
_STREAM = Struct("<HI").unpack_from
_ZLIB = frozenset({0x0178, 0x5E78, 0x9C78, 0xDA78})
# In blocks without codes of their own a byte below 144 has a code of eight bits, its highest bit first (RFC 1951,
# 3.2.6): which next eleven bits begin such a block with a byte below 128, and the byte of such a code, or 0
_BEGINS, _BYTES = bytearray(1 << 11), bytearray(1 << 8)
for _byte in range(128):
    _code = int(f"{0x30 + _byte:08b}"[::-1], 2)
    _BYTES[_code], _BEGINS[_code << 3 | 2], _BEGINS[_code << 3 | 3] = _byte, 1, 1


@record
class PackHeads:
    """By position in the pack's index: the number of the kind (0 if the object has to be read itself), and the size."""

    kinds: bytearray
    sizes: array[int]

    def at(self, positions: Sequence[int]) -> Heads:
        """The kinds, b"" if unknown, and the sizes of the objects at some positions."""
        return [_NAME_OF_KIND[self.kinds[at]] for at in positions], [self.sizes[at] for at in positions]


def pack_heads(pack: Pack) -> PackHeads | None:
    """The kinds and sizes of all objects of a pack. None if each object has to be read itself: the pack has very many
    objects, or it is broken, which is reported when an object is read."""
    try:
        return _heads(pack)
    except (Corrupt, PermissionDenied, SandboxViolation, Unreadable):
        return None


def _heads(pack: Pack) -> PackHeads | None:
    view, index = pack.open(), pack.index
    count = index.count
    if not 0 < count <= _MOST:
        return None
    need(count * _ENTRY_BYTES)
    offsets = index.offsets()
    if min(offsets) < 12 or max(offsets) > pack.end - 2:  # two bytes of each are read below, and no object has fewer
        return None
    reader = _Reader(pack, PackHeads(bytearray(count), array("Q", bytes(8 * count))))
    for begin, size, positions in _portions(offsets, pack.end):
        need(size)
        data = view.read(begin, size)
        if len(data) < size:
            return None
        reader.read(begin, data, positions, offsets)
    return reader.heads


def two_bytes(data: bytes, starts: list[int]) -> tuple[bytes, bytes]:
    """The first bytes of headers, and their second bytes. An `itemgetter` takes half the time of other loops here."""
    if len(starts) < 2:  # for one place alone it would give no tuple
        return b"".join([data[at : at + 1] for at in starts]), b"".join([data[at + 1 : at + 2] for at in starts])
    take = itemgetter(*starts)
    return bytes(take(data)), bytes(take(memoryview(data)[1:]))


def small_sizes(firsts: bytes, seconds: bytes) -> array[int]:
    """The sizes in the first and second bytes of headers. Each bit of all sizes is computed at once, in numbers that
    are as long as these columns of bytes."""
    count = len(firsts)
    goes_on = int.from_bytes(firsts.translate(_GOES_ON), "big")
    low = int.from_bytes(seconds.translate(_NEXT), "big") & goes_on | int.from_bytes(firsts.translate(_LOWEST), "big")
    high = int.from_bytes(seconds.translate(_LAST), "big") & goes_on
    pairs = bytearray(2 * count)
    pairs[sys.byteorder == "big" :: 2] = low.to_bytes(count, "big")
    pairs[sys.byteorder == "little" :: 2] = high.to_bytes(count, "big")
    return array("Q", array("H", pairs))


def _portions(offsets: list[int], end: int) -> list[tuple[int, int, Sequence[int]]]:
    """For each portion of the pack: (its start, number of bytes to read, positions of the objects that begin in it).
    The header of the last object may extend into the next portion."""
    if end <= 2 * _PORTION:
        return [(0, end, range(len(offsets)))]
    portions: dict[int, list[int]] = {}
    for position, offset in enumerate(offsets):
        portions.setdefault(offset // _PORTION, []).append(position)
        if not position & _FAR:
            pause()
    starts = [(number * _PORTION, portions[number]) for number in sorted(portions)]
    return [(begin, min(_PORTION + _BEYOND, end - begin), positions) for begin, positions in starts]


class _Reader:
    """Decodes kinds and sizes, one portion of the pack after the other."""

    __slots__ = ("_begin", "_data", "_kind_at", "_others", "_pack", "heads")

    def __init__(self, pack: Pack, heads: PackHeads) -> None:
        self._pack, self.heads = pack, heads
        self._begin, self._data = 0, b""
        self._others: list[int] = []  # the positions of objects that are not stored whole
        self._kind_at: dict[int, int] = {}  # of the deltas, by offset

    def read(self, begin: int, data: bytes, positions: Sequence[int], offsets: list[int]) -> None:
        """Decode the objects at these positions; `data` are the bytes of the pack from `begin` on."""
        self._begin, self._data = begin, data
        for low in range(0, len(positions), _MANY):
            pause()
            chunk = positions[low : low + _MANY]
            if isinstance(chunk, range):
                starts = offsets[chunk.start : chunk.stop]
            else:
                starts = [offsets[position] - begin for position in chunk]
            self._columns(chunk, starts)
        self._deltas(offsets)

    def _columns(self, positions: Sequence[int], starts: list[int]) -> None:
        data, heads = self._data, self.heads
        firsts, seconds = two_bytes(data, starts)
        kinds = firsts.translate(_KINDS)
        sizes = small_sizes(firsts, seconds)
        if isinstance(positions, range):
            heads.kinds[positions.start : positions.stop] = kinds
            heads.sizes[positions.start : positions.stop] = sizes
        else:
            for position, kind, size in zip(positions, kinds, sizes):
                heads.kinds[position] = kind
                heads.sizes[position] = size
        # sizes of more than two bytes
        long = int.from_bytes(firsts.translate(_CONTINUED), "big") & int.from_bytes(
            seconds.translate(_CONTINUED), "big"
        )
        marks = long.to_bytes(len(firsts), "big")
        at = marks.find(1)
        while at >= 0:
            if kinds[at]:
                self._decode(positions[at], starts[at])
            at = marks.find(1, at + 1)
        if 0 in kinds:
            self._others += [position for position, kind in zip(positions, kinds) if not kind]

    def _deltas(self, offsets: list[int]) -> None:
        """Decode objects that are not stored whole, in the pack's order, so that the kind of a base is known by then.
        For small deltas against an offset: the size of the result, and the kind of the base."""
        data, begin, kind_at = self._data, self._begin, self._kind_at
        kinds, sizes = self.heads.kinds, self.heads.sizes
        self._others.sort(key=offsets.__getitem__)
        for position in paced(self._others):
            start = offsets[position] - begin
            try:
                byte = data[start]
                if byte & 0x70 != OFS_DELTA << 4:
                    self._decode(position, start)
                    continue
                at = start + 1
                while byte > _MORE:
                    byte = data[at]
                    at += 1
                byte = data[at]
                at += 1
                distance = byte & 127
                while byte > _MORE:
                    byte = data[at]
                    at += 1
                    distance = (distance + 1) << 7 | (byte & 127)
                base = start - distance
                kind = kind_at.get(base + begin) or _KINDS[data[base]] if 0 <= base < start else 0
                zlib, bits = _STREAM(data, at)
                # in deltas of small files both sizes take one byte, and the bytes' codes are known
                made = _BYTES[bits >> 11 & 0xFF] if _BEGINS[bits & 0x7FF] and zlib in _ZLIB else 0
                sizes[position] = made or delta_sizes(decompressobj().decompress(data[at : at + _LONG], _SIZES))[1]
            except (IndexError, Truncated, ZlibError, Corrupt):
                kind = 0
            if kind:
                kinds[position] = kind_at[start + begin] = kind
            else:
                self._decode(position, start)
        self._others.clear()

    def _decode(self, position: int, start: int) -> None:
        """Let the pack itself decode an object."""
        pack, offset = self._pack, start + self._begin
        try:
            kind, size, at, base = pack.header(offset)
            if kind >= OFS_DELTA:
                kind, size = self._kind_of(base) if isinstance(base, int) else 0, pack.made_size(at, offset)
                self._kind_at[offset] = kind
        except Corrupt:
            kind = size = 0
        self.heads.kinds[position], self.heads.sizes[position] = kind, size

    def _kind_of(self, offset: int) -> int:
        """The kind of the object at an earlier offset; of an earlier delta it is known."""
        kind = self._kind_at.get(offset)
        if kind is None:
            kind = self._pack.header(offset)[0]
        return kind if kind < OFS_DELTA else 0


#: the kinds (b"" if unknown) and the sizes of several objects
Heads = tuple[Sequence[bytes], Sequence[int]]


def heads_reader(packs: Iterable[Pack]) -> Callable[[list[bytes]], Heads]:
    """A function from sorted oids with the same first byte to their kinds and sizes. The kind is b"" for an object that
    is in no table: its pack is too large or broken."""
    tables = _tables(packs)

    def read(oids: list[bytes]) -> Heads:
        first, names = oids[0][0], b"".join(oids)
        pieces = [(index, *_piece(index, heads, first)) for index, heads in tables]
        for index, kinds, sizes in pieces:
            if index.spot(first)[0] == names:
                return kinds, sizes
        kind_of: dict[bytes, bytes] = {}
        size_of: dict[bytes, int] = {}
        for index, kinds, sizes in pieces:
            pack_oids = index.starting(first)
            kind_of.update(zip(pack_oids, kinds))
            size_of.update(zip(pack_oids, sizes))
        return [kind_of.get(oid, b"") for oid in oids], [size_of.get(oid, 0) for oid in oids]

    return read


def size_reader(
    packs: Callable[[], Iterable[Pack]], kind_size: Callable[[bytes], tuple[bytes, int]]
) -> Callable[[bytes], int]:
    """A function from an oid to the size that `kind_size` gives, for who may ask for many: when a part of all objects
    was asked for, the headers of all are read."""
    left, total, tables = _FEW, 0, list[tuple[PackIndex, PackHeads]]()

    def size(oid: bytes) -> int:
        nonlocal left, total, tables
        if left:
            left -= 1
            return kind_size(oid)[1]
        if not total:
            total = sum(pack.index.count for pack in packs())
            left = max(total // _PART - _FEW, 0) if total else sys.maxsize
            return size(oid)
        if not tables:
            tables = _tables(packs())
        for index, heads in tables:
            at = index.find(oid)
            if at >= 0 and heads.kinds[at]:
                return heads.sizes[at]
        return kind_size(oid)[1]

    return size


def disk_sizes(
    last: Callable[[], Pack | None], oids: Sequence[bytes], single: Callable[[bytes], int], built_in: bytes
) -> Iterable[int]:
    """What `single` gives for each of the oids: the bytes it takes on disk. Of many, from the pack that answers for the
    first one. An object that git has `built_in` takes no bytes, whether it is stored or not."""
    answers = list(map(single, oids[:1]))
    pack = last()
    made = {} if pack is None else _disk_sizes_in(pack, len(oids))
    if not made:
        return chain(answers, map(single, oids[1:]))
    made[built_in] = 0
    return (single(oid) if size is None else size for oid, size in zip(oids, map(made.get, oids)))


def _disk_sizes_in(pack: Pack, asked: int) -> dict[bytes, int]:
    """The disk size of each object of a pack, by oid; none if few are asked for, or if the pack is broken, which is
    reported when an object is asked for by itself."""
    try:
        index = pack.index
        if not index.count <= min(asked * _PART, _MOST):
            return {}
        need(index.count * _ENTRY_BYTES)
        offsets = index.offsets()
        pause()
        size_at = {begin: end - begin for begin, end in pairwise(pack.order())}
        sizes = list(map(size_at.__getitem__, offsets))
        made: dict[bytes, int] = {}
        for first in range(256):
            made.update(zip(index.starting(first), sizes[index.fan[first] : index.fan[first + 1]]))
        return made
    except Corrupt:
        return {}


def _tables(packs: Iterable[Pack]) -> list[tuple[PackIndex, PackHeads]]:
    return [(pack.index, heads) for pack in packs if (heads := pack_heads(pack)) is not None]


def _piece(index: PackIndex, heads: PackHeads, first: int) -> Heads:
    """The kinds and sizes of the objects of one pack whose names begin with this byte."""
    low, high = index.fan[first], index.fan[first + 1]
    return list(map(_NAME_OF_KIND.__getitem__, heads.kinds[low:high])), heads.sizes[low:high]
