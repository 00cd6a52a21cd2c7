"""One `objects` directory: its packs, their multi-pack-index, its loose objects.

A broken pack or index is put aside with a complaint, as git does, and the others are asked.
"""

from collections.abc import Callable, Iterable, Iterator

from ..errors import Corrupt, GitError, SandboxViolation
from .jail import Jail
from .loose import Loose
from .midx import MultiPackIndex
from .packs import WINDOWS_KEPT, ObjectCache, Pack

_MAX_PACKS = 100_000
_CROWD = 150  # packs, from which on descriptors (two a pack) are spared


class ObjectDir:
    """One `objects` directory: its packs, their multi-pack-index, its loose objects."""

    __slots__ = ("_cache", "_jail", "_limit", "_stamp", "complain", "loose", "midx", "packs", "path", "unindexed")

    def __init__(
        self, jail: Jail, path: bytes, hash_name: str, cache: ObjectCache, limit: int, complain: Callable[[str], None]
    ) -> None:
        self._jail = jail
        self.path = path
        self._cache = cache
        self._limit = limit
        self.complain = complain
        self.loose = Loose(jail, path, hash_name, limit)
        self.packs: dict[bytes, Pack] = {}
        self.unindexed: list[Pack] = []
        self.midx: MultiPackIndex | None = None
        self._stamp = 0

    def changed(self) -> bool:
        """Whether the pack directory was written since it was scanned."""
        found = self._jail.stat(self.path + b"/pack")
        return (found.st_mtime_ns if found else 0) != self._stamp

    def scan(self, hash_len: int, number: Callable[[], int]) -> None:
        """List the packs (those known keep what they have open) and open the multi-pack-index."""
        folder = self.path + b"/pack"
        found = self._jail.stat(folder)
        self._stamp = found.st_mtime_ns if found else 0
        names = {name for name, kind in self._jail.scandir(folder) if kind != "d"} if found else set()
        packs: dict[bytes, Pack] = {}
        for name in sorted(names):
            base = name[:-4]
            if not name.endswith(b".idx") or base + b".pack" not in names or len(packs) >= _MAX_PACKS:
                continue
            packs[base] = self.packs.get(base) or Pack(
                self._jail, folder + b"/" + base, hash_len, key=number(), cache=self._cache, limit=self._limit,
                promisor=base + b".promisor" in names,
            )  # fmt: skip
        self.midx = self._open_midx(folder, hash_len) if b"multi-pack-index" in names else None
        known = set(self.midx.names) if self.midx else set()
        for pack in packs.values():
            pack.crowded = len(packs) > _CROWD
            pack.windows_kept = max(WINDOWS_KEPT // len(packs), 16)
        self.packs = packs
        self.unindexed = [pack for base, pack in packs.items() if base not in known]

    def _open_midx(self, folder: bytes, hash_len: int) -> MultiPackIndex | None:
        try:
            view = self._jail.view(folder + b"/multi-pack-index")
            return MultiPackIndex(view, hash_len) if view else None
        except GitError as error:
            self.complain(f"error: {error.message}")
            return None

    def drop(self, pack: Pack, error: GitError) -> None:
        """Put a broken pack aside."""
        self.complain(f"error: {error.message}")
        self.packs = {base: other for base, other in self.packs.items() if other is not pack}
        self.unindexed = [other for other in self.unindexed if other is not pack]

    def find(self, oid: bytes) -> tuple[Pack, int] | None:
        """(pack, offset) of an object in a pack of this directory."""
        if self.midx is not None:
            place = self.midx.find(oid)
            if place is not None:
                pack = self.packs.get(place[0])
                if pack is not None:
                    return pack, place[1]
        for pack in self.unindexed:
            try:
                offset = pack.find(oid)
            except (Corrupt, SandboxViolation) as error:
                self.drop(pack, error)
                continue
            if offset >= 0:
                return pack, offset
        return None

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
