"""Object directories: the packs of each, their multi-pack-index, its loose objects; and all packs as one source.

A broken pack or index is put aside with a complaint, as git does, and the others are asked. The pack that answered last
is asked first, and the multi-pack-index before single packs. A running git moves objects: from loose files into packs,
from one pack into another, out of packs. A pack that proves to be gone is forgotten, and after a miss the packs are
listed again.
"""

from _thread import allocate_lock as Lock
from collections.abc import Callable, Iterable, Iterator
from itertools import count

from ..annotations import TYPE_CHECKING, TypeVar
from ..deferred import deferred
from ..disk.jail import Jail
from ..disk.opened import Stamp
from ..errors import Corrupt, GitError, SandboxViolation, text
from ..limits import need, settled, step
from ..memories import BY_BYTES, ByOid, Files
from .delta import apply_delta
from .hashes import LENGTHS
from .loose import Loose
from .pack import KIND_NAMES, OFS_DELTA, WINDOW_BYTES, WINDOWS_KEPT, Pack, Vanished

if TYPE_CHECKING:
    from .multi_pack_index import MultiPackIndex
else:
    MultiPackIndex = deferred(__name__, ".multi_pack_index", "MultiPackIndex")


TRIES = 12  # how often packs are listed again while they keep changing
_MAX_PACKS = 100_000
_CROWD = 150  # number of packs from which on file descriptors (two a pack) are saved
_LISTED: Files[Stamp, frozenset[bytes]] = Files("pack directories", files=8, size=1 << 18)


_T = TypeVar("_T")


class OpenPacks:
    """The packs that are open in the stores of one handle, by path without suffix; `memory` is the handle's.

    Each pack has its own number. It keeps the pack's objects in the memory apart from those of an earlier pack with the
    same path.
    """

    __slots__ = ("_lock", "_number", "_packs", "memory")

    def __init__(self, memory: ByOid) -> None:
        self.memory = memory
        self._lock = Lock()
        self._packs: dict[bytes, Pack] = {}
        self._number = count(1)

    def pack(self, path: bytes, make: Callable[[int], Pack]) -> Pack:
        """The pack at a path; if it is new, `make` creates it with its number."""
        with self._lock:
            pack = self._packs.get(path)
            if pack is None:
                pack = self._packs[path] = make(next(self._number))
        return pack

    def drop(self, path: bytes) -> None:
        """Forget a pack that is gone."""
        with self._lock:
            self._packs.pop(path, None)

    def clear(self) -> None:
        """Drop all packs and their objects in the memory."""
        with self._lock:
            self._packs.clear()
        self.memory.clear()


class ObjectDir:
    """One `objects` directory: its packs, their multi-pack-index, its loose objects."""

    __slots__ = (
        "_hash_len", "_jail", "_limit", "_listed", "_opened", "_settled", "_stamp", "complain", "loose", "lost", "midx",
        "packs", "path", "unindexed",
    )  # fmt: skip

    def __init__(
        self, jail: Jail, path: bytes, hash_name: str, opened: OpenPacks, limit: int, complain: Callable[[str], None]
    ) -> None:
        self._jail = jail
        self.path = path
        self._hash_len = LENGTHS[hash_name]
        self._opened = opened
        self._limit = limit
        self.complain = complain
        self.loose = Loose(jail, path, hash_name, limit)
        self.packs: dict[bytes, Pack] = {}
        self.unindexed: list[Pack] = []
        self.midx: MultiPackIndex | None = None
        self.lost = False  # whether a pack proved to be gone since the last listing
        self._listed: frozenset[bytes] = frozenset()
        self._stamp: object = None
        self._settled = False

    def changed(self) -> bool:
        """Whether the pack directory may have been written since it was listed."""
        return not self._settled or self._jail.stamp(self.path + b"/pack") != self._stamp

    def scan(self, *, again: bool = False) -> bool:
        """List the packs (packs listed before stay open) and open the multi-pack-index.

        Returns whether different packs are asked now. `again`: an object was missed, so that a remembered listing must
        not be used.
        """
        folder = self.path + b"/pack"
        stamp = self._stamp = self._jail.stamp(folder)
        self._settled = stamp is None or settled(stamp[0])
        listed = frozenset() if stamp is None else self._files(folder, stamp, again)
        same = listed == self._listed and not self.lost
        if same and self.midx is None and b"multi-pack-index" not in listed:
            return False
        self._listed, self.lost = listed, False
        previous = self.packs
        packs: dict[bytes, Pack] = {}
        for name in sorted(listed):
            base = name[:-4]
            if name.endswith(b".idx") and base + b".pack" in listed and len(packs) < _MAX_PACKS:
                packs[base] = previous.get(base) or self._pack(base, base + b".promisor" in listed)
        for base in previous.keys() - packs.keys():
            self._opened.drop(folder + b"/" + base)
        self.midx = self._open_midx(folder) if b"multi-pack-index" in listed else None
        indexed = set(self.midx.names) if self.midx else set()
        windows = min(WINDOWS_KEPT, self._opened.memory.limit // WINDOW_BYTES)  # few for a small memory
        for pack in packs.values():
            pack.crowded = len(packs) > _CROWD
            pack.windows_kept = max(windows // len(packs), 16)
        self.packs = packs
        self.unindexed = [pack for base, pack in packs.items() if base not in indexed]
        return not same

    def _files(self, folder: bytes, stamp: Stamp, again: bool) -> frozenset[bytes]:
        """The names in the pack directory; remembered, for all handles, while its stamp stays the same."""
        listed = None if again else BY_BYTES.get(_LISTED, folder, stamp)
        if listed is None:
            listed = frozenset([name for name, kind in self._jail.scandir(folder) if kind != "d"])
            if self._settled:
                BY_BYTES.put(_LISTED, folder, stamp, listed, sum(map(len, listed)))
        return listed

    def _pack(self, base: bytes, promisor: bool) -> Pack:
        path, objects = self.path + b"/pack/" + base, self._opened.memory.objects
        return self._opened.pack(
            path,
            lambda key: Pack(
                self._jail, path, self._hash_len, key=key, objects=objects, limit=self._limit, promisor=promisor
            ),
        )

    def _open_midx(self, folder: bytes) -> MultiPackIndex | None:
        try:
            view = self._jail.view(folder + b"/multi-pack-index")
            return MultiPackIndex(view, self._hash_len) if view else None
        except GitError as error:
            self.complain(self.as_shown(f"error: {error.message}"))
            return None

    def as_shown(self, words: str) -> str:
        """Words that name a file of this directory, with the directory as messages show it."""
        return words.replace(text(self.path) + "/", text(self.loose.shown) + "/")

    def drop(self, pack: Pack, error: GitError) -> None:
        """Put a broken pack aside with a complaint, one that is gone without any, as git does."""
        if isinstance(error, Vanished):
            self.lost = True
            self._opened.drop(pack.path)
        else:
            self.complain(self.as_shown(f"error: {error.message}"))
        self.packs = {base: other for base, other in self.packs.items() if other is not pack}
        self.unindexed = [other for other in self.unindexed if other is not pack]

    def find(self, oid: bytes) -> tuple[Pack, int] | None:
        """(pack, offset) of an object in a pack of this directory."""
        if self.midx is not None:
            location = self.midx.find(oid)
            if location is not None:
                pack = self.packs.get(location[0])
                if pack is not None:
                    return pack, location[1]
        for pack in self.unindexed:
            try:
                offset = pack.find(oid)
            except (Corrupt, SandboxViolation) as error:
                self.drop(pack, error)
                continue
            if offset >= 0:
                return pack, offset
        return None

    def has(self, oid: bytes) -> bool:
        """Whether a pack of this directory has the object; where in the pack is not looked up."""
        if self.midx is not None:
            return self.find(oid) is not None
        for pack in self.unindexed:
            try:
                if pack.has(oid):
                    return True
            except (Corrupt, SandboxViolation) as error:
                self.drop(pack, error)
        return False

    @property
    def bitmaps(self) -> bool:
        """Whether some pack has a reachability bitmap."""
        return any(name.endswith(b".bitmap") for name in self._listed)

    def kept(self) -> Iterator[Pack]:
        """The packs with a `.keep` file, which repacking leaves alone."""
        names = self._listed
        for base, pack in list(self.packs.items()):
            if base + b".keep" in names:
                yield pack

    def indexed(self) -> Iterator[Pack]:
        """The packs whose index can be read."""
        for pack in list(self.packs.values()):
            try:
                _ = pack.index
            except (Corrupt, SandboxViolation) as error:
                self.drop(pack, error)
                continue
            yield pack

    def count(self) -> int:
        """git's estimate of the number of packed objects: an object in two packs counts twice."""
        if self.midx is None:
            return total(self.indexed())
        unindexed = {id(pack) for pack in self.unindexed}
        return self.midx.count + total(pack for pack in self.indexed() if id(pack) in unindexed)


def total(packs: Iterable[Pack]) -> int:
    """The number of objects in these packs."""
    count = 0
    for pack in packs:
        count += pack.index.count
    return count


class BrokenCopy(Corrupt):
    """A source's copy of an object cannot be read; another source may have an intact copy. `reason` is the error."""

    reason: Corrupt


class PackedObjects:
    """Objects in packs. `directories` opens the object directories when they are first needed."""

    __slots__ = ("_directories", "_looked_again", "_opened", "last")

    def __init__(self, directories: Callable[[], list[ObjectDir]]) -> None:
        self._directories = directories
        self._opened: list[ObjectDir] | None = None
        self._looked_again = False
        #: the open pack that answered last
        self.last: Pack | None = None

    @property
    def dirs(self) -> list[ObjectDir]:
        """The object directory and its alternates."""
        opened = self._opened
        if opened is None:
            opened = self._opened = self._directories()
        return opened

    def newest(self) -> Pack | None:
        """The open pack that answered last, for readers that read on from it."""
        return self.last

    def refresh(self) -> bool:
        """A new command begins; returns whether different packs are asked now."""
        self._looked_again = False
        changed = False
        for directory in self._opened or ():
            directory.loose.refresh()
            changed |= directory.changed() and directory.scan()
        if changed:
            self.last = None
        return changed

    def close(self) -> None:
        """Drop the object directories; they are opened again when needed."""
        self._opened = self.last = None

    def look_again(self) -> bool:
        """List the packs again after a miss; returns whether they have changed. The first miss of a command always
        lists them, later ones only if a pack is gone or a pack directory was written."""
        if self._opened is None:
            return False
        look = [
            directory for directory in self._opened if not self._looked_again or directory.lost or directory.changed()
        ]
        self._looked_again = True
        changed = [directory for directory in look if directory.scan(again=True)]
        if changed:
            self.last = None
        return bool(changed)

    def locate(self, oid: bytes) -> tuple[Pack, int] | None:
        """(pack, offset) of an object."""
        last = self.last
        if last is not None:
            offset = last.find(oid)
            if offset >= 0:
                return last, offset
        return self._search(oid)

    def _search(self, oid: bytes) -> tuple[Pack, int] | None:
        """`locate`, after the pack that answered last was asked."""
        opened = self._opened
        for directory in self.dirs if opened is None else opened:
            location = directory.find(oid)
            if location is not None:
                if directory.midx is None and location[0].is_open:
                    self.last = location[0]
                return location
        return None

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content) of an object."""
        return self._ask(oid, _read)

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size) of an object; only the start of a delta is inflated."""
        return self._ask(oid, _head)

    def indexed(self) -> Iterator[Pack]:
        """All packs, with their indexes."""
        return (pack for directory in self.dirs for pack in directory.indexed())

    def size_at_hand(self, oid: bytes) -> int | None:
        """The size of an object in the pack that answered last, of a delta without a look at its base; None where that
        does not tell."""
        return self.at_hand(oid, Pack.content_size)

    def at_hand(self, oid: bytes, question: Callable[[Pack, int], _T]) -> _T | None:
        """The answer of the pack that answered last; None where others have to be asked, which may have an intact
        copy."""
        last = self.last
        try:
            offset = -1 if last is None else last.find(oid)
            return None if last is None or offset < 0 else question(last, offset)
        except Corrupt:
            return None

    def has(self, oid: bytes) -> bool:
        """Whether a pack has the object."""
        last = self.last
        if last is not None and last.has(oid):
            return True
        return any(directory.has(oid) for directory in self.dirs)

    def disk_size(self, oid: bytes) -> int | None:
        """The number of bytes the object takes in its pack."""
        return self._ask(oid, Pack.disk_size)

    def delta_base(self, oid: bytes) -> bytes | None:
        """The oid of the base that the object is stored as a delta against; all zero if it is stored whole."""
        return self._ask(oid, _delta_base)

    def stored_delta(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(oid of the base, delta) if the object is stored as a delta and its base is found in the same pack, or None.

        Within one pack no two objects are based on each other. Across packs that could happen, as the order in which
        packs are asked may differ.
        """
        location = self.locate(oid)
        if location is None:
            return None
        pack, offset = location
        kind, size, at, _ = pack.header(offset)
        if kind < OFS_DELTA:
            return None
        base = pack.oid_at(pack.delta_base(offset))
        base_location = None if base is None else self.locate(base)
        if base is None or base_location is None or base_location[0] is not pack:
            return None
        return base, pack.inflate(at, size, offset)

    def location(self, oid: bytes) -> tuple[int, int]:
        """A sort key for reading many objects in the order of their packs; (0, 0) if no pack has the object."""
        location = self.locate(oid)
        return (0, 0) if location is None else (location[0].key, location[1])

    def _ask(self, oid: bytes, question: Callable[[Pack, int], _T]) -> _T | None:
        for _ in range(TRIES):
            location = self.locate(oid)
            if location is None:
                return None
            try:
                return question(*location)
            except Vanished as error:
                self.last = None
                for directory in self.dirs:
                    directory.drop(location[0], error)
            except Corrupt as error:
                return self._other_copy(oid, question, location, error)
        return None

    def _other_copy(
        self, oid: bytes, question: Callable[[Pack, int], _T], broken: tuple[Pack, int], error: Corrupt
    ) -> _T:
        """Ask other packs about an object that cannot be read from one; or the same pack at another offset, since the
        one in a multi-pack-index may be wrong while the pack's own index is right."""
        self.last = None
        for directory in self.dirs:
            for pack in directory.indexed():
                offset = pack.find(oid)
                if offset >= 0 and (pack, offset) != broken:
                    try:
                        return question(pack, offset)
                    except Corrupt:
                        continue
        if question is _read and (rebuilt := self._on_other_base(broken, error)) is not None:
            return rebuilt  # type: ignore[return-value]
        words = f"packed object {oid.hex()} (stored in {self._name(broken[0])}) is corrupt"
        raised = BrokenCopy(words, oid=oid.hex())
        raised.reason = error
        raise raised

    def _on_other_base(self, broken: tuple[Pack, int], error: Corrupt) -> tuple[bytes, bytes] | None:
        """(kind, content) of a delta whose base cannot be read, from another copy of that; None if there is none."""
        pack = broken[0]
        need(pack.index.count * 100)  # to tell names by offsets
        below = _bases(*broken)
        complain = self.dirs[0].complain
        if below:
            complain(f"error: {error.message}")
        while below:
            _, offset, base = below[-1]
            complain(f"error: failed to read delta base object {base.hex()} at offset {offset} from {self._name(pack)}")
            copy = self._copy(base, pack)
            if copy is not None:
                content = copy[1]
                for at, _, _ in reversed(below):
                    content = apply_delta(content, _delta(pack, at), pack.limit)
                return copy[0], content
            below.pop()
        return None

    def _copy(self, oid: bytes, broken: Pack) -> tuple[bytes, bytes] | None:
        """(kind, content) of an object from any file but a pack, where one can be read."""
        for directory in self.dirs:
            for pack in directory.indexed():
                step()
                offset = -1 if pack is broken else pack.find(oid)
                try:
                    if offset >= 0:
                        return _read(pack, offset)
                except Corrupt:
                    continue
        for directory in self.dirs:
            try:
                stored = directory.loose.read(oid)
            except Corrupt:
                continue
            if stored is not None:
                return stored
        return None

    def _name(self, pack: Pack) -> str:
        """The file of a pack as messages show it."""
        name = pack.name
        for directory in self.dirs:
            name = directory.as_shown(name)
        return name


def _bases(pack: Pack, offset: int) -> list[tuple[int, int, bytes]]:
    """(offset, offset of the base, oid of the base) of each delta that an object is made of, as far down as these can
    be read."""
    below: dict[int, tuple[int, int, bytes]] = {}
    try:
        while pack.header(offset)[0] >= OFS_DELTA:
            step()
            _delta(pack, offset)
            at, offset = offset, pack.delta_base(offset)
            base = pack.oid_at(offset)
            if base is None or offset in below:
                break
            below[offset] = at, offset, base
    except Corrupt:
        pass
    return list(below.values())


def _delta(pack: Pack, offset: int) -> bytes:
    head = pack.header(offset)
    return pack.inflate(head[2], head[1], offset)


def _read(pack: Pack, offset: int) -> tuple[bytes, bytes]:
    kind, data = pack.read(offset)
    return KIND_NAMES[kind], data


def _head(pack: Pack, offset: int) -> tuple[bytes, int]:
    kind, size = pack.kind_size(offset)
    return KIND_NAMES[kind], size


def _delta_base(pack: Pack, offset: int) -> bytes:
    base = pack.delta_base(offset)
    return (pack.oid_at(base) if base else None) or bytes(pack.hash_len)
