"""The head of a history simplified with --simplify-merges: what the whole list begins with, and from how little."""

from __future__ import annotations

import random
from itertools import product
from typing import Any
from unittest import mock

import pytest

from gitglass.history import pipeline
from gitglass.history.order.simplified import _Few, is_head
from gitglass.history.pipeline import _entries, walk
from gitglass.history.spec import DATE_ORDER, GRAPH_ORDER, UNINTERESTING, Tip, WalkSpec
from gitglass.history.walk import Walk
from gitglass.limits import Context
from gitglass.memories import ByOid
from gitglass.paths.pathspec import Pathspecs

from ..test_dispatch import told
from ..test_numbered_paths import graph_of

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
SIMPLIFYING: dict[str, Any] = {
    "prune": True, "simplify_merges": True, "simplify_history": False, "order": GRAPH_ORDER, "limited": True,
    "rewrite_parents": True, "raw": False,
}  # fmt: skip


def oid(letter: str) -> bytes:
    return letter.encode().ljust(20, b"\0")


def random_store(history: Any, chance: random.Random) -> Any:
    """Forty commits with branches and merges, some of which change the file x, all in a commit-graph."""
    history.store.odb.by_oid = ByOid(1 << 20)
    history.files = {}
    lies = chance.choice([0, 0, 9])
    for nth, letter in enumerate(LETTERS):
        near = LETTERS[max(nth - 6, 0) : nth]
        above = "".join(chance.sample(near, min(nth, chance.choice([1, 1, 1, 1, 1, 2, 2, 3]))))
        if nth == 5 and chance.random() < 0.5:
            above = ""  # a second root
        files = {"y": letter} if chance.random() < 0.2 else {"x": str(chance.randrange(3)), "y": letter}
        time = max(nth // 2 + chance.randint(-lies, lies), 0)
        history.files[history.add(letter, above, time, **files)] = files
    history.store.once = False
    history.store.odb.graph = graph_of(history, [list(history.facts)])
    history.store.odb.generation = history.store.odb.graph.generation
    return history.store


@pytest.mark.parametrize("seed", range(30))
def test_the_head_is_that_of_the_whole_list(history: Any, seed: int) -> None:
    chance = random.Random(seed)
    store = random_store(history, chance)
    for decorated, graph, reverse in list(product([False, True], repeat=3)) * 4:
        options = {**SIMPLIFYING, "graph": graph, "reverse": reverse, "order": chance.choice([GRAPH_ORDER, DATE_ORDER])}
        options.update(max_count=chance.choice([1, 2, 4]), skip=chance.choice([0, 0, 1]))
        if decorated:
            options["decorated"] = {oid(letter) for letter in chance.sample(LETTERS, 12)}
        if not decorated or chance.random() < 0.3:
            options["paths"] = Pathspecs.parse([b"x"])
        tips = [Tip(oid(letter)) for letter in chance.sample(LETTERS[25:], chance.choice([1, 1, 2]))]
        spec = WalkSpec(**options)
        assert is_head(tips, spec)
        expected = told(_entries(Walk(store, spec, Context()), tips), spec)
        assert told(walk(store, tips, spec, ctx=Context()), spec) == expected, spec


def test_what_takes_too_much_is_simplified_whole(history: Any) -> None:
    store = random_store(history, random.Random(1))
    tips, spec = [Tip(oid("N"))], WalkSpec(**SIMPLIFYING, max_count=9, paths=Pathspecs.parse([b"x"]))
    expected = told(_entries(Walk(store, spec, Context()), tips), spec)
    with mock.patch.object(_Few, "decide", lambda self, *nodes: False):
        assert told(walk(store, tips, spec, ctx=Context()), spec) == expected


def test_what_the_rest_decides_waits_for_it() -> None:
    tips, fit = [Tip(oid("N"))], {**SIMPLIFYING, "max_count": 3}
    assert is_head(tips, WalkSpec(**fit))
    assert not is_head([*tips, Tip(oid("a"), UNINTERESTING)], WalkSpec(**fit))
    for other in (
        {"max_count": -1},
        {"boundary": True},
        {"children": True},
        {"remove_empty": True},
        {"max_age": 3},
        {"matcher": bool},
        {"simplify_history": True},
        {"order": ""},
    ):
        assert not is_head(tips, WalkSpec(**{**fit, **other}))


def test_a_line_needs_no_more_than_what_is_next(history: Any) -> None:
    history.store.odb.by_oid = ByOid(1 << 20)
    history.files = {}
    for nth, letter in enumerate(LETTERS):
        files = {"x": str(nth)}
        history.files[history.add(letter, LETTERS[nth - 1] if nth else "", nth, **files)] = files
    history.store.once = False
    history.store.odb.graph = graph_of(history, [list(history.facts)])
    spec = WalkSpec(**SIMPLIFYING, max_count=2, paths=Pathspecs.parse([b"x"]))
    with mock.patch.object(pipeline, "prepared", side_effect=AssertionError):
        shown = list(walk(history.store, [Tip(oid("N"))], spec, ctx=Context()))
    assert [(entry.oid[:1], entry.parents) for entry in shown] == [(b"N", (oid("M"),)), (b"M", (oid("L"),))]
