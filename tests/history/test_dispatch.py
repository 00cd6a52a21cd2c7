"""Every field of WalkSpec, alone and in pairs: whichever loop `pipeline.walk` picks gives what the general walk gives.

The general walk is `history.Walk` with its own short cut (a list of everything) switched off. Histories are asked with
a commit-graph of all commits, with one of the older ones, and without.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any
from unittest import mock

import pytest

from gitglass.errors import GitError, TooLarge
from gitglass.graph.nodes import Numbers
from gitglass.graph.positions import Positions, positions_in
from gitglass.history.cherry import PatchIds
from gitglass.history.fast import is_path_walk, is_plain, reader
from gitglass.history.order.excluded import excludes_only
from gitglass.history.order.numbered import is_orderly
from gitglass.history.order.whole import is_ordered
from gitglass.history.pipeline import _entries, _goes_by_number, walk, walk_listed, walk_rows
from gitglass.history.reach import chosen_oids, count_between, count_chosen, count_reachable, count_sides, counts_all
from gitglass.history.spec import (
    AUTHOR_ORDER,
    BOTTOM,
    DATE_ORDER,
    GRAPH_ORDER,
    LEFT,
    MARKED,
    UNINTERESTING,
    Quota,
    Tip,
    WalkSpec,
    honours,
)
from gitglass.history.walk import Walk
from gitglass.limits import Context, Limits
from gitglass.memories import ByOid
from gitglass.objects.commit_graph import BrokenGraph
from gitglass.objects.numbering import Numbering
from gitglass.paths.pathspec import Pathspecs

from ..support.histories import empty_pack
from .test_numbered_paths import graph_of

LETTERS = "abcdefghijklmnop"
PARENTS = {
    "b": "a", "c": "b", "d": "b", "e": "cd", "f": "e", "g": "e", "h": "g", "i": "fh", "j": "i", "k": "j", "l": "j",
    "m": "kl", "o": "mn", "p": "o",
}  # fmt: skip
TIMES = {"d": 2, "h": 3, "n": 20, "l": 9}  # some clocks lie; n is a second root

VALUES: dict[str, list[Any]] = {
    "max_count": [0, 3],
    "skip": [2],
    "max_age": [8],
    "min_age": [10],
    "max_age_as_filter": [6],
    "min_parents": [1, 2],
    "max_parents": [1],
    "matcher": [lambda commit: commit.raw[-2] % 2 == 0],
    "left_out": [lambda oid: oid[0] % 3 == 0],
    "rules_out": [lambda raw: False],
    "quota": [Quota(0)],
    "first_parent": [True],
    "exclude_first_parent": [True],
    "no_walk": ["sorted", "unsorted"],
    "order": [GRAPH_ORDER, DATE_ORDER, AUTHOR_ORDER],
    "reverse": [True],
    "limited": [True],
    "boundary": [True],
    "left_right": [True],
    "left_only": [True],
    "right_only": [True],
    "cherry_pick": [True],
    "cherry_mark": [True],
    "patch_id": [lambda oid: None],
    "ancestry_path": [True],
    "ancestry_bottoms": [[b"e".ljust(20, b"\0")]],
    "ancestry_tagged": [{b"e".ljust(20, b"\0")}],
    "paths": [Pathspecs.parse([b"x"])],
    "prune": [True],
    "simplify_history": [False],
    "dense": [False],
    "simplify_merges": [True],
    "decorated": [{b"g".ljust(20, b"\0"), b"c".ljust(20, b"\0")}],
    "show_pulls": [True],
    "remove_empty": [True],
    "full_diff": [True],
    "line_level": [lambda oid: oid[0] % 2 == 0],
    "line_parents": [{}],
    "rewrite_parents": [True],
    "children": [True],
    "graph": [True],
    "track_linear": [True],
    "sources": [True],
    "timed": [True],
    "rooted": [True],
    "ignore_missing": [True],
    "raw": [False],
}
ONES = [{name: value} for name, values in VALUES.items() for value in values]
TWOS = [{**one, **two} for one, two in combinations(ONES, 2) if one.keys() != two.keys()]
EXCLUDED = UNINTERESTING | BOTTOM
TIPS = {
    "plain": {"p": 0, "k": 0},
    "between": {"p": 0, "f": EXCLUDED},
    "sides": {"k": LEFT, "l": 0, "j": EXCLUDED},
}
GRAPHS = ["whole", "older", "none", "numbers"]
FEW = [0, 256]  # commits before a walk by number goes on with arrays


@pytest.fixture
def sixteen(history: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sixteen commits with merges, two roots, and clocks that lie."""
    monkeypatch.setattr(
        PatchIds, "full", lambda self, node: self.walk.oid(node)[:1] in b"kl"
    )  # there are no blobs here to compare
    history.store.odb.by_oid = ByOid(1 << 20)
    history.files = {}
    for nth, letter in enumerate(LETTERS):
        files = {"x": str(nth // 3 % 2), "y": str(nth)} if letter != "d" else {"y": "0"}
        name = history.add(letter, PARENTS.get(letter, ""), TIMES.get(letter, nth), **files)
        history.files[name] = files
    history.store.once = False
    history.store.odb.distrust_graph = lambda error: pytest.fail(str(error))
    return history


def give_graph(history: Any, name: str) -> None:
    oids = list(history.facts)
    known = {"whole": oids, "older": oids[:9], "none": [], "numbers": []}[name]
    history.store.odb.graph = graph = graph_of(history, [known]) if known else None
    history.store.odb.generation = (lambda oid: None) if graph is None else graph.generation
    odb, pack = history.store.odb, empty_pack()
    odb.numbering = Numbering(pack, odb.commit_facts) if name == "numbers" else None  # type: ignore[arg-type]


def tips_of(name: str) -> list[Tip]:
    return [Tip(letter.encode().ljust(20, b"\0"), flags, letter.encode()) for letter, flags in TIPS[name].items()]


def told(entries: Any, spec: WalkSpec) -> list[Any]:
    """All that is seen of a walk; an error as its message."""
    found: list[Any] = []
    try:
        for entry in entries:
            assert not spec.raw or entry.commit.oid == entry.oid
            # the graph's parents are wanted beside a graph, and no others than those of the commit where none are shown
            parents = entry.parents if spec.want_ancestry else None
            found.append((entry.oid[:1], parents, entry.diff_parents, entry.graph_parents, entry.children,
                          entry.flags & MARKED, entry.linear, entry.source))  # fmt: skip
    except GitError as error:
        found.append(str(error))
    return found


def general(store: Any, tips: list[Tip], spec: WalkSpec) -> list[Any]:
    with mock.patch.object(Walk, "_nothing_special", lambda self, first: False):
        return told(_entries(Walk(store, spec, Context()), tips), spec)


def asked(options: dict[str, Any]) -> WalkSpec:
    return WalkSpec(**{"raw": True, **options})


def test_every_field_has_another_value_here() -> None:
    assert set(VALUES) == set(WalkSpec.__match_args__)
    spec = WalkSpec()
    assert all(getattr(spec, name) != value for one in ONES for name, value in one.items())


@pytest.mark.parametrize("few", FEW)
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("tips", TIPS)
def test_the_walk_that_is_picked_is_the_general_one(
    sixteen: Any, monkeypatch: pytest.MonkeyPatch, graph: str, tips: str, few: int
) -> None:
    if graph == "none" and not few:
        return  # without numbers there are no arrays
    for room in ("walk", "order.numbered"):
        monkeypatch.setattr(f"gitglass.history.{room}.FEW", few)
    give_graph(sixteen, graph)
    if graph == "numbers":
        monkeypatch.setattr("gitglass.history.pipeline._LARGE", 0)
    starts = tips_of(tips)
    picked, differing = 0, list[dict[str, Any]]()
    for options in [{}, *ONES, *TWOS]:
        spec = asked(options)
        fits = [is_plain, is_path_walk, is_orderly, is_ordered, excludes_only]
        by_number = graph != "none" and _goes_by_number(spec, levels=graph != "numbers")
        if not any(fit(starts, spec) for fit in fits) and not (by_number or spec.limited or spec.reverse):
            continue  # no loop but the general one
        picked += 1
        expected = general(sixteen.store, starts, asked(options))
        if told(walk(sixteen.store, starts, spec, ctx=Context()), spec) != expected:
            differing.append(options)
    assert not differing
    assert picked > 90


@pytest.mark.parametrize(("objects", "raw", "restarts"), [(9, True, False), (9, False, True), (10, True, True)])
def test_a_list_of_a_large_repository_goes_by_number_though_all_of_it_is_shown(
    sixteen: Any, monkeypatch: pytest.MonkeyPatch, objects: int, raw: bool, restarts: bool
) -> None:
    """What it reads first need not be read again, in a smaller one."""
    give_graph(sixteen, "none")
    monkeypatch.setattr("gitglass.history.pipeline._LARGE", 10)
    sixteen.store.odb.names.count_estimate = lambda: objects
    asked = []
    real = reader

    def reading(odb: Any, *, whole: bool, alone: bool, ends: bool) -> Any:
        asked.append((whole, ends))
        return real(odb, whole=whole, alone=alone, ends=ends)

    monkeypatch.setattr("gitglass.history.walk.reader", reading)
    spec = WalkSpec(children=True, limited=True, raw=raw)
    assert list(walk(sixteen.store, tips_of("plain"), spec, ctx=Context()))
    assert asked == [(raw and not restarts, restarts)]


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("tips", TIPS)
def test_rows_are_the_entries_of_the_general_walk(sixteen: Any, graph: str, tips: str) -> None:
    give_graph(sixteen, graph)
    starts, compared = tips_of(tips), 0
    for options in [{}, *ONES, *TWOS]:
        rows = shown_rows(sixteen.store, starts, asked(options))
        if rows is None:
            continue
        compared += 1
        spec = asked(options)
        beside = 3 if spec.graph else 4 if spec.children else 7 if spec.sources else None
        entries = general(sixteen.store, starts, spec)
        expected = [
            row if isinstance(row, str) else (row[0], row[1], row[5], shown_beside(row, beside)) for row in entries
        ]
        assert rows == expected, options
    assert compared > 900


@pytest.mark.parametrize("raw", [False, True])
def test_the_plain_walk_by_oid_has_trees_beside_its_rows(sixteen: Any, raw: bool) -> None:
    """Where it has read all parents, and did not show one before its child."""
    give_graph(sixteen, "none")
    odb = sixteen.store.odb
    rows = walk_rows(sixteen.store, tips_of("plain"), WalkSpec(rooted=True, raw=raw), ctx=Context())
    without = []
    for oid, parents, _, _, beside in rows or ():
        if not beside:
            without.append(oid[:1])
        assert beside in ((), tuple(odb.commit_facts(each)[2] for each in (oid, *parents)))
    assert without == [b"g"]  # its parent is younger than its child `h`
    first_only = WalkSpec(rooted=True, raw=raw, first_parent=True)
    rows = walk_rows(sixteen.store, tips_of("plain"), first_only, ctx=Context())
    assert [oid[:1] for oid, *_, beside in rows or () if not beside] == [b"o", b"m", b"i", b"e"]  # merges


def shown_beside(row: Any, which: int | None) -> tuple[bytes, ...]:
    """What a row has beside the commit."""
    shown = () if which is None else row[which]
    return (shown,) if isinstance(shown, bytes) else shown or ()


def shown_rows(store: Any, starts: list[Tip], spec: WalkSpec) -> list[Any] | None:
    """The rows of a walk as (oid, parents, what shows of the flags, what is beside), up to an error; None where it has
    none."""
    shown: list[Any] = []
    try:
        rows = walk_rows(store, starts, spec, ctx=Context())
        if rows is None:
            return None
        for oid, parents, _, flags, beside in rows:
            if spec.timed and beside:  # a loop may leave the times out
                assert beside == (b"%d" % store.odb.commit(oid).commit_time,)
                beside = ()
            if spec.rooted and beside:
                assert beside == tuple(
                    store.odb.commit_facts(each)[2] for each in (oid, *store.odb.commit(oid).parents)
                )
                beside = ()
            shown.append((oid[:1], parents if spec.want_ancestry else None, flags & MARKED, beside))
    except GitError as error:
        shown.append(str(error))
    return shown


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("tips", TIPS)
def test_counts_are_those_of_the_general_walk(sixteen: Any, graph: str, tips: str) -> None:
    give_graph(sixteen, graph)
    starts = tips_of(tips)
    for options in [{}, *ONES, *TWOS]:
        spec = asked(options)
        if counts_all(starts, spec):
            number = len(general(sixteen.store, starts, spec))
            if tips == "plain":
                oids, first = [tip.oid for tip in starts], spec.first_parent
                assert count_reachable(sixteen.store, oids, first_only=first, ctx=Context()) == number, options
            else:
                assert count_between(sixteen.store, starts, Context()) == number, options


@pytest.mark.parametrize("graph", GRAPHS)
def test_no_more_commits_are_counted_than_may_be_visited(sixteen: Any, graph: str) -> None:
    give_graph(sixteen, graph)
    oids = [tip.oid for tip in tips_of("plain")]
    for first in (False, True):
        with pytest.raises(TooLarge, match="may walk"):
            count_reachable(sixteen.store, oids, first_only=first, ctx=Context(Limits(max_commits=2)))


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("tips", TIPS)
def test_counts_by_position_are_those_of_the_general_walk(sixteen: Any, graph: str, tips: str) -> None:
    """With filters of age and parents, and with sides."""
    give_graph(sixteen, graph)
    starts = tips_of(tips)
    counted = 0
    for options in [{}, *ONES, *TWOS]:
        spec = asked(options)
        chosen = count_chosen(sixteen.store, starts, spec, ctx=Context())
        sides = count_sides(sixteen.store, starts, spec, ctx=Context())
        named = chosen_oids(sixteen.store, starts, spec, ctx=Context())
        assert (named is None) == (chosen is None), options
        if chosen is None and sides is None:
            continue
        shown = general(sixteen.store, starts, asked(options))
        assert chosen in (None, len(shown)), options
        assert named is None or sorted(oid[:1] for oid in named) == sorted(row[0] for row in shown), options
        left = sum(bool(row[5] & LEFT) for row in shown if not isinstance(row, str))
        assert sides in (None, (left, len(shown) - left)), options
        counted += 1
    by_level = graph in ("whole", "older")  # without levels only the sides are counted, since no clock lies there
    assert counted if tips == "sides" or (by_level and tips == "plain") else not counted


def test_sides_are_counted_where_nothing_else_is_excluded(sixteen: Any) -> None:
    give_graph(sixteen, "whole")
    starts = tips_of("sides")
    assert count_sides(sixteen.store, starts, WalkSpec(left_right=True), ctx=Context()) == (1, 1)
    further = [*starts, Tip(b"l".ljust(20, b"\0"), EXCLUDED)]
    assert count_sides(sixteen.store, further, WalkSpec(left_right=True), ctx=Context()) is None


def test_a_loop_is_for_what_it_names() -> None:
    starts = {"plain": tips_of("plain"), "between": tips_of("between"), "sides": tips_of("sides")}
    assert is_plain(starts["plain"], WalkSpec()) and not is_plain(starts["between"], WalkSpec())
    assert is_plain(starts["plain"], WalkSpec(sources=True)) and is_plain([Tip(bytes(20))], WalkSpec(sources=True))
    assert is_orderly(starts["sides"], WalkSpec(order=GRAPH_ORDER))
    assert is_ordered(starts["plain"], WalkSpec(order=GRAPH_ORDER, graph=True, rewrite_parents=True, raw=False))
    along = {"prune": True, "paths": Pathspecs.parse([b"x"])}
    assert is_path_walk(starts["plain"], WalkSpec(**along)) and not is_path_walk(starts["plain"], WalkSpec())
    for side in ("left_only", "right_only"):
        ordered = {"order": GRAPH_ORDER}
        for fit, options in ((is_plain, {}), (is_path_walk, along), (is_ordered, ordered), (is_orderly, ordered)):
            assert fit(starts["plain"], WalkSpec(**options))
            assert not fit(starts["plain"], WalkSpec(**options, **{side: True}))
        assert not counts_all(starts["plain"], WalkSpec(**{side: True}))
        assert not counts_all(starts["between"], WalkSpec(**{side: True}))


def test_a_field_that_no_loop_names_is_left_to_the_general_walk() -> None:
    fits = honours("raw")
    assert fits(WalkSpec(raw=False)) and not fits(WalkSpec(skip=1))
    with pytest.raises(ValueError, match="not fields of WalkSpec: depth"):
        honours("depth", "raw")


def test_one_side_of_nothing_is_empty(sixteen: Any) -> None:
    starts = tips_of("plain")
    for options in ({}, {"graph": True, "rewrite_parents": True}):
        spec = WalkSpec(order=GRAPH_ORDER, left_only=True, **options)
        assert told(walk(sixteen.store, starts, spec, ctx=Context()), spec) == []


def test_what_looks_ahead_comes_before_a_list_of_everything(sixteen: Any) -> None:
    """Where a graph cannot number the tips, the walk still begins without the whole history."""
    give_graph(sixteen, "whole")
    read: list[bytes] = []
    facts = sixteen.facts
    sixteen.store.odb.facts_reader = lambda ends=False: lambda oid: (read.append(oid), facts[oid])[1]
    sixteen.store.odb.rows_reader = lambda keep, roots=None: lambda oid: pytest.fail("the list of everything")
    spec = WalkSpec(order=GRAPH_ORDER, raw=False)
    with mock.patch("gitglass.history.order.numbered.by_position", lambda *words: None):
        first = next(iter(walk(sixteen.store, tips_of("plain")[:1], spec, ctx=Context())))
    assert first.oid[:1] == b"p"
    assert len(set(read)) < len(facts)


def test_a_caller_keeps_its_spec(sixteen: Any) -> None:
    spec = WalkSpec()
    list(walk_listed(sixteen.store, tips_of("plain"), spec, lambda state, commits: commits, ctx=Context()))
    assert spec == WalkSpec()


@pytest.mark.parametrize("after", [0, 4, 11])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reverse": True},
        {"max_parents": 1, "skip": 1},
        {"children": True, "limited": True},
        {"sources": True},
        {"cherry_mark": True, "limited": True},
        {"prune": True, "decorated": {b"g".ljust(20, b"\0")}, "simplify_history": False, "rewrite_parents": True},
    ],
)
def test_a_commit_graph_that_turns_out_to_be_broken_is_done_without(
    sixteen: Any, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], after: int
) -> None:
    """Wherever it happens: what was shown is not shown again, and what follows is read from the commits."""
    give_graph(sixteen, "whole")
    odb, starts, left = sixteen.store.odb, tips_of("plain"), after
    broken: list[str] = []

    def distrust(error: Exception) -> None:
        broken.append(str(error))
        odb.graph, odb.generation = None, lambda oid: None

    def until_broken(read: Any) -> Any:
        def guarded(*words: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise BrokenGraph("commit-graph is truncated")
            return read(*words)

        return guarded

    odb.distrust_graph = distrust
    expected = general(sixteen.store, starts, asked(options))
    readers = Positions.rows_reader
    monkeypatch.setattr(Positions, "facts", until_broken(Positions.facts))
    monkeypatch.setattr(Positions, "rows_reader", lambda self: until_broken(readers(self)))
    spec = asked(options)
    assert told(walk(sixteen.store, starts, spec, ctx=Context()), spec) == expected
    assert broken == ["commit-graph is truncated"]


def test_few_commits_are_not_waited_for_until_all_outside_of_the_graph_have_numbers(sixteen: Any) -> None:
    give_graph(sixteen, "older")
    read: list[bytes] = []
    sixteen.store.odb.commit_facts = lambda oid: (read.append(oid), sixteen.facts[oid])[1]
    starts, spec = tips_of("plain")[:1], WalkSpec(raw=False, max_count=1)
    with mock.patch("gitglass.graph.positions.FEW_OUTSIDE", 2):
        assert [entry.oid[:1] for entry in walk(sixteen.store, starts, spec, ctx=Context())] == [b"p"]
    assert len(read) <= 3
    assert positions_in(sixteen.store, [starts[0].oid], Context()) is not None


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize(
    ("options", "asks"),
    [
        ({}, False),
        ({"order": DATE_ORDER, "graph": True, "rewrite_parents": True, "left_right": True}, False),
        ({"boundary": True}, True),
        ({"prune": True, "paths": Pathspecs.parse([b"x"])}, True),
        ({"first_parent": True}, True),
        ({"exclude_first_parent": True}, True),
    ],
)
def test_what_the_search_for_a_merge_base_read_matters_where_clocks_are_wrong_and_to_some_walks(
    sixteen: Any, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], asks: bool, right: bool
) -> None:
    give_graph(sixteen, "whole")
    asked_for: list[int] = []
    monkeypatch.setattr("gitglass.history.walk.is_true_by_date", lambda store, nodes: right)
    monkeypatch.setattr(
        "gitglass.history.walk.painted", lambda store, node, *words, **named: asked_for.append(node) or []
    )
    starts = tips_of("sides")
    found = positions_in(sixteen.store, [tip.oid for tip in starts], Context())
    assert found is not None
    Walk(sixteen.store, asked(options), Context(), Numbers(sixteen.store, found[0])).start(starts)
    assert bool(asked_for) == (asks or not right)
    asked_for.clear()
    Walk(sixteen.store, asked(options), Context()).start(starts)  # without a commit-graph nothing is known of clocks
    assert asked_for


@pytest.mark.parametrize("no_walk, raw", [("sorted", True), ("unsorted", True), ("", True), ("sorted", False)])
def test_of_commits_that_are_all_shown_no_graph_is_asked(sixteen: Any, no_walk: str, raw: bool) -> None:
    """Their messages are read in any case, and what else is wanted of them stands there."""
    asked: list[bytes] = []
    facts = sixteen.facts
    sixteen.store.odb.facts_reader = lambda ends=False: lambda oid: (asked.append(oid), facts[oid])[1]
    sixteen.store.odb.graph = object()
    walked = Walk(sixteen.store, WalkSpec(no_walk=no_walk, raw=raw), Context())
    nodes = walked.start(tips_of("plain")[:3])
    assert nodes and asked == ([] if no_walk and raw else nodes)
    assert [(walked.times[node], walked.parents[node]) for node in nodes] == [
        (facts[oid][1], facts[oid][0]) for oid in nodes
    ]
