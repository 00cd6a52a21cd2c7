"""Line ranges and what diffs do to them."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.history.line_log import _difference, _merged, _near, _shifted, _union

from ..support.worktrees import repo

__all__ = ["repo"]

_RANGES = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (min(pair), max(pair))), max_size=6
)


def _lines(ranges: list[tuple[int, int]]) -> set[int]:
    return {line for start, end in ranges for line in range(start, end)}


@given(_RANGES, _RANGES)
def test_ranges_are_sets_of_lines(one: list[tuple[int, int]], two: list[tuple[int, int]]) -> None:
    a, b = _merged(one), _merged(two)
    assert _lines(a) == _lines(one)
    assert _lines(_union(a, b)) == _lines(a) | _lines(b)
    assert _lines(_difference(a, b)) == _lines(a) - _lines(b)
    assert all(x[1] < y[0] for x, y in pairwise(a))


def test_changes_near_a_range() -> None:
    come = [(0, 2), (5, 5), (6, 9), (20, 21)]
    assert _near(come, [(1, 3), (8, 12)]) == [0, 2]


def test_lines_behind_a_change_move() -> None:
    assert _shifted([(0, 2), (10, 12)], [(3, 3)], [(3, 6)]) == [(0, 2), (7, 9)]


@pytest.mark.parametrize(
    ("before", "words", "shown"),
    [
        ([], ["-L1,1::colon"], []),  # a pathspec: it stands for `colon`
        (["--literal-pathspecs"], ["-L1,1::colon"], [":colon"]),
        ([], ["-L1,1::colon", "-L1,1:plain"], [":colon", "plain"]),  # a new file: renames are looked for everywhere
        ([], ["--no-renames", "-L1,1::colon", "-L1,1:plain"], ["plain"]),
    ],
)
def test_a_name_that_is_pathspec_magic(repo: Any, before: list[str], words: list[str], shown: list[str]) -> None:
    """As `git log -L` of git 2.39 shows them."""
    for name in (":colon", "plain"):
        repo.add(name, name.encode() + b"\n")
    repo.commit()
    done = gitglass.git([*before, "log", "--oneline", *words], cwd=repo.top, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert [line[6:] for line in done.stdout.splitlines() if line.startswith("+++ b/")] == shown
