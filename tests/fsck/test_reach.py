"""What is reached from the roots: missing objects, broken links, and what nobody names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitglass.fsck.objects import HERE, REACH, USED, Findings, Objects
from gitglass.fsck.reach import Reach
from gitglass.limits import Context
from gitglass.objects.pack import COMMIT, KIND_NUMBERS, TREE

from ..support.worktrees import Repo

GONE = b"\7" * 20


class Reached(Repo):
    """Objects that `make` writes and `reach` has seen in their files."""

    def __init__(self, top: Path) -> None:
        super().__init__(top)
        self.made: list[tuple[bytes, int]] = []

    def make(self, kind: str, data: bytes) -> bytes:
        oid = self.put(kind, data)
        self.made.append((oid, KIND_NUMBERS[kind.encode()]))
        return oid

    def reach(self, *, unreachable: bool = False) -> Reach:
        store = self.store()
        objects = Objects(store, Findings(store), Context())
        for oid, kind in self.made:
            objects.take_for(oid, kind)
            objects.mark(oid, HERE)
        return Reach(objects, unreachable=unreachable)


@pytest.fixture
def repo(tmp_path: Path) -> Reached:
    return Reached(tmp_path / "repo")


def said(reach: Reach, *roots: bytes) -> list[tuple[str, bool, int]]:
    for root in roots:
        reach.start(root)
    reach.follow()
    reach.judge()
    return sorted((damage.words, damage.is_error, damage.status) for damage in reach.findings.drain())


def test_of_what_is_reached_nothing_is_said(repo: Reached) -> None:
    blob = repo.make("blob", b"x")
    tree = repo.make("tree", b"100644 a\0" + blob)
    commit = repo.make("commit", b"tree " + tree.hex().encode() + b"\n\n")
    tag = repo.make("tag", b"object " + commit.hex().encode() + b"\ntype commit\ntag v\n")
    assert said(repo.reach(), tag) == []
    assert said(repo.reach(), tree) == [
        (f"dangling commit {commit.hex()}", False, 0),
        (f"dangling tag {tag.hex()}", False, 0),
    ]  # nobody was heard to name the commit: only the files' reading marks what is used


def test_a_missing_object_breaks_the_link_to_it(repo: Reached) -> None:
    tree = repo.make("tree", b"100644 a\0" + GONE)
    link = f"broken link from    tree {tree.hex()}\n              to    blob {GONE.hex()}"
    assert said(repo.reach(), tree) == [(link, True, REACH), (f"missing blob {GONE.hex()}", True, REACH)]


def test_a_root_that_is_missing_breaks_no_link(repo: Reached) -> None:
    reach = repo.reach()
    reach.objects.take_for(GONE, COMMIT)
    assert said(reach, GONE) == [(f"missing commit {GONE.hex()}", True, REACH)]


def test_a_link_to_another_kind_names_none(repo: Reached) -> None:
    blob = repo.make("blob", b"x")
    tree = repo.make("tree", b"40000 a\0" + blob)
    words = f"broken link from    tree {tree.hex()}\nbroken link from    tree unknown"
    kind = f"error: object {blob.hex()} is a blob, not a tree"
    assert said(repo.reach(), tree) == [
        (words, True, REACH),
        (f"dangling blob {blob.hex()}", False, 0),
        (kind, True, 0),
    ]


def test_unreachable_is_more_than_dangling(repo: Reached) -> None:
    blob = repo.make("blob", b"x")
    tree = repo.make("tree", b"100644 a\0" + blob)
    for unreachable, expected in ((False, [tree]), (True, [blob, tree])):
        reach = repo.reach(unreachable=unreachable)
        reach.objects.mark(blob, USED)  # the tree's file was read, and names it
        names = [words.split()[-1] for words, _, _ in said(reach)]
        assert sorted(names) == sorted(oid.hex() for oid in expected)
    assert said(repo.reach(unreachable=True), tree) == []


def test_what_was_here_and_cannot_be_read_any_more(repo: Reached) -> None:
    reach = repo.reach()
    reach.objects.take_for(GONE, TREE)
    reach.objects.mark(GONE, HERE)
    assert said(reach, GONE) == [(f"error: Could not read {GONE.hex()}", True, 0)]
