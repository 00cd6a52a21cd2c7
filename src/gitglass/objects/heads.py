"""Kind and size of every object of a pack, read from the headers of all of them; and what each takes on disk.

To read the header of one object takes a look-up in the index and a window of the pack, and the header is decoded byte
by byte. For all objects together, the pack is held in memory, one portion at a time. The headers of whole objects below
two kilobytes, and of deltas against an offset, which nearly all are, are decoded column by column. Deltas are decoded
in the pack's order: a base comes before its deltas, so that its kind is known by then. All other headers are decoded by
`Pack`, which raises the errors.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, pairwise, repeat
from operator import itemgetter, lshift, mul, or_
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
_MOST_NAMED, _NAME_BYTES = 1 << 19, 220  # objects of a table of names, and what each takes there
# To read all headers takes as long as to look for a third of the objects. Who asks for an eighth mostly asks for more,
# if it is not known how many these are.
_FEW, _PART, _THIRD = 1000, 8, 3
_FAR = 1023  # a mask: number of steps between two looks at the clock
# the kind that a header's first byte names; 0 if it is a delta or invalid
_KINDS = bytes(kind if 0 < (kind := byte >> 4 & 7) < 5 else 0 for byte in range(256))
_CONTINUED = bytes(byte > _MORE for byte in range(256))
# of a size: its lowest four bits, from the first byte; the next four and three more bits, from the second byte
_LOWEST = bytes(byte & 15 for byte in range(256))
_GOES_ON = bytes(255 if byte > _MORE else 0 for byte in range(256))
_NEXT = bytes((byte & 15) << 4 for byte in range(256))
_LAST = bytes(byte >> 4 & 7 for byte in range(256))

# ---- headers of deltas against an offset, decoded in columns

_SIZE_BYTES, _DISTANCE_BYTES = 3, 4  # bytes that the two parts of a header take at most
_HEADER = _SIZE_BYTES + _DISTANCE_BYTES
_STREAM = 5  # bytes of the compressed data: two that zlib writes first, and three more
_ROOM = _HEADER + _STREAM  # bytes from the beginning of a header on that are looked at

_BITS = [bytes((byte > 127) << bit for byte in range(256)) for bit in range(_HEADER)]


def _length(code: int, most: int) -> int:
    """How many bytes a number takes, by which of its bytes are continued; 0 if it takes more than so many."""
    return next((at + 1 for at in range(most) if not code >> at & 1), 0)


def _shape(code: int) -> tuple[int, int]:
    """The lengths of a header and of the distance in it, by which of its bytes are continued; (0, 0) if longer."""
    size = _length(code, _SIZE_BYTES)
    distance = _length(code >> size, _DISTANCE_BYTES)
    return (size + distance, distance) if size and distance else (0, 0)


_SHAPES = [_shape(code) for code in range(1 << _HEADER)] + [(0, 0)] * (256 - (1 << _HEADER))
_LENGTHS = bytes(length for length, _ in _SHAPES)
# masks, by the same: for headers of so many bytes, and for distances of at least so many
_OF_LENGTH = {length: bytes(255 * (length == this) for this, _ in _SHAPES) for length in set(_LENGTHS) if length}
_AT_LEAST = [bytes(255 * (distance >= least) for _, distance in _SHAPES) for least in range(1, _DISTANCE_BYTES + 1)]
_OFFSET = bytes(255 * (byte & 0x70 == 0x60) for byte in range(256))  # a mask: whether it is a delta against an offset
_RAISED = bytes((byte & 127) + 1 for byte in range(256))  # what a byte of a distance counts that is continued

# In a block without codes of its own, a byte below 144 has a code of eight bits, its highest bit first (RFC 1951,
# 3.2.6). Three bits are in front of it: whether the block is the last one, and that it is such a block.
_BYTES = bytearray(256)  # by their codes, the bytes below 128
_CODES = bytearray(256)  # a mask: whether a code is one of these
for _byte in range(128):
    _code = int(f"{0x30 + _byte:08b}"[::-1], 2)
    _BYTES[_code], _CODES[_code] = _byte, 255
_UPPER, _LOWER = bytes(byte >> 3 for byte in range(256)), bytes((byte & 7) << 5 for byte in range(256))
_BLOCK = bytes(255 * (byte & 6 == 2) for byte in range(256))
# masks: the two bytes at the head of what zlib writes, by its levels
_ZLIB = bytes(255 * (byte == 0x78) for byte in range(256))
_LEVEL = bytes(255 * (byte in (0x01, 0x5E, 0x9C, 0xDA)) for byte in range(256))


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


def small_deltas(data: bytes, starts: list[int]) -> tuple[bytes, array[int], bytes]:
    """Of objects that start at these places of some bytes, with `_ROOM` behind each: the lengths of their headers, how
    far their base lies before them, and the size of what they make. The distance is 0 where that is no delta against
    an offset, or one with a longer header than usual; the size is 0 where the data has to be inflated."""
    count = len(starts)
    rows = b"".join([data[start : start + _ROOM] for start in starts])
    columns = [rows[at::_ROOM] for at in range(_ROOM)]
    shape = sum(map(_number, columns, _BITS)).to_bytes(count, "little")
    lengths = {length: _number(shape, mask) for length, mask in _OF_LENGTH.items()}
    numbers = list(map(_number, columns))

    def behind(at: int) -> int:
        """The bytes at a distance from the ends of the headers."""
        columns = [(mask, length + at) for length, mask in lengths.items() if length + at >= 0]
        return sum([mask & numbers[column] for mask, column in columns])

    usual = _number(columns[0], _OFFSET)
    far = 0
    for nth, mask in enumerate(_AT_LEAST):
        byte = behind(-1 - nth).to_bytes(count, "little")
        here = _number(byte, _RAISED if nth else None) & _number(shape, mask) & usual
        far += _lanes(here, count) << 7 * nth
    distances = array("I", far.to_bytes(4 * count, "little"))
    if sys.byteorder == "big":
        distances.byteswap()
    zlib, level, one, two, three = (behind(at).to_bytes(count, "little") for at in range(_STREAM))
    usual &= _number(zlib, _ZLIB) & _number(level, _LEVEL) & _number(one, _BLOCK) & _number(_codes(one, two), _CODES)
    made = _number(_codes(two, three), _BYTES) & usual
    return shape.translate(_LENGTHS), distances, made.to_bytes(count, "little")


def _number(column: bytes, table: bytes | bytearray | None = None) -> int:
    """A column, translated, as one number."""
    return int.from_bytes(column if table is None else column.translate(table), "little")


def _lanes(column: int, count: int) -> int:
    """A column with four bytes for each of its own."""
    lanes = bytearray(4 * count)
    lanes[::4] = column.to_bytes(count, "little")
    return int.from_bytes(lanes, "little")


def _codes(one: bytes, other: bytes) -> bytes:
    """The eight bits that follow the first three ones of a byte, in this byte and the next one."""
    return (_number(one, _UPPER) | _number(other, _LOWER)).to_bytes(len(one), "little")


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
        For deltas against an offset: the size of the result, and the kind of the base."""
        begin, offset_at = self._begin, offsets.__getitem__
        self._others.sort(key=offset_at)
        last = begin + len(self._data) - _ROOM
        for low in range(0, len(self._others), _MANY):
            pause()
            some = self._others[low : low + _MANY]
            begins = list(map(offset_at, some))
            if begins[-1] > last:  # at the end of the portion
                for position, offset in zip(some, begins):
                    self._decode(position, offset - begin)
            else:
                self._usual_deltas(some, begins)
        self._others.clear()

    def _usual_deltas(self, positions: list[int], begins: list[int]) -> None:
        data, begin, kind_at = self._data, self._begin, self._kind_at
        kinds, sizes = self.heads.kinds, self.heads.sizes
        starts = [offset - begin for offset in begins] if begin else begins
        for position, offset, length, distance, size in zip(positions, begins, *small_deltas(data, starts)):
            kind = kind_at.get(offset - distance, 0) if distance else 0
            if distance and not kind and distance <= offset - begin:
                kind = _KINDS[data[offset - begin - distance]]
            if kind and not size:
                try:
                    at = offset - begin + length
                    size = delta_sizes(decompressobj().decompress(data[at : at + _LONG], _SIZES))[1]
                except (ZlibError, Corrupt):
                    kind = 0
            if kind:
                kinds[position] = kind_at[offset] = kind
                sizes[position] = size
            else:
                self._decode(position, offset - begin)

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


class ManyHeads:
    """Kinds and sizes by name, for who may ask for many: when a part of all objects was asked for, the headers of all
    are read. Until then, and of what no pack has, `kind_size` is asked."""

    __slots__ = ("_counted", "_kind_size", "_left", "_named", "_packs", "_tables")

    def __init__(self, packs: Callable[[], Iterable[Pack]], kind_size: Callable[[bytes], tuple[bytes, int]]) -> None:
        self._packs, self._kind_size = packs, kind_size
        self._left, self._counted = _FEW, False
        self._tables: list[tuple[PackIndex, PackHeads]] | None = None
        self._named: dict[bytes, int] | None = None  # `_numbers` by name

    def expect(self, count: int) -> None:
        """So many objects will be asked for: the tables are made for the first of them, or not at all."""
        if count > _FEW:
            total = sum(pack.index.count for pack in self._packs())
            self._left, self._counted = 0 if 0 < total < count * _THIRD else sys.maxsize, True

    def size(self, oid: bytes) -> int:
        """The size that `kind_size` gives."""
        number = self._number(oid) if self._due(1) else 0
        return number >> 3 if number else self._kind_size(oid)[1]

    def heads(self, oids: Sequence[bytes]) -> Heads:
        """The kinds and sizes of some objects. The kind is b"" for one that has to be asked for by itself."""
        numbers = self._numbers(oids)
        return [_NAME_OF_KIND[number & 7] for number in numbers], [number >> 3 for number in numbers]

    def sizes(self, oids: Sequence[bytes]) -> list[int]:
        """The sizes of some objects; -1 for one that has to be asked for by itself."""
        return [number >> 3 if number else -1 for number in self._numbers(oids)]

    def _numbers(self, oids: Sequence[bytes]) -> list[int]:
        """For each the size, and in the last three bits the kind; 0 for one that has to be asked for by itself."""
        if not self._due(len(oids)):
            return [0] * len(oids)
        pause()
        if self._named is None:
            self._named = self._by_name()
        if self._named:
            return list(map(self._named.get, oids, repeat(0)))
        return list(map(self._number, paced(oids)))

    def _due(self, count: int) -> bool:
        """Whether the tables are to be used for so many more; then they are there."""
        self._left -= count
        if self._left < 0 and not self._counted:
            total = sum(pack.index.count for pack in self._packs())
            self._left += max(total // _PART - _FEW, 0) if total else sys.maxsize
            self._counted = True
        if self._left < 0 and self._tables is None:
            self._tables = _tables(self._packs())
        return self._left < 0

    def _number(self, oid: bytes) -> int:
        for index, heads in self._tables or ():
            at = index.find(oid)
            if at >= 0 and heads.kinds[at]:
                return heads.sizes[at] << 3 | heads.kinds[at]
        return 0

    def _by_name(self) -> dict[bytes, int]:
        """The numbers of all objects; none if these are too many for a table of names."""
        tables = self._tables or []
        total = sum(index.count for index, _ in tables)
        named: dict[bytes, int] = {}
        if total <= _MOST_NAMED:
            need(total * _NAME_BYTES)
            for index, heads in reversed(tables):
                sizes = heads.sizes if 0 not in heads.kinds else map(mul, heads.sizes, map(bool, heads.kinds))
                named.update(zip(index.oids(), map(or_, map(lshift, sizes, repeat(3)), heads.kinds)))
        return named


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
        return dict(zip(index.oids(), map(size_at.__getitem__, offsets)))
    except Corrupt:
        return {}


def _tables(packs: Iterable[Pack]) -> list[tuple[PackIndex, PackHeads]]:
    return [(pack.index, heads) for pack in packs if (heads := pack_heads(pack)) is not None]


def _piece(index: PackIndex, heads: PackHeads, first: int) -> Heads:
    """The kinds and sizes of the objects of one pack whose names begin with this byte."""
    low, high = index.fan[first], index.fan[first + 1]
    return list(map(_NAME_OF_KIND.__getitem__, heads.kinds[low:high])), heads.sizes[low:high]
