"""What is known of a repository's objects and stays true whatever happens: by oid, or by place in a pack.

The stores of one handle share it, one store a thread (see `sharing`). Dict operations only, so that threads need no
lock; what is counted beside them may be a little off, which moves a bound and no answer.
"""

from collections.abc import Callable
from itertools import count

from .pack import ObjectCache, Pack
from .sequential import Facts

_COMMITS_KEPT = 64 << 20  # bytes of raw commits


class Known:
    """Open packs by path, objects by place, commits by oid. `commits` are raw, `facts` and `parents` what they say."""

    __slots__ = ("_commit_bytes", "_number", "_packs", "cache", "commits", "facts", "parents")

    def __init__(self, cache_bytes: int) -> None:
        self.cache = ObjectCache(cache_bytes)
        self.commits: dict[bytes, bytes] = {}
        self.facts: dict[bytes, Facts] = {}
        self.parents: dict[bytes, tuple[bytes, ...]] = {}
        self._commit_bytes = 0
        self._packs: dict[bytes, Pack] = {}
        self._number = count(1).__next__

    def clear(self) -> None:
        """Forget everything."""
        self.commits.clear()
        self.facts.clear()
        self.parents.clear()
        self._commit_bytes = 0
        self._packs.clear()
        self.cache.clear()

    def keep_commit(self, oid: bytes, raw: bytes) -> None:
        """Remember a raw commit."""
        size = len(raw) + 150
        self._commit_bytes += size
        if self._commit_bytes > _COMMITS_KEPT:
            self.commits.clear()
            self._commit_bytes = size
        self.commits[oid] = raw

    def pack(self, path: bytes, make: Callable[[int], Pack]) -> Pack:
        """The pack at a path (without its suffix); `make` is given its number in the cache."""
        found = self._packs.get(path)
        return found if found is not None else self._packs.setdefault(path, make(self._number()))

    def drop(self, path: bytes) -> None:
        """The pack is gone."""
        self._packs.pop(path, None)
