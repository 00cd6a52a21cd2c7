"""From a request to a WalkSpec."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.commands.log import LogRequest
from gitglass.errors import BadRequest
from gitglass.limits import Context
from gitglass.plans.walk import walk_spec

STORE: Any = SimpleNamespace(exists=True, odb=SimpleNamespace(graph=None))  # all of it that is looked at here


def spec_of(request, **more):
    spec = walk_spec(request, STORE, ctx=Context(now=0), **more)
    return {name: getattr(spec, name) for name in type(spec).__record_fields__}


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"max_count": 5, "skip": 2},
        {"max_count": -1, "skip": -3},
        {"no_walk": "unsorted"},
        {"no_walk": ""},
        {"revs": ["--ignore-missing", "HEAD"], "patch": True, "pretty": "oneline"},
    ],
)
def test_where_nothing_is_said_of_the_way_the_spec_is_the_one_that_would_be_put_together(counts):
    quick = spec_of(LogRequest(**counts))
    slow = spec_of(LogRequest(**counts, reverse=False))  # said, to no effect
    assert quick == slow


def test_what_is_said_of_the_way_counts():
    assert spec_of(LogRequest(reverse=True))["reverse"]
    assert spec_of(LogRequest(since="1970-01-02"))["max_age"] is not None
    assert spec_of(LogRequest(), graph=True)["order"] == "graph"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"simplify_merges": True, "children": True}, "options '--parents' and '--children'"),
        ({"simplify_by_decoration": True, "children": True}, "options '--parents' and '--children'"),
        ({"children": True, "reverse": True, "graph": True}, "options '--parents' and '--children'"),
        ({"children": True, "show_linear_break": "", "graph": True}, "options '--show-linear-break' and '--graph'"),
        ({"walk_reflogs": True, "parents": True, "children": True}, "cannot combine --walk-reflogs"),
        ({"walk_reflogs": True, "reverse": True, "graph": True}, "options '--reverse' and '--walk-reflogs'"),
        ({"reverse": True, "graph": True, "grep_reflog": ["x"]}, "options '--reverse' and '--graph'"),
    ],
)
def test_of_options_that_exclude_each_other_git_names_one_pair(asked, words):
    request = LogRequest(**asked)
    with pytest.raises(BadRequest, match=words):
        walk_spec(request, STORE, ctx=Context(now=0), graph=request.graph)


def test_an_order_needs_all_commits_unless_their_generations_are_known():
    graph = SimpleNamespace(count=1, row=lambda _: (b"", 0, 1 << 34))
    store: Any = SimpleNamespace(exists=True, odb=SimpleNamespace(graph=graph))
    for order in ("topo", "date", "author-date"):
        asked = LogRequest(walk_reflogs=True, order=order)
        with pytest.raises(BadRequest, match="cannot combine --walk-reflogs"):
            walk_spec(asked, STORE, ctx=Context(now=0))
        assert walk_spec(asked, store, ctx=Context(now=0)).order
    with pytest.raises(BadRequest, match="options '--walk-reflogs' and '--graph' cannot"):
        walk_spec(LogRequest(walk_reflogs=True), store, ctx=Context(now=0), graph=True)
    with pytest.raises(BadRequest, match=r"^No commit specified\?$"):
        walk_spec(LogRequest(walk_reflogs=True), store, ctx=Context(now=0), lines=True)


def test_a_walk_along_lines_is_no_walk_of_reflogs():
    with pytest.raises(BadRequest, match="cannot combine --walk-reflogs"):
        walk_spec(LogRequest(walk_reflogs=True), STORE, ctx=Context(now=0), lines=True)
