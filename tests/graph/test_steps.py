"""The steps of names are kept for one call, in their order."""

from types import SimpleNamespace
from typing import Any

from gitglass.graph.steps import note_steps, steps_taken, tips_read
from gitglass.memories import PerCall


def test_steps_are_those_of_the_call() -> None:
    store: Any = SimpleNamespace(per_call=PerCall())
    assert not steps_taken(store)
    note_steps(store, b"a", 3)
    note_steps(store, b"b", 1)
    assert list(steps_taken(store)) == [(b"a", 3, False), (b"b", 1, False)]
    store.per_call.clear()
    assert not steps_taken(store)


def test_a_commit_that_a_name_stood_for_before_was_read_from_the_graph() -> None:
    store: Any = SimpleNamespace(per_call=PerCall())
    note_steps(store, b"a", 9)
    tips_read(store).add(b"a")
    note_steps(store, b"a", 9)
    assert [steps.from_graph for steps in steps_taken(store)] == [False, True]
    store.per_call.clear()
    assert not tips_read(store)
