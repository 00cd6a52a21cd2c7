"""The walk along the history of some paths: by oid, and by position in a commit-graph.

The latter gives the same commits without making an oid, a date or a tuple of parents for each: rows and Bloom filters
are read in place, trees are read only if the filter does not rule out a change, and a commit is read only when it is
shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from struct import Struct
from struct import error as Beyond

from ..graph.bloom import BloomQuery
from ..graph.positions import TIME, Positions, Within, numbered_or_not
from ..limits import Context
from ..objects.sequential import CommitFacts
from ..repo.store import Store
from .fast import filter_of, queue_of
from .spec import Tip, WalkRow, WalkSpec
from .tree_compare import make_comparer, sameness

_UNPACK = Struct(">IIQ").unpack_from
_EVER = 1 << 40  # above every -time

Item = tuple[int, int, int, int, int]  # -time, order of arrival, position, first parent, second parent


def along_paths(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow]:
    """The commits that change the paths, newest first. If no graph has the tips, or the graph turns out to be broken,
    the walk goes on with the commits themselves."""

    def rows(within: Within | None) -> Iterator[WalkRow]:
        return _by_oid(store, tips, spec, ctx) if within is None else _by_position(store, within, spec, ctx)

    if not spec.max_count:
        return iter(())
    return rows(None) if store.odb.graph is None else numbered_or_not(store, [tip.oid for tip in tips], ctx, rows)


def _by_position(store: Store, within: Within, spec: WalkSpec, ctx: Context) -> Iterator[WalkRow]:
    accept, oid_of = filter_of(spec, store.odb.commit), within[0].oid_reader()
    skip, left = spec.skip, spec.max_count
    for position, negated, parents in _changing(store, within, spec, ctx):
        oid = oid_of(position)
        if accept is not None and not accept(oid, -negated, parents, None):
            continue
        if skip > 0:
            skip -= 1
            continue
        yield oid, tuple(map(oid_of, parents)), None, 0, ()
        left -= 1
        if not left:
            return


def _changing(store: Store, within: Within, spec: WalkSpec, ctx: Context) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """(position, -time, parents) of the commits that change the paths."""
    positions, places = within
    comparer = make_comparer(store, spec, ctx)
    same, tree_of, row, tick = sameness(comparer), positions.tree, positions.row, ctx.visits()
    only_first, oldest = spec.first_parent, _EVER if spec.max_age is None else -spec.max_age
    seen = bytearray(positions.count)
    skim = None if comparer.bloom is None else _skimmer(positions, comparer.bloom, seen, tick, oldest)
    queue: list[Item] = []
    for position in places:
        if not seen[position]:
            seen[position] = 1
            first, second, packed = row(position)
            queue.append((-(packed & TIME), len(queue), position, first, second))
    heapify(queue)
    serial = len(queue)
    while queue:
        tick()
        item = heappop(queue)
        if skim is not None:
            further, early = skim(item, queue[0][0] if queue else _EVER)
            if further is None:
                continue
            if early:
                serial += 1
                heappush(queue, (further[0], serial, *further[2:]))
                continue
            item = further
        if item[0] > oldest:
            continue
        negated, _, here, first, second = item
        parents, tree = positions.above(here, first, second), tree_of(here)
        shown = bool(parents) or not same(None, tree)
        for parent in parents:
            other = tree_of(parent)
            if other == tree or same(other, tree):
                parents, shown = (parent,), False
                break
            if only_first:
                break
        for parent in parents[:1] if only_first else parents:
            if not seen[parent]:
                seen[parent] = 1
                first, second, packed = row(parent)
                serial += 1
                heappush(queue, (-(packed & TIME), serial, parent, first, second))
        if shown:
            yield here, negated, parents


def _skimmer(
    positions: Positions, bloom: BloomQuery, seen: bytearray, tick: Callable[[], None], oldest: int
) -> Callable[[Item, int], tuple[Item | None, bool]]:
    """The function that follows a line of commits as long as the filters rule out changes and no other commit comes
    first.

    It returns the commit it arrives at, unless the line has ended, and whether it is too early for that commit: another
    one waits (with -time at least as low as `newest`) that has to be looked at before.
    """
    rows, size, width, count = positions.rows, positions.size, positions.width, positions.count
    keys, maybe = bloom.keys, bloom.maybe_at
    ends, data = bloom.filters

    def skim(item: Item, newest: int) -> tuple[Item | None, bool]:
        nonlocal rows, ends, data
        negated, _, here, first, second = item
        while first < count and negated <= oldest:
            try:
                start = ends[here]
                length = ends[here + 1] - start
            except IndexError:  # not read yet, or not in the graph
                if maybe(here):
                    break
                ends, data = bloom.filters
            else:
                if length <= 0:
                    break
                for bits in keys:
                    for byte, bit in bits:
                        if not data[start + byte % length] & bit:
                            break
                    else:
                        return (negated, 0, here, first, second), False
            if seen[first]:
                return None, False
            seen[first] = 1
            here = first
            try:
                first, second, packed = _UNPACK(rows, here * size + width)
            except Beyond:
                first, second, packed = positions.row(here)
                rows = positions.rows
            negated = -(packed & TIME)
            if negated >= newest:
                return (negated, 0, here, first, second), True
            tick()
        return (negated, 0, here, first, second), False

    return skim


def _by_oid(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow]:
    """The commits that change the paths; of a merge that equals a parent, only that parent is followed."""
    read, tick = store.odb.facts_reader(keep=spec.raw), ctx.visits()
    comparer = make_comparer(store, spec, ctx)
    same = sameness(comparer)
    bloom = comparer.bloom
    facts_of: dict[bytes, CommitFacts] = {}
    queue = queue_of(tips, facts_of, read)
    serial = len(queue)
    accept = filter_of(spec, store.odb.commit)
    max_age, only_first = spec.max_age, spec.first_parent
    skip, left = spec.skip, spec.max_count
    while queue:
        tick()
        negated, _, oid = heappop(queue)
        if max_age is not None and -negated < max_age:
            continue
        parents, _, tree = facts_of[oid]
        shown = True
        if not parents:
            shown = not same(None, tree)
        for nth, parent in enumerate(parents):
            facts = facts_of.get(parent) or read(parent)
            if facts[2] == tree or (nth == 0 and bloom is not None and not bloom.maybe(oid)) or same(facts[2], tree):
                parents, shown = (parent,), False
                break
            if only_first:
                break
        for parent in parents[:1] if only_first else parents:
            if parent not in facts_of:
                facts = facts_of[parent] = read(parent)
                serial += 1
                heappush(queue, (-facts[1], serial, parent))
        if not shown or (accept is not None and not accept(oid, -negated, parents, None)):
            continue
        if skip > 0:
            skip -= 1
            continue
        yield oid, parents, None, 0, ()
        left -= 1
        if not left:
            return
