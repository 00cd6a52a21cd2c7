"""History simplification: which commits and parents matter when a walk is limited to paths (git-rev-list(1)).

A commit is TREESAME when it equals its parents in the paths of the walk. By default, of a merge that equals one parent
only that parent is followed, and the side branch is never walked. With --full-history all parents are walked, and
whether a merge is TREESAME depends on which of its parents are *relevant*, which may be known only later; so the
comparison with each parent is remembered (`sameness`). When parents are shown, they are rewritten to the next commit
that is not TREESAME.
"""

from __future__ import annotations

from collections.abc import Callable

from ..annotations import TYPE_CHECKING, Any
from ..graph.columns import ONE
from ..graph.merge_base import independent
from ..graph.nodes import Node, Nodes, Numbers
from .spec import ADDED, LOADED, PULL_MERGE, SIMPLIFIED, TREESAME, UNINTERESTING
from .tree_compare import NEW, SAME, make_comparer, sameness

if TYPE_CHECKING:
    from .columns import Column
    from .state import WalkState


class _Rewritten(Nodes):
    """The history as simplified so far. It is much shorter than the full one, and reachability between its commits is
    the same in both."""

    __slots__ = ()

    def __init__(self, walk: WalkState) -> None:
        super().__init__(walk.store)
        parents, times, facts = walk.parents, walk.times, walk.facts

        def rewritten(node: Node) -> tuple[Any, ...]:
            return (parents[node], times[node]) if walk.flags[node] & LOADED else facts(node)

        self.facts = rewritten


class Simplifier:
    """TREESAME marks and parent rewriting of one walk."""

    __slots__ = (
        "_maybe", "_same", "_tree_of", "asked", "compare", "decorated", "empty", "line_mark", "remember", "sameness",
        "walk",
    )  # fmt: skip

    def __init__(self, walk: WalkState) -> None:
        self.walk = walk
        self.sameness: dict[Node, list[bool]] = {}
        self.remember = walk.spec.simplify_merges or walk.spec.remembers_sameness()
        comparer = make_comparer(walk.store, walk.spec, walk.ctx)
        if walk.numbers is not None:
            comparer.by_number(walk.numbers.number)
        self.compare = comparer.compare
        # the commits that are kept, if that depends on nothing else and no parent is dropped early
        self.decorated = comparer.decorated if comparer.by_decoration and not walk.spec.simplify_history else None
        #: an unchanged commit has TREESAME as its only flag of these
        self.asked = TREESAME | UNINTERESTING | (PULL_MERGE if walk.spec.show_pulls else 0)
        #: the flags that a commit with one parent gets when it is met, unless it is decorated
        self.line_mark = TREESAME if self.decorated is not None and walk.spec.dense else 0
        self.empty = comparer.same_as_empty
        self._tree_of = walk.tree if walk.numbers is None else walk.numbers.tree_reader()
        self._maybe = comparer.maybe
        # only --remove-empty distinguishes paths that appear or vanish
        plain = comparer.decorated is None and not walk.spec.remove_empty
        self._same = sameness(comparer) if plain else None

    # ---------------------------------------------------------------- one commit
    def simplify(self, node: Node) -> None:
        """Compare a commit with its parents; mark it TREESAME, and drop the parents that need not be walked."""
        walk = self.walk
        spec, flags = walk.spec, walk.flags
        parents = walk.parents[node]
        if not parents:
            if self.empty(walk.tree(node)):
                flags[node] |= TREESAME
            return
        if len(parents) == 1:
            if spec.dense:
                self._simplify_line(node, parents[0])
            return
        if self.decorated is not None and node not in self.decorated:
            if self.remember and not spec.first_parent and not flags[node] & UNINTERESTING:
                self.sameness[node] = [True] * len(parents)
            flags[node] |= TREESAME
            return
        relevant_parents = 0
        relevant_change = irrelevant_change = False
        remembered: list[bool] | None = None
        for nth, parent in enumerate(parents):
            relevant = walk.relevant(parent)
            relevant_parents += relevant
            if nth == 1:
                if spec.first_parent:
                    break
                if self.remember and not flags[node] & UNINTERESTING:
                    remembered = [False] * len(parents)
                    remembered[0] = not (relevant_change or irrelevant_change)
                    self.sameness[node] = remembered
            walk.load(parent)
            result = self.compare(parent, node, nth, self._tree_of)
            if result == SAME:
                if not spec.simplify_history or not relevant:
                    if remembered:
                        remembered[nth] = True
                    continue
                walk.parents[node] = (parent,)
                if not spec.show_pulls or not nth:
                    flags[node] |= TREESAME
                return
            if result == NEW and spec.remove_empty and self.empty(walk.tree(parent)):
                walk.parents[parent] = ()
            if relevant:
                relevant_change = True
            else:
                irrelevant_change = True
            if not nth:
                flags[node] |= PULL_MERGE
        if not relevant_change if relevant_parents else not irrelevant_change:
            flags[node] |= TREESAME

    def _simplify_line(self, node: Node, parent: Node) -> None:
        """`simplify` for a commit with one parent, relevant or not."""
        walk = self.walk
        if self.decorated is not None:
            same = node not in self.decorated
        elif self._same is not None:
            tree_of = self._tree_of
            old, new = tree_of(parent), tree_of(node)
            same = old == new or (self._maybe is not None and not self._maybe(node)) or self._same(old, new)
        else:
            walk.load(parent)
            result = self.compare(parent, node, 0, self._tree_of)
            same = result == SAME
            if result == NEW and walk.spec.remove_empty and self.empty(walk.tree(parent)):
                walk.parents[parent] = ()
        walk.flags[node] |= TREESAME if same else PULL_MERGE

    def mark_decorated(self) -> None:
        """Clear the mark of an unchanged line from its decorated commits."""
        flags = self.walk.flags
        for node in self.decorated or ():
            if node is not None and flags[node] & TREESAME and len(self.walk.parents[node]) == 1:
                flags[node] = flags[node] & ~TREESAME | PULL_MERGE

    def update(self, node: Node) -> bool:
        """Recompute TREESAME after some parents have become irrelevant."""
        walk = self.walk
        flags, parents = walk.flags, walk.parents[node]
        same = self.sameness.get(node)
        if len(parents) > 1 and same is not None:
            changes = [not equal for parent, equal in zip(parents, same, strict=False) if walk.relevant(parent)]
            if any(changes) if changes else not all(same):
                flags[node] &= ~TREESAME
            else:
                flags[node] |= TREESAME
        return bool(flags[node] & TREESAME)

    # ---------------------------------------------------------------- rewriting parents
    def rewrite_parents(self, node: Node) -> None:
        """Replace each parent by the first commit behind it that is not TREESAME; drop parents behind which there is
        none."""
        walk = self.walk
        rewritten = []
        for parent in walk.parents[node]:
            target = self._rewrite_one(parent, look=not walk.limited)
            if target is not None:
                rewritten.append(target)
        if len(rewritten) != len(walk.parents[node]):
            self.sameness.pop(node, None) if len(rewritten) < 2 else None
        walk.parents[node] = tuple(rewritten)
        self.drop_duplicates(node)

    def _rewrite_one(self, node: Node, *, look: bool) -> Node | None:
        walk = self.walk
        flags, tick = walk.flags, walk.ctx.tick
        while True:
            tick()
            have = flags[node]
            if look and have & LOADED:
                walk.expand(node)
                have = flags[node]
            elif look:  # strange but git's: second parents that a walk of first ones did not read are never read now
                flags[node] = have = have | ADDED
            if have & UNINTERESTING or not have & TREESAME:
                return node
            parents = walk.parents[node]
            if not parents:
                return None
            target = self.one_relevant(parents)
            if target is None:
                return node
            node = target

    def one_relevant(self, parents: tuple[Node, ...]) -> Node | None:
        """The only relevant parent; None if there are several, or several parents and none of them is relevant."""
        if not parents:
            return None
        if self.walk.spec.first_parent or len(parents) == 1:
            return parents[0]
        relevant = [parent for parent in parents if self.walk.relevant(parent)]
        return relevant[0] if len(relevant) == 1 else None

    def drop_duplicates(self, node: Node) -> int:
        """Keep the first of equal parents; return how many are left."""
        parents = self.walk.parents[node]
        if len(set(parents)) == len(parents):
            return len(parents)
        seen: set[Node] = set()
        keep = []
        for nth, parent in enumerate(parents):
            if parent not in seen:
                seen.add(parent)
                keep.append(nth)
        self._keep(node, keep)
        return len(keep)

    def _keep(self, node: Node, keep: list[int]) -> None:
        """Keep only these parents, and the comparisons remembered for them."""
        walk = self.walk
        parents = walk.parents[node]
        walk.parents[node] = tuple(parents[nth] for nth in keep)
        same = self.sameness.get(node)
        if same is None or len(same) != len(parents):
            return
        if not keep:
            del self.sameness[node]
            self._set(node, self.empty(walk.tree(node)))
        elif len(keep) == 1:
            del self.sameness[node]
            self._set(node, same[keep[0]] and walk.spec.dense)
        else:
            self.sameness[node] = [same[nth] for nth in keep]

    def _set(self, node: Node, same: bool) -> None:
        flags = self.walk.flags
        flags[node] = flags[node] | TREESAME if same else flags[node] & ~TREESAME

    # ---------------------------------------------------------------- --simplify-merges
    def simplify_merges(self, commits: list[Node]) -> list[Node]:
        """Remove merges whose parents, once simplified, turn out to be one line of history."""
        simplified, tick, flags = self.walk.column(), self.walk.ctx.tick, self.walk.flags
        parents_of, asked = self.walk.parents, self.asked
        first_of, second_of, above_of = parents_of.first, parents_of.second, parents_of.above
        todo = commits[::-1]
        while todo:
            again: list[Node] = []
            for node in todo:
                tick()
                have = flags[node]
                above = (first_of[node],) if second_of[node] == ONE else above_of(node)
                line = len(above) == 1 and have & (SIMPLIFIED | UNINTERESTING | LOADED) == LOADED
                if line and flags[above[0]] & SIMPLIFIED:  # the usual case: a commit of a line
                    parents_of[node] = (target := simplified[above[0]],)
                    simplified[node] = target if have & asked == TREESAME else node
                    flags[node] = have | SIMPLIFIED
                    continue
                if not have & SIMPLIFIED:
                    self.simplify_one(node, simplified, again)
            todo = again
        return [node for node in commits if simplified[node] == node]

    def simplify_one(self, node: Node, simplified: Column, again: list[Node]) -> None:
        """Find the replacement of a commit (SIMPLIFIED); if that of a parent is not known yet, put the parents in
        `again` to be handled first."""
        walk = self.walk
        flags, first_only, parents = walk.flags, walk.spec.first_parent, walk.parents[node]
        if flags[node] & UNINTERESTING or not parents:
            simplified[node] = node
            flags[node] |= SIMPLIFIED
            return
        matter = parents[:1] if first_only else parents
        waiting = [parent for parent in matter if not flags[parent] & SIMPLIFIED]
        if waiting:
            again += waiting
            again.append(node)
            return
        walk.parents[node] = tuple(simplified[parent] for parent in matter) + parents[len(matter) :]
        count = 1 if first_only else self.drop_duplicates(node)
        if count > 1:
            count = self._drop_redundant(node)
        target = None
        if count and flags[node] & self.asked == TREESAME:
            target = self.one_relevant(walk.parents[node])
        simplified[node] = node if target is None else simplified[target] if flags[target] & SIMPLIFIED else target
        flags[node] |= SIMPLIFIED

    def _redundant(self, parents: tuple[Node, ...]) -> set[Node]:
        """The parents that another parent reaches."""
        walk = self.walk
        if not isinstance(walk.numbers, Numbers):
            return set(parents).difference(independent(walk.store, parents, ctx=walk.ctx, nodes=_Rewritten(walk)))
        level = walk.numbers.positions.level
        ordered = sorted(set(parents), key=level)
        return {low for nth, low in enumerate(ordered) if self._is_reached(low, ordered[nth + 1 :], level)}

    def _is_reached(self, wanted: Node, tips: list[Node], level: Callable[[Node], int]) -> bool:
        """Whether one of the tips reaches a commit in the history simplified so far; a tip of no higher level does
        not."""
        walk, tick = self.walk, self.walk.ctx.tick
        floor = level(wanted)
        stack = [tip for tip in tips if level(tip) > floor]
        seen = set(stack)
        while stack:
            tick()
            node = stack.pop()
            for parent in walk.parents[node] if walk.flags[node] & LOADED else walk.facts(node)[0]:
                if parent == wanted:
                    return True
                if parent not in seen and level(parent) > floor:
                    seen.add(parent)
                    stack.append(parent)
        return False

    def _drop_redundant(self, node: Node) -> int:
        """Drop parents that another parent reaches, and roots without the paths, but keep one that the commit
        equals."""
        walk = self.walk
        parents = walk.parents[node]
        marked = self._redundant(parents)
        marked.update(parent for parent in parents if not walk.parents[parent] and walk.treesame(parent))
        if not marked:
            return len(parents)
        same = self.sameness.get(node, [False] * len(parents))
        equal = [parent for parent, is_same in zip(parents, same, strict=False) if is_same]
        if equal and all(parent in marked for parent in equal):
            marked.discard(equal[0])
            if not marked:
                return len(parents)
        keep = [nth for nth, parent in enumerate(parents) if parent not in marked]
        self._keep(node, keep)
        if not walk.flags[node] & TREESAME:
            self.update(node)
        return len(keep)
