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
from ...graph.nodes import INFINITE, Node, Numbers
from ...objects.database import Odb
from ..spec import AUTHOR_ORDER, GRAPH_ORDER, UNINTERESTING

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


def _by_number(walk: WalkState) -> Callable[[int], int]:
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

    __slots__ = ("_met", "_queue", "_visit", "_walk", "children", "generation")

    def __init__(self, walk: WalkState) -> None:
        self._walk, self._visit = walk, walk.ctx.visits()
        self._queue: list[tuple[int, int, int, Node]] = []
        self._met: set[Node] = set()
        self.children: dict[Node, int] = {}  # number of children of a commit that were met and not shown yet
        self.generation = generations_of(walk.odb) if walk.numbers is None else _by_number(walk)

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
        max_age, tick = walk.spec.max_age, self._visit
        while queue and -queue[0][0] >= generation:
            tick()
            _, negated, _, node = heappop(queue)
            if max_age is not None and -negated < max_age:
                flags[node] |= UNINTERESTING
            walk.expand(node)
            walk.queue.clear()  # not used by this order
            if flags[node] & UNINTERESTING:
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
    order, max_age = walk.spec.order, walk.spec.max_age
    flags, times = walk.flags, walk.times
    ahead = Ahead(walk)
    depth, children = begin(ahead, first), ahead.children
    ready = Ready(walk, order)
    for node in [node for node in first if not children[node]][:: -1 if order == GRAPH_ORDER else 1]:
        ready.put(node)
    while ready.queue:
        node = ready.take()
        if max_age is not None and times[node] < max_age:
            continue
        for parent in walk.parents[node]:
            if flags[parent] & UNINTERESTING:
                continue
            generation = ahead.generation(parent)
            if generation < depth:
                depth = generation
                ahead.run(depth)
            waiting_for = children[parent] = children.get(parent, 0) - 1
            if waiting_for < 0:
                raise Corrupt("commit-graph generations are out of order", prefix="error")
            if not waiting_for:
                ready.put(parent)
        yield node


class Ready:
    """The commits that can be shown: a stack, or a queue by commit or author date."""

    __slots__ = ("_order", "_serial", "_walk", "queue")

    def __init__(self, walk: WalkState, order: str) -> None:
        self._walk, self._order, self._serial = walk, order, 0
        self.queue: list[tuple[int, int, Node]] = []

    def put(self, node: Node) -> None:
        if self._order == GRAPH_ORDER:
            self.queue.append((0, 0, node))
            return
        walk = self._walk
        time = walk.author_time(node) if self._order == AUTHOR_ORDER else walk.times[node]
        self._serial += 1
        heappush(self.queue, (-time, self._serial, node))

    def take(self) -> Node:
        return self.queue.pop()[2] if self._order == GRAPH_ORDER else heappop(self.queue)[2]
