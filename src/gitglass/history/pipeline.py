"""The whole walk, assembled: tips and a WalkSpec in, entries out; or rows, where these hold all that is wanted.

    start ─▶ limit ─▶ cherry, sides, ancestry ─▶ order ─▶ simplify merges ─▶ test ─▶ rewrite parents ─▶ count ─▶ reverse
      └──────────────────── streaming, where nothing needs the whole list ────────▶┘

The plain walk and the usual walk along paths have loops of their own (`fast.py`, and `numbered_paths.py` by position in
a commit-graph), and so has the plain walk in topological order (`order/numbered.py` by position in a commit-graph,
`order/whole.py` without one). The head of a list is made without the rest if that suffices
(`order/early.py`, and `order/simplified.py` for --simplify-merges).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop
from operator import itemgetter

from ..annotations import TYPE_CHECKING, TypeVar
from ..deferred import deferred
from ..errors import BadRequest, MissingObject
from ..graph.columns import ONE
from ..limits import Context
from ..records import replace
from ..repo.store import Store
from .fast import entries_of, is_path_walk, is_plain, plain_rows
from .spec import BOUNDARY, CHILD_SHOWN, LINEAR, LOADED, TREESAME, UNINTERESTING, Tip, WalkEntry, WalkRow, WalkSpec

if TYPE_CHECKING:
    from ..graph.nodes import Node, Numbers, numbered_when_long
    from ..graph.positions import Within, numbered_or_not
    from .cherry import mark_cherries
    from .filters import counted, make_test
    from .missing import as_git_ends
    from .numbered_paths import along_paths
    from .order.early import listed, wanted_of
    from .order.excluded import excludes_only, rows_apart
    from .order.first_parents import along_first_parents
    from .order.incremental import has_generations, incremental
    from .order.listed import bottoms, limit_to_ancestry, limit_to_side, topological
    from .order.numbered import is_orderly, numbered_rows
    from .order.simplified import head, is_head
    from .order.whole import is_ordered, ordered_rows
    from .walk import Walk, shows_all
else:
    counted, make_test = deferred(__name__, ".filters", "counted", "make_test")
    as_git_ends = deferred(__name__, ".missing", "as_git_ends")
    along_first_parents = deferred(__name__, ".order.first_parents", "along_first_parents")
    excludes_only, rows_apart = deferred(__name__, ".order.excluded", "excludes_only", "rows_apart")
    has_generations, incremental = deferred(__name__, ".order.incremental", "has_generations", "incremental")
    bottoms, limit_to_ancestry, limit_to_side, topological = deferred(
        __name__, ".order.listed", "bottoms", "limit_to_ancestry", "limit_to_side", "topological"
    )
    is_orderly, numbered_rows = deferred(__name__, ".order.numbered", "is_orderly", "numbered_rows")
    listed, wanted_of = deferred(__name__, ".order.early", "listed", "wanted_of")
    head, is_head = deferred(__name__, ".order.simplified", "head", "is_head")
    is_ordered, ordered_rows = deferred(__name__, ".order.whole", "is_ordered", "ordered_rows")
    Walk, shows_all = deferred(__name__, ".walk", "Walk", "shows_all")
    mark_cherries = deferred(__name__, ".cherry", "mark_cherries")
    along_paths = deferred(__name__, ".numbered_paths", "along_paths")
    numbered_or_not = deferred(__name__, "..graph.positions", "numbered_or_not")
    Numbers, numbered_when_long = deferred(__name__, "..graph.nodes", "Numbers", "numbered_when_long")


T = TypeVar("T")

_LARGE = 1 << 19  # objects of a repository whose history would not fit in memory, read as it is met, until it is shown


def walk(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> Iterator[WalkEntry]:
    """The commits of a spec, in git's order. Raises MissingObject and Corrupt for commits that cannot be read.

    Mirrors git-rev-list(1).
    """
    try:
        rows = _own_loop(store, tips, spec, ctx)
        yield from _by_number(store, tips, spec, ctx, _entries) if rows is None else entries_of(rows, store, spec)
    except MissingObject as error:
        raise as_git_ends(error, store, tips, spec, ctx) from None


def walk_rows(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> Iterator[WalkRow] | None:
    """The same commits as rows; None for a walk whose entries hold more. The walk begins with the first of them."""
    return _started(store, tips, spec, ctx) if _is_bare(spec) else None


def _started(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow]:
    try:
        rows = _own_loop(store, tips, spec, ctx)
        yield from _by_number(store, tips, spec, ctx, _rows) if rows is None else rows
    except MissingObject as error:
        raise as_git_ends(error, store, tips, spec, ctx) from None


def walk_oids(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> Iterator[bytes]:
    """The oids of the same commits."""
    rows = walk_rows(store, tips, spec, ctx=ctx)
    return (entry.oid for entry in walk(store, tips, spec, ctx=ctx)) if rows is None else map(itemgetter(0), rows)


def _own_loop(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow] | None:
    """The rows of a walk that has a loop of its own, where `_is_bare` holds; None for the others."""
    if is_plain(tips, spec):
        return plain_rows(store, tips, spec, ctx)
    if spec.no_walk:
        return None
    if is_path_walk(tips, spec):
        return along_paths(store, tips, spec, ctx)
    if excludes_only(tips, spec) and (rows := rows_apart(store, tips, spec, ctx)) is not None:
        return rows
    if is_orderly(tips, spec):
        rows = numbered_rows(store, tips, spec, ctx, lambda: _by_number(store, tips, spec, ctx, _rows))
        if rows is not None:
            return rows
    if has_generations(store.odb) or not is_ordered(tips, spec):  # looking ahead shows the first commit sooner
        return None
    return ordered_rows(store, tips, spec, ctx)


def _by_number(
    store: Store,
    tips: Sequence[Tip],
    spec: WalkSpec,
    ctx: Context,
    shown: Callable[[Walk, Sequence[Tip], Sequence[Node] | None], Iterator[T]],
) -> Iterator[T]:
    """The general walk, by number if that is useful."""
    if not _goes_by_number(spec, levels=store.odb.graph is not None):
        return shown(Walk(store, spec, ctx), tips, None)
    if store.odb.graph is None:
        return numbered_when_long(
            store,
            lambda numbers, ends: shown(Walk(store, spec, ctx, numbers, ends=ends), tips, None),
            _lists_all(tips, spec) and not (shows_all(spec) and store.odb.names.count_estimate() < _LARGE),
        )

    def made(within: Within | None) -> Iterator[T]:
        numbers = None if within is None else Numbers(store, within[0])
        if numbers is not None and is_head(tips, spec):
            state = Walk(store, spec, ctx, numbers)
            commits = head(state, tips)
            if commits is not None:
                return shown(state, tips, commits)
        return shown(Walk(store, spec, ctx, numbers), tips, None)

    few = not spec.limited and spec.max_count >= 0
    return numbered_or_not(store, [tip.oid for tip in tips] + spec.ancestry_bottoms, ctx, made, few=few)


def _lists_all(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether the complete list is made before the first commit is shown, where no commit-graph has levels."""
    return spec.limited or bool(spec.order) or any(tip.flags & UNINTERESTING for tip in tips)


def _is_bare(spec: WalkSpec) -> bool:
    """Whether a row holds everything that is printed of an entry of the walk, except the parents of a boundary commit
    that the walk did not read."""
    beside = spec.graph + spec.children + spec.sources + spec.timed + spec.rooted
    return beside <= 1 and not spec.track_linear and spec.line_level is None


def walk_listed(
    store: Store,
    tips: Sequence[Tip],
    spec: WalkSpec,
    choose: Callable[[Walk, list[bytes]], list[bytes]],
    *,
    ctx: Context,
) -> Iterator[WalkEntry]:
    """The same for a limited walk whose complete list is needed: `choose` gets all of it, and returns the commits to go
    through."""
    state = Walk(store, replace(spec, limited=True), ctx)
    return _listing(state, iter(choose(state, list(prepared(state, tips)))))


def _goes_by_number(spec: WalkSpec, *, levels: bool = True) -> bool:
    """Whether numbers are useful: not for few commits, not for the test of -L, which cannot be applied twice, and not
    if `first_parents.py` walks by oid, as it does where a commit-graph has `levels`."""
    along = levels and spec.skips_parents and spec.order and not spec.limited
    return not (spec.no_walk or spec.line_level is not None or along)


# -------------------------------------------------------------------------------------------------- the full machinery
def _listing(state: Walk, commits: Iterator[Node]) -> Iterator[WalkEntry]:
    spec = state.spec
    test = make_test(state)
    selected = _selected(state, commits, test)
    shown = counted(state, _linear(state, selected) if spec.track_linear else selected)
    if spec.reverse:
        shown = reversed(list(shown))
    linear = False
    oids = state.oids
    for node in shown:
        commit = state.commit(node) if spec.raw else None
        entry = WalkEntry(state.oid(node), commit, oids(state.parents[node]), state.flags[node])  # type: ignore[arg-type]
        if spec.reverse or not entry.flags & BOUNDARY:  # boundary commits have the value of the one before them
            linear = bool(entry.flags & LINEAR)
        entry.linear = linear
        if spec.sources:
            entry.source = state.sources.get(node)
        if state.children_of is not None:
            entry.children = oids(state.children_of(node))
        if spec.graph:
            entry.graph_parents = oids(_in_graph(state, state.parents[node], test))
        if node in state.saved_parents:
            entry.diff_parents = oids(state.saved_parents[node])
        elif not state.flags[node] & LOADED:
            entry.diff_parents = oids(state.facts(node)[0])
        yield entry
        state.parents[node] = ()  # a child that comes later, due to wrong dates, sees no parents


def _rows(state: Walk, tips: Sequence[Tip], commits: Sequence[Node] | None) -> Iterator[WalkRow]:
    """The commits shown as rows: what `_listing` gives, if `_is_bare`."""
    met = prepared(state, tips) if commits is None else iter(commits)
    test = make_test(state)
    shown = counted(state, _selected(state, met, test))
    oid, oids, parents, flags = state.oid, state.oids, state.parents, state.flags
    beside = _beside(state, test)
    for node in reversed(list(shown)) if state.spec.reverse else shown:
        have = flags[node]
        alone = have & LOADED and parents.second[node] == ONE
        above = (oid(parents.first[node]),) if alone else oids(parents.above(node))
        yield oid(node), above, None, have, () if beside is None else beside(node)
        parents[node] = ()  # see `_listing`


def _beside(state: Walk, test: Callable[[Node], bool]) -> Callable[[Node], tuple[bytes, ...]] | None:
    """The function that gives what a row has beside a commit; None if nothing."""
    oids, parents, sources, children_of = state.oids, state.parents, state.sources, state.children_of
    if state.spec.graph:
        return lambda node: oids(_in_graph(state, parents[node], test))
    if children_of is not None:
        return lambda node: oids(children_of(node))
    if state.spec.sources:
        return lambda node: (sources[node],) if node in sources else ()
    return None


def _entries(state: Walk, tips: Sequence[Tip], commits: Sequence[Node] | None = None) -> Iterator[WalkEntry]:
    yield from _listing(state, prepared(state, tips) if commits is None else iter(commits))


def prepared(state: Walk, tips: Sequence[Tip]) -> Iterator[Node]:
    """The commits of the walk, before the test which of them are shown."""
    spec = state.spec
    first = state.start(tips)
    if spec.no_walk:
        if not state.limited:
            first = [node for node in first if spec.max_age is None or state.times[node] >= spec.max_age]
            for node in first:
                state.expand(node)
        return iter(first)
    if not state.limited:
        if spec.order:
            return (along_first_parents if spec.skips_parents else incremental)(state, first)
        for node in first:
            state.push(node)
        return _streamed(state)
    commits = _limited(state, first)
    if spec.line_level is not None and spec.want_ancestry:
        commits = _along_lines(state, commits, spec.line_level)
    if spec.children:
        state.children_of = _adopt(state, commits)
    return iter(commits)


def _streamed(state: Walk) -> Iterator[Node]:
    queue, times, max_age, tick = state.queue, state.times, state.spec.max_age, state.ctx.visits()
    while queue:
        tick()
        node = heappop(queue)[2]
        if max_age is not None and times[node] < max_age:
            continue
        state.expand(node)
        yield node


def _limited(state: Walk, first: list[Node]) -> list[Node]:
    spec = state.spec
    ends = list(map(state.node, spec.ancestry_bottoms)) or (bottoms(state, first) if spec.ancestry_path else [])
    if spec.ancestry_path and not ends:
        raise BadRequest("--ancestry-path given but there are no bottom commits")
    commits, is_head = listed(state, first, wanted_of(spec), ends)
    if is_head:
        return commits
    if spec.cherry_pick or spec.cherry_mark:
        mark_cherries(state, commits)
    if spec.left_only or spec.right_only:
        limit_to_side(state, commits, right=spec.right_only)
    if spec.ancestry_path:
        limit_to_ancestry(state, ends, commits)
    if state.simplifier is not None and spec.remembers_sameness():
        merges = state.simplifier.sameness  # the other commits are compared already
        for node in commits:
            if node in merges and not state.flags[node] & (UNINTERESTING | TREESAME):  # only some become it now
                state.simplifier.update(node)
    if spec.order:
        dull = state.simplifier.asked if spec.simplify_merges and state.simplifier is not None else 0
        commits = topological(state, commits, spec.order, dull)
    if spec.simplify_merges and state.simplifier is not None:
        commits = state.simplifier.simplify_merges(commits)
    return commits


def _along_lines(state: Walk, commits: list[Node], touches: Callable[[Node], bool]) -> list[Node]:
    """The commits that touch the lines of -L, their parents rewritten to such commits: a graph needs all of this
    beforehand."""
    shown = [node for node in commits if touches(node)]
    for node in commits:
        state.flags[node] |= TREESAME
    for node in shown:
        state.flags[node] &= ~TREESAME
    for node, parent in (state.spec.line_parents or {}).items():
        state.parents[node] = (parent,)
    for node in shown:
        touched = [_next_touched(state, parent) for parent in state.parents[node]]
        state.parents[node] = tuple(dict.fromkeys(parent for parent in touched if parent is not None))
    return shown


def _next_touched(state: Walk, node: Node) -> Node | None:
    while True:
        parents = state.parents[node]
        have = state.flags[node]
        if len(parents) > 1 or have & UNINTERESTING or not have & TREESAME:
            return node
        if not parents:
            return None
        node = parents[0]


def _adopt(state: Walk, commits: Sequence[Node]) -> Callable[[Node], tuple[Node, ...]]:
    """The function that gives the children of a commit, last child first: the children met before it, and after."""
    parents_of, last = state.parents, state.column()
    first_of, second_of, above_of = parents_of.first, parents_of.second, parents_of.above
    children, before = [None], [0]  # links of chains of children: the child, and the link before it
    for node in commits:
        for parent in (first_of[node],) if second_of[node] == ONE else above_of(node):
            before.append(last[parent])
            last[parent] = len(children)
            children.append(node)

    def children_of(node: Node) -> tuple[Node, ...]:
        way, before_way = last[node], []
        if not before[way]:  # one, or none
            return (children[way],) if way else ()
        while way:
            before_way.append(children[way])
            way = before[way]
        return tuple(before_way)

    return children_of


def _in_graph(state: Walk, parents: tuple[Node, ...], test: Callable[[Node], bool]) -> tuple[Node, ...]:
    """The parents that the graph draws a line to: those that will be shown."""
    spec = state.spec
    everything = state.all_shown and bool(spec.order)  # without an order, wrong dates may put a parent first
    if everything and not (spec.matcher or spec.left_out) and spec.min_parents <= 0 and spec.max_parents < 0:
        return parents[:1] if spec.first_parent else parents
    if state.spec.boundary:
        drawn = tuple(node for node in parents if state.flags[node] & CHILD_SHOWN or test(node))
    else:
        drawn = tuple(node for node in parents if test(node))
    return tuple(node for node in drawn if node == parents[0]) if state.spec.first_parent else drawn


def _selected(state: Walk, commits: Iterator[Node], shown: Callable[[Node], bool]) -> Iterator[Node]:
    """The commits shown, with rewritten parents if parents are shown."""
    spec = state.spec
    rewrite = state.simplifier.rewrite_parents if state.simplifier and spec.dense and spec.want_ancestry else None
    for node in commits:
        if shown(node):
            if rewrite is not None:
                if spec.full_diff:
                    state.saved_parents[node] = state.parents[node]
                rewrite(node)
            yield node


def _linear(state: Walk, commits: Iterator[Node]) -> Iterator[Node]:
    """Mark commits that are a parent of the previous one (--show-linear-break)."""
    before: tuple[Node, ...] | None = None
    for node in commits:
        if before is None or node in before:
            state.flags[node] |= LINEAR
        before = state.parents[node]
        yield node
