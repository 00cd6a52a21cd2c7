"""The interface of the sources in which the object database looks for objects: packs, loose files, another library.

The database asks its sources one after the other, by oid, and knows nothing else about them. The packs and the loose
files of an `objects` directory and its alternates are sources, and so is any object store of dulwich
(`bridge/source.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..annotations import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .pack import Pack


class ObjectSource(Protocol):
    """A source of objects. Oids are raw bytes; kinds are b"commit", b"tree", b"blob", b"tag".

    Each method returns None (`has`: False) if the source does not have the object. It raises `Corrupt` for an invalid
    object and `TooLarge` beyond the caller's limits. A source whose own copy cannot be read may raise `BrokenCopy`:
    then the database asks the other sources.
    """

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content)."""

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size of the content)."""

    def has(self, oid: bytes) -> bool:
        """Whether the source has the object."""

    def disk_size(self, oid: bytes) -> int | None:
        """The number of bytes the object takes where it is stored."""

    def delta_base(self, oid: bytes) -> bytes | None:
        """The oid of the base that the object is stored as a delta against; all zero if it is stored whole."""


class ListedSource(ObjectSource, Protocol):
    """A source besides the object directories. It also lists its objects, for abbreviated names."""

    def oids(self) -> Iterable[bytes]:
        """The oids of all its objects, in any order."""

    def refresh(self) -> None:
        """A new command begins: whatever may have changed is read again when it is needed."""


class LongHistory(Exception):
    """A walk that can begin again by number has read many commits of this pack one by one."""

    def __init__(self, pack: Pack) -> None:
        super().__init__()
        self.pack = pack


class Unnumbered(Exception):
    """There are no numbers left for commits, or none that can be relied on: the walk has to go by oid."""
