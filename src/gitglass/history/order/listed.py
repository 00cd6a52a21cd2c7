"""Order and selection on a complete list of commits: topological order, ancestry paths, sides.

In topological order no parent comes before any of its children. Among the commits that may come next, `order` decides:
GRAPH_ORDER keeps lines of history together (a stack), the other two take the newest by commit or author date.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from ...annotations import TYPE_CHECKING
from ...graph.columns import ONE
from ...graph.nodes import Node
from ..columns import Column
from ..spec import (
    AUTHOR_ORDER,
    BOTTOM,
    FORKED,
    GRAPH_ORDER,
    LEFT,
    LOADED,
    ON_ANCESTRY_PATH,
    SHOWN,
    TREESAME,
    UNINTERESTING,
)

if TYPE_CHECKING:
    from ..state import WalkState


def topological(walk: WalkState, commits: Sequence[Node], order: str, dull: int = 0) -> list[Node]:
    """The same commits, children before parents.

    With `dull`, a line of commits with TREESAME as their only flag of these, and with one parent and one child each,
    may be left out, and its child gets the parent at its end: for simplification, which drops these commits anyway.
    """
    parents_of, degree = walk.parents, walk.column()  # children in the list plus one; 0 outside of the list
    first_of, second_of, above_of = parents_of.first, parents_of.second, parents_of.above
    for node in commits:
        degree[node] = 1
    for node in commits:
        for parent in (first_of[node],) if second_of[node] == ONE else above_of(node):
            if degree[parent]:
                degree[parent] += 1
    tips = [node for node in commits if degree[node] == 1]
    if order == GRAPH_ORDER or not order:
        return _stacked(walk, tips, degree, dull)
    return _dated(walk, tips, degree, order)


def _stacked(walk: WalkState, tips: list[Node], degree: Column, dull: int) -> list[Node]:
    parents_of, tick = walk.parents, walk.ctx.ticks()
    first_of, second_of, above_of, flags = parents_of.first, parents_of.second, parents_of.above, walk.flags
    stack = tips[::-1]  # the first tip comes first
    done: list[Node] = []
    while stack:
        tick()
        node = stack.pop()
        above = (first_of[node],) if second_of[node] == ONE else above_of(node)
        if dull and above:
            above = _without_line(walk, node, above, degree, dull)
        for parent in above:
            waiting = degree[parent] - 1
            if waiting >= 0:
                degree[parent] = waiting
                if waiting == 1:
                    stack.append(parent)
                elif dull:
                    flags[parent] |= FORKED
        degree[node] = 0
        done.append(node)
    return done


def _without_line(
    walk: WalkState, node: Node, parents: tuple[Node, ...], degree: Column, dull: int
) -> tuple[Node, ...]:
    """The parents of a commit, with the dull line that begins with the last of them replaced by its end. (That parent
    would be the next commit in the order.)"""
    flags, above_of, tick = walk.flags, walk.parents.above, walk.ctx.tick
    beyond = parents[-1]
    while degree[beyond] == 2 and flags[beyond] & (dull | FORKED) == TREESAME and len(above := above_of(beyond)) == 1:
        tick()
        degree[beyond] = 0
        beyond = above[0]
    if beyond == parents[-1]:
        return parents
    beyond_line = walk.parents[node] = (*parents[:-1], beyond)
    return beyond_line


def _dated(walk: WalkState, tips: list[Node], degree: Column, order: str) -> list[Node]:
    parents_of, tick, times, flags = walk.parents, walk.ctx.ticks(), walk.times, walk.flags
    queue: list[tuple[int, int, Node]] = []
    serial = 0

    def push(node: Node) -> None:
        nonlocal serial
        serial += 1
        if order == AUTHOR_ORDER:
            time = walk.author_time(node)
        else:
            time = times[node] if flags[node] & LOADED else 0
        heappush(queue, (-time, serial, node))

    for node in tips:
        push(node)
    done: list[Node] = []
    while queue:
        tick()
        node = heappop(queue)[2]
        for parent in parents_of[node]:
            if degree[parent]:
                degree[parent] -= 1
                if degree[parent] == 1:
                    push(parent)
        degree[node] = 0
        done.append(node)
    return done


def bottoms(walk: WalkState, first: Sequence[Node]) -> list[Node]:
    """The excluded tips: by default an ancestry path ends at these."""
    return [node for node in first if walk.flags[node] & BOTTOM]


def limit_to_ancestry(walk: WalkState, ends: Sequence[Node], commits: Sequence[Node]) -> None:
    """Exclude commits that neither descend from the ends nor (with --ancestry-path=<commit>) are their ancestors."""
    flags, parents_of, reaching = walk.flags, walk.parents, walk.column()
    first_of, second_of, above_of = parents_of.first, parents_of.second, parents_of.above
    for node in ends:
        reaching[node] = 1
    rest = [node for node in reversed(commits) if not reaching[node] and not flags[node] & UNINTERESTING]
    before = 0
    while len(rest) != before:  # one pass is enough if parents come first, which wrong commit dates can prevent
        before, doubtful = len(rest), rest
        rest = []
        for node in doubtful:
            if second_of[node] == ONE:
                reached = reaching[first_of[node]]
            else:
                reached = any(reaching[parent] for parent in above_of(node))
            if reached:
                reaching[node] = 1
            else:
                rest.append(node)
    for node in rest:
        if not flags[node] & ON_ANCESTRY_PATH:
            flags[node] |= UNINTERESTING


def limit_to_side(walk: WalkState, commits: Sequence[Node], *, right: bool) -> None:
    """Hide the commits of the other side of A...B (--right-only, --left-only)."""
    flags = walk.flags
    for node in commits:
        if bool(flags[node] & LEFT) == right:
            flags[node] |= SHOWN
