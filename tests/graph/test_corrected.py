"""The order of git's search for common ancestors, where a commit-graph corrects commit dates."""

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.graph.corrected import corrected
from gitglass.graph.merge_base import painted
from gitglass.graph.nodes import Nodes

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
