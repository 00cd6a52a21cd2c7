"""Which commits can be reached: the questions behind `branch --merged` and `tag --contains`.

`--merged` asks of many refs whether one tip reaches them: one sweep answers all. `--contains` asks of many refs
whether they reach one commit: a depth-first search that remembers its answers over all refs, cut off where commits
are so old (by generation number, when a commit-graph knows it) that they cannot reach what is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..limits import Context
from ..store.store import Store
from .nodes import INFINITE, Nodes
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


class Contains:
    """Remembering answers to "does this commit reach one of the wanted ones?"."""

    __slots__ = ("answers", "ctx", "floor", "nodes")

    def __init__(self, store: Store, wanted: Iterable[bytes], ctx: Context) -> None:
        self.nodes, self.ctx = Nodes(store), ctx
        self.answers = dict.fromkeys(wanted, True)
        self.floor = min((self.nodes.generation(oid) for oid in self.answers), default=INFINITE)

    def test(self, oid: bytes) -> bool:
        """Whether the commit reaches one of the wanted commits (or is one)."""
        answers, tick = self.answers, self.ctx.tick
        known = answers.get(oid)
        if known is not None:
            return known
        path = [(oid, iter(self._parents(oid)))]
        while path:
            tick()
            here, parents = path[-1]
            for parent in parents:
                known = answers.get(parent)
                if known:
                    for above, _ in path:
                        answers[above] = True
                    return True
                if known is None:
                    answers[parent] = False  # until shown otherwise; also ends cycles
                    path.append((parent, iter(self._parents(parent))))
                    break
            else:
                answers[here] = False
                path.pop()
        return answers[oid]

    def _parents(self, oid: bytes) -> tuple[bytes, ...]:
        if self.floor != INFINITE and self.nodes.generation(oid) <= self.floor:
            return ()
        return self.nodes.parents(oid)
