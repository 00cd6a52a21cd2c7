"""Which commits some tips reach, and how many, also without those that others reach; by position if a commit-graph has
them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

from ..graph.columns import ONE, columns_of
from ..graph.merge_base import painted_sides, sides
from ..graph.nodes import Numbers, numbered_when_long
from ..graph.positions import TIME, Positions, by_position
from ..limits import Context, need
from ..repo.store import Store
from .order.early import listed
from .order.excluded import count_apart
from .spec import BOTTOM, LEFT, SHOWN_ONLY, SIMPLIFYING, UNINTERESTING, Tip, WalkSpec, honours
from .walk import Walk

_chosen = honours(
    *SHOWN_ONLY, *SIMPLIFYING, "min_parents", "max_parents", "min_age", "max_age", "max_age_as_filter", "first_parent"
)
_STRETCH = 1 << 14  # commits between two looks at the clock
_CHOSEN_BYTES = 120  # memory of a chosen commit: its number and its oid, each in a list
_bare, _followed = honours(*SHOWN_ONLY, *SIMPLIFYING), honours(*SHOWN_ONLY, *SIMPLIFYING, "first_parent")


def reachable(store: Store, tips: Iterable[bytes], *, first_only: bool = False, ctx: Context) -> set[bytes]:
    """Every commit that `tips` reach, themselves included; with `first_only` along first parents."""
    parents_of, tick = store.odb.parents_reader(), ctx.visits()
    seen = set(tips)
    queue = list(seen)
    for oid in queue:  # which grows: the nearest first, much as they follow one another in a pack
        tick()
        parents = parents_of(oid)
        for parent in parents[:1] if first_only else parents:
            if parent not in seen:
                seen.add(parent)
                queue.append(parent)
    return seen


def count_reachable(store: Store, tips: Iterable[bytes], *, first_only: bool = False, ctx: Context) -> int:
    """How many commits `reachable` has."""
    tips = list(tips)
    count = by_position(store, tips, ctx, lambda positions, places: positions.reached(places, first_only=first_only))
    return len(reachable(store, tips, first_only=first_only, ctx=ctx)) if count is None else count


def _excludes(tips: Sequence[Tip]) -> bool:
    """Whether some tips are excluded, and the sides of A...B are not distinguished."""
    return any(tip.flags for tip in tips) and not any(tip.flags & ~(UNINTERESTING | BOTTOM) for tip in tips)


def counts_all(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether the walk only has to count commits: all that the tips reach, except those that the excluded tips reach;
    or all that they reach along first parents."""
    return (_bare(spec) and _excludes(tips)) or (_followed(spec) and not any(tip.flags for tip in tips))


def count_between(store: Store, tips: Sequence[Tip], ctx: Context) -> int:
    """The number of commits that some tips reach and the excluded ones do not."""
    count = count_apart(store, tips, ctx)
    if count is not None:
        return count
    spec = WalkSpec(raw=False, limited=True)
    count = by_position(
        store,
        [tip.oid for tip in tips],
        ctx,
        lambda positions, _: _count_listed(Walk(store, spec, ctx, Numbers(store, positions)), tips),
    )
    if count is None:
        [count] = numbered_when_long(
            store, lambda numbers, ends: iter([_count_listed(Walk(store, spec, ctx, numbers, ends=ends), tips)])
        )
    return count


def _count_listed(walk: Walk, tips: Sequence[Tip]) -> int:
    commits, _ = listed(walk, walk.start(tips), 0)
    flags = walk.flags
    return sum(not flags[node] & UNINTERESTING for node in commits)


def count_chosen(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> int | None:
    """How many of the commits that the tips reach have the age and the number of parents asked for. None if the spec
    asks for anything else, or if no commit-graph has the tips."""
    if not _chosen(spec) or any(tip.flags for tip in tips):
        return None
    return by_position(
        store, [tip.oid for tip in tips], ctx, lambda positions, places: _count_chosen(positions, places, spec, ctx)
    )


def chosen_oids(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> list[bytes] | None:
    """The commits that `count_chosen` counts, newest first as far as that takes no walk; None in the same cases. For
    callers whose result does not depend on the order."""
    if not _chosen(spec) or any(tip.flags for tip in tips):
        return None

    def named(positions: Positions, places: list[int]) -> list[bytes]:
        marks = _marks(positions, places, spec, ctx)
        need(marks.count(1) * _CHOSEN_BYTES)
        columns = columns_of(positions, ctx.check) if _every(spec) else None
        if columns is None:
            chosen = [position for _, position in sorted(_chosen_rows(positions, marks, spec, ctx), reverse=True)]
        else:
            marked = compress(range(len(marks)), marks.replace(b"\2", b"\0"))
            chosen = sorted(marked, key=columns[2].__getitem__, reverse=True)
        return list(map(positions.oid_reader(), chosen))

    return by_position(store, [tip.oid for tip in tips], ctx, named)


def _marks(positions: Positions, places: list[int], spec: WalkSpec, ctx: Context) -> bytearray:
    return positions.marked(places, ctx.visits(), oldest=spec.max_age or 0, first_only=spec.first_parent)


def _every(spec: WalkSpec) -> bool:
    """Whether every marked commit is chosen."""
    return spec.min_parents <= 0 and spec.max_parents < 0 and not spec.max_age_as_filter and spec.min_age is None


def _count_chosen(positions: Positions, places: list[int], spec: WalkSpec, ctx: Context) -> int:
    marks = _marks(positions, places, spec, ctx)
    return marks.count(1) if _every(spec) else sum(1 for _ in _chosen_rows(positions, marks, spec, ctx))


def _chosen_rows(positions: Positions, marks: bytearray, spec: WalkSpec, ctx: Context) -> Iterator[tuple[int, int]]:
    """(time, position) of the marked commits of the age and the number of parents asked for."""
    fewest, most = spec.min_parents, spec.max_parents
    floor = spec.max_age_as_filter or 0
    top = TIME if spec.min_age is None else spec.min_age
    tick = ctx.visits()
    columns = columns_of(positions, ctx.check)
    if columns is not None and fewest > 1:  # few commits are merges
        seconds, marks = columns[1], bytearray(marks)
        for start in range(0, len(marks), _STRETCH):
            ctx.check()
            stretch = range(start, min(start + _STRETCH, len(marks)))
            for at in [at for at in stretch if seconds[at] == ONE]:
                marks[at] = 0
    for position, (first, second, packed) in positions.rows_of(marks):
        tick()
        if floor <= packed & TIME <= top:
            parents = len(positions.above(position, first, second))
            if parents >= fewest and (most < 0 or parents <= most):
                yield packed & TIME, position


def count_sides(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> tuple[int, int] | None:
    """How many commits only the left and only the right side of A...B reach. None if the spec asks for anything else,
    or where the dates of commits are wrong and no commit-graph has these."""
    ends = [tip for tip in tips if not tip.flags & UNINTERESTING]
    if not _bare(spec) or len(ends) != 2 or [tip.flags & LEFT for tip in ends] != [LEFT, 0]:
        return None
    left, right = ends[0].oid, ends[1].oid
    both = sides(store, left, [right], ctx=ctx) or painted_sides(store, left, right, ctx=ctx)
    excluded = {tip.oid for tip in tips if tip.flags & UNINTERESTING}
    if both is None or not excluded <= set(both[0]):
        return None  # or other commits than the common ones are excluded
    return both[1:]
