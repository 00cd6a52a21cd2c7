"""Bisection of lists of commits; expectations follow git 2.39.5."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.history.bisect import Bisection, _Weights, bisect, steps_left
from gitglass.history.spec import TREESAME
from gitglass.limits import Context


def name(letter: str) -> bytes:
    return letter.encode() * 20


def found(
    history: dict[str, str], *, same: str = "", everything: bool = False, first_parent: bool = False
) -> Bisection:
    """Bisect a history given newest first: child → its parents."""
    walk = SimpleNamespace(
        flags={name(one): TREESAME if one in same else 0 for one in history},
        parents={name(one): tuple(map(name, parents)) for one, parents in history.items()},
    )
    listed = [name(one) for one in history]
    return bisect(cast(Any, walk), listed, everything=everything, first_parent=first_parent, ctx=Context(now=0))


LINE = {"e": "d", "d": "c", "c": "b", "b": "a", "a": ""}
FORK = {"m": "dc", "d": "b", "c": "b", "b": "a", "a": ""}


def test_the_first_near_enough_to_half_wins() -> None:
    got = found(LINE)
    assert (got.commits, got.reaches, got.total) == ([name("b")], 2, 5)


def test_everything_by_distance_then_by_name() -> None:
    got = found(LINE, everything=True)
    assert b"".join(got.commits)[::20] == b"bcade"
    assert [got.distances[oid] for oid in got.commits] == [2, 2, 1, 1, 0]


def test_a_merge_counts_each_commit_once() -> None:
    got = found(FORK, everything=True)
    assert got.distances[name("m")] == 0 and got.total == 5
    assert found(FORK, everything=True, first_parent=True).distances[name("m")] == 1  # of five, it reaches four


def test_commits_without_a_change_do_not_count() -> None:
    got = found(LINE, same="bd", everything=True)
    assert got.total == 3 and set(got.commits) == {name("a"), name("c"), name("e")}


def test_nothing() -> None:
    assert found({}).commits == []


@pytest.mark.parametrize(("total", "steps"), [(0, 0), (2, 0), (3, 1), (5, 1), (6, 2), (33, 4), (90, 6)])
def test_steps(total: int, steps: int) -> None:
    assert steps_left(total) == steps


def test_variables() -> None:
    assert found(LINE).variables() == (
        b"bisect_rev='" + b"62" * 20 + b"'\nbisect_nr=2\nbisect_good=2\nbisect_bad=1\nbisect_all=5\nbisect_steps=1\n"
    )


@given(st.lists(st.tuples(st.lists(st.integers(1, 9), max_size=3), st.booleans()), min_size=1, max_size=40), st.data())
def test_merges_weigh_what_they_reach(steps: list[tuple[list[int], bool]], data: st.DataObject) -> None:
    """As counted one by one; also where clocks list a commit before its parents."""
    parents = {n: sorted({n - back for back in above if back <= n}) for n, (above, _) in enumerate(steps)}
    counts = {bytes([n]): counted for n, (_, counted) in enumerate(steps)}
    listed = [bytes([n]) for n in data.draw(st.permutations(range(len(steps))))]
    weights = _Weights(listed, counts, lambda oid: [bytes([n]) for n in parents[oid[0]]], len(steps), Context(now=0))
    for oid in listed:
        if len(parents[oid[0]]) < 2:
            continue
        seen, stack = {oid[0]}, [oid[0]]
        while stack:
            fresh = set(parents[stack.pop()]) - seen
            seen |= fresh
            stack += fresh
        assert weights._count(oid) == sum(counts[bytes([n])] for n in seen)


def test_what_was_taken_over_is_forgotten() -> None:
    parents = {n: [n - 1, n - 2] if n > 1 else [n - 1] if n else [] for n in range(200)}
    listed = [bytes([n]) for n in range(200)]
    weights = _Weights(
        listed, dict.fromkeys(listed, True), lambda oid: [bytes([n]) for n in parents[oid[0]]], 200, Context(now=0)
    )
    assert weights._count(listed[-1]) == 200
    assert not weights._reached


def test_a_merge_without_a_change_may_leave_weights_unknown() -> None:
    """Strange but git's: the merge counts as done all the same, and the last commits are never weighed."""
    history = {"m": "dc", "d": "b", "b": "a", "c": "b", "a": ""}  # b is younger than its child c
    got = found(history, same="m", everything=True)
    assert got.total == 4
    assert {oid[:1]: distance for oid, distance in got.distances.items()} == {b"d": 1, b"b": 2, b"a": 1, b"c": -1}
    assert got.commits[-1] == name("c")
    assert found(history, same="m").commits == [name("b")]


def test_commits_listed_before_what_they_reach() -> None:
    """Where dates lie it takes several rounds, of which some weigh only commits that do not count."""
    got = found({"a": "", "b": "a", "c": "b"}, same="ab")
    assert (got.commits, got.reaches, got.total) == ([name("c")], 1, 1)
    assert found({"a": "", "b": "a", "c": "b", "d": "c"}, same="ab", everything=True).distances == {
        name("c"): 1, name("d"): 0,
    }  # fmt: skip
