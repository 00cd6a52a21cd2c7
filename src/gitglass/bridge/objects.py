"""Our object database as a dulwich object store: read through the jail, within the limits.

Objects that are added stay in memory, up to a limit, and are gone with the store; nothing is ever written. Stored
deltas are handed on as they are (`iter_unpacked_subset`), where dulwich would otherwise send every object whole.
They are not applied before that: the receiver checks them, as git does with what it fetches.
"""

import io
from binascii import hexlify, unhexlify
from collections.abc import Callable, Iterable, Iterator, Set
from typing import BinaryIO

from dulwich.errors import ObjectFormatException
from dulwich.object_format import SHA1, SHA256, ObjectFormat
from dulwich.object_store import MemoryObjectStore, MissingObjectFinder
from dulwich.objects import ObjectID, RawObjectID, ShaFile
from dulwich.pack import REF_DELTA, PackData, PackInflater, UnpackedObject, generate_unpacked_objects

from ..errors import Corrupt, MissingObject, TooLarge
from ..objects.pack import COMMIT, KIND_NUMBERS
from .commits import stored_commit
from .errors import to_dulwich
from .reading import Reading

_OBJECT_BYTES = 600  # what a dulwich object takes in memory beside its content
_FORMATS: dict[str, ObjectFormat] = {"sha1": SHA1, "sha256": SHA256}


class JailedObjectStore(MemoryObjectStore):
    """The objects of a jailed repository and, in memory, those that were added.

    Raises KeyError for a missing object, ObjectFormatException for a broken one; `Timeout`, `TooLarge` and
    `SandboxViolation` (`gitglass.errors`) are raised as everywhere. Each thread reads with a store of its own; only one
    thread may add objects. Replacement refs are not applied: dulwich checks every object's name.
    """

    def __init__(self, reading: Reading) -> None:
        store, _ = reading.own()
        super().__init__(object_format=_FORMATS[store.hash_name])
        self._reading = reading
        self._room = reading.limits.max_memory_bytes

    # --- which objects exist -----------------------------------------------------------------------------------------

    def _raw(self, name: ObjectID | RawObjectID) -> bytes:
        """An object's name in bytes. Raises KeyError for a text that is no name."""
        if len(name) == self.object_format.oid_length:
            return name
        try:
            raw = unhexlify(name)
        except ValueError:
            raise KeyError(name) from None
        if len(raw) != self.object_format.oid_length:
            raise KeyError(name)
        return raw

    def contains_loose(self, sha: ObjectID) -> bool:
        """Whether the object is a loose object, or was added."""
        raw = self._raw(sha)
        if ObjectID(raw.hex().encode()) in self._data:
            return True
        store, ctx = self._reading.own()
        with ctx, to_dulwich(sha):
            return any(directory.loose.has(raw) for directory in store.odb.dirs)

    def contains_packed(self, sha: ObjectID | RawObjectID) -> bool:
        """Whether a pack contains the object."""
        raw = self._raw(sha)
        store, ctx = self._reading.own()
        with ctx, to_dulwich(sha):
            return store.odb.packed(raw)

    def __contains__(self, sha: ObjectID) -> bool:
        try:
            raw = self._raw(sha)
        except KeyError:
            return False
        if self._data and ObjectID(raw.hex().encode()) in self._data:
            return True
        store, ctx = self._reading.own()
        with ctx, to_dulwich(sha):
            return store.odb.has(raw)

    def __iter__(self) -> Iterator[ObjectID]:
        """The names of all objects, sorted; those that were added come first."""
        store, ctx = self._reading.own()
        added = list(self._data)
        with ctx:
            store.odb.refresh()
            names = store.odb.names.all()
        yield from added
        for oid in names:
            name = ObjectID(oid.hex().encode())
            if name not in self._data:
                yield name

    def iter_prefix(self, prefix: bytes) -> Iterator[ObjectID]:
        """The names of all objects that begin with these hex digits."""
        store, ctx = self._reading.own()
        with ctx:
            store.odb.refresh()
            names = [oid.hex().encode() for oid in store.odb.names.beginning(prefix.decode("ascii", "replace"))]
        added = [name for name in self._data if name.startswith(prefix)]
        yield from (ObjectID(name) for name in dict.fromkeys([*added, *names]))

    # --- their content -----------------------------------------------------------------------------------------------

    def get_raw(self, name: ObjectID | RawObjectID) -> tuple[int, bytes]:
        """(type number, content) of an object."""
        raw = self._raw(name)
        if self._data and (added := self._data.get(ObjectID(raw.hex().encode()))) is not None:
            return added.type_num, added.as_raw_string()
        return self._read(raw, name)

    def _read(self, raw: bytes, name: bytes) -> tuple[int, bytes]:
        """(type number, content) of an object that was not added. (Called for each commit of a walk, so without a
        context manager.)"""
        store, ctx = self._reading.own()
        with ctx:
            try:
                kind, content = store.odb.read_raw(raw)
            except MissingObject:
                raise KeyError(name) from None
            except Corrupt as error:
                raise ObjectFormatException(error.message) from error
        return KIND_NUMBERS[kind], content

    def __getitem__(self, name: ObjectID | RawObjectID) -> ShaFile:
        raw = self._raw(name)
        hexed = ObjectID(hexlify(raw))
        if self._data and hexed in self._data:
            return self._data[hexed].copy()
        number, content = self._read(raw, name)
        if number == COMMIT and (commit := stored_commit(hexed, content, self.object_format)) is not None:
            return commit
        return ShaFile.from_raw_string(number, content, verify_sha=hexed, object_format=self.object_format)

    def get_unpacked_object(self, sha1: ObjectID | RawObjectID, *, include_comp: bool = False) -> UnpackedObject:
        """The object as it is stored: a delta if it is one in its pack. `include_comp` is ignored."""
        return self._unpacked(self._raw(sha1))

    def _unpacked(self, oid: bytes) -> UnpackedObject:
        make = self.object_format.hash_func
        name = ObjectID(oid.hex().encode())
        if name not in self._data:
            store, ctx = self._reading.own()
            with ctx:
                try:
                    delta = store.odb.packs.stored_delta(oid)
                except Corrupt:
                    delta = None  # another copy may be stored whole
            if delta is not None:
                return UnpackedObject(REF_DELTA, delta_base=delta[0], sha=oid, decomp_chunks=[delta[1]], hash_func=make)
        number, content = self.get_raw(name)
        return UnpackedObject(number, sha=oid, decomp_chunks=[content], hash_func=make)

    def iter_unpacked_subset(
        self,
        shas: Iterable[ObjectID | RawObjectID],
        *,
        include_comp: bool = False,
        allow_missing: bool = False,
        convert_ofs_delta: bool = True,
    ) -> Iterator[UnpackedObject]:
        """These objects as they are stored, in the order of their packs; deltas name their base by its oid.

        `include_comp` and `convert_ofs_delta` are ignored: deltas never name a base by its offset.
        """
        store, ctx = self._reading.own()
        wanted = [self._raw(name) for name in shas]
        with ctx:
            wanted.sort(key=store.odb.packs.location)
        for oid in wanted:
            try:
                yield self._unpacked(oid)
            except KeyError:
                if not allow_missing:
                    raise

    def generate_pack_data(
        self,
        have: Iterable[ObjectID],
        want: Iterable[ObjectID],
        *,
        shallow: Set[ObjectID] | None = None,
        progress: Callable[..., None] | None = None,
        ofs_delta: bool = True,
    ) -> tuple[int, Iterator[UnpackedObject]]:
        """The objects reachable from `want` and not from `have`, as (count, objects); stored deltas are handed on."""
        missing = MissingObjectFinder(self, haves=have, wants=want, shallow=shallow, progress=progress)
        others = missing.get_remote_has()
        names = list(missing)
        return len(names), generate_unpacked_objects(
            self, names, progress=progress, ofs_delta=ofs_delta, other_haves=others
        )

    # --- adding objects ----------------------------------------------------------------------------------------------

    def add_object(self, obj: ShaFile) -> None:
        """Keep an object in memory. Raises `TooLarge` if all added objects together exceed the limits'
        `max_memory_bytes`."""
        if obj.id not in self._data:
            self._take(obj.raw_length() + _OBJECT_BYTES)
        super().add_object(obj)

    def _take(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            limit = self._reading.limits.max_memory_bytes
            raise TooLarge(f"the objects that were added need more than {limit} bytes of memory", limit=limit)

    def add_pack(self) -> tuple[BinaryIO, Callable[[], None], Callable[[], None]]:
        """(file, commit, abort): calling `commit` adds the objects of the pack written into `file`, in memory."""
        file = _Incoming(self._room)

        def commit() -> None:
            size = file.tell()
            if size:
                file.seek(0)
                data = PackData.from_file(file, self.object_format, size)
                data.check()
                for obj in PackInflater.for_pack_data(data, self.get_raw):
                    self.add_object(obj)
            file.close()

        return file, commit, file.close


class _Incoming(io.BytesIO):
    """A pack that is being received, up to a number of bytes."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def write(self, data: "bytes | bytearray | memoryview", /) -> int:  # type: ignore[override]
        if self.tell() + len(data) > self._most:
            raise TooLarge("the pack is larger than the objects that may be added", limit=self._most)
        return super().write(data)
