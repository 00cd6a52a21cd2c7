"""Names of objects: all of them, those that begin with some digits, and how few digits identify one of them.

Mirrors "Specifying Revisions" of gitrevisions(7) for abbreviated names, and `core.abbrev` of git-config(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import lt

from ..annotations import TYPE_CHECKING, Literal
from ..deferred import deferred
from ..limits import need, paced, pause
from .directory import TRIES, ObjectDir
from .loose import Loose
from .pack import Pack
from .pack_index import PackIndex, Spot, index_of, shared_nibbles

if TYPE_CHECKING:
    from .heads import Heads, pack_heads
    from .source import ListedSource
else:
    pack_heads = deferred(__name__, ".heads", "pack_heads")

_FEW = 1 << 15  # objects
_PART = 1 << 13  # objects of a pack that are given together
_STORED_BYTES = 200  # memory of an object that is listed as stored: its name, its offset, and its place in a set


class Names:
    """The oids in object directories and other sources, as they were listed last. `again` lists the packs again and
    returns whether they have changed."""

    __slots__ = ("_again", "_dirs", "_given", "_hash_len", "_indexes", "_listed")

    def __init__(
        self, dirs: list[ObjectDir], hash_len: int, again: Callable[[], bool], given: Sequence[ListedSource] = ()
    ) -> None:
        self._dirs, self._hash_len, self._again, self._given = dirs, hash_len, again, given
        self._indexes: list[PackIndex] | None = None
        self._listed: list[PackIndex] | None = None

    def beginning(self, digits: str, limit: int | None = None) -> list[bytes]:
        """The oids that begin with these hex digits, sorted; at most `limit` of them."""
        digits = digits.lower()
        padded = digits + "0" * (len(digits) % 2)
        try:
            low = bytes.fromhex(padded)
        except ValueError:
            return []
        if len(digits) > 2 * self._hash_len or len(padded) != 2 * len(low):
            return []
        oids = self._beginning(low, digits, limit)
        if not oids and self._again():
            oids = self._beginning(low, digits, limit)
        if len(oids) > _FEW:
            pause()
        return list(dict.fromkeys(paced(sorted(oids))))[:limit]  # most are sorted lists, one after another

    def _beginning(self, low: bytes, digits: str, limit: int | None) -> list[bytes]:
        """The same in any order, some perhaps more than once."""
        oids: list[bytes] = []
        packs = self._packs()
        for directory in self._dirs:
            for pack in packs[directory.path]:
                oids += pack.index.prefixed(low or b"\0", len(digits))
            oids += _loose_beginning(directory.loose, digits)
            if limit is not None and len(oids) >= limit and len(set(oids)) >= limit:
                return oids
        for index in self._source_indexes():
            oids += index.prefixed(low or b"\0", len(digits))
        return oids

    def unique_length(self, oid: bytes, least: int = 4) -> int:
        """The number of hex digits (at least `least`) that distinguish an oid from every other object here.

        Looks only at the oid's neighbours in each index, because thousands of names may have to be abbreviated.
        """
        length = least
        for index in self._all_indexes():
            if (shared := index.shared(oid)) >= length:
                length = shared + 1
        for directory in self._dirs:
            listed = directory.loose.listed(oid[0])
            if listed:
                length = max(length, shared_nibbles(listed, oid) + 1)
        return min(length, 2 * self._hash_len)

    def beside(self, oid: bytes, size: int) -> Spot | Literal[True] | None:
        """All oids with the first byte of this oid, if a single index has them all; otherwise None. True if a quick
        look shows that no other oid begins with the first `size` bytes."""
        first = oid[0]
        index = self._sole(first)
        if index is None:
            return None
        return index.alone(oid, size) or index.spots.get(first) or index.spot(first)

    def _sole(self, first: int) -> PackIndex | None:
        """The index that has all oids with this first byte; None if there are several sources of such oids."""
        indexes = self._indexes or self._all_indexes()
        if len(indexes) != 1:
            return None
        for directory in self._dirs:
            if directory.loose.listed(first):
                return None
        return indexes[0]

    def crowded(self, nibbles: int) -> set[bytes] | None:
        """The names of `nibbles` hex digits that may stand for several objects; all others stand for at most one.

        None if too many objects are outside of the largest index, as that would take too long.
        """
        indexes = self._all_indexes()
        if not indexes:
            return None
        main = max(indexes, key=lambda index: index.count)
        if sum(index.count for index in indexes) - main.count > _FEW:
            return None
        names = main.crowded(nibbles)
        for index in indexes:
            if index is not main:
                names.update([oid.hex()[:nibbles].encode() for oid in index.oids()])
        for directory in self._dirs:
            for first in range(256):
                names.update([oid.hex()[:nibbles].encode() for oid in directory.loose.listed(first)])
        return names

    def _all_indexes(self) -> list[PackIndex]:
        indexes = self._indexes
        if indexes is None:
            indexes = self._indexes = self._source_indexes() + [
                pack.index for packs in self._packs().values() for pack in packs
            ]
        return indexes

    def _source_indexes(self) -> list[PackIndex]:
        """An index in memory for each source besides the object directories, searched like the index of a pack."""
        if self._listed is None:
            self._listed = [index_of(source.oids(), self._hash_len) for source in self._given]
        return self._listed

    def _packs(self) -> dict[bytes, list[Pack]]:
        """The packs whose index can be read, by directory; listed again if one proves to be gone."""
        for _ in range(TRIES):
            packs = {directory.path: list(directory.indexed()) for directory in self._dirs}
            if not any(directory.lost for directory in self._dirs) or not self._again():
                break
        return packs

    def count_estimate(self) -> int:
        """git's estimate of the number of objects, from which it chooses the length of abbreviated names."""
        self._packs()
        return sum(directory.count() for directory in self._dirs) + sum(index.count for index in self._source_indexes())

    def all(self) -> list[bytes]:
        """The oids of all objects, sorted."""
        ordered: list[bytes] = []
        for oids in self.by_first():
            ordered += oids
        return ordered

    def by_first(self) -> Iterator[list[bytes]]:
        """The same, those with one first byte at a time; the next ones take the memory of these."""
        firsts = [[directory.loose.listed(first) for directory in self._dirs] for first in range(256)]
        self._again()  # an object that is no longer loose is in a pack by now
        indexes = self._source_indexes() + [pack.index for packs in self._packs().values() for pack in packs]
        need(sum(index.count for index in indexes) * 100)
        for first, loose in enumerate(firsts):
            listed = [oids for oids in [*loose, *[index.starting(first) for index in indexes]] if oids]
            if len(listed) == 1 and all(map(lt, listed[0], islice(listed[0], 1, None))):  # as in a repacked repository
                yield listed[0]
            else:
                yield sorted(dict.fromkeys(chain.from_iterable(listed)))  # mostly sorted already, as an index is

    def stored(self, *, heads: bool = False) -> Iterator[tuple[list[bytes], Heads]]:
        """All oids, each once, in git's order where none is asked for: loose objects as they stand in their
        directories, then pack after pack from its beginning, and what other sources have. With `heads`, the kinds and
        sizes of those for which they are at hand; otherwise the kinds are b""."""
        seen = set[bytes]()

        def fresh(oids: Iterable[bytes]) -> list[bytes]:
            fresh = [oid for oid in oids if oid not in seen]
            seen.update(fresh)
            return fresh

        need(self.count_estimate() * _STORED_BYTES)
        for directory in self._dirs:
            for first in range(256):
                if oids := fresh(directory.loose.unsorted(first)):
                    yield oids, _unknown(oids)
        self._again()  # an object that is no longer loose is in a pack by now
        for pack in self._in_git_order():
            names, order = list(pack.index.oids()), _by_offset(pack.index.offsets())
            at_hand = pack_heads(pack) if heads else None
            for start in range(0, len(order), _PART):
                pause()
                part = [at for at in order[start : start + _PART] if names[at] not in seen]
                oids = fresh([names[at] for at in part])
                if oids:
                    yield oids, _unknown(oids) if at_hand is None else at_hand.at(part)
        for index in self._source_indexes():
            if oids := fresh(index.oids()):
                yield oids, _unknown(oids)

    def _in_git_order(self) -> list[Pack]:
        """The packs as git lists them: those of a multi-pack-index from its last one to its first, which git opens one
        by one and puts before the others; then those of each directory, the youngest first."""
        before, after = list[Pack](), list[Pack]()
        for directory, packs in zip(self._dirs, self._packs().values(), strict=True):
            named = [] if directory.midx is None else directory.midx.names
            inside = {name: pack for pack in packs if (name := pack.path.rpartition(b"/")[2]) in named}
            before[:0] = [inside[name] for name in reversed(named) if name in inside]
            beside = set(packs).difference(inside.values())
            after += sorted(filter(beside.__contains__, packs), key=lambda pack: -pack.written)
        return before + after


def _by_offset(offsets: list[int]) -> list[int]:
    """The positions of a pack's objects in the order of their offsets; sorted in parts first, between which the clock
    can be checked."""
    keys = list[int]()
    for start in range(0, len(offsets), _PART):
        pause()
        keys += sorted([offset << 32 | at for at, offset in enumerate(offsets[start : start + _PART], start)])
    pause()
    keys.sort()
    pause()
    return [key & 0xFFFFFFFF for key in keys]


def _unknown(oids: list[bytes]) -> Heads:
    return [b""] * len(oids), [0] * len(oids)


def _loose_beginning(loose: Loose, digits: str) -> list[bytes]:
    if len(digits) >= 2:
        return [oid for oid in paced(loose.listed(int(digits[:2], 16))) if oid.hex().startswith(digits)]
    firsts = range(int(digits, 16) << 4, (int(digits, 16) << 4) + 16) if digits else range(256)
    return [oid for first in firsts for oid in loose.listed(first)]
