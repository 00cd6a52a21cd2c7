"""Bisection of lists of commits; expectations follow git 2.39.5."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from gitglass.limits import Context
from gitglass.walk.bisect import Bisection, bisect, steps_left
from gitglass.walk.spec import TREESAME


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
