"""The search of git describe: which names a commit reaches, and at what distance.

Its ancestors are visited by date. Some names are collected on the way; the depth of each is the number of visited
commits that it does not reach. Then the walk continues for the nearest name alone, until it reaches all remaining
commits, so that its depth is exact.

A commit is an argument of `facts`: an oid, or its position in a commit-graph. The names that reach a commit are kept as
bits, and commits are counted by these bits, so that a visit costs the same however many names were found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from heapq import heappop, heappush, heappushpop

from ..annotations import Any
from ..limits import Context
from ..records import record

UNUSABLE, USABLE, ANNOTATED = 0, 1, 2
_SEEN = 1

Node = Any  # bytes or int
Item = tuple[int, int, Node, tuple[Node, ...]]  # -time, order of arrival, commit, parents


@record
class Nearest:
    """The names, nearest first: (depth, order of arrival, the commit that has the name). `passed` is the number of
    names that could not be used, `visited` that of commits; `beyond` is the commit with one name too many, `end` the
    one that made the result certain.
    """

    candidates: list[tuple[int, int, Node]]
    passed: int = 0
    visited: int = 0
    beyond: Node | None = None
    end: Node | None = None

    def named(self, oid: Callable[[int], bytes]) -> Nearest:
        """The same with oids in place of positions."""
        candidates = [(depth, nth, oid(node)) for depth, nth, node in self.candidates]
        beyond, end = (None if node is None else oid(node) for node in (self.beyond, self.end))
        return Nearest(candidates, self.passed, self.visited, beyond, end)


class Search:
    """One search. `names` tells for commits with a name how far it can be used; at most `most` are collected."""

    __slots__ = ("_ctx", "_facts", "_first_parent", "_flags", "_most", "_names", "_queue", "_serial")

    def __init__(
        self,
        facts: Callable[[Node], tuple[Any, ...]],
        names: Mapping[Node, int],
        *,
        most: int,
        first_parent: bool,
        ctx: Context,
    ) -> None:
        self._facts, self._names, self._most, self._first_parent = facts, names, most, first_parent
        self._ctx = ctx
        self._flags: dict[Node, int] = {}
        self._queue: list[Item] = []
        self._serial = 0

    def run(self, start: Node) -> Nearest:
        """The names that a commit reaches."""
        facts, queue, flags, only_first = self._facts, self._queue, self._flags, self._first_parent
        name_of, tick = self._names.get, self._ctx.tick
        parents, time = facts(start)[:2]
        flags[start] = _SEEN
        waiting: Item | None = (-time, 0, start, parents)
        serial, passed, annotated = 0, 0, False
        counts: defaultdict[int, int] = defaultdict(int)  # commits visited, by their flags
        candidates: list[Node] = []
        beyond = end = None
        while queue or waiting is not None:
            tick()
            _, _, node, parents = heappop(queue) if waiting is None else heappushpop(queue, waiting)
            waiting = None
            have = flags[node]
            name = name_of(node)
            if name is not None:
                if not name:
                    passed += 1
                elif len(candidates) == self._most:
                    beyond = node
                    break
                else:
                    candidates.append(node)
                    have = flags[node] = have | 1 << len(candidates)
                    annotated = annotated or name == ANNOTATED
            counts[have] += 1
            if annotated and not queue and have != _SEEN and _covered(counts, len(candidates), have):
                end = node
                break
            for parent in parents:
                old = flags.get(parent)
                if old is None:
                    serial += 1
                    if waiting is not None:
                        heappush(queue, waiting)
                    above, time = facts(parent)[:2]
                    waiting = (-time, serial, parent, above)
                    flags[parent] = have
                else:
                    flags[parent] = old | have
                if only_first:
                    break
        if waiting is not None:
            heappush(queue, waiting)
        self._serial = serial
        depths = [(_depth(counts, nth + 1), nth, node) for nth, node in enumerate(candidates)]
        return self._finished(Nearest(sorted(depths), passed, sum(counts.values()), beyond, end))

    def _finished(self, nearest: Nearest) -> Nearest:
        """The result with the depth of the best name completed: counted until it reaches all remaining commits."""
        beyond = nearest.beyond
        if nearest.candidates:
            if beyond is not None:
                parents, time = self._facts(beyond)[:2]
                heappush(self._queue, (-time, self._serial + 1, beyond, parents))
            depth, nth, best = nearest.candidates[0]
            visited, more = self._count_on(1 << (nth + 1))
            nearest.candidates[0] = depth + more, nth, best
            nearest.visited += visited
        return nearest

    def _count_on(self, flag: int) -> tuple[int, int]:
        """(commits visited, those of them without the flag)."""
        facts, tick, flags, queue, serial = self._facts, self._ctx.tick, self._flags, self._queue, self._serial + 1
        waiting = {item[2] for item in queue}
        outside = sum(not flags[node] & flag for node in waiting)
        visited = without = 0
        while queue:
            tick()
            _, _, node, parents = heappop(queue)
            waiting.discard(node)
            visited += 1
            have = flags[node]
            if have & flag:
                if not outside:
                    break
            else:
                outside -= 1
                without += 1
            for parent in parents:
                old = flags.get(parent)
                if old is None:
                    serial += 1
                    above, time = facts(parent)[:2]
                    heappush(queue, (-time, serial, parent, above))
                    waiting.add(parent)
                    outside += not have & flag
                    old = 0
                elif parent in waiting and not old & flag and have & flag:
                    outside -= 1
                flags[parent] = old | have
        return visited, without


def _depth(counts: Mapping[int, int], nth: int) -> int:
    """The number of commits that the nth name does not reach."""
    return sum(count for have, count in counts.items() if not have >> nth & 1)


def _covered(counts: Mapping[int, int], count: int, have: int) -> bool:
    """Whether the last commit in the queue is reached by all of the best names."""
    depths = [_depth(counts, nth + 1) for nth in range(count)]
    best = min(depths)
    return all(have >> nth + 1 & 1 for nth, depth in enumerate(depths) if depth == best)
