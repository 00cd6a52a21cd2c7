"""git log --merge: the commits on both sides of a failed merge that touch conflicted files (git-rev-list(1))."""

from __future__ import annotations

from ..errors import NotFound
from ..graph.merge_base import merge_bases
from ..limits import Context
from ..paths.pathspec import Pathspecs, PathspecSpec
from ..repo.store import Store
from ..revs.resolve import try_resolve
from ..revs.tip import Tip, Tips


def conflict_sides(store: Store, tips: Tips, paths: Pathspecs | None, *, ctx: Context) -> tuple[Tips, Pathspecs | None]:
    """The named tips with both sides of a failed merge, and the conflicted files among the paths.

    Raises NotFound if no merge is in progress.
    """
    ends = []
    for name in ("HEAD", "MERGE_HEAD"):
        oid = try_resolve(store, name, ctx=ctx, want="commit")
        if oid is None:
            raise NotFound(f"--merge without {name}?")
        ends.append(store.odb.peel(oid, b"commit"))
        if ends[-1] != oid:  # a tag that is merged
            ctx.warn(f"{name} {oid.hex()} is not a commit!")
    sides = [Tip(oid, oid, b"MERGE_HEAD" if nth else b"HEAD", left=not nth) for nth, oid in enumerate(ends)]
    bases = [Tip(oid, oid, b"", exclude=True, bottom=True) for oid in merge_bases(store, ends[0], ends[1:], ctx=ctx)]
    extended = Tips((*tips.entries, *sides, *bases), tips.symmetric, tips.ranged, tips.globbed)
    unmerged = [path for path in store.index.unmerged if paths is None or paths.match(path)]
    if not unmerged:
        return extended, None
    return extended, Pathspecs.parse(sorted(unmerged), b"", PathspecSpec(literal=True))
