"""Reachability by position in a commit-graph, on random histories, against sets of ancestors."""

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Corrupt
from gitglass.limits import Context
from gitglass.walk.positions import BOTH, MORE, NONE, ONE, TWO, Positions


class Graph:
    """As much of a commit-graph as positions need: commits by number, parents before children."""

    hash_len = 20

    def __init__(self, parents: list[list[int]]) -> None:
        self.parents = parents
        self.count = len(parents)
        levels: list[int] = []
        rows = []
        for above in parents:
            levels.append(1 + max((levels[parent] for parent in above), default=0))
            first, second = ([*above, NONE, NONE])[:2]
            if len(above) > 2:
                second = MORE | len(rows)
            rows.append(bytes(20) + struct.pack(">IIQ", first, second, levels[-1] << 34))
        self.rows = b"".join(rows)

    def further_parents(self, position: int, second: int) -> list[int]:
        assert second == MORE | position
        return self.parents[position][1:]

    def positions(self) -> Positions:
        graph: Any = self
        return Positions(graph, self.rows, Context())

    def ancestors(self, tips: list[int]) -> set[int]:
        found, stack = set(tips), list(tips)
        while stack:
            fresh = set(self.parents[stack.pop()]) - found
            found |= fresh
            stack += fresh
        return found


@st.composite
def graphs(draw: Any) -> tuple[Graph, list[int]]:
    size = draw(st.integers(1, 14))
    parents = [draw(st.lists(st.integers(0, i - 1), max_size=3, unique=True)) if i else [] for i in range(size)]
    return Graph(parents), draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=4))


@given(graphs())
def test_count(case: tuple[Graph, list[int]]) -> None:
    graph, tips = case
    assert graph.positions().count(tips) == len(graph.ancestors(tips))


@given(graphs())
def test_that_reach(case: tuple[Graph, list[int]]) -> None:
    graph, (wanted, *tips) = case
    expected = {tip for tip in tips if wanted in graph.ancestors([tip])}
    assert graph.positions().that_reach(tips, wanted) == expected


@given(graphs())
def test_paint(case: tuple[Graph, list[int]]) -> None:
    graph, (one, *twos) = case
    ours, theirs = graph.ancestors([one]), graph.ancestors(twos)
    common = ours & theirs
    best = {place for place in common if not any(place in graph.ancestors([o]) - {o} for o in common)}
    seen = list(graph.positions().paint(one, twos))
    assert {place for place, colours in seen if colours == BOTH} == best
    assert {place for place, colours in seen if colours & BOTH == ONE} == ours - theirs
    assert {place for place, colours in seen if colours & BOTH == TWO} == theirs - ours
    assert len({place for place, _ in seen}) == len(seen)


def test_a_parent_that_is_none() -> None:
    graph = Graph([[], [0]])
    graph.rows = graph.rows[:-16] + struct.pack(">IIQ", 77, NONE, 2 << 34)
    with pytest.raises(Corrupt, match="invalid parent position 77"):
        graph.positions().count([1])
