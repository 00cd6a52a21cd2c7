"""Commits as a walk sees them, by oid and by number."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.graph.nodes import INFINITE, Nodes, Numbers, PackNumbers, answer_when_long, numbered_when_long
from gitglass.objects.source import LongHistory, Unnumbered

from ..support.histories import empty_pack, oid


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
        oid_reader=lambda: oids.__getitem__, facts=[((), 50), ((0,), 60)].__getitem__, level=[1, 2].__getitem__,
        number=oids.index, tree=None, tree_reader=None,
    )  # fmt: skip
    numbers = Numbers(history.store, positions)
    assert numbers.time(1) == 60 and numbers.facts(1) == ((0,), 60)
    assert numbers.generation(1) == 2 and numbers.number(oid_of("b")) == 1
    assert numbers.oids((1, 0)) == (oid_of("b"), oid_of("a"))
    assert numbers.commit(0).oid == oid_of("a") and numbers.commit(1).message == b"b\n"


def long_walk(store: Any, went: list[Any], *, numbered: bool = True) -> Any:
    """A walk that is long by oid, and that goes by number if it can."""

    def go(numbers: PackNumbers | None, ends: bool) -> Iterator[str]:
        went.append((numbers is not None, ends))
        if numbers is None and ends:
            raise LongHistory(empty_pack())
        yield "0"
        if numbers is not None and not numbered:
            raise Unnumbered
        yield from "12"

    return list(numbered_when_long(store, go))


def test_a_long_walk_begins_again_by_number(history: Any) -> None:
    went: list[Any] = []
    assert long_walk(history.store, went) == ["0", "1", "2"]
    assert went == [(False, True), (True, False)]
    went.clear()
    assert long_walk(history.store, went) == ["0", "1", "2"]
    assert went == [(True, False)]  # the numbers are kept
    went.clear()
    history.store.odb.numbering.pack.is_open = False  # the pack is gone
    assert long_walk(history.store, went) == ["0", "1", "2"]
    assert went == [(False, True), (True, False)]
    went.clear()
    history.store.odb.grafted = {b"x": ()}  # history is another one now
    assert long_walk(history.store, went) == ["0", "1", "2"]
    assert went[0] == (False, True)


def test_a_walk_without_numbers_goes_by_oid(history: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[Any] = []
    assert long_walk(history.store, went, numbered=False) == ["0", "1", "2"]
    assert went == [(False, True), (True, False), (False, False)]
    went.clear()
    assert list(numbered_when_long(history.store, lambda numbers, ends: iter([numbers, ends]), restarts=False)) == [
        None, False,
    ]  # fmt: skip
    monkeypatch.setattr("gitglass.graph.nodes.KEPT", -1)  # too many to keep
    long_walk(history.store, went)
    assert history.store.odb.numbering is None


def test_a_long_question_begins_again_by_number(history: Any) -> None:
    history.add("a", time=7)
    went: list[Any] = []

    def ask(nodes: Any) -> int:
        went.append(type(nodes))
        if type(nodes) is Nodes and len(went) == 1:
            raise LongHistory(empty_pack())
        if len(went) == 3:
            raise Unnumbered
        return int(nodes.time(nodes.number(oid("a"))))

    assert answer_when_long(history.store, ask) == 7 and went == [Nodes, PackNumbers]
    assert answer_when_long(history.store, ask) == 7 and went[2:] == [PackNumbers, Nodes]
    numbers = PackNumbers(history.store, history.store.odb.numbering)
    number = numbers.number(oid("a"))
    assert numbers.oid(number) == oid("a") and numbers.generation(number) == INFINITE
    assert numbers.author_time(number) == 7 and numbers.oids((number,)) == (oid("a"),)
