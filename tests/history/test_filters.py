"""Which commits of a walk are shown, how many, and the boundary behind them."""

from __future__ import annotations

from typing import Any

import pytest

from gitglass.history.filters import counted, make_test
from gitglass.history.spec import (
    BOUNDARY,
    GRAPH_ORDER,
    PULL_MERGE,
    SHOWN,
    TREESAME,
    UNINTERESTING,
    WalkSpec,
)
from gitglass.history.walk import Walk


@pytest.fixture
def walk_of(history: Any) -> Any:
    """walk_of(**spec): a <- b, c (side by side) <- d, all of them loaded."""
    history.add("a", time=10)
    history.add("b", "a", time=20)
    history.add("c", "a", time=30)
    history.add("d", "bc", time=40)

    def make(**spec: Any) -> Walk:
        walk = Walk(history.store, WalkSpec(**spec), history.ctx)
        for oid in history.facts:
            walk.load(oid)
            walk.flags.setdefault(oid, 0)
        return walk

    return make


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, "abcd"),
        ({"min_age": 30}, "abc"),
        ({"max_age_as_filter": 20}, "bcd"),
        ({"min_parents": 1}, "bcd"),
        ({"min_parents": 2}, "d"),
        ({"max_parents": 1}, "abc"),
        ({"max_parents": 0}, "a"),
        ({"left_out": lambda oid: oid[:1] == b"b"}, "acd"),
        ({"line_level": lambda oid: oid[:1] == b"b"}, "b"),
        ({"line_level": lambda oid: oid[:1] == b"b", "rewrite_parents": True}, "abcd"),
        ({"matcher": lambda commit: commit.message in (b"a\n", b"d\n")}, "ad"),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_shown(walk_of: Any, history: Any, named: Any, spec: Any, expected: str) -> None:
    assert named(filter(make_test(walk_of(**spec)), history.facts)) == list(expected)


def test_what_was_shown_or_excluded_is_not(walk_of: Any, oid_of: Any) -> None:
    walk = walk_of()
    shown = make_test(walk)
    walk.flags[oid_of("a")] |= SHOWN
    walk.flags[oid_of("b")] |= UNINTERESTING
    assert [shown(oid_of(name)) for name in "abc"] == [False, False, True]


def test_a_message_is_looked_at_once(walk_of: Any, oid_of: Any) -> None:
    asked: list[bytes] = []
    shown = make_test(walk_of(matcher=lambda commit: asked.append(commit.oid) or False))
    assert [shown(oid_of("a")), shown(oid_of("a"))] == [False, False]
    assert asked == [oid_of("a")]


@pytest.mark.parametrize(
    ("spec", "more", "expected"),
    [
        ({"prune": True}, 0, ""),
        ({"prune": True, "dense": False}, 0, "bd"),
        ({"prune": True, "rewrite_parents": True}, 0, "d"),  # a merge of two lines that are shown
        ({"prune": True, "rewrite_parents": True}, PULL_MERGE, "d"),
        ({"prune": True, "rewrite_parents": True, "show_pulls": True}, PULL_MERGE, "bd"),
        ({"prune": True, "show_pulls": True}, PULL_MERGE, ""),
    ],
)
def test_commits_without_changes(walk_of: Any, oid_of: Any, named: Any, spec: Any, more: int, expected: str) -> None:
    walk = walk_of(**spec)
    for name in "bd":
        walk.flags[oid_of(name)] |= TREESAME | more
    assert named(filter(make_test(walk), map(oid_of, "bd"))) == list(expected)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, "dcb"),
        ({"skip": 1}, "cb"),
        ({"skip": 1, "max_count": 1}, "c"),
        ({"max_count": 0}, ""),
        ({"skip": 9}, ""),
    ],
)
def test_skip_comes_before_count(walk_of: Any, oid_of: Any, named: Any, spec: Any, expected: str) -> None:
    assert named(counted(walk_of(**spec), map(oid_of, "dcb"))) == list(expected)


def test_the_boundary_follows_what_was_shown(walk_of: Any, oid_of: Any, named: Any) -> None:
    walk = walk_of(boundary=True, max_count=2, order=GRAPH_ORDER)
    assert named(counted(walk, map(oid_of, "dcb"))) == ["d", "c", "b", "a"]
    assert [bool(walk.flags[oid_of(name)] & BOUNDARY) for name in "dcba"] == [False, False, True, True]
    assert named(counted(walk_of(boundary=True, max_count=0), map(oid_of, "dcb"))) == []


def test_the_boundary_of_what_came_last_comes_first(history: Any, oid_of: Any, named: Any) -> None:
    history.add("p", time=1)
    history.add("q", time=2)
    history.add("x", "p", time=3)
    history.add("y", "q", time=4)
    walk = Walk(history.store, WalkSpec(boundary=True, order=GRAPH_ORDER), history.ctx)
    for oid in history.facts:
        walk.load(oid)
        walk.flags.setdefault(oid, 0)
    assert named(counted(walk, map(oid_of, "yx"))) == ["y", "x", "p", "q"]
