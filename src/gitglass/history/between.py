"""A..B: what some commits reach and others do not, where nothing else is asked. The walk that is asked for every day.

It gives what the limited walk of `history.py` gives, with its ways where clocks lie, and without the state that
simplifying and reordering need. A commit is what `facts` takes: an oid, or its position in a commit-graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

from ..graph.positions import Positions, by_position
from ..limits import Context
from ..objects.sequential import Facts
from ..repo.store import Store
from .fast import filter_of, reader
from .spec import BARE, BOTTOM, SHOWN_ONLY, SIMPLIFYING, SLOP, UNINTERESTING, Tip, WalkEntry, WalkSpec, honours

_SEEN, _EXCLUDED, _LOADED = 1, 2, 4

Node = Any  # bytes or int
Item = tuple[int, int, Node, tuple[Node, ...]]  # -time, order of arrival, commit, parents


_bare = honours(*BARE)
_counted = honours(*SHOWN_ONLY, *SIMPLIFYING)


def is_between(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether commits are excluded, and that is all."""
    return _bare(spec) and excludes(tips)


def excludes(tips: Sequence[Tip]) -> bool:
    """Whether some tips are excluded, and no side of A...B is told from the other."""
    return any(tip.flags for tip in tips) and not any(tip.flags & ~(UNINTERESTING | BOTTOM) for tip in tips)


def counts_all(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether every commit that the tips reach counts, less what the excluded ones reach: the number is all that the
    walk has to find."""
    return _counted(spec) and (excludes(tips) or not any(tip.flags for tip in tips))


def between(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkEntry]:
    """The commits as entries, newest first."""
    if not spec.max_count:
        return
    odb, accept = store.odb, filter_of(spec, store.odb.commit)
    skip, left = spec.skip, spec.max_count
    facts_of = reader(odb, whole=spec.raw)
    found, oid_of = _found(store, tips, facts_of, ctx)
    for oid in map(oid_of, found):
        parents, time, _ = facts_of(oid)
        if accept is not None and not accept(oid, time, parents, None):
            continue
        if skip > 0:
            skip -= 1
            continue
        yield WalkEntry(oid, odb.commit(oid) if spec.raw else None, parents, 0)  # type: ignore[arg-type]
        left -= 1
        if not left:
            return


def count_between(store: Store, tips: Sequence[Tip], ctx: Context) -> int:
    """How many they are."""
    return len(_found(store, tips, store.odb.facts_reader(), ctx)[0])


def _found(
    store: Store, tips: Sequence[Tip], facts: Callable[[bytes], Facts], ctx: Context
) -> tuple[list[Node], Callable[[Node], bytes]]:
    """The commits, and what tells their oids."""

    def walked(positions: Positions, places: list[int]) -> tuple[list[Node], Callable[[Node], bytes]]:
        numbered = [(place, tip.flags) for place, tip in zip(places, tips, strict=True)]
        return Between(positions.facts, ctx).run(numbered), positions.oid

    found = by_position(store, [tip.oid for tip in tips], ctx, walked)
    return (Between(facts, ctx).run([(tip.oid, tip.flags) for tip in tips]), bytes) if found is None else found


class Between:
    """One such walk."""

    __slots__ = ("_ctx", "_facts", "_flags", "_queue", "_serial")

    def __init__(self, facts: Callable[[Node], tuple[Any, ...]], ctx: Context) -> None:
        self._facts, self._ctx = facts, ctx
        self._flags: dict[Node, int] = {}
        self._queue: list[Item] = []
        self._serial = 0

    def run(self, tips: list[tuple[Node, int]]) -> list[Node]:
        """The commits in order of the queue: newest first, and among equal dates as they were met."""
        facts, flags, queue = self._facts, self._flags, self._queue
        self._start(tips)
        tick, serial = self._ctx.visits(), self._serial
        found: list[Node] = []
        slop = SLOP
        newest: int | None = None  # date of the commit listed last
        lookout: Node | None = None  # an interesting commit known to wait in the queue
        while queue:
            tick()
            negated, _, node, parents = heappop(queue)
            if node == lookout:
                lookout = None
            excluded = flags[node] & _EXCLUDED
            for parent in parents:
                known = flags.get(parent, 0)
                if excluded:
                    flags[parent] = known = known | _EXCLUDED | _LOADED
                    self._exclude_behind(parent)
                if not known & _SEEN:
                    above, time = facts(parent)[:2]
                    flags[parent] = known | _SEEN | _LOADED
                    serial += 1
                    heappush(queue, (-time, serial, parent, above))
            if not excluded:
                newest = -negated
                found.append(node)
                continue
            if not queue:
                break
            if newest is not None and newest <= -queue[0][0]:
                slop = SLOP
                continue
            if lookout is None or flags[lookout] & _EXCLUDED:
                lookout = next((item[2] for item in queue if not flags[item[2]] & _EXCLUDED), None)
            if lookout is not None:
                slop = SLOP
                continue
            slop -= 1
            if not slop:
                break
        return [node for node in found if not flags[node] & _EXCLUDED]

    def _start(self, tips: list[tuple[Node, int]]) -> None:
        flags, first = self._flags, dict[Node, Item]()
        for node, excluding in tips:
            flags[node] = flags.get(node, 0) | _LOADED | (_EXCLUDED if excluding else 0)
        for node, excluding in tips:
            if excluding:
                self._exclude_behind(node)
            if node not in first:
                flags[node] |= _SEEN
                parents, time = self._facts(node)[:2]
                first[node] = (-time, 0, node, parents)
        for negated, _, node, parents in sorted(first.values(), key=lambda item: item[0]):
            self._serial += 1
            heappush(self._queue, (negated, self._serial, node, parents))

    def _exclude_behind(self, node: Node) -> None:
        """Exclude what is known so far of a commit's ancestors."""
        flags, facts = self._flags, self._facts
        stack = list(facts(node)[0])
        while stack:
            here = stack.pop()
            have = flags.get(here, 0)
            if not have & _EXCLUDED:
                flags[here] = have | _EXCLUDED
                if have & _LOADED:
                    stack += facts(here)[0]
