"""The first commits of a history simplified with `--simplify-merges`, where no more of them are wanted.

The commit that replaces a commit in simplified history depends on what it reaches, but only down to the next commits
that are kept: a commit with a single parent that changes something is kept whatever lies below. Taken from the tips in
topological order, the first kept commits depend only on the history between them and the next kept ones, not on all of
history.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...annotations import TYPE_CHECKING
from ...graph.columns import ONE
from ...graph.nodes import Node, Numbers
from ..filters import make_test
from ..spec import ADDED, LOADED, SHOWN_ONLY, SIMPLIFIED, TREESAME, Tip, WalkSpec, honours
from .numbered import Orderly

if TYPE_CHECKING:
    from ..walk import Walk

_fits = honours(
    *(name for name in SHOWN_ONLY if name != "left_right"), "skip", "max_count", "order", "limited", "reverse",
    "rewrite_parents", "track_linear", "prune", "paths", "decorated", "simplify_history", "simplify_merges", "graph",
)  # fmt: skip


def is_head(tips: Sequence[Tip], spec: WalkSpec) -> bool:
    """Whether only some commits at the head of simplified history are needed, and nothing is excluded."""
    simplified = spec.prune and spec.simplify_merges and not spec.simplify_history and bool(spec.order)
    fits = _fits.others(spec) == _fits.usual and spec.max_count > 0
    return simplified and fits and not any(tip.flags for tip in tips)


def head(walk: Walk, tips: Sequence[Tip]) -> list[Node] | None:
    """The commits of the head, in order, their parents rewritten. None if there are no columns to read, or if a quarter
    of all history did not suffice (that work is lost then)."""
    if not isinstance(walk.numbers, Numbers) or not walk.widen():
        return None
    first, wanted, walk.limited = walk.start(tips), walk.spec.skip + walk.spec.max_count, True
    positions, shown, kept = walk.numbers.positions, make_test(walk), list[Node]()
    few, parents = _Few(walk, positions.count >> 2), walk.parents
    for node, _ in Orderly(positions, walk.ctx).run(dict.fromkeys(first, 0), walk.spec.order, walk.store):
        if not few.decide(node):
            return None
        if few.simplified[node] != node:
            continue
        if not few.decide(*parents[node]):
            return None
        if len(parents[node]) == 1:
            parents[node] = (few.simplified[parents[node][0]],)
        kept.append(node)
        wanted -= shown(node)
        if not wanted:
            break
    return kept


class _Few:
    """The replacements of commits, as far as they are needed; at most `left` more commits may be looked at."""

    __slots__ = ("left", "simplified", "simplifier", "walk")

    def __init__(self, walk: Walk, left: int) -> None:
        assert walk.simplifier is not None
        self.walk, self.simplifier, self.left = walk, walk.simplifier, left
        self.simplified = walk.column()

    def decide(self, *nodes: Node) -> bool:
        """Find the replacements of these commits; return whether `left` was enough for that."""
        simplified, simplifier, tick = self.simplified, self.simplifier, self.walk.ctx.tick
        flags, second_of, asked = self.walk.flags, self.walk.parents.second, simplifier.asked
        stack = [*nodes]
        while stack:
            tick()
            node = stack.pop()
            have = flags[node]
            if have & SIMPLIFIED:
                continue
            if not have & ADDED:
                self.left -= 1
                if self.left < 0:
                    return False
                flags[node] = have | ADDED | LOADED
                simplifier.simplify(node)
                have = flags[node]
            if second_of[node] == ONE and have & asked != TREESAME:
                simplified[node] = node
                flags[node] = have | SIMPLIFIED
                continue
            waiting: list[Node] = []  # parents, followed by the commit itself
            simplifier.simplify_one(node, simplified, waiting)
            stack += waiting[::-1]
        return True
