"""Packs: an oid is found in the `.idx`, its bytes are read from the `.pack`, deltas are followed. This is the hot path.

Nothing is memory-mapped (see `disk.jail`). Both files are read in windows that stay in memory, bounded in number. That
costs two microseconds a window, and a pack that is truncated while it is read gives an error instead of killing the
process. One fan-out bucket of the index is one read; the position of an oid in it is guessed (oids are evenly spread)
and confirmed by `bytes.find` over a few dozen neighbours. Small objects are inflated in one call to their claimed size.

Everything that a file claims is checked before it is used: counts against file sizes, offsets against the pack's end,
sizes against the limit. Delta chains are followed without recursion, and one that leads back to itself is `Corrupt`.
"""

import io
import struct
import zlib
from bisect import bisect_right

from ..disk.jail import Jail
from ..disk.opened import FileView, LoadedView
from ..errors import Corrupt, TooLarge, text
from ..limits import need, pause, step
from ..memories import ObjectCache
from .delta import apply_delta, apply_deltas, delta_sizes
from .pack_index import PackIndex

COMMIT, TREE, BLOB, TAG, OFS_DELTA, REF_DELTA = 1, 2, 3, 4, 6, 7
KIND_NAMES: dict[int, bytes] = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}
KIND_NUMBERS = {name: number for number, name in KIND_NAMES.items()}

WINDOW_BITS = 15
_WINDOW = 1 << WINDOW_BITS
IN_WINDOW = _WINDOW - 1
_OVERLAP = 8 << 10
_NEAR = 4 << 10  # objects that are so many bytes apart are read in windows
AFTER = 128  # input bytes given beyond the claimed size: zlib adds fewer to data that does not shrink
SMALL = _OVERLAP - AFTER  # an object with at most this claimed size lies within one window, even if it did not shrink
#: Room for output beyond the claimed size: zlib's fast loop stops when less is left, so small objects would not use it.
ROOM = 258
SLACK = 64  # a compressed head has at most so many bytes more than its content
WINDOW_BYTES = _WINDOW + _OVERLAP
WINDOWS_KEPT = 1 << 10  # 40 MiB, shared by the packs of a directory
_LOADED_UP_TO = 2 << 20
_CHUNK = 256 << 10
_STEP = 1 << 20
_MAX_CHAIN = 10_000  # git makes chains of 50, and at most of 4095
_LARGE, _AT_ONCE = 1 << 16, 8  # for objects of so many bytes or more, so many deltas are applied at once,
_COPIED_BITS = 10  # if that saves copying at least 2**10 bytes for each byte of the deltas
_PIECE = 4 << 10  # bytes that are read for the first object in a window: nearly all objects are shorter
_GLANCE = 512  # bytes that are kept of an object whose header was asked for: nearly all commits and tags are shorter
_MOST_KINDS = 1 << 16  # remembered kinds of deltas: 6 MB
_CHAIN_BUDGET = 16  # the results of one delta chain may add up to this many times the limit of an object
_FAR = 0x7FFFFFFF  # a larger value is the position of an offset of 64 bits
_UNCACHED = frozenset({COMMIT, TAG})  # read once, and rarely the base of a delta

inflate = zlib.decompress


class Vanished(Corrupt):
    """A listed pack is gone: a running git has moved its objects to another pack."""


class Pack:
    """One pack file and its index, opened on first use.

    `key` keeps this pack's keys in `objects` apart from those of other packs. Errors name the pack.
    """

    __slots__ = (
        "_index",
        "_jail",
        "_kinds",
        "_order",
        "_reverse",
        "_view",
        "crowded",
        "end",
        "glanced",
        "hash_len",
        "keep",
        "key",
        "limit",
        "mtime",
        "objects",
        "path",
        "promisor",
        "size",
        "sizes_asked",
        "windows",
        "windows_kept",
    )  # fmt: skip

    def __init__(
        self,
        jail: Jail,
        path: bytes,
        hash_len: int,
        *,
        key: int,
        objects: ObjectCache,
        limit: int,
        promisor: bool = False,
    ) -> None:
        self._jail = jail
        self.path = path  # without its suffix
        self.hash_len = hash_len
        self.key = key << 44
        self.objects = objects
        self.promisor = promisor
        self.limit = limit
        self._index: PackIndex | None = None
        self._view: FileView | None = None
        self.windows: dict[int, bytes] = {}
        #: by window of which only the beginning of one object was read: (the object's offset, those bytes if kept)
        self.glanced: dict[int, tuple[int, bytes]] = {}
        self.windows_kept = WINDOWS_KEPT
        self.crowded = False  # one of very many packs: small files are read as a whole and closed
        self._kinds: dict[int, int] = {}  # of deltas by offset, as `kind` found them
        self._order: list[int] | None = None
        self._reverse: dict[int, int] | None = None
        self.end = 0
        self.size = 0
        self.sizes_asked = 0  # of objects in windows that were not read
        self.mtime = 0

    @property
    def name(self) -> str:
        return text(self.path) + ".pack"

    @property
    def written(self) -> int:
        """The time when the pack was written, in seconds; 0 if the pack is gone."""
        status = self._jail.stat(self.path + b".pack")
        return 0 if status is None else int(status.st_mtime)

    @property
    def index(self) -> PackIndex:
        """The opened `.idx`. Raises `Corrupt` if it is broken or gone."""
        if self._index is None:
            view = self._jail.view(self.path + b".idx")
            if view is None:
                raise Vanished(f"packfile {self.name} index unavailable", prefix="error")
            self._index = PackIndex(self._held(view), self.hash_len)
        return self._index

    def _held(self, view: FileView) -> FileView:
        return LoadedView(view) if self.crowded and view.size <= _LOADED_UP_TO else view

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
            raise Vanished(f"packfile {self.name} cannot be accessed", prefix="error")
        view = self._held(view)
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
        self.end = view.size - self.hash_len
        self.mtime = int(view.stat.st_mtime)
        self._view = view
        return view

    def find(self, oid: bytes) -> int:
        """The offset of an object in the pack; -1 if the pack does not have it."""
        index = self._index or self.index
        position = index.find(oid)
        return -1 if position < 0 else index.offset(position)

    def has(self, oid: bytes) -> bool:
        """Whether an object is in the pack."""
        return (self._index or self.index).find(oid) >= 0

    # --- raw bytes ---------------------------------------------------------------------------------------------------

    def load(self, number: int) -> bytes:
        """Read one window, and the overlap after it, and keep it."""
        step()
        view = self._view or self.open()
        data = view.read(number << WINDOW_BITS, _WINDOW + _OVERLAP)
        if len(self.windows) >= self.windows_kept:
            self.windows.clear()
        self.windows[number] = data
        return data

    def piece(self, offset: int) -> tuple[bytes, int]:
        """(bytes of the pack, position of the object in them). The bytes are the window, or only the first ones of the
        first object that is read in a window: the objects that refs point at are far apart."""
        number = offset >> WINDOW_BITS
        data = self.windows.get(number)
        if data is None:
            first = self.glanced.get(number)
            if first is None:
                return self._first_look(number, offset, _PIECE, keep=False), 0
            if first[0] == offset and first[1]:
                return first[1], 0
            data = self.load(number)
        return data, offset & IN_WINDOW

    def _first_look(self, number: int, offset: int, length: int, *, keep: bool) -> bytes:
        """So many bytes of the first object that is looked at in a window; kept if the object may be read next."""
        step()
        data = (self._view or self.open()).read(offset, length)
        if len(self.glanced) >= self.windows_kept:
            self.glanced.clear()
        self.glanced[number] = offset, data if keep else b""
        return data

    def _broken(self, offset: int, what: str = "") -> Corrupt:
        return Corrupt(
            f"failed to unpack entry at offset {offset} from {self.name}{what}", prefix="error", offset=offset
        )

    def header(self, offset: int) -> tuple[int, int, int, int | bytes]:
        """(kind number, claimed size, offset of the compressed data, base); base is an offset, an oid, or 0."""
        if not 12 <= offset < (self.end or self._open_end()):
            raise Corrupt(f"offset {offset} is beyond the end of {self.name}", prefix="error")
        number = offset >> WINDOW_BITS
        return self._header(offset, self.windows.get(number) or self.load(number), offset & IN_WINDOW)

    def glance(self, offset: int) -> tuple[int, int, int, int | bytes]:
        """`header`, for callers that need nothing else of the object, or not yet. Only the second object that is looked
        at in a window makes the window be read, because the objects that refs point at are far apart."""
        number = offset >> WINDOW_BITS
        if number in self.windows or not 12 <= offset < (self.end or self._open_end()):
            return self.header(offset)
        first = self.glanced.get(number)
        if first is None:
            return self._header(offset, self._first_look(number, offset, _GLANCE, keep=True), 0)
        return self._header(offset, first[1], 0) if first[0] == offset and first[1] else self.header(offset)

    def _header(self, offset: int, data: bytes, at: int) -> tuple[int, int, int, int | bytes]:
        """`header`, decoded from `data`, in which the object begins at `at`."""
        begin = at
        try:
            byte = data[at]
            kind = byte >> 4 & 7
            size = byte & 15
            at += 1
            if byte & 128:
                byte = data[at]
                at += 1
                size |= (byte & 127) << 4
                shift = 11
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
        return self.end

    def inflate(self, at: int, size: int, offset: int) -> bytes:
        """The `size` bytes in the zlib stream at `at`. Raises `Corrupt` if it holds more or fewer."""
        number = at >> WINDOW_BITS
        data = self.windows.get(number) or self.load(number)
        start = at & IN_WINDOW
        if size <= SMALL:
            try:
                content = inflate(data[start : start + size + AFTER], 15, size + ROOM)
                if len(content) == size:
                    return content
                raise self._broken(offset, ": wrong size")
            except zlib.error:
                pass  # the stream needs more input than expected: `_inflate_long` decides
        if size > self.limit:
            raise TooLarge(
                f"object at offset {offset} of {self.name} is too large: {size} bytes", size=size, limit=self.limit
            )
        return self._inflate_long(data, start, at, size, offset)

    def _inflate_long(self, data: bytes, start: int, at: int, size: int, offset: int) -> bytes:
        """`inflate` for data that may span windows, in steps bounded by the claimed size."""
        need(size)
        stream = zlib.decompressobj()
        parts = io.BytesIO()
        have = 0
        feed: bytes = data[start : start + size + AFTER]
        at += len(feed)
        try:
            while not stream.eof:
                # One byte more than claimed is asked for: it must not come, but the end of the stream must be reached.
                piece = stream.decompress(feed, min(size - have + 1, _STEP))
                have += len(piece)
                pause()
                if have > size:
                    raise self._broken(offset, ": wrong size")
                if have == len(piece) == size and stream.eof:
                    return piece  # nearly always: one step, and no further copy
                parts.write(piece)
                feed = stream.unconsumed_tail
                if not feed and not stream.eof:
                    if at >= self.end:
                        raise self._broken(offset, ": truncated")
                    # compressed text takes less than half of its size
                    likely = min((size - have) // 2 + _OVERLAP, _CHUNK, self.end - at)
                    feed = self._view.read(at, likely) if self._view else b""
                    at += len(feed)
                    if not feed:
                        raise self._broken(offset, ": truncated")
        except zlib.error as error:
            raise Corrupt(
                f"inflate: data stream error ({str(error).rpartition(': ')[2]})", prefix="error", offset=offset
            ) from None
        if have != size:
            raise self._broken(offset, ": wrong size")
        return parts.getvalue()

    def fetch(self, oid: bytes) -> tuple[int, bytes] | None:
        """(kind number, content) of an object by oid; None if the pack does not have it. `find` and `read` in one."""
        index = self._index or self.index
        position = index.find(oid)
        if position < 0:
            return None
        offsets = index.offset_table
        offset = index.offset(position) if offsets is None else offsets[position]
        return self.read(index.offset(position) if offset > _FAR else offset)

    # --- objects -----------------------------------------------------------------------------------------------------

    def read(self, offset: int) -> tuple[int, bytes]:
        """(kind number, content) of the object at an offset, with deltas applied.

        The common cases are decoded here: small objects that are whole or a delta against a cached base. `_read_any`
        handles all others, and raises the errors.
        """
        cache = self.objects
        key = self.key + offset
        entry = cache.young.get(key)
        if entry is None and cache.old:
            entry = cache.get(key)
        if entry is not None:
            return entry
        if not 12 <= offset < (self.end or self._open_end()):
            return self._read_any(offset)
        data, start = self.windows.get(offset >> WINDOW_BITS), offset & IN_WINDOW
        if data is None:
            data, start = self.piece(offset)
        at = start
        try:
            byte = data[at]
            kind = byte >> 4 & 7
            size = byte & 15
            at += 1
            if byte & 128:
                byte = data[at]
                size |= (byte & 127) << 4
                at += 1
                if byte & 128:
                    byte = data[at]
                    size |= (byte & 127) << 11
                    at += 1
                    if byte & 128 or size > SMALL:
                        return self._read_any(offset)
            if kind == OFS_DELTA:
                byte = data[at]
                at += 1
                back = byte & 127
                while byte & 128:
                    byte = data[at]
                    at += 1
                    back = (back + 1) << 7 | (byte & 127)
                if not 0 < back < offset:
                    return self._read_any(offset)
                base = cache.get(key - back)
                if base is not None:
                    delta = inflate(data[at : at + size + AFTER], 15, size + ROOM)
                    if len(delta) != size:
                        return self._read_any(offset)
                    entry = base[0], apply_delta(base[1], delta, self.limit)
            elif 0 < kind < 5:
                content = inflate(data[at : at + size + AFTER], 15, size + ROOM)
                if len(content) != size:
                    return self._read_any(offset)
                entry = kind, content
            else:
                return self._read_any(offset)
        except (IndexError, zlib.error, Corrupt):
            return self._read_any(offset)
        if entry is None:  # a delta whose base is not cached
            return self._undelta(offset, size, offset + at - start, offset - back, OFS_DELTA)
        if kind not in _UNCACHED and len(entry[1]) < cache.most(kind):
            cache.put(key, entry)
        return entry

    def _read_any(self, offset: int) -> tuple[int, bytes]:
        """`read` for every case, step by step."""
        step()
        kind, size, at, base = self.header(offset)
        if kind >= OFS_DELTA:
            return self._undelta(offset, size, at, base, kind)
        entry = kind, self.inflate(at, size, offset)
        if kind not in _UNCACHED and size < self.objects.most(kind):
            self.objects.put(self.key + offset, entry)
        return entry

    def _undelta(self, offset: int, size: int, at: int, base: int | bytes, kind: int) -> tuple[int, bytes]:
        """Follow a delta chain to a whole (or cached) object, and apply its deltas."""
        cache, key = self.objects, self.key
        chain = [(offset, at, size)]
        visited: set[int] | None = None
        while True:
            if kind == REF_DELTA:
                # only such a base may come later in the pack, so every cycle contains one
                if visited is None:
                    visited = {step[0] for step in chain}
                base = self.find(base)  # type: ignore[arg-type]
                if base < 0 or base in visited:
                    raise self._broken(chain[-1][0], ": its delta base is not to be had")
            if visited is not None:
                visited.add(base)  # type: ignore[arg-type]
            offset = base  # type: ignore[assignment]
            entry = cache.get(key + offset)
            if entry is not None:
                break
            kind, size, at, base = self.header(offset)
            if kind < OFS_DELTA:
                entry = (kind, self.inflate(at, size, offset))
                if size < cache.most(kind):
                    cache.put(key + offset, entry)
                break
            chain.append((offset, at, size))
            if len(chain) > _MAX_CHAIN:
                raise self._broken(offset, ": its delta chain is too long")
        kind, data = entry
        budget = _CHAIN_BUDGET * self.limit
        try:
            while chain:
                step()
                combined = self._built_up(data, chain) if len(data) >= _LARGE and len(chain) > 1 else None
                if combined is None:
                    offset, at, size = chain.pop()
                    data = apply_delta(data, self.inflate(at, size, offset), self.limit)
                else:
                    offset, data = combined
                budget -= len(data)
                if budget < 0:
                    raise TooLarge(f"the delta chain of the object at offset {offset} of {self.name} is too large")
                if len(data) < cache.most(kind):
                    cache.put(key + offset, (kind, data))
        except Corrupt as error:
            if "offset" in error.data:
                raise
            raise self._broken(offset, f": {error.message}") from None
        return kind, data

    def _built_up(self, data: bytes, chain: list[tuple[int, int, int]]) -> tuple[int, bytes] | None:
        """Apply several steps of a delta chain at once and remove them from `chain`: (the offset of the last one, the
        result). None if they have to be applied one by one."""
        several = chain[: -_AT_ONCE - 1 : -1]
        if sum(size for _, _, size in several) << _COPIED_BITS > (len(several) - 1) * len(data):
            return None
        result = apply_deltas(data, [self.inflate(at, size, offset) for offset, at, size in several])
        if result is None or len(result) > self.limit:
            return None
        del chain[-len(several) :]
        return several[-1][0], result

    def kind_size(self, offset: int) -> tuple[int, int]:
        """(kind number, size) of the object at an offset, without building it: only the start of a delta is read."""
        kind, size, at, base = self.glance(offset)
        if kind < OFS_DELTA:
            return kind, size
        return self._kinds.get(offset) or self._kind_below(offset, kind, base), self.made_size(at, offset)

    def content_size(self, offset: int) -> int:
        """The size alone: of a delta's bases nothing is read, and of the object only its first bytes, as who asks for
        the sizes of a few files asks for objects that are far apart. Who asks for many is given them from windows."""
        if not 12 <= offset < (self.end or self._open_end()):
            return self.kind_size(offset)[1]
        number = offset >> WINDOW_BITS
        data, start = self.windows.get(number), offset & IN_WINDOW
        if data is None:
            self.sizes_asked += 1
            if self.sizes_asked * _NEAR > self.size:
                data = self.load(number)
            else:
                step()
                data, start = (self._view or self.open()).read(offset, _GLANCE), 0
        kind, size, at, _ = self._header(offset, data, start)
        return size if kind < OFS_DELTA else self._result_size(data, start + at - offset, offset)

    def kind(self, offset: int) -> int:
        """The kind number of the object at an offset; a delta has the kind of the base at the end of its chain."""
        if kind := self._kinds.get(offset, 0):
            return kind
        entry = self.objects.get(self.key + offset)
        kind, _, _, base = self.glance(offset) if entry is None else (entry[0], 0, 0, 0)
        return kind if kind < OFS_DELTA else self._kind_below(offset, kind, base)

    def _kind_below(self, offset: int, kind: int, base: int | bytes) -> int:
        """`kind` of the delta at an offset, given with what its header says. The kind of each delta on the way is
        remembered: chains have many deltas, and of many objects most are on others' ways."""
        kinds, visited = self._kinds, dict[int, int]()
        while kind >= OFS_DELTA:
            visited[offset] = kind
            if kind == REF_DELTA:
                base = self.find(base)  # type: ignore[arg-type]
                if base < 0 or base in visited:
                    raise self._broken(offset, ": its delta base is not to be had")
            offset = base  # type: ignore[assignment]
            kind = kinds.get(offset, 0)
            if not kind:
                entry = self.objects.get(self.key + offset)
                kind, _, _, base = self.glance(offset) if entry is None else (entry[0], 0, 0, 0)
        if len(kinds) + len(visited) > _MOST_KINDS:
            self._kinds = kinds = {}
        if len(visited) > 1:
            kinds.update(dict.fromkeys(visited, kind))
        return kind

    def made_size(self, at: int, offset: int) -> int:
        """The size of a delta's result. The delta's compressed data begins at `at`, its header at `offset`."""
        number = at >> WINDOW_BITS
        return self._result_size(self.windows.get(number) or self.load(number), at & IN_WINDOW, offset)

    def _result_size(self, data: bytes, start: int, offset: int) -> int:
        """The size of the result of a delta whose compressed data begins at `start` of some bytes of the pack."""
        try:
            head = zlib.decompressobj().decompress(data[start : start + 256], 20)
        except zlib.error:
            raise self._broken(offset) from None
        return delta_sizes(head)[1]

    def delta_base(self, offset: int) -> int:
        """The offset of the base that the object at an offset is stored against; 0 if it is stored whole."""
        kind, _, _, base = self.header(offset)
        if kind == OFS_DELTA:
            return base  # type: ignore[return-value]
        if kind == REF_DELTA:
            return max(self.find(base), 0)  # type: ignore[arg-type]
        return 0

    def order(self) -> list[int]:
        """The offsets of all objects in the pack's order, followed by the end of the pack."""
        if self._order is None:
            self.open()
            self._order = [*sorted(self.index.offsets()), self.end]
        return self._order

    def oid_at(self, offset: int) -> bytes | None:
        """The oid of the object that begins at an offset, or None."""
        if self._reverse is None:
            self._reverse = {begin: position for position, begin in enumerate(self.index.offsets())}
        position = self._reverse.get(offset)
        return None if position is None else self.index.oid(position)

    def disk_size(self, offset: int) -> int:
        """The number of bytes an object takes in the pack: the distance to the next one."""
        order = self.order()
        at = bisect_right(order, offset)
        return (order[at] if at < len(order) else self.end) - offset
