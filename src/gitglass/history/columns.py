"""The state of a walk's commits in columns: flags, commit times, and rewritten parents.

A column is indexed by the name of the commit in the walk (a node). For few commits it is a dictionary in which missing
commits have the value 0. A walk by number that turns out to be long switches to arrays, which are filled from the
commit-graph's table in one step.
"""

from __future__ import annotations

from array import array
from collections import defaultdict

from ..annotations import Any
from ..graph.columns import ONE, OTHER, columns_of
from ..graph.nodes import Node, Numbers
from ..limits import Context
from .spec import LOADED

FEW = 256  # beyond this many commits, and a sixteenth of the graph, the columns of all commits become arrays

Column = Any  # indexed by commit: a Sparse, or an array of numbers


class Sparse(defaultdict[Node, Any]):
    """A column of few commits; the value of a missing commit is 0."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(int)


class Parents:
    """The parents of commits by commit: `()` if they are not known (LOADED is not set in the walk's flags).

    Loops read the columns directly: if `second` is ONE, `first` is the only parent; in all other cases they call this
    object.
    """

    __slots__ = ("_facts", "_many", "count", "first", "flags", "second")

    def __init__(self, flags: Column) -> None:
        self.flags = flags
        self.first: Column = Sparse()
        self.second: Column = Sparse()
        self.count = 0  # a number below it in `second` is a commit
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
        """Switch to columns of all commits; the values so far are kept."""
        for node, parent in self.second.items():
            if parent:  # otherwise its parents were only asked for
                second[node] = parent
            if parent == ONE:
                first[node] = self.first[node]
        self.first, self.second, self.flags = first, second, flags
        self.count, self._facts = len(first), numbers.facts


def widened(
    flags: Column, parents: Parents, times: Column, numbers: Numbers, ctx: Context
) -> tuple[array[int], array[int]] | None:
    """Columns of flags and times for all commits of a graph; `parents` switches to such columns, too. None if there is
    not enough memory for them."""
    columns = columns_of(numbers.positions, ctx.check)
    if columns is None:
        return None
    first, second, all_times, _ = columns
    all_flags = array("H", bytes(2 * len(first)))
    for node, flag in flags.items():
        all_flags[node] = flag
    parents.widen(first, second, all_flags, numbers)
    return all_flags, all_times
