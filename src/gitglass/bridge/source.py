"""Any object store of dulwich as a source of our object database: in memory, overlaid, in a bucket of some cloud.

What dulwich opens it opens by itself: the jail has no say there, and a store on disk is read with dulwich's own reach.
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

    `lock` is held during each call into dulwich, whose stores are not made for threads; `limit` is the largest object
    in bytes. One source serves one thread at a time.
    """

    __slots__ = ("_hash_name", "_last", "_limit", "_lock", "_store")

    def __init__(self, store: BaseObjectStore, hash_name: str, *, lock: RLock, limit: int) -> None:
        self._store, self._hash_name, self._lock, self._limit = store, hash_name, lock, limit
        #: what was read last: an object's kind is often asked for right before its content
        self._last: tuple[bytes, tuple[bytes, bytes]] = b"", (b"", b"")

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content), hash verified."""
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
        """(kind, size). dulwich has no way to ask for them alone: the object is read."""
        content = self.read(oid)
        return None if content is None else (content[0], len(content[1]))

    def has(self, oid: bytes) -> bool:
        """Whether the object is here."""
        name = ObjectID(oid.hex().encode())
        with self._lock, from_dulwich(f"object {oid.hex()}"):
            # an overlay's `in` sees only the loose objects of what it lies over
            return name in self._store or self._store.contains_packed(name)

    def disk_size(self, oid: bytes) -> int | None:
        """None where the object is not here; else `Unsupported`: dulwich does not say how much room an object takes."""
        if not self.has(oid):
            return None
        raise Unsupported("the size of an object on disk is not known of a dulwich object store")

    def delta_base(self, oid: bytes) -> bytes | None:
        """All zero: every object is handed over whole."""
        return bytes(len(oid)) if self.has(oid) else None

    def oids(self) -> Iterable[bytes]:
        """Every object here."""
        with self._lock, from_dulwich("the list of objects"):
            return [bytes.fromhex(name.decode("ascii")) for name in self._store]

    def refresh(self) -> None:
        """A new command begins."""
        self._last = b"", (b"", b"")
