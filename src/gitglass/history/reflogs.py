"""Walks reflogs instead of ancestors: the values a ref has had, newest entry first (git log -g).

Several reflogs are merged by time; with equal times the one named first comes first. A commit is listed once for each
of its reflog entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..limits import Context
from ..objects.parsed import Commit
from ..refs.reflog import Reflog, ReflogEntry
from ..repo.store import Store
from .filters import border
from .spec import (
    BOUNDARY,
    CHILD_SHOWN,
    LOADED,
    SHOWN,
    TREESAME,
    UNINTERESTING,
    ReflogPlace,
    Tip,
    WalkEntry,
    WalkSpec,
)
from .walk import Walk


class ReflogCursor:
    """The position in a reflog. `name` is the name it was given by; `at` counts from the newest entry.

    `by_date` says how entries are labelled: True `@{date}`, False `@{2}`, None according to the rest of the command.
    """

    __slots__ = ("at", "by_date", "log", "name")

    def __init__(self, name: bytes, log: Reflog, at: int = 0, by_date: bool | None = None) -> None:
        self.name, self.log, self.at, self.by_date = name, log, at, by_date

    def settle(self, store: Store, ctx: Context) -> ReflogEntry | None:
        """The next entry that refers to a commit."""
        while (entry := self.log.at(self.at)) is not None:
            ctx.tick()
            if entry.new != store.null and store.odb.has(entry.new) and store.odb.kind(entry.new) == b"commit":
                return entry
            self.at += 1
        return None


def walk_reflogs(
    store: Store,
    cursors: Sequence[ReflogCursor],
    spec: WalkSpec,
    matcher: Callable[[Commit, bytes], bool] | None,
    *,
    beside: Sequence[Tip] = (),
    sources: Mapping[bytes, bytes] | None = None,
    diffs: bool = False,
    forgets: bool = False,
    ctx: Context,
) -> Iterator[WalkEntry]:
    """The commits in the reflogs that pass the spec, then their boundary with --boundary.

    `beside` are tips that are not reflogs: commits that they exclude are not shown. Strange but git's: if that makes
    the walk a limited one, neither paths nor --since leave an entry out. `sources`: the --source label of some commits.
    `diffs`: parents of the boundary are shown, because git reads them for its diffs. `forgets`: strange but git's
    (rev-list), a commit that was shown has no parents when it comes again.
    """
    state = Walk(store, spec, ctx)
    first = state.start(beside)
    if state.limited:
        state.limit(first)
    skip, left = spec.skip, spec.max_count
    before: tuple[bytes, ...] | None = None
    at_entry: ReflogPlace | None = None
    waiting: list[bytes] = []  # parents of the commits shown, in the order they were met
    while left:
        coming = _next(store, cursors, ctx)
        if coming is None:
            break
        at_entry, oid = coming, coming.entry.new
        if spec.max_age is not None and not state.limited and at_entry.entry.time < spec.max_age:
            continue
        if not _shown(state, oid, at_entry.entry.time):
            continue
        commit = store.odb.commit(oid)
        if matcher is not None and not matcher(commit, at_entry.entry.message):
            continue
        entry = WalkEntry(oid, commit, state.parents[oid], 0)
        entry.linear = before is None or oid in before
        before = entry.parents
        if skip > 0:
            skip -= 1
            continue
        entry.reflog = at_entry
        entry.source = sources.get(oid) if sources else None
        if spec.boundary:
            waiting += _met(state, oid)
        yield entry
        left -= 1
        if forgets:
            state.parents[oid] = ()
    read = {oid for oid in waiting if state.flags[oid] & LOADED}
    linear = before is not None and entry.linear
    for oid in border(state, waiting):
        # strange but git's: shown from what was read before, with the last entry's label
        parents = state.parents[oid] if oid in read else state.facts(oid)[0]
        entry = WalkEntry(oid, store.odb.commit(oid), parents if diffs or oid in read else (), BOUNDARY)
        entry.diff_parents, entry.reflog, entry.linear = parents, at_entry, linear
        yield entry


def _met(state: Walk, oid: bytes) -> Iterator[bytes]:
    """The parents of a shown commit that were neither met nor shown before."""
    flags = state.flags
    flags[oid] |= SHOWN
    for parent in state.parents[oid]:
        if not flags[parent] & (CHILD_SHOWN | SHOWN):
            flags[parent] |= CHILD_SHOWN
            yield parent


def _next(store: Store, cursors: Sequence[ReflogCursor], ctx: Context) -> ReflogPlace | None:
    best: tuple[ReflogCursor, ReflogEntry] | None = None
    for cursor in cursors:
        entry = cursor.settle(store, ctx)
        if entry is not None and (best is None or entry.time > best[1].time):
            best = cursor, entry
    if best is None:
        return None
    cursor, entry = best
    at_entry = ReflogPlace(cursor.name, cursor.at, entry, cursor.by_date)
    cursor.at += 1
    return at_entry


def _shown(state: Walk, oid: bytes, time: int) -> bool:
    """The test of age, number of parents and paths; the age is that of the reflog entry."""
    spec = state.spec
    if spec.min_age is not None and time > spec.min_age:
        return False
    if spec.max_age_as_filter is not None and time < spec.max_age_as_filter:
        return False
    state.load(oid)
    state.flags[oid] &= TREESAME | LOADED | UNINTERESTING | SHOWN | CHILD_SHOWN
    if state.flags[oid] & UNINTERESTING:
        return False
    if state.simplifier is not None and not state.limited:
        state.simplifier.simplify(oid)
        if spec.dense and state.treesame(oid):
            return False
    count = len(state.parents[oid])
    return count >= spec.min_parents and (spec.max_parents < 0 or count <= spec.max_parents)
