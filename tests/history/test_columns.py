"""The columns of a walk: few commits in dictionaries, all of a graph in arrays, and the same to ask."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from gitglass.graph.columns import ONE, OTHER
from gitglass.graph.nodes import PackNumbers
from gitglass.history.columns import Parents, Sparse, growing
from gitglass.history.spec import LOADED
from gitglass.objects.commit_graph import UNREAD
from gitglass.objects.numbering import Numbering

from ..support.histories import empty_pack


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
    found.widen(first, second, wide, lambda node: ((2, 1, 0), 9), 6)
    assert [found[node] for node in range(6)] == [(4,), (), (3, 4), (2, 1, 0), (3,), ()]
    assert found.second[0] == found.second[4] == ONE and found.first[0] == 4
    found[4], found[3], found[2] = (), (1, 2), (5,)
    assert [found[node] for node in (2, 3, 4)] == [(5,), (1, 2), ()]
    assert found.second[2] == ONE and found.first[2] == 5


def test_columns_that_grow_as_commits_are_read(history: Any) -> None:
    """The rows of a walk are its own: what it rewrites stays, and the next walk sees what was read."""
    for number, name in enumerate("abcdefgh"):
        history.add(name, "ba" if name == "c" else chr(ord(name) - 1) * (name > "a"), number)
    pack = empty_pack()
    numbers = PackNumbers(history.store, Numbering(pack, history.store.odb.commit_facts))
    at = {name: numbers.number(name.encode().ljust(20, b"\0")) for name in "hgfedcba"}
    parents = Parents()
    flags = Sparse()
    flags[at["h"]], flags[at["g"]], parents[at["h"]] = LOADED, 4, (at["a"],)  # h has other parents in this walk
    wide, times, read = growing(flags, parents, numbers)
    assert wide[at["h"]] == LOADED and wide[at["g"]] == 4 and len(wide) == numbers.numbering.capacity
    assert parents.second[at["g"]] == UNREAD == parents.second[at["c"]]
    for name in "gc":
        read(at[name])
        wide[at[name]] |= LOADED
    assert parents[at["h"]] == (at["a"],) and parents[at["g"]] == (at["f"],) and times[at["g"]] == 6
    assert parents[at["c"]] == (at["b"], at["a"]) and parents[at["f"]] == ()
    parents[at["g"]] = ()
    read(at["g"])
    assert parents[at["g"]] == () and numbers.facts(at["g"]) == ((at["f"],), 6)
    assert numbers.facts(at["h"]) == ((at["g"],), 7)
