"""Blobs that git reads from the work tree: files that are checked out unchanged from the index.

A comparison that uses the index reads such a file in place of its object, if nothing converts it. They only differ if
the object has been replaced since it was checked out (git-replace(1)), or if it was converted by attributes that are
not there any more. The latter is told by the size that the index noted: one that a conversion has left alone is not
found.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..diff.changes import Change, Contents, Filespec
from ..index.index import SKIP_WORKTREE
from ..limits import Context
from ..repo.store import Store
from .convert import IDENTITY, converter_of
from .stat_cache import Looker

REGULAR = 0o100000
_ASIDE = 0xB0  # flags of an entry that is assumed unchanged (0x80), or in conflict


def read_copies(contents: Contents, ctx: Context) -> None:
    """Have contents be those of the copies that are checked out, where there are any that differ."""
    store = contents.store
    if store.files is None:
        return
    copies = _Copies(store, ctx)
    if store.odb.replaced:
        contents.checked_out = copies.read
    else:
        contents.copies = copies


class _Copies:
    __slots__ = ("_ctx", "_looker", "_store")

    def __init__(self, store: Store, ctx: Context) -> None:
        self._store, self._ctx = store, ctx
        self._looker: Looker | None = None

    def are_in(self, changes: Sequence[Change]) -> bool:
        """Whether a side of these changes has a copy that differs."""
        return any(self._is_copied(side) for change in changes for side in (change.old, change.new))

    def read(self, side: Filespec) -> bytes | None:
        """The file at a side's path, if it has the side's object checked out, and differs from that."""
        files = self._store.files
        if files is None or not self._is_copied(side):
            return None
        data = files.read_optional(side.path, self._ctx.limits.max_object_bytes)
        return None if data is None else bytes(data)

    def _is_copied(self, side: Filespec) -> bool:
        """Whether the file at a side's path is read in place of its object."""
        self._ctx.tick()
        oid, files = side.oid, self._store.files
        if oid is None or side.mode & 0o170000 != REGULAR or files is None or side.path in self._store.moving:
            return False
        looker = self._looker
        if looker is None:
            looker = self._looker = Looker(self._store, self._ctx)
        index = looker.index
        at = index.find(side.path)
        if at < 0 or index.oid(at) != oid or index.mode(at) & 0o170000 != REGULAR:
            return False
        if oid not in self._store.odb.replaced and looker.has_size(oid, index.stat(at)[9]):
            return False
        if index.head(at)[-2] & _ASIDE or index.special.get(at, 0) & SKIP_WORKTREE:
            return False
        plan = converter_of(self._store).plan(side.path)
        if plan is not IDENTITY and (plan.action != "binary" or plan.ident or plan.driver or plan.encoding):
            return False
        info = files.lstat(side.path)
        return info is not None and looker.settled(at, info)
