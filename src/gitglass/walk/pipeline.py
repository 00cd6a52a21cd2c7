"""The whole walk, assembled: tips and a WalkSpec in, entries out.

    start ─▶ limit ─▶ cherry, sides, ancestry ─▶ order ─▶ simplify merges ─▶ test ─▶ rewrite parents ─▶ count ─▶ reverse
      └──────────────────── streaming, where nothing needs the whole list ────────▶┘

The plain walk and the usual walk along paths have loops of their own (`fast.py`, and `numberedpaths.py` by a
commit-graph's positions), and so have `A..B` (`between.py`)
and the plain walk in topological order (`numbered.py` by a commit-graph's positions, `ordered.py` without one).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop

from ..errors import BadRequest
from ..limits import Context
from ..records import replace
from ..store.store import Store
from .between import between, is_between
from .cherry import mark_cherries
from .fast import is_path_walk, is_plain, path_walk, plain_walk
from .filters import counted, make_test
from .history import Walk
from .incremental import has_generations, incremental
from .numbered import is_orderly, numbered
from .numberedpaths import along_graph
from .order import bottoms, limit_to_ancestry, limit_to_side, topological
from .ordered import is_ordered, ordered_walk
from .spec import BOUNDARY, CHILD_SHOWN, LINEAR, TREESAME, UNINTERESTING, Tip, WalkEntry, WalkSpec


def walk(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> Iterator[WalkEntry]:
    """The commits a spec asks for, in git's order. Raises MissingObject and Corrupt for commits that cannot be read.

    Mirrors git-rev-list(1).
    """
    if is_plain(tips, spec):
        return plain_walk(store, tips, spec, ctx)
    if is_path_walk(tips, spec):
        return path_walk(store, tips, spec, ctx) if store.odb.graph is None else along_graph(store, tips, spec, ctx)
    if is_between(tips, spec):
        return between(store, tips, spec, ctx)
    if is_orderly(tips, spec) and (entries := numbered(store, tips, spec, ctx)) is not None:
        return entries
    if not has_generations(store.odb) and is_ordered(tips, spec):  # else the walk that looks ahead comes sooner to it
        return ordered_walk(store, tips, spec, ctx)
    return _entries(Walk(store, spec, ctx), tips)


def walk_listed(
    store: Store,
    tips: Sequence[Tip],
    spec: WalkSpec,
    choose: Callable[[Walk, list[bytes]], list[bytes]],
    *,
    ctx: Context,
) -> Iterator[WalkEntry]:
    """The same for a limited walk whose list is wanted: `choose` sees all of it, and says what is gone through."""
    state = Walk(store, replace(spec, limited=True), ctx)
    return _listing(state, iter(choose(state, list(prepared(state, tips)))))


# -------------------------------------------------------------------------------------------------- the full machinery
def _listing(state: Walk, commits: Iterator[bytes]) -> Iterator[WalkEntry]:
    spec = state.spec
    test = make_test(state)
    selected = _selected(state, commits, test)
    shown = counted(state, _linear(state, selected) if spec.track_linear else selected)
    if spec.reverse:
        shown = reversed(list(shown))
    linear = False
    for oid in shown:
        commit = state.odb.commit(oid) if spec.raw else None
        entry = WalkEntry(oid, commit, state.parents[oid], state.flags[oid])  # type: ignore[arg-type]
        if spec.reverse or not entry.flags & BOUNDARY:  # commits of the boundary go on as those before them ended
            linear = bool(entry.flags & LINEAR)
        entry.linear = linear
        if spec.sources:
            entry.source = state.sources.get(oid)
        if state.children_of is not None:
            entry.children = tuple(reversed(state.children_of.get(oid, ())))
        if spec.graph:
            entry.graph_parents = _in_graph(state, entry.parents, test)
        if oid in state.saved_parents:
            entry.diff_parents = state.saved_parents[oid]
        yield entry
        state.parents[oid] = ()  # what was shown has no past any more: a child that a lying clock puts later sees none


def _entries(state: Walk, tips: Sequence[Tip]) -> Iterator[WalkEntry]:
    yield from _listing(state, prepared(state, tips))


def prepared(state: Walk, tips: Sequence[Tip]) -> Iterator[bytes]:
    """The commits met, before it is asked which of them are shown."""
    spec = state.spec
    first = state.start(tips)
    if spec.no_walk:
        if not state.limited:
            first = [oid for oid in first if spec.max_age is None or state.times[oid] >= spec.max_age]
            for oid in first:
                state.expand(oid)
        return iter(first)
    if not state.limited:
        if spec.order:
            return incremental(state, first)
        for oid in first:
            state.push(oid)
        return _streamed(state)
    commits = _limited(state, first)
    if spec.line_level is not None and spec.want_ancestry:
        commits = _along_lines(state, commits, spec.line_level)
    if spec.children:
        state.children_of = _adopt(state, commits)
    return iter(commits)


def _streamed(state: Walk) -> Iterator[bytes]:
    queue, times, max_age, tick = state.queue, state.times, state.spec.max_age, state.ctx.visits()
    while queue:
        tick()
        oid = heappop(queue)[2]
        if max_age is not None and times[oid] < max_age:
            continue
        state.expand(oid)
        yield oid


def _limited(state: Walk, first: list[bytes]) -> list[bytes]:
    spec = state.spec
    ends = spec.ancestry_bottoms or (bottoms(state, first) if spec.ancestry_path else [])
    if spec.ancestry_path and not ends:
        raise BadRequest("--ancestry-path given but there are no bottom commits")
    commits = state.limit(first)
    if spec.cherry_pick or spec.cherry_mark:
        mark_cherries(state, commits)
    if spec.left_only or spec.right_only:
        limit_to_side(state, commits, right=spec.right_only)
    if spec.ancestry_path:
        limit_to_ancestry(state, ends, commits)
    if state.simplifier is not None and spec.remembers_sameness():
        for oid in commits:
            if not state.flags[oid] & UNINTERESTING:
                state.simplifier.update(oid)
    if spec.order:
        commits = topological(state, commits, spec.order)
    if spec.simplify_merges and state.simplifier is not None:
        commits = state.simplifier.simplify_merges(commits)
    return commits


def _along_lines(state: Walk, commits: list[bytes], touches: Callable[[bytes], bool]) -> list[bytes]:
    """The commits that touch the lines, with the parents that do: for graphs, all is looked at beforehand (-L)."""
    shown = [oid for oid in commits if touches(oid)]
    for oid in commits:
        state.flags[oid] |= TREESAME
    for oid in shown:
        state.flags[oid] &= ~TREESAME
    for oid, parent in (state.spec.line_parents or {}).items():
        state.parents[oid] = (parent,)
    for oid in shown:
        found = [_next_touched(state, parent) for parent in state.parents[oid]]
        state.parents[oid] = tuple(dict.fromkeys(parent for parent in found if parent is not None))
    return shown


def _next_touched(state: Walk, oid: bytes) -> bytes | None:
    while True:
        parents = state.parents.get(oid, ())
        have = state.flags.get(oid, 0)
        if len(parents) > 1 or have & UNINTERESTING or not have & TREESAME:
            return oid
        if not parents:
            return None
        oid = parents[0]


def _adopt(state: Walk, commits: Sequence[bytes]) -> dict[bytes, list[bytes]]:
    children: dict[bytes, list[bytes]] = {}
    for oid in commits:
        for parent in state.parents[oid]:
            children.setdefault(parent, []).append(oid)
    return children


def _in_graph(state: Walk, parents: tuple[bytes, ...], test: Callable[[bytes], bool]) -> tuple[bytes, ...]:
    """Those parents to which the graph draws a line: they will be shown."""
    spec = state.spec
    everything = state.all_shown and bool(spec.order)  # without an order a lying clock may put a parent first
    if everything and not (spec.matcher or spec.left_out) and spec.min_parents <= 0 and spec.max_parents < 0:
        return parents[:1] if spec.first_parent else parents
    if state.spec.boundary:
        found = tuple(oid for oid in parents if state.flags.get(oid, 0) & CHILD_SHOWN or test(oid))
    else:
        found = tuple(oid for oid in parents if test(oid))
    return tuple(oid for oid in found if oid == parents[0]) if state.spec.first_parent else found


def _selected(state: Walk, commits: Iterator[bytes], shown: Callable[[bytes], bool]) -> Iterator[bytes]:
    """The commits shown, their parents rewritten where parents are shown at all."""
    spec = state.spec
    rewrite = state.simplifier.rewrite_parents if state.simplifier and spec.dense and spec.want_ancestry else None
    for oid in commits:
        if shown(oid):
            if rewrite is not None:
                if spec.full_diff:
                    state.saved_parents[oid] = state.parents[oid]
                rewrite(oid)
            yield oid


def _linear(state: Walk, commits: Iterator[bytes]) -> Iterator[bytes]:
    """Mark commits that are a parent of the one before (--show-linear-break)."""
    before: tuple[bytes, ...] | None = None
    for oid in commits:
        if before is None or oid in before:
            state.flags[oid] |= LINEAR
        before = state.parents[oid]
        yield oid
