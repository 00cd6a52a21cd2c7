"""The work trees of a repository: where each is, what is checked out there, and which would be pruned."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from gitglass.errors import Timeout
from gitglass.limits import Context, Limits
from gitglass.repo.discover import Where
from gitglass.repo.store import open_store
from gitglass.worktree.checkouts import GONE, Checkout, branch_paths, checkouts, prunable, taken_by


class Trees:
    """A repository and work trees linked to it by name."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.commit = repo.commit()

    def link(self, name: str, head: str, place: Path | None = None, *, locked: str | None = None) -> Path:
        folder: Path = self.repo.git / "worktrees" / name
        folder.mkdir(parents=True)
        place = place or self.repo.top / name
        (folder / "gitdir").write_text(f"{place}/.git\n")
        (folder / "commondir").write_text("../..\n")
        (folder / "HEAD").write_text(head + "\n")
        if locked is not None:
            (folder / "locked").write_text(locked)
        return place

    def found(self) -> list[Checkout]:
        return checkouts(self.repo.store())


@pytest.fixture
def trees(repo: Any) -> Trees:
    return Trees(repo)


def test_the_main_one_comes_first_then_by_name(trees: Trees) -> None:
    oid = trees.commit
    (trees.repo.git / "refs/heads/topic").write_text(oid.hex() + "\n")
    two = trees.link("two", "ref: refs/heads/topic", locked=" a reason\n")
    one = trees.link("one", oid.hex())
    (trees.repo.git / "worktrees/no-link").mkdir()
    top = os.fsencode(trees.repo.top)
    first, *others = trees.found()
    assert [first, *sorted(others, key=lambda checkout: checkout.name)] == [
        Checkout(b"", top, b"refs/heads/main", oid),
        Checkout(b"one", os.fsencode(one), None, oid),
        Checkout(b"two", os.fsencode(two), b"refs/heads/topic", oid, locked=b"a reason"),
    ]
    assert branch_paths(trees.repo.store()) == {b"refs/heads/main": top, b"refs/heads/topic": os.fsencode(two)}


def test_of_several_with_one_branch_the_last_of_the_directory_counts(trees: Trees) -> None:
    for name in ("b", "a", "d", "c"):
        trees.link(name, "ref: refs/heads/topic")
    last = os.listdir(trees.repo.git / "worktrees")[-1]
    assert branch_paths(trees.repo.store())[b"refs/heads/topic"] == os.fsencode(trees.repo.top / last)


def test_unborn_is_all_zeros_and_broken_is_none(trees: Trees) -> None:
    trees.link("new", "ref: refs/heads/unborn")
    trees.link("odd", "nonsense")
    trees.repo.config("[core]\n\tbare = true\n")
    main, *others = trees.found()
    new, odd = sorted(others, key=lambda checkout: checkout.name)
    assert (new.branch, new.head) == (b"refs/heads/unborn", bytes(20))
    assert (odd.branch, odd.head) == (None, None)
    assert (main.bare, new.bare, odd.bare) == (True, False, False)


def test_of_two_on_a_branch_the_linked_one_is_named(trees: Trees) -> None:
    again = trees.link("again", "ref: refs/heads/main")
    assert branch_paths(trees.repo.store()) == {b"refs/heads/main": os.fsencode(again)}


def test_what_would_be_pruned(trees: Trees) -> None:
    trees.link("gone", trees.commit.hex())
    trees.link("locked", trees.commit.hex(), locked="")
    there = trees.link("there", trees.commit.hex())
    there.mkdir()
    (there / ".git").write_text("gitdir: somewhere\n")
    store = trees.repo.store()
    reasons = {checkout.name: prunable(store, checkout, 0) for checkout in checkouts(store)}
    assert reasons == {b"": None, b"gone": GONE, b"locked": None, b"there": None}


def test_one_that_was_used_lately_is_kept(trees: Trees) -> None:
    trees.link("gone", trees.commit.hex())
    index = trees.repo.git / "worktrees/gone/index"
    index.touch()
    os.utime(index, (1000, 1000))
    store = trees.repo.store()
    gone = checkouts(store)[1]
    assert [prunable(store, gone, expire) for expire in (999, 1000)] == [None, GONE]


def test_one_outside_of_the_jail_is_taken_to_be_there(trees: Trees, tmp_path: Path) -> None:
    trees.link("far", trees.commit.hex(), tmp_path / "elsewhere")
    top = os.fsencode(trees.repo.top)
    trees.repo.write_index()
    jailed, free = (open_store(Where(cwd=top), root=root) for root in (top, b"/"))
    assert [prunable(store, checkouts(store)[1], 0) for store in (jailed, free)] == [None, GONE]


def test_thousands_of_work_trees_keep_the_deadline(trees: Trees) -> None:
    for number in range(100):
        trees.link(f"w{number}", "ref: refs/heads/main")
    store = trees.repo.store()
    for ask in (checkouts, branch_paths, lambda store: taken_by(store, b"refs/heads/none")):
        with Context(Limits(timeout=-1.0)), pytest.raises(Timeout):
            ask(store)


def test_a_bare_repository_need_not_say_so(trees: Trees) -> None:
    """Without `core.bare` one is bare by where it lies."""
    bare = trees.repo.top / "other.git"
    trees.repo.git.rename(bare)
    (bare / "config").write_text("")
    (main,) = checkouts(open_store(Where(cwd=os.fsencode(bare)), root=None))
    assert main.bare
