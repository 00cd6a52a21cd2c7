"""Where objects from elsewhere wait until they are judged: in memory, seen by the plan's own reader and nobody else.

A small pack is taken apart, as git does with fewer than `fetch.unpackLimit` objects; a large one stays a pack. Nothing
of either is on disk before all of it was hashed, judged and connected.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....disk.jail import Jail
from ....disk.opened import BytesView, FileView
from ....errors import BadRequest, Corrupt, MissingObject, NotFound
from ....limits import pause
from ....memories import ByOid
from ....objects.pack import KIND_NAMES, Pack
from ....repo.store import Store
from ...changes import NewPack
from ...view import View
from ..wire.progress import Counter
from .judging import Judge, missing_words
from .reached import beside_parents, reached
from .unpacking import Unpacked, unpack

_FRONT = b"/quarantine"
_CACHE = 32 << 20
_UNPACK_LIMIT = 100


class _Held(Jail):
    """A pack and its index in memory, where files are expected."""

    __slots__ = ("_parts",)

    def __init__(self, data: bytes, index: bytes) -> None:
        self.roots, self.trusting = (_FRONT,), False
        self._parts = {_FRONT + b".pack": data, _FRONT + b".idx": index}

    def view(self, path: bytes) -> FileView | None:
        """One of the two."""
        return BytesView(self._parts[path], path)


class HeldPack:
    """A source of the object database over a pack in memory."""

    def __init__(self, unpacked: Unpacked, hash_len: int, limit: int) -> None:
        jail = _Held(unpacked.data, unpacked.index)
        self._pack = Pack(jail, _FRONT, hash_len, key=1, objects=ByOid(_CACHE).objects, limit=limit)
        self._oids = unpacked.oids

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content)."""
        had = self._pack.fetch(oid)
        return None if had is None else (KIND_NAMES[had[0]], had[1])

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size of the content)."""
        offset = self._pack.find(oid)
        if offset < 0:
            return None
        kind, size = self._pack.kind_size(offset)
        return KIND_NAMES[kind], size

    def has(self, oid: bytes) -> bool:
        """Whether the object is here."""
        return self._pack.find(oid) >= 0

    def disk_size(self, oid: bytes) -> int | None:
        """The bytes it takes in the pack."""
        offset = self._pack.find(oid)
        return None if offset < 0 else self._pack.disk_size(offset)

    def delta_base(self, oid: bytes) -> bytes | None:
        """All zero: as far as anybody asks, nothing is a delta."""
        return bytes(len(oid)) if self.has(oid) else None

    def oids(self) -> Iterable[bytes]:
        """Every object here."""
        return self._oids

    def refresh(self) -> None:
        """A new command begins: nothing changes."""


def take_in(view: View, data: bytes, wants: list[bytes], *, action: str = "fetch") -> int:
    """A pack that came: how many objects it had. Raises Corrupt for whatever makes it unfit, with nothing kept."""
    store = view.store
    odb, limit = store.odb, view.grant.limits.file_bytes
    unpack_limit = _limit(store, action)
    contents: dict[bytes, tuple[bytes, bytes]] = {}
    judge = Judge(store, view.ctx, action=action)
    taken = Counter(view.ctx, "objects checked", int.from_bytes(data[8:12], "big"))

    def take(oid: bytes, kind: bytes, content: bytes) -> None:
        taken.add()
        if len(judge.inside) < unpack_limit:
            contents[oid] = kind, content
        judge(oid, kind, content)

    def base_of(oid: bytes) -> tuple[bytes, bytes] | None:
        try:
            return odb.read_raw(oid)
        except MissingObject:
            return None

    unpacked = unpack(data, store.hash_name, limit=limit, judge=take, base_of=base_of)
    taken.finish()
    if len(judge.inside) < unpack_limit:
        view.new.held.update(contents)
    else:
        contents.clear()
        view.new.packs.append(HeldPack(unpacked, store.hash_len, limit))
        view.packs.append(NewPack(unpacked.name, unpacked.data, unpacked.index, len(unpacked.oids)))
    odb.refresh()
    check_connected(view, judge.finish(store), wants)
    return len(judge.inside)


def take_objects(view: View, objects: Iterable[tuple[bytes, bytes, bytes]], wants: list[bytes], *, action: str) -> int:
    """The same of objects (name, kind, content) that are handed over one by one: their names are proven."""
    judge = Judge(view.store, view.ctx, action=action)
    taken = Counter(view.ctx, "objects checked")
    for oid, kind, content in objects:
        pause()
        taken.add()
        judge(oid, kind, content)
        if view.new.add(kind, content) != oid:
            raise Corrupt(f"hash mismatch {oid.hex()}", oid=oid.hex())
    taken.finish()
    view.odb.refresh()
    check_connected(view, judge.finish(view.store), wants)
    return len(judge.inside)


def check_connected(view: View, outside: Iterable[bytes], wants: list[bytes]) -> None:
    """Raise Corrupt unless all that is wanted, and all that new objects name outside of themselves, is here whole: what
    no ref of ours reaches is followed to its end."""
    odb = view.odb
    names = [*outside, *wants]
    for oid in names:
        if not odb.has(oid):
            raise missing_words(oid)
    odb.fetch_if_missing = False
    tips = {oid for _, oid in view.store.refs.iterate(b"refs/")}
    whole = tips | beside_parents(view, tips)
    open_ends = [oid for oid in dict.fromkeys(names) if oid not in whole and not view.new.has(oid)]
    if open_ends:
        try:
            reached(view.store, open_ends, (), view.ctx.limits, all_refs=True)
        except (BadRequest, NotFound, MissingObject, Corrupt) as error:
            raise Corrupt(error.message) from error


def _limit(store: Store, action: str) -> int:
    """From how many objects on a pack stays a pack (`fetch.unpackLimit`, `transfer.unpackLimit`)."""
    for name in (f"{action}.unpacklimit", "transfer.unpacklimit"):
        wanted = store.config.get_int(name, None)
        if wanted is not None and wanted >= 0:
            return wanted
    return _UNPACK_LIMIT
