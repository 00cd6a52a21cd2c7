"""Objects that exist for one question only: written to memory, read before the object database.

What a merge would make (`--remerge-diff`) consists of trees and blobs that no repository has; engines that read by oid
need them all the same.
"""

import hashlib
from typing import Any


class Overlay:
    """An object database with a layer of its own. Whatever is not in the layer is asked of the one below."""

    def __init__(self, odb: Any, hash_name: str = "sha1") -> None:
        self._odb = odb
        self._hash_name = hash_name
        self._objects: dict[bytes, tuple[bytes, bytes]] = {}

    def write(self, kind: bytes, data: bytes) -> bytes:
        """Keep an object in memory; returns its oid."""
        oid = hashlib.new(self._hash_name, b"%b %d\0" % (kind, len(data)) + data, usedforsecurity=False).digest()
        self._objects[oid] = (kind, data)
        return oid

    def read(self, oid: bytes) -> tuple[bytes, bytes]:
        """(kind, data) of an object."""
        found = self._objects.get(oid)
        answer: tuple[bytes, bytes] = found if found is not None else self._odb.read(oid)
        return answer

    def kind_size(self, oid: bytes) -> tuple[bytes, int]:
        """(kind, size) of an object."""
        found = self._objects.get(oid)
        answer: tuple[bytes, int] = (found[0], len(found[1])) if found is not None else self._odb.kind_size(oid)
        return answer

    def has(self, oid: bytes) -> bool:
        """Whether there is such an object."""
        return oid in self._objects or bool(self._odb.has(oid))

    def tree(self, oid: bytes) -> bytes:
        """A tree's raw entries."""
        found = self._objects.get(oid)
        answer: bytes = found[1] if found is not None else self._odb.tree(oid)
        return answer

    def blob(self, oid: bytes) -> bytes:
        """A blob's content."""
        found = self._objects.get(oid)
        answer: bytes = found[1] if found is not None else self._odb.blob(oid)
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._odb, name)
