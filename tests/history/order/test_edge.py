"""The boundary of a walk by position: the rows of the general walk, which is asked only where git may not know all."""

import random
from typing import Any

import pytest

from gitglass.history.order.numbered import is_orderly, numbered_rows
from gitglass.history.pipeline import _rows
from gitglass.history.spec import (
    BOTTOM,
    BOUNDARY,
    DATE_ORDER,
    GRAPH_ORDER,
    LEFT,
    MARKED,
    UNINTERESTING,
    Tip,
    WalkSpec,
)
from gitglass.history.walk import Walk
from gitglass.limits import Context

from ...support.histories import name_of, oid
from ..test_numbered_paths import graph_of

EXCLUDED = UNINTERESTING | BOTTOM


def shown(rows: Any) -> list[tuple[str, str, int, str]]:
    """The name of each commit, its parents, the flags that show, and the parents that a graph has lines to."""
    return [
        (name_of(commit), "".join(map(name_of, parents)), flags & MARKED, "".join(map(name_of, beside)))
        for commit, parents, _, flags, beside in rows
    ]


def both(history: Any, tips: list[Tip], **options: Any) -> tuple[list[Any], list[Any], int]:
    """The rows by position, those of the general walk, and how often the former asked for the latter."""
    spec = WalkSpec(boundary=True, rewrite_parents=True, raw=False, **{"order": GRAPH_ORDER, "graph": True, **options})
    asked = []

    def general() -> Any:
        asked.append(spec)
        return _rows(Walk(history.store, spec, Context()), tips, None)

    assert is_orderly(tips, spec)
    rows = numbered_rows(history.store, tips, spec, Context(), general)
    assert rows is not None
    return shown(rows), shown(_rows(Walk(history.store, spec, Context()), tips, None)), len(asked)


@pytest.fixture
def make_edged(make_history: Any) -> Any:
    """A history of commits in the order of their names, known to a commit-graph, from a list of parents."""

    def made(parents: dict[str, str]) -> Any:
        history = make_history()
        history.files = {}
        for nth, (name, above) in enumerate(parents.items()):
            history.files[history.add(name, above, nth, x=name)] = {"x": name}
        odb = history.store.odb
        odb.graph = graph = graph_of(history, [list(history.facts)])
        odb.generation = graph.generation
        return history

    return made


def tip(name: str, flags: int = 0) -> Tip:
    return Tip(oid(name), flags)


@pytest.mark.parametrize("seed", range(80))
def test_the_rows_are_those_of_the_general_walk(make_edged: Any, seed: int) -> None:
    pick = random.Random(seed)
    count = pick.randrange(4, 40)
    names = [chr(65 + nth) for nth in range(count)]
    history = make_edged(
        {
            name: "".join(pick.sample(names[max(0, nth - 6) : nth], min(nth, pick.choice([0, 1, 1, 1, 2, 2, 3]), 6)))
            for nth, name in enumerate(names)
        }
    )
    ends = pick.sample(names, 2)
    tips = [tip(names[-1], pick.choice([0, LEFT])), *[tip(name, EXCLUDED) for name in ends if name != names[-1]]]
    for options in ({}, {"order": DATE_ORDER}, {"graph": False}, {"graph": False, "order": DATE_ORDER}):
        rows, expected, asked = both(history, tips, **options)
        assert rows == expected
        assert not (asked and options.get("graph") is False)  # nothing is drawn of which git might not know


def test_the_parents_of_a_commit_named_as_excluded_are_known(make_edged: Any) -> None:
    history = make_edged({"a": "", "b": "a", "c": "b", "d": "c"})
    rows, expected, asked = both(history, [tip("d"), tip("b", EXCLUDED)])
    assert rows == expected
    assert rows[-1] == ("b", "a", UNINTERESTING | BOUNDARY, "")
    assert not asked


def test_the_grandparents_of_an_excluded_commit_as_high_as_those_shown_are_known(make_edged: Any) -> None:
    history = make_edged({"a": "", "b": "a", "c": "b", "d": "c", "r": "b", "s": "r"})  # `c` is as high as `r`
    rows, expected, asked = both(history, [tip("s"), tip("d", EXCLUDED)])
    assert rows == expected
    assert rows[-1] == ("b", "a", UNINTERESTING | BOUNDARY, "")
    assert not asked


def test_those_of_lower_ones_may_not_be_known(make_edged: Any) -> None:
    """All that is shown is a merge of high generation; git does not look at `c`, of which `b` is the parent."""
    history = make_edged({"a": "", "b": "a", "c": "b", "d": "c", "e": "d", "f": "e", "g": "f", "s": "fb"})
    rows, expected, asked = both(history, [tip("s"), tip("g", EXCLUDED)])
    assert rows == expected
    assert [row[0] for row in rows] == ["s", "b", "f"]
    assert asked == 1


def test_a_parent_on_the_boundary_is_drawn(make_edged: Any) -> None:
    history = make_edged({"a": "", "b": "a", "s": "ba"})
    rows, expected, asked = both(history, [tip("s"), tip("b", EXCLUDED)])
    assert rows == expected
    assert rows == [("s", "ba", 0, "ba"), ("b", "a", UNINTERESTING | BOUNDARY, "a"), ("a", "", rows[2][2], "")]
    assert not asked


def test_what_selects_commits_is_left_to_the_general_walk() -> None:
    tips = [tip("d"), tip("b", EXCLUDED)]
    for options in ({"max_count": 3}, {"skip": 1}, {"first_parent": True}, {"min_parents": 2}, {"reverse": True}):
        spec = WalkSpec(boundary=True, order=GRAPH_ORDER, **options)  # type: ignore[arg-type]
        assert not is_orderly(tips, spec)
    assert not is_orderly(tips, WalkSpec(boundary=True))
