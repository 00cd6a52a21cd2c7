"""Many refs against a few commits: `--contains` and `--merged` without walking all of history.

Both walk from the refs and from the commits at once, newest first, and stop as soon as no remaining commit can change
an answer. For `--contains` dates only decide which commits are looked at first. `--merged` trusts dates a little: when
all remaining commits are older than the refs in question it looks at some more commits, but not at all of them. With a
commit-graph both use its levels instead of dates.
"""

from collections.abc import Iterable
from heapq import heappop, heappush

from ..graph.positions import Positions, by_position
from ..limits import Context
from ..repo.store import Store

_DAY = 86400
_PATIENCE = 32


def that_contain(store: Store, refs: set[bytes], wanted: Iterable[bytes], *, ctx: Context) -> set[bytes]:
    """The `refs` (commits) that are one of `wanted` or reach one."""
    containing: set[bytes] = set()
    for commit in wanted:
        containing |= _that_contain(store, refs - containing, commit, ctx)
    return containing


def _that_contain(store: Store, refs: set[bytes], wanted: bytes, ctx: Context) -> set[bytes]:
    """The refs that reach `wanted`. Every commit between a ref and `wanted` is no ancestor of `wanted`, so the walk
    ends when only ancestors are left."""
    containing = by_position(store, [wanted, *refs], ctx, _containing)
    if containing is not None:
        return containing
    facts, tick = store.odb.facts_reader(), ctx.ticks()
    parents_of: dict[bytes, tuple[bytes, ...]] = {}
    below = {wanted}
    heap: list[tuple[int, bytes]] = []
    queued: set[bytes] = set()
    open_ends = 0
    for oid in refs | {wanted}:
        heappush(heap, (-facts(oid)[1], oid))
        queued.add(oid)
        open_ends += oid != wanted
    while open_ends:
        tick()
        oid = heappop(heap)[1]
        is_below = oid in below
        if oid not in parents_of:
            open_ends -= not is_below
        parents = parents_of[oid] = facts(oid)[0]
        for parent in parents:
            if is_below and parent not in below:
                below.add(parent)
                if parent in parents_of:  # met before it was known to be an ancestor of `wanted`: mark its parents
                    heappush(heap, (-facts(parent)[1], parent))
                    continue
                open_ends -= parent in queued
            if parent not in queued:
                queued.add(parent)
                heappush(heap, (-facts(parent)[1], parent))
                open_ends += not is_below
    return _reaching(refs, wanted, below, parents_of, ctx)


def _containing(positions: Positions, places: list[int]) -> set[bytes]:
    wanted, *refs = places
    return set(map(positions.oid, positions.that_reach(refs, wanted)))


def _reaching(
    refs: set[bytes], wanted: bytes, below: set[bytes], parents_of: dict[bytes, tuple[bytes, ...]], ctx: Context
) -> set[bytes]:
    """A search through the walked commits that remembers answers; without recursion."""
    answers = dict.fromkeys(below, False)
    answers[wanted] = True
    for ref in refs:
        path = [(ref, iter(parents_of.get(ref, ())))] if ref not in answers else []
        if path:
            answers[ref] = False
        while path:
            ctx.tick()
            for parent in path[-1][1]:
                answer = answers.get(parent)
                if answer:
                    answers.update((above, True) for above, _ in path)
                    path.clear()
                    break
                if answer is None:
                    answers[parent] = False
                    path.append((parent, iter(parents_of.get(parent, ()))))
                    break
            else:
                path.pop()
    return {ref for ref in refs if answers[ref]}


def _reached(positions: Positions, places: list[int], count: int, ctx: Context) -> set[bytes]:
    """Which of the first `count` commits are one of the others or reached by one; nothing below the lowest level is
    read."""
    wanted = places[:count]
    floor = min(map(positions.level, wanted), default=0)
    marks = positions.marked(places[count:], ctx.ticks(), floor=floor)
    return {positions.oid(position) for position in wanted if marks[position]}


def that_are_reached(store: Store, refs: set[bytes], tips: Iterable[bytes], *, ctx: Context) -> set[bytes]:
    """The `refs` (commits) that are one of `tips` or reached by one."""
    reached = set(tips)
    reached_refs = by_position(store, [*refs, *reached], ctx, lambda graph, at: _reached(graph, at, len(refs), ctx))
    if reached_refs is not None:
        return reached_refs
    facts, tick = store.odb.facts_reader(), ctx.ticks()
    missing = refs - reached
    heap: list[tuple[int, bytes]] = []
    queued: set[bytes] = set()
    done: set[bytes] = set()
    open_ends = 0
    for oid in refs | reached:
        heappush(heap, (-facts(oid)[1], oid))
        queued.add(oid)
        open_ends += oid not in reached
    floor, patience = _oldest(store, missing), _PATIENCE
    while missing and heap:
        if not open_ends and -heap[0][0] < floor:
            floor = _oldest(store, missing)
            patience -= 1
            if -heap[0][0] < floor and not patience:
                break
        tick()
        oid = heappop(heap)[1]
        is_reached = oid in reached
        if oid not in done:
            done.add(oid)
            open_ends -= not is_reached
        for parent in facts(oid)[0]:
            if is_reached and parent not in reached:
                reached.add(parent)
                missing.discard(parent)
                if parent in done:
                    heappush(heap, (-facts(parent)[1], parent))
                    patience = _PATIENCE
                    continue
                open_ends -= parent in queued
            if parent not in queued:
                queued.add(parent)
                heappush(heap, (-facts(parent)[1], parent))
                open_ends += not is_reached
    return refs - missing


def _oldest(store: Store, commits: set[bytes]) -> int:
    """A day before the oldest of these commits."""
    return min((store.odb.commit_facts(oid)[1] for oid in commits), default=0) - _DAY
