"""A pack's `.idx`: from an oid to its offset in the pack and back.

One fan-out bucket is one read. The position of an oid in it is guessed (oids are evenly spread) and confirmed by
`bytes.find` over a few dozen neighbours. So nothing is ever built from an index, however often it is searched. Of a
large bucket only these neighbours are read at first, as most commands need one object of it.
Counts are checked against the file's size when the index is opened, offsets when they are used.
What one handle has read of an index serves the next one that has opened the same file.
"""

import struct
import sys
from array import array
from binascii import hexlify
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain

from ..annotations import NamedTuple
from ..disk.opened import BytesView, FileView, Stamp
from ..errors import Corrupt, text
from ..limits import need, paced, pause, settled, slices
from ..memories import BY_BYTES, Files

_PROMOTE = 48  # least number of single look-ups of offsets before the whole table is read
_PROMOTE_BITS = 9  # and one look-up for 2**9 objects: these take as long as reading the table
_TABLE_LIMIT = 64 << 20
_MANY = 256 << 8  # number of oids from which on buckets are large
_PARTS = 6  # of a large bucket that are read before all of it is
_FEW = 200  # a bucket with at most so many oids is searched in less time than a guess takes
_HIGH = bytes(byte & 0xF0 for byte in range(256))

#: (all oids with one first byte one after the other, their number, the distance from the guess to search)
Spot = tuple[bytes, int, int]


_TABLES: "Files[Stamp, _Tables]" = Files("tables of packs' indexes", files=32, size=32 << 20)


class Region(NamedTuple):
    """A part of a pack: where its objects begin, in order, and their oids."""

    begin: int
    end: int
    starts: list[int]
    oids: list[bytes]


class _Tables:
    """What was read of an index's file: its head when it is opened, rows when they are asked for.

    It only grows, by what stands in the file, so that threads and handles can share it.
    """

    __slots__ = (
        "checksum", "count", "fan", "hash_len", "hits", "large_at", "near", "offsets", "offsets_at", "oids_at",
        "promoted", "spots", "spread", "stride",
    )  # fmt: skip

    def __init__(self, view: FileView, hash_len: int, name: str) -> None:
        self.hash_len = hash_len
        head = view.read(0, 8 + 1024)
        if len(head) < 1024 + 2 * hash_len and view.size < 1024 + 2 * hash_len:
            raise Corrupt(f"index file {name} is too small", prefix="error")
        #: buckets that were read, by first byte
        self.spots: dict[int, Spot] = {}
        #: parts of large buckets: (the position of the first oid in its bucket, the oids, how many parts were read)
        self.near: dict[int, tuple[int, bytes, int]] = {}
        self.offsets: array[int] | None = None
        self.hits = 0  # number of single look-ups of offsets
        if head[:4] == b"\xfftOc":
            self._read_v2(head, view.size, hash_len, name)
        else:
            self._read_v1(head, view.size, hash_len, name)
        self.checksum = view.read(view.size - 2 * hash_len, hash_len)

    def _read_fan(self, table: bytes, hash_len: int, name: str) -> None:
        fan: list[int] = list(struct.unpack(">257I", bytes(4) + table)) if len(table) == 1024 else []
        if not fan or fan != sorted(fan):
            raise Corrupt(f"non-monotonic index {name}", prefix="error")
        #: for each first byte: the number of oids with a lower one
        self.fan = fan
        self.count: int = fan[256]
        self.spread = spread(self.count) * hash_len

    def _read_v1(self, head: bytes, size: int, hash_len: int, name: str) -> None:
        self._read_fan(head[:1024], hash_len, name)
        self.promoted = sys.maxsize
        self.stride = 4 + hash_len
        self.oids_at = 1024
        self.offsets_at = self.large_at = 0
        if size != 1024 + self.count * self.stride + 2 * hash_len:
            raise Corrupt(f"wrong index v1 file size in {name}", prefix="error")

    def _read_v2(self, head: bytes, size: int, hash_len: int, name: str) -> None:
        version = int.from_bytes(head[4:8], "big")
        if version != 2:
            raise Corrupt(
                f"index file {name} is version {version} and is not supported by this binary"
                " (try upgrading GIT to a newer version)",
                prefix="error",
            )
        self._read_fan(head[8:], hash_len, name)
        self.stride = hash_len
        self.oids_at = 8 + 1024
        self.offsets_at = self.oids_at + self.count * (hash_len + 4)
        self.promoted = sys.maxsize if self.count * 4 > _TABLE_LIMIT else max(_PROMOTE, self.count >> _PROMOTE_BITS)
        self.large_at = self.offsets_at + self.count * 4
        least = self.large_at + 2 * hash_len
        most = least + max(self.count - 1, 0) * 8
        if not least <= size <= most:
            raise Corrupt(f"wrong index v2 file size in {name}", prefix="error")


def _tables(view: FileView, hash_len: int, name: str) -> _Tables:
    """The tables of an index that was opened: those of an earlier handle, if it is the same file."""
    stamp = view.stamp
    tables = None if stamp is None else BY_BYTES.get(_TABLES, view.path, stamp)
    if tables is None or tables.hash_len != hash_len:
        tables = _Tables(view, hash_len, name)
        if stamp is not None and settled(max(stamp[:2])):
            BY_BYTES.put(_TABLES, view.path, stamp, tables, view.size)
    return tables


class PackIndex:
    """A pack's `.idx`, versions 1 and 2: from oid to position, from position to oid and offset."""

    __slots__ = (
        "_near", "_offsets_at", "_oids_at", "_spread", "_stride", "_tables", "count", "fan", "hash_len", "name",
        "offset_table", "region", "spots", "view",
    )  # fmt: skip

    def __init__(self, view: FileView, hash_len: int) -> None:
        self.view = view
        self.name = text(view.path)
        self.hash_len = hash_len
        tables = self._tables = _tables(view, hash_len, self.name)
        self.fan, self.count, self.spots = tables.fan, tables.count, tables.spots
        self.offset_table = tables.offsets
        self.region: Region | None = None  # the last one that was asked for, see `ahead.py`
        self._near, self._spread = tables.near, tables.spread
        self._oids_at, self._offsets_at, self._stride = tables.oids_at, tables.offsets_at, tables.stride

    @property
    def pack_checksum(self) -> bytes:
        """The checksum at the end of the pack."""
        return self._tables.checksum

    def spot(self, first: int) -> Spot:
        """Read the bucket of oids with one first byte."""
        fan, stride = self.fan, self._stride
        low = fan[first]
        count = fan[first + 1] - low
        data = self.view.read(self._oids_at + low * stride, count * stride)
        if len(data) != count * stride:
            raise Corrupt(f"index file {self.name} is truncated", prefix="error")
        if self._offsets_at == 0:  # version 1: an offset before each oid
            data = b"".join(data[at + 4 : at + stride] for at in range(0, len(data), stride))
        spot = self.spots[first] = data, count, self._spread
        return spot

    def find(self, oid: bytes) -> int:
        """The position of an oid in the index, or -1."""
        first = oid[0]
        width = self.hash_len
        spot = self.spots.get(first)
        if spot is None:
            if self.count >= _MANY and (position := self._find_near(oid, first)) is not None:
                return position
            spot = self.spot(first)
        bucket, count, spread = spot
        if count <= _FEW:
            at = bucket.find(oid)
        else:
            guess = ((oid[1] << 8 | oid[2]) * count >> 16) * width
            at = bucket.find(oid, guess - spread if guess > spread else 0, guess + spread)
        if at < 0 or at % width:
            at = bisect_oids(bucket, oid, width, count) * width
            if not bucket.startswith(oid, at):
                return -1
        return self.fan[first] + at // width

    def _find_near(self, oid: bytes, first: int) -> int | None:
        """`find` in a part of a large bucket: the last one that was read, or the one around the oid. None if that does
        not tell, or if so many parts were read that the whole bucket is wanted."""
        near = self._near.get(first)
        position = None if near is None else self._in_part(oid, near)
        if position is None and (near is None or near[2] < _PARTS):
            near = self._read_part(oid, 0 if near is None else near[2])
            position = None if near is None else self._in_part(oid, near)
        return position

    def _in_part(self, oid: bytes, part: tuple[int, bytes, int]) -> int | None:
        begin, data, _ = part
        width, at = self.hash_len, data.find(oid)
        if at < 0 and data[:width] < oid < data[-width:]:
            return -1  # it would stand between these
        return None if at < 0 or at % width else self.fan[oid[0]] + begin + at // width

    def _read_part(self, oid: bytes, parts: int) -> tuple[int, bytes, int] | None:
        """Read the part of a bucket around an oid; None if there is none."""
        if not self._offsets_at:
            return None
        low, width = self.fan[oid[0]], self.hash_len
        count, spread = self.fan[oid[0] + 1] - low, self._spread // width
        guess = (oid[1] << 8 | oid[2]) * count >> 16
        begin, end = guess - spread if guess > spread else 0, guess + spread if guess + spread < count else count
        data = self.view.read(self._oids_at + (low + begin) * width, (end - begin) * width)
        if len(data) != (end - begin) * width:
            return None  # it is truncated
        part = self._near[oid[0]] = begin, data, parts + 1
        return part

    def alone(self, oid: bytes, size: int) -> bool:
        """Whether no other oid begins with the same `size` bytes; False also if a look at a few neighbours is not
        enough to tell."""
        if oid[0] in self.spots or self.count < _MANY or self._find_near(oid, oid[0]) in (None, -1):
            return False
        near = self._near[oid[0]]
        data, width, start = near[1], self.hash_len, oid[:size]
        at = data.find(oid)
        if at < width or at % width or at + width == len(data):  # a neighbour may be outside of the part
            return False
        return data[at - width : at - width + size] != start and not data.startswith(start, at + width)

    def oid(self, position: int) -> bytes:
        """The oid at a position."""
        if not 0 <= position < self.count:
            raise Corrupt(f"index file {self.name}: no object at position {position}", prefix="error")
        if self._offsets_at == 0:
            return self.view.read(self._oids_at + position * self._stride + 4, self.hash_len)
        return self.view.read(self._oids_at + position * self._stride, self.hash_len)

    def oids(self) -> Iterator[bytes]:
        """All oids, in order."""
        return chain.from_iterable(map(self.starting, range(256)))

    def starting(self, first: int) -> list[bytes]:
        """The oids with this first byte, in order."""
        pause()
        spot = self.spots.get(first)
        data = (spot or self.spot(first))[0]
        if spot is None:
            self.spots.pop(first, None)
        width = self.hash_len
        return [data[at : at + width] for at in range(0, len(data), width)]

    def prefixed(self, low: bytes, nibbles: int) -> list[bytes]:
        """The oids whose first `nibbles` hex digits are those of `low` (bytes, padded with zero), in order."""
        full_bytes, odd = divmod(nibbles, 2)
        start = low[:full_bytes]
        firsts = [low[0]] if full_bytes else (range(low[0] & 0xF0, (low[0] & 0xF0) + 16) if odd else range(256))
        oids = []
        width = self.hash_len
        for first in firsts:
            data, count, _ = self.spots.get(first) or self.spot(first)
            at = bisect_oids(data, low[:full_bytes] + (low[full_bytes : full_bytes + 1] if odd else b""), width, count)
            for index in paced(range(at, count)):
                oid = data[index * width : index * width + width]
                if not oid.startswith(start):
                    break
                if odd and oid[full_bytes] >> 4 != low[full_bytes] >> 4:
                    break
                oids.append(oid)
        return oids

    def shared(self, oid: bytes) -> int:
        """The most hex digits that an oid shares with the beginning of another oid of this index."""
        data, count, _ = self.spots.get(oid[0]) or self.spot(oid[0])
        width = self.hash_len
        at = self.find(oid)
        at = bisect_oids(data, oid, width, count) * width if at < 0 else (at - self.fan[oid[0]]) * width
        best = common_nibbles(oid, data[at - width : at]) if at else 0
        if data.startswith(oid, at):
            at += width
        if at < len(data):
            best = max(best, common_nibbles(oid, data[at : at + width]))
        return best

    def crowded(self, nibbles: int) -> set[bytes]:
        """The names of `nibbles` hex digits that several oids begin with.

        Sorted oids with the same beginning are neighbours. All oids of a bucket are compared with their neighbours at
        once: the first bytes of all oids form one long number, the second bytes another, and so on. XORing a number
        with itself shifted by one oid gives zero where two neighbours have the same byte.
        """
        names: set[bytes] = set()
        width, last = self.hash_len, (nibbles + 1) // 2 - 1
        for first in range(256):
            pause()
            data, count, _ = self.spots.get(first) or self.spot(first)
            if count < 2:
                continue
            unlike = 0
            for at in range(1, last + 1):
                column = data[at::width]
                number = int.from_bytes(column.translate(_HIGH) if at == last and nibbles & 1 else column, "big")
                unlike |= number ^ number >> 8
            flags = unlike.to_bytes(count, "big")
            at = flags.find(0, 1)
            while at > 0:
                names.add(hexlify(data[at * width : at * width + last + 1])[:nibbles])
                at = flags.find(0, at + 1)
        return names

    def crc(self, position: int) -> int | None:
        """The CRC-32 of an object's bytes in the pack; version 1 has none."""
        if self._offsets_at == 0:
            return None
        at = self._oids_at + self.count * self.hash_len + position * 4
        return int.from_bytes(self.view.read(at, 4), "big")

    def offset(self, position: int) -> int:
        """The offset in the pack of the object at a position."""
        offsets = self.offset_table
        if offsets is not None:
            value = offsets[position]
            return value if value < 0x80000000 else self._large(value)
        if self._offsets_at == 0:
            return int.from_bytes(self.view.read(self._oids_at + position * self._stride, 4), "big")
        tables = self._tables
        tables.hits += 1
        if tables.hits > tables.promoted:
            self._load_offsets()
        value = int.from_bytes(self.view.read(self._offsets_at + position * 4, 4), "big")
        return value if value < 0x80000000 else self._large(value)

    def expect(self, count: int) -> None:
        """Prepare for `count` look-ups of objects: the table of offsets is read if it is small compared with them."""
        small = self.count >> _PROMOTE_BITS < count and self.count * 4 <= _TABLE_LIMIT
        if small and self.offset_table is None and self._offsets_at:
            self._load_offsets()

    def _load_offsets(self) -> None:
        """Read the table of offsets, unless that was done for another handle meanwhile."""
        tables = self._tables
        if tables.offsets is None:
            data = self.view.read(self._offsets_at, self.count * 4)
            table = array("I", data) if len(data) == self.count * 4 else array("I")
            if table.itemsize != 4 or len(table) != self.count:
                return
            if sys.byteorder == "little":
                table.byteswap()
            tables.offsets = table
        self.offset_table = tables.offsets

    def _large(self, value: int) -> int:
        at = self._tables.large_at + (value & 0x7FFFFFFF) * 8
        if at + 8 > self.view.size - 2 * self.hash_len:
            pack = self.name.removesuffix(".idx") + ".pack"
            raise Corrupt(f"offset beyond end of pack index for {pack} (truncated index?)")
        return int.from_bytes(self.view.read(at, 8), "big")

    @property
    def has_large(self) -> bool:
        """Whether some offsets have 64 bits: then a value of `offset_table` need not be an offset."""
        return bool(self._offsets_at) and self.view.size - 2 * self.hash_len > self._tables.large_at

    def offsets(self) -> list[int]:
        """The offsets of all objects, in the index's order."""
        if self.offset_table is None and self._offsets_at:
            self._load_offsets()
        table = self.offset_table
        if table is not None and max(table, default=0) < 0x80000000:
            return table.tolist()
        return [self.offset(position) for position in range(self.count)]


def index_of(oids: Iterable[bytes], hash_len: int) -> PackIndex:
    """An index in memory of oids in any order, each counted once. It has no offsets: it serves to look up names."""
    names = sorted(set(oids))
    need(len(names) * (hash_len + 8))
    fan, total = [], 0
    for first in range(256):
        total = bisect_left(names, bytes([first + 1]), total) if first < 255 else len(names)
        fan.append(total)
    head = struct.pack(">4sI256I", b"\xfftOc", 2, *fan)
    table = b"".join([b"".join(part) for part in slices(names)])
    return PackIndex(BytesView(b"".join((head, table, bytes(8 * len(names) + 2 * hash_len)))), hash_len)


def spread(count: int) -> int:
    """How far from its guessed position an oid may be among `count` evenly spread ones: three standard deviations."""
    return 12 + int((count / 256) ** 0.5 * 1.6)


def bisect_oids(data: bytes, key: bytes, width: int, count: int) -> int:
    """The index of the first oid that is not below `key`."""
    return bisect_left(range(count), key, key=lambda at: data[at * width : at * width + width])


def common_nibbles(one: bytes, other: bytes) -> int:
    """The number of hex digits that two oids have in common at their beginning."""
    for at, (left, right) in enumerate(zip(one, other, strict=True)):
        if left != right:
            return 2 * at + (left >> 4 == right >> 4)
    return 2 * len(one)


def shared_nibbles(ordered: list[bytes], oid: bytes) -> int:
    """The most hex digits that an oid shares with the beginning of another oid in a sorted list."""
    at = bisect_left(ordered, oid)
    after = at + 1 if at < len(ordered) and ordered[at] == oid else at
    best = 0
    if at:
        best = common_nibbles(oid, ordered[at - 1])
    if after < len(ordered):
        best = max(best, common_nibbles(oid, ordered[after]))
    return best
