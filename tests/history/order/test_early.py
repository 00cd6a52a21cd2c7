"""The head of `A..B` before the rest is known: what the general walk gives, and how little is looked at for it."""

from __future__ import annotations

import random
from itertools import product
from typing import Any
from unittest import mock

import pytest

from gitglass.graph.positions import positions_in
from gitglass.history import pipeline
from gitglass.history.order.early import wanted_of
from gitglass.history.pipeline import walk
from gitglass.history.spec import BOTTOM, LEFT, UNINTERESTING, Tip, WalkSpec
from gitglass.history.walk import Walk
from gitglass.limits import Context
from gitglass.memories import ByOid

from ..test_dispatch import told
from ..test_numbered_paths import graph_of

LETTERS = "abcdefghijklmnopqrstuvwxyz"
EXCLUDED = UNINTERESTING | BOTTOM


def with_graph(history: Any, parents: dict[str, str], times: dict[str, int]) -> Any:
    """A store with these commits, all in its commit-graph."""
    history.store.odb.by_oid = ByOid(1 << 20)
    history.files = {}
    for letter, above in parents.items():
        history.files[history.add(letter, above, times[letter], x=letter)] = {"x": letter}
    history.store.once = False
    history.store.odb.graph = graph_of(history, [list(history.facts)])
    history.store.odb.generation = history.store.odb.graph.generation
    return history.store


def tip(letter: str, flags: int = 0) -> Tip:
    return Tip(letter.encode().ljust(20, b"\0"), flags, letter.encode())


@pytest.mark.parametrize("seed", range(30))
def test_the_head_is_that_of_the_whole_list(history: Any, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, limited = random.Random(seed), list[Walk]()
    limit = Walk.limit

    def counted(self: Walk, *nodes: Any) -> Any:  # a mock of this signature would take longer to make than a walk
        limited.append(self)
        return limit(self, *nodes)

    monkeypatch.setattr(Walk, "limit", counted)
    parents = {
        letter: "".join(chance.sample(LETTERS[max(nth - 5, 0) : nth], min(nth, chance.choice([1, 1, 1, 1, 2, 3]))))
        for nth, letter in enumerate(LETTERS)
    }
    lies = chance.choice([0, 0, 9])
    times = {letter: max(nth // 2 + chance.randint(-lies, lies), 0) for nth, letter in enumerate(LETTERS)}
    store, early = with_graph(history, parents, times), 0
    for _ in range(20):
        tips = [tip(chance.choice(LETTERS[9:])), tip(chance.choice(LETTERS[:20]), EXCLUDED)]
        tips += [tip(chance.choice(LETTERS), flags) for flags in (0, EXCLUDED) if chance.random() < 0.3]
        for boundary, ancestry, reverse in product([False, True], repeat=3):
            spec = WalkSpec(max_count=chance.choice([1, 2, 5]), skip=chance.choice([0, 0, 2]), raw=False,
                            boundary=boundary, ancestry_path=ancestry, reverse=reverse)  # fmt: skip
            with mock.patch.object(pipeline, "wanted_of", lambda spec: 0):
                expected = told(pipeline._entries(Walk(store, spec, Context()), tips), spec)
            limited.clear()
            assert told(walk(store, tips, spec, ctx=Context()), spec) == expected
            early += not limited
    assert early


def test_no_more_is_looked_at_than_is_shown(history: Any) -> None:
    parents = {letter: LETTERS[nth - 1] if nth else "" for nth, letter in enumerate(LETTERS)}
    store = with_graph(history, parents, {letter: nth for nth, letter in enumerate(LETTERS)})
    tips = [tip("z"), tip("b", EXCLUDED)]
    for options in ({}, {"boundary": True}, {"reverse": True}):
        shown = list(walk(store, tips, WalkSpec(max_count=3, raw=False, **options), ctx=Context()))
        assert {entry.oid[:1] for entry in shown} >= {b"x", b"y", b"z"}
        with mock.patch.object(Walk, "limit", side_effect=AssertionError):
            again = walk(store, tips, WalkSpec(max_count=3, raw=False, **options), ctx=Context())
            assert [entry.oid for entry in again] == [entry.oid for entry in shown]


def test_what_the_rest_decides_waits_for_it() -> None:
    assert wanted_of(WalkSpec(max_count=3, skip=2)) == 5
    for spec in (
        WalkSpec(),
        WalkSpec(max_count=0),
        WalkSpec(max_count=3, boundary=True, ancestry_path=True),
        WalkSpec(max_count=3, prune=True),
        WalkSpec(max_count=3, children=True),
        WalkSpec(max_count=3, max_age=4),
        WalkSpec(max_count=3, min_parents=2),
    ):
        assert not wanted_of(spec)


def test_sides_are_told_at_the_end_only(history: Any) -> None:
    parents = {letter: LETTERS[nth - 1] if nth else "" for nth, letter in enumerate(LETTERS)}
    store = with_graph(history, parents, {letter: nth for nth, letter in enumerate(LETTERS)})
    tips = [tip("z", LEFT), tip("y"), tip("b", EXCLUDED)]
    assert positions_in(store, [one.oid for one in tips], Context())
    with mock.patch.object(Walk, "limit", autospec=True, side_effect=Walk.limit) as limit:
        list(walk(store, tips, WalkSpec(max_count=3, raw=False), ctx=Context()))
    assert limit.called
