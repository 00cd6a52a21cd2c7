"""Commits as a walk sees them, by oid and by number."""

from types import SimpleNamespace
from typing import Any

from gitglass.graph.nodes import INFINITE, Nodes, Numbers


def test_the_facts_of_a_commit_by_oid(history: Any, oid_of: Any) -> None:
    history.add("a", time=7)
    history.store.odb.generation = {oid_of("a"): 3}.get
    nodes = Nodes(history.store)
    assert nodes.time(oid_of("a")) == 7
    assert nodes.generation(oid_of("a")) == 3
    assert nodes.generation(oid_of("b")) == INFINITE > 1 << 60


def test_the_generation_of_a_root_is_not_taken_for_none(history: Any, oid_of: Any) -> None:
    history.store.odb.generation = {oid_of("old"): 0}.get
    assert Nodes(history.store).generation(oid_of("old")) == 0


def test_by_number_the_graph_is_asked(history: Any, oid_of: Any) -> None:
    for name in "ab":
        history.add(name)
    oids = [oid_of("a"), oid_of("b")]
    positions: Any = SimpleNamespace(
        oid_reader=lambda: oids.__getitem__, facts=[((), 50), ((0,), 60)].__getitem__, level=[1, 2].__getitem__
    )
    numbers = Numbers(history.store, positions)
    assert numbers.time(1) == 60 and numbers.facts(1) == ((0,), 60)
    assert numbers.generation(1) == 2
    assert numbers.oids((1, 0)) == (oid_of("b"), oid_of("a"))
    assert numbers.commit(0).oid == oid_of("a") and numbers.commit(1).message == b"b\n"
