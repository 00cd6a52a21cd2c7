"""Reachability by position in a commit-graph, on random histories, against sets of ancestors."""

import struct
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Corrupt
from gitglass.graph.positions import MORE, NONE, Positions, positions_in, tip_kind
from gitglass.limits import Context


class Graph:
    """As much of a commit-graph and a store as positions need: commits by number, parents before children.

    `known`: how many of them are in the graph. `hasty`: whether its table has been read before anything is asked.
    """

    hash_len = 20

    def __init__(self, parents: list[list[int]], known: int | None = None, hasty: bool = True) -> None:
        self.parents, self.hasty = parents, hasty
        self.count = len(parents) if known is None else known
        self.odb = self
        self.graph = self
        levels: list[int] = []
        rows = []
        for above in parents[: self.count]:
            levels.append(1 + max((levels[parent] for parent in above), default=0))
            first, second = ([*above, NONE, NONE])[:2]
            if len(above) > 2:
                second = MORE | len(rows)
            rows.append(bytes(20) + struct.pack(">IIQ", first, second, levels[-1] << 34))
        self.rows = b"".join(rows)

    @property
    def rows_read(self) -> bytes:
        return self.rows if self.hasty else b""

    def expect(self, count: int) -> None:
        """Many are reason enough to read the table."""
        self.hasty = self.hasty or count > 2

    def row(self, position: int) -> Any:
        self.hasty = self.hasty or position % 3 == 0  # sooner or later there was reason to read the table
        return struct.unpack_from(">IIQ", self.rows, position * 36 + 20)

    def oid(self, position: int) -> bytes:
        return name(position)

    def position(self, oid: bytes) -> int | None:
        return number(oid) if number(oid) < self.count else None

    def commit_facts(self, oid: bytes) -> Any:
        return tuple(map(name, self.parents[number(oid)])), 7, b""

    def further_parents(self, position: int, second: int) -> list[int]:
        assert second == MORE | position
        return self.parents[position][1:]

    def positions(self, *numbers: int) -> tuple[Positions, list[int]]:
        """The commits by the places they have."""
        graph: Any = self
        found = positions_in(graph, [name(number) for number in numbers], Context())
        assert found is not None
        return found

    def ancestors(self, tips: list[int]) -> set[int]:
        found, stack = set(tips), list(tips)
        while stack:
            fresh = set(self.parents[stack.pop()]) - found
            found |= fresh
            stack += fresh
        return found


def name(number: int) -> bytes:
    return number.to_bytes(20, "big")


def number(oid: bytes) -> int:
    return int.from_bytes(oid, "big")


@st.composite
def graphs(draw: Any) -> tuple[Graph, list[int]]:
    size = draw(st.integers(1, 14))
    parents = [draw(st.lists(st.integers(0, i - 1), max_size=3, unique=True)) if i else [] for i in range(size)]
    graph = Graph(parents, draw(st.integers(0, size)), draw(st.booleans()))
    return graph, draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=4))


@given(graphs())
def test_reached(case: tuple[Graph, list[int]]) -> None:
    graph, tips = case
    positions, places = graph.positions(*tips)
    assert positions.reached(places) == len(graph.ancestors(tips))


@given(graphs(), st.integers(0, 15))
def test_ancestor(case: tuple[Graph, list[int]], generations: int) -> None:
    graph, tips = case
    positions, places = graph.positions(*tips)
    expected: int | None = tips[0]
    for _ in range(generations):
        if expected is not None:
            expected = next(iter(graph.parents[expected]), None)
    ours = positions.ancestor(places[0], generations)
    assert (None if ours is None else number(positions.oid(ours))) == expected


@given(graphs(), st.integers(1, 5))
def test_marked(case: tuple[Graph, list[int]], floor: int) -> None:
    graph, tips = case
    positions, places = graph.positions(*tips)
    expected = set(graph.ancestors(tips))
    level = {number(positions.oid(place)): positions.level(place) for place in range(positions.count)}
    marks = positions.marked(places, Context().tick, floor=floor)
    found = {number(positions.oid(place)) for place, _ in positions.rows_of(marks)}
    assert found <= expected
    assert {place for place in expected if level[place] >= floor} <= found
    first = positions.marked(places, Context().tick, first_only=True)
    along, stack = set(tips), list(tips)
    while stack:
        stack += set(graph.parents[stack.pop()][:1]) - along
        along.update(stack)
    assert {number(positions.oid(place)) for place, _ in positions.rows_of(first)} == along


@given(graphs())
def test_that_reach(case: tuple[Graph, list[int]]) -> None:
    graph, (wanted, *tips) = case
    expected = {tip for tip in tips if wanted in graph.ancestors([tip])}
    positions, (place, *places) = graph.positions(wanted, *tips)
    found = positions.that_reach(places, place)
    assert {number(positions.oid(place)) for place in found} == expected


def test_a_parent_that_is_none() -> None:
    graph = Graph([[], [0]])
    graph.rows = graph.rows[:-16] + struct.pack(">IIQ", 77, NONE, 2 << 34)
    positions, places = graph.positions(1)
    with pytest.raises(Corrupt, match="invalid parent position 77"):
        positions.reached(places)


def test_too_much_outside_the_graph() -> None:
    graph: Any = Graph([[], *([place] for place in range(3000))], known=100)
    assert positions_in(graph, [name(2000)], Context()) is not None
    assert positions_in(graph, [name(2999)], Context()) is None


def test_a_graph_without_levels() -> None:
    graph: Any = Graph([[], [0], [1]], known=2)
    graph.rows = b"".join(graph.rows[at : at + 28] + bytes(8) for at in (0, 36))
    assert positions_in(graph, [name(1)], Context()) is None
    assert positions_in(graph, [name(2)], Context()) is None


def test_the_kind_of_a_tip_is_taken_from_the_graph() -> None:
    """Where the object is there; what the graph does not have is looked at, and a graph that breaks is put aside."""
    odb = mock.Mock()
    odb.kind.side_effect, odb.packed.side_effect = lambda oid: b"looked at", lambda oid: oid != b"absent"
    store = mock.Mock(odb=odb)
    odb.graph.position = {b"commit": 3, b"absent": 4}.get
    assert [tip_kind(store, oid) for oid in (b"commit", b"absent", b"other")] == [b"commit", b"looked at", b"looked at"]
    odb.graph.position = mock.Mock(side_effect=Corrupt("broken"))
    assert tip_kind(store, b"commit") == b"looked at" and odb.distrust_graph.call_count == 1
    odb.graph = None
    assert tip_kind(store, b"commit") == b"looked at"
