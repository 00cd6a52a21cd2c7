"""The multi-pack-index: one look-up for many packs. A broken one is ignored, and the packs' own indexes are used."""

import struct
from collections.abc import Iterator
from itertools import pairwise

from ..disk.opened import FileView
from ..errors import Corrupt, text
from .hashes import HASH_VERSIONS
from .pack_index import bisect_oids

_TABLE_LIMIT = 8 << 20


class MultiPackIndex:
    """`objects/pack/multi-pack-index`, version 1: from an oid to (pack name without suffix, offset)."""

    __slots__ = (
        "_buckets",
        "_fan",
        "_large_at",
        "_large_end",
        "_offsets_at",
        "_oids_at",
        "_view",
        "count",
        "hash_len",
        "names",
    )

    def __init__(self, view: FileView, hash_len: int) -> None:
        self._view = view
        self.hash_len = hash_len
        head = view.read(0, 12)
        if view.size < 12 + hash_len or len(head) < 12:
            raise Corrupt(f"multi-pack-index file {text(view.path)} is too small", prefix="error")
        if head[:4] != b"MIDX":
            raise Corrupt(f"multi-pack-index signature 0x{head[:4].hex()} does not match signature 0x4d494458")
        if head[4] != 1:
            raise Corrupt(f"multi-pack-index version {head[4]} not recognized", prefix="error")
        if head[5] != HASH_VERSIONS[hash_len]:  # the number of base files behind it is read by no git
            words = f"hash version {head[5]} does not match version {HASH_VERSIONS[hash_len]}"
            raise Corrupt(f"multi-pack-index {words}", prefix="error")
        packs = int.from_bytes(head[8:12], "big")
        chunks = read_chunks(view, 12, head[6], hash_len, "multi-pack-index")
        try:
            names, _, oids, offsets = (chunks[name] for name in (b"PNAM", b"OIDF", b"OIDL", b"OOFF"))
        except KeyError as missing:
            raise Corrupt(f"multi-pack-index required chunk {missing} missing or corrupted", prefix="error") from None
        self._fan = [0, *read_fan(view, chunks)]
        if self._fan != sorted(self._fan):
            raise Corrupt("multi-pack-index fan-out is not in order", prefix="error")
        self.count: int = self._fan[256]
        if oids[1] < self.count * hash_len or offsets[1] < self.count * 8 or names[1] > _TABLE_LIMIT:
            raise Corrupt("multi-pack-index chunks are too short", prefix="error")
        self.names = self._names(view.read(*names), packs)
        self._oids_at = oids[0]
        self._offsets_at = offsets[0]
        self._large_at, length = chunks.get(b"LOFF", (0, 0))
        self._large_end = self._large_at + length
        self._buckets: dict[int, bytes] = {}

    @staticmethod
    def _names(data: bytes, packs: int) -> list[bytes]:
        names = [name[:-4] for name in data.split(b"\0")[:packs] if name.endswith((b".idx", b".pack"))]
        if len(names) != packs or any(b"/" in name or name.startswith(b".") for name in names):
            raise Corrupt("multi-pack-index pack names are broken", prefix="error")
        return names

    def find(self, oid: bytes) -> tuple[bytes, int] | None:
        """(pack name, offset) of an object, or None if no pack of the index has it."""
        width = self.hash_len
        data = self._bucket(oid[0])
        at = data.find(oid)
        if at > 0 and at % width:  # a match across two oids: rare by chance, but names can be made so
            at = bisect_oids(data, oid, width, len(data) // width) * width
        if at < 0 or not data.startswith(oid, at):
            return None
        return self._location(self._fan[oid[0]] + at // width)

    def _location(self, position: int) -> tuple[bytes, int] | None:
        """(pack name, offset) of the object at a position."""
        row = self._view.read(self._offsets_at + position * 8, 8)
        if len(row) != 8:
            return None
        pack, offset = struct.unpack(">II", row)
        if offset & 0x80000000 and self._large_at:
            at = self._large_at + (offset & 0x7FFFFFFF) * 8
            if at + 8 > self._large_end:
                return None
            offset = int.from_bytes(self._view.read(at, 8), "big")
        return (self.names[pack], offset) if pack < len(self.names) else None

    @property
    def view(self) -> FileView:
        """The file itself."""
        return self._view

    def rows(self) -> Iterator[tuple[bytes, tuple[bytes, int] | None]]:
        """Every oid in the file's order, with (pack name, offset); None instead if these are invalid."""
        width = self.hash_len
        for position in range(self.count):
            oid = self._view.read(self._oids_at + position * width, width)
            yield oid, self._location(position)

    def _bucket(self, first: int) -> bytes:
        data = self._buckets.get(first)
        if data is None:
            low, high = self._fan[first], self._fan[first + 1]
            data = self._view.read(self._oids_at + low * self.hash_len, (high - low) * self.hash_len)
            self._buckets[first] = data
        return data


def read_chunks(view: FileView, at: int, count: int, hash_len: int, what: str) -> dict[bytes, tuple[int, int]]:
    """The chunk table of a multi-pack-index or commit-graph: from id to (offset, length), each within the file."""
    table = view.read(at, (count + 1) * 12)
    if len(table) != (count + 1) * 12 or at + len(table) + hash_len > view.size:
        raise Corrupt(f"{what} file is too small to hold {count} chunks", prefix="error")
    rows = list(struct.iter_unpack(">4sQ", table))
    chunks: dict[bytes, tuple[int, int]] = {}
    for (name, start), (_, end) in pairwise(rows):
        if not at + len(table) <= start <= end <= view.size - hash_len or name == b"\0\0\0\0":
            raise Corrupt(f"improper chunk offset(s) {start:x} and {end:x}", prefix="error")
        chunks[name] = (start, end - start)
    return chunks


def read_fan(view: FileView, chunks: dict[bytes, tuple[int, int]]) -> list[int]:
    """The fan-out as stored. Raises KeyError if there is none."""
    table = view.read(chunks[b"OIDF"][0], 1024)
    if chunks[b"OIDF"][1] != 1024 or len(table) != 1024:
        raise Corrupt(f"{text(view.path)}: the fan-out has the wrong size", prefix="error")
    return list(struct.unpack(">256I", table))
