"""Questions of reachability answered within a commit-graph, by position: no oid, no date and no tuple for a commit.

A commit's level is above the levels of all its parents. Whoever takes the highest level first has met all descendants
of a commit before the commit itself, so that what is known of it then is final; and what lies no higher than a commit
cannot reach it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from struct import Struct

from ..errors import Corrupt
from ..limits import Context
from ..store.commitgraph import CommitGraph
from ..store.store import Store

NONE, MORE = 0x70000000, 0x80000000
ONE, TWO, STALE = 1, 2, 4
BOTH = ONE | TWO
_UNKNOWN, _NO, _YES, _OPEN = range(4)
_UNPACK = Struct(">IIQ").unpack_from


class Positions:
    """The commits of a graph by number."""

    __slots__ = ("_count", "_ctx", "_graph", "_rows", "_size", "_width")

    def __init__(self, graph: CommitGraph, rows: bytes, ctx: Context) -> None:
        self._graph, self._rows, self._ctx = graph, rows, ctx
        self._count = graph.count
        self._width = graph.hash_len
        self._size = graph.hash_len + 16

    def oid(self, position: int) -> bytes:
        """The commit's name."""
        return self._graph.oid(position)

    def level(self, position: int) -> int:
        """The topological level; 0 where the graph was written without."""
        level: int = _UNPACK(self._rows, position * self._size + self._width)[2] >> 34
        return level

    def parents(self, position: int) -> Iterable[int]:
        """The parents' positions."""
        first, second, _ = _UNPACK(self._rows, position * self._size + self._width)
        count = self._count
        if second == NONE and first < count:
            return (first,)
        if first < count and second < count:
            return first, second
        if first == NONE:
            return ()
        found = (first, *self._graph.further_parents(position, second)) if second & MORE else (first, second)
        wrong = [parent for parent in found if parent >= count and parent != NONE]
        if wrong:
            raise Corrupt(f"invalid parent position {wrong[0]} in commit-graph", prefix="error")
        return found

    def count(self, tips: Iterable[int]) -> int:
        """How many commits the tips reach, themselves included."""
        parents_of, tick = self.parents, self._ctx.visits()
        seen = bytearray(self._count)
        stack = list(set(tips))
        for tip in stack:
            seen[tip] = 1
        found = len(stack)
        while stack:
            tick()
            for parent in parents_of(stack.pop()):
                if not seen[parent]:
                    seen[parent] = 1
                    found += 1
                    stack.append(parent)
        return found

    def that_reach(self, tips: Iterable[int], wanted: int) -> set[int]:
        """Those of `tips` that reach the commit wanted, or are it."""
        state = bytearray(self._count)
        state[wanted] = _YES
        floor = self.level(wanted)
        return {tip for tip in tips if self._reaches(tip, floor, state)}

    def _reaches(self, tip: int, floor: int, state: bytearray) -> bool:
        """Depth first; `state` remembers the answers from one tip to the next."""
        rows, size, width, tick, parents_of = self._rows, self._size, self._width, self._ctx.tick, self.parents
        stack = [tip]
        while stack:
            tick()
            here = stack[-1]
            if state[here] == _UNKNOWN:
                if _UNPACK(rows, here * size + width)[2] >> 34 <= floor:
                    state[here] = _NO
                    stack.pop()
                    continue
                state[here] = _OPEN
                further = [parent for parent in parents_of(here) if state[parent] == _UNKNOWN]
                if further:
                    stack += further
                    continue
            if state[here] == _OPEN:
                state[here] = _YES if any(state[parent] == _YES for parent in parents_of(here)) else _NO
            stack.pop()
        return state[tip] == _YES

    def paint(self, one: int, twos: Iterable[int]) -> Iterator[tuple[int, int]]:
        """(position, colours) of what `one` and `twos` reach, highest level first, until all that is left is stale:
        below a commit that both reach. Those that have both colours and are not stale are the best common ancestors.
        """
        colours = bytearray(self._count)
        heap: list[int] = []
        fresh = 0
        for tip, colour in ((one, ONE), *((two, TWO) for two in twos)):
            if not colours[tip]:
                heappush(heap, -(self.level(tip) << 32 | tip))
                fresh += 1
            colours[tip] |= colour
        rows, size, width, tick, parents_of = self._rows, self._size, self._width, self._ctx.tick, self.parents
        while fresh:
            tick()
            here = -heappop(heap) & 0xFFFFFFFF
            colour = colours[here]
            fresh -= not colour & STALE
            yield here, colour
            if colour & BOTH == BOTH:
                colour |= STALE
            for parent in parents_of(here):
                known = colours[parent]
                if not known:
                    heappush(heap, -(_UNPACK(rows, parent * size + width)[2] >> 34 << 32 | parent))
                    fresh += not colour & STALE
                elif colour & STALE and not known & STALE:
                    fresh -= 1
                colours[parent] = known | colour


def positions_in(store: Store, oids: Iterable[bytes], ctx: Context) -> tuple[Positions, list[int]] | None:
    """The commits' positions, where one commit-graph with levels knows them all."""
    graph = store.odb.graph
    if graph is None:
        return None
    found = [graph.position(oid) for oid in oids]
    if None in found:
        return None
    tables = graph.tables()
    if tables is None:
        return None
    positions = Positions(graph, tables[0], ctx)
    places = [place for place in found if place is not None]
    return (positions, places) if all(map(positions.level, places)) else None
