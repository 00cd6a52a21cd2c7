"""Walks that exclude commits, by level: what the general walk gives, how little is marked, and where a clock is wrong."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gitglass.graph import reached
from gitglass.graph.positions import positions_in
from gitglass.history.order import excluded
from gitglass.history.order.excluded import apart_test, count_apart, excludes_only, rows_apart
from gitglass.history.pipeline import _entries
from gitglass.history.spec import LEFT, MARKED, Tip, WalkSpec
from gitglass.history.walk import Walk
from gitglass.limits import Context

from .test_early import EXCLUDED, LETTERS, tip, with_graph

SIDES: list[dict[str, Any]] = [{}, {"left_only": True}, {"right_only": True}, {"left_right": True}]
OTHERS: list[dict[str, Any]] = [
    {}, {"reverse": True}, {"skip": 2}, {"min_parents": 2}, {"limited": True}, {"skip": 2, "reverse": True},
    {"matcher": lambda commit: commit.oid[0] % 2 == 0}, {"rewrite_parents": True},
]  # fmt: skip


def made(history: Any, chance: random.Random) -> Any:
    parents = {
        letter: "".join(chance.sample(LETTERS[max(nth - 5, 0) : nth], min(nth, chance.choice([1, 1, 1, 1, 2, 3]))))
        for nth, letter in enumerate(LETTERS)
    }
    pace = chance.choice([1, 2, 4])
    return with_graph(history, parents, {letter: nth // pace for nth, letter in enumerate(LETTERS)})


def general(store: Any, tips: list[Tip], spec: WalkSpec) -> list[Any]:
    return [(entry.oid, entry.parents, entry.flags & MARKED) for entry in _entries(Walk(store, spec, Context()), tips)]


def bases(store: Any, one: str, two: str) -> list[Tip]:
    """The common ancestors of two commits, all of them excluded."""
    reached = [{oid for oid, _, _ in general(store, [tip(letter)], WalkSpec(raw=False))} for letter in (one, two)]
    return [Tip(oid, EXCLUDED) for oid in reached[0] & reached[1]]


@pytest.mark.parametrize("step", [1, 16])
@pytest.mark.parametrize("seed", range(20))
def test_commits_and_sides_are_those_of_the_general_walk(
    history: Any, seed: int, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reached, "_FIRST_STEP", step)
    chance = random.Random(seed)
    store = made(history, chance)
    for _ in range(12):
        one, two = chance.choice(LETTERS[9:]), chance.choice(LETTERS[9:])
        tips = [tip(one), tip(chance.choice(LETTERS[:20]), EXCLUDED)]
        if chance.random() < 0.5:
            tips = [tip(one, LEFT), tip(two), *bases(store, one, two)]
        if chance.random() < 0.3:
            tips.append(tip(chance.choice(LETTERS[:20]), EXCLUDED))
        if not any(named.flags & EXCLUDED for named in tips):
            continue
        for side in SIDES:
            for other in OTHERS:
                spec = WalkSpec(raw=False, **{**side, **other})
                assert excludes_only(tips, spec)
                rows = rows_apart(store, tips, spec, Context())
                assert rows is not None
                assert [(row[0], row[1], row[3]) for row in rows] == general(store, tips, spec), (side, other)
        assert count_apart(store, tips, Context()) == len(general(store, tips, WalkSpec(raw=False)))


def test_an_excluded_commit_that_is_younger_than_its_child_is_noticed(history: Any) -> None:
    parents = {"a": "", "b": "a", "c": "b", "d": "c", "e": "b"}
    for wrong in "abcde":
        times = {letter: 9 if letter == wrong else nth for nth, letter in enumerate(parents)}
        store = with_graph(type(history)(), parents, times)
        rows = rows_apart(store, [tip("e"), tip("d", EXCLUDED)], WalkSpec(raw=False), Context())
        assert (rows is None) == (wrong in "abc"), wrong  # d is nobody's parent, and e is not excluded


def test_a_younger_parent_of_a_merge_is_noticed_too(history: Any) -> None:
    parents = {"a": "", "b": "a", "c": "a", "d": "bc", "e": "b"}
    store = with_graph(history, parents, {"a": 1, "b": 2, "c": 9, "d": 4, "e": 5})
    assert rows_apart(store, [tip("e"), tip("d", EXCLUDED)], WalkSpec(raw=False), Context()) is None
    assert count_apart(store, [tip("e"), tip("d", EXCLUDED)], Context()) is None


@pytest.mark.parametrize("young", ["", "beg"])
def test_a_side_is_passed_on_as_the_general_walk_does(history: Any, young: str) -> None:
    parents = {"a": "", "b": "a", "c": "b", "d": "c", "e": "b", "f": "d", "g": "e"}
    tips = [tip("f", LEFT), tip("g"), tip("a", EXCLUDED)]
    times = {letter: nth + 20 * (letter in young) for nth, letter in enumerate(parents)}
    store, spec = with_graph(history, parents, times), WalkSpec(raw=False)
    rows = list(rows_apart(store, tips, spec, Context()) or ())
    assert [(row[0], row[1], row[3]) for row in rows] == general(store, tips, spec)
    assert {row[0][:1] for row in rows if row[3] & LEFT} == {b"f", b"d", b"c", b"b"}


def test_only_levels_above_the_wanted_commits_are_marked(history: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reached, "_FIRST_STEP", 1)
    parents = {letter: LETTERS[nth - 1] if nth else "" for nth, letter in enumerate(LETTERS)}
    store = with_graph(history, parents, {letter: nth for nth, letter in enumerate(LETTERS)})
    oids = [tip(letter).oid for letter in "wz"]
    within = positions_in(store, oids, Context())
    assert within is not None
    walk = excluded._listed(*within, [tip("w", EXCLUDED), tip("z")], WalkSpec(), Context())
    assert walk is not None
    [commits, _, _], marks = walk
    assert [within[0].oid(position)[:1] for position in commits] == [b"z", b"y", b"x"]
    assert sum(mark & reached.REACHED for mark in marks) <= 3


@pytest.mark.parametrize(
    ("tips", "spec"),
    [([tip("b")], {}), ([tip("b"), tip("a", EXCLUDED)], {"boundary": True}),
     ([tip("b"), tip("a", EXCLUDED)], {"first_parent": True}), ([tip("b"), tip("a", EXCLUDED)], {"order": "graph"}),
     ([tip("b"), tip("a", EXCLUDED)], {"max_age": 3}), ([tip("b"), tip("a", EXCLUDED)], {"sources": True})],
)  # fmt: skip
def test_what_it_does_not_do(tips: list[Tip], spec: dict[str, Any]) -> None:
    assert not excludes_only(tips, WalkSpec(**spec))


def test_where_there_are_levels_the_general_walk_makes_the_head_of_the_list(history: Any) -> None:
    store = with_graph(history, {"a": "", "b": "a"}, {"a": 1, "b": 2})
    assert rows_apart(store, [tip("b"), tip("a", EXCLUDED)], WalkSpec(max_count=1), Context()) is None
    store.odb.graph = None
    rows = rows_apart(store, [tip("b"), tip("a", EXCLUDED)], WalkSpec(max_count=1), Context())
    assert rows is not None and [row[0] for row in rows] == [tip("b").oid]


@pytest.mark.parametrize("seed", range(10))
def test_each_commit_by_itself(history: Any, seed: int) -> None:
    chance = random.Random(seed)
    store = made(history, chance)
    for _ in range(10):
        tips = [tip(chance.choice(LETTERS[9:])), *(tip(chance.choice(LETTERS[:20]), EXCLUDED) for _ in range(2))]
        reached = [oid for oid, _, _ in general(store, tips[:1], WalkSpec(raw=False))]
        expected = {oid for oid, _, _ in general(store, tips, WalkSpec(raw=False))}
        is_apart = apart_test(store, tips, Context(), lambda: pytest.fail("all of them"))
        chance.shuffle(reached)
        assert {oid for oid in reached if is_apart(oid)} == expected


def test_each_commit_where_a_clock_is_wrong_or_no_graph_is_there(history: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reached, "_FIRST_STEP", 1)
    parents = {"a": "", "b": "a", "c": "b", "d": "c", "e": "b"}
    store = with_graph(history, parents, {"a": 9, "b": 2, "c": 3, "d": 4, "e": 5})
    tips, calls = [tip("e"), tip("d", EXCLUDED)], list[int]()

    def all_of_them() -> set[bytes]:
        calls.append(1)
        return {tip("a").oid}

    is_apart = apart_test(store, tips, Context(), all_of_them)
    assert is_apart(tip("e").oid) and not calls
    assert is_apart(tip("a").oid) and not is_apart(tip("b").oid)
    assert calls == [1]
    store.odb.graph = None
    assert apart_test(store, tips, Context(), all_of_them)(tip("a").oid)
    assert calls == [1, 1]
