"""Walks that exclude commits, newest first, by position in a commit-graph: A..B, A...B and `--not`.

git marks what is excluded by date: newest first, and for a few commits longer than the dates require. Where no excluded
commit that it meets is younger than its child, it has marked exactly what the excluded tips reach, and that is found
sooner by level: a commit is reached only from commits of higher levels. Which commits are not excluded is known then
for each by itself, and no list has to be gone through again. Where a clock is wrong, the general walk answers, which
makes git's mistakes, too.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush, heappushpop
from itertools import islice
from struct import Struct
from struct import error as Beyond

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...errors import Corrupt
from ...graph.positions import NONE, TIME, Positions, by_position, positions_in
from ...graph.reached import REACHED, Reached, WrongClock
from ...limits import Context
from ...repo.store import Store
from ..fast import trees_of
from ..spec import BARE, LEFT, UNINTERESTING, Tip, WalkRow, WalkSpec, excludes, honours
from .chosen import chooser

if TYPE_CHECKING:
    from .dated import dated, dated_rows
else:
    dated, dated_rows = deferred(__name__, ".dated", "dated", "dated_rows")

_SEEN, _LEFT = 2, 4  # beside REACHED, which is excluded here
_UNPACK = Struct(">IIQ").unpack_from

_by_sides = honours(*BARE, "limited", "reverse", "rewrite_parents", "left_only", "right_only")

_List = tuple["array[int]", "array[int]", "array[int]"]  # of commits the positions, and the parents in their rows


def excludes_only(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether the commits are wanted that some tips reach and others do not, and nothing else distinguishes the walk
    from the plain one."""
    return excludes(tips) and _by_sides(spec)


def rows_apart(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow] | None:
    """The rows of the commits; None if a commit-graph has not all of them, or where a clock is wrong. For few of them,
    too: where there are levels, the general walk makes the head of the list."""
    if store.odb.graph is None:
        return dated_rows(store, tips, spec, ctx)
    if spec.max_count >= 0:
        return None

    def made(positions: Positions, places: list[int]) -> Iterator[WalkRow] | None:
        walk = _listed(positions, places, tips, spec, ctx)
        return None if walk is None else _rows(positions, *walk, spec, store)

    return by_position(store, [tip.oid for tip in tips], ctx, made)


def count_apart(store: Store, tips: Sequence[Tip], ctx: Context) -> int | None:
    """The number of these commits, of all sides; None in the same cases."""
    if store.odb.graph is None:
        commits = dated(store, tips, ctx)
        return None if commits is None else len(commits)

    def counted(positions: Positions, places: list[int]) -> int | None:
        walk = _listed(positions, places, tips, WalkSpec(), ctx)
        return None if walk is None else len(walk[0][0])

    return by_position(store, [tip.oid for tip in tips], ctx, counted)


def apart_test(
    store: Store, tips: Sequence[Tip], ctx: Context, all_of_them: Callable[[], set[bytes]]
) -> Callable[[bytes], bool]:
    """A function that tells of an ancestor of the tips whether it is one of these commits. What is excluded is marked
    only as far down as somebody asks; `all_of_them` answers where no commit-graph has the commits, and from where a
    clock is wrong: what was told before is right all the same, since no clock above was."""
    within = positions_in(store, [tip.oid for tip in tips], ctx)
    if within is None:
        return all_of_them().__contains__
    positions, places = within
    commits: set[bytes] | None = None
    excluded = Reached(
        positions, [at for at, tip in zip(places, tips, strict=True) if tip.flags & UNINTERESTING], ctx, by_date=True
    )

    def is_apart(oid: bytes) -> bool:
        nonlocal commits
        if commits is None:
            try:
                position = positions.number(oid)
                if position is not None:
                    excluded.down_to(positions.level(position))
                    return not excluded.marks[position] & REACHED
            except WrongClock:
                pass
            except Corrupt as error:
                store.odb.distrust_graph(error)
            commits = all_of_them()
        return oid in commits

    return is_apart


def _rows(positions: Positions, commits: _List, marks: bytearray, spec: WalkSpec, store: Store) -> Iterator[WalkRow]:
    oid_of, count = positions.oid_reader(), positions.count
    test = chooser(spec, store, oid_of)
    tree_of = positions.tree_reader() if spec.rooted else None

    def shown() -> Iterator[WalkRow]:
        for position, first, second in zip(*commits, strict=True):
            above = (first,) if second == NONE and first < count else positions.above(position, first, second)
            if test is None or test(position, above, None):
                parents = (oid_of(above[0]),) if len(above) == 1 else tuple(map(oid_of, above))
                beside = () if tree_of is None else trees_of(tree_of, position, above)
                yield oid_of(position), parents, None, LEFT if marks[position] & _LEFT else 0, beside

    rows = islice(shown(), spec.skip, None) if spec.skip > 0 else shown()
    return iter(list(rows)[::-1]) if spec.reverse else rows


def _listed(
    positions: Positions, places: list[int], tips: Sequence[Tip], spec: WalkSpec, ctx: Context
) -> tuple[_List, bytearray] | None:
    """The commits that are not excluded, newest first, and the marks of all; None where a clock is wrong."""
    ends = [at for at, tip in zip(places, tips, strict=True) if tip.flags & UNINTERESTING]
    excluded = Reached(positions, ends, ctx, by_date=True)
    one_side = spec.left_only or spec.right_only
    side = 0 if spec.right_only else LEFT
    first = [at for at, tip in zip(places, tips, strict=True) if not one_side or tip.flags & LEFT == side]
    for at, tip in zip(places, tips, strict=True):
        if tip.flags & LEFT:
            excluded.marks[at] |= _LEFT
    try:
        return _walked(positions, first, excluded, ctx), excluded.marks
    except WrongClock:
        return None


def _walked(positions: Positions, tips: Sequence[int], excluded: Reached, ctx: Context) -> _List:
    """The commits that the tips reach and that are not excluded, in git's order: by date, and by arrival."""
    marks, tick, floor = excluded.marks, ctx.visits(), excluded.floor
    rows, size, width, count = positions.rows, positions.size, positions.width, positions.count
    queue: list[tuple[int, int, int, int, int, int]] = []  # negated time, arrival, position, its row
    for position in dict.fromkeys(tips):
        marks[position] |= _SEEN
        row = positions.row(position)
        queue.append((-(row[2] & TIME), len(queue), position, *row))
    queue.sort()
    serial = len(queue)
    commits, firsts, seconds = array("I"), array("I"), array("I")
    waiting: tuple[int, int, int, int, int, int] | None = None
    while queue or waiting:
        tick()
        _, _, position, first, second, packed = heappop(queue) if waiting is None else heappushpop(queue, waiting)
        waiting = None
        if packed >> 34 < floor:
            excluded.down_to(packed >> 34)
            floor = excluded.floor
        have = marks[position]
        if have & REACHED:
            continue
        commits.append(position)
        firsts.append(first)
        seconds.append(second)
        passed = have & _LEFT | _SEEN
        for parent in (first,) if second == NONE and first < count else positions.above(position, first, second):
            there = marks[parent]
            marks[parent] = there | passed
            if there & (_SEEN | REACHED):
                continue
            try:
                row = _UNPACK(rows, parent * size + width)
            except Beyond:
                row = positions.row(parent)
                rows = positions.rows
            if waiting is not None:
                heappush(queue, waiting)
            serial += 1
            waiting = -(row[2] & TIME), serial, parent, *row
    return commits, firsts, seconds
