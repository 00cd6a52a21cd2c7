"""A pack's `.idx`: from an oid to its place and back.

One fan-out bucket is one read. Within it the place of an oid is guessed (oids are evenly spread) and confirmed by
`bytes.find` over a few dozen neighbours; when an index is asked often its buckets become tuples, which bisect in C.
Counts are checked against the file's size at open, offsets when they are used.
"""

import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator

from ..errors import Corrupt, text
from .fileview import FileView

_PROMOTE = 48  # so many single look-ups of offsets at least, then the whole table is read:
_PROMOTE_BITS = 8  # one for 2**8 objects, as many as cost what reading the table does
_TABLE_LIMIT = 64 << 20
_BUSY = 600  # look-ups in an index until its buckets become tuples
_TABLES_UP_TO = 2_000_000  # objects; a tuple takes 60 bytes each


class PackIndex:
    """A pack's `.idx`, versions 1 and 2: oid to position, position to oid and offset."""

    __slots__ = (
        "_buckets",
        "_hits",
        "_large_at",
        "_lookups",
        "_offsets_at",
        "_oids_at",
        "_stride",
        "_view",
        "count",
        "fan",
        "hash_len",
        "name",
        "offset_table",
        "pack_checksum",
        "tables",
    )  # fmt: skip

    def __init__(self, view: FileView, hash_len: int) -> None:
        self._view = view
        self.name = text(view.path)
        self.hash_len = hash_len
        head = view.read(0, 8 + 1024)
        if len(head) < 1024 + 2 * hash_len - 0 and view.size < 1024 + 2 * hash_len:
            raise Corrupt(f"index file {self.name} is too small", prefix="error")
        self._buckets: dict[int, bytes] = {}
        self.offset_table: array[int] | None = None
        self._hits = self._lookups = 0
        #: buckets that were asked often, as tuples of oids
        self.tables: dict[int, tuple[bytes, ...]] = {}
        if head[:4] == b"\xfftOc":
            self._open_v2(head)
        else:
            self._open_v1(head)
        self.pack_checksum = view.read(view.size - 2 * hash_len, hash_len)

    def _read_fan(self, table: bytes) -> None:
        fan: list[int] = list(struct.unpack(">256I", table)) if len(table) == 1024 else []
        if len(fan) != 256 or fan != sorted(fan):
            raise Corrupt(f"non-monotonic index {self.name}", prefix="error")
        #: how many oids begin with a lower byte, by first byte
        self.fan = [0, *fan]
        self.count: int = fan[255]

    def _open_v1(self, head: bytes) -> None:
        self._read_fan(head[:1024])
        self._stride = 4 + self.hash_len
        self._oids_at = 1024
        self._offsets_at = self._large_at = 0
        if self._view.size != 1024 + self.count * self._stride + 2 * self.hash_len:
            raise Corrupt(f"wrong index v1 file size in {self.name}", prefix="error")

    def _open_v2(self, head: bytes) -> None:
        version = int.from_bytes(head[4:8], "big")
        if version != 2:
            raise Corrupt(
                f"index file {self.name} is version {version} and is not supported by this binary"
                " (try upgrading GIT to a newer version)",
                prefix="error",
            )
        self._read_fan(head[8:])
        self._stride = self.hash_len
        self._oids_at = 8 + 1024
        self._offsets_at = self._oids_at + self.count * (self.hash_len + 4)
        self._large_at = self._offsets_at + self.count * 4
        least = self._large_at + 2 * self.hash_len
        most = least + max(self.count - 1, 0) * 8
        if not least <= self._view.size <= most:
            raise Corrupt(f"wrong index v2 file size in {self.name}", prefix="error")

    def bucket(self, first: int) -> bytes:
        """The oids that begin with one byte, one after the other (in version 1: entries with their offset before)."""
        low, high = self.fan[first], self.fan[first + 1]
        data = self._view.read(self._oids_at + low * self._stride, (high - low) * self._stride)
        if len(data) != (high - low) * self._stride:
            raise Corrupt(f"index file {self.name} is truncated", prefix="error")
        if self._offsets_at == 0:
            data = b"".join(data[at + 4 : at + self._stride] for at in range(0, len(data), self._stride))
        self._buckets[first] = data
        return data

    def find(self, oid: bytes) -> int:
        """The position of an oid in the index's order, or -1."""
        first = oid[0]
        table = self.tables.get(first)
        if table is not None:
            at = bisect_left(table, oid)
            return self.fan[first] + at if at < len(table) and table[at] == oid else -1
        bucket = self._buckets.get(first)
        if bucket is None:
            bucket = self.bucket(first)
        width = self.hash_len
        count = len(bucket) // width
        if self._busy():
            self.tables[first] = struct.unpack(f"{width}s" * count, bucket)
        if count > 96:
            # where it should be among evenly spread oids, and three deviations to each side
            guess = (oid[1] << 8 | oid[2]) * count >> 16
            spread = 12 + int(count**0.5 * 1.6)
            low, high = guess - spread, guess + spread
            low = low * width if low > 0 else 0
            high = high * width if high < count else len(bucket)
            at = bucket.find(oid, low, high)
            if (
                at < 0
                and (low == 0 or bucket[low : low + width] < oid)
                and (high == len(bucket) or bucket[high - width : high] > oid)
            ):
                return -1
        else:
            at = bucket.find(oid)
        if at < 0 or at % width:
            at = bucket.find(oid)
            while at >= 0 and at % width:
                at = bucket.find(oid, at + 1)
            if at < 0:
                return -1
        return self.fan[first] + at // width

    def _busy(self) -> bool:
        """Count a look-up; whether there were so many that buckets are worth being taken apart."""
        self._lookups += 1
        return self._lookups > _BUSY and self.count <= _TABLES_UP_TO

    def oid(self, position: int) -> bytes:
        """The oid at a position."""
        if not 0 <= position < self.count:
            raise Corrupt(f"index file {self.name}: no object at position {position}", prefix="error")
        if self._offsets_at == 0:
            return self._view.read(self._oids_at + position * self._stride + 4, self.hash_len)
        return self._view.read(self._oids_at + position * self._stride, self.hash_len)

    def oids(self) -> Iterator[bytes]:
        """Every oid, in order."""
        width = self.hash_len
        for first in range(256):
            data = self._buckets.get(first)
            if data is None:
                data = self.bucket(first)
                del self._buckets[first]
            for at in range(0, len(data), width):
                yield data[at : at + width]

    def prefixed(self, low: bytes, nibbles: int) -> list[bytes]:
        """The oids whose first `nibbles` hex digits are those of `low` (bytes padded with zero), in order."""
        whole, odd = divmod(nibbles, 2)
        start = low[:whole]
        firsts = [low[0]] if whole else (range(low[0] & 0xF0, (low[0] & 0xF0) + 16) if odd else range(256))
        found = []
        width = self.hash_len
        for first in firsts:
            data = self._buckets.get(first)
            if data is None:
                data = self.bucket(first)
            count = len(data) // width
            at = _bisect(data, low[:whole] + (low[whole : whole + 1] if odd else b""), width, count)
            for index in range(at, count):
                oid = data[index * width : index * width + width]
                if not oid.startswith(start):
                    break
                if odd and oid[whole] >> 4 != low[whole] >> 4:
                    break
                found.append(oid)
        return found

    def shared(self, oid: bytes, least: int = 0) -> int:
        """The longest start, in hex digits, that an oid shares with another oid of this index.

        Anything below `least` may be answered where it is less than that.
        """
        first = oid[0]
        table = self.tables.get(first)
        if table is not None:
            here = bisect_left(table, oid)
            whole = least >> 1
            start = oid[:whole]
            near = table[here - 1 if here else 0 : here + 2]
            best = 0
            for other in near:
                if other[:whole] == start and other != oid:
                    best = max(best, common_nibbles(oid, other))
            return best
        data = self._buckets.get(first)
        if data is None:
            data = self.bucket(first)
        width = self.hash_len
        if self._busy():
            self.tables[first] = struct.unpack(f"{width}s" * (len(data) // width), data)
        at = data.find(oid)
        if at < 0 or at % width:
            at = _bisect(data, oid, width, len(data) // width) * width
        after = at + width if data.startswith(oid, at) else at
        start = oid[: least >> 1]
        best = 0
        if at and data.startswith(start, at - width):
            best = common_nibbles(oid, data[at - width : at])
        if after < len(data) and data.startswith(start, after):
            best = max(best, common_nibbles(oid, data[after : after + width]))
        return best

    def offset(self, position: int) -> int:
        """Where the object at a position begins in the pack."""
        offsets = self.offset_table
        if offsets is not None:
            value = offsets[position]
            return value if value < 0x80000000 else self._large(value)
        if self._offsets_at == 0:
            return int.from_bytes(self._view.read(self._oids_at + position * self._stride, 4), "big")
        self._hits += 1
        if self._hits > _PROMOTE and self._hits > self.count >> _PROMOTE_BITS and self.count * 4 <= _TABLE_LIMIT:
            self._load_offsets()
        value = int.from_bytes(self._view.read(self._offsets_at + position * 4, 4), "big")
        return value if value < 0x80000000 else self._large(value)

    def _load_offsets(self) -> None:
        data = self._view.read(self._offsets_at, self.count * 4)
        if len(data) == self.count * 4:
            table = array("I", data)
            if table.itemsize == 4:
                if sys.byteorder == "little":
                    table.byteswap()
                self.offset_table = table

    def _large(self, value: int) -> int:
        at = self._large_at + (value & 0x7FFFFFFF) * 8
        if at + 8 > self._view.size - 2 * self.hash_len:
            raise Corrupt(f"pack index {self.name}: offset beyond the end of the index (corrupt index?)")
        return int.from_bytes(self._view.read(at, 8), "big")

    def offsets(self) -> list[int]:
        """Every offset, in the index's order."""
        if self.offset_table is None and self._offsets_at:
            self._load_offsets()
        return [self.offset(position) for position in range(self.count)]


def _bisect(data: bytes, key: bytes, width: int, count: int) -> int:
    """The first index whose oid is not below `key`."""
    low, high = 0, count
    while low < high:
        middle = (low + high) >> 1
        at = middle * width
        if data[at : at + width] < key:
            low = middle + 1
        else:
            high = middle
    return low


def common_nibbles(one: bytes, other: bytes) -> int:
    """How many hex digits two oids have in common at their start."""
    for at, (left, right) in enumerate(zip(one, other, strict=True)):
        if left != right:
            return 2 * at + (left >> 4 == right >> 4)
    return 2 * len(one)
