"""Questions of reachability answered within a commit-graph, by position: no oid, no date and no tuple for a commit.

A commit's level is above the levels of all its parents. Whoever takes the highest level first has met all descendants
of a commit before the commit itself, so that what is known of it then is final; and what lies no higher than a commit
cannot reach it.

The commits made since the graph was written are few: they are read, and numbered on from those in the graph.

The loops look into the table of rows themselves. It is not there until many commits were asked for, and has no rows of
commits outside the graph: then the look fails, which costs nothing where it does not, and `row` knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import heappop, heappush, heappushpop
from itertools import islice
from struct import Struct
from struct import error as Beyond

from ..annotations import TypeVar
from ..errors import Corrupt, GitError
from ..limits import Context
from ..objects.commit_graph import BrokenGraph, CommitGraph
from ..repo.store import Store

NONE, MORE = 0x70000000, 0x80000000
ONE, TWO, STALE = 1, 2, 4
BOTH = ONE | TWO
TIME = (1 << 34) - 1
_UNKNOWN, _NO, _YES, _OPEN = range(4)
_UNPACK = Struct(">IIQ").unpack_from
_MOST_OUTSIDE = 2000  # commits outside the graph that are read to number a tip
FEW_OUTSIDE = 64  # where the first commits are wanted at once, and perhaps no others

Row = tuple[int, int, int]  # first parent, second parent, level << 34 | commit time


class Positions:
    """The commits of a graph, and those that stand on it, by number."""

    __slots__ = (
        "_ctx",
        "_graph",
        "_most",
        "_numbers",
        "_octopuses",
        "_outside",
        "_store",
        "count",
        "rows",
        "size",
        "width",
    )

    def __init__(self, graph: CommitGraph, store: Store, ctx: Context, most: int | None = None) -> None:
        """`most`: how many commits outside the graph may be read one after the other (default: 2000)."""
        self._graph, self._store, self._ctx = graph, store, ctx
        self._most = _MOST_OUTSIDE if most is None else most
        self.width = graph.hash_len
        self.size = graph.hash_len + 16
        self.rows = graph.rows_read
        self.count = graph.count  # of all that have a number
        self._numbers: dict[bytes, int] = {}
        self._outside: list[tuple[bytes, Row]] = []
        self._octopuses: dict[int, list[int]] = {}

    # ---------------------------------------------------------------- names and numbers
    def oid(self, position: int) -> bytes:
        """The commit's name."""
        count = self._graph.count
        return self._graph.oid(position) if position < count else self._outside[position - count][0]

    def oid_reader(self) -> Callable[[int], bytes]:
        """`oid`, for many commits."""
        graph, width, names = self._graph, self.width, self._graph.names_read

        def oid(position: int) -> bytes:
            nonlocal names
            at = position * width
            name = names[at : at + width]
            if not name:  # not read so far, or not in the graph
                name = self.oid(position)
                names = graph.names_read
            return name

        return oid

    def position(self, oid: bytes) -> int | None:
        """The commit's number; None where too much lies between it and the graph, or the graph has no levels."""
        number = self.number(oid)
        if number is None:
            number = self._number(oid)
        return number if number is not None and self.level(number) else None

    def number(self, oid: bytes) -> int | None:
        """The commit's number, if it has one already: those outside the graph that were not reached have none."""
        number = self._numbers.get(oid)
        return self._graph.position(oid) if number is None else number

    def _number(self, oid: bytes) -> int | None:
        """Give numbers to a commit outside the graph and what it reaches there, parents first."""
        stack = [oid]
        while stack:
            self._ctx.tick()
            here = stack[-1]
            if here in self._numbers:
                stack.pop()
                continue
            parents, time, _ = self._store.odb.commit_facts(here)
            numbers = [self.number(parent) for parent in parents]
            missing = [parent for parent, number in zip(parents, numbers, strict=True) if number is None]
            if len(stack) + len(missing) > self._most or not 0 <= time <= TIME:
                return None
            stack += missing
            if not missing:
                self._add(stack.pop(), [number for number in numbers if number is not None], time)
        return self._numbers[oid]

    def _add(self, oid: bytes, parents: list[int], time: int) -> None:
        first, second = [*parents, NONE, NONE][:2]
        if len(parents) > 2:
            second = MORE
            self._octopuses[self.count] = parents[1:]
        levels = [self.level(parent) for parent in parents]
        level = 0 if 0 in levels else 1 + max(levels, default=0)
        self._outside.append((oid, (first, second, level << 34 | time)))
        self._numbers[oid] = self.count
        self.count += 1

    # ---------------------------------------------------------------- one commit
    def row(self, position: int) -> Row:
        """What the table of rows has, or has not yet."""
        count = self._graph.count
        if position >= count:
            return self._outside[position - count][1]
        row = self._graph.row(position)
        self.rows = self._graph.rows_read
        return row

    def tree(self, position: int) -> bytes:
        """The commit's tree."""
        count = self._graph.count
        if position < count:
            return self._graph.tree(position)
        return self._store.odb.commit_facts(self._outside[position - count][0])[2]

    def tree_reader(self) -> Callable[[int], bytes]:
        """`tree`, for many commits."""
        size, width, rows = self.size, self.width, self.rows

        def read(position: int) -> bytes:
            nonlocal rows
            at = position * size
            tree = rows[at : at + width]
            if not tree:  # not read so far, or not in the graph
                tree = self.tree(position)
                rows = self._graph.rows_read
            return bytes(tree)

        return read

    def level(self, position: int) -> int:
        """The topological level; 0 where the graph was written without."""
        try:
            row: Row = _UNPACK(self.rows, position * self.size + self.width)
        except Beyond:
            row = self.row(position)
        return row[2] >> 34

    def facts(self, position: int) -> tuple[tuple[int, ...], int]:
        """(parents, commit time)."""
        try:
            first, second, packed = _UNPACK(self.rows, position * self.size + self.width)
        except Beyond:
            first, second, packed = self.row(position)
        if second == NONE and first < self.count:
            return (first,), packed & TIME
        return self.above(position, first, second), packed & TIME

    def above(self, position: int, first: int, second: int) -> tuple[int, ...]:
        """The parents' positions, from what the row says."""
        count = self.count
        if second == NONE and first < count:
            return (first,)
        if first < count and second < count:
            return first, second
        if first == NONE:
            return ()
        parents: tuple[int, ...] = (first, second)
        if second & MORE:
            further = self._octopuses.get(position) or self._graph.further_parents(position, second)
            parents = (first, *further)
        wrong = [parent for parent in parents if parent >= count and parent != NONE]
        if wrong:
            raise BrokenGraph(f"invalid parent position {wrong[0]} in commit-graph")
        return parents

    def ancestor(self, position: int, generations: int) -> int | None:
        """The commit so many first parents up; None where history is shorter."""
        read = self.parents_reader()
        for _ in range(generations):
            self._ctx.tick()
            parents = read(position)
            if not parents:
                return None
            position = parents[0]
        return position

    def parents_reader(self, *, level: int = 0, oldest: int = 0) -> Callable[[int], tuple[int, ...]]:
        """The parents of a commit by position; none are given of a commit in the graph below that level, or of any
        commit older than `oldest` (seconds since 1970)."""
        size, width, count, in_graph, least = self.size, self.width, self.count, self._graph.count, level << 34
        rows = self.rows

        def read(position: int) -> tuple[int, ...]:
            nonlocal rows
            try:
                first, second, packed = _UNPACK(rows, position * size + width)
            except Beyond:
                first, second, packed = self.row(position)
                rows = self.rows
            if (packed < least and position < in_graph) or packed & TIME < oldest:
                return ()
            if second == NONE and first < count:
                return (first,)
            return self.above(position, first, second)

        return read

    def rows_reader(self) -> Callable[[int], tuple[int, tuple[int, ...], None]]:
        """Reads (commit time, parents, None) by position: what walks read where nothing else is known of a commit."""
        size, width, count, rows = self.size, self.width, self.count, self.rows

        def read(position: int) -> tuple[int, tuple[int, ...], None]:
            nonlocal rows
            try:
                first, second, packed = _UNPACK(rows, position * size + width)
            except Beyond:
                first, second, packed = self.row(position)
                rows = self.rows
            if second == NONE and first < count:
                return packed & TIME, (first,), None
            return packed & TIME, self.above(position, first, second), None

        return read

    # ---------------------------------------------------------------- many
    def tables(self) -> tuple[bytes | memoryview | None, list[Row]]:
        """The rows of the graph, one after the other (None where that is too much), and those of the commits outside,
        by position as well."""
        rows = self._graph.rows()
        self.rows = self._graph.rows_read
        return rows, [row for _, row in self._outside]

    def marked(
        self,
        tips: Iterable[int],
        tick: Callable[[], None],
        *,
        floor: int = 0,
        oldest: int = 0,
        first_only: bool = False,
    ) -> bytearray:
        """For each commit 1 where the tips reach it (or it is one), else 0.

        Commits whose level is `floor` or lower are marked as they are met, but not what lies behind them. A commit
        older than `oldest` (seconds since 1970) is marked with 2, and its parents only where others lead to them.
        With `first_only` the way goes along first parents."""
        rows, size, width, count = self.rows, self.size, self.width, self.count
        seen = bytearray(count)
        stack = list(set(tips))
        for tip in stack:
            seen[tip] = 1
        least = floor + 1 << 34
        while stack:
            here = stack.pop()
            while True:
                tick()
                try:
                    first, second, packed = _UNPACK(rows, here * size + width)
                except Beyond:
                    first, second, packed = self.row(here)
                    rows = self.rows
                if second != NONE or first >= count or packed < least or packed & TIME < oldest or seen[first]:
                    break
                here = first  # down a line of commits
                seen[here] = 1
            if packed & TIME < oldest:
                seen[here] = 2
                continue
            parents = self.above(here, first, second)  # a graph that is broken here is found out, also at the floor
            if packed < least:
                continue
            for parent in parents[:1] if first_only else parents:
                if not seen[parent]:
                    seen[parent] = 1
                    stack.append(parent)
        return seen

    def rows_of(self, marks: bytearray) -> Iterator[tuple[int, Row]]:
        """(position, row) of the commits marked with 1, by position."""
        rows, size, width, at = self.rows, self.size, self.width, marks.find(1)
        while at >= 0:
            try:
                yield at, _UNPACK(rows, at * size + width)
            except Beyond:
                yield at, self.row(at)
                rows = self.rows
            at = marks.find(1, at + 1)

    def reached(self, tips: Iterable[int]) -> int:
        """How many commits the tips reach, themselves included."""
        return self.marked(tips, self._ctx.visits()).count(1)

    def that_reach(self, tips: Iterable[int], wanted: int) -> set[int]:
        """Those of `tips` that reach the commit wanted, or are it."""
        return set(filter(self.reaching(wanted), tips))

    def reaching(self, wanted: int) -> Callable[[int], bool]:
        """The test whether a commit reaches the one wanted, or is it; it remembers what it has met."""
        state = bytearray(self.count)
        state[wanted] = _YES
        floor = self.level(wanted)
        return lambda tip: self._reaches(tip, floor, state)

    def _reaches(self, tip: int, floor: int, state: bytearray) -> bool:
        """Depth first; `state` remembers the answers from one tip to the next."""
        rows, size, width, count, tick = self.rows, self.size, self.width, self.count, self._ctx.tick
        path: list[int] = []
        turns: list[tuple[int, int]] = []  # (length of the path, a parent not tried yet)
        here = tip
        while True:
            if not state[here]:
                tick()
                try:
                    first, second, packed = _UNPACK(rows, here * size + width)
                except Beyond:
                    first, second, packed = self.row(here)
                    rows = self.rows
                state[here] = _NO
                if packed >> 34 > floor:
                    path.append(here)
                    if second == NONE and first < count:
                        here = first
                        continue
                    turns += [(len(path), parent) for parent in self.above(here, first, second)[::-1]]
            elif state[here] == _YES:
                for position in path:
                    state[position] = _YES
                return True
            if not turns:
                return False
            length, here = turns.pop()
            del path[length:]

    def paint(self, one: int, twos: Iterable[int]) -> tuple[list[int], int, int]:
        """The best common ancestors of `one` and any of `twos`, how many commits only `one` reaches, and how many
        only the others do. Highest level first, until all that is left is stale: below a commit that both reach.
        """
        rows, size, width, count, tick = self.rows, self.size, self.width, self.count, self._ctx.ticks()
        colours = bytearray(count)
        heap: list[int] = []
        fresh = 0
        for tip, colour in ((one, ONE), *((two, TWO) for two in twos)):
            if not colours[tip]:
                heappush(heap, -(self.level(tip) << 32 | tip))
                fresh += 1
            colours[tip] |= colour
        met: list[int] = []
        sides = [0] * 8
        waiting: int | None = None  # the last commit that belongs into the heap
        read, above, further = -1, NONE, NONE  # that commit, and the parents that its row names
        while fresh:
            tick()
            here = -(heappop(heap) if waiting is None else heappushpop(heap, waiting)) & 0xFFFFFFFF
            waiting = None
            colour = colours[here]
            sides[colour] += 1
            if colour < STALE:
                fresh -= 1
                if colour == BOTH:
                    met.append(here)
                    colour |= STALE
            if here == read:  # as down a line of commits
                first, second = above, further
            else:
                try:
                    first, second, _ = _UNPACK(rows, here * size + width)
                except Beyond:
                    first, second, _ = self.row(here)
                    rows = self.rows
            for parent in (first,) if second == NONE and first < count else self.above(here, first, second):
                colour_there = colours[parent]
                colours[parent] = colour_there | colour
                if not colour_there:
                    fresh += colour < STALE
                    if waiting is not None:
                        heappush(heap, waiting)
                    try:
                        above, further, packed = _UNPACK(rows, parent * size + width)
                    except Beyond:
                        above, further, packed = self.row(parent)
                        rows = self.rows
                    read, waiting = parent, -(packed >> 34 << 32 | parent)
                elif colour_there < STALE <= colour:
                    fresh -= 1
        return met, sides[ONE], sides[TWO]


T = TypeVar("T")
Within = tuple[Positions, list[int]]  # a graph, and the positions of the commits that were asked for


def by_position(
    store: Store, oids: Collection[bytes], ctx: Context, ask: Callable[[Positions, list[int]], T]
) -> T | None:
    """What `ask` finds, given the commits' positions; None where no graph knows them, or it turns out to be broken."""
    within = positions_in(store, oids, ctx)
    if within is None:
        return None
    try:
        return ask(*within)
    except Corrupt as error:
        store.odb.distrust_graph(error)
        return None


def numbered_or_not(
    store: Store,
    oids: Collection[bytes],
    ctx: Context,
    rows: Callable[[Within | None], Iterator[T]],
    *,
    few: bool = False,
) -> Iterator[T]:
    """The rows of a walk: by number where a commit-graph has numbers for what it starts from, and else by oid (`rows`
    gets None). Where the graph turns out to be broken, it goes on by oid behind what was given already. `few`: the
    first rows are wanted at once, and perhaps no others.
    """
    within = positions_in(store, oids, ctx, FEW_OUTSIDE if few else None)
    if within is None:
        yield from rows(None)
        return
    given = 0
    try:
        for row in rows(within):
            given += 1
            yield row
    except BrokenGraph as error:
        store.odb.distrust_graph(error)
        yield from islice(rows(None), given, None)


def tip_kind(store: Store, oid: bytes) -> bytes:
    """The kind of an object that a walk begins with. What a commit-graph has is a commit, as git has it, where the
    object is there at all: the walk asks the graph for it anyway, and the object need not be looked at."""
    odb, graph = store.odb, store.odb.graph
    if graph is not None:
        try:
            if graph.position(oid) is not None and odb.packed(oid):
                return b"commit"
        except Corrupt as error:
            odb.distrust_graph(error)
    return odb.kind(oid)


def positions_in(store: Store, oids: Collection[bytes], ctx: Context, most: int | None = None) -> Within | None:
    """The commits' positions, where there is a commit-graph with levels that knows them or nearly does: `most` as
    Positions has it."""
    graph = store.odb.graph
    if graph is None:
        return None
    places: list[int] = []
    try:
        graph.expect(len(oids))
        positions = Positions(graph, store, ctx, most)
        for oid in oids:
            position = positions.position(oid)
            if position is None:
                return None
            places.append(position)
    except GitError:
        return None  # the walk itself reports it if it reaches the commit
    return positions, places
