"""The order in which git searches for common ancestors where a commit-graph has corrected commit dates.

A corrected commit date is above those of all ancestors (gitformat-commit-graph(5), "Generation Data"): it is the commit
date, but for commits that are not younger than an ancestor. With such dates git's search takes the highest one first,
and the commit date only decides among equal ones. The ancestors that it finds are the same; which other commits it
reads on the way is not.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence

from ..annotations import TYPE_CHECKING
from ..limits import need
from ..repo.store import Store
from .nodes import INFINITE, Node, Nodes, Numbers

if TYPE_CHECKING:
    from ..objects.commit_graph import CommitGraph

_OVERFLOW = 0x80000000  # a difference that is in another table


class _Corrected(Nodes):
    """The facts of commits, with both dates in one number in place of the commit date."""

    __slots__ = ("_above", "_graph", "_nodes", "_numbered")

    def __init__(self, nodes: Nodes, graph: CommitGraph, above: array[int]) -> None:
        """`above`: by position, how much the corrected date is above the commit date."""
        self._nodes, self._graph, self._above, self._numbered = nodes, graph, above, isinstance(nodes, Numbers)
        self.oid, self.number, self.facts = nodes.oid, nodes.number, self._facts

    def _facts(self, node: Node) -> tuple[tuple[Node, ...], int]:
        parents, time = self._nodes.facts(node)[:2]
        return parents, self.date(node, time) << 64 | time

    def date(self, node: Node, time: int) -> int:
        """The corrected date of a commit, given with its commit date; INFINITE if it is in no commit-graph."""
        position = node if self._numbered else self._graph.position(node)
        if position is None or position >= len(self._above):
            return INFINITE
        above = self._above[position]
        return time + above if above < _OVERFLOW else self._graph.corrected_date(self.oid(node)) or INFINITE


def corrected_dates(store: Store, numbers: Numbers) -> Callable[[int, int], int]:
    """`date` of commits by number. There is a commit-graph with corrected dates."""
    nodes, graph = corrected(store, numbers), store.odb.graph
    assert graph is not None
    count = graph.count
    return (lambda position, time: time if position < count else INFINITE) if nodes is None else nodes.date


def corrected(store: Store, nodes: Nodes) -> _Corrected | None:
    """The history of `nodes` in that order; None if it is the order of the commit dates. There is a commit-graph with
    corrected dates."""
    graph = store.odb.graph
    assert graph is not None
    differences = _differences(graph)
    if not differences:
        return None
    above = array("I", differences)
    if sys.byteorder == "little":
        above.byteswap()
    return _Corrected(nodes, graph, above)


def is_true_by_date(store: Store, positions: Sequence[int]) -> bool:
    """Whether a commit-graph says that no ancestor of the commits is younger than its child, or as young."""
    graph = store.odb.graph
    if graph is None or not graph.has_corrected or max(positions, default=0) >= graph.count:
        return False
    return _differences(graph) == b""


def _differences(graph: CommitGraph) -> bytes | None:
    """How much corrected dates are above commit dates, by position; b"" if none is, None if they cannot be read."""
    need(2 * 4 * graph.count)
    differences = graph.differences()
    if len(differences) != 4 * graph.count:
        return None
    return differences if differences.strip(b"\0") else b""
