"""The loop of the plain walk, the most common one, and functions that it shares with other loops.

It gives the same answers as `walk.py`, for a walk that excludes nothing and does not need the list of all commits
before the first is shown; it keeps less state, because such a walk needs less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush, heappushpop

from ..annotations import TYPE_CHECKING, Any
from ..deferred import deferred
from ..limits import Context
from ..objects.database import Odb
from ..objects.parsed import Commit
from ..repo.store import Store
from .spec import BARE, CHOSEN, SHOWN_ONLY, Tip, WalkEntry, WalkRow, WalkSpec, honours

if TYPE_CHECKING:
    from ..graph.nodes import Node
    from ..graph.positions import Positions, Within, numbered_or_not
    from ..objects.sequential import CommitFacts

    NodeLoader = Callable[[Node], tuple[int, tuple[Node, ...], bytes | None]]
    Accept = Callable[[Node, int, tuple[Any, ...], bytes | None], bool]
else:
    numbered_or_not = deferred(__name__, "..graph.positions", "numbered_or_not")


_plain = honours(
    *BARE, "first_parent", "max_age", "min_age", "max_age_as_filter", "reverse", "rewrite_parents", "sources"
)
_along_paths = honours(
    *CHOSEN, *SHOWN_ONLY, "prune", "paths", "first_parent", "max_age", "min_age", "max_age_as_filter"
)


def is_plain(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether the walk needs no state by commit: nothing is excluded, limited, simplified or ordered. (Without
    simplification, parents are not rewritten.)"""
    return _plain.others(spec) == _plain.usual and not any(tip.flags for tip in tips)


def is_path_walk(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether it is the usual walk along paths: default history simplification, parents not shown."""
    return spec.prune and _along_paths(spec) and not any(tip.flags for tip in tips)


def reader(odb: Odb, *, whole: bool, alone: bool = False, ends: bool = False) -> Callable[[bytes], CommitFacts]:
    """The function that reads (parents, time, tree) of a commit. `whole`: the messages will be needed as well; `alone`:
    of each of these commits, and of no other; `ends` as in `Odb.facts_reader`.

    The object database keeps recent objects for a while, so that a commit read whole is not read again when it is
    shown. With a commit-graph the facts are known without reading the commit; it is not asked about commits that are
    shown anyhow, and the tree is left out (b"").
    """
    if whole and alone:
        row_of = odb.rows_reader(keep=True)

        def facts(oid: bytes) -> CommitFacts:
            time, parents, _ = row_of(oid)
            return parents, time, b""

        return facts
    facts_of = odb.facts_reader(ends=ends)
    if not whole or odb.graph is not None:
        return facts_of
    raw_of = odb.raw_reader()

    def read(oid: bytes) -> CommitFacts:
        raw_of(oid)  # keeps the commit, so that showing it reads nothing more
        return facts_of(oid)

    return read


Queue = list[tuple[int, int, bytes]]


def queue_of(tips: Sequence[Tip], facts_of: dict[bytes, CommitFacts], read: Callable[[bytes], CommitFacts]) -> Queue:
    """The initial queue: a sorted list, which is a valid heap."""
    for tip in tips:
        if tip.oid not in facts_of:
            facts_of[tip.oid] = read(tip.oid)
    first = sorted(facts_of, key=lambda oid: -facts_of[oid][1])
    return [(-facts_of[oid][1], serial, oid) for serial, oid in enumerate(first)]


def entries_of(rows: Iterator[WalkRow], store: Store, spec: WalkSpec) -> Iterator[WalkEntry]:
    """Entries of rows; their commits are read if the spec needs them."""
    read = store.odb.raw_reader() if spec.raw else None
    graph = spec.graph
    for oid, parents, raw, flags, beside in rows:
        if raw is None and read is not None:
            raw = read(oid)
        entry = WalkEntry(oid, None if raw is None else Commit(oid, raw, parents), parents, flags)  # type: ignore[arg-type]
        if graph:
            entry.graph_parents = beside
        elif spec.sources and beside:
            entry.source = beside[0]
        yield entry


def plain_rows(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow]:
    """The rows of the commits, newest first, from the tips down."""

    def rows(within: Within | None) -> Iterator[WalkRow]:
        if within is None:
            return _listed(_plain_nodes(store, [tip.oid for tip in tips], names, spec, ctx), spec)
        return _listed(_plain_nodes(store, within[1], names, spec, ctx, within[0]), spec)

    names = [tip.name for tip in tips] if spec.sources else None
    if not spec.max_count:
        return iter(())
    if store.odb.graph is None:
        return rows(None)
    return numbered_or_not(store, [tip.oid for tip in tips], ctx, rows, few=spec.max_count >= 0)


def _listed(rows: Iterator[WalkRow], spec: WalkSpec) -> Iterator[WalkRow]:
    return reversed(list(rows)) if spec.reverse else rows


def _plain_nodes(
    store: Store,
    tips: Sequence[Node],
    names: Sequence[bytes] | None,
    spec: WalkSpec,
    ctx: Context,
    positions: Positions | None = None,
) -> Iterator[WalkRow]:
    """The rows of a walk by oid or by number. A commit has beside it the name of its tip, if there are `names`, its
    time, or trees."""
    roots: dict[bytes, bytes] | None = {} if spec.rooted and positions is None else None  # of commits in the queue
    load, oid_of = _readers(store, spec, positions, roots)
    tick = ctx.visits()
    seen: set[Node] = set()
    by_name = names is not None and len(set(names)) > 1  # otherwise all commits have the same beside them
    sources = {tip: (name,) for tip, name in reversed(list(zip(tips, names, strict=True)))} if names and by_name else {}
    queue: list[tuple[int, int, Node, tuple[Node, ...], bytes | None]] = []
    for tip in tips:
        if tip not in seen:
            seen.add(tip)
            time, parents, raw = load(tip)
            heappush(queue, (-time, len(seen), tip, parents, raw))
    serial = len(seen)
    accept, rules_out = filter_of(spec, store.odb.commit, oid_of), spec.rules_out
    read = None if rules_out is None or positions is None else store.odb.raw_reader(keep=not store.once)
    max_age, only_first, timed = spec.max_age, spec.first_parent, spec.timed
    tree_of = None if positions is None or not spec.rooted else positions.tree_reader()
    beside: tuple[bytes, ...] = (names[0],) if names else ()
    skip, left = spec.skip, spec.max_count
    waiting: tuple[int, int, Node, tuple[Node, ...], bytes | None] | None = None
    while queue or waiting:
        tick()
        if waiting is None:
            negated, _, node, parents, raw = heappop(queue)
        else:
            negated, _, node, parents, raw = heappushpop(queue, waiting)
            waiting = None
        root = b"" if roots is None else roots.pop(node)
        if max_age is not None and -negated < max_age:
            continue
        for parent in parents[:1] if only_first else parents:
            if parent not in seen:
                seen.add(parent)
                if by_name:
                    sources[parent] = sources[node]
                serial += 1
                if waiting is not None:
                    heappush(queue, waiting)
                time, above, text = load(parent)
                waiting = (-time, serial, parent, above, text)
        if read is not None:
            raw = read(oid_of(node))
        if rules_out is not None and raw is not None and rules_out(raw):
            continue
        if accept is not None and not accept(node, -negated, parents, raw):
            continue
        if skip > 0:
            skip -= 1
            continue
        if by_name:
            beside = sources[node]
        elif tree_of is not None:
            beside = (tree_of(node), tree_of(parents[0])) if len(parents) == 1 else trees_of(tree_of, node, parents)
        elif roots is not None:
            beside = root, *[roots.get(parent, b"") for parent in parents]
            if not all(beside):  # some parent is not followed, or came before its child; or a commit-graph has no trees
                beside = ()
        elif timed:
            beside = (b"%d" % -negated,)
        if positions is not None:
            node, parents = oid_of(node), (oid_of(parents[0]),) if len(parents) == 1 else tuple(map(oid_of, parents))
        yield node, parents, raw, 0, beside
        left -= 1
        if not left:
            return


def trees_of(tree_of: Callable[[Any], bytes], node: Node, parents: tuple[Node, ...]) -> tuple[bytes, ...]:
    """What stands beside a commit with `rooted`."""
    return tree_of(node), *map(tree_of, parents)


def _readers(
    store: Store, spec: WalkSpec, positions: Positions | None, roots: dict[bytes, bytes] | None
) -> tuple[NodeLoader, Callable[[Node], bytes]]:
    """Two functions: one gives (time, parents, the raw commit if it was read), and puts the commit's tree into `roots`;
    the other gives the oid."""
    if positions is not None:
        return positions.rows_reader(), positions.oid_reader()
    return _loader(store, roots, whole=(spec.raw or spec.matcher is not None) and not spec.reverse), bytes


def _loader(
    store: Store, roots: dict[bytes, bytes] | None, *, whole: bool
) -> Callable[[bytes], tuple[int, tuple[bytes, ...], bytes | None]]:
    """The function that reads (time, parents, raw commit). `whole`: messages will be needed as well. With a
    commit-graph the commit is not read in any case, since it may never be shown."""
    odb = store.odb
    if not whole or odb.graph is not None:
        facts_of = odb.facts_reader()

        def without(oid: bytes) -> tuple[int, tuple[bytes, ...], bytes | None]:
            parents, time, tree = facts_of(oid)
            if roots is not None:
                roots[oid] = tree
            return time, parents, None

        return without
    return odb.rows_reader(keep=not store.once, roots=roots)


def filter_of(
    spec: WalkSpec, commit_of: Callable[[bytes], Commit], oid_of: Callable[[Node], bytes] = bytes
) -> Accept | None:
    """The test of age, number of parents and message, or None if the spec sets none of them. The test takes a commit,
    its time, its parents and the raw commit, if that was read. A commit is read only to test its message; `oid_of`
    gives the oid of a commit that goes by number."""
    min_age, floor, matcher, left_out = spec.min_age, spec.max_age_as_filter, spec.matcher, spec.left_out
    fewest, most = spec.min_parents, spec.max_parents
    if min_age is None and floor is None and fewest <= 0 and most < 0 and matcher is None and left_out is None:
        return None

    def accept(node: Node, time: int, parents: tuple[Any, ...], raw: bytes | None = None) -> bool:
        if (min_age is not None and time > min_age) or (floor is not None and time < floor):
            return False
        count = len(parents)
        if count < fewest or 0 <= most < count:
            return False
        if left_out is not None and left_out(oid_of(node)):
            return False
        return matcher is None or matcher(commit_of(oid_of(node)) if raw is None else Commit(oid_of(node), raw))

    return accept
