"""Order and selection on a finished list of commits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.history.order.listed import bottoms, limit_to_ancestry, limit_to_side, topological
from gitglass.history.spec import (
    AUTHOR_ORDER,
    BOTTOM,
    DATE_ORDER,
    GRAPH_ORDER,
    LEFT,
    ON_ANCESTRY_PATH,
    SHOWN,
    UNINTERESTING,
    WalkSpec,
)
from gitglass.history.walk import Walk


def loaded(history: Any) -> Walk:
    """A walk over a history that knows all of its commits."""
    walk = Walk(history.store, WalkSpec(), history.ctx)
    for oid in history.facts:
        walk.load(oid)
        walk.flags.setdefault(oid, 0)
    return walk


@pytest.fixture
def two_lines(history: Any) -> Any:
    """a <- b <- d and a <- c <- e, joined by m; times alternate."""
    history.add("a", time=1)
    for name, parent, time in (("b", "a", 2), ("c", "a", 3), ("d", "b", 4), ("e", "c", 5)):
        history.add(name, parent, time=time)
    history.add("m", "de", time=6)
    return history


@pytest.mark.parametrize(
    ("order", "expected"),
    [(GRAPH_ORDER, "mecdba"), ("", "mecdba"), (DATE_ORDER, "medcba"), (AUTHOR_ORDER, "medcba")],
)
def test_orders(two_lines: Any, oid_of: Any, named: Any, order: str, expected: str) -> None:
    found = topological(loaded(two_lines), [oid_of(name) for name in "abcdem"], order)
    assert named(found) == list(expected)


def test_author_dates_decide_their_own_order(two_lines: Any, oid_of: Any, named: Any) -> None:
    raw = two_lines.raw[oid_of("d")]
    two_lines.raw[oid_of("d")] = raw.replace(b"> 4 +0000\ncommitter", b"> 9 +0000\ncommitter", 1)
    found = topological(loaded(two_lines), [oid_of(name) for name in "ed"], AUTHOR_ORDER)
    assert named(found) == ["d", "e"]
    found = topological(loaded(two_lines), [oid_of(name) for name in "ed"], DATE_ORDER)
    assert named(found) == ["e", "d"]


def test_the_first_tip_comes_first(two_lines: Any, oid_of: Any, named: Any) -> None:
    walk = loaded(two_lines)
    assert named(topological(walk, [oid_of(name) for name in "dbec"], GRAPH_ORDER)) == ["d", "b", "e", "c"]
    assert named(topological(walk, [oid_of(name) for name in "ecdb"], GRAPH_ORDER)) == ["e", "c", "d", "b"]


@given(
    st.lists(st.tuples(st.sets(st.integers(0, 11), max_size=3), st.integers(0, 5)), max_size=12),
    st.sampled_from([GRAPH_ORDER, DATE_ORDER, AUTHOR_ORDER]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_parent_before_its_children(make_history: Any, rows: list[tuple[set[int], int]], order: str) -> None:
    history = make_history()
    oids = []
    for number, (above, time) in enumerate(rows):
        oids.append(history.add(f"c{number}", [f"c{n}" for n in sorted(above) if n < number], time=time))
    walk = loaded(history)
    found = topological(walk, oids, order)
    place = {oid: at for at, oid in enumerate(found)}
    assert sorted(found) == sorted(oids)
    assert all(place[oid] < place[parent] for oid in oids for parent in walk.parents[oid])


def test_an_ancestry_path_leads_from_its_ends_up(two_lines: Any, oid_of: Any, named: Any) -> None:
    walk = loaded(two_lines)
    newest_first = [oid_of(name) for name in "medc"]
    walk.flags[oid_of("b")] |= UNINTERESTING | BOTTOM
    walk.flags[oid_of("c")] |= ON_ANCESTRY_PATH
    ends = bottoms(walk, [oid_of("m"), oid_of("b")])
    assert named(ends) == ["b"]
    limit_to_ancestry(walk, ends, newest_first)
    assert named(oid for oid in newest_first if walk.flags[oid] & UNINTERESTING) == ["e"]


def test_an_ancestry_path_does_not_depend_on_the_order(two_lines: Any, oid_of: Any, named: Any) -> None:
    walk = loaded(two_lines)
    limit_to_ancestry(walk, [oid_of("a")], [oid_of(name) for name in "bcdem"])  # parents last, as when clocks lie
    assert not any(flags & UNINTERESTING for flags in walk.flags.values())


def test_one_side_is_hidden(two_lines: Any, oid_of: Any, named: Any) -> None:
    oids = [oid_of("d"), oid_of("e")]
    for right, hidden in ((True, ["d"]), (False, ["e"])):
        walk = loaded(two_lines)
        walk.flags[oid_of("d")] |= LEFT
        limit_to_side(walk, oids, right=right)
        assert named(oid for oid in oids if walk.flags[oid] & SHOWN) == hidden
