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
        return parents, self._date(node, time) << 64 | time

    def _date(self, node: Node, time: int) -> int:
        position = node if self._numbered else self._graph.position(node)
        return INFINITE if position is None else _date(self._graph, self._above, position, time, self.oid, node)


def _date(
    graph: CommitGraph, above: array[int], position: int, time: int, oid_of: Callable[[Node], bytes], node: Node
) -> int:
    if position >= len(above):
        return INFINITE
    more = above[position]
    return time + more if more < _OVERFLOW else graph.corrected_date(oid_of(node)) or INFINITE


def corrected_dates(store: Store, numbers: Numbers) -> Callable[[int, int], int]:
    """The function that gives the corrected date of a commit, given by number, with its commit date. There is a
    commit-graph with corrected dates."""
    graph, oid_of = store.odb.graph, numbers.oid
    assert graph is not None
    above = _above(graph)
    count = graph.count
    if above is None:
        return lambda position, time: time if position < count else INFINITE
    return lambda position, time: _date(graph, above, position, time, oid_of, position)


def corrected(store: Store, nodes: Nodes) -> Nodes | None:
    """The history of `nodes` in that order; None if it is the order of the commit dates. There is a commit-graph with
    corrected dates."""
    graph = store.odb.graph
    assert graph is not None
    above = _above(graph)
    return None if above is None else _Corrected(nodes, graph, above)


def is_true_by_date(store: Store, positions: Sequence[int]) -> bool:
    """Whether a commit-graph says that no ancestor of the commits is younger than its child, or as young."""
    graph = store.odb.graph
    if graph is None or not graph.has_corrected or max(positions, default=0) >= graph.count:
        return False
    return _differences(graph) == b""


def _above(graph: CommitGraph) -> array[int] | None:
    """By position, how much corrected dates are above commit dates; None if none is."""
    differences = _differences(graph)
    if not differences:
        return None
    above = array("I", differences)
    if sys.byteorder == "little":
        above.byteswap()
    return above


def _differences(graph: CommitGraph) -> bytes | None:
    """How much corrected dates are above commit dates, by position; b"" if none is, None if they cannot be read."""
    need(2 * 4 * graph.count)
    differences = graph.differences()
    if len(differences) != 4 * graph.count:
        return None
    return differences if differences.strip(b"\0") else b""
