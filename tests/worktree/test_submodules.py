"""Submodules as the superproject sees them: the commit checked out, and what changed inside."""

from __future__ import annotations

from typing import Any

import pytest

from gitglass.errors import Corrupt
from gitglass.paths.pathspec import Pathspecs
from gitglass.worktree.submodules import (
    MODIFIED,
    UNTRACKED,
    SubmoduleState,
    absent_submodule,
    is_active,
    refuse_link,
    submodule_changes,
    submodule_head,
    submodule_state,
)

LINK = 0o160000


class Super:
    """A repository with a submodule at "sub", which is clean."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        (repo.top / "sub").mkdir(parents=True)
        self.sub = type(repo)(repo.top / "sub")
        self.sub.add("file")
        self.sub.write_index()
        self.head = self.sub.commit()
        repo.entry("sub", self.head, mode=LINK)

    def state(self, ctx: Any, ignore: bytes = b"none", oid: bytes | None = None) -> SubmoduleState:
        return submodule_state(self.repo.store(), b"sub", oid or self.head, ignore, ctx=ctx)


@pytest.fixture
def above(repo: Any) -> Super:
    return Super(repo)


def test_a_clean_one(above: Super, ctx: Any) -> None:
    assert submodule_head(above.repo.store(), b"sub") == above.head
    assert above.state(ctx) == SubmoduleState(above.head)
    assert above.state(ctx, oid=b"\1" * 20) == SubmoduleState(above.head, new_commits=True)
    assert above.state(ctx, b"all", b"\1" * 20) == SubmoduleState(None)


def test_one_that_is_not_checked_out(above: Super, ctx: Any) -> None:
    store = above.repo.store()
    assert submodule_head(store, b"gone") is None
    assert submodule_state(store, b"gone", above.head, b"none", ctx=ctx) == SubmoduleState(None)


@pytest.mark.parametrize(
    ("ignore", "dirty"), [(b"none", UNTRACKED | MODIFIED), (b"untracked", MODIFIED), (b"dirty", 0), (b"all", 0)]
)
def test_changes_inside_and_what_is_ignored_of_them(above: Super, ctx: Any, ignore: bytes, dirty: int) -> None:
    above.sub.write("new")
    above.sub.write("file", b"other content\n")
    state = above.state(ctx, ignore)
    assert state.dirty == dirty
    assert (state.modified, state.untracked) == (bool(dirty & MODIFIED), bool(dirty & UNTRACKED))


def test_untracked_and_staged_alone(above: Super, ctx: Any) -> None:
    above.sub.write("new")
    assert above.state(ctx).dirty == UNTRACKED
    above.sub.add("new")
    above.sub.write_index()
    assert above.state(ctx).dirty == MODIFIED


def test_changes_name_both_sides(above: Super, ctx: Any) -> None:
    def found(paths: Pathspecs = Pathspecs.ALL, given: bytes | None = None) -> list[tuple[Any, ...]]:
        store = above.repo.store()
        changes = submodule_changes(store, store.index, paths, given, b"none", ctx=ctx)
        return [(c.status, c.old.path, c.old.oid, c.new.oid, c.new.dirty) for c in changes]

    assert found() == []
    above.sub.write("new")
    assert found() == [("M", b"sub", above.head, above.head, UNTRACKED)]
    assert found(given=b"untracked") == [] == found(Pathspecs.parse([b"other"]))
    above.repo.entry("sub", b"\1" * 20, mode=LINK)
    assert found() == [("M", b"sub", b"\1" * 20, above.head, UNTRACKED)]
    above.repo.entry("sub", b"\1" * 20, mode=LINK, flags=0x8000)  # assumed to be unchanged
    assert found() == []


def test_a_link_in_its_place_is_refused_unless_ignored(above: Super) -> None:
    link = above.repo.top / "link"
    link.symlink_to("sub")
    for ignore in (b"all", b"dirty"):
        refuse_link(b"link", link.lstat(), ignore)
    refuse_link(b"sub", (above.repo.top / "sub").lstat(), b"none")
    refuse_link(b"gone", None, b"none")
    with pytest.raises(Corrupt, match="expected submodule path 'link' not to be a symbolic link"):
        refuse_link(b"link", link.lstat(), b"untracked")


@pytest.mark.parametrize(
    ("config", "active"),
    [
        ("", False),
        ('[submodule "name"]\n\turl = x\n', True),
        ('[submodule "name"]\n\turl = x\n\tactive = false\n', False),
        ("[submodule]\n\tactive = s*\n", True),
        ('[submodule]\n\tactive = other\n[submodule "name"]\n\turl = x\n', False),
        ('[submodule]\n\tactive = other\n[submodule "name"]\n\tactive = true\n', True),
    ],
)
def test_which_are_active(above: Super, config: str, active: bool) -> None:
    above.repo.write(".gitmodules", b'[submodule "name"]\n\tpath = sub\n\turl = x\n')
    above.repo.config(config)
    store = above.repo.store()
    assert is_active(store, b"sub") is active
    assert not is_active(store, b"unknown")


def test_one_that_was_removed_is_kept_below_the_git_directory(above: Super) -> None:
    above.repo.write(".gitmodules", b'[submodule "name"]\n\tpath = sub\n\turl = x\n')
    assert absent_submodule(above.repo.store(), b"sub") is None
    place = above.repo.git / "modules" / "name"
    place.parent.mkdir()
    above.sub.git.rename(place)
    with (place / "config").open("a") as config:
        config.write("\tworktree = ../../../gone\n")
    found = absent_submodule(above.repo.store(), b"sub")
    assert found is not None and found.refs.head()[1] == above.head
    assert absent_submodule(above.repo.store(), b"unknown") is None
