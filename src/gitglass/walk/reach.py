"""Which commits some tips reach, and how many; by position where a commit-graph knows them."""

from __future__ import annotations

from collections.abc import Iterable

from ..limits import Context
from ..store.store import Store
from .positions import by_position


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
    found = by_position(store, tips, ctx, lambda positions, places: positions.reached(places))
    return len(reachable(store, tips, ctx=ctx)) if found is None else found
