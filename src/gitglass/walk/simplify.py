"""History simplification: which commits and parents matter when a walk is limited to paths (git-rev-list(1)).

A commit is TREESAME when, as far as the paths go, it equals its parents. By default a merge that equals one parent
follows only that one, and the side branch is never walked. With --full-history all are walked, and whether a merge is
TREESAME depends on which of its parents are *relevant*, which may turn out late; so the comparison with each parent
is remembered (`sameness`). When parents are shown, they are rewritten to the next commit that is not TREESAME.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .mergebase import independent
from .nodes import Nodes
from .spec import PULL_MERGE, TREESAME, UNINTERESTING
from .treecompare import NEW, SAME, make_comparer

if TYPE_CHECKING:
    from .history import Walk


class _Rewritten(Nodes):
    """The history as it is simplified so far. It is much shorter than the true one, and whether one of its commits
    reaches another is the same in both."""

    __slots__ = ()

    def __init__(self, walk: Walk) -> None:
        super().__init__(walk.store)
        parents, times, facts = walk.parents, walk.times, self.facts

        def rewritten(oid: bytes) -> tuple[tuple[bytes, ...], int, bytes]:
            above = parents.get(oid)
            return facts(oid) if above is None else (above, times[oid], b"")

        self.facts = rewritten


class Simplifier:
    """TREESAME marks and parent rewriting of one walk."""

    __slots__ = ("compare", "empty", "remember", "sameness", "simplified", "walk")

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.sameness: dict[bytes, list[bool]] = {}
        self.remember = walk.spec.simplify_merges or walk.spec.remembers_sameness()
        self.simplified: dict[bytes, bytes] = {}
        comparer = make_comparer(walk.store, walk.spec, walk.ctx)
        self.compare = comparer.compare
        self.empty = comparer.same_as_empty

    # ---------------------------------------------------------------- one commit
    def simplify(self, oid: bytes) -> None:
        """Compare a commit with its parents; mark it TREESAME, and drop the parents that need not be walked."""
        walk = self.walk
        spec, flags = walk.spec, walk.flags
        parents = walk.parents[oid]
        if not parents:
            if self.empty(oid, walk.tree(oid)):
                flags[oid] |= TREESAME
            return
        if not spec.dense and len(parents) == 1:
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
                if self.remember and not flags[oid] & UNINTERESTING:
                    remembered = [False] * len(parents)
                    remembered[0] = not (relevant_change or irrelevant_change)
                    self.sameness[oid] = remembered
            walk.load(parent)
            result = self.compare(parent, walk.tree(parent), oid, walk.tree(oid), nth)
            if result == SAME:
                if not spec.simplify_history or not relevant:
                    if remembered:
                        remembered[nth] = True
                    continue
                walk.parents[oid] = (parent,)
                if not spec.show_pulls or not nth:
                    flags[oid] |= TREESAME
                return
            if result == NEW and spec.remove_empty and self.empty(parent, walk.tree(parent)):
                walk.parents[parent] = ()
            if relevant:
                relevant_change = True
            else:
                irrelevant_change = True
            if not nth:
                flags[oid] |= PULL_MERGE
        if not relevant_change if relevant_parents else not irrelevant_change:
            flags[oid] |= TREESAME

    def update(self, oid: bytes) -> bool:
        """Decide TREESAME anew, after some parents have become irrelevant."""
        walk = self.walk
        flags, parents = walk.flags, walk.parents[oid]
        same = self.sameness.get(oid)
        if len(parents) > 1 and same is not None:
            changes = [not equal for parent, equal in zip(parents, same, strict=False) if walk.relevant(parent)]
            if any(changes) if changes else not all(same):
                flags[oid] &= ~TREESAME
            else:
                flags[oid] |= TREESAME
        return bool(flags[oid] & TREESAME)

    # ---------------------------------------------------------------- rewriting parents
    def rewrite_parents(self, oid: bytes) -> None:
        """Replace each parent by the first commit behind it that is not TREESAME; drop those that lead nowhere.
        Where only first parents are followed, nothing is looked at to rewrite the others."""
        walk = self.walk
        rewritten = []
        for nth, parent in enumerate(walk.parents[oid]):
            target = self._rewrite_one(parent, look=not walk.limited and not (nth and walk.spec.first_parent))
            if target is not None:
                rewritten.append(target)
        if len(rewritten) != len(walk.parents[oid]):
            self.sameness.pop(oid, None) if len(rewritten) < 2 else None
        walk.parents[oid] = tuple(rewritten)
        self.drop_duplicates(oid)

    def _rewrite_one(self, oid: bytes, *, look: bool) -> bytes | None:
        walk = self.walk
        flags, tick = walk.flags, walk.ctx.tick
        while True:
            tick()
            if look:
                walk.load(oid)
                walk.expand(oid)
            have = flags.get(oid, 0)
            if have & UNINTERESTING or not have & TREESAME:
                return oid
            parents = walk.parents.get(oid, ())
            if not parents:
                return None
            target = self.one_relevant(parents)
            if target is None:
                return oid
            oid = target

    def one_relevant(self, parents: tuple[bytes, ...]) -> bytes | None:
        """The only parent that matters, None where several do, or none of several."""
        if not parents:
            return None
        if self.walk.spec.first_parent or len(parents) == 1:
            return parents[0]
        relevant = [parent for parent in parents if self.walk.relevant(parent)]
        return relevant[0] if len(relevant) == 1 else None

    def drop_duplicates(self, oid: bytes) -> int:
        """Keep the first of equal parents; how many are left."""
        parents = self.walk.parents[oid]
        if len(set(parents)) == len(parents):
            return len(parents)
        seen: set[bytes] = set()
        keep = []
        for nth, parent in enumerate(parents):
            if parent not in seen:
                seen.add(parent)
                keep.append(nth)
        self._keep(oid, keep)
        return len(keep)

    def _keep(self, oid: bytes, keep: list[int]) -> None:
        """Keep only these parents, and what is remembered of them."""
        walk = self.walk
        parents = walk.parents[oid]
        walk.parents[oid] = tuple(parents[nth] for nth in keep)
        same = self.sameness.get(oid)
        if same is None or len(same) != len(parents):
            return
        if not keep:
            del self.sameness[oid]
            self._set(oid, self.empty(oid, walk.tree(oid)))
        elif len(keep) == 1:
            del self.sameness[oid]
            self._set(oid, same[keep[0]] and walk.spec.dense)
        else:
            self.sameness[oid] = [same[nth] for nth in keep]

    def _set(self, oid: bytes, same: bool) -> None:
        flags = self.walk.flags
        flags[oid] = flags[oid] | TREESAME if same else flags[oid] & ~TREESAME

    # ---------------------------------------------------------------- --simplify-merges
    def simplify_merges(self, commits: list[bytes]) -> list[bytes]:
        """Remove merges whose parents, once simplified, turn out to be one line of history."""
        simplified, tick = self.simplified, self.walk.ctx.tick
        todo = commits[::-1]
        while todo:
            again: list[bytes] = []
            for oid in todo:
                tick()
                self._simplify_one(oid, again)
            todo = again
        return [oid for oid in commits if simplified.get(oid) == oid]

    def _simplify_one(self, oid: bytes, again: list[bytes]) -> None:
        walk, simplified = self.walk, self.simplified
        if oid in simplified:
            return
        first_only = walk.spec.first_parent
        parents = walk.parents.get(oid, ())
        if walk.flags.get(oid, 0) & UNINTERESTING or not parents:
            simplified[oid] = oid
            return
        matter = parents[:1] if first_only else parents
        waiting = [parent for parent in matter if parent not in simplified]
        if waiting:
            again += waiting
            again.append(oid)
            return
        walk.parents[oid] = tuple(simplified[parent] for parent in matter) + parents[len(matter) :]
        count = 1 if first_only else self.drop_duplicates(oid)
        if count > 1:
            count = self._drop_redundant(oid)
        flags = walk.flags[oid]
        target = None
        if count and flags & TREESAME and not (walk.spec.show_pulls and flags & PULL_MERGE):
            target = self.one_relevant(walk.parents[oid])
        simplified[oid] = oid if target is None else simplified.get(target, target)

    def _drop_redundant(self, oid: bytes) -> int:
        """Drop parents another parent reaches, and roots without the paths, but keep one that the commit equals."""
        walk = self.walk
        parents = walk.parents[oid]
        best = set(independent(walk.store, parents, ctx=walk.ctx, nodes=_Rewritten(walk)))
        marked = {parent for parent in parents if parent not in best}
        marked.update(parent for parent in parents if not walk.parents.get(parent) and walk.treesame(parent))
        if not marked:
            return len(parents)
        same = self.sameness.get(oid, [False] * len(parents))
        equal = [parent for parent, is_same in zip(parents, same, strict=False) if is_same]
        if equal and all(parent in marked for parent in equal):
            marked.discard(equal[0])
            if not marked:
                return len(parents)
        keep = [nth for nth, parent in enumerate(parents) if parent not in marked]
        self._keep(oid, keep)
        if not walk.flags[oid] & TREESAME:
            self.update(oid)
        return len(keep)
