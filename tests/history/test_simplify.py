"""History simplification: what a merge is compared with decides which side is walked."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.graph.bloom import murmur3
from gitglass.history.order.listed import topological
from gitglass.history.pipeline import walk
from gitglass.history.spec import BOTTOM, GRAPH_ORDER, MARKED, UNINTERESTING, Tip, WalkSpec
from gitglass.limits import Context
from gitglass.paths.pathspec import Pathspecs

from .test_numbered_paths import graph_of


@pytest.fixture
def forked(history: Any) -> Any:
    """Both sides change x; the merge takes the left one's. The right side also changes y."""
    history.add("a", time=1, x="0")
    history.add("b", "a", time=2, x="1")
    history.add("c", "a", time=3, x="2", y="1")
    history.add("d", "bc", time=4, x="1", y="1")
    history.add("e", "d", time=5, x="1", y="2")
    return history


def along(history: Any, named: Any, path: str, tip: str = "e", **spec: Any) -> list[str]:
    start = Tip(next(oid for oid in history.facts if named([oid]) == [tip]))
    how = WalkSpec(paths=Pathspecs.parse([path.encode()]), prune=True, **spec)
    return list(named(entry.oid for entry in walk(history.store, [start], how, ctx=history.ctx)))


def test_the_side_that_lost_is_not_walked(forked: Any, named: Any) -> None:
    assert along(forked, named, "x") == ["b", "a"]


def test_full_history_shows_both_sides(forked: Any, named: Any) -> None:
    assert along(forked, named, "x", simplify_history=False) == ["d", "c", "b", "a"]
    assert along(forked, named, "x", simplify_history=False, rewrite_parents=True) == ["d", "c", "b", "a"]


def test_merges_stay_only_where_they_tie_lines_together(forked: Any, named: Any) -> None:
    simple = {"simplify_merges": True, "limited": True, "rewrite_parents": True, "simplify_history": False}
    assert along(forked, named, "y", order=GRAPH_ORDER, **simple) == ["e", "c"]
    assert along(forked, named, "x", order=GRAPH_ORDER, **simple) == ["d", "c", "b", "a"]


def test_show_pulls_adds_the_merge_that_brought_a_change(forked: Any, named: Any) -> None:
    assert along(forked, named, "y") == ["e", "c"]
    assert along(forked, named, "y", show_pulls=True) == ["e", "d", "c"]


def test_sparse_shows_all_that_is_walked(forked: Any, named: Any) -> None:
    assert along(forked, named, "x", dense=False) == ["e", "d", "b", "a"]


def test_remove_empty_stops_where_the_path_vanishes(history: Any, named: Any) -> None:
    history.add("a", time=1, x="1")
    history.add("b", "a", time=2, z="0")
    history.add("c", "b", time=3, z="0", x="2")
    assert along(history, named, "x", "c") == ["c", "b", "a"]
    assert along(history, named, "x", "c", remove_empty=True) == ["c"]


def test_parents_are_rewritten(forked: Any, named: Any) -> None:
    how = WalkSpec(paths=Pathspecs.parse([b"x"]), prune=True, rewrite_parents=True)
    start = Tip(next(oid for oid in forked.facts if named([oid]) == ["e"]))
    entries = list(walk(forked.store, [start], how, ctx=forked.ctx))
    assert [(named([entry.oid]), named(entry.parents)) for entry in entries] == [(["b"], ["a"]), (["a"], [])]


Steps = st.lists(
    st.tuples(st.lists(st.integers(0, 20), max_size=2), st.sampled_from("012"), st.sampled_from("01")),
    min_size=1,
    max_size=20,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(Steps)
def test_quick_path_walk_agrees_with_the_machinery(make_history: Any, named: Any, steps: Any) -> None:
    history = make_history()
    for number, (parents, x, y) in enumerate(steps):
        chosen = list(dict.fromkeys(str(parent % number) for parent in parents)) if number else []
        files = {"x": x} if x != "0" else {}
        history.add(str(number), chosen, number, y=y, **files)
    tip = str(len(steps) - 1)
    quick = along(history, named, "x", tip)
    assert quick == along(history, named, "x", tip, sources=True)
    assert set(quick) <= set(along(history, named, "x", tip, simplify_history=False))
    assert quick == along(history, named, ":(glob)x*", tip)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"", 0),
        (b"Hello world!", 0x627B0C2C),
        (b"The quick brown fox jumps over the lazy dog", 0x2E4FF723),
    ],
)
def test_murmur3(text: bytes, value: int) -> None:
    assert murmur3(text, 0) == value


@pytest.mark.parametrize("show_pulls", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_lines_that_are_left_out_early_change_nothing(
    make_history: Any, monkeypatch: pytest.MonkeyPatch, seed: int, show_pulls: bool
) -> None:
    """Also where some commits are excluded; by oid and by number, in dictionaries and in arrays."""
    chance = random.Random(seed)
    history = make_history()
    history.files, oids = {}, list[bytes]()
    for number in range(40):
        above = chance.sample(oids[-4:], min(len(oids), 1 + (chance.random() < 0.3) + (chance.random() < 0.05)))
        files = {"x": str(number // 9) if chance.random() < 0.7 else "0"}
        name = f"{number:03d}"
        oids.append(
            history.add(name, [oid[:3].decode() for oid in above], 30 + number - 25 * (number % 7 == 0), **files)
        )
        history.files[oids[-1]] = files
    history.store.odb.distrust_graph = lambda error: pytest.fail(str(error))
    tips = [Tip(oids[-1]), Tip(oids[-2]), Tip(oids[chance.randrange(20)], UNINTERESTING | BOTTOM)][: 2 + seed % 2]
    asked = [
        {"decorated": set(chance.sample(oids, 4))},
        {"paths": Pathspecs.parse([b"x"])},
        {"decorated": set(chance.sample(oids, 4)), "boundary": True},
    ]
    for options in asked:

        def found(options: dict[str, Any] = options) -> list[Any]:
            how = WalkSpec(prune=True, simplify_merges=True, simplify_history=False, rewrite_parents=True, raw=False,
                           limited=True, order=GRAPH_ORDER, show_pulls=show_pulls, **options)  # fmt: skip
            entries = walk(history.store, tips, how, ctx=Context())
            return [(entry.oid, entry.parents, entry.flags & MARKED) for entry in entries]

        history.store.odb.graph = None
        with monkeypatch.context() as plain:
            plain.setattr("gitglass.history.pipeline.topological", lambda *words: topological(*words[:3]))
            expected = found()
        assert found() == expected
        history.store.odb.graph = graph_of(history, [oids[:30]])
        assert found() == expected
        with monkeypatch.context() as wide:
            wide.setattr("gitglass.history.walk.FEW", 0)
            assert found() == expected
