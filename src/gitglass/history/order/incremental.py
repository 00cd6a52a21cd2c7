"""Topological order without the list of all commits, where a commit-graph knows generations.

A commit can be shown when all its children were shown, so its children have to be known. They have higher generation
numbers: they are known once every commit of the same or a higher generation has been looked at. The walk does not have
to look further ahead than that (git-log(1) --topo-order, --date-order, --author-date-order, --graph).

`numbered.py` does the same for walks that need nothing else; this module is for walks that also simplify history, for
example. For those along first parents there is `first_parents.py`.

Commits outside the graph have an infinite generation, so all of them are looked at before the first commit is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from ...annotations import TYPE_CHECKING, Any, Protocol
from ...deferred import deferred
from ...errors import Corrupt
from ...graph.columns import ONE
from ...graph.nodes import INFINITE, Node, Numbers
from ...limits import paced
from ...objects.database import Odb
from ..spec import ADDED, AUTHOR_ORDER, GRAPH_ORDER, LEFT, LOADED, ON_ANCESTRY_PATH, SEEN, UNINTERESTING

if TYPE_CHECKING:
    from ...graph.corrected import corrected_dates
    from ..state import WalkState
else:
    corrected_dates = deferred(__name__, "...graph.corrected", "corrected_dates")


def has_generations(odb: Odb) -> bool:
    """Whether there is a commit-graph with generation numbers."""
    graph = odb.graph
    return graph is not None and graph.count > 0 and graph.row(0)[2] >> 34 > 0


def generations_of(odb: Odb) -> Callable[[bytes], int]:
    """The function that gives the generation number by which git looks ahead: a corrected date, if there are such."""
    graph = odb.graph
    assert graph is not None
    generation = graph.corrected_date if graph.has_corrected else graph.generation

    def level_of(oid: bytes) -> int:
        level = generation(oid)
        return INFINITE if level is None else level

    return level_of


def generation_reader(walk: WalkState) -> Callable[[int], int]:
    """The same by number, for commits that are loaded."""
    graph, times, numbers = walk.odb.graph, walk.times, walk.numbers
    assert graph is not None and isinstance(numbers, Numbers)
    if graph.has_corrected:
        date_of = corrected_dates(walk.store, numbers)
        return lambda position: date_of(position, times[position])
    level_of, count = numbers.positions.level, graph.count
    return lambda position: level_of(position) if position < count else INFINITE


class LookAhead(Protocol):
    """What looks ahead of the commits that are shown."""

    def generation(self, node: Any, /) -> int:
        """The generation of a commit."""

    def begin(self, node: Any, /) -> None:
        """Take a tip."""

    def run(self, generation: int) -> None:
        """Look at all commits of at least that generation."""


class Ahead:
    """The part of the walk that looks ahead: it expands commits, highest generation first, and counts their
    children."""

    __slots__ = ("_met", "_plain", "_queue", "_simplify", "_visit", "_walk", "children", "generation")

    def __init__(self, walk: WalkState) -> None:
        self._walk, self._visit = walk, walk.ctx.visits()
        #: whether nothing is passed on to parents but flags
        self._plain = not (walk.spec.sources or walk.spec.skips_parents)
        self._simplify = None if walk.simplifier is None else walk.simplifier.simplify
        self._queue: list[tuple[int, int, int, Node]] = []
        self._met: set[Node] = set()
        self.children: dict[Node, int] = {}  # number of children of a commit that were met and not shown yet
        self.generation = generations_of(walk.odb) if walk.numbers is None else generation_reader(walk)

    def begin(self, node: Node) -> None:
        """Take a tip."""
        self.children[node] = 0
        self.meet(node)

    def meet(self, node: Node) -> None:
        """Put a commit in the queue, once."""
        if node not in self._met:
            self._met.add(node)
            self._walk.load(node)
            heappush(self._queue, (-self.generation(node), -self._walk.times[node], len(self._met), node))

    def run(self, generation: int) -> None:
        """Look at all commits of at least that generation."""
        walk, queue, children, flags = self._walk, self._queue, self.children, self._walk.flags
        max_age, tick, plain, read, met = walk.spec.max_age, self._visit, self._plain, walk.facts, self._met
        first_of, second_of, above_of = walk.parents.first, walk.parents.second, walk.parents.above
        times, generation_of, simplify = walk.times, self.generation, self._simplify
        while queue and -queue[0][0] >= generation:
            tick()
            _, negated, _, node = heappop(queue)
            if max_age is not None and -negated < max_age:
                flags[node] |= UNINTERESTING
            have = flags[node]
            if not plain or have & (UNINTERESTING | ADDED):
                self._expand(node)
                continue
            flags[node] = have | ADDED
            if simplify is not None:
                simplify(node)
            passed = have & (LEFT | ON_ANCESTRY_PATH)
            for parent in (first_of[node],) if second_of[node] == ONE else paced(above_of(node)):
                children[parent] = children.get(parent, 0) + 1
                flag = flags[parent]
                if flag & LOADED:
                    flags[parent] = flag | SEEN | passed
                else:
                    facts = read(parent)
                    second_of[parent], times[parent] = facts[0], facts[1]
                    flags[parent] = flag | SEEN | LOADED | passed
                if parent not in met:
                    met.add(parent)
                    heappush(queue, (-generation_of(parent), -times[parent], len(met), parent))
        walk.queue.clear()  # not used by this order

    def _expand(self, node: Node) -> None:
        """Look at a commit that is excluded, or where more is passed on to parents."""
        walk, children = self._walk, self.children
        walk.expand(node)
        if walk.flags[node] & UNINTERESTING:
            walk.exclude_ancestors(node)
        for parent in walk.parents[node]:
            children[parent] = children.get(parent, 0) + 1
            self.meet(parent)


def begin(ahead: LookAhead, first: list[Node]) -> int:
    """Look at what is looked at before the first commit is shown: all down to the lowest generation of the first ones,
    which is returned."""
    for node in first:
        ahead.begin(node)
    depth = min(map(ahead.generation, first), default=INFINITE)
    ahead.run(depth)
    return depth


def incremental(walk: WalkState, first: list[Node]) -> Iterator[Node]:
    """The commits in topological order, among siblings in the order of the spec."""
    order, max_age, tick = walk.spec.order, walk.spec.max_age, walk.ctx.ticks()
    flags, times, author_time = walk.flags, walk.times, walk.author_time
    first_of, second_of, above_of = walk.parents.first, walk.parents.second, walk.parents.above
    ahead = Ahead(walk)
    depth, children, generation_of = begin(ahead, first), ahead.children, ahead.generation
    ready = [node for node in first if not children[node]]
    stacked, by_author = order == GRAPH_ORDER, order == AUTHOR_ORDER
    stack, heap = ready[::-1], list[tuple[int, int, Node]]()
    if not stacked:
        heap = sorted((-(author_time(node) if by_author else times[node]), nth, node) for nth, node in enumerate(ready))
    serial = len(heap)
    while stack if stacked else heap:
        tick()
        node = stack.pop() if stacked else heappop(heap)[2]
        if max_age is not None and times[node] < max_age:
            continue
        for parent in (first_of[node],) if second_of[node] == ONE else above_of(node):
            if flags[parent] & UNINTERESTING:
                continue
            generation = generation_of(parent)
            if generation < depth:
                depth = generation
                ahead.run(depth)
            waiting_for = children[parent] = children.get(parent, 0) - 1
            if waiting_for < 0:
                raise Corrupt("commit-graph generations are out of order", prefix="error")
            if waiting_for:
                continue
            if stacked:
                stack.append(parent)
                continue
            serial += 1
            heappush(heap, (-(author_time(parent) if by_author else times[parent]), serial, parent))
        yield node
