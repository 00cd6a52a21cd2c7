"""plans/objects.py: what of the objects is listed before any commit, and what the edge hides."""

from typing import Any

import pytest

from gitglass.limits import Context
from gitglass.plans.objects import RevList, hide_edges, object_lister
from gitglass.repo.store import Store
from gitglass.request.rev_list import RevListRequest
from gitglass.revs.tips import tips


@pytest.fixture
def store(repo: Any) -> Store:
    """A commit `main` of one file, a tag of a tag of the commit, and a tag of the blob."""
    repo.add("file", b"1\n")
    target, kind = repo.commit(), b"commit"
    for name in ("inner", "outer"):
        body = b"object %s\ntype %s\ntag %s\ntagger A <a@x> 1 +0000\n\nm\n" % (
            target.hex().encode(),
            kind,
            name.encode(),
        )
        target, kind = repo.put("tag", body), b"tag"
    (repo.git / "refs/tags").mkdir()
    (repo.git / "refs/tags/outer").write_text(target.hex() + "\n")
    made: Store = repo.store()
    return made


def waiting(store: Store, ctx: Context, *words: str, **asked: Any) -> list[bytes]:
    """The names under which objects wait."""
    listing = RevList(iter(()), [], None, ctx, store)  # type: ignore[arg-type]
    lister = object_lister(listing, RevListRequest(revs=list(words), **asked), tips(store, words, ctx=ctx), None)
    return [name for _, name in lister.waiting()]


def test_tags_wait_down_to_what_they_point_at_and_commits_do_not(store: Store, ctx: Context) -> None:
    assert waiting(store, ctx, "outer") == [b"outer", b"inner"]
    assert waiting(store, ctx, "main") == []
    assert waiting(store, ctx, "^outer") == []


def test_a_named_tree_comes_with_what_is_below_it_unless_that_is_hidden(store: Store, ctx: Context) -> None:
    assert waiting(store, ctx, "main^{tree}") == [b"", b"file"]
    assert waiting(store, ctx, "main:file") == [b"file"]
    assert waiting(store, ctx, "main:file", "^main^{tree}") == []
    assert waiting(store, ctx, "^main:file", "main^{tree}") == [b""]


def test_filters_and_what_follows_on_no_filter(store: Store, ctx: Context) -> None:
    asked = {"filter_provided": True}
    assert waiting(store, ctx, "main^{tree}", filters=["blob:none"], **asked) == [b""]
    assert waiting(store, ctx, "main^{tree}", filters=["blob:none", ""], **asked) == [b"", b"file"]
    assert waiting(store, ctx, "main:file", filters=["blob:none"]) == [b"file"]


def test_only_the_words_of_git_for_what_is_missing_count(store: Store, ctx: Context) -> None:
    listing = RevList(iter(()), [], None, ctx, store)  # type: ignore[arg-type]

    def rule(word: str | None) -> str:
        named = tips(store, ["main"], ctx=ctx)
        return object_lister(listing, RevListRequest(missing=word, objects="yes"), named, None).rules.missing

    assert [rule("print"), rule("allow-any"), rule("error")] == ["print", "allow-any", "error"]
    assert rule("whatever") == ""


class Hidden:
    """A lister that remembers whose trees are hidden."""

    def __init__(self) -> None:
        self.commits: list[bytes] = []

    def exclude_commits(self, commits: list[bytes]) -> None:
        self.commits += commits


@pytest.mark.parametrize(("wanted", "shown"), [(None, []), ("edge", [b"p"]), ("aggressive", [b"l", b"p", b"b"])])
def test_the_edge_is_hidden_and_shown_once(wanted: str | None, shown: list[bytes]) -> None:
    lister: Any = Hidden()
    edges = [(b"l", True), (b"p", False), (b"p", False)]
    assert hide_edges(lister, iter(edges), wanted, [b"b", b"p"]) == shown
    assert lister.commits == [b"l", b"p", b"p"] + ([b"b", b"p"] if wanted == "aggressive" else [])
