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
    flags = {7: LOADED}
    found = Parents(flags)
    found[7] = parents
    assert found[7] == parents
    assert (found.second[7] == ONE) == (len(parents) == 1)


def test_what_is_not_loaded_has_no_parents() -> None:
    found = Parents(Sparse())
    found[7] = (1,)
    assert found[7] == ()


def test_what_was_rewritten_stays_when_all_get_columns() -> None:
    flags = {0: LOADED, 1: LOADED, 2: LOADED}
    found = Parents(flags)
    found[0], found[1], found[2] = (4,), (), (3, 4)
    assert found.second[4] == 0  # asking changes nothing
    wide = array("H", [LOADED] * 6)
    wide[5] = 0
    first, second = array("I", [1, 1, 1, 0, 3, 3]), array("I", [2, 2, ONE, OTHER, ONE, ONE])
    numbers: Any = SimpleNamespace(facts=lambda node: ((2, 1, 0), 9))
    found.widen(first, second, wide, numbers)
    assert [found[node] for node in range(6)] == [(4,), (), (3, 4), (2, 1, 0), (3,), ()]
    found[4] = ()
    found[3] = (1, 2)
    assert found[4] == () and found[3] == (1, 2)
