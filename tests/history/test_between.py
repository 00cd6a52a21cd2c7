"""A..B without the full machinery: what that gives, also where clocks lie."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gitglass.history.between import between_rows, count_between, is_between
from gitglass.history.fast import entries_of
from gitglass.history.pipeline import _entries
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
def cases(draw: Any) -> tuple[Odb, list[tuple[int, int]], dict[str, Any]]:
    size = draw(st.integers(1, 24))
    parents = [draw(st.lists(st.integers(0, i - 1), max_size=3, unique=True)) if i else [] for i in range(size)]
    lies = draw(st.integers(0, 9))
    times = [max(n + draw(st.integers(-lies, lies)), 0) // 2 for n in range(size)]
    number = st.integers(0, size - 1)
    tips = [(n, 0) for n in draw(st.lists(number, max_size=3))]
    tips += [(n, UNINTERESTING | BOTTOM) for n in draw(st.lists(number, min_size=1, max_size=3))]
    options = {"max_count": draw(st.integers(-1, 5)), "skip": draw(st.integers(0, 2))}
    options["max_parents"] = draw(st.sampled_from([-1, -1, 1]))
    return Odb(parents, times), draw(st.permutations(tips)), options


@settings(max_examples=300)
@given(cases())
def test_the_same_as_the_full_machinery(case: tuple[Odb, list[tuple[int, int]], dict[str, Any]]) -> None:
    odb, numbers, options = case
    store: Any = SimpleNamespace(odb=odb, per_call=PerCall())
    tips = [Tip(bytes([number]), flags) for number, flags in numbers]
    for words in (options, {}):
        spec = WalkSpec(raw=False, **words)
        assert is_between(tips, spec)
        expected = [(entry.oid, entry.parents) for entry in _entries(Walk(store, spec, Context()), tips)]
        shown = [
            (entry.oid, entry.diff_parents)
            for entry in entries_of(between_rows(store, tips, spec, Context()), store, spec)
        ]
        assert [oid for oid, _ in shown] == [oid for oid, _ in expected]
    rows = between_rows(store, tips, WalkSpec(raw=False), Context())
    facts = odb.facts_reader()
    assert [(oid, parents) for oid, parents, *_ in rows] == [(oid, facts(oid)[0]) for oid, _ in shown]
    assert count_between(store, tips, Context()) == len(shown)


def test_what_it_is_not_for() -> None:
    excluded, sided = Tip(b"a", UNINTERESTING | BOTTOM), Tip(b"b", LEFT)
    assert is_between([Tip(b"b"), excluded], WalkSpec())
    assert not is_between([Tip(b"b")], WalkSpec())
    assert not is_between([sided, excluded], WalkSpec())
    for name, value in {"max_age": 1, "order": "date", "first_parent": True, "boundary": True, "prune": True}.items():
        assert not is_between([Tip(b"b"), excluded], WalkSpec(**{name: value}))
