"""The first commits of a walk that excludes some, where no more of them are wanted.

What is excluded is painted down from the tips that were named, and only where the walk ends is it certain what stays.
But a commit's level is above the levels of all that it reaches: one that stands as high as the highest excluded tip is
reached by none of them, whatever the clocks say, and is listed for good as soon as it leaves the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop

from ...graph.nodes import Node
from ..spec import BOTTOM, LOADED, SEEN, SHOWN_ONLY, SIMPLIFYING, UNINTERESTING, WalkSpec, honours
from ..state import WalkState

_fits = honours(
    *SHOWN_ONLY, *SIMPLIFYING, "skip", "max_count", "limited", "boundary", "reverse", "rewrite_parents", "track_linear",
    "ancestry_path",
)  # fmt: skip


def wanted_of(spec: WalkSpec) -> int:
    """How many commits at the head of the list are all that is wanted of it; 0 where all of it may be."""
    few = _fits.others(spec) == _fits.usual and spec.max_count > 0 and not (spec.boundary and spec.ancestry_path)
    return spec.skip + spec.max_count if few else 0


def listed(walk: WalkState, first: Sequence[Node], wanted: int, ends: Sequence[Node] = ()) -> tuple[list[Node], bool]:
    """The list of a limited walk, and whether it is its head alone: so many as are wanted, all of which descend from
    the `ends`, if there are any."""
    flags = walk.flags
    excluded = [node for node in first if flags[node] & UNINTERESTING]
    odd = any(flags[node] & ~(SEEN | LOADED | UNINTERESTING | BOTTOM) for node in first)
    # what descends from one end may do so through what another excludes
    odd = odd or (bool(ends) and (len(ends) > 1 or [*ends] != excluded))
    if walk.numbers is None or odd or not (wanted and excluded):
        return walk.limit(first), False
    positions = walk.numbers.positions
    highest = max(map(positions.level, excluded))
    descends = positions.reaching(excluded[0]) if ends else None
    for node in first:
        walk.push(node)
    met, shown = list[Node](), list[Node]()
    for node in _certain(walk, highest, positions.level):
        met.append(node)
        if descends is None or descends(node):
            shown.append(node)
            if len(shown) == wanted:
                return shown, True
    return walk.limit((), met), False


def _certain(walk: WalkState, highest: int, level: Callable[[Node], int]) -> Iterator[Node]:
    """The commits that leave the queue before one that may be excluded."""
    flags, queue, parents_of, tick = walk.flags, walk.queue, walk.parents, walk.ctx.visits()
    with_parents = walk.spec.boundary  # which is marked as excluded, where it is
    while queue:
        node = queue[0][2]
        above = parents_of[node] if with_parents else ()
        if flags[node] & UNINTERESTING or any(level(one) < highest for one in (node, *above)):
            return
        tick()
        heappop(queue)
        walk.expand(node)
        yield node
