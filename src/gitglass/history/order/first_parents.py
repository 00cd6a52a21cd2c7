"""Topological order where some parents are not read, and a commit-graph knows generations (git-log(1) --first-parent,
--exclude-first-parent-only).

The order is that of `incremental.py`, but here it shows how far git looks ahead. git puts every parent in the queue of
those to look at, and reads only the first ones. Of a commit that it has not read it does not know the generation and
the date. Both are 0 to it, so that the commit stays where it is, once the graph has said where in it the commit is, as
it does of the parents of each commit that is read from it. Of others, which only a commit leads to that was read as an
object, the generation is infinite: they are looked at next. When the walk comes to a commit on another way it is read,
and its place in the queue is not made anew: comparisons from then on go by what it is. So the queue is a binary heap,
whose rows are compared as they are at the time (git's prio-queue is one). What was not looked at is not simplified, and
has no author date.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

from ...annotations import TYPE_CHECKING, Any
from ...graph.nodes import INFINITE
from ...graph.steps import steps_taken
from ..spec import AUTHOR_ORDER, GRAPH_ORDER, LOADED, UNINTERESTING
from .incremental import begin, generations_of

if TYPE_CHECKING:
    from ..state import WalkState

#: the numbers that a commit is ordered by, how many came before it, and the commit. The first ones may change.
Row = list[Any]


class Heap:
    """A queue of rows, the lowest one first. A row that changes stays where it is."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: list[Row] = []

    def __bool__(self) -> bool:
        return bool(self._rows)

    @property
    def first(self) -> Row:
        """The row that is taken next."""
        return self._rows[0]

    def put(self, row: Row) -> None:
        """Add a row."""
        rows = self._rows
        at = len(rows)
        rows.append(row)
        while at and row < rows[above := (at - 1) // 2]:
            rows[at], rows[above] = rows[above], row
            at = above

    def take(self) -> Row:
        """Take out the first row. The last one takes its place, and sinks below those that come before it."""
        rows = self._rows
        taken, last = rows[0], rows.pop()
        if rows:
            rows[0], at = last, 0
            while (below := 2 * at + 1) < len(rows):
                if below + 1 < len(rows) and rows[below + 1] < rows[below]:
                    below += 1
                if not rows[below] < last:
                    break
                rows[at], rows[below] = rows[below], last
                at = below
        return taken


class AheadAlong:
    """The part of the walk that looks ahead. It counts the children of commits (one more than there are), as far as
    parents are followed, and looks at all commits that it comes to on the way."""

    __slots__ = (
        "_authors", "_counted", "_counting", "_generation_of", "_generations", "_located", "_looking", "_met",
        "_serial", "_settled", "_undated", "_unread", "_visit", "_walk", "children",
    )  # fmt: skip

    def __init__(self, walk: WalkState) -> None:
        self._walk, self._visit, self._generation_of = walk, walk.ctx.visits(), generations_of(walk.odb)
        self._generations: dict[bytes, int] = {}
        self._looking, self._met = Heap(), set[bytes]()
        self._unread: dict[bytes, Row] = {}
        self._counting: list[tuple[int, int, int, bytes]] = []
        self._counted: set[bytes] = set()
        self.children: defaultdict[bytes, int] = defaultdict(int)
        self._authors: dict[bytes, int] = {}  # the author's time, in order of these
        self._undated: dict[bytes, Row] = {}
        self._serial = count()
        self._settled, self._located = _read_as_objects(walk), set[bytes]()
        for oid in walk.flags:
            self._learn(oid)

    def generation(self, oid: bytes) -> int:
        """The generation of a commit, which is asked for several times."""
        generation = self._generations.get(oid)
        if generation is None:
            generation = self._generations[oid] = self._generation_of(oid)
        return generation

    # ------------------------------------------------------------------------------------------------------- queues
    def begin(self, oid: bytes) -> None:
        """Take a tip."""
        self._walk.load(oid)
        self._learn(oid)
        self._meet(oid)
        self._count(oid)
        self.children[oid] = 1
        self._date(oid)

    def _meet(self, oid: bytes) -> None:
        if oid in self._met:
            return
        self._met.add(oid)
        if self._walk.flags.get(oid, 0) & LOADED:
            row = [-self.generation(oid), -self._walk.times[oid], len(self._met), oid]
        else:
            row = self._unread[oid] = [0 if oid in self._located else -INFINITE, 0, len(self._met), oid]
        self._looking.put(row)

    def _count(self, oid: bytes) -> None:
        if oid not in self._counted:
            self._counted.add(oid)
            heappush(self._counting, (-self.generation(oid), -self._walk.times[oid], len(self._counted), oid))

    def row(self, oid: bytes) -> Row:
        """The row of a commit that can be shown, by commit or author date."""
        by_author = self._walk.spec.order == AUTHOR_ORDER
        row = [-(self._authors.get(oid, 0) if by_author else self._walk.times[oid]), next(self._serial), oid]
        if by_author and oid not in self._authors:
            self._undated[oid] = row
        return row

    # ------------------------------------------------------------------------------------------------ what git knows
    def _learn(self, oid: bytes) -> None:
        """If a commit was read: its generation and date are known, and if that was from the graph, where the parents
        are."""
        if not self._walk.flags.get(oid, 0) & LOADED:
            return
        row = self._unread.pop(oid, None)
        if row is not None:
            row[0], row[1] = -self.generation(oid), -self._walk.times[oid]
        if oid not in self._settled:
            self._settled.add(oid)
            if self.generation(oid) < INFINITE:
                self._locate(self._walk.parents[oid])

    def _locate(self, commits: tuple[bytes, ...]) -> None:
        self._located.update(commits)
        for oid in commits:
            row = self._unread.get(oid)
            if row is not None:
                row[0] = 0

    def _date(self, oid: bytes) -> None:
        if self._walk.spec.order == AUTHOR_ORDER:
            time = self._authors[oid] = self._walk.odb.commit(oid).author_time
            row = self._undated.pop(oid, None)
            if row is not None:
                row[0] = -time

    # ------------------------------------------------------------------------------------------------------- the walk
    def run(self, generation: int) -> None:
        """Count the children of all commits of at least that generation."""
        walk, queue = self._walk, self._counting
        while queue and -queue[0][0] >= generation:
            oid = heappop(queue)[3]
            self._look(self.generation(oid))
            for parent in _followed(walk, oid):
                self.load(parent)
                self.children[parent] = (self.children[parent] or 1) + 1
                self._count(parent)

    def load(self, oid: bytes) -> None:
        """Read a commit."""
        self._walk.load(oid)
        self._learn(oid)

    def _look(self, generation: int) -> None:
        """Look at all commits of at least that generation."""
        walk, queue, flags, max_age = self._walk, self._looking, self._walk.flags, self._walk.spec.max_age
        while queue and -queue.first[0] >= generation:
            self._visit()
            oid = queue.take()[3]
            self._unread.pop(oid, None)
            self.load(oid)
            self._date(oid)
            if max_age is not None and walk.times[oid] < max_age:
                flags[oid] |= UNINTERESTING
            self.expand(oid)
            if flags[oid] & UNINTERESTING:
                walk.exclude_ancestors(oid)
            for parent in walk.parents[oid]:
                self._meet(parent)

    def expand(self, oid: bytes) -> None:
        """Simplify a commit's history, and take the parents that are followed."""
        walk = self._walk
        before = walk.parents[oid]
        walk.expand(oid)
        walk.queue.clear()  # not used by this order
        for parent in before:
            self._learn(parent)


def _followed(walk: WalkState, oid: bytes) -> tuple[bytes, ...]:
    return walk.parents[oid][:1] if walk.spec.first_parent else walk.parents[oid]


def _read_as_objects(walk: WalkState) -> set[bytes]:
    """The commits that git has read as objects, since names led to them, before it read any from the graph."""
    objects, along = set[bytes](), set[bytes]()
    for oid, generations, from_graph in steps_taken(walk.store):
        if not from_graph and oid not in along:
            objects.add(oid)
        for _ in range(generations - 1):
            walk.ctx.tick()
            parents = walk.odb.commit_facts(oid)[0]
            if not parents:
                break
            oid = parents[0]
            if oid not in objects:
                along.add(oid)
    return objects


def along_first_parents(walk: WalkState, first: list[bytes]) -> Iterator[bytes]:
    """The commits in topological order, among siblings in the order of the spec."""
    flags, times, max_age = walk.flags, walk.times, walk.spec.max_age
    ahead = AheadAlong(walk)
    depth = begin(ahead, first)
    stacked = walk.spec.order == GRAPH_ORDER
    ready: _Stack | _ByDate = _Stack() if stacked else _ByDate(ahead)
    for oid in [oid for oid in first if ahead.children[oid] == 1][:: -1 if stacked else 1]:
        ready.put(oid)
    while ready:
        oid = ready.take()
        ahead.children[oid] = 0
        if max_age is not None and times[oid] < max_age:
            continue
        ahead.expand(oid)
        for parent in walk.parents[oid]:
            if flags[parent] & UNINTERESTING:
                continue  # then the next one is looked at after all
            ahead.load(parent)
            if ahead.generation(parent) < depth:
                depth = ahead.generation(parent)
                ahead.run(depth)
            ahead.children[parent] -= 1
            if ahead.children[parent] == 1:
                ready.put(parent)
            if walk.spec.first_parent:
                break
        yield oid


class _Stack:
    """Commits that can be shown; the last one is taken first."""

    __slots__ = ("_oids", "put", "take")

    def __init__(self) -> None:
        self._oids: list[bytes] = []
        self.put, self.take = self._oids.append, self._oids.pop

    def __bool__(self) -> bool:
        return bool(self._oids)


class _ByDate:
    """Commits that can be shown, by commit or author date."""

    __slots__ = ("_ahead", "_heap")

    def __init__(self, ahead: AheadAlong) -> None:
        self._ahead, self._heap = ahead, Heap()

    def __bool__(self) -> bool:
        return bool(self._heap)

    def put(self, oid: bytes) -> None:
        self._heap.put(self._ahead.row(oid))

    def take(self) -> bytes:
        oid: bytes = self._heap.take()[-1]
        return oid
