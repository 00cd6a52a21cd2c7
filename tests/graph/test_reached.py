"""What commits reach, marked by level, on random histories, against sets of ancestors."""

from __future__ import annotations

import struct
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.graph import reached
from gitglass.graph.reached import REACHED, Reached, WrongClock, best_common, beyond
from gitglass.limits import Context

from .test_positions import Graph, graphs, number


@given(graphs(), st.sampled_from([1, 2, 16]), st.lists(st.integers(0, 12), min_size=1, max_size=4))
def test_marks_are_right_down_to_where_somebody_asked(
    case: tuple[Graph, list[int]], step: int, asked: list[int]
) -> None:
    graph, tips = case
    expected = graph.ancestors(tips)
    with mock.patch.object(reached, "_FIRST_STEP", step):
        positions, places = graph.positions(*tips)
        marks = Reached(positions, places, Context())
        for level in asked:
            marks.down_to(level)
            assert marks.floor <= max(level, 0) or level >= marks.floor
            for place in range(positions.count):
                is_marked = bool(marks.marks[place] & REACHED)
                is_reached = number(positions.oid(place)) in expected
                assert is_marked == is_reached or (is_reached and positions.level(place) < marks.floor)


@given(graphs())
def test_tips_are_added_later(case: tuple[Graph, list[int]]) -> None:
    graph, tips = case
    positions, places = graph.positions(*tips)
    marks = Reached(positions, (), Context())
    for place in places:
        marks.add(place)
        marks.down_to(0)
    assert {number(positions.oid(at)) for at, mark in enumerate(marks.marks) if mark} == graph.ancestors(tips)


@given(graphs())
def test_commits_beyond_others_and_the_first_common_ones(case: tuple[Graph, list[int]]) -> None:
    graph, (one, *others) = case
    ours, theirs = graph.ancestors([one]), graph.ancestors(others)
    positions, (first, *rest) = graph.positions(one, *others)
    count, common = beyond(positions, [first], Reached(positions, rest, Context()), Context())
    assert count == len(ours - theirs)
    edge = {parent for commit in ours - theirs for parent in graph.parents[commit]} & theirs
    assert {number(positions.oid(place)) for place in common} == edge | ({one} & theirs)


@given(graphs())
def test_best_common_ancestors(case: tuple[Graph, list[int]]) -> None:
    graph, (one, *others) = case
    common = graph.ancestors([one]) & graph.ancestors(others)
    best = {place for place in common if not any(place in graph.ancestors([o]) - {o} for o in common)}
    positions, (first, *rest) = graph.positions(one, *others)
    found = best_common(positions, first, rest, Context())
    assert sorted(number(positions.oid(place)) for place in found) == sorted(best)
    assert found == sorted(found, key=lambda place: (positions.level(place), place), reverse=True)


@pytest.mark.parametrize("young", range(5))
def test_a_commit_that_is_younger_than_its_child(young: int) -> None:
    """0 and 1 are a line, 2 and 3 are beside each other, 4 merges them."""
    graph = Graph([[], [0], [1], [1], [2, 3]])
    rows = [graph.rows[at : at + 36] for at in range(0, len(graph.rows), 36)]
    for place, row in enumerate(rows):
        first, second, packed = struct.unpack_from(">IIQ", row, 20)
        rows[place] = row[:20] + struct.pack(">IIQ", first, second, packed | (9 if place == young else place))
    graph.rows = b"".join(rows)
    positions, places = graph.positions(4)
    Reached(positions, places, Context()).down_to(0)
    marks = Reached(positions, places, Context(), by_date=True)
    if young == 4:
        marks.down_to(0)
        return
    with pytest.raises(WrongClock):
        marks.down_to(0)


def test_no_more_levels_are_marked_than_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reached, "_FIRST_STEP", 3)
    graph = Graph([[], *([place] for place in range(49))])
    positions, places = graph.positions(49)
    marks = Reached(positions, places, Context())
    floors = []
    for level in (49, 48, 45, 30):
        marks.down_to(level)
        floors.append((marks.floor, marks.marks.count(REACHED)))
    assert floors == [(47, 4), (47, 4), (41, 10), (29, 22)]
