"""Topological order without the whole list: the same commits in the same order as sorting the list gives."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Corrupt
from gitglass.graph.positions import MORE, NONE
from gitglass.history.pipeline import _entries, walk
from gitglass.history.spec import AUTHOR_ORDER, BOTTOM, DATE_ORDER, GRAPH_ORDER, UNINTERESTING, Tip, WalkSpec
from gitglass.history.walk import Walk
from gitglass.limits import Context
from gitglass.memories import PerCall


class Odb:
    """Commits by number, parents before children. The graph knows the first `known` of them, if any."""

    def __init__(self, parents: list[list[int]], times: list[int], known: int) -> None:
        self.parents, self.times, self.visited = parents, times, 0
        self.levels: list[int] = []
        for above in parents:
            self.levels.append(1 + max((self.levels[parent] for parent in above), default=0))
        self.known = known
        self.graph = self if known else None
        self.numbering = None
        self.count, self.has_corrected = known, False

    hash_len, rows_read, names_read = 1, b"", b""

    def expect(self, count: int) -> None:
        """There is no table to read."""

    def row(self, position: int) -> tuple[int, int, int]:
        self.visited += 1
        above = [*self.parents[position], NONE, NONE]
        second = MORE if len(above) > 4 else above[1]
        return above[0], second, self.levels[position] << 34 | self.times[position]

    def further_parents(self, position: int, second: int) -> list[int]:
        assert second == MORE
        return self.parents[position][1:]

    def position(self, oid: bytes) -> int | None:
        return oid[0] if oid[0] < self.known else None

    def oid(self, position: int) -> bytes:
        return bytes([position])

    def commit_facts(self, oid: bytes) -> Any:
        return self.facts_reader()(oid)

    def generation(self, oid: bytes) -> int | None:
        return self.levels[oid[0]] if oid[0] < self.known else None

    def facts_reader(self, *, ends: bool = False) -> Any:
        def facts(oid: bytes) -> Any:
            self.visited += 1
            return tuple(bytes([parent]) for parent in self.parents[oid[0]]), self.times[oid[0]], b"tree"

        return facts

    def commit(self, oid: bytes) -> Any:
        return SimpleNamespace(author_time=self.times[oid[0]] // 3)


def shown(odb: Odb, tips: list[Tip], *, plain: bool = False, **options: Any) -> list[Any]:
    """The commits with the parents that a graph would show; `plain`: not by position."""
    store: Any = SimpleNamespace(odb=odb, per_call=PerCall())
    spec = WalkSpec(raw=False, graph=True, **options)
    entries = _entries(Walk(store, spec, Context()), tips) if plain else walk(store, tips, spec, ctx=Context())
    return [(entry.oid[0], entry.parents, entry.graph_parents) for entry in entries]


def numbers(odb: Odb, tips: list[Tip], **options: Any) -> list[int]:
    return [number for number, *_ in shown(odb, tips, **options)]


@st.composite
def cases(draw: Any) -> Any:
    size = draw(st.integers(1, 16))
    parents = [draw(st.lists(st.integers(0, i - 1), max_size=3, unique=True)) if i else [] for i in range(size)]
    excluded = draw(st.lists(st.integers(0, size - 1), max_size=2))
    if excluded or draw(st.booleans()):  # clocks that never run backwards, often standing still
        times: list[int] = []
        for above in parents:
            times.append(max((times[parent] for parent in above), default=0) + draw(st.integers(0, 2)))
    else:
        times = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    tips = [Tip(bytes([n])) for n in draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=4))]
    tips += [Tip(bytes([n]), UNINTERESTING | BOTTOM) for n in excluded]
    options = {"order": draw(st.sampled_from([GRAPH_ORDER, DATE_ORDER, AUTHOR_ORDER]))}
    return parents, times, draw(st.integers(1, size)), tips, options


@given(cases())
def test_the_same_as_the_sorted_list(case: Any) -> None:
    parents, times, known, tips, options = case
    expected = shown(Odb(parents, times, 0), tips, **options)
    assert shown(Odb(parents, times, known), tips, plain=True, **options) == expected
    assert shown(Odb(parents, times, known), tips, **options) == expected


def test_only_what_is_near_is_looked_at() -> None:
    parents = [[], *([place] for place in range(199))]
    odb = Odb(parents, list(range(200)), 200)
    assert numbers(odb, [Tip(bytes([199]))], order=GRAPH_ORDER, max_count=5) == [199, 198, 197, 196, 195]
    assert odb.visited < 30
    assert numbers(odb, [Tip(bytes([199]))], order=GRAPH_ORDER, max_count=5, plain=True) == [199, 198, 197, 196, 195]
    assert odb.visited < 40
    assert numbers(Odb(parents, list(range(200)), 0), [Tip(bytes([199]))], order=GRAPH_ORDER, max_count=1) == [199]


def test_an_old_commit_ends_its_line() -> None:
    """What is older than --since is not gone through, however young what lies behind it is."""
    odb = Odb([[], [0], [1], [2]], [5, 9, 1, 9], 4)
    assert numbers(odb, [Tip(bytes([3]))], order=GRAPH_ORDER, max_age=4) == [3]


def test_first_parents() -> None:
    odb = Odb([[], [0], [0], [1, 2], [3]], [0, 1, 2, 3, 4], 5)
    assert numbers(odb, [Tip(bytes([4]))], order=DATE_ORDER, first_parent=True) == [4, 3, 1, 0]


def test_levels_that_lie() -> None:
    odb = Odb([[], [0], [1], [1], [3], [4, 2]], [1, 2, 3, 4, 5, 6], 6)
    odb.levels[2:5] = [4, 0, 3]  # one is below its parent: nobody could know that it was still to come
    with pytest.raises(Corrupt, match="generations are out of order"):
        numbers(odb, [Tip(bytes([5]))], order=GRAPH_ORDER)
    assert set(numbers(odb, [Tip(bytes([5]))], order=GRAPH_ORDER, plain=True)) == set(range(6))
