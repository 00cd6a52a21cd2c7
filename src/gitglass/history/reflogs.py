"""Walking reflogs instead of ancestors: what a ref has been, newest entry first (git log -g).

Several reflogs are merged by time; of equal times the one named first comes first. A commit comes as often as it is
logged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..limits import Context
from ..objects.parsed import Commit
from ..refs.reflog import Reflog, ReflogEntry
from ..repo.store import Store
from .spec import LOADED, TREESAME, ReflogPlace, WalkEntry, WalkSpec
from .walk import Walk


class ReflogCursor:
    """A reflog being walked. `name` is how it was named; `at` counts from the newest entry.

    `by_date` tells how entries are labelled: True `@{date}`, False `@{2}`, None as the rest of the command suggests.
    """

    __slots__ = ("at", "by_date", "log", "name")

    def __init__(self, name: bytes, log: Reflog, at: int = 0, by_date: bool | None = None) -> None:
        self.name, self.log, self.at, self.by_date = name, log, at, by_date

    def settle(self, store: Store, ctx: Context) -> ReflogEntry | None:
        """The next entry that leads to a commit."""
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
    sources: Mapping[bytes, bytes] | None = None,
    ctx: Context,
) -> Iterator[WalkEntry]:
    """The commits in the reflogs that the spec lets through. `sources`: what --source shows of some."""
    state = Walk(store, spec, ctx)
    skip, left = spec.skip, spec.max_count
    before: tuple[bytes, ...] | None = None
    while left:
        at_entry = _next(store, cursors, ctx)
        if at_entry is None:
            return
        oid = at_entry.entry.new
        if spec.max_age is not None and at_entry.entry.time < spec.max_age:
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
        yield entry
        left -= 1


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
    """Age, number of parents and paths; the age is that of the reflog entry."""
    spec = state.spec
    if spec.min_age is not None and time > spec.min_age:
        return False
    if spec.max_age_as_filter is not None and time < spec.max_age_as_filter:
        return False
    state.load(oid)
    state.flags[oid] &= TREESAME | LOADED
    if state.simplifier is not None:
        state.simplifier.simplify(oid)
        if spec.dense and state.treesame(oid):
            return False
    count = len(state.parents[oid])
    return count >= spec.min_parents and (spec.max_parents < 0 or count <= spec.max_parents)
