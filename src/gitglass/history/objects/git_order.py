"""A set of oids that iterates in the order of git's own hash tables, for lists that git prints in that order.

The tables have a power of two slots and probe them in growing steps; the first four bytes of an oid give the first
slot. They grow when 77 % of the slots are taken. A removed member leaves a tombstone that a later member may replace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

USUAL = 1 << 14  # slots of the table that git makes for objects it is going to list
_FULL = 0.77


class _Gone:
    """The tombstone of a removed member."""


_GONE = _Gone()


class OidSet:
    """A set of oids, in git's order."""

    __slots__ = ("_bound", "_members", "_occupied", "_slots")

    def __init__(self, slots: int = USUAL) -> None:
        self._members: dict[bytes, int] = {}
        self._slots: list[bytes | _Gone | None] = [None] * slots
        self._occupied = 0  # slots with a member or a tombstone
        self._bound = int(slots * _FULL + 0.5)

    def __contains__(self, oid: bytes) -> bool:
        return oid in self._members

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[bytes]:
        return (slot for slot in self._slots if isinstance(slot, bytes))

    def add(self, oid: bytes) -> bool:
        """Add an oid; return whether it was there before."""
        if oid in self._members:
            return True
        if self._occupied >= self._bound:
            size = len(self._slots)
            self._resize(size if size > 2 * len(self._members) else max(2 * size, 4))
        slots, mask = self._slots, len(self._slots) - 1
        at = int.from_bytes(oid[:4], "little") & mask
        step, marked = 0, -1
        while slots[at] is not None:
            if slots[at] is _GONE:
                marked = at
            step += 1
            at = (at + step) & mask
        if marked >= 0:
            at = marked
        else:
            self._occupied += 1
        slots[at] = oid
        self._members[oid] = at
        return False

    def update(self, oids: Iterable[bytes]) -> None:
        """Add all of them."""
        for oid in oids:
            self.add(oid)

    def discard(self, oid: bytes) -> bool:
        """Remove an oid; return whether it was there."""
        at = self._members.pop(oid, -1)
        if at >= 0:
            self._slots[at] = _GONE
        return at >= 0

    def _resize(self, size: int) -> None:
        """Insert every member again in slot order, so that a member moves the one in its way to another slot, as in
        git."""
        old, mask = self._slots, size - 1
        old += [None] * (size - len(old))
        taken = bytearray(size)
        waiting: bytes | _Gone | None
        for start in range(len(old)):
            waiting = old[start]
            if waiting is _GONE:
                old[start] = None
            if not isinstance(waiting, bytes) or taken[start]:
                continue
            old[start] = None
            while isinstance(waiting, bytes):
                at = int.from_bytes(waiting[:4], "little") & mask
                step = 0
                while taken[at]:
                    step += 1
                    at = (at + step) & mask
                taken[at] = 1
                waiting, old[at] = old[at], waiting
        self._members = {slot: at for at, slot in enumerate(old) if isinstance(slot, bytes)}
        self._occupied = len(self._members)
        self._bound = int(size * _FULL + 0.5)
