"""A pack that came from elsewhere: every object inflated, made of its deltas, hashed, and given to whoever judges it.

Nothing a pack says of itself is believed: counts, sizes and offsets are checked against its bytes before memory is
taken, an object larger than the limit ends it, and so do objects that follow from each other. Only one chain of deltas
is in memory at a time. Mirrors gitformat-pack(5); what is made of it is what git-index-pack(1) makes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from hashlib import new as hasher
from itertools import accumulate

from ....errors import Corrupt, TooLarge
from ....limits import pause
from ....objects.delta import apply_delta, delta_sizes
from ....objects.hashes import LENGTHS
from ....objects.pack import KIND_NAMES, KIND_NUMBERS, OFS_DELTA, REF_DELTA
from ....records import record

#: (name, kind, content) of each object, each once
Judge = Callable[[bytes, bytes, bytes], None]
#: the object of a name outside of the pack: (kind, content), or None
Base = Callable[[bytes], tuple[bytes, bytes] | None]

_SLACK = 128  # bytes of input beyond the claimed size: what zlib adds to data that does not shrink, and more
_LEAST = 9  # no entry is shorter: a byte of header, eight of a stream of nothing
_KEPT_DELTAS = 64 << 20
_FAR = 0x7FFFFFFF  # beyond, an offset is in a table of its own


@record
class Unpacked:
    """A pack that is whole: its bytes with what a thin one lacked, its index, the names in it."""

    data: bytes
    index: bytes
    name: bytes
    oids: list[bytes]


@record(frozen=True)
class _Delta:
    """An object that is made of another one."""

    offset: int
    at: int
    size: int
    data: bytes | None


def unpack(data: bytes, hash_name: str, *, limit: int, judge: Judge, base_of: Base) -> Unpacked:
    """All objects of a pack. Raises Corrupt for one that is broken, TooLarge for an object beyond `limit` bytes."""
    return _Unpacking(data, hash_name, limit, judge, base_of).run()


def header_at(data: bytes, at: int, end: int) -> tuple[int, int, int]:
    """(kind number, size claimed, where it ends) of an entry's header. Raises Corrupt."""
    byte = data[at]
    kind, size, shift, at = byte >> 4 & 7, byte & 15, 4, at + 1
    while byte & 128:
        if at >= end or shift > 60:
            raise Corrupt("the pack has a bad object header")
        byte = data[at]
        size |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
    return kind, size, at


class _Unpacking:
    """One pack on its way."""

    def __init__(self, data: bytes, hash_name: str, limit: int, judge: Judge, base_of: Base) -> None:
        self._data, self._hash_name, self._limit = data, hash_name, limit
        self._judge, self._base_of = judge, base_of
        self._hash_len = LENGTHS[hash_name]
        self._end = len(data) - self._hash_len
        self._rows: dict[bytes, tuple[int, int]] = {}  # name → (offset, checksum of the entry)
        self._sums: dict[int, int] = {}
        self._whole: dict[int, tuple[int, int, int]] = {}  # offset → (kind, where its stream begins, size)
        self._by_offset: dict[int, list[_Delta]] = {}
        self._by_name: dict[bytes, list[_Delta]] = {}
        self._room = _KEPT_DELTAS
        self._left = 0

    def run(self) -> Unpacked:
        count = self._count()
        at = 12
        for _ in range(count):
            pause()
            at = self._entry(at)
        if at != self._end:
            raise Corrupt("the pack has bytes behind its last object")
        for offset in list(self._whole):
            if offset in self._by_offset:
                kind, start, size = self._whole[offset]
                self._follow(KIND_NAMES[kind], self._inflate(start, size)[0], self._by_offset.pop(offset))
        data = self._completed(count)
        if self._left:
            raise Corrupt(f"the pack has {self._left} unresolved deltas")
        name = data[-self._hash_len :]
        rows = sorted((oid, offset, crc) for oid, (offset, crc) in self._rows.items())
        return Unpacked(data, index_of(rows, name, self._hash_name), name.hex().encode(), [row[0] for row in rows])

    def _count(self) -> int:
        data = self._data
        if self._end < 12 or data[:4] != b"PACK":
            raise Corrupt("this is no pack")
        version, count = struct.unpack(">II", data[4:12])
        if version not in (2, 3):
            raise Corrupt(f"pack version {version} is not known")
        if count * _LEAST > self._end - 12:
            raise Corrupt(f"a pack of {len(data)} bytes cannot have {count} objects")
        if hasher(self._hash_name, memoryview(data)[: self._end]).digest() != data[self._end :]:
            raise Corrupt("the pack's checksum does not match")
        return int(count)

    # --- entries ----------------------------------------------------------------------------------------------------

    def _entry(self, offset: int) -> int:
        """Read one entry; where it ends."""
        data = self._data
        if offset >= self._end:
            raise Corrupt("the pack ends too early")
        kind, size, at = header_at(data, offset, self._end)
        if size > self._limit:
            raise TooLarge(f"an object of the pack has {size} bytes", size=size, limit=self._limit)
        base: int | bytes = 0
        if kind == OFS_DELTA:
            base, at = self._base_offset(offset, at)
        elif kind == REF_DELTA:
            base, at = data[at : at + self._hash_len], at + self._hash_len
        elif kind not in KIND_NAMES:
            raise Corrupt(f"the pack has an object of the unknown type {kind}")
        content, end = self._inflate(at, size)
        self._sums[offset] = zlib.crc32(memoryview(data)[offset:end])
        if kind in KIND_NAMES:
            self._whole[offset] = kind, at, size
            self._name(KIND_NAMES[kind], content, offset)
            return end
        self._room -= size
        delta = _Delta(offset, at, size, content if self._room > 0 else None)
        self._left += 1
        if isinstance(base, int):
            self._by_offset.setdefault(base, []).append(delta)
        else:
            self._by_name.setdefault(base, []).append(delta)
        return end

    def _base_offset(self, offset: int, at: int) -> tuple[int, int]:
        data = self._data
        byte = data[at]
        back, at = byte & 127, at + 1
        while byte & 128:
            if at >= self._end or back > offset:
                raise Corrupt("the pack has a delta without a base")
            byte = data[at]
            back, at = (back + 1) << 7 | (byte & 127), at + 1
        if not 0 < back <= offset - 12 or offset - back not in self._sums:
            raise Corrupt("the pack has a delta without a base")
        return offset - back, at

    def _inflate(self, at: int, size: int) -> tuple[bytes, int]:
        """(`size` bytes of the stream at `at`, where it ends)."""
        stream = zlib.decompressobj()
        upto = min(at + size + _SLACK, self._end)
        feed = self._data[at:upto]
        try:
            content = stream.decompress(feed, size + 1)
            while not stream.eof:  # a stream that grows what it holds, or whose end is still to be read
                feed = stream.unconsumed_tail or self._data[upto : min(upto + _SLACK + size, self._end)]
                if len(content) > size or not feed:
                    raise Corrupt("the pack has an object of another size than it says")
                if not stream.unconsumed_tail:
                    upto += len(feed)
                content += stream.decompress(feed, size + 1 - len(content))
        except zlib.error:
            raise Corrupt("the pack has an object that cannot be inflated") from None
        if len(content) != size:
            raise Corrupt("the pack has an object of another size than it says")
        return content, upto - len(stream.unused_data)

    # --- objects ----------------------------------------------------------------------------------------------------

    def _name(self, kind: bytes, content: bytes, offset: int) -> bytes:
        oid = hasher(self._hash_name, b"%b %d\0" % (kind, len(content)) + content).digest()
        if oid in self._rows:
            raise Corrupt(f"the pack has object {oid.hex()} twice")
        self._rows[oid] = offset, self._sums[offset]
        self._judge(oid, kind, content)
        waiting = self._by_name.get(oid)
        if waiting:
            self._by_offset.setdefault(offset, [])
        return oid

    def _follow(self, kind: bytes, content: bytes, deltas: list[_Delta]) -> None:
        """Make all objects that follow from one, depth first: what is in memory is one chain."""
        stack = [(content, deltas)]
        while stack:
            pause()
            base, waiting = stack[-1]
            if not waiting:
                stack.pop()
                continue
            delta = waiting.pop()
            change = delta.data if delta.data is not None else self._inflate(delta.at, delta.size)[0]
            if delta_sizes(change)[1] > self._limit:
                raise TooLarge("an object of the pack is too large", limit=self._limit)
            made = apply_delta(base, change, self._limit)
            self._left -= 1
            oid = self._name(kind, made, delta.offset)
            further = self._by_offset.pop(delta.offset, []) + self._by_name.pop(oid, [])
            if further:
                stack.append((made, further))

    def _completed(self, count: int) -> bytes:
        """The pack with the objects that its deltas stand on, which a thin one leaves out."""
        for oid in [oid for oid in self._by_name if oid in self._rows]:
            offset = self._rows[oid][0]
            if offset in self._whole:
                number, start, length = self._whole[offset]
                self._by_offset.pop(offset, None)
                self._follow(KIND_NAMES[number], self._inflate(start, length)[0], self._by_name.pop(oid))
        added: list[bytes] = []
        size = self._end
        while self._by_name:
            oid, deltas = next(iter(self._by_name.items()))
            base = self._base_of(oid)
            if base is None:
                raise Corrupt(f"the pack has a delta on {oid.hex()}, which is missing")
            del self._by_name[oid]
            kind, content = base
            entry = entry_of(KIND_NUMBERS[kind], len(content)) + zlib.compress(content)
            self._rows[oid] = size, zlib.crc32(entry)
            added.append(entry)
            size += len(entry)
            self._follow(base[0], content, deltas)
        if not added:
            return self._data
        head = b"PACK" + struct.pack(">II", 2, count + len(added))
        body = head + self._data[12 : self._end] + b"".join(added)
        return body + hasher(self._hash_name, body).digest()


def index_of(rows: list[tuple[bytes, int, int]], seal: bytes, hash_name: str) -> bytes:
    """The index of a pack (version 2) of sorted rows (name, offset, checksum); `seal` is the pack's own checksum."""
    fan = [0] * 256
    for oid, _, _ in rows:
        fan[oid[0]] += 1
    far = [offset for _, offset, _ in rows if offset > _FAR]
    places = iter(range(len(far)))
    near = [offset if offset <= _FAR else 1 << 31 | next(places) for _, offset, _ in rows]
    count = len(rows)
    body = b"".join(
        [
            b"\xfftOc", struct.pack(">I256I", 2, *accumulate(fan)), *(row[0] for row in rows),
            struct.pack(f">{count}I", *(row[2] for row in rows)), struct.pack(f">{count}I", *near),
            struct.pack(f">{len(far)}Q", *far), seal,
        ]
    )  # fmt: skip
    return body + hasher(hash_name, body).digest()


def entry_of(kind: int, size: int) -> bytes:
    """The header of an entry of a pack."""
    out = bytearray([kind << 4 | size & 15])
    size >>= 4
    while size:
        out[-1] |= 128
        out.append(size & 127)
        size >>= 7
    return bytes(out)
