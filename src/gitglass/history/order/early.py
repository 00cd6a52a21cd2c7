"""The first commits of a walk that excludes some, where no more of them are wanted.

Excluded commits are marked downwards from the excluded tips, and normally only the end of the walk decides which
commits stay. But a commit's level is higher than the levels of all commits it reaches: a commit whose level is at least
that of the highest excluded tip is reached by no excluded tip, whatever the commit dates are, so it is listed as soon
as it leaves the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop

from ...graph.nodes import Node, Numbers
from ..spec import BOTTOM, LOADED, SEEN, SHOWN_ONLY, SIMPLIFYING, UNINTERESTING, WalkSpec, honours
from ..state import WalkState

_fits = honours(
    *SHOWN_ONLY, *SIMPLIFYING, "skip", "max_count", "limited", "boundary", "reverse", "rewrite_parents", "track_linear",
    "ancestry_path",
)  # fmt: skip


def wanted_of(spec: WalkSpec) -> int:
    """The number of commits needed from the head of the list; 0 if all of it may be needed."""
    few = _fits.others(spec) == _fits.usual and spec.max_count > 0 and not (spec.boundary and spec.ancestry_path)
    return spec.skip + spec.max_count if few else 0


def listed(walk: WalkState, first: Sequence[Node], wanted: int, ends: Sequence[Node] = ()) -> tuple[list[Node], bool]:
    """The list of a limited walk, and whether it is only its head: `wanted` commits, all of which descend from the
    `ends`, if there are any."""
    flags = walk.flags
    excluded = [node for node in first if flags[node] & UNINTERESTING]
    odd = any(flags[node] & ~(SEEN | LOADED | UNINTERESTING | BOTTOM) for node in first)
    # a commit may descend from one end only through commits that another end excludes
    odd = odd or (bool(ends) and (len(ends) > 1 or [*ends] != excluded))
    if not isinstance(walk.numbers, Numbers) or odd or not (wanted and excluded):
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
    """The commits that leave the queue before the first that may be excluded."""
    flags, queue, parents_of, tick = walk.flags, walk.queue, walk.parents, walk.ctx.visits()
    with_parents = walk.spec.boundary  # then it must be certain whether the parents are excluded, too
    while queue:
        node = queue[0][2]
        above = parents_of[node] if with_parents else ()
        if flags[node] & UNINTERESTING or any(level(one) < highest for one in (node, *above)):
            return
        tick()
        heappop(queue)
        walk.expand(node)
        yield node
