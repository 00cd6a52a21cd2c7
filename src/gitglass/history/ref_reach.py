"""Many refs against a few commits: `--contains` and `--merged` without walking all of history.

Both walk from the refs and from the commits at once, newest first, and stop as soon as no remaining commit can change
an answer. For `--contains` dates only decide which commits are looked at first. For `--merged` git walks from the refs
and excludes what the commits reach: its answer is another one only if such a commit is older than a parent, since then
the refs may be passed before they are excluded. Where that is seen the walk of `walk.py` answers. With a commit-graph
both use its levels instead of dates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush, heappushpop

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import MissingObject
from ..graph.columns import ONE
from ..graph.nodes import Nodes, PackNumbers, answer_when_long
from ..graph.positions import Positions, by_position
from ..limits import Context, need
from ..objects.commit_graph import UNREAD
from ..repo.store import Store
from .spec import LOADED, UNINTERESTING, Tip, WalkSpec

if TYPE_CHECKING:
    from ..graph.merge_base import is_ancestor
    from ..objects.numbering import Numbering
    from .walk import Walk
else:
    is_ancestor = deferred(__name__, "..graph.merge_base", "is_ancestor")
    Walk = deferred(__name__, ".walk", "Walk")

_DAY = 86400
_PATIENCE = 32
#: refs, and commits that may reach some of them
Question = tuple[set[bytes], set[bytes]]
_REACHES, _DOES_NOT = 1, 2
_QUEUED, _PASSED, _BELOW = 1, 2, 3  # waits, not found yet; was passed by before it was found; is found


def that_contain(
    store: Store, refs: set[bytes], wanted: Iterable[bytes], *, ctx: Context, through_all: bool = False
) -> set[bytes]:
    """The `refs` (commits) that are one of `wanted` or reach one.

    Where commits are missing, git looks for the best common ancestor of a ref and the commit, and says of a ref that
    this does not tell it that it does not contain the commit; `through_all`, as of tags, it goes through all that a
    ref reaches until it meets the commit: MissingObject is raised if it comes to a missing one before.
    """
    containing: set[bytes] = set()
    for commit in wanted:
        rest = refs - containing
        try:
            containing |= _that_contain(store, rest, commit, ctx)
        except MissingObject:
            if through_all:
                containing |= _through_all(store, rest, commit, ctx)
            else:
                containing.update(ref for ref in sorted(rest) if is_ancestor(store, commit, ref, ctx=ctx))
    return containing


def _through_all(store: Store, refs: set[bytes], wanted: bytes, ctx: Context) -> set[bytes]:
    try:
        return _reaching(refs, wanted, store.odb.parents_reader(), (), ctx)
    except MissingObject as error:
        name = str(error.data["oid"])
        ctx.say(f"error: Could not read {name}\n".encode())
        raise MissingObject(f"unable to parse commit {name}", hint=error.hint, oid=name) from None


def _that_contain(store: Store, refs: set[bytes], wanted: bytes, ctx: Context) -> set[bytes]:
    """The refs that reach `wanted`. Every commit between a ref and `wanted` is no ancestor of `wanted`, so the walk
    ends when only ancestors are left."""
    containing = by_position(store, [wanted, *refs], ctx, _containing)
    if containing is not None:
        return containing

    def ask(nodes: Nodes) -> set[bytes]:
        if isinstance(nodes, PackNumbers):
            return _containing_along(nodes.numbering, refs, wanted, ctx)
        below = _Below(nodes, {wanted}, refs, ctx)
        below.spread()
        parents_of = below.parents_of
        return (refs & {wanted}) | _reaching(below.missing, wanted, lambda oid: parents_of.get(oid, ()), below, ctx)

    return answer_when_long(store, ask)


def _containing_along(numbering: Numbering, refs: set[bytes], wanted: bytes, ctx: Context) -> set[bytes]:
    """The refs that reach `wanted`, depth first along the columns, as in git: what is below a ref that does not is read
    to the end."""
    need(numbering.capacity)
    state, tick, parents_of = bytearray(numbering.capacity), ctx.ticks(), numbering.parents_reader()
    state[numbering.number(wanted)] = _REACHES
    containing = set[bytes]()
    for ref in sorted(refs, key=numbering.number):
        path: list[int] = []
        turns: list[tuple[int, int]] = []  # (length of the path, a parent not followed yet)
        commit: int | None = numbering.number(ref)
        while commit is not None:
            if not state[commit]:
                tick()
                state[commit] = _DOES_NOT
                path.append(commit)
                parents = parents_of(commit)
                if len(parents) == 1:
                    commit = parents[0]
                    continue
                turns += [(len(path), parent) for parent in parents[::-1]]
            elif state[commit] == _REACHES:
                for above in path:
                    state[above] = _REACHES
                containing.add(ref)
                break
            length, commit = turns.pop() if turns else (0, None)
            del path[length:]
    return containing


def _containing(positions: Positions, places: list[int]) -> set[bytes]:
    wanted, *refs = places
    return set(map(positions.oid, positions.that_reach(refs, wanted)))


class _Below:
    """Which commits are ancestors of some `tops` (or are one), found by a walk from these and from `others` at once.

    `missing` are those of `others` that were not found yet. Entries of the queue have the commit's parents: a commit's
    facts are asked for once, but for one that was passed by before it was found.
    """

    __slots__ = ("_facts", "_open", "_state", "_tick", "dated_wrong", "missing", "parents_of", "queue")

    def __init__(self, nodes: Nodes, tops: set[bytes], others: set[bytes], ctx: Context) -> None:
        self._facts, self._tick = nodes.facts, ctx.ticks()
        self.missing = others - tops
        self.dated_wrong = False  # whether a commit that was found is older than one of its parents
        self.parents_of: dict[bytes, tuple[bytes, ...]] = {}  # of the commits that were passed by
        self._state = dict.fromkeys(self.missing, _QUEUED) | dict.fromkeys(tops, _BELOW)
        self._open = len(self.missing)  # how many commits in the queue are not found yet
        self.queue: list[tuple[int, bytes, tuple[bytes, ...]]] = sorted(map(self._entry, self._state))

    def _entry(self, oid: bytes) -> tuple[int, bytes, tuple[bytes, ...]]:
        parents, time = self._facts(oid)[:2]
        return -time, oid, parents

    def __contains__(self, oid: bytes) -> bool:
        return self._state.get(oid) == _BELOW

    def spread(self) -> None:
        """Walk until all that wait in the queue are found, or none is missing."""
        queue, state, parents_of, missing = self.queue, self._state, self.parents_of, self.missing
        facts, tick, left = self._facts, self._tick, self._open
        latest: tuple[int, bytes, tuple[bytes, ...]] | None = None  # the entry that has to be put in the queue
        while left and missing:
            tick()
            negated, oid, parents = heappop(queue) if latest is None else heappushpop(queue, latest)
            latest = None
            have = state[oid]
            if have == _QUEUED:
                left -= 1
                state[oid] = _PASSED
                parents_of[oid] = parents
            for parent in parents:
                there = state.get(parent)
                if have != _BELOW:
                    if there is not None:
                        continue
                    left += 1
                    state[parent] = _QUEUED
                else:
                    if there == _BELOW:
                        continue
                    state[parent] = _BELOW
                    missing.discard(parent)
                    if there == _QUEUED:
                        left -= 1
                        self.dated_wrong |= -facts(parent)[1] < negated
                        continue
                if latest is not None:
                    heappush(queue, latest)
                row = facts(parent)
                if -row[1] < negated and have == _BELOW:
                    self.dated_wrong = True
                latest = -row[1], parent, row[0]
        if latest is not None:
            heappush(queue, latest)
        self._open = left

    def step(self) -> bool:
        """Go on by one commit where all that wait are found; whether one was found that had been passed by."""
        self._tick()
        again = False
        negated, _, parents = heappop(self.queue)
        for parent in parents:
            there = self._state.get(parent)
            if there != _BELOW:
                self._state[parent] = _BELOW
                self.missing.discard(parent)
                again |= there == _PASSED
                entry = self._entry(parent)
                self.dated_wrong |= entry[0] < negated
                heappush(self.queue, entry)
        return again


def _reaching(
    refs: set[bytes],
    wanted: bytes,
    parents_of: Callable[[bytes], tuple[bytes, ...]],
    below: _Below | tuple[()],
    ctx: Context,
) -> set[bytes]:
    """A search that remembers answers and does not go into what is `below`; without recursion."""
    answers = {wanted: True}
    for ref in refs:
        path = [(ref, iter(parents_of(ref)))] if ref not in answers else []
        if path:
            answers[ref] = False
        while path:
            ctx.tick()
            for parent in path[-1][1]:
                answer = answers.get(parent)
                if answer:
                    answers.update((above, True) for above, _ in path)
                    path.clear()
                    break
                if answer is None and parent not in below:
                    answers[parent] = False
                    path.append((parent, iter(parents_of(parent))))
                    break
            else:
                path.pop()
    return {ref for ref in refs if answers[ref]}


def _reached(positions: Positions, places: list[int], count: int, ctx: Context) -> set[bytes]:
    """Which of the first `count` commits are one of the others or reached by one; nothing below the lowest level is
    read."""
    wanted = places[:count]
    floor = min(map(positions.level, wanted), default=0)
    marks = positions.marked(places[count:], ctx.ticks(), floor=floor)
    return {positions.oid(position) for position in wanted if marks[position]}


def that_are_reached(
    store: Store, refs: set[bytes], tips: Iterable[bytes], *, ctx: Context, before: Question | None = None
) -> set[bytes]:
    """The `refs` (commits) that are one of `tips` or reached by one. `before` is the same question about others, asked
    before: git has read the commits of that walk then."""
    tops = set(tips)
    reached = by_position(store, [*refs, *tops], ctx, lambda graph, at: _reached(graph, at, len(refs), ctx))
    if reached is not None:
        return reached

    def ask(nodes: Nodes) -> set[bytes] | None:
        if isinstance(nodes, PackNumbers):
            return _reached_along(nodes.numbering, refs, tops, ctx)
        return _reached_by_oid(nodes, refs, tops, ctx)

    try:
        reached = answer_when_long(store, ask)
    except MissingObject:  # below the tips git's walk goes on
        reached = None
    return _as_walked(store, (refs, tops), before, ctx) if reached is None else reached


def _reached_by_oid(nodes: Nodes, refs: set[bytes], tops: set[bytes], ctx: Context) -> set[bytes] | None:
    """The refs that are reached; None if dates are wrong on the way."""
    below = _Below(nodes, tops, refs, ctx)
    below.spread()
    floor, patience = _oldest(nodes, below.missing), _PATIENCE
    while below.missing and below.queue:
        if -below.queue[0][0] < floor:
            floor = _oldest(nodes, below.missing)
            patience -= 1
            if -below.queue[0][0] < floor and not patience:
                break
        if below.step():
            patience = _PATIENCE
    return None if below.dated_wrong else refs - below.missing


def _reached_along(numbering: Numbering, refs: set[bytes], tops: set[bytes], ctx: Context) -> set[bytes] | None:
    """The same along the columns: all that is reached and not much older than the oldest ref."""
    need(numbering.capacity)
    marks, tick = bytearray(numbering.capacity), ctx.ticks()
    first, second, times, read, facts = (
        numbering.first, numbering.second, numbering.times, numbering.reader(), numbering.facts,
    )  # fmt: skip
    wanted = {ref: numbering.number(ref) for ref in refs}
    floor = min([facts(number)[1] for number in wanted.values()], default=0) - _DAY
    queue = [*map(numbering.number, tops)]
    for number in queue:
        read(number)
        marks[number] = 1
    for number in queue:  # which grows: the nearest first, much as they follow one another in a pack
        tick()
        time = times[number]
        for parent in (first[number],) if second[number] == ONE else facts(number)[0]:
            if not marks[parent]:
                marks[parent] = 1
                if second[parent] == UNREAD:
                    read(parent)
                if times[parent] >= floor:
                    queue.append(parent)
            if times[parent] > time:
                return None
    return {ref for ref, number in wanted.items() if marks[number]}


def _as_walked(store: Store, question: Question, before: Question | None, ctx: Context) -> set[bytes]:
    """The refs that are excluded by the time git's walk ends."""
    walk = Walk(store, WalkSpec(raw=False, limited=True), ctx)
    if before is not None:
        earlier = Walk(store, walk.spec, ctx)
        earlier.limit(earlier.start(_tips(before)))
        walk.load_all([oid for oid, have in earlier.flags.items() if have & LOADED])
    walk.limit(walk.start(_tips(question)))
    return {oid for oid in question[0] if walk.flags[oid] & UNINTERESTING}


def _tips(question: Question) -> list[Tip]:
    refs, tops = question
    return [*map(Tip, sorted(refs)), *map(Tip.excluded, sorted(tops))]


def _oldest(nodes: Nodes, commits: set[bytes]) -> int:
    """A day before the oldest of these commits."""
    return min(map(nodes.time, commits), default=0) - _DAY
