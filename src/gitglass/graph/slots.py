"""The order of objects in git's table of objects, by its slots.

`git fsck` goes through the table at the end, `git name-rev --all` prints it.

An object's home slot is given by its first bytes; where that is taken, the object goes to the next free one. A lookup
moves the object to its home slot by swapping it with the object there (git's move-to-front in `lookup_object`). So the
order depends on all earlier look-ups, and this table is used wherever git uses its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..limits import need, pause, watched

_LEAST = 32
_POINTER = 8
_PROBES = 511  # a mask: the number of probes between two looks at the clock (names may be chosen to collide)


class Slots:
    """Oids in slots."""

    __slots__ = ("_count", "_mask", "_slots")

    def __init__(self) -> None:
        self._slots: list[bytes | None] = []
        self._mask = -1
        self._count = 0

    def look(self, oid: bytes, *, make: bool = True) -> None:
        """Look up an object; with `make` it is added if it is missing."""
        slots, mask = self._slots, self._mask
        if slots:
            first = at = int.from_bytes(oid[:4], "little") & mask
            while (occupant := slots[at]) is not None:
                if occupant == oid:
                    if at != first:
                        slots[first], slots[at] = occupant, slots[first]
                    return
                at = (at + 1) & mask
                if not at & _PROBES:
                    pause()
        if make:
            if mask <= self._count * 2:
                self._grow()
            self._put(oid)
            self._count += 1

    def look_each(self, oids: Iterable[bytes]) -> None:
        """Look up these objects in turn; add those that are missing. An object in its home slot stays there."""
        number = int.from_bytes
        if not self._slots:
            self._grow()
        slots, mask = self._slots, self._mask
        for oid in watched(oids):
            if slots[number(oid[:4], "little") & mask] != oid:
                self.look(oid)
                slots, mask = self._slots, self._mask

    def _grow(self) -> None:
        filled = self.order()
        size = max(2 * len(self._slots), _LEAST)
        need(_POINTER * 2 * size)  # the old slots, the new ones, and their contents
        self._slots, self._mask = [None] * size, size - 1
        for oid in watched(filled):
            self._put(oid)

    def _put(self, oid: bytes) -> None:
        slots, mask = self._slots, self._mask
        at = int.from_bytes(oid[:4], "little") & mask
        while slots[at] is not None:
            at = (at + 1) & mask
            if not at & _PROBES:
                pause()
        slots[at] = oid

    def order(self) -> list[bytes]:
        """All objects, slot by slot."""
        return [oid for oid in self._slots if oid is not None]
