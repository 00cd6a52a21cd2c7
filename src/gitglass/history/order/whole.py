"""Topological order of a whole history, for walks that exclude and simplify nothing (`git log --graph`, --topo-order).

The order is that of `listed.py`, but made of bare rows: the list of all commits from the plain walk, the number of
children of each that are still to come, and a stack. Raw commits are kept between the two passes as far as memory is
granted for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter

from ...limits import Context
from ...objects.parsed import Commit
from ...records import replace
from ...repo.store import Store
from ..fast import PlainRow, plain_rows
from ..spec import GRAPH_ORDER, SHOWN_ONLY, SIMPLIFYING, Tip, WalkEntry, WalkSpec, honours

_HELD = 64 << 20  # bytes of raw commits


_in_order = honours(*SHOWN_ONLY, *SIMPLIFYING, "skip", "max_count", "order", "rewrite_parents", "graph")


def is_ordered(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether topological order, with or without a graph, is all that distinguishes the walk from the plain one."""
    return spec.order == GRAPH_ORDER and _in_order(spec) and not any(tip.flags for tip in tips)


def _unordered(spec: WalkSpec) -> WalkSpec:
    return replace(spec, order="", rewrite_parents=False, graph=False, max_count=-1, skip=0)


def ordered_walk(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkEntry]:
    """No parent before all of its children; lines of history together."""
    get = store.odb.commit
    for oid, parents, raw, flags in ordered_rows(store, tips, spec, ctx):
        commit = get(oid) if spec.raw and raw is None else None if raw is None else Commit(oid, raw, parents)
        entry = WalkEntry(oid, commit, parents, flags)  # type: ignore[arg-type]
        if spec.graph:
            entry.graph_parents = parents
        yield entry


def ordered_rows(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[PlainRow]:
    """The same commits as bare values: (oid, parents, the raw commit if it was read, flags)."""
    last = None if spec.max_count < 0 else spec.skip + spec.max_count
    return islice(_rows(store, tips, spec, ctx), spec.skip, last) if spec.max_count else iter(())


def _rows(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[PlainRow]:
    rows: list[PlainRow] = []
    room = _HELD
    for row in plain_rows(store, tips, _unordered(spec), ctx):
        if row[2] is not None:
            room -= len(row[2])
            if room < 0:
                row = row[0], row[1], None, 0
        rows.append(row)
    children = Counter(chain.from_iterable(map(itemgetter(1), rows)))  # of each parent: the children still to come
    of = {row[0]: row for row in rows}
    stack = [row for row in reversed(rows) if row[0] not in children]  # the first tip comes first
    tick, pop, push = ctx.ticks(), stack.pop, stack.append
    while stack:
        tick()
        row = pop()
        for parent in row[1]:
            left = children[parent] = children[parent] - 1
            if not left:
                push(of[parent])
        yield row
