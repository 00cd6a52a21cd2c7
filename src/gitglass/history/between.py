"""A..B without further options: the commits that some tips reach and others do not. A very common walk.

It is the limited walk of `walk.py` without the later stages: nothing is simplified, put in order or marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..graph.nodes import Node, Numbers, PackNumbers, numbered_when_long
from ..graph.positions import Within, by_position, numbered_or_not
from ..limits import Context
from ..repo.store import Store
from .fast import filter_of
from .order.early import listed, wanted_of
from .spec import BARE, BOTTOM, SHOWN_ONLY, SIMPLIFYING, UNINTERESTING, Tip, WalkRow, WalkSpec, honours
from .walk import Walk, shows_all

_bare = honours(*BARE)
_counted, _followed = honours(*SHOWN_ONLY, *SIMPLIFYING), honours(*SHOWN_ONLY, *SIMPLIFYING, "first_parent")


def is_between(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether the walk excludes commits and needs nothing else that the plain walk does not offer."""
    return _bare(spec) and excludes(tips)


def excludes(tips: Sequence[Tip]) -> bool:
    """Whether some tips are excluded, and the sides of A...B are not distinguished."""
    return any(tip.flags for tip in tips) and not any(tip.flags & ~(UNINTERESTING | BOTTOM) for tip in tips)


def counts_all(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether the walk only has to count commits: all that the tips reach, except those that the excluded tips reach;
    or all that they reach along first parents."""
    return (_counted(spec) and excludes(tips)) or (_followed(spec) and not any(tip.flags for tip in tips))


def between_rows(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow]:
    """The rows of these commits, newest first."""

    def along(numbers: PackNumbers | None, ends: bool) -> Iterator[WalkRow]:
        return _rows(Walk(store, _limited(spec), ctx, numbers, ends=ends), tips, spec)

    def rows(within: Within | None) -> Iterator[WalkRow]:
        if within is None:
            return numbered_when_long(store, along, not shows_all(spec))
        return _rows(Walk(store, _limited(spec), ctx, Numbers(store, within[0])), tips, spec)

    return numbered_or_not(store, [tip.oid for tip in tips], ctx, rows) if spec.max_count else iter(())


def count_between(store: Store, tips: Sequence[Tip], ctx: Context) -> int:
    """The number of these commits."""
    spec = _limited(WalkSpec(raw=False))
    count = by_position(
        store,
        [tip.oid for tip in tips],
        ctx,
        lambda positions, _: len(_between(Walk(store, spec, ctx, Numbers(store, positions)), tips)),
    )
    if count is None:
        [count] = numbered_when_long(
            store, lambda numbers, ends: iter([len(_between(Walk(store, spec, ctx, numbers, ends=ends), tips))])
        )
    return count


def _limited(spec: WalkSpec) -> WalkSpec:
    return WalkSpec(raw=spec.raw, limited=True)


def _between(walk: Walk, tips: Sequence[Tip], wanted: int = 0) -> list[Node]:
    commits, _ = listed(walk, walk.start(tips), wanted)
    flags = walk.flags
    return [node for node in commits if not flags[node] & UNINTERESTING]


def _rows(walk: Walk, tips: Sequence[Tip], spec: WalkSpec) -> Iterator[WalkRow]:
    nodes = _between(walk, tips, wanted_of(spec))
    oid_of, oids, parents_of, times = walk.oid, walk.oids, walk.parents, walk.times
    accept = filter_of(spec, walk.store.odb.commit, oid_of)
    skip, left = spec.skip, spec.max_count
    for node in nodes:
        parents = parents_of[node]
        if accept is not None and not accept(node, times[node], parents, None):
            continue
        if skip > 0:
            skip -= 1
            continue
        yield oid_of(node), oids(parents), None, 0, ()
        left -= 1
        if not left:
            return
