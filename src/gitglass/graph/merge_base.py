"""Best common ancestors of commits, as git-merge-base(1) finds and orders them.

Two colours spread from the two sides to their ancestors, newest commit first. A commit with both colours is a common
ancestor, and everything below a common ancestor is *stale*: it is still painted, because it may reach a candidate that
therefore is not a best one. The search ends when only stale commits wait. At the end, candidates that another candidate
reaches are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from heapq import heappop, heappush, heappushpop

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import MissingObject
from ..limits import Context
from ..memories import Slot
from ..repo.store import Store
from .nodes import INFINITE, Node, Nodes
from .positions import Positions, by_position

if TYPE_CHECKING:
    from .corrected import corrected
    from .reached import Reached, best_common, beyond
else:
    Reached, best_common, beyond = deferred(__name__, ".reached", "Reached", "best_common", "beyond")
    corrected = deferred(__name__, ".corrected", "corrected")

ONE, TWO, STALE, RESULT = 1, 2, 4, 8
BOTH = ONE | TWO


class Paint:
    """One colouring: `colours` by commit, and `candidates`, the common ancestors in the order they were reached.

    git gives up where a commit is missing: there are no common ancestors then, and `missing` is the error.
    """

    __slots__ = ("candidates", "colours", "ctx", "fresh", "missing", "nodes", "queue", "serial", "waiting")

    def __init__(self, nodes: Nodes, ctx: Context) -> None:
        self.nodes, self.ctx = nodes, ctx
        self.colours: dict[Node, int] = {}
        self.candidates: list[Node] = []
        self.queue: list[tuple[int, int, Node, tuple[Node, ...]]] = []
        self.waiting = Counter[Node]()  # how many entries of the queue a commit has
        self.fresh = 0  # number of queue entries whose commit is not stale
        self.serial = 0
        self.missing: MissingObject | None = None

    def add(self, oid: Node, colour: int) -> None:
        """Add a colour to a commit and queue it, even if it is queued already: git does the same."""
        self.colours[oid] = self.colours.get(oid, 0) | colour
        self.serial += 1
        parents, time = self.nodes.facts(oid)[:2]
        heappush(self.queue, (-time, self.serial, oid, parents))

    def run(self, *, until: Node | None = None) -> bool:
        """Paint until only stale commits wait; with `until`, True as soon as the second colour reaches that commit."""
        tick = self.ctx.visits()
        try:
            return self._until_common(until, tick) or self._until_stale(until, tick)
        except MissingObject as error:
            self._give_up(error)
            return until is not None and bool(self.colours[until] & TWO)

    def _give_up(self, error: MissingObject) -> None:
        name = str(error.data["oid"])
        self.ctx.say(f"error: Could not read {name}\n".encode())
        self.missing = error
        self.candidates.clear()
        self.colours.pop(self.nodes.number(bytes.fromhex(name)), None)

    def _until_common(self, until: Node | None, tick: Callable[[], None]) -> bool:
        """`run` up to the first common ancestor: before that no commit is stale, so that none is counted."""
        colours, queue = self.colours, self.queue
        facts, serial = self.nodes.facts, self.serial
        latest: tuple[int, int, Node, tuple[Node, ...]] | None = None  # the entry that has to be put in the queue
        while queue or latest is not None:
            tick()
            entry = heappop(queue) if latest is None else heappushpop(queue, latest)
            latest = None
            colour = colours[entry[2]]
            if colour == BOTH:
                heappush(queue, entry)
                break
            for parent in entry[3]:
                before = colours.get(parent, 0)
                if before & colour:
                    continue
                colours[parent] = before | colour
                if latest is not None:
                    heappush(queue, latest)
                serial += 1
                row = facts(parent)
                latest = (-row[1], serial, parent, row[0])
                if parent == until and colour == TWO:
                    return True
        self.serial, self.fresh = serial, len(queue)
        self.waiting = Counter(entry[2] for entry in queue)
        return False

    def _until_stale(self, until: Node | None, tick: Callable[[], None]) -> bool:
        """`run` from then on."""
        colours, waiting, queue = self.colours, self.waiting, self.queue
        facts, fresh, serial = self.nodes.facts, self.fresh, self.serial
        while fresh:
            tick()
            _, _, oid, parents = heappop(queue)
            waiting[oid] -= 1
            all_colours = colours[oid]
            if not all_colours & STALE:
                fresh -= 1
            colour = all_colours & (BOTH | STALE)
            if colour == BOTH:
                if not all_colours & RESULT:
                    self.candidates.append(oid)
                    colours[oid] = all_colours | RESULT
                colour |= STALE
            for parent in parents:
                before = colours.get(parent, 0)
                if before & colour == colour:
                    continue
                colours[parent] = after = before | colour
                count = waiting[parent]
                if not after & STALE:
                    fresh += 1
                elif not before & STALE:
                    fresh -= count
                waiting[parent] = count + 1
                serial += 1
                grandparents, time = facts(parent)[:2]
                heappush(queue, (-time, serial, parent, grandparents))
                if parent == until and after & TWO:
                    return True
        return False


def _painted(nodes: Nodes, one: Node, twos: Iterable[Node], ctx: Context) -> Paint:
    paint = Paint(nodes, ctx)
    paint.add(one, ONE)
    for two in twos:
        paint.add(two, TWO)
    paint.run()
    return paint


def painted(
    store: Store, one: Node, others: Sequence[Node], *, ctx: Context, numbers: Nodes | None = None
) -> list[Node]:
    """All commits that the search for the best common ancestors looks at; by number if the `numbers` are given."""
    nodes, graph = numbers, store.odb.graph
    if graph is not None and graph.has_corrected:
        nodes = corrected(store, numbers or Nodes(store)) or numbers
    paint = searched(store, one, others, ctx) if nodes is None else _painted(nodes, one, others, ctx)
    bases, seen = _fresh(paint), list(paint.colours)
    if len(bases) >= 2:
        seen += _independent(numbers or Nodes(store), bases, ctx)[1]
    return seen


def searched(store: Store, one: bytes, others: Sequence[bytes], ctx: Context) -> Paint:
    """The colouring of a search for common ancestors. `A...B` asks for these, and the walk that it begins for all
    commits that were looked at, or for the number of those on each side."""
    key = (one, *others)
    last = store.per_call.get(_SEARCHED)
    if last is None or last[0] != key:
        last = store.per_call.put(_SEARCHED, (key, _painted(Nodes(store), one, others, ctx)))
    return last[1]


def _fresh(paint: Paint) -> list[Node]:
    """The common ancestors that no other commit made stale."""
    return [node for node in paint.candidates if not paint.colours[node] & STALE]


def _by_date(nodes: Nodes, oids: Iterable[bytes]) -> list[bytes]:
    return sorted(oids, key=lambda oid: -nodes.time(oid))


_BEST: Slot[tuple[tuple[bytes, ...], list[bytes]]] = Slot("common ancestors of the last A...B")


_SEARCHED: Slot[tuple[tuple[bytes, ...], Paint]] = Slot("commits of the last A...B")

#: a merge asks for the bases twice: first whether there is anything to merge, then to merge
_BASES: Slot[tuple[tuple[bytes, ...], list[bytes]]] = Slot("the last merge bases")


def _best(store: Store, one: bytes, others: Sequence[bytes], ctx: Context) -> list[bytes] | None:
    """The best common ancestors of `one` and any of `others`; None if no commit-graph has them. `A...B` asks for them
    before its commits are counted, so the last answer is remembered."""
    key = (one, *others)
    last = store.per_call.get(_BEST)
    if last is not None and last[0] == key:
        return last[1]
    answer = by_position(
        store, key, ctx, lambda positions, at: list(map(positions.oid, best_common(positions, at[0], at[1:], ctx)))
    )
    if answer is not None:
        store.per_call.put(_BEST, (key, answer))
    return answer


def sides(store: Store, one: bytes, others: Sequence[bytes], *, ctx: Context) -> tuple[list[bytes], int, int] | None:
    """The best common ancestors of `one` and any of `others`, the number of commits that only `one` reaches, and of
    those that only the others reach; None if no commit-graph has them."""
    bases = _best(store, one, others, ctx)
    if bases is None:
        return None

    def counted(positions: Positions, at: list[int]) -> tuple[int, int]:
        common = Reached(positions, at[len(others) + 1 :], ctx)
        return beyond(positions, at[:1], common, ctx)[0], beyond(positions, at[1 : len(others) + 1], common, ctx)[0]

    counts = by_position(store, [one, *others, *bases], ctx, counted)
    return None if counts is None else (bases, *counts)


def candidates(store: Store, one: bytes, others: Sequence[bytes], *, ctx: Context) -> list[bytes]:
    """Common ancestors of `one` and any of `others`, newest first; some may be ancestors of others."""
    if one in others:
        return [one]
    if not others:
        return [one]
    nodes = Nodes(store)
    best = _best(store, one, others, ctx)
    if best is not None:
        return _by_date(nodes, best)
    return _by_date(nodes, _fresh(searched(store, one, others, ctx)))


def merge_bases(store: Store, one: bytes, others: Sequence[bytes], *, ctx: Context) -> list[bytes]:
    """The best common ancestors of `one` and an imagined merge of `others`, ordered as by `git merge-base --all`."""
    key = (one, *others)
    last = store.per_call.get(_BASES)
    if last is not None and last[0] == key:
        return list(last[1])
    bases = candidates(store, one, others, ctx=ctx)
    if len(bases) >= 2:
        bases = _by_date(Nodes(store), independent(store, bases, ctx=ctx))
    store.per_call.put(_BASES, (key, bases))
    return list(bases)


class _WithoutParents(Nodes):
    """History in which some commits have no parents."""

    __slots__ = ()

    def __init__(self, store: Store, ends: Collection[bytes]) -> None:
        super().__init__(store)
        facts = self.facts
        self.facts = lambda oid: ((), *facts(oid)[1:]) if oid in ends else facts(oid)


def bases_above(
    store: Store, one: bytes, others: Sequence[bytes], ends: Collection[bytes], *, ctx: Context
) -> list[bytes]:
    """`merge_bases` in a history that goes no further than some commits."""
    if one in others:
        return [one]
    nodes = _WithoutParents(store, ends)
    bases = _by_date(nodes, _fresh(_painted(nodes, one, others, ctx)))
    return _by_date(nodes, independent(store, bases, ctx=ctx, nodes=nodes))


def independent(store: Store, oids: Sequence[bytes], *, ctx: Context, nodes: Nodes | None = None) -> list[bytes]:
    """Those commits that none of the others reaches, in the given order (git merge-base --independent).

    `nodes`: the history to walk, if it is not the commits' own.
    """
    unique = list(dict.fromkeys(oids))
    if len(unique) < 2:
        return unique
    if nodes is None:
        remaining = by_position(
            store,
            unique,
            ctx,
            lambda positions, at: [
                oid
                for oid, position in zip(unique, at, strict=True)
                if not positions.that_reach({*at} - {position}, position)
            ],
        )
        if remaining is not None:
            return remaining
        nodes = Nodes(store)
    return _independent(nodes, unique, ctx)[0]


def _independent(nodes: Nodes, unique: list[Node], ctx: Context) -> tuple[list[Node], list[Node]]:
    """`independent` by the dates, and the commits that were looked at for it."""
    redundant: set[Node] = set()
    seen: list[Node] = []
    for node in unique:
        if node in redundant:
            continue
        others = [other for other in unique if other != node and other not in redundant]
        colours = _painted(nodes, node, others, ctx).colours
        if colours[node] & TWO:
            redundant.add(node)
        redundant.update(other for other in others if colours[other] & ONE)
        seen += colours
        if len(unique) == 2:
            break  # the search from the other one would paint the same commits
    return [node for node in unique if node not in redundant], seen


def octopus_bases(store: Store, oids: Sequence[bytes], *, ctx: Context) -> list[bytes]:
    """The best common ancestors of all commits together (git merge-base --octopus)."""
    bases = list(oids[:1])
    for oid in oids[1:]:
        bases = [ancestor for base in bases for ancestor in merge_bases(store, oid, [base], ctx=ctx)]
    return independent(store, bases, ctx=ctx)


def is_ancestor(store: Store, ancestor: bytes, descendant: bytes, *, ctx: Context) -> bool:
    """Whether `descendant` reaches `ancestor` (a commit reaches itself)."""
    return is_ancestor_of_any(store, ancestor, [descendant], ctx=ctx)


def is_ancestor_of_any(store: Store, ancestor: bytes, tips: Sequence[bytes], *, ctx: Context) -> bool:
    """Whether any of `tips` reaches `ancestor`."""
    if ancestor in tips:
        return True
    nodes = Nodes(store)
    reached = by_position(
        store, [ancestor, *tips], ctx, lambda positions, at: bool(positions.that_reach(at[1:], at[0]))
    )
    if reached is not None:
        return reached
    floor = nodes.generation(ancestor)
    if floor != INFINITE:
        tips = [tip for tip in tips if nodes.generation(tip) > floor]
        if not tips:
            return False
    paint = Paint(nodes, ctx)
    paint.add(ancestor, ONE)
    for tip in tips:
        paint.add(tip, TWO)
    return paint.run(until=ancestor)


def ahead_behind(store: Store, ours: bytes, theirs: bytes, *, ctx: Context) -> tuple[int, int]:
    """(number of commits that only `ours` reaches, number of those that only `theirs` reaches)."""
    if ours == theirs:
        return 0, 0
    counted = sides(store, ours, [theirs], ctx=ctx)
    if counted is not None:
        return counted[1:]
    return _counted(Nodes(store), searched(store, ours, [theirs], ctx), ctx)


def painted_sides(store: Store, ours: bytes, theirs: bytes, *, ctx: Context) -> tuple[list[bytes], int, int] | None:
    """The answer of `sides` without a commit-graph, if no commit is older than its parents: where one is, git's walk
    may miss that a side reaches it. Some of the common ancestors may be ancestors of others."""
    nodes, paint = Nodes(store), searched(store, ours, [theirs], ctx)
    facts, tick = nodes.facts, ctx.ticks()
    for oid in paint.colours:
        tick()
        parents, time = facts(oid)[:2]
        for parent in parents:
            if facts(parent)[1] > time:
                return None
    return (_fresh(paint), *_counted(nodes, paint, ctx))


def _counted(nodes: Nodes, paint: Paint, ctx: Context) -> tuple[int, int]:
    """How many commits have only the one colour, and only the other, once both are carried on as far as it matters."""
    if paint.missing is not None:
        raise paint.missing
    colours = dict(paint.colours)
    one_sided = [oid for oid, colour in colours.items() if colour & BOTH != BOTH]
    if not one_sided:
        return 0, 0
    # The painting ends as soon as only stale commits wait. A commit not younger than those may have been passed with
    # one colour before (equal dates suffice). So both colours are carried on to all ancestors that are not older than
    # the oldest commit with one colour.
    floor = min(map(nodes.time, one_sided))
    pending = [oid for oid, colour in colours.items() if colour & BOTH == BOTH]
    while pending:
        ctx.tick()
        for parent in nodes.facts(pending.pop())[0]:
            colour = colours.get(parent, 0)
            if colour & BOTH != BOTH and (colour or nodes.time(parent) >= floor):
                colours[parent] = BOTH
                pending.append(parent)
    reached = [colour & BOTH for colour in colours.values()]
    return reached.count(ONE), reached.count(TWO)
