"""One `objects` directory: its packs, their multi-pack-index, its loose objects.

A broken pack or index is put aside with a complaint, as git does, and the others are asked.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ..deferred import deferred
from ..disk.jail import Jail
from ..disk.view import Stamp
from ..errors import Corrupt, GitError, SandboxViolation
from ..limits import settled
from ..memories import BY_BYTES, Files
from .hashes import LENGTHS
from .loose import Loose
from .open_packs import OpenPacks
from .pack import WINDOWS_KEPT, Pack, Vanished

if TYPE_CHECKING:
    from .multi_pack_index import MultiPackIndex
else:
    MultiPackIndex = deferred(__name__, ".multi_pack_index", "MultiPackIndex")


_MAX_PACKS = 100_000
_CROWD = 150  # packs, from which on descriptors (two a pack) are spared
_LISTED: Files[Stamp, frozenset[bytes]] = Files("pack directories", files=8, size=1 << 18)


class ObjectDir:
    """One `objects` directory: its packs, their multi-pack-index, its loose objects."""

    __slots__ = (
        "_hash_len", "_jail", "_limit", "_listed", "_opened", "_settled", "_stamp", "complain", "loose", "lost", "midx",
        "packs", "path", "unindexed",
    )  # fmt: skip

    def __init__(
        self, jail: Jail, path: bytes, hash_name: str, opened: OpenPacks, limit: int, complain: Callable[[str], None]
    ) -> None:
        self._jail = jail
        self.path = path
        self._hash_len = LENGTHS[hash_name]
        self._opened = opened
        self._limit = limit
        self.complain = complain
        self.loose = Loose(jail, path, hash_name, limit)
        self.packs: dict[bytes, Pack] = {}
        self.unindexed: list[Pack] = []
        self.midx: MultiPackIndex | None = None
        self.lost = False  # whether a pack turned out to be gone since they were listed
        self._listed: frozenset[bytes] = frozenset()
        self._stamp: object = None
        self._settled = False

    def changed(self) -> bool:
        """Whether the pack directory may have been written since it was listed."""
        return not self._settled or self._jail.stamp(self.path + b"/pack") != self._stamp

    def scan(self, *, again: bool = False) -> bool:
        """List the packs (those known keep what they have open) and open the multi-pack-index.

        Says whether others are asked from now on than before. `again`: something is missed, so that no listing of
        before will do.
        """
        folder = self.path + b"/pack"
        stamp = self._stamp = self._jail.stamp(folder)
        self._settled = stamp is None or settled(stamp[0])
        listed = frozenset() if stamp is None else self._files(folder, stamp, again)
        same = listed == self._listed and not self.lost
        if same and self.midx is None and b"multi-pack-index" not in listed:
            return False
        self._listed, self.lost = listed, False
        before = self.packs
        packs: dict[bytes, Pack] = {}
        for name in sorted(listed):
            base = name[:-4]
            if name.endswith(b".idx") and base + b".pack" in listed and len(packs) < _MAX_PACKS:
                packs[base] = before.get(base) or self._pack(base, base + b".promisor" in listed)
        for base in before.keys() - packs.keys():
            self._opened.drop(folder + b"/" + base)
        self.midx = self._open_midx(folder) if b"multi-pack-index" in listed else None
        indexed = set(self.midx.names) if self.midx else set()
        for pack in packs.values():
            pack.crowded = len(packs) > _CROWD
            pack.windows_kept = max(WINDOWS_KEPT // len(packs), 16)
        self.packs = packs
        self.unindexed = [pack for base, pack in packs.items() if base not in indexed]
        return not same

    def _files(self, folder: bytes, stamp: Stamp, again: bool) -> frozenset[bytes]:
        """The names in the pack directory; as they were listed last, by any handle, while its stamp is the same."""
        listed = None if again else BY_BYTES.get(_LISTED, folder, stamp)
        if listed is None:
            listed = frozenset([name for name, kind in self._jail.scandir(folder) if kind != "d"])
            if self._settled:
                BY_BYTES.put(_LISTED, folder, stamp, listed, sum(map(len, listed)))
        return listed

    def _pack(self, base: bytes, promisor: bool) -> Pack:
        path, objects = self.path + b"/pack/" + base, self._opened.memory.objects
        return self._opened.pack(
            path,
            lambda key: Pack(
                self._jail, path, self._hash_len, key=key, objects=objects, limit=self._limit, promisor=promisor
            ),
        )

    def _open_midx(self, folder: bytes) -> MultiPackIndex | None:
        try:
            view = self._jail.view(folder + b"/multi-pack-index")
            return MultiPackIndex(view, self._hash_len) if view else None
        except GitError as error:
            self.complain(f"error: {error.message}")
            return None

    def drop(self, pack: Pack, error: GitError) -> None:
        """Put a broken pack aside; one that is gone without a word, as git does."""
        if isinstance(error, Vanished):
            self.lost = True
            self._opened.drop(pack.path)
        else:
            self.complain(f"error: {error.message}")
        self.packs = {base: other for base, other in self.packs.items() if other is not pack}
        self.unindexed = [other for other in self.unindexed if other is not pack]

    def find(self, oid: bytes) -> tuple[Pack, int] | None:
        """(pack, offset) of an object in a pack of this directory."""
        if self.midx is not None:
            location = self.midx.find(oid)
            if location is not None:
                pack = self.packs.get(location[0])
                if pack is not None:
                    return pack, location[1]
        for pack in self.unindexed:
            try:
                offset = pack.find(oid)
            except (Corrupt, SandboxViolation) as error:
                self.drop(pack, error)
                continue
            if offset >= 0:
                return pack, offset
        return None

    @property
    def bitmaps(self) -> bool:
        """Whether a pack has a reachability bitmap beside it."""
        return any(name.endswith(b".bitmap") for name in self._listed)

    def kept(self) -> Iterator[Pack]:
        """The packs with a `.keep` file, which no repacking touches."""
        names = self._listed
        for base, pack in list(self.packs.items()):
            if base + b".keep" in names:
                yield pack

    def indexed(self) -> Iterator[Pack]:
        """The packs whose index can be read."""
        for pack in list(self.packs.values()):
            try:
                _ = pack.index
            except (Corrupt, SandboxViolation) as error:
                self.drop(pack, error)
                continue
            yield pack

    def count(self) -> int:
        """How many objects the packs hold, as git estimates it: loose ones are not counted, doubles are."""
        if self.midx is None:
            return total(self.indexed())
        rest = {id(pack) for pack in self.unindexed}
        return self.midx.count + total(pack for pack in self.indexed() if id(pack) in rest)


def total(packs: Iterable[Pack]) -> int:
    """How many objects packs hold together."""
    count = 0
    for pack in packs:
        count += pack.index.count
    return count
