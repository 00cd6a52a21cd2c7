"""The versions of a directory that a listing of objects meets one after the other.

A large directory mostly differs from its version before in an entry or two. All that the version before holds was
listed when that was: only what lies between the equal ends of both is taken apart.
"""

from __future__ import annotations

import re
from array import array

from ...diff.tree_delta import TreeCutter
from ...limits import need
from ...memories import Table

_LARGE = 1500  # bytes of a tree from which on its versions are compared
_KEPT = 16 << 20  # bytes of trees that are remembered
_CUT = {width: re.compile(rb"[^\0]+\0.{%d}" % width, re.DOTALL).findall for width in (20, 32)}


class TreeVersions:
    """Remembers the tree that was listed last at each path."""

    __slots__ = ("_cutter", "_held", "_last")

    def __init__(self, hash_len: int, offsets: Table[bytes, array[int]]) -> None:
        self._cutter = TreeCutter(_CUT[hash_len], hash_len, offsets)
        self._last: dict[bytes, tuple[bytes, bytes]] = {}
        self._held = 0

    def news(self, path: bytes, oid: bytes, raw: bytes) -> bytes:
        """Of a raw tree the entries that the one listed last at the path has not; all of it where none is known.

        A tree that cannot be taken apart so is given back as it is, for those to say what is wrong who read it."""
        if len(raw) < _LARGE:
            return raw
        before = self._last.get(path)
        if self._held > _KEPT:
            self._last.clear()
            self._held = 0
        self._last[path] = oid, raw
        self._held += len(raw) - (len(before[1]) if before is not None and self._held else 0)
        if before is None:
            return raw
        need(4 * (len(raw) + len(before[1])))  # should they have nothing in common
        difference = self._cutter.differ(*before, oid, raw)
        return raw if difference is None else b"".join(difference[1])
