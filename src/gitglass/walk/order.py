"""Order and selection on a finished list of commits: topological order, ancestry paths, sides.

In topological order no parent comes before all of its children. What is left open decides `order`: GRAPH_ORDER keeps
lines of history together (a stack), the other two take the newest by commit or author date.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from .spec import AUTHOR_ORDER, BOTTOM, GRAPH_ORDER, LEFT, ON_ANCESTRY_PATH, SHOWN, UNINTERESTING

if TYPE_CHECKING:
    from .history import Walk


def topological(walk: Walk, commits: Sequence[bytes], order: str) -> list[bytes]:
    """The same commits, children before parents."""
    parents_of = walk.parents
    degree = dict.fromkeys(commits, 1)
    for oid in commits:
        for parent in parents_of[oid]:
            if parent in degree:
                degree[parent] += 1
    tips = [oid for oid in commits if degree[oid] == 1]
    if order == GRAPH_ORDER or not order:
        return _stacked(walk, tips, degree)
    return _dated(walk, tips, degree, order)


def _stacked(walk: Walk, tips: list[bytes], degree: dict[bytes, int]) -> list[bytes]:
    parents_of, tick = walk.parents, walk.ctx.tick
    stack = tips[::-1]  # the first tip comes first
    done: list[bytes] = []
    while stack:
        tick()
        oid = stack.pop()
        for parent in parents_of[oid]:
            if parent in degree:
                degree[parent] -= 1
                if degree[parent] == 1:
                    stack.append(parent)
        degree[oid] = 0
        done.append(oid)
    return done


def _dated(walk: Walk, tips: list[bytes], degree: dict[bytes, int], order: str) -> list[bytes]:
    parents_of, tick, times = walk.parents, walk.ctx.tick, walk.times
    queue: list[tuple[int, int, bytes]] = []
    serial = 0

    def push(oid: bytes) -> None:
        nonlocal serial
        serial += 1
        time = walk.odb.commit(oid).author_time if order == AUTHOR_ORDER else times[oid]
        heappush(queue, (-time, serial, oid))

    for oid in tips:
        push(oid)
    done: list[bytes] = []
    while queue:
        tick()
        oid = heappop(queue)[2]
        for parent in parents_of[oid]:
            if parent in degree:
                degree[parent] -= 1
                if degree[parent] == 1:
                    push(parent)
        degree[oid] = 0
        done.append(oid)
    return done


def bottoms(walk: Walk, first: Sequence[bytes]) -> list[bytes]:
    """The excluded commits that were named: where an ancestry path ends when nothing else was said."""
    return [oid for oid in first if walk.flags[oid] & BOTTOM]


def limit_to_ancestry(walk: Walk, ends: Sequence[bytes], commits: Sequence[bytes]) -> None:
    """Exclude what neither descends from nor (with --ancestry-path=<commit>) leads to the ends."""
    flags, parents_of = walk.flags, walk.parents
    reaching = set(ends)
    progress = True
    while progress:
        progress = False
        for oid in reversed(commits):
            if oid in reaching or flags[oid] & UNINTERESTING:
                continue
            if any(parent in reaching for parent in parents_of[oid]):
                reaching.add(oid)
                progress = True
    for oid in commits:
        if oid not in reaching and not flags[oid] & ON_ANCESTRY_PATH:
            flags[oid] |= UNINTERESTING


def limit_to_side(walk: Walk, commits: Sequence[bytes], *, right: bool) -> None:
    """Hide the commits of the other side of A...B (--right-only, --left-only)."""
    flags = walk.flags
    for oid in commits:
        if bool(flags[oid] & LEFT) == right:
            flags[oid] |= SHOWN
