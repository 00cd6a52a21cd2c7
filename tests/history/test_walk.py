"""The walk: order by date, exclusion, clocks that lie, and what is shown."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.errors import GitError
from gitglass.history.pipeline import walk
from gitglass.history.spec import BOTTOM, BOUNDARY, DATE_ORDER, GRAPH_ORDER, LEFT, UNINTERESTING, Tip, WalkSpec

EXCLUDED = UNINTERESTING | BOTTOM


@pytest.fixture
def run(history: Any, named: Any, oid_of: Any) -> Any:
    """run(tips, **spec) → names; a tip is a name, with ^ in front excluded."""

    def go(tips: str, **spec: Any) -> list[str]:
        starts = [Tip(oid_of(tip[1:]), EXCLUDED) if tip.startswith("^") else Tip(oid_of(tip)) for tip in tips.split()]
        return list(named(entry.oid for entry in walk(history.store, starts, WalkSpec(**spec), ctx=history.ctx)))

    return go


@pytest.fixture
def diamond(history: Any) -> Any:
    """a <- b, c <- d <- e, in that order of time."""
    history.add("a", time=1)
    history.add("b", "a", time=2)
    history.add("c", "a", time=3)
    history.add("d", "bc", time=4)
    history.add("e", "d", time=5)
    return history


def test_newest_first(diamond: Any, run: Any) -> None:
    assert run("e") == ["e", "d", "c", "b", "a"]


def test_equal_dates_keep_the_order_of_arrival(history: Any, run: Any) -> None:
    for name in "abc":
        history.add(name, time=7)
    history.add("m", "abc", time=7)
    assert run("m") == ["m", "a", "b", "c"]
    assert run("b a c") == ["b", "a", "c"]


def test_topological_order_keeps_lines_together(diamond: Any, run: Any) -> None:
    diamond.add("f", "b", time=10)
    assert run("e f", order=GRAPH_ORDER) == ["f", "e", "d", "c", "b", "a"]
    assert run("e f", order=DATE_ORDER) == ["f", "e", "d", "c", "b", "a"]


def test_topological_order_beats_a_clock_that_lies(history: Any, run: Any) -> None:
    history.add("a", time=100)
    history.add("b", "a", time=1)
    history.add("c", "b", time=50)
    assert run("c") == ["c", "b", "a"]
    assert run("c a") == ["a", "c", "b"]
    assert run("c a", order=GRAPH_ORDER) == ["c", "b", "a"]


def test_exclusion_and_boundary(diamond: Any, run: Any) -> None:
    assert run("e ^b") == ["e", "d", "c"]
    assert run("e ^b", boundary=True) == ["e", "d", "c", "b", "a"]


def test_boundary_is_marked(diamond: Any, oid_of: Any) -> None:
    tips = [Tip(oid_of("e")), Tip(oid_of("d"), EXCLUDED)]
    entries = list(walk(diamond.store, tips, WalkSpec(boundary=True), ctx=diamond.ctx))
    assert [entry.mark() for entry in entries] == [b"", b"-"]
    assert entries[1].flags & BOUNDARY
    assert entries[1].mark(graph=True) == b"o"


def test_painting_goes_on_below_old_commits(history: Any, run: Any) -> None:
    """An excluded commit that claims to be old still excludes its ancestors: SLOP commits are looked at in addition."""
    history.add("root", time=10)
    history.add("x", ["root"], time=20)
    history.add("old", ["x"], time=1)
    history.add("new", ["x"], time=30)
    assert run("new ^old") == ["new"]


def test_counts(diamond: Any, run: Any) -> None:
    assert run("e", max_count=2) == ["e", "d"]
    assert run("e", skip=1, max_count=2) == ["d", "c"]
    assert run("e", max_count=0) == []
    assert run("e", max_count=2, reverse=True) == ["d", "e"]
    assert run("e", min_parents=2) == ["d"]
    assert run("e", max_parents=0) == ["a"]
    assert run("e", first_parent=True) == ["e", "d", "b", "a"]


def test_ages(diamond: Any, run: Any) -> None:
    assert run("e", max_age=3) == ["e", "d", "c"]
    assert run("e", min_age=3) == ["c", "b", "a"]
    assert run("e", max_age_as_filter=3) == ["e", "d", "c"]


def test_no_walk_sorts_unless_told_otherwise(diamond: Any, run: Any) -> None:
    assert run("a e b", no_walk="sorted") == ["e", "b", "a"]
    assert run("a e b", no_walk="unsorted") == ["a", "e", "b"]


def test_ancestry_path(diamond: Any, run: Any) -> None:
    assert run("e ^b", ancestry_path=True, limited=True) == ["e", "d"]
    with pytest.raises(GitError, match="no bottom commits"):
        run("e", ancestry_path=True, limited=True)


def test_sides(diamond: Any, oid_of: Any, named: Any) -> None:
    tips = [Tip(oid_of("a"), EXCLUDED), Tip(oid_of("b"), LEFT), Tip(oid_of("c"))]
    entries = list(walk(diamond.store, tips, WalkSpec(left_right=True), ctx=diamond.ctx))
    assert [
        (entry.mark(sides=True), name) for entry, name in zip(entries, named(e.oid for e in entries), strict=True)
    ] == [
        (b">", "c"),
        (b"<", "b"),
    ]
    only = WalkSpec(right_only=True, limited=True)
    assert named(entry.oid for entry in walk(diamond.store, tips, only, ctx=diamond.ctx)) == ["c"]


def test_children(diamond: Any, oid_of: Any, named: Any) -> None:
    spec = WalkSpec(children=True, limited=True)
    children = {entry.oid: entry.children for entry in walk(diamond.store, [Tip(oid_of("e"))], spec, ctx=diamond.ctx)}
    assert named(children[oid_of("a")]) == ["b", "c"]
    assert children[oid_of("e")] == ()


Dag = st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 30), max_size=3)), min_size=1, max_size=30)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(Dag, st.integers(0, 30))
def test_plain_and_full_machinery_agree(make_history: Any, dag: Any, cut: int) -> None:
    """The loops in fast.py give what the whole machinery gives, and topological order is one."""
    history = make_history()
    oids: list[bytes] = []
    for number, (time, parents) in enumerate(dag):
        chosen = list(dict.fromkeys(str(parent % number) for parent in parents)) if number else []
        files = {"x": str(time // 4)}
        oids.append(history.add(str(number), chosen, time, **files))
    tips = [Tip(oids[-1]), Tip(oids[cut % len(oids)])]
    quick = [entry.oid for entry in walk(history.store, tips, WalkSpec(), ctx=history.ctx)]
    slow = [entry.oid for entry in walk(history.store, tips, WalkSpec(sources=True), ctx=history.ctx)]
    assert quick == slow
    ordered = [entry.oid for entry in walk(history.store, tips, WalkSpec(order=GRAPH_ORDER), ctx=history.ctx)]
    for how in ({}, {"skip": 3, "max_count": 4}, {"graph": True, "rewrite_parents": True}, {"max_count": 0}):
        one = walk(history.store, tips, WalkSpec(order=GRAPH_ORDER, **how), ctx=history.ctx)
        other = walk(history.store, tips, WalkSpec(order=GRAPH_ORDER, sources=True, **how), ctx=history.ctx)
        assert [(e.oid, e.parents, e.graph_parents, e.commit.raw) for e in one] == [
            (e.oid, e.parents, e.graph_parents, e.commit.raw) for e in other
        ]
    assert sorted(ordered) == sorted(quick)
    place = {oid: at for at, oid in enumerate(ordered)}
    assert all(place[oid] < place[parent] for oid in ordered for parent in history.facts[oid][0])


def test_exclusion_passes_through_what_the_search_for_a_merge_base_read(history: Any, named: Any, oid_of: Any) -> None:
    """A...B ^C: the line from C down to `y` is so old that the walk ends before it reaches `y`, and is known already."""
    history.add("base", time=93)
    history.add("y", ["base"], time=90)
    line = ["y", *map(str, range(10)), "c"]
    for time, (below, name) in enumerate(pairwise(line), 40):
        history.add(name, [below], time=time)
    history.add("a", ["y", "c"], time=100)
    history.add("b", ["base"], time=95)
    tips = [Tip(oid_of("base"), EXCLUDED), Tip(oid_of("a"), LEFT), Tip(oid_of("b")), Tip(oid_of("c"), EXCLUDED)]
    entries = walk(history.store, tips, WalkSpec(left_right=True), ctx=history.ctx)
    assert list(named(entry.oid for entry in entries)) == ["a", "b"]
    entries = walk(history.store, [*tips[:1], Tip(oid_of("a")), *tips[2:]], WalkSpec(), ctx=history.ctx)
    assert list(named(entry.oid for entry in entries)) == ["a", "b", "y"]  # as git has it for a b ^base ^c
