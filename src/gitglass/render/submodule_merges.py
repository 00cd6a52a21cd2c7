"""The submodule of a merge in which both sides changed its commit: which commit contains which, and proposed merges.

Mirrors what git-merge(1) proposes with the `ort` strategy.
"""

from __future__ import annotations

from ..graph.merge_base import is_ancestor
from ..history.pipeline import walk
from ..history.spec import Tip, WalkSpec
from ..limits import Context
from ..merge.submodules import Submodules
from ..records import record
from ..repo.store import Store
from ..revs.abbrev import Abbreviator
from ..revs.tips import tips
from ..worktree.submodules import absent_submodule, sub_store
from .log.pretty import output_encoding
from .message import subject_line

__all__ = ["opener"]


@record(eq=False)
class _Opened:
    store: Store
    ctx: Context

    def short(self, oid: bytes) -> bytes:
        return Abbreviator(self.store)(oid)

    def merges(self, ours: bytes, theirs: bytes) -> list[bytes]:
        store, ctx = self.store, self.ctx
        starts = [Tip(oid) for oid in tips(store, ["--all"], ctx=ctx).include]
        spec = WalkSpec(ancestry_path=True, min_parents=2)
        merges = [
            entry.oid
            for entry in walk(store, [*starts, Tip.excluded(ours)], spec, ctx=ctx)
            if is_ancestor(store, theirs, entry.oid, ctx=ctx)
        ]
        first = [
            oid for oid in merges
            if not any(other != oid and is_ancestor(store, other, oid, ctx=ctx) for other in merges)
        ]  # fmt: skip
        names, encoding = Abbreviator(store), output_encoding(store)
        return [b"%b %b" % (names(oid), subject_line(store.odb.commit(oid), encoding)) for oid in first]


def opener(store: Store, *, ctx: Context) -> Submodules:
    """A function that opens the submodules of a repository: from the work tree, otherwise from below `modules/`."""

    def opened(path: bytes) -> _Opened | None:
        sub = None if store.files is None else sub_store(store, path) or absent_submodule(store, path)
        return None if sub is None else _Opened(sub, ctx)

    return opened
