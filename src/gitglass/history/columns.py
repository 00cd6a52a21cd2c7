"""The state of a walk's commits in columns: flags, commit times, and rewritten parents.

A column is indexed by the name of the commit in the walk (a node). For few commits it is a dictionary in which missing
commits have the value 0. A walk by number that turns out to be long switches to arrays, which are filled from the
commit-graph's table in one step; or, without a commit-graph, chunk by chunk as the walk comes to the commits.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable

from ..annotations import Any
from ..graph.columns import ONE, OTHER, columns_of
from ..graph.nodes import Node, Numbers, PackNumbers
from ..limits import Context, need
from ..objects.commit_graph import UNREAD
from .spec import LOADED

_GROWING_BYTES = 10  # of one commit in the columns of a walk
FEW = 256  # beyond this many commits, and a sixteenth of the graph, the columns of all commits become arrays

Column = Any  # indexed by commit: a Sparse, or an array of numbers


class Sparse(defaultdict[Node, Any]):
    """A column of few commits; the value of a missing commit is 0."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(int)


class _Few(dict[Node, tuple[Node, ...]]):
    """The parents of few commits; those of a missing one are not known."""

    __slots__ = ()

    def __missing__(self, node: Node) -> tuple[Node, ...]:
        return ()


class Parents:
    """The parents of commits by commit: `()` if they are not known (LOADED is not set in the walk's flags).

    Loops read the columns directly: if `second` is ONE, `first` is the only parent; in all other cases they call
    `above`. As long as there are few commits, or commits without numbers, both columns are the tuples of all parents,
    so that `second` is never ONE.
    """

    __slots__ = ("_many", "above", "count", "first", "second")

    def __init__(self) -> None:
        self._many: dict[Node, tuple[Node, ...]] = _Few()
        self.first: Column = self._many
        self.second: Column = self._many
        self.count = 0  # a number below it in `second` is a commit
        self.above: Callable[[Node], tuple[Node, ...]] = self._many.__getitem__

    def __getitem__(self, node: Node) -> tuple[Node, ...]:
        return self.above(node)

    def __setitem__(self, node: Node, parents: tuple[Node, ...]) -> None:
        if not self.count:
            self._many[node] = parents
        elif len(parents) == 1:
            self.first[node] = parents[0]
            self.second[node] = ONE
        else:
            self.second[node] = OTHER
            self._many[node] = parents

    def widen(
        self, first: Column, second: Column, flags: Column, facts: Callable[[Node], tuple[Any, ...]], count: int
    ) -> None:
        """Switch to columns of all commits, whose numbers are below `count`; the values so far are kept."""
        few, many = self._many, dict[Node, tuple[Node, ...]]()

        def above(node: Node) -> tuple[Node, ...]:  # no method, which would keep the columns until a collection
            other = second[node]
            if not flags[node] & LOADED:
                return ()
            if other == ONE:
                return (first[node],)
            if other < count:
                return first[node], other
            parents = many.get(node)
            if parents is None:  # none or more than two, and never rewritten; or the row is broken
                parents = many[node] = facts(node)[0]
            return parents

        self.first, self.second, self._many, self.count, self.above = first, second, many, count, above
        for node, parents in few.items():
            self[node] = parents


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
    parents.widen(first, second, all_flags, numbers.facts, len(first))
    return all_flags, all_times


def growing(
    flags: Column, parents: Parents, numbers: PackNumbers
) -> tuple[array[int], array[int], Callable[[Node], None]]:
    """The same without a commit-graph, and the function that has to be asked for each commit before its parents and its
    time are: it reads them."""
    numbering = numbers.numbering
    need(_GROWING_BYTES * numbering.capacity)
    all_flags = array("H", bytes(2 * numbering.capacity))
    for node, flag in flags.items():
        all_flags[node] = flag
    first, second = array("I", bytes(4 * numbering.capacity)), array("I", [UNREAD]) * numbering.capacity
    rows = len(numbering.first)
    first[:rows], second[:rows] = numbering.first, numbering.second
    read = numbering.reader(first, second)
    for node, flag in flags.items():
        if flag & LOADED:
            read(node)  # before the parents of the walk so far, which may be rewritten, take its place
    parents.widen(first, second, all_flags, numbers.facts, numbering.capacity)
    return all_flags, numbering.times, read
