"""Packs: the hot path. An oid is found in the `.idx`, its bytes are read from the `.pack`, deltas are followed.

Nothing is mapped (see `jail`): both files are read in windows that stay in memory, bounded in number, which costs two
microseconds a window and makes a pack that is truncated under us an error instead of a death. One fan-out bucket of
the index is one read; within it the place of an oid is guessed (oids are evenly spread) and confirmed by `bytes.find`
over a few dozen neighbours. Small objects are inflated in one call into exactly their claimed size.

Everything a file claims is checked before it is used: counts against file sizes, offsets against the pack's end, sizes
against the limit; delta chains are followed iteratively, and one that comes back to itself is `Corrupt`.
"""

import struct
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from ..errors import Corrupt, TooLarge, text
from .jail import FileView, Jail

COMMIT, TREE, BLOB, TAG, OFS_DELTA, REF_DELTA = 1, 2, 3, 4, 6, 7
KIND_NAMES: dict[int, bytes] = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}
KIND_NUMBERS = {name: number for number, name in KIND_NAMES.items()}

_WINDOW_BITS = 15
_WINDOW = 1 << _WINDOW_BITS
_OVERLAP = 8 << 10
_SMALL = _OVERLAP - 128  # an object claiming at most this much lies within one window, even stored uncompressed
_WINDOWS_KEPT = 1 << 10
_CHUNK = 256 << 10
_PROMOTE = 48  # so many single look-ups of offsets, then the whole table is read
_CACHED = frozenset({TREE, BLOB})
_TABLE_LIMIT = 64 << 20
_BUSY = 600  # look-ups in an index until its buckets become tuples, which bisect faster
_TABLES_UP_TO = 2_000_000  # objects; a tuple takes 60 bytes each

inflate = zlib.decompress
inflater = zlib.decompressobj


class PackIndex:
    """A pack's `.idx`, versions 1 and 2: oid to position, position to oid and offset."""

    __slots__ = (
        "_buckets", "_fan", "_hits", "_large_at", "_lookups", "_offsets", "_offsets_at", "_oids_at", "_stride", "_view",
        "count", "hash_len", "name", "pack_checksum", "tables",
    )  # fmt: skip

    def __init__(self, view: FileView, hash_len: int) -> None:
        self._view = view
        self.name = text(view.path)
        self.hash_len = hash_len
        head = view.read(0, 8 + 1024)
        if len(head) < 1024 + 2 * hash_len - 0 and view.size < 1024 + 2 * hash_len:
            raise Corrupt(f"index file {self.name} is too small", prefix="error")
        self._buckets: dict[int, bytes] = {}
        self._offsets: array[int] | None = None
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
        self._fan = [0, *fan]
        self.count = fan[255]

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
        low, high = self._fan[first], self._fan[first + 1]
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
            return self._fan[first] + at if at < len(table) and table[at] == oid else -1
        bucket = self._buckets.get(first)
        if bucket is None:
            bucket = self.bucket(first)
        width = self.hash_len
        count = len(bucket) // width
        self._lookups += 1
        if self._lookups > _BUSY and self.count <= _TABLES_UP_TO:
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
        return self._fan[first] + at // width

    def base(self, first: int) -> int:
        """How many oids begin with a lower byte."""
        return self._fan[first]

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

    def shared(self, oid: bytes) -> int:
        """The longest start, in hex digits, that an oid shares with another oid of this index."""
        first = oid[0]
        data = self._buckets.get(first)
        if data is None:
            data = self.bucket(first)
        width = self.hash_len
        at = _bisect(data, oid, width, len(data) // width) * width
        best = common_nibbles(oid, data[at - width : at]) if at else 0
        if data.startswith(oid, at):
            at += width
        if at < len(data):
            best = max(best, common_nibbles(oid, data[at : at + width]))
        return best

    def offset(self, position: int) -> int:
        """Where the object at a position begins in the pack."""
        offsets = self._offsets
        if offsets is not None:
            value = offsets[position]
            return value if value < 0x80000000 else self._large(value)
        if self._offsets_at == 0:
            return int.from_bytes(self._view.read(self._oids_at + position * self._stride, 4), "big")
        self._hits += 1
        if self._hits > _PROMOTE and self.count * 4 <= _TABLE_LIMIT:
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
                self._offsets = table

    def _large(self, value: int) -> int:
        at = self._large_at + (value & 0x7FFFFFFF) * 8
        if at + 8 > self._view.size - 2 * self.hash_len:
            raise Corrupt(f"pack index {self.name}: offset beyond the end of the index (corrupt index?)")
        return int.from_bytes(self._view.read(at, 8), "big")

    def offsets(self) -> list[int]:
        """Every offset, in the index's order."""
        if self._offsets is None and self._offsets_at:
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


class ObjectCache:
    """Objects by an int key, bounded in bytes: two generations, the older one dropped when the younger is full.

    Nearly as good as least-recently-used, with no bookkeeping on a hit, and dict operations only (safe for threads).
    """

    __slots__ = ("_half", "_old", "_size", "_young")

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._young: dict[int, tuple[int, bytes]] = {}
        self._old: dict[int, tuple[int, bytes]] = {}
        self._size = 0

    def get(self, key: int) -> tuple[int, bytes] | None:
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: int, value: tuple[int, bytes]) -> None:
        self._young[key] = value
        self._size += len(value[1]) + 200
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, 0


class Pack:
    """One pack file and its index, opened on first use.

    `key` is this pack's share of the cache's key space. Errors name the pack.
    """

    __slots__ = (
        "_end",
        "_index",
        "_jail",
        "_limit",
        "_order",
        "_reverse",
        "_view",
        "_windows",
        "cache",
        "hash_len",
        "keep",
        "key",
        "mtime",
        "path",
        "promisor",
        "size",
    )  # fmt: skip

    def __init__(
        self,
        jail: Jail,
        path: bytes,
        hash_len: int,
        *,
        key: int,
        cache: ObjectCache,
        limit: int,
        promisor: bool = False,
    ) -> None:
        self._jail = jail
        self.path = path  # without its suffix
        self.hash_len = hash_len
        self.key = key << 44
        self.cache = cache
        self.promisor = promisor
        self._limit = limit
        self._index: PackIndex | None = None
        self._view: FileView | None = None
        self._windows: dict[int, bytes] = {}
        self._order: list[int] | None = None
        self._reverse: dict[int, int] | None = None
        self._end = 0
        self.size = 0
        self.mtime = 0

    @property
    def name(self) -> str:
        return text(self.path) + ".pack"

    @property
    def index(self) -> PackIndex:
        """The opened `.idx`; `Corrupt` when it is broken or gone."""
        if self._index is None:
            view = self._jail.view(self.path + b".idx")
            if view is None:
                raise Corrupt(f"packfile {self.name} index unavailable", prefix="error")
            self._index = PackIndex(view, self.hash_len)
        return self._index

    @property
    def is_open(self) -> bool:
        return self._view is not None

    def open(self) -> FileView:
        """The opened `.pack`, its header and trailer compared with the index."""
        view = self._view
        if view is not None:
            return view
        view = self._jail.view(self.path + b".pack")
        if view is None:
            raise Corrupt(f"packfile {self.name} cannot be accessed", prefix="error")
        head = view.read(0, 12)
        if len(head) < 12 or view.size < 12 + self.hash_len:
            raise Corrupt(f"file {self.name} is far too short to be a packfile", prefix="error")
        signature, version, count = struct.unpack(">4sII", head)
        if signature != b"PACK":
            raise Corrupt(f"file {self.name} is not a GIT packfile", prefix="error")
        if version not in (2, 3):
            raise Corrupt(
                f"packfile {self.name} is version {version} and not supported (try upgrading GIT to a newer version)",
                prefix="error",
            )
        if self._index is not None:
            if count != self._index.count:
                raise Corrupt(
                    f"packfile {self.name} claims to have {count} objects"
                    f" while index indicates {self._index.count} objects",
                    prefix="error",
                )
            if view.read(view.size - self.hash_len, self.hash_len) != self._index.pack_checksum:
                raise Corrupt(f"packfile {self.name} does not match index", prefix="error")
        self.size = view.size
        self._end = view.size - self.hash_len
        self.mtime = int(view.stat.st_mtime)
        self._view = view
        return view

    def find(self, oid: bytes) -> int:
        """Where an object begins in the pack; -1 when it is not there."""
        index = self._index or self.index
        position = index.find(oid)
        return -1 if position < 0 else index.offset(position)

    # --- raw bytes ---------------------------------------------------------------------------------------------------

    def _load(self, number: int) -> bytes:
        """Read one window (and the overlap after it) and keep it."""
        view = self._view or self.open()
        data = view.read(number << _WINDOW_BITS, _WINDOW + _OVERLAP)
        if len(self._windows) >= _WINDOWS_KEPT:
            self._windows = {}
        self._windows[number] = data
        return data

    def _broken(self, offset: int, what: str = "") -> Corrupt:
        return Corrupt(
            f"failed to unpack entry at offset {offset} from {self.name}{what}", prefix="error", offset=offset
        )

    def header(self, offset: int) -> tuple[int, int, int, int | bytes]:
        """(kind number, size claimed, offset of the compressed data, base): base is an offset, an oid, or 0."""
        if not 12 <= offset < (self._end or self._open_end()):
            raise Corrupt(f"offset {offset} is beyond the end of {self.name}", prefix="error")
        number = offset >> _WINDOW_BITS
        data = self._windows.get(number) or self._load(number)
        begin = at = offset & (_WINDOW - 1)
        try:
            byte = data[at]
            kind = byte >> 4 & 7
            size = byte & 15
            shift = 4
            at += 1
            while byte & 128:
                byte = data[at]
                at += 1
                size |= (byte & 127) << shift
                shift += 7
                if shift > 70:
                    raise self._broken(offset, ": bad object header")
            base: int | bytes = 0
            if kind == OFS_DELTA:
                byte = data[at]
                at += 1
                back = byte & 127
                while byte & 128:
                    byte = data[at]
                    at += 1
                    back = (back + 1) << 7 | (byte & 127)
                    if back > offset:
                        break
                base = offset - back
                if base <= 0 or back <= 0:
                    raise self._broken(offset, ": delta base offset is out of bound")
            elif kind == REF_DELTA:
                base = data[at : at + self.hash_len]
                at += self.hash_len
            elif kind == 0 or kind == 5:
                raise Corrupt(f"unknown object type {kind} at offset {offset} in {self.name}", prefix="error")
        except IndexError:
            raise self._broken(offset, ": truncated") from None
        return kind, size, offset + at - begin, base

    def _open_end(self) -> int:
        self.open()
        return self._end

    def inflate(self, at: int, size: int, offset: int) -> bytes:
        """`size` bytes from the zlib stream at `at`; `Corrupt` when it holds more or less."""
        number = at >> _WINDOW_BITS
        data = self._windows.get(number) or self._load(number)
        start = at & (_WINDOW - 1)
        if size <= _SMALL:
            try:
                out = inflate(data[start : start + size + 128], 15, size or 1)
                if len(out) == size:
                    return out
                raise self._broken(offset, ": wrong size")
            except zlib.error:
                pass  # more bytes of input than such a size should need: the slow way tells
        if size > self._limit:
            raise TooLarge(
                f"object at offset {offset} of {self.name} is too large: {size} bytes", size=size, limit=self._limit
            )
        return self._inflate_long(data, start, at, size, offset)

    def _inflate_long(self, data: bytes, start: int, at: int, size: int, offset: int) -> bytes:
        """The same for what may span windows, in steps bounded by the claimed size."""
        stream = zlib.decompressobj()
        parts = []
        have = 0
        feed: bytes = data[start:]
        at += len(feed)
        try:
            while not stream.eof:
                # one byte more than claimed may be asked for: it must not come, but the stream's end must be reached
                out = stream.decompress(feed, size - have + 1)
                have += len(out)
                if have > size:
                    raise self._broken(offset, ": wrong size")
                if out:
                    parts.append(out)
                feed = stream.unconsumed_tail
                if not feed and not stream.eof:
                    if at >= self._end:
                        raise self._broken(offset, ": truncated")
                    feed = self._view.read(at, min(_CHUNK, self._end - at)) if self._view else b""
                    at += len(feed)
                    if not feed:
                        raise self._broken(offset, ": truncated")
        except zlib.error as error:
            raise Corrupt(
                f"inflate: data stream error ({str(error).rpartition(': ')[2]})", prefix="error", offset=offset
            ) from None
        if have != size:
            raise self._broken(offset, ": wrong size")
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def fetch(self, oid: bytes, head: int = 0) -> tuple[int, bytes] | None:
        """(kind number, content) of an object by name; None when the pack has it not.

        `find` and `read` in one: a walk over history comes here for each commit; they are short, and seldom deltas.
        With `head` the content of a commit may end anywhere after so many bytes.
        """
        index = self._index or self.index
        first = oid[0]
        table = index.tables.get(first)
        if table is None:
            position = index.find(oid)
            if position < 0:
                return None
        else:
            position = bisect_left(table, oid)
            if position == len(table) or table[position] != oid:
                return None
            position += index.base(first)
        offset = index.offset(position)
        data = self._windows.get(offset >> _WINDOW_BITS)
        if data is None or offset >= self._end:
            return self.read(offset)
        at = offset & (_WINDOW - 1)
        byte = data[at]
        if byte & 0xF0 != 0x90:  # not a commit of more than 15 bytes
            return self.read(offset)
        size = byte & 15
        byte = data[at + 1]
        size |= (byte & 127) << 4
        at += 2
        if byte & 128:
            byte = data[at]
            size |= (byte & 127) << 11
            at += 1
            if byte & 128 or size > _SMALL:
                return self.read(offset)
        try:
            if head and size > head + 100:
                return COMMIT, inflater().decompress(data[at : at + head], head)
            out = inflate(data[at : at + size + 128], 15, size)
        except zlib.error:
            return self.read(offset)
        return (COMMIT, out) if len(out) == size else self.read(offset)

    # --- objects -----------------------------------------------------------------------------------------------------

    def read(self, offset: int) -> tuple[int, bytes]:
        """(kind number, content) of the object at an offset, deltas applied."""
        key = self.key + offset
        found = self.cache.get(key)
        if found is not None:
            return found
        kind, size, at, base = self.header(offset)
        if kind < OFS_DELTA:
            data = self.inflate(at, size, offset)
            if kind in _CACHED:
                found = (kind, data)
                if size < _CHUNK:
                    self.cache.put(key, found)
                return found
            return kind, data
        return self._undelta(offset, size, at, base, kind)

    def _undelta(self, offset: int, size: int, at: int, base: int | bytes, kind: int) -> tuple[int, bytes]:
        """Follow a delta chain down to a whole (or cached) object, then build up again."""
        from .delta import apply_delta

        cache, key = self.cache, self.key
        chain = [(offset, at, size)]
        seen: set[int] | None = None
        while True:
            if kind == REF_DELTA:
                # only these can lead forward, so only these can make a cycle
                if seen is None:
                    seen = {step[0] for step in chain}
                base = self.find(base)  # type: ignore[arg-type]
                if base < 0 or base in seen:
                    raise self._broken(chain[-1][0], ": its delta base is not to be had")
            if seen is not None:
                seen.add(base)  # type: ignore[arg-type]
            offset = base  # type: ignore[assignment]
            found = cache.get(key + offset)
            if found is not None:
                break
            kind, size, at, base = self.header(offset)
            if kind < OFS_DELTA:
                found = (kind, self.inflate(at, size, offset))
                if size < _CHUNK:
                    cache.put(key + offset, found)
                break
            chain.append((offset, at, size))
        kind, data = found
        limit = self._limit
        try:
            while chain:
                offset, at, size = chain.pop()
                data = apply_delta(data, self.inflate(at, size, offset), limit)
                if len(data) < _CHUNK:
                    cache.put(key + offset, (kind, data))
        except Corrupt as error:
            if "offset" in error.data:
                raise
            raise self._broken(offset, f": {error.message}") from None
        return kind, data

    def kind_size(self, offset: int) -> tuple[int, int]:
        """(kind number, size) of the object at an offset, without building it: of a delta only its head is inflated."""
        kind, size, at, base = self.header(offset)
        if kind < OFS_DELTA:
            return kind, size
        size = self._result_size(at, size, offset)
        seen: set[int] = {offset}
        while kind >= OFS_DELTA:
            if kind == REF_DELTA:
                base = self.find(base)  # type: ignore[arg-type]
                if base < 0 or base in seen:
                    raise self._broken(offset, ": its delta base is not to be had")
            offset = base  # type: ignore[assignment]
            seen.add(offset)
            found = self.cache.get(self.key + offset)
            if found is not None:
                return found[0], size
            kind, _, at, base = self.header(offset)
        return kind, size

    def _result_size(self, at: int, size: int, offset: int) -> int:
        from .delta import delta_sizes

        number = at >> _WINDOW_BITS
        data = self._windows.get(number) or self._load(number)
        start = at & (_WINDOW - 1)
        try:
            head = zlib.decompressobj().decompress(data[start : start + 256], 20)
        except zlib.error:
            raise self._broken(offset) from None
        return delta_sizes(head)[1]

    def delta_base(self, offset: int) -> int:
        """The offset of the base the object at an offset is stored against; 0 when it is stored whole."""
        kind, _, _, base = self.header(offset)
        if kind == OFS_DELTA:
            return base  # type: ignore[return-value]
        if kind == REF_DELTA:
            return max(self.find(base), 0)  # type: ignore[arg-type]
        return 0

    def order(self) -> list[int]:
        """The offsets of all objects in the pack's order, and the end."""
        if self._order is None:
            self.open()
            self._order = [*sorted(self.index.offsets()), self._end]
        return self._order

    def oid_at(self, offset: int) -> bytes | None:
        """The oid of the object that begins at an offset."""
        if self._reverse is None:
            self._reverse = {place: position for position, place in enumerate(self.index.offsets())}
        position = self._reverse.get(offset)
        return None if position is None else self.index.oid(position)

    def disk_size(self, offset: int) -> int:
        """The bytes an object takes in the pack, up to the next one."""
        order = self.order()
        at = bisect_right(order, offset)
        return (order[at] if at < len(order) else self._end) - offset
