"""A..B counted: as many as the walk lists, also where clocks lie."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gitglass.history.pipeline import _entries
from gitglass.history.reach import count_between, counts_all
from gitglass.history.spec import BOTTOM, LEFT, UNINTERESTING, Tip, WalkSpec
from gitglass.history.walk import Walk
from gitglass.limits import Context
from gitglass.memories import PerCall


class Odb:
    """Commits by number, parents before children; no commit-graph."""

    graph = numbering = None

    def __init__(self, parents: list[list[int]], times: list[int]) -> None:
        self.parents, self.times = parents, times

    def facts_reader(self, *, ends: bool = False) -> Any:
        return lambda oid: (tuple(bytes([n]) for n in self.parents[oid[0]]), self.times[oid[0]], b"tree")

    def commit(self, oid: bytes) -> Any:
        return SimpleNamespace(oid=oid)


@st.composite
def cases(draw: Any) -> tuple[Odb, list[tuple[int, int]]]:
    size = draw(st.integers(1, 24))
    parents = [draw(st.lists(st.integers(0, i - 1), max_size=3, unique=True)) if i else [] for i in range(size)]
    lies = draw(st.integers(0, 9))
    times = [max(n + draw(st.integers(-lies, lies)), 0) // 2 for n in range(size)]
    number = st.integers(0, size - 1)
    tips = [(n, 0) for n in draw(st.lists(number, max_size=3))]
    tips += [(n, UNINTERESTING | BOTTOM) for n in draw(st.lists(number, min_size=1, max_size=3))]
    return Odb(parents, times), draw(st.permutations(tips))


@settings(max_examples=300)
@given(cases())
def test_as_many_are_counted_as_listed(case: tuple[Odb, list[tuple[int, int]]]) -> None:
    odb, numbers = case
    store: Any = SimpleNamespace(odb=odb, per_call=PerCall())
    tips = [Tip(bytes([number]), flags) for number, flags in numbers]
    spec = WalkSpec(raw=False)
    assert counts_all(tips, spec)
    listed = list(_entries(Walk(store, spec, Context()), tips))
    assert count_between(store, tips, Context()) == len(listed)


def test_what_can_be_counted_without_a_list() -> None:
    excluded, sided = Tip(b"a", UNINTERESTING | BOTTOM), Tip(b"b", LEFT)
    assert counts_all([Tip(b"b"), excluded], WalkSpec())
    assert counts_all([Tip(b"b")], WalkSpec(first_parent=True))
    assert not counts_all([sided, excluded], WalkSpec())
    for name, value in {"max_age": 1, "order": "date", "first_parent": True, "boundary": True, "prune": True}.items():
        assert not counts_all([Tip(b"b"), excluded], WalkSpec(**{name: value}))
