"""Line ranges and what diffs do to them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gitglass.history.line_log import _difference, _merged, _near, _shifted, _union

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
