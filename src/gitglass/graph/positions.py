"""Reachability within a commit-graph, by position: without oids, dates, or a tuple for each commit.

A commit's level is above the levels of all its parents. A walk that takes the highest level first has reached all
descendants of a commit before the commit itself, so that the commit's marks are final then. And a commit reaches no
other commit whose level is not below its own.

The commits made since the graph was written are few. They are read, and get the numbers after those of the graph.

The loops read the table of rows directly. It is empty until many commits have been read, and has no rows of commits
outside the graph. Then unpacking fails, and `row` answers instead; a `try` costs nothing when the row is there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from struct import Struct
from struct import error as Beyond

from ..annotations import TypeVar
from ..errors import Corrupt, GitError
from ..limits import Context
from ..objects.commit_graph import BrokenGraph, CommitGraph
from ..repo.store import Store

NONE, MORE = 0x70000000, 0x80000000
TIME = (1 << 34) - 1
_UNKNOWN, _NO, _YES, _OPEN = range(4)
_UNPACK = Struct(">IIQ").unpack_from
_MOST_OUTSIDE = 2000  # number of commits outside the graph that are read at most to number a tip
FEW_OUTSIDE = 64  # the same when the first commits are needed at once, and perhaps no others

Row = tuple[int, int, int]  # first parent, second parent, level << 34 | commit time


class Positions:
    """The commits of a graph, and those outside of it that reach it, by number."""

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
        """`most`: number of commits outside the graph that may be read to number one commit (default: 2000)."""
        self._graph, self._store, self._ctx = graph, store, ctx
        self._most = _MOST_OUTSIDE if most is None else most
        self.width = graph.hash_len
        self.size = graph.hash_len + 16
        self.rows = graph.rows_read
        self.count = graph.count  # of all commits that have a number
        self._numbers: dict[bytes, int] = {}
        self._outside: list[tuple[bytes, Row]] = []
        self._octopuses: dict[int, list[int]] = {}

    # ---------------------------------------------------------------- names and numbers
    def oid(self, position: int) -> bytes:
        """The commit's oid."""
        count = self._graph.count
        return self._graph.oid(position) if position < count else self._outside[position - count][0]

    def oid_reader(self) -> Callable[[int], bytes]:
        """`oid`, for many commits."""
        graph, width, names = self._graph, self.width, self._graph.names_read

        def oid(position: int) -> bytes:
            nonlocal names
            at = position * width
            name = names[at : at + width]
            if not name:  # not read yet, or not in the graph
                name = self.oid(position)
                names = graph.names_read
            return name

        return oid

    def position(self, oid: bytes) -> int | None:
        """The commit's number; None if too many commits are between it and the graph, or the graph has no levels."""
        number = self.number(oid)
        if number is None:
            number = self._number(oid)
        return number if number is not None and self.level(number) else None

    def number(self, oid: bytes) -> int | None:
        """The commit's number, if it has one already; commits outside the graph get theirs from `position`."""
        number = self._numbers.get(oid)
        return self._graph.position(oid) if number is None else number

    def _number(self, oid: bytes) -> int | None:
        """Give numbers to a commit outside the graph and to the commits there that it reaches, parents first."""
        stack = [oid]
        while stack:
            self._ctx.tick()
            commit = stack[-1]
            if commit in self._numbers:
                stack.pop()
                continue
            parents, time, _ = self._store.odb.commit_facts(commit)
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
        """The commit's row, also if the table of rows does not hold it (yet)."""
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

        def tree_of(position: int) -> bytes:
            nonlocal rows
            at = position * size
            tree = rows[at : at + width]
            if not tree:  # not read yet, or not in the graph
                tree = self.tree(position)
                rows = self._graph.rows_read
            return bytes(tree)

        return tree_of

    def level(self, position: int) -> int:
        """The topological level; 0 if the graph was written without levels."""
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
        """The parents' positions, from the values in the commit's row. Raises BrokenGraph for an invalid one."""
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
        """The commit `generations` first parents up; None if history is shorter."""
        parents_of = self.parents_reader()
        for _ in range(generations):
            self._ctx.tick()
            parents = parents_of(position)
            if not parents:
                return None
            position = parents[0]
        return position

    def parents_reader(self, *, level: int = 0, oldest: int = 0) -> Callable[[int], tuple[int, ...]]:
        """A function from a commit's position to its parents. It returns none for a commit in the graph below `level`,
        and none for a commit older than `oldest` (seconds since 1970)."""
        size, width, count, in_graph, least = self.size, self.width, self.count, self._graph.count, level << 34
        rows = self.rows

        def parents_of(position: int) -> tuple[int, ...]:
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

        return parents_of

    def rows_reader(self) -> Callable[[int], tuple[int, tuple[int, ...], None]]:
        """A function from a position to (commit time, parents, None), for walks that need nothing else of a commit."""
        size, width, count, rows = self.size, self.width, self.count, self.rows

        def row_of(position: int) -> tuple[int, tuple[int, ...], None]:
            nonlocal rows
            try:
                first, second, packed = _UNPACK(rows, position * size + width)
            except Beyond:
                first, second, packed = self.row(position)
                rows = self.rows
            if second == NONE and first < count:
                return packed & TIME, (first,), None
            return packed & TIME, self.above(position, first, second), None

        return row_of

    # ---------------------------------------------------------------- many
    def tables(self) -> tuple[bytes | memoryview | None, list[Row]]:
        """(rows of the graph one after the other, or None if they are too large; rows of the commits outside), both by
        position."""
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
        """For each commit 1 if it is a tip or the tips reach it, otherwise 0.

        Commits whose level is `floor` or lower are marked when they are reached, but not followed. A commit older than
        `oldest` (seconds since 1970) is marked with 2 and not followed either. With `first_only` only first parents are
        followed."""
        rows, size, width, count = self.rows, self.size, self.width, self.count
        marks = bytearray(count)
        stack = list(set(tips))
        for tip in stack:
            marks[tip] = 1
        least = floor + 1 << 34
        while stack:
            commit = stack.pop()
            while True:
                tick()
                try:
                    first, second, packed = _UNPACK(rows, commit * size + width)
                except Beyond:
                    first, second, packed = self.row(commit)
                    rows = self.rows
                if second != NONE or first >= count or packed < least or packed & TIME < oldest or marks[first]:
                    break
                commit = first  # follow a line of commits
                marks[commit] = 1
            if packed & TIME < oldest:
                marks[commit] = 2
                continue
            parents = self.above(commit, first, second)  # detects a broken graph also at the floor
            if packed < least:
                continue
            for parent in parents[:1] if first_only else parents:
                if not marks[parent]:
                    marks[parent] = 1
                    stack.append(parent)
        return marks

    def rows_of(self, marks: bytearray) -> Iterator[tuple[int, Row]]:
        """(position, row) of the commits marked with 1, in the order of positions."""
        rows, size, width, at = self.rows, self.size, self.width, marks.find(1)
        while at >= 0:
            try:
                yield at, _UNPACK(rows, at * size + width)
            except Beyond:
                yield at, self.row(at)
                rows = self.rows
            at = marks.find(1, at + 1)

    def reached(self, tips: Iterable[int], *, first_only: bool = False) -> int:
        """How many commits the tips reach, including the tips; with `first_only` along first parents."""
        return self.marked(tips, self._ctx.visits(), first_only=first_only).count(1)

    def that_reach(self, tips: Iterable[int], target: int) -> set[int]:
        """Those of `tips` that reach a commit, or are it."""
        return set(filter(self.reaching(target), tips))

    def reaching(self, target: int) -> Callable[[int], bool]:
        """A function that tells whether a commit reaches this one, or is it; it remembers which commits do."""
        state = bytearray(self.count)
        state[target] = _YES
        floor = self.level(target)
        return lambda tip: self._reaches(tip, floor, state)

    def _reaches(self, tip: int, floor: int, state: bytearray) -> bool:
        """Depth first; `state` remembers the answers from one tip to the next."""
        rows, size, width, count, tick = self.rows, self.size, self.width, self.count, self._ctx.tick
        path: list[int] = []
        turns: list[tuple[int, int]] = []  # (length of the path, a parent not followed yet)
        commit = tip
        while True:
            if not state[commit]:
                tick()
                try:
                    first, second, packed = _UNPACK(rows, commit * size + width)
                except Beyond:
                    first, second, packed = self.row(commit)
                    rows = self.rows
                state[commit] = _NO
                if packed >> 34 > floor:
                    path.append(commit)
                    if second == NONE and first < count:
                        commit = first
                        continue
                    turns += [(len(path), parent) for parent in self.above(commit, first, second)[::-1]]
            elif state[commit] == _YES:
                for position in path:
                    state[position] = _YES
                return True
            if not turns:
                return False
            length, commit = turns.pop()
            del path[length:]


T = TypeVar("T")
Within = tuple[Positions, list[int]]  # a graph, and the positions of the requested commits


def by_position(
    store: Store, oids: Collection[bytes], ctx: Context, ask: Callable[[Positions, list[int]], T]
) -> T | None:
    """The result of `ask` with the commits' positions; None if no graph has them, or the graph proves to be broken."""
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
    """The rows of a walk: by number if a commit-graph has numbers for its starting points, otherwise by oid (`rows`
    then gets None). If the graph turns out to be broken, the walk continues by oid after the rows already given.
    `few`: the first rows are needed at once, and perhaps no others.
    """
    within = positions_in(store, oids, ctx, FEW_OUTSIDE if few else None)
    if within is None:
        yield from rows(None)
        return
    count = 0
    try:
        for row in rows(within):
            count += 1
            yield row
    except BrokenGraph as error:
        store.odb.distrust_graph(error)
        yield from islice(rows(None), count, None)


def tip_kind(store: Store, oid: bytes) -> bytes:
    """The kind of an object that a walk starts from. As in git, an object that is in the commit-graph and in a pack is
    taken for a commit: the walk uses the graph anyway, and the object need not be read."""
    odb, graph = store.odb, store.odb.graph
    if graph is not None:
        try:
            if graph.position(oid) is not None and odb.packed(oid):
                return b"commit"
        except Corrupt as error:
            odb.distrust_graph(error)
    return odb.kind(oid)


def positions_in(store: Store, oids: Collection[bytes], ctx: Context, most: int | None = None) -> Within | None:
    """The commits' positions, if there is a commit-graph with levels that has them, or nearly has them (`most` as in
    `Positions`)."""
    graph = store.odb.graph
    if graph is None:
        return None
    numbers: list[int] = []
    try:
        graph.expect(len(oids))
        positions = Positions(graph, store, ctx, most)
        for oid in oids:
            position = positions.position(oid)
            if position is None:
                return None
            numbers.append(position)
    except GitError:
        return None  # the walk itself reports it if it reaches the commit
    return positions, numbers
