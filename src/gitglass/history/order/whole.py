"""Topological order of a whole history, or of a range, for walks that simplify nothing (`git log --graph`,
--topo-order).

The order is that of `listed.py`, but made of bare rows: the list of the commits newest first, the number of children of
each that are still to come, and a stack or a queue by date. Raw commits are kept between the two passes as far as
memory is granted for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain, islice
from operator import itemgetter

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...limits import Context
from ...objects.parsed import Commit
from ...repo.store import Store
from ..fast import plain_rows
from ..spec import AUTHOR_ORDER, GRAPH_ORDER, Tip, WalkRow, WalkSpec, excludes
from .chosen import chooser, lines_of, orders_only

if TYPE_CHECKING:
    from ..walk import shows_all
    from .dated import dated_rows
else:
    shows_all = deferred(__name__, "..walk", "shows_all")
    dated_rows = deferred(__name__, ".dated", "dated_rows")

_HELD = 64 << 20  # bytes of raw commits


def is_ordered(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether commits are only excluded and put in order; dates are looked up in commits that are read anyway."""
    if any(tip.flags for tip in tips) and (spec.first_parent or not excludes(tips)):
        return False
    return (spec.order == GRAPH_ORDER or spec.raw) and orders_only(spec)


def ordered_rows(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow] | None:
    """The rows of the commits: no parent before all of its children; lines of history together, or the newest first.
    None where dates do not tell what is excluded."""
    if any(tip.flags for tip in tips):
        listed = dated_rows(store, tips, WalkSpec(raw=shows_all(spec)), ctx)
        return None if listed is None else _ordered(store, listed, spec, ctx, all_shown=False)
    plain = WalkSpec(first_parent=spec.first_parent, raw=spec.raw)
    return _ordered(store, plain_rows(store, tips, plain, ctx), spec, ctx, all_shown=True)


def _ordered(
    store: Store, listed: Iterator[WalkRow], spec: WalkSpec, ctx: Context, *, all_shown: bool
) -> Iterator[WalkRow]:
    """The rows of some that are shown; `all_shown`: all parents are among these rows."""
    if spec.max_count:
        last = None if spec.max_count < 0 else spec.skip + spec.max_count
        rows = islice(_chosen(store, listed, spec, ctx, all_shown=all_shown), spec.skip, last)
        yield from reversed(list(rows)) if spec.reverse else rows


def _chosen(
    store: Store, listed: Iterator[WalkRow], spec: WalkSpec, ctx: Context, *, all_shown: bool
) -> Iterator[WalkRow]:
    of: dict[bytes, WalkRow] = {}
    rows = _rows(store, listed, spec, ctx, of)
    test = chooser(spec, store, bytes)
    if not spec.graph:
        return rows if test is None else (row for row in rows if test(*row[:3]))

    def is_shown(oid: bytes) -> bool:
        return oid in of and (test is None or test(*of[oid][:3]))

    drawn = lines_of(spec, None if test is None and all_shown else is_shown)
    return ((*row[:4], drawn(row[1])) for row in rows if test is None or test(*row[:3]))


def _rows(
    store: Store, listed: Iterator[WalkRow], spec: WalkSpec, ctx: Context, of: dict[bytes, WalkRow]
) -> Iterator[WalkRow]:
    """All of them in order; they are put in `of` before the first is given."""
    room = _HELD
    for row in listed:
        if row[2] is not None:
            room -= len(row[2])
            if room < 0:
                row = *row[:2], None, *row[3:]
        of[row[0]] = row
    children = Counter(chain.from_iterable(map(itemgetter(1), of.values())))  # of each parent: those still to come
    return (_stacked if spec.order == GRAPH_ORDER else _dated)(store, spec, ctx, of, children)


def _stacked(
    store: Store, spec: WalkSpec, ctx: Context, of: dict[bytes, WalkRow], children: Counter[bytes]
) -> Iterator[WalkRow]:
    stack = [row for row in reversed(of.values()) if row[0] not in children]  # the first tip comes first
    tick, pop, push = ctx.ticks(), stack.pop, stack.append
    while stack:
        tick()
        row = pop()
        for parent in row[1]:
            left = children[parent] = children[parent] - 1
            if not left and parent in of:  # with --first-parent some are not
                push(of[parent])
        yield row


def _dated(
    store: Store, spec: WalkSpec, ctx: Context, of: dict[bytes, WalkRow], children: Counter[bytes]
) -> Iterator[WalkRow]:
    time_of, tick = _time_reader(store, spec), ctx.ticks()
    heap = [(-time_of(row), nth, row) for nth, row in enumerate(of.values()) if row[0] not in children]
    heap.sort()
    serial = len(of)
    while heap:
        tick()
        row = heappop(heap)[2]
        for parent in row[1]:
            left = children[parent] = children[parent] - 1
            if not left and parent in of:
                serial += 1
                heappush(heap, (-time_of(of[parent]), serial, of[parent]))
        yield row


def _time_reader(store: Store, spec: WalkSpec) -> Callable[[WalkRow], int]:
    """The function that gives the commit's or its author's date."""
    commit_of, by_author, facts = store.odb.commit, spec.order == AUTHOR_ORDER, store.odb.facts_reader()

    def time_of(row: WalkRow) -> int:
        if row[2] is None and not by_author:
            return facts(row[0])[1]
        commit = commit_of(row[0]) if row[2] is None else Commit(row[0], row[2], row[1])
        return commit.author_time if by_author else commit.commit_time

    return time_of
