"""The steps of names are kept for one call, in their order."""

from types import SimpleNamespace
from typing import Any

from gitglass.graph.steps import note_steps, steps_taken
from gitglass.memories import PerCall


def test_steps_are_those_of_the_call() -> None:
    store: Any = SimpleNamespace(per_call=PerCall())
    assert not steps_taken(store)
    note_steps(store, b"a", 3)
    note_steps(store, b"b", 1, from_graph=True)
    assert list(steps_taken(store)) == [(b"a", 3, False), (b"b", 1, True)]
    store.per_call.clear()
    assert not steps_taken(store)
