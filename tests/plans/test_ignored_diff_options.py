"""plans/ignored_diff_options.py: options of a diff where there is none to be made."""

from typing import Any

import pytest

from gitglass.errors import BadRequest, GitError, InvalidArgs, NotFound
from gitglass.limits import Context
from gitglass.plans.ignored_diff_options import IdleWalk, Unused, named_objects
from gitglass.repo.store import Store


@pytest.fixture
def store(repo: Any) -> Store:
    repo.add("file", b"1\n")
    repo.commit()
    made: Store = repo.store()
    return made


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ({}, {}),
        ({"no_patch": True}, {}),
        ({"root": True}, {}),
        ({"diff_filter": ["a"]}, {}),
        ({"diff_merges": "m"}, {"full_history": True}),
        ({"diff_merges": "separate"}, {"full_history": True}),
        ({"diff_merges": "combined"}, {}),
    ],
)
def test_what_only_says_how_a_diff_would_look(
    store: Store, ctx: Context, asked: dict[str, Any], values: dict[str, object]
) -> None:
    assert Unused(**asked).judge(store, [], "usage", ctx=ctx) == values


@pytest.mark.parametrize(
    "asked",
    [{"patch": True}, {"patch": True, "no_patch": True}, {"raw": True}, {"context": 3}, {"pickaxe": "x"},
     {"pickaxe_grep": "x"}, {"find_object": ["HEAD"]}, {"recursive": True}, {"diff_filter": ["A"]},
     {"diff_filter": ["a*"]}, {"merges_imply_patch": True}],
)  # fmt: skip
def test_what_asks_for_a_diff_gets_the_usage(store: Store, ctx: Context, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgs) as caught:
        Unused(**asked).judge(store, ["file"], "the usage", ctx=ctx)
    assert caught.value.message == "the usage"


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"follow": True}, BadRequest, "--follow requires exactly one pathspec"),
        ({"combined_all_paths": True}, BadRequest, "--combined-all-paths makes no sense without -c or --cc"),
        ({"find_object": ["gone"]}, NotFound, "unable to resolve 'gone'"),
    ],
)
def test_what_git_dies_of(store: Store, ctx: Context, asked: dict[str, Any], error: type[GitError], words: str) -> None:
    with pytest.raises(error, match=words):
        Unused(**asked).judge(store, [], "usage", ctx=ctx)


def test_objects_by_name(store: Store, ctx: Context) -> None:
    entry = store.odb.commit(store.refs.head()[1])
    assert named_objects(store, ["HEAD^{tree}", "HEAD"], ctx=ctx) == {entry.tree, entry.oid}
    with pytest.raises(NotFound) as caught:
        named_objects(store, ["HEAD", "gone"], ctx=ctx)
    assert (caught.value.status, caught.value.prefix) == (129, "error")
    assert IdleWalk().idle is False
