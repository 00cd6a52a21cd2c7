"""Where the object database looks for an object: in packs, in loose files, in a store of another library.

The database asks its sources one after the other, by oid, and knows nothing else of them. The packs and loose files of
an `objects` directory and of its alternates are sources, and so is any object store of dulwich (`bridge/source.py`).
"""

from collections.abc import Iterable

from ..annotations import Protocol


class ObjectSource(Protocol):
    """A place where objects are kept. Oids are raw bytes; kinds are b"commit", b"tree", b"blob", b"tag".

    Each question is answered with None (`has`: False) where the source does not have the object. `Corrupt` is raised
    for what cannot be what it claims, `TooLarge` beyond the caller's limits; what a source's own copy is worth is its
    own affair, except that the `BrokenCopy` it raises makes the database ask the other sources.
    """

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content)."""

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size of the content)."""

    def has(self, oid: bytes) -> bool:
        """Whether the object is here."""

    def disk_size(self, oid: bytes) -> int | None:
        """How many bytes the object takes where it is stored."""

    def delta_base(self, oid: bytes) -> bytes | None:
        """The oid of the object that this one is stored as a delta against; all zero when it is stored whole."""


class ListedSource(ObjectSource, Protocol):
    """A source beside the object directories: it also lists what it holds, for abbreviated names."""

    def oids(self) -> Iterable[bytes]:
        """Every object here, in any order."""

    def refresh(self) -> None:
        """A new command begins: what may have changed is looked at again when it is needed."""
