"""Blobs that git reads from the work tree: files that are checked out unchanged from the index.

A comparison that uses the index reads such a file in place of its object. They only differ if the object has been
replaced since it was checked out (git-replace(1)).
"""

from __future__ import annotations

from collections.abc import Callable

from ..diff.changes import Filespec
from ..index.index import SKIP_WORKTREE
from ..limits import Context
from ..paths.pathspec import Pathspecs
from ..repo.store import Store
from .convert import IDENTITY, converter_of
from .stat_cache import Looker

REGULAR = 0o100000


def checked_out(store: Store, ctx: Context) -> Callable[[Filespec], bytes | None] | None:
    """The reader of a side's copy, which is None for a side without one; None if no object is replaced, or nothing
    checked out."""
    replaced = store.odb.replaced
    if not replaced or store.files is None:
        return None
    copies: list[_Copies] = []

    def read(side: Filespec) -> bytes | None:
        if side.oid not in replaced:
            return None
        if not copies:
            copies.append(_Copies(store, ctx))
        return copies[0].read(side)

    return read


class _Copies:
    __slots__ = ("_ctx", "_doubtful", "_looker", "_store")

    def __init__(self, store: Store, ctx: Context) -> None:
        self._store, self._ctx = store, ctx
        self._looker = Looker(store, ctx)
        self._doubtful = self._looker.doubtful(Pathspecs.ALL)

    def read(self, side: Filespec) -> bytes | None:
        """The file at a side's path, if it has the side's object checked out, and nothing is converted."""
        index, files = self._looker.index, self._store.files
        at = index.find(side.path)
        if files is None or at < 0 or at in self._doubtful:
            return None
        if index.oids[at] != side.oid or index.modes[at] & 0o170000 != REGULAR:
            return None
        if index.special.get(at, 0) & SKIP_WORKTREE:
            return None
        plan = converter_of(self._store).plan(side.path)
        if plan is not IDENTITY and (plan.action != "binary" or plan.ident or plan.driver or plan.encoding):
            return None
        data = files.read_optional(side.path, self._ctx.limits.max_object_bytes)
        return None if data is None else bytes(data)
