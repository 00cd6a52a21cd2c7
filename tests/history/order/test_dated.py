"""Walks that exclude commits, by date: what the general walk gives, and what is left to it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gitglass.errors import MissingObject
from gitglass.graph.merge_base import merge_bases
from gitglass.graph.steps import note_steps
from gitglass.history.order import dated as module
from gitglass.history.order.dated import dated, dated_rows
from gitglass.history.order.whole import is_ordered, ordered_rows
from gitglass.history.pipeline import _entries, walk
from gitglass.history.spec import BOUNDARY, DATE_ORDER, GRAPH_ORDER, LEFT, MARKED, Tip, WalkSpec, excludes
from gitglass.history.walk import Walk
from gitglass.limits import Context
from gitglass.memories import ByOid

from .test_early import EXCLUDED, LETTERS, tip
from .test_excluded import OTHERS, SIDES, general


def without_graph(history: Any, parents: dict[str, str], times: dict[str, int]) -> Any:
    """A store with these commits."""
    history.store.odb.by_oid = ByOid(1 << 20)
    for letter, above in parents.items():
        history.add(letter, above, times[letter], x=letter)
    history.store.once = False
    history.store.odb.graph = None
    return history.store


def made(history: Any, chance: random.Random, *, lies: int) -> Any:
    """A random history; its dates are wrong by up to `lies` commits."""
    parents = {
        letter: "".join(chance.sample(LETTERS[max(nth - 5, 0) : nth], min(nth, chance.choice([1, 1, 1, 1, 2, 3]))))
        for nth, letter in enumerate(LETTERS)
    }
    pace = chance.choice([1, 2, 4])
    times = {letter: max(nth // pace + chance.randint(-lies, lies), 0) for nth, letter in enumerate(LETTERS)}
    return without_graph(history, parents, times)


def asked(store: Any, chance: random.Random) -> list[Tip]:
    """A..B, A...B, or more than one commit on either side."""
    one, two = chance.choice(LETTERS[9:]), chance.choice(LETTERS[9:])
    if chance.random() < 0.5:
        ends = merge_bases(store, tip(one).oid, [tip(two).oid], ctx=Context())
        return [tip(one, LEFT), tip(two), *(Tip(oid, EXCLUDED) for oid in ends)]
    ends = [tip(chance.choice(LETTERS[:20]), EXCLUDED) for _ in range(chance.choice([1, 1, 2]))]
    return [tip(one), *([tip(two)] if chance.random() < 0.3 else []), *ends]


@pytest.mark.parametrize("lies", [0, 3, 12])
@pytest.mark.parametrize("seed", range(15))
def test_commits_and_sides_are_those_of_the_general_walk(history: Any, seed: int, lies: int) -> None:
    chance = random.Random(seed)
    store, told = made(history, chance, lies=lies), 0
    for _ in range(12):
        tips = asked(store, chance)
        if not excludes(tips):
            continue
        for side in SIDES:
            for other in [*OTHERS, {"max_count": 3}, {"max_count": 0}]:
                spec = WalkSpec(raw=False, **{**side, **other})
                rows = dated_rows(store, tips, spec, Context())
                if rows is not None:
                    told += 1
                    assert [(row[0], row[1], row[3]) for row in rows] == general(store, tips, spec), (side, other)
    assert told or lies


@pytest.mark.parametrize("order", [GRAPH_ORDER, DATE_ORDER])
@pytest.mark.parametrize("seed", range(10))
def test_in_topological_order_too(history: Any, seed: int, order: str) -> None:
    chance = random.Random(seed)
    store = made(history, chance, lies=chance.choice([0, 3]))
    for _ in range(12):
        tips = asked(store, chance)
        for other in [{}, {"graph": True}, {"graph": True, "min_parents": 2}, {"reverse": True}, {"max_count": 4}]:
            spec = WalkSpec(order=order, rewrite_parents=True, **other)  # type: ignore[arg-type]
            assert is_ordered(tips, spec) or not excludes(tips)
            rows = ordered_rows(store, tips, spec, Context()) if excludes(tips) else None
            if rows is None:
                continue
            entries = list(_entries(Walk(store, spec, Context()), tips))
            expected = [(one.oid, one.parents, one.graph_parents, one.flags & MARKED) for one in entries]
            assert [(row[0], row[1], row[4], row[3]) for row in rows] == expected, other


def test_a_listed_commit_that_turns_out_to_be_excluded_is_left_to_the_general_walk(history: Any) -> None:
    parents = {"a": "", "b": "a", "c": "b", "d": "b"}
    store = without_graph(history, parents, {"a": 1, "b": 8, "c": 7, "d": 2})
    assert dated(store, [tip("c"), tip("d", EXCLUDED)], Context()) is None


@pytest.mark.parametrize("after", [1, 2, 16])
def test_an_excluded_commit_that_still_waits_is_asked_for_its_parents(
    history: Any, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AFTER", after)
    store = without_graph(history, {"b": "", "d": "b", "e": ""}, {"b": 8, "d": 2, "e": 3})
    assert dated(store, [tip("b"), tip("d", EXCLUDED), tip("e", EXCLUDED)], Context()) is None


def test_commits_of_the_last_date_are_looked_at_whatever_their_number(history: Any) -> None:
    parents = {"y": "", "c": "y", **dict(zip("defghijklmnopqrstuvw", "cdefghijklmnopqrstuv", strict=True))}
    store = without_graph(history, parents, dict.fromkeys(parents, 5))
    assert dated(store, [tip("y"), tip("w", EXCLUDED)], Context()) is None


def test_it_goes_no_further_than_the_dates_require(history: Any) -> None:
    """An interesting commit that is excluded while it waits is waited for no longer."""
    names = [f"{nth:03}" for nth in range(100)]
    store = history.store
    for nth, name in enumerate(names):
        history.add(name, names[nth - 1 : nth] if nth else [], nth)
    history.add("side", [names[90]], 95)
    read = list[bytes]()
    facts = store.odb.facts_reader()
    store.odb.facts_reader = lambda ends=False: lambda oid: read.append(oid) or facts(oid)
    tips = [Tip(b"side".ljust(20, b"\0")), Tip(names[97].encode().ljust(20, b"\0"), EXCLUDED)]
    assert dated(store, tips, Context()) == [(tips[0].oid, 0)]
    assert len(read) < 35
    read.clear()
    assert dated(store, [tips[0], Tip(tips[0].oid, EXCLUDED)], Context()) == []
    assert len(read) < 5


def test_a_way_that_git_has_read_excludes_what_it_passes(history: Any) -> None:
    # The general walk knows the commits of `d~2`: b is excluded through c, which is far below where the walk ends.
    parents = {
        "a": "",
        "b": "a",
        **dict(zip("cdefghijklmnopqrstuvw", "bcdefghijklmnopqrstuv", strict=True)),
        "x": "w",
        "y": "b",
    }
    times = {
        "a": 30,
        "b": 60,
        **{letter: 2 + nth for nth, letter in enumerate("cdefghijklmnopqrstuvw")},
        "x": 50,
        "y": 70,
    }
    store = without_graph(history, parents, times)
    tips = [tip("y"), tip("x", EXCLUDED)]
    assert [oid[:1] for oid, _ in dated(store, tips, Context()) or ()] == [b"y", b"b", b"a"]
    note_steps(store, tip("d").oid, 2)
    assert dated(store, tips, Context()) is None


def test_what_lies_below_several_merge_bases_is_left_to_the_general_walk(history: Any) -> None:
    parents = {"a": "", "b": "a", "c": "a", "d": "bc", "e": "cb"}
    store = without_graph(history, parents, {letter: nth for nth, letter in enumerate(parents)})
    tips = [tip("d", LEFT), tip("e"), tip("b", EXCLUDED), tip("c", EXCLUDED)]
    assert dated(store, tips, Context()) is None
    assert [entry.oid[:1] for entry in walk(store, tips, WalkSpec(raw=False), ctx=Context())] == [b"e", b"d"]


def test_a_younger_parent_on_one_side_does_not_come_in_the_order_of_dates(history: Any) -> None:
    parents = {"a": "", "b": "a", "c": "b", "d": "a"}
    store = without_graph(history, parents, {"a": 1, "b": 9, "c": 3, "d": 5})
    tips = [tip("c", LEFT), tip("d"), tip("a", EXCLUDED)]
    assert dated(store, tips, Context()) is None


def test_common_ancestors_that_wait_are_asked_for_their_parents(history: Any) -> None:
    # d is younger than the merge base b, through whose parent it is common; the search for the base ends before that.
    parents = {"d": "", "a": "d", "b": "a", "e": "b", "f": "bd"}
    store = without_graph(history, parents, {"d": 6, "a": 1, "b": 5, "e": 8, "f": 9})
    tips = [tip("e", LEFT), tip("f"), tip("b", EXCLUDED)]
    rows = [(entry.oid[:1], entry.flags & LEFT) for entry in walk(store, tips, WalkSpec(raw=False), ctx=Context())]
    expected = [(oid[:1], flags) for oid, _, flags in general(store, tips, WalkSpec(raw=False))]
    assert rows == expected


def test_a_commit_that_cannot_be_read_is_left_to_the_general_walk(history: Any) -> None:
    store = without_graph(history, {"a": "", "b": "a", "c": "b"}, {"a": 1, "b": 2, "c": 3})

    def facts(oid: bytes) -> Any:
        if oid == tip("a").oid:
            raise MissingObject("a")
        return history.facts[oid]

    store.odb.facts_reader = lambda ends=False: facts
    assert dated(store, [tip("c"), tip("b", EXCLUDED)], Context()) is None
    rows = list(walk(store, [tip("c"), tip("b", EXCLUDED)], WalkSpec(raw=False), ctx=Context()))
    assert [entry.oid for entry in rows] == [tip("c").oid]  # git does not need what excluded commits lead to
    with pytest.raises(MissingObject):
        list(walk(store, [tip("c")], WalkSpec(raw=False), ctx=Context()))


def test_what_it_does_not_do(history: Any) -> None:
    store = without_graph(history, {"a": "", "b": "a"}, {"a": 1, "b": 2})
    assert not excludes([tip("b")])
    assert not excludes([tip("b", BOUNDARY), tip("a", EXCLUDED)])
    assert dated(store, [tip("b", LEFT), tip("a", EXCLUDED)], Context()) is None  # A...B names two
    store.odb.graph = object()
    assert dated(store, [tip("b"), tip("a", EXCLUDED)], Context()) is None
