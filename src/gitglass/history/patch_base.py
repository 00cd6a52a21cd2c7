"""The base of a series of patches: a commit that all readers have, and the ids of the patches in between.

Mirrors git-format-patch(1), "Base tree information". The ids are those of git-patch-id(1), computed without writing the
patches: the sum of one hash for each file, over its names and its lines without white space.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..diff.changes import Contents
from ..diff.diffcore import diffcore
from ..diff.spec import DiffSpec
from ..diff.trees import diff_trees
from ..errors import BadRequest
from ..graph.merge_base import is_ancestor, merge_bases
from ..limits import Context
from ..objects.hashes import new_hash
from ..repo.store import Store
from .cherry import patch_text
from .pipeline import walk_oids
from .spec import GRAPH_ORDER, Tip, WalkSpec


def check_base(store: Store, base: bytes, series: Sequence[bytes], *, ctx: Context) -> None:
    """Raise BadRequest, with git's message, if `base` is not an ancestor of the series. `series` is newest first."""
    tops = list(series)
    while len(tops) > 1:
        pairs = [tops[at : at + 2] for at in range(0, len(tops), 2)]
        tops = [pair[0] if len(pair) == 1 else _only(store, pair[0], pair[1], ctx) for pair in pairs]
    if not is_ancestor(store, base, tops[0], ctx=ctx):
        raise BadRequest("base commit should be the ancestor of revision list")
    if base in series:
        raise BadRequest("base commit shouldn't be in revision list")


def _only(store: Store, one: bytes, two: bytes, ctx: Context) -> bytes:
    bases = merge_bases(store, one, [two], ctx=ctx)
    if len(bases) != 1:
        raise BadRequest("failed to find exact merge base")
    return bases[0]


def prerequisites(
    store: Store, base: bytes, series: Sequence[bytes], contents: Contents, spec: DiffSpec, *, ctx: Context
) -> list[bytes]:
    """The ids of the patches between the base and the series, the oldest first."""
    tips = [Tip(oid) for oid in series] + [Tip.excluded(base)]
    spec_of_walk = WalkSpec(max_parents=1, order=GRAPH_ORDER, raw=False)
    own = set(series)
    between = [oid for oid in walk_oids(store, tips, spec_of_walk, ctx=ctx) if oid not in own]
    return [patch_id(store, oid, contents, spec, ctx=ctx) for oid in reversed(between)]


def patch_id(store: Store, oid: bytes, contents: Contents, spec: DiffSpec, *, ctx: Context) -> bytes:
    """The id of a commit's change; zeros if it changes nothing."""
    parents, _, tree = store.odb.commit_facts(oid)[:3]
    old = store.odb.commit_facts(parents[0])[2] if parents else None
    changes = diffcore(diff_trees(old, tree, store.odb, spec, ctx=ctx), contents, spec, ctx=ctx)
    total = 0
    for change in changes:
        ctx.check()
        digest = new_hash(store.hash_name, patch_text(change, contents, ctx))
        total += int.from_bytes(digest.digest(), "little")
    return (total % (1 << 8 * store.hash_len)).to_bytes(store.hash_len, "little")
