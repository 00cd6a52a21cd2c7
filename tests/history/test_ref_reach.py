"""Many refs against a few commits, on random graphs with clocks that run right or wrong."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitglass.history.ref_reach import that_are_reached, that_contain
from gitglass.limits import Context
from gitglass.memories import PerCall
from gitglass.objects.numbering import Numbering

from ..graph import test_positions as numbered
from ..support.histories import empty_pack


class Graph:
    """A store whose commits are numbers."""

    def __init__(self, parents: list[list[int]], times: list[int]) -> None:
        self.odb = self
        self.graph = self.numbering = None
        self.generation = lambda oid: None
        self.commit, self.per_call = self.commit_facts, PerCall()
        self.parents = {bytes([i]): tuple(bytes([p]) for p in row) for i, row in enumerate(parents)}
        self.times = times

    def commit_facts(self, oid: bytes) -> tuple[tuple[bytes, ...], int, bytes]:
        return self.parents[oid], self.times[oid[0]], b""

    def facts_reader(self, *, ends: bool = False) -> Any:
        return self.commit_facts

    def ancestors(self, oid: bytes) -> set[bytes]:
        seen, stack = {oid}, [oid]
        while stack:
            for parent in self.parents[stack.pop()]:
                if parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
        return seen


@st.composite
def graphs(draw: Any) -> tuple[Graph, set[bytes], list[bytes]]:
    size = draw(st.integers(1, 12))
    parents = [draw(st.lists(st.integers(0, i - 1), max_size=2, unique=True)) if i else [] for i in range(size)]
    wrong = draw(st.booleans())
    times = [draw(st.integers(0, 10)) * 100_000 if wrong else i for i in range(size)]
    some = st.lists(st.integers(0, size - 1), min_size=1, max_size=size).map(lambda rows: [bytes([i]) for i in rows])
    return Graph(parents, times), set(draw(some)), draw(some)[:3]


def give_numbers(graph: Any) -> None:
    """Questions are answered by number from now on."""
    pack = empty_pack()
    graph.numbering, graph.grafted, graph.replaced = Numbering(pack, graph.commit_facts), {}, {}


@given(graphs())
def test_contains(case: tuple[Any, set[bytes], list[bytes]]) -> None:
    graph, refs, wanted = case
    expected = {ref for ref in refs if graph.ancestors(ref) & set(wanted)}
    assert that_contain(graph, refs, wanted, ctx=Context()) == expected
    give_numbers(graph)
    assert that_contain(graph, refs, wanted, ctx=Context()) == expected


@given(graphs())
def test_merged(case: tuple[Any, set[bytes], list[bytes]]) -> None:
    graph, refs, tips = case
    reached = set().union(*(graph.ancestors(tip) for tip in tips))
    right = all(graph.times[p[0]] <= graph.times[oid[0]] for oid, above in graph.parents.items() for p in above)
    by_oid = that_are_reached(graph, refs, tips, ctx=Context())
    give_numbers(graph)
    for found in (by_oid, that_are_reached(graph, refs, tips, ctx=Context())):
        assert found == refs & reached if right else found <= reached  # git may miss some where clocks lie


@given(numbered.graphs(), st.integers(1, 3))
def test_merged_by_position(case: tuple[Any, list[int]], count: int) -> None:
    graph, numbers = case
    refs, tips = numbers[:count], numbers[count:]
    expected = {numbered.name(ref) for ref in refs if ref in graph.ancestors(tips)}
    found = that_are_reached(graph, set(map(numbered.name, refs)), map(numbered.name, tips), ctx=Context())
    assert found == expected


def test_it_stops_early() -> None:
    graph: Any = Graph([[i - 1] if i else [] for i in range(200)], list(range(200)))
    graph.times = [i * 1_000_000 for i in range(200)]
    asked = []
    facts = graph.commit_facts
    graph.commit_facts = lambda oid: asked.append(oid) or facts(oid)
    assert that_contain(graph, {bytes([199])}, [bytes([190])], ctx=Context()) == {bytes([199])}
    assert that_are_reached(graph, {bytes([190])}, [bytes([199])], ctx=Context()) == {bytes([190])}
    assert min(oid[0] for oid in asked) > 150
