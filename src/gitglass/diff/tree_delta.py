"""The difference between two versions of a directory, without cutting either into entries.

Two versions of a directory of two thousand files mostly differ in one entry. Equal bytes at both ends are found by
comparing slices; only the bytes between them are cut into entries. Where an entry begins cannot be seen from the bytes
around it (a hash may contain any bytes), so the offsets of the entries of one version are kept: they are valid for the
equal ends of the other as well, and for all of it if no entry was added or removed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate

from ..memories import Facts, Table
from .lines.common_ends import common_head, common_tail
from .tree_order import names_twice

__all__ = ["TreeCutter"]

_FEW = 20
_SMALL = 4096  # bytes of a tree whose versions are compared as numbers
Cut = Callable[[bytes], list[bytes]]


#: the offsets at which the entries of a tree begin; a row counts by their number
OFFSETS: Facts[bytes, array[int]] = Facts("offsets in trees", most=2_000_000, each=4)


class TreeCutter:
    """Compares raw trees; caches the offsets of entries by oid."""

    __slots__ = ("_cut", "_hash_len", "_offsets")

    def __init__(self, cut: Cut, hash_len: int, offsets: Table[bytes, array[int]]) -> None:
        self._cut = cut
        self._hash_len = hash_len
        self._offsets = offsets

    def differ(self, one: bytes, raw_one: bytes, two: bytes, raw_two: bytes) -> tuple[list[bytes], list[bytes]] | None:
        """(entries only in one, entries only in two), in order; None if the trees cannot be compared this way."""
        offsets = self._offsets.get(two)
        if offsets is not None:
            delta = self._against(offsets, raw_two, one, raw_one)
            return None if delta is None else (delta[1], delta[0])
        offsets = self._offsets.get(one)
        if offsets is None:
            offsets = self._parse(one, raw_one)
            if offsets is None:
                return None
        return self._against(offsets, raw_one, two, raw_two)

    def _parse(self, oid: bytes, raw: bytes) -> array[int] | None:
        entries = self._cut(raw)
        offsets = array("I", accumulate(map(len, entries), initial=0))
        if offsets[-1] != len(raw) or names_twice(entries, self._hash_len):
            return None
        self._keep(oid, offsets)
        return offsets

    def _keep(self, oid: bytes, offsets: array[int]) -> None:
        self._offsets.put(oid, offsets, len(offsets))

    def _against(
        self, offsets: array[int], raw: bytes, oid: bytes, other: bytes
    ) -> tuple[list[bytes], list[bytes]] | None:
        """The differing entries of a tree with known offsets and another one, whose offsets are derived from them."""
        if len(raw) == len(other):
            delta = (self._other_oids if len(raw) <= _SMALL else self._same_names)(offsets, raw, other)
            if delta is not None:
                self._keep(oid, offsets)
                return delta
        head = common_head(raw, other)
        tail = common_tail(raw, other, min(len(raw), len(other)) - head)
        first = bisect_right(offsets, head) - 1
        low = offsets[first]
        shift = len(other) - len(raw)
        last = bisect_left(offsets, max(len(raw) - tail, low, low - shift))
        high = offsets[last]
        mine, theirs = self._cut(raw[low:high]), self._cut(other[low : high + shift])
        sizes = list(map(len, theirs))
        if sum(sizes) != high + shift - low or self._doubled(offsets, first, last, raw, theirs):
            return None
        if oid not in self._offsets.rows:
            learnt = offsets[:first]
            learnt.extend(accumulate(sizes, initial=low))
            learnt.extend([at + shift for at in offsets[last + 1 :]])
            self._keep(oid, learnt)
        return _apart(mine, theirs)

    def _doubled(self, offsets: array[int], first: int, last: int, raw: bytes, theirs: list[bytes]) -> bool:
        """Whether replacement entries have a name twice, counting the entries just before and after them."""
        before = [raw[offsets[first - 1] : offsets[first]]] if first else []
        after = [raw[offsets[last] : offsets[last + 1]]] if last + 1 < len(offsets) else []
        return names_twice(before + theirs + after, self._hash_len)

    def _other_oids(self, offsets: array[int], raw: bytes, other: bytes) -> tuple[list[bytes], list[bytes]] | None:
        """As `_same_names` for small trees, as numbers: the highest bit of their XOR is in the first entry that
        changed, and what is left of it without that entry tells the next one."""
        end = len(raw)
        unlike = int.from_bytes(raw, "big") ^ int.from_bytes(other, "big")
        mine: list[bytes] = []
        theirs: list[bytes] = []
        while unlike:
            at = end - (unlike.bit_length() + 7 >> 3)
            nth = bisect_right(offsets, at)
            start, stop = offsets[nth - 1], offsets[nth]
            if at < stop - self._hash_len:  # another name or mode
                return self._same_names(offsets, raw, other)
            mine.append(raw[start:stop])
            theirs.append(other[start:stop])
            unlike &= (1 << 8 * (end - stop)) - 1
        return mine, theirs

    def _same_names(self, offsets: array[int], raw: bytes, other: bytes) -> tuple[list[bytes], list[bytes]] | None:
        """As `_against`, where a few entries changed and none was added or removed: they are found one by one."""
        mine: list[bytes] = []
        theirs: list[bytes] = []
        at, end = 0, len(raw)
        while len(mine) < _FEW:
            at = common_head(raw, other, at)
            if at == end:
                return _apart(mine, theirs)  # one was removed and one added: those between are at other offsets
            nth = bisect_right(offsets, at)
            start, stop = offsets[nth - 1], offsets[nth]
            named = stop - self._hash_len
            if other.find(b"\0", start) + 1 != named or raw[start + 5 : named] != other[start + 5 : named]:
                return None  # another name
            mine.append(raw[start:stop])
            theirs.append(other[start:stop])
            at = stop
        return None


def _apart(mine: list[bytes], theirs: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The entries of each list that the other does not have."""
    same = set(mine).intersection(theirs)
    if not same:
        return mine, theirs
    return [entry for entry in mine if entry not in same], [entry for entry in theirs if entry not in same]
