"""Successive versions of a directory in a listing of objects.

A large directory usually differs in an entry or two from the version listed before. The entries of that version are
listed already, so only the stretch between the common ends of both is parsed.
"""

from __future__ import annotations

import re
from array import array

from ...diff.tree_delta import TreeCutter
from ...limits import need
from ...memories import Table

_LARGE = 1500  # trees of at least this many bytes are compared with their last version
_KEPT = 16 << 20  # bytes of trees that are remembered
_CUT = {width: re.compile(rb"[^\0]+\0.{%d}" % width, re.DOTALL).findall for width in (20, 32)}


class TreeVersions:
    """Remembers the last listed tree of each path."""

    __slots__ = ("_cutter", "_held", "_last")

    def __init__(self, hash_len: int, offsets: Table[bytes, array[int]]) -> None:
        self._cutter = TreeCutter(_CUT[hash_len], hash_len, offsets)
        self._last: dict[bytes, tuple[bytes, bytes]] = {}
        self._held = 0

    def news(self, path: bytes, oid: bytes, raw: bytes) -> bytes:
        """The entries of a raw tree that the last listed version of the path does not have; all of the tree if there is
        no such version.

        A malformed tree is returned as it is, so that its reader reports the error.
        """
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
        need(4 * (len(raw) + len(before[1])))  # the memory if they have nothing in common
        difference = self._cutter.differ(*before, oid, raw)
        return raw if difference is None else b"".join(difference[1])
