"""The packs of all object directories of a repository, as one source of objects.

The pack that answered last is asked before the others, a multi-pack-index before single packs. A live git moves objects
about: from loose files into packs, from packs into others, out of packs. A pack that turns out to be gone is forgotten,
and the packs are listed again after a miss.
"""

from collections.abc import Callable
from typing import TypeVar

from ..errors import Corrupt
from .directory import ObjectDir
from .names import TRIES
from .pack import KIND_NAMES, OFS_DELTA, Pack, Vanished

_T = TypeVar("_T")


class BrokenCopy(Corrupt):
    """A source's copy of an object cannot be read; another source may have one that can. `reason` is what is wrong."""

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

    def refresh(self) -> bool:
        """A new command begins. Says whether other packs are asked from now on than before."""
        self._looked_again = False
        changed = False
        for directory in self._opened or ():
            directory.loose.refresh()
            changed |= directory.changed() and directory.scan()
        if changed:
            self.last = None
        return changed

    def close(self) -> None:
        """Let go of the object directories; they are opened again when they are needed."""
        self._opened = self.last = None

    def look_again(self) -> bool:
        """After a miss: whether the packs are others than those asked. They are listed once more a command, later only
        when a pack is gone or a pack directory was written."""
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
        opened = self._opened
        for directory in self.dirs if opened is None else opened:
            location = directory.find(oid)
            if location is not None:
                if directory.midx is None and location[0].is_open:
                    self.last = location[0]
                return location
        return None

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content)."""
        return self._ask(oid, _read)

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size); of a delta only the head is inflated."""
        return self._ask(oid, _head)

    def has(self, oid: bytes) -> bool:
        """Whether a pack has the object."""
        return self.locate(oid) is not None

    def disk_size(self, oid: bytes) -> int | None:
        """The bytes the object takes in its pack."""
        return self._ask(oid, Pack.disk_size)

    def delta_base(self, oid: bytes) -> bytes | None:
        """The oid of the object this one is stored as a delta against; all zero when it is stored whole."""
        return self._ask(oid, _delta_base)

    def stored_delta(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(oid of the base, delta) where the object is stored so, and its base is in the same pack; else None.

        Within one pack no two objects are made of each other; of several packs, asked in some order, that is not sure.
        """
        location = self.locate(oid)
        if location is None:
            return None
        pack, offset = location
        kind, size, at, _ = pack.header(offset)
        if kind < OFS_DELTA:
            return None
        base = pack.oid_at(pack.delta_base(offset))
        other = None if base is None else self.locate(base)
        if base is None or other is None or other[0] is not pack:
            return None
        return base, pack.inflate(at, size, offset)

    def location(self, oid: bytes) -> tuple[int, int]:
        """Where an object is stored, to read many in the order of their packs; (0, 0) where no pack has it."""
        location = self.locate(oid)
        return (0, 0) if location is None else (location[0].key, location[1])

    def _ask(self, oid: bytes, question: Callable[[Pack, int], _T]) -> _T | None:
        for _ in range(TRIES):
            location = self.locate(oid)
            if location is None:
                return None
            try:
                return question(*location)
            except Vanished as gone:
                self.last = None
                for directory in self.dirs:
                    directory.drop(location[0], gone)
            except Corrupt as error:
                return self._other_copy(oid, question, location, error)
        return None

    def _other_copy(
        self, oid: bytes, question: Callable[[Pack, int], _T], broken: tuple[Pack, int], error: Corrupt
    ) -> _T:
        """What another pack says of an object that cannot be read from one (or not from there: the offset that a
        multi-pack-index gives may be wrong, and that of the pack's own index right)."""
        self.last = None
        for directory in self.dirs:
            for pack in directory.indexed():
                offset = pack.find(oid)
                if offset >= 0 and (pack, offset) != broken:
                    try:
                        return question(pack, offset)
                    except Corrupt:
                        continue
        words = f"packed object {oid.hex()} (stored in {broken[0].name}) is corrupt"
        raised = BrokenCopy(words, oid=oid.hex())
        raised.reason = error
        raise raised


def _read(pack: Pack, offset: int) -> tuple[bytes, bytes]:
    kind, data = pack.read(offset)
    return KIND_NAMES[kind], data


def _head(pack: Pack, offset: int) -> tuple[bytes, int]:
    kind, size = pack.kind_size(offset)
    return KIND_NAMES[kind], size


def _delta_base(pack: Pack, offset: int) -> bytes:
    base = pack.delta_base(offset)
    return (pack.oid_at(base) if base else None) or bytes(pack.hash_len)
