"""Edit distances, against the table that everybody knows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.lines import lcs_length as lcs
from gitglass.diff.lines.lcs_length import TooLong, edit_distance
from gitglass.errors import Timeout
from gitglass.limits import Context, Limits

few = st.lists(st.integers(0, 3), max_size=14)


def table(a: list[int], b: list[int]) -> int:
    row = list(range(len(b) + 1))
    for i, one in enumerate(a):
        above, row = row, [i + 1]
        for j, two in enumerate(b):
            row.append(above[j] if one == two else 1 + min(above[j + 1], row[j]))
    return row[-1]


@given(few, few)
def test_the_distance_is_that_of_the_table(a: list[int], b: list[int]) -> None:
    assert edit_distance(a, b, Context()) == table(a, b)


@given(few, few, st.integers(0, 30))
def test_both_ways_agree(a: list[int], b: list[int], limit: int) -> None:
    if len(a) > len(b):
        a, b = b, a
    wanted = table(a, b)
    assert len(a) + len(b) - 2 * lcs._common(a, b, Context()) == wanted
    assert lcs._greedy(a, b, limit, Context()) == (wanted if wanted <= limit else -1)


def test_long_lists_are_refused_unless_they_are_alike() -> None:
    a = list(range(9000))
    assert edit_distance(a, [*a[:10], -1, *a[10:-1], -2], Context()) == 3
    with pytest.raises(TooLong):
        edit_distance(a, a[::-1], Context())


def test_the_deadline_holds() -> None:
    ctx = Context(Limits(timeout=0.0))
    with pytest.raises(Timeout):
        edit_distance(list(range(8000)), list(range(8000, 0, -1)), ctx)
