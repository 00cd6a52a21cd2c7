"""The columns of a walk: few commits in dictionaries, all of a graph in arrays, and the same to ask."""

from __future__ import annotations

from array import array
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.graph.columns import ONE, OTHER
from gitglass.history.columns import Parents, Sparse
from gitglass.history.spec import LOADED


def test_what_is_not_in_a_sparse_column_is_zero() -> None:
    column = Sparse()
    assert column[3] == 0
    column[3] |= 4
    assert column[3] == 4


@pytest.mark.parametrize("parents", [(), (1,), (1, 2), (1, 2, 3), (b"a",), (b"a", b"b")])
def test_parents_are_what_they_were_set_to(parents: tuple[Any, ...]) -> None:
    found = Parents()
    found[7] = parents
    assert found[7] == found.above(7) == parents
    assert found.second[7] != ONE  # so that loops ask for all of them


def test_what_was_not_set_has_no_parents() -> None:
    assert Parents()[7] == ()


def test_what_was_rewritten_stays_when_all_get_columns() -> None:
    found = Parents()
    found[0], found[1], found[2] = (4,), (), (3, 4)
    assert found[4] == found[5] == ()  # asking changes nothing
    wide = array("H", [LOADED] * 6)
    wide[5] = 0
    first, second = array("I", [1, 1, 1, 0, 3, 3]), array("I", [2, 2, ONE, OTHER, ONE, ONE])
    numbers: Any = SimpleNamespace(facts=lambda node: ((2, 1, 0), 9))
    found.widen(first, second, wide, numbers)
    assert [found[node] for node in range(6)] == [(4,), (), (3, 4), (2, 1, 0), (3,), ()]
    assert found.second[0] == found.second[4] == ONE and found.first[0] == 4
    found[4], found[3], found[2] = (), (1, 2), (5,)
    assert [found[node] for node in (2, 3, 4)] == [(5,), (1, 2), ()]
    assert found.second[2] == ONE and found.first[2] == 5
