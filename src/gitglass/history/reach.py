"""Which commits some tips reach, and how many; by position where a commit-graph knows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..graph.merge_base import sides
from ..graph.positions import TIME, Positions, by_position
from ..limits import Context
from ..repo.store import Store
from .spec import LEFT, SHOWN_ONLY, SIMPLIFYING, UNINTERESTING, Tip, WalkSpec, honours

_chosen = honours(
    *SHOWN_ONLY, *SIMPLIFYING, "min_parents", "max_parents", "min_age", "max_age", "max_age_as_filter", "first_parent"
)
_sides = honours(*SHOWN_ONLY, *SIMPLIFYING)


def reachable(store: Store, tips: Iterable[bytes], *, ctx: Context) -> set[bytes]:
    """Every commit that `tips` reach, themselves included."""
    parents_of, tick = store.odb.parents_reader(), ctx.tick
    seen = set(tips)
    stack = list(seen)
    while stack:
        tick()
        for parent in parents_of(stack.pop()):
            if parent not in seen:
                seen.add(parent)
                stack.append(parent)
    return seen


def count_reachable(store: Store, tips: Iterable[bytes], *, ctx: Context) -> int:
    """How many commits `tips` reach, themselves included."""
    tips = list(tips)
    count = by_position(store, tips, ctx, lambda positions, places: positions.reached(places))
    return len(reachable(store, tips, ctx=ctx)) if count is None else count


def count_chosen(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> int | None:
    """How many of the commits that the tips reach have the age and the number of parents asked for; None where
    something else is asked, or no commit-graph knows the tips."""
    if not _chosen(spec) or any(tip.flags for tip in tips):
        return None
    return by_position(
        store, [tip.oid for tip in tips], ctx, lambda positions, places: _count_chosen(positions, places, spec, ctx)
    )


def _count_chosen(positions: Positions, places: list[int], spec: WalkSpec, ctx: Context) -> int:
    marks = positions.marked(places, ctx.visits(), oldest=spec.max_age or 0, first_only=spec.first_parent)
    fewest, most = spec.min_parents, spec.max_parents
    floor = spec.max_age_as_filter or 0
    top = TIME if spec.min_age is None else spec.min_age
    if fewest <= 0 and most < 0 and not floor and top == TIME:
        return marks.count(1)
    chosen = 0
    for position, (first, second, packed) in positions.rows_of(marks):
        ctx.tick()
        if floor <= packed & TIME <= top:
            parents = len(positions.above(position, first, second))
            chosen += parents >= fewest and (most < 0 or parents <= most)
    return chosen


def count_sides(store: Store, tips: Sequence[Tip], spec: WalkSpec, *, ctx: Context) -> tuple[int, int] | None:
    """How many commits only the left and only the right side of A...B reach; None where something else is asked, or
    no commit-graph knows them."""
    ends = [tip for tip in tips if not tip.flags & UNINTERESTING]
    if not _sides(spec) or len(ends) != 2 or [tip.flags & LEFT for tip in ends] != [LEFT, 0]:
        return None
    both = sides(store, ends[0].oid, [ends[1].oid], ctx=ctx)
    excluded = {tip.oid for tip in tips if tip.flags & UNINTERESTING}
    if both is None or not excluded <= set(both[0]):
        return None  # or more is excluded than what both reach
    return both[1:]
