"""The order of git's search for common ancestors, where a commit-graph corrects commit dates."""

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.graph.corrected import corrected, corrected_dates, is_true_by_date
from gitglass.graph.merge_base import painted
from gitglass.graph.nodes import INFINITE, Nodes, Numbers

from ..support.histories import oid


@pytest.fixture
def graph(history: Any) -> Any:
    """Two branches of a root; below one of them, `late`, is a commit from the future, `odd`. The graph has all but
    `new`."""
    history.add("root", time=10)
    history.add("odd", ["root"], time=900)
    history.add("late", ["odd"], time=30)
    history.add("later", ["late"], time=40)
    history.add("side", ["root"], time=50)
    history.add("new", ["side"], time=60)
    above = {"root": 0, "odd": 0, "late": 871, "later": 0x80000000, "side": 0}
    places = {oid(name): at for at, name in enumerate(above)}
    dates = {oid("later"): 902}
    stored = struct.pack(">5I", *above.values())
    history.store.odb.graph = SimpleNamespace(
        count=5, has_corrected=True, position=places.get, differences=lambda: stored, corrected_date=dates.get
    )
    return history


def test_corrected_dates_come_first(graph: Any) -> None:
    nodes = corrected(graph.store, Nodes(graph.store))
    assert nodes is not None
    assert nodes.facts(oid("late")) == ((oid("odd"),), 901 << 64 | 30)
    order = ["new", "later", "late", "odd", "side", "root"]
    assert sorted(order, key=lambda name: -nodes.facts(oid(name))[1]) == order
    assert nodes.facts(oid("later"))[1] == 902 << 64 | 40 and nodes.facts(oid("root"))[1] == 10 << 64 | 10


def test_where_no_date_is_corrected_the_order_is_that_of_dates(graph: Any) -> None:
    graph.store.odb.graph.differences = lambda: bytes(20)
    assert corrected(graph.store, Nodes(graph.store)) is None
    graph.store.odb.graph.differences = lambda: b"\1" * 16  # broken
    assert corrected(graph.store, Nodes(graph.store)) is None


def test_the_search_reads_what_it_comes_to_in_this_order(graph: Any) -> None:
    """By date alone `late` would be passed before `side`, and `odd` come last of all."""
    names = {oid(name): name for name in ("root", "odd", "late", "later", "side", "new")}

    def read(one: str, two: str) -> list[str]:
        return [names[node] for node in painted(graph.store, oid(one), [oid(two)], ctx=graph.ctx)]

    assert read("side", "later") == ["side", "later", "late", "odd", "root"]
    graph.store.odb.graph.has_corrected = False
    assert read("side", "later") == ["side", "later", "root", "late", "odd"]


def test_the_dates_by_number_are_the_same(graph: Any) -> None:
    places = ["root", "odd", "late", "later", "side", "new"]
    numbers = object.__new__(Numbers)
    numbers.oid, numbers.number, numbers.facts = (lambda at: oid(places[at])), places.index, places.__getitem__
    date_of = corrected_dates(graph.store, numbers)
    times = [graph.facts[oid(name)][1] for name in places]
    assert [date_of(at, times[at]) for at in range(5)] == [10, 900, 901, 902, 50]
    assert date_of(5, 60) == INFINITE  # in no commit-graph
    graph.store.odb.graph.differences = lambda: bytes(20)
    date_of = corrected_dates(graph.store, numbers)
    assert [date_of(at, times[at]) for at in range(6)] == [10, 900, 30, 40, 50, INFINITE]


def test_clocks_are_known_to_be_right_from_the_graph_alone(graph: Any) -> None:
    assert not is_true_by_date(graph.store, [0, 4])  # one of all the commits is older than its parent
    graph.store.odb.graph.differences = lambda: bytes(20)
    assert is_true_by_date(graph.store, [0, 4]) and is_true_by_date(graph.store, [])
    assert not is_true_by_date(graph.store, [0, 5])  # one that the graph does not have
    graph.store.odb.graph.differences = lambda: bytes(16)  # broken
    assert not is_true_by_date(graph.store, [0])
    graph.store.odb.graph.differences = lambda: bytes(20)
    graph.store.odb.graph.has_corrected = False
    assert not is_true_by_date(graph.store, [0])
    graph.store.odb.graph = None
    assert not is_true_by_date(graph.store, [0])
