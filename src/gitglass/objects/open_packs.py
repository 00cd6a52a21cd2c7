"""The packs that the stores of one handle have open, and what is remembered of their objects."""

from collections.abc import Callable
from itertools import count
from threading import Lock

from ..memories import ByOid
from .pack import Pack


class OpenPacks:
    """Packs by path, without the suffix; `memory` is the handle's.

    Each pack has a number of its own, which keeps its objects apart in the memory from those of a pack that was at the
    same path before.
    """

    __slots__ = ("_lock", "_number", "_packs", "memory")

    def __init__(self, memory: ByOid) -> None:
        self.memory = memory
        self._lock = Lock()
        self._packs: dict[bytes, Pack] = {}
        self._number = count(1)

    def pack(self, path: bytes, make: Callable[[int], Pack]) -> Pack:
        """The pack at a path; `make` is given its number."""
        with self._lock:
            pack = self._packs.get(path)
            if pack is None:
                pack = self._packs[path] = make(next(self._number))
        return pack

    def drop(self, path: bytes) -> None:
        """The pack is gone."""
        with self._lock:
            self._packs.pop(path, None)

    def clear(self) -> None:
        """Let go of all packs, and forget what was in them."""
        with self._lock:
            self._packs.clear()
        self.memory.clear()
