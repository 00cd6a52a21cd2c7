"""Walks that exclude commits, newest first, where no commit-graph has them: A..B, A...B and `--not`.

git marks what is excluded as the walk comes to it. As long as no commit turns out to be excluded that has left the
queue before, each was known when it left, and the list is made in one pass over rows. Where one does, a clock is wrong
or two commits have one date: then the general walk answers, which goes on marking, and makes git's mistakes, too.

For A...B the search for the merge base has looked at all of the commits already: those with one colour are the list.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence, Set
from heapq import heappop, heappush, heappushpop
from itertools import islice

from ...errors import Corrupt, MissingObject
from ...graph.merge_base import BOTH, ONE, searched
from ...graph.steps import steps_taken
from ...limits import Context
from ...repo.store import Store
from ..fast import reader, trees_of
from ..spec import LEFT, UNINTERESTING, Tip, WalkRow, WalkSpec
from ..walk import shows_all
from .chosen import chooser

_WAITS, _LISTED, _EXCLUDED = 0, 1, 2
#: excluded commits that are looked at after the last one that is not; git looks at no more than SLOP of them
_AFTER = 16

#: a commit that waits: its negated time, its arrival, the commit, its parents
_Waiting = tuple[int, int, bytes, tuple[bytes, ...]]
#: commits, newest first, each with its flags: LEFT or none
Sides = list[tuple[bytes, int]]


def dated_rows(store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> Iterator[WalkRow] | None:
    """The rows of the commits that `excludes_only` asks for, or the first ones; None where `dated` has none."""
    commits = dated(store, tips, ctx, whole=shows_all(spec)) if spec.max_count else []
    if commits is None:
        return None
    if spec.left_only or spec.right_only:
        side = 0 if spec.right_only else LEFT
        commits = [commit for commit in commits if commit[1] == side]
    last = None if spec.max_count < 0 else max(spec.skip, 0) + spec.max_count
    rows = islice(_rows(commits, store, spec), max(spec.skip, 0), last)
    return iter(list(rows)[::-1]) if spec.reverse else rows


def _rows(commits: Sides, store: Store, spec: WalkSpec) -> Iterator[WalkRow]:
    facts, test = store.odb.facts_reader(), chooser(spec, store, bytes)
    rooted = spec.rooted

    def tree_of(oid: bytes) -> bytes:
        return facts(oid)[2]

    for oid, flags in commits:
        parents = facts(oid)[0]
        if test is None or test(oid, parents, None):
            yield oid, parents, None, flags, trees_of(tree_of, oid, parents) if rooted else ()


def dated(store: Store, tips: Sequence[Tip], ctx: Context, *, whole: bool = False) -> Sides | None:
    """The commits that some tips reach and the excluded ones do not, newest first; None where a commit-graph has
    commits, and where a commit that was listed turns out to be excluded, or cannot be read. `whole`: their messages
    will be needed as well."""
    if store.odb.graph is not None:
        return None
    try:
        if any(tip.flags & LEFT for tip in tips):
            return _of_two_sides(store, tips, ctx)
        return _apart(store, tips, ctx, whole)
    except (MissingObject, Corrupt):  # the general walk knows which of them matter, and raises the errors
        return None


def _apart(store: Store, tips: Sequence[Tip], ctx: Context, whole: bool) -> Sides | None:
    facts, tick = store.odb.facts_reader(), ctx.visits()
    facts_of_shown = reader(store.odb, whole=whole)
    marks: dict[bytes, int] = {}
    for tip in tips:
        marks[tip.oid] = marks.get(tip.oid, _WAITS) | (_EXCLUDED if tip.flags & UNINTERESTING else _WAITS)
    rows = [(oid, *facts(oid)[:2]) for oid in marks]
    queue: list[_Waiting] = [(-time, arrival, oid, parents) for arrival, (oid, parents, time) in enumerate(rows)]
    queue.sort()
    serial, fresh = len(queue), [*marks.values()].count(_WAITS)  # how many wait that are not excluded
    listed: list[bytes] = []
    oldest = 0
    latest: _Waiting | None = None  # the commit that has to be put in the queue
    while fresh:
        tick()
        negated, _, oid, parents = heappop(queue) if latest is None else heappushpop(queue, latest)
        latest = None
        mark = marks[oid]
        if mark == _WAITS:
            marks[oid] = _LISTED
            listed.append(oid)
            oldest, fresh = -negated, fresh - 1
        for parent in parents:
            there = marks.get(parent)
            if there is None:
                marks[parent] = mark
                if not mark:
                    fresh += 1
                if latest is not None:
                    heappush(queue, latest)
                serial += 1
                above, time, _ = facts(parent) if mark else facts_of_shown(parent)
                latest = -time, serial, parent, above
            elif mark and there != _EXCLUDED:
                if there == _LISTED:
                    return None
                marks[parent] = _EXCLUDED
                fresh -= 1
    if latest is not None:
        heappush(queue, latest)
    if _leads_back(store, queue, marks, set(listed), oldest, ctx) or _passes_steps(store, marks, ctx):
        return None
    return [(oid, 0) for oid in listed]


def _leads_back(
    store: Store, queue: list[_Waiting], marks: Container[bytes], listed: Set[bytes], oldest: int, ctx: Context
) -> bool:
    """Whether a commit that is excluded leads to one that is listed, as far as git looks: the excluded ones that wait,
    those that are not older than the oldest listed one, and some more. All that were met have `marks`."""
    facts, tick, left = store.odb.facts_reader(), ctx.visits(), _AFTER
    met = set[bytes]()
    while listed and queue and left:
        tick()
        negated, serial, _, parents = heappop(queue)
        if -negated < oldest:
            left -= 1
        for parent in parents:
            if parent in listed:
                return True
            if parent not in marks and parent not in met:
                met.add(parent)
                above, time, _ = facts(parent)
                heappush(queue, (-time, serial, parent, above))
    return any(parent in listed for waiting in queue for parent in waiting[3])


def _passes_steps(store: Store, marks: dict[bytes, int], ctx: Context) -> bool:
    """Whether a commit that is not listed leads to one that is, among those that git has read to find what `main~3`
    names: exclusion passes through these."""
    facts = store.odb.facts_reader()
    for oid, generations, _ in steps_taken(store):
        for _ in range(generations):
            ctx.tick()
            parents = facts(oid)[0]
            if marks.get(oid) != _LISTED and any(marks.get(parent) == _LISTED for parent in parents):
                return True
            if not parents:
                break
            oid = parents[0]
    return False


def _of_two_sides(store: Store, tips: Sequence[Tip], ctx: Context) -> Sides | None:
    """The same for A...B, from the search for its merge bases. None if these are several, or if the spec names other
    commits; and if a listed commit is younger than its child: then it does not come in the order of dates."""
    ends = [tip for tip in tips if not tip.flags & UNINTERESTING]
    if len(ends) != 2 or [tip.flags & LEFT for tip in ends] != [LEFT, 0]:
        return None
    paint = searched(store, ends[0].oid, [ends[1].oid], ctx)
    if len(paint.candidates) > 1 or {tip.oid for tip in tips if tip.flags & UNINTERESTING} != set(paint.candidates):
        return None
    colours, facts, tick = paint.colours, store.odb.facts_reader(), ctx.ticks()
    commits: list[tuple[int, bytes, int]] = []
    for oid, colour in colours.items():
        tick()
        if colour & BOTH == BOTH:
            continue
        parents, time, _ = facts(oid)
        for parent in parents:
            if facts(parent)[1] > time:
                return None
        commits.append((-time, oid, LEFT if colour == ONE else 0))
    commits.sort(key=_negated_time)  # those of one date stay in the order in which they were met
    oldest = -commits[-1][0] if commits else 0
    if _leads_back(store, [*paint.queue], colours, {oid for _, oid, _ in commits}, oldest, ctx):
        return None
    return [(oid, flags) for _, oid, flags in commits]


def _negated_time(commit: tuple[int, bytes, int]) -> int:
    return commit[0]
