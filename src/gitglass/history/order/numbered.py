"""Topological order by position in a commit-graph, for walks that neither simplify nor limit history.

It does the same as `incremental.py` without making an oid, a date or a tuple for a commit: all of a long history can be
put in order in little memory. With levels it is simple: commits are taken highest level first, and then everything
about a commit is known when it is taken. Where nothing is excluded and all of a long history will be asked for, the
children of the rest are counted at once, without levels. The boundary of the commits shown is in `edge.py`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain, islice

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...errors import Corrupt
from ...graph.columns import ONE, columns_of
from ...graph.positions import Positions, by_position
from ...limits import Context, need
from ...repo.store import Store
from ..columns import FEW, Column, Sparse
from ..spec import (
    AUTHOR_ORDER,
    BOTTOM,
    GRAPH_ORDER,
    LEFT,
    SEEN,
    SHOWN_ONLY,
    SIMPLIFYING,
    UNINTERESTING,
    Tip,
    WalkRow,
    WalkSpec,
    honours,
)
from .chosen import chooser, lines_of, orders_only

if TYPE_CHECKING:
    from .edge import Edge
else:
    Edge = deferred(__name__, ".edge", "Edge")

#: fields of a walk that shows a boundary: every parent of a commit that it shows is shown or excluded
_has_edge = honours(*SHOWN_ONLY, *SIMPLIFYING, "order", "rewrite_parents", "graph", "boundary")


def is_orderly(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether commits are only excluded and put in order. Along first parents what is excluded and some authors' dates
    depend on how far git looks ahead, see `first_parents.py`."""
    if spec.first_parent and (spec.order == AUTHOR_ORDER or any(tip.flags for tip in tips)):
        return False
    orders = _has_edge(spec) if spec.boundary else orders_only(spec)
    return bool(spec.order) and orders and not any(tip.flags & ~(UNINTERESTING | BOTTOM | LEFT) for tip in tips)


def numbered_rows(
    store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context, otherwise: Callable[[], Iterator[WalkRow]]
) -> Iterator[WalkRow] | None:
    """The rows of the commits in order; None if no commit-graph has them, or if it is broken where the walk begins.
    `otherwise` gives the rows of the general walk, for a boundary that can only be told by it.

    A graph that turns out to be broken later ends the walk with an error, as in git: the commits before it are already
    shown.
    """

    def begun(positions: Positions, places: list[int]) -> Iterator[WalkRow]:
        beside: dict[int, int] = {}
        for position, tip in zip(places, tips, strict=True):
            beside[position] = beside.get(position, 0) | tip.flags & (UNINTERESTING | LEFT)
        walk = Orderly(positions, ctx, only_first=spec.first_parent)
        last = None if spec.max_count < 0 else spec.skip + spec.max_count
        met = walk.run(beside, spec.order, store, whole=last is None)
        edge = Edge(positions, beside, store, spec, ctx, otherwise) if spec.boundary else None
        rows = _rows(walk, met, spec, store, beside, edge)
        rows = islice(rows, spec.skip, last) if spec.max_count else iter(())
        if spec.reverse:
            rows = reversed(list(rows))
        return chain(list(islice(rows, 1)), rows)

    return by_position(store, [tip.oid for tip in tips], ctx, begun)


def _rows(
    walk: Orderly,
    met: Iterator[tuple[int, tuple[int, ...]]],
    spec: WalkSpec,
    store: Store,
    tips: Mapping[int, int],
    edge: Edge | None,
) -> Iterator[WalkRow]:
    """Those of the commits that are shown, and of their boundary; `tips` have flags."""
    oid_of, facts, flags = walk.positions.oid_reader(), walk.positions.facts, walk.flags
    test = chooser(spec, store, oid_of)
    none_excluded = not any(have & UNINTERESTING for have in tips.values())
    sides = any(have & LEFT for have in tips.values())

    def is_shown(parent: int) -> bool:
        return not flags[parent] & UNINTERESTING and (test is None or test(parent, facts(parent)[0], None))

    plain = test is None
    draws_all = plain and (none_excluded or edge is not None)
    drawn = lines_of(spec, None if draws_all else is_shown) if spec.graph else None
    names: dict[int, bytes] = {}  # of parents that come later
    parents: tuple[bytes, ...]
    beside: tuple[bytes, ...] = ()
    for position, above in met:
        if test is not None and not test(position, above, None):
            continue
        if plain and len(above) == 1:
            names[above[0]] = parent = oid_of(above[0])
            parents = (parent,)
        else:
            parents = tuple(map(oid_of, above))
        if edge is not None:
            edge.meet(position, above, flags)
        if drawn is not None:
            lines = drawn(above)
            beside = parents if lines is above else tuple(map(oid_of, lines))
        side = flags[position] & LEFT if sides else 0
        yield names.pop(position, b"") or oid_of(position), parents, None, side, beside
    if edge is not None:
        yield from edge.rows(flags)


class Orderly:
    """The state of one walk: `flags` by position, and how many children of a commit were met and not shown yet.

    Levels are compared in the form of the columns: multiplied by four, with two bits of the commit's time.
    """

    __slots__ = (
        "_children",
        "_columns",
        "_count",
        "_ctx",
        "_narrow",
        "_only_first",
        "_queue",
        "_visit",
        "flags",
        "positions",
    )

    def __init__(self, positions: Positions, ctx: Context, *, only_first: bool = False) -> None:
        """With `only_first` only first parents are followed."""
        self.positions, self._ctx, self._visit, self._only_first = positions, ctx, ctx.visits(), only_first
        self.flags = bytearray(positions.count)
        self._children: Column = Sparse()
        self._count = 0  # a number below it in the column of second parents is a commit
        self._queue: list[int] = []  # negated level and position in one number, so that the highest level comes first
        #: first and second parents, commit times and levels; empty until many commits were looked at
        self._columns: tuple[Column, Column, Column, Column] = Sparse(), Sparse(), Sparse(), Sparse()
        self._narrow = max(FEW, positions.count >> 6)

    def run(
        self, tips: Mapping[int, int], order: str, store: Store, *, whole: bool = False
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(position, the parents' positions) of the commits that are shown; `tips` have flags. `whole`: all of a long
        history will be asked for."""
        facts, level_of, tick = self.positions.facts, self._level, self._ctx.ticks()
        flags, only_first = self.flags, self._only_first
        excludes = any(have & UNINTERESTING for have in tips.values())
        whole = whole and not any(tips.values())
        first = sorted(tips, key=lambda position: -facts(position)[1])
        for position in first:
            flags[position] = SEEN | tips[position]
            heappush(self._queue, -(level_of(position) << 32 | position))
        depth = self._look_ahead(min(map(level_of, first), default=0), whole)
        first_of, second_of, times, levels = self._columns
        children, count = self._children, self._count
        heap: list[tuple[int, int, int]] = []
        stacked, by_author = order == GRAPH_ORDER, order == AUTHOR_ORDER

        def author_date(position: int) -> int:
            return store.odb.commit(self.positions.oid(position)).author_time

        ready = [position for position in first if not children[position]]
        stack = ready[::-1]
        if not stacked:
            date = author_date if by_author else lambda position: facts(position)[1]
            heap = sorted((-date(position), nth, position) for nth, position in enumerate(ready))
        serial = len(heap)
        while stack if stacked else heap:
            tick()
            position = stack.pop() if stacked else heappop(heap)[2]
            second = second_of[position]
            if second == ONE:
                above: tuple[int, ...] = (first_of[position],)
            else:
                above = (first_of[position], second) if second < count else facts(position)[0]
            for parent in above[:1] if only_first else above:
                if excludes and flags[parent] & UNINTERESTING:
                    continue
                if depth and (level := levels[parent] or level_of(parent)) < depth:
                    depth = self._look_ahead(level, whole)
                    first_of, second_of, times, levels = self._columns
                    children, count = self._children, self._count
                waiting_for = children[parent] - 1
                if waiting_for < 0:
                    raise Corrupt("commit-graph generations are out of order", prefix="error")
                children[parent] = waiting_for
                if waiting_for:
                    continue
                if stacked:
                    stack.append(parent)
                    continue
                serial += 1
                time = author_date(parent) if by_author else times[parent] or facts(parent)[1]
                heappush(heap, (-time, serial, parent))
            if not (excludes and flags[position] & UNINTERESTING):
                yield position, above

    def _level(self, position: int) -> int:
        return self.positions.level(position) << 2

    def _look_ahead(self, level: int, whole: bool) -> int:
        """Count the children of every commit that commits of at least that level lead to. Returns the level down to
        which that is done: 0 if no commit is left, as it is in a history known to be long of which the `whole` is
        wanted."""
        queue, flags, children, left = self._queue, self.flags, self._children, self._narrow
        facts, level_of, tick, only_first = self.positions.facts, self._level, self._visit, self._only_first
        first_of, second_of, _, levels = self._columns
        while queue and -queue[0] >> 32 >= level:
            tick()
            if not left:
                first_of, second_of, _, levels = self._columns = self._widened()
                children = self._children
                if whole:
                    self._count_all()
                    return 0
            left -= 1
            position = -heappop(queue) & 0xFFFFFFFF
            passed = flags[position] | SEEN
            above = (first_of[position],) if second_of[position] == ONE else facts(position)[0]
            for parent in above[:1] if only_first else above:
                children[parent] += 1
                have = flags[parent]
                if not have:
                    heappush(queue, -((levels[parent] or level_of(parent)) << 32 | parent))
                flags[parent] = have | passed
        self._narrow = left
        return level

    def _count_all(self) -> None:
        """Count the children of all commits that those in the queue lead to: in any order, since tips without flags
        have none to pass on."""
        flags, children, facts, tick = self.flags, self._children, self.positions.facts, self._visit
        only_first, (first_of, second_of, _, _) = self._only_first, self._columns
        stack, count = [-entry & 0xFFFFFFFF for entry in self._queue], self._count
        self._queue = []
        while stack:
            position = stack.pop()
            tick()
            while second_of[position] == ONE:
                position = first_of[position]  # follow a line of commits
                number = children[position]
                children[position] = number + 1
                if number or flags[position]:
                    break
                tick()
            else:
                second = second_of[position]
                above = (first_of[position], second) if second < count else facts(position)[0]
                for parent in above[:1] if only_first else above:
                    if not (children[parent] or flags[parent]):
                        stack.append(parent)
                    children[parent] += 1

    def _widened(self) -> tuple[Column, Column, Column, Column]:
        """The columns of all commits; that of their children goes with them."""
        need(4 * self.positions.count)
        children = array("I", bytes(4 * self.positions.count))
        for position, number in self._children.items():
            children[position] = number
        self._children = children
        columns = columns_of(self.positions, self._ctx.check)
        if columns is None:
            return self._columns
        self._count = len(columns[0])
        return columns
