"""The state of a walk's commits, as columns: flags, commit times, and parents as they are rewritten.

A column is indexed by the commit, as the walk calls it. Of few commits it is a dictionary in which the others are 0. A
walk by number that turns out to be long goes on with arrays, made from the commit-graph's table at one go.
"""

from __future__ import annotations

from array import array
from collections import defaultdict

from ..annotations import Any
from ..graph.columns import ONE, OTHER, columns_of
from ..graph.nodes import Node, Numbers
from ..limits import Context
from .spec import LOADED

FEW = 256  # so many commits, and a sixteenth of the graph, are walked before all commits get arrays

Column = Any  # by commit: a Sparse, or an array of numbers


class Sparse(defaultdict[Node, Any]):
    """A column of few commits: 0 for those that are not in it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(int)


class Parents:
    """The parents of commits by commit: `()` where they are not known (no LOADED in the walk's flags).

    Loops look into the columns themselves: where `second` is ONE, `first` is the only parent, and in all other cases
    they ask here.
    """

    __slots__ = ("_facts", "_many", "count", "first", "flags", "second")

    def __init__(self, flags: Column) -> None:
        self.flags = flags
        self.first: Column = Sparse()
        self.second: Column = Sparse()
        self.count = 0  # below it, a number in `second` is a commit
        self._many: dict[Node, tuple[Node, ...]] = {}
        self._facts: Any = None

    def __getitem__(self, node: Node) -> tuple[Node, ...]:
        second = self.second[node]
        if not self.flags[node] & LOADED:
            return ()
        if second == ONE:
            return (self.first[node],)
        if second < self.count:
            return self.first[node], second
        parents = self._many.get(node)
        if parents is None:  # none or more than two, and never rewritten; or the row is broken
            parents = self._many[node] = self._facts(node)[0]
        return parents

    def __setitem__(self, node: Node, parents: tuple[Node, ...]) -> None:
        if len(parents) == 1:
            self.first[node] = parents[0]
            self.second[node] = ONE
        else:
            self.second[node] = OTHER
            self._many[node] = parents

    def widen(self, first: Column, second: Column, flags: Column, numbers: Numbers) -> None:
        """Go on with the columns of all commits; what was known stays as it is."""
        for node, parent in self.second.items():
            if parent:  # it may have been asked for only
                second[node] = parent
            if parent == ONE:
                first[node] = self.first[node]
        self.first, self.second, self.flags = first, second, flags
        self.count, self._facts = len(first), numbers.facts


def widened(
    flags: Column, parents: Parents, times: Column, numbers: Numbers, ctx: Context
) -> tuple[array[int], array[int]] | None:
    """Columns of flags and times for all commits of a graph, which `parents` has then, too; None where there is no
    room for them."""
    columns = columns_of(numbers.positions, ctx.check)
    if columns is None:
        return None
    first, second, all_times, _ = columns
    all_flags = array("H", bytes(2 * len(first)))
    for node, flag in flags.items():
        all_flags[node] = flag
    parents.widen(first, second, all_flags, numbers)
    return all_flags, all_times
