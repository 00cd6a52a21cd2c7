"""Rows remembered by shape are the rows that are drawn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.render.log import graph_rows as graphrows
from gitglass.render.log.graph import Graph
from gitglass.render.log.graph_rows import GraphRows

Steps = st.lists(st.lists(st.integers(1, 6), max_size=4), min_size=1, max_size=60)


def agree(steps: list[list[int]], *, spaced: bool = False) -> None:
    """Commit n has the parents n + step; children come first, and each is drawn by both."""
    graph, remembered = Graph(), GraphRows(Graph())
    for number, forward in enumerate(steps):
        parents = [b"%d" % (number + step) for step in forward if number + step < len(steps)]
        spaces = spaced and number % 3 != 0
        between, front, below, after = graph.draw(b"%d" % number, parents, spaced=spaces)
        drawn = remembered.draw(b"%d" % number, parents, spaced=spaces)
        assert (drawn[0] if spaces else b"", drawn[1], list(drawn[2]), drawn[3]) == (
            between,
            b"\n".join(front),
            below,
            after,
        ), number


@given(Steps)
def test_rows_are_those_of_the_graph(steps: list[list[int]]) -> None:
    agree(steps)
    agree(steps, spaced=True)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=80))
def test_wide_histories(steps: list[tuple[int, int, int]]) -> None:
    agree([[one, two] if kind < 8 else [one] if kind < 38 else [] for kind, one, two in steps])


def test_shapes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphrows, "_KEPT", 200)
    steps = [[1 + number % 7, 1 + number % 11] if number % 3 else [1 + number % 5] for number in range(400)]
    agree(steps)
