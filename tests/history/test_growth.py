"""What must not grow faster than history: how often commits are looked at is counted, not how long it takes."""

from __future__ import annotations

import random
from typing import Any
from unittest import mock

import pytest

from gitglass.graph.merge_base import independent
from gitglass.history.order.numbered import numbered_rows
from gitglass.history.order.whole import ordered_rows
from gitglass.history.pipeline import walk
from gitglass.history.spec import GRAPH_ORDER, Tip, WalkSpec
from gitglass.limits import Context
from gitglass.memories import Facts, PerCall, Table
from gitglass.objects import commit_graph as commitgraph
from gitglass.objects.commit_graph import graph_facts_reader
from gitglass.objects.sequential import CommitFacts

from .test_numbered_paths import graph_of


def _table(most: int) -> Table[bytes, CommitFacts]:
    return PerCall().table(Facts("facts", most=most, each=1))


def two_lines(history: Any, rungs: int) -> list[bytes]:
    """A line that merges another one, which never merges it, every fourth commit."""
    history.files = {}
    oids: list[bytes] = []
    for n in range(rungs):
        for name, above in ((f"b{n}", [f"b{n - 1}"] if n else []), (f"a{n}", [f"a{n - 1}"] if n else [])):
            if name.startswith("a") and n % 4 == 3:
                above.append(f"b{n}")
            oids.append(history.add(name, above, len(oids), x=name))
            history.files[oids[-1]] = {"x": name}
    return oids


def simplified(history: Any, oids: list[bytes], decorated: set[bytes]) -> tuple[list[bytes], int]:
    """The decorated commits and their ties, and how many facts were read."""
    read = 0
    facts = history.facts

    def look(oid: bytes) -> Any:
        nonlocal read
        read += 1
        return facts[oid]

    history.store.odb.facts_reader = lambda ends=False: look
    spec = WalkSpec(prune=True, decorated=decorated, simplify_merges=True, rewrite_parents=True, limited=True,
                    simplify_history=False, order=GRAPH_ORDER, raw=False)  # fmt: skip
    found = [entry.oid for entry in walk(history.store, [Tip(oids[-1])], spec, ctx=Context())]
    return found, read


def test_decorated_commits_are_found_in_one_pass(make_history: Any) -> None:
    counts = []
    for rungs in (100, 800):
        history = make_history()
        oids = two_lines(history, rungs)
        decorated = set(oids[:: rungs // 10 + 1])
        counts.append(simplified(history, oids, decorated)[1])
    assert counts[1] < 10 * counts[0]


def test_lines_are_left_out_in_one_pass(make_history: Any) -> None:
    """Also those that lead to a commit with several children."""
    steps = []
    for rungs in (5, 40):
        history = make_history()
        name = "0"
        history.add(name)
        for rung in range(1, rungs):
            for side in "ab":
                for nth in range(3):
                    above = f"{rung}{side}{nth - 1}" if nth else name
                    history.add(f"{rung}{side}{nth}", [above], 9 * rung + nth)
            name = f"{rung}"
            history.add(name, [f"{rung}a2", f"{rung}b2"], 9 * rung + 8)
            for nth in range(6):
                history.add(f"{rung}t{nth}", [name], 9 * rung + 8)
                name = f"{rung}t{nth}"
        tip = list(history.facts)[-1]
        spec = WalkSpec(prune=True, decorated={tip}, simplify_merges=True, rewrite_parents=True, limited=True,
                        simplify_history=False, order=GRAPH_ORDER, raw=False)  # fmt: skip
        ctx = Context()
        found = [entry.oid for entry in walk(history.store, [Tip(tip)], spec, ctx=ctx)]
        assert tip in found
        steps.append(ctx._count)
    assert steps[1] < 12 * steps[0]


@pytest.mark.parametrize("seed", range(60))
def test_the_simplified_history_reaches_what_the_true_one_does(make_history: Any, seed: int) -> None:
    pick = random.Random(seed)
    history = make_history()
    oids: list[bytes] = []
    for n in range(pick.randrange(2, 40)):
        near = [str(parent) for parent in range(max(0, n - 6), n)]
        oids.append(history.add(str(n), pick.sample(near, min(len(near), pick.choice([1, 1, 2, 2, 3]))), n, x=str(n)))
    decorated = {oid for oid in oids if pick.random() < 0.4}
    quick = simplified(history, oids, decorated)[0]
    with mock.patch("gitglass.history.simplify._Rewritten", lambda walk: None):  # asks the commits themselves
        assert quick == simplified(history, oids, decorated)[0]


@pytest.mark.parametrize("seed", range(60))
def test_a_graph_answers_as_the_commits_do(make_history: Any, seed: int) -> None:
    """Facts, independent commits and topological rows, with a graph of all or of the older commits."""
    pick = random.Random(seed)
    history = make_history()
    history.files = {}
    oids: list[bytes] = []
    for n in range(pick.randrange(2, 40)):
        near = [chr(65 + parent) for parent in range(max(0, n - 6), n)]
        above = pick.sample(near, min(len(near), pick.choice([0, 1, 1, 2, 2, 3])))
        oids.append(history.add(chr(65 + n), above, n, x=str(n)))
        history.files[oids[-1]] = {"x": str(n)}
    odb, some = history.store.odb, pick.sample(oids, min(len(oids), 4))
    spec = WalkSpec(order=GRAPH_ORDER, graph=True, rewrite_parents=True, raw=False, skip=pick.choice([0, 2]),
                    max_count=pick.choice([-1, 3]))  # fmt: skip
    alone = independent(history.store, some, ctx=Context())
    rows = [row[:2] for row in ordered_rows(history.store, list(map(Tip, some)), spec, Context())]
    with mock.patch.object(commitgraph, "_PROMOTE", pick.choice([0, 3])):
        odb.graph = graph = graph_of(history, [oids[: len(oids) if pick.random() < 0.5 else len(oids) // 2 + 1]])
        elsewhere: list[bytes] = []

        def otherwise(oid: bytes) -> Any:
            elsewhere.append(oid)
            position = graph.position(oid)
            return history.facts[oid] if position is None else graph.facts(position)

        read = graph_facts_reader(graph, _table(pick.choice([3, 1000])), lambda: graph, otherwise)
        for oid in [*reversed(oids), *pick.choices(oids, k=20)]:
            assert read(oid) == history.facts[oid]
        assert independent(history.store, some, ctx=Context()) == alone
        numbered = numbered_rows(
            history.store, list(map(Tip, some)), spec, Context(), lambda: pytest.fail("no boundary is asked for")
        )
        assert numbered is not None
        found = [row[:2] for row in numbered]
        assert {oid for oid, _ in found} <= set(oids)
        if spec.skip == 0 and spec.max_count < 0:
            assert sorted(found) == sorted(rows)
        assert len(found) == len(rows)


def test_a_graph_that_is_not_trusted_any_more_is_left(make_history: Any) -> None:
    history = make_history()
    oids = two_lines(history, 20)
    graph = graph_of(history, [oids])
    graph.rows()
    graph.names()
    trusted = [graph]
    read = graph_facts_reader(graph, _table(9), lambda: trusted[0], lambda oid: ((), 0, b"elsewhere"))
    assert read(oids[-1]) == history.facts[oids[-1]]
    trusted[0] = None
    assert read(oids[-2]) == ((), 0, b"elsewhere")
