"""The objects of a commit, and of its history up to the target's commits, that a target may lack.

Mirrors what git-pack-objects(1) sends for `--revs`: commits that the target has end the walk, and trees are compared
with those of the parents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..errors import TooLarge
from ..limits import Context
from ..objects.parsed import GITLINK, TREE, commit_parents, tree_entries
from ..objects.parsed import commit_tree as tree_of
from .layers import WorkspaceStore

Objects = dict[bytes, tuple[bytes, bytes]]

_MOST_COMMITS = 1_000


def missing_objects(
    store: WorkspaceStore, commit: bytes, has: Callable[[bytes], bool], *, most_bytes: int, ctx: Context
) -> Objects:
    """The missing objects by name, blobs before the trees that hold them, trees before their commits. Raises
    TooLarge."""
    commits = _commits(store, commit, has, ctx)
    wanted: Objects = {}
    size = 0
    for oid in reversed(commits):
        kind, raw = store.odb.read_raw(oid)
        parents = [tree_of(store.odb.read_raw(parent)[1], parent) for parent in commit_parents(raw, oid)]
        for item in _fresh(store, tree_of(raw, oid), parents, ctx):
            if item not in wanted and not has(item):
                wanted[item] = store.odb.read_raw(item)
                size += len(wanted[item][1])
                if size > most_bytes:
                    raise TooLarge(f"more than {most_bytes} bytes would be sent", limit=most_bytes)
        wanted[oid] = kind, raw
    return wanted


def _commits(store: WorkspaceStore, commit: bytes, has: Callable[[bytes], bool], ctx: Context) -> list[bytes]:
    """The commits that the target lacks, each before its ancestors."""
    out: dict[bytes, None] = {}
    todo = [commit]
    while todo:
        ctx.tick()
        oid = todo.pop()
        if has(oid):
            continue
        out.pop(oid, None)  # moved behind the commit through which it was reached
        out[oid] = None
        if len(out) > _MOST_COMMITS:
            raise TooLarge(f"more than {_MOST_COMMITS} commits would be sent", limit=_MOST_COMMITS)
        todo += commit_parents(store.odb.read_raw(oid)[1], oid)
    return list(out)


def _fresh(store: WorkspaceStore, tree: bytes, others: list[bytes], ctx: Context) -> Iterator[bytes]:
    """The objects of a tree that none of the other trees has at the same path; the objects in a tree before the
    tree."""
    if tree in others:
        return
    ctx.tick()
    sides = [{name: (mode, oid) for mode, name, oid in tree_entries(store.odb.tree(one), store.hash_len)}
             for one in others]  # fmt: skip
    for mode, name, oid in tree_entries(store.odb.tree(tree), store.hash_len):
        if mode == GITLINK or any(side.get(name) == (mode, oid) for side in sides):
            continue
        if mode == TREE:
            below = [side[name][1] for side in sides if name in side and side[name][0] == TREE]
            yield from _fresh(store, oid, below, ctx)
        else:
            yield oid
    yield tree
