"""What git says where a walk comes to a commit that is missing."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from ..errors import MissingObject
from ..limits import Context
from ..repo.store import Store
from .spec import UNINTERESTING, Tip, WalkSpec


def as_git_ends(error: MissingObject, store: Store, tips: Sequence[Tip], spec: WalkSpec, ctx: Context) -> MissingObject:
    """The error with which git ends such a walk: it names the missing commit, and the one that has it as a parent."""
    name = str(error.data.get("oid", ""))
    child = _child_of(bytes.fromhex(name), store, tips, ctx)
    if child is None:  # what is missing is no commit of the history
        return error
    ctx.say(f"error: Could not read {name}\n".encode())
    if spec.prune:
        words = f"cannot simplify commit {child.hex()} (because of {name})"
    elif spec.limited or spec.order or any(tip.flags & UNINTERESTING for tip in tips):
        words = "revision walk setup failed"
    else:
        words = f"Failed to traverse parents of commit {child.hex()}"
    return MissingObject(words, hint=error.hint, oid=name)


def _child_of(missing: bytes, store: Store, tips: Sequence[Tip], ctx: Context) -> bytes | None:
    """The first commit, newest first, with this parent."""
    facts, tick = store.odb.facts_reader(), ctx.visits()
    try:
        seen = {tip.oid for tip in tips if not tip.flags & UNINTERESTING}
        queue = [(-time, oid, parents) for oid in seen for parents, time in [facts(oid)[:2]]]
        heapify(queue)
        while queue:
            tick()
            _, oid, parents = heappop(queue)
            for parent in parents:
                if parent == missing:
                    return oid
                if parent not in seen:
                    seen.add(parent)
                    above, time = facts(parent)[:2]
                    heappush(queue, (-time, parent, above))
    except MissingObject:
        pass  # another one
    return None
