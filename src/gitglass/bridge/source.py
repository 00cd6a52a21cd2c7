"""Any dulwich object store as a source of our object database: in memory, overlaid, or in a cloud's bucket.

The jail does not cover the files that dulwich opens itself: a store on disk is read wherever dulwich can read.
The content of each object is hashed and compared with its name, as for loose objects.
"""

from collections.abc import Iterable
from threading import RLock

from dulwich.object_store import BaseObjectStore
from dulwich.objects import ObjectID

from ..errors import Corrupt, TooLarge, Unsupported
from ..limits import step
from ..objects.pack import KIND_NAMES
from ..objects.parsed import object_name
from .errors import from_dulwich


class DulwichSource:
    """An `ObjectSource` over a dulwich object store.

    `lock` is held during each call into dulwich, whose stores are not thread-safe; `limit` is the largest object in
    bytes. One source serves one thread at a time.
    """

    __slots__ = ("_hash_name", "_last", "_limit", "_lock", "_store")

    def __init__(self, store: BaseObjectStore, hash_name: str, *, lock: RLock, limit: int) -> None:
        self._store, self._hash_name, self._lock, self._limit = store, hash_name, lock, limit
        #: the object that was read last: its content is often read right after its kind
        self._last: tuple[bytes, tuple[bytes, bytes]] = b"", (b"", b"")

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content) of an object, hash verified."""
        if self._last[0] == oid:
            return self._last[1]
        step()
        hexed = oid.hex()
        try:
            with self._lock, from_dulwich(f"object {hexed}"):
                number, content = self._store.get_raw(ObjectID(hexed.encode()))
        except KeyError:
            return None
        if len(content) > self._limit:
            raise TooLarge(f"object {hexed} is too large: {len(content)} bytes", size=len(content), limit=self._limit)
        kind = KIND_NAMES.get(number)
        if kind is None:
            raise Corrupt(f"object {hexed} has the unknown type {number}", oid=hexed)
        if object_name(kind, content, self._hash_name) != oid:
            raise Corrupt(f"hash mismatch {hexed}", prefix="error", oid=hexed)
        result = kind, content
        self._last = oid, result
        return result

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size) of an object. dulwich has no method for these alone: the object is read."""
        content = self.read(oid)
        return None if content is None else (content[0], len(content[1]))

    def has(self, oid: bytes) -> bool:
        """Whether the store has the object."""
        name = ObjectID(oid.hex().encode())
        with self._lock, from_dulwich(f"object {oid.hex()}"):
            # the `in` of an overlay only looks at the loose objects of the stores below it
            return name in self._store or self._store.contains_packed(name)

    def disk_size(self, oid: bytes) -> int | None:
        """None if the object is missing. Raises Unsupported otherwise: dulwich does not tell an object's size on
        disk."""
        if not self.has(oid):
            return None
        raise Unsupported("the size of an object on disk is not known of a dulwich object store")

    def delta_base(self, oid: bytes) -> bytes | None:
        """The null oid, which means no delta: every object is handed on whole."""
        return bytes(len(oid)) if self.has(oid) else None

    def oids(self) -> Iterable[bytes]:
        """The names of all objects."""
        with self._lock, from_dulwich("the list of objects"):
            return [bytes.fromhex(name.decode("ascii")) for name in self._store]

    def refresh(self) -> None:
        """Look at the store again from now on: a new command begins."""
        self._last = b"", (b"", b"")
