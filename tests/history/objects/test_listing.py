"""What one tree calls a file and another a directory: git ends there, whichever it met first."""

from typing import Any

import pytest

import gitglass
from gitglass.errors import Corrupt
from gitglass.objects.database import Odb

from ...support.worktrees import repo

__all__ = ["repo"]


class Mistaken:
    """A repository to be asked for objects that are not what was said of them."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.blob = bytes(repo.put("blob", b"A\n"))
        self.below = self.tree(p=(b"100644", self.blob))

    def tree(self, **entries: tuple[bytes, bytes]) -> bytes:
        parts = [mode + b" " + name.encode() + b"\0" + oid for name, (mode, oid) in entries.items()]
        return bytes(self.repo.put("tree", b"".join(parts)))

    def commit(self, tree: bytes) -> str:
        lines = [b"tree " + tree.hex().encode(), b"author A <a@b> 1 +0000", b"committer A <a@b> 1 +0000", b"", b"x\n"]
        return str(self.repo.put("commit", b"\n".join(lines)).hex())

    def tag(self, oid: bytes, kind: str) -> str:
        text = f"object {oid.hex()}\ntype {kind}\ntag x\ntagger A <a@b> 1 +0000\n\nx\n"
        return str(self.repo.put("tag", text.encode()).hex())

    def ask(self, *words: str) -> tuple[int, str, int]:
        """The exit status, stderr, and the number of objects listed."""
        done = gitglass.git(["rev-list", "--objects", *words], cwd=str(self.repo.top))
        return done.returncode, done.stderr.decode(), done.stdout.count(b"\n")


@pytest.fixture
def mistaken(repo: Any) -> Mistaken:
    return Mistaken(repo)


def test_a_file_that_was_a_directory(mistaken: Mistaken) -> None:
    tree = mistaken.tree(a=(b"40000", mistaken.below), b=(b"100644", mistaken.below))
    status, said, listed = mistaken.ask(mistaken.commit(tree))
    assert (status, listed) == (128, 4)
    assert said == (
        f"error: object {mistaken.below.hex()} is a tree, not a blob\n"
        f"fatal: entry 'b' in tree {tree.hex()} has blob mode, but is not a blob\n"
    )


def test_a_directory_that_was_a_file(mistaken: Mistaken) -> None:
    tree = mistaken.tree(a=(b"100644", mistaken.blob), b=(b"40000", mistaken.blob))
    status, said, listed = mistaken.ask(mistaken.commit(tree))
    assert (status, listed) == (128, 3)
    assert said == (
        f"error: object {mistaken.blob.hex()} is a blob, not a tree\n"
        f"fatal: entry 'b' in tree {tree.hex()} has tree mode, but is not a tree\n"
    )
    status, said, _ = mistaken.ask(mistaken.commit(tree), "^" + mistaken.tag(mistaken.below, "tree"))
    assert (status, said.count("has tree mode, but is not a tree")) == (128, 1)  # hidden things are met as well


def test_a_directory_that_is_none(mistaken: Mistaken) -> None:
    tree = mistaken.tree(a=(b"40000", mistaken.blob))
    said = f"error: Object {mistaken.blob.hex()} not a tree\n"
    fatal = f"fatal: bad tree object {mistaken.blob.hex()}\n"
    assert mistaken.ask(mistaken.commit(tree)) == (128, said + fatal, 2)
    assert mistaken.ask("--missing=print", mistaken.commit(tree)) == (0, said, 3)
    assert mistaken.ask(mistaken.commit(mistaken.blob)) == (128, said + fatal, 1)


def test_a_tag_that_names_another_kind(mistaken: Mistaken) -> None:
    status, said, listed = mistaken.ask(mistaken.tag(mistaken.blob, "tree"))
    name = mistaken.blob.hex()
    assert (status, listed) == (128, 0)
    assert said == f"error: object {name} is a tree, not a blob\nfatal: bad object {name}\n"
    assert mistaken.ask(mistaken.tag(mistaken.blob, "blob")) == (0, "", 2)


def test_what_was_met_below_another_object_counts_as_named_no_longer(mistaken: Mistaken) -> None:
    """Then the filter decides about it."""
    top = mistaken.tree(a=(b"40000", mistaken.below))
    words = ["rev-list", "--objects", "--filter=object:type=tag"]
    for named, listed in (([top, mistaken.below], [top]), ([mistaken.below, top], [mistaken.below, top])):
        names = [oid.hex() for oid in named]
        done = gitglass.git([*words, *names], cwd=str(mistaken.repo.top))
        assert [line[:40] for line in done.stdout.decode().splitlines()] == [oid.hex() for oid in listed]


def test_commits_are_verified_with_their_objects(unpack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit-graph may tell of commits whose own files are damaged: --verify-objects reads those, and the parents of
    what it lists."""
    one = gitglass.open(unpack("plain"))
    head, parent = one.git(["rev-list", "-2", "--first-parent", "HEAD"]).stdout.decode().split()
    verified: list[str] = []
    monkeypatch.setattr(Odb, "verify", lambda odb, oid: verified.append(oid.hex()))
    assert one.git(["rev-list", "--verify-objects", "-1", "HEAD"]).returncode == 0
    assert verified[:2] == [head, parent]

    def damaged(odb: Odb, oid: bytes) -> None:
        if oid.hex() == parent:
            raise Corrupt("damaged")

    monkeypatch.setattr(Odb, "verify", damaged)
    done = one.git(["rev-list", "--verify-objects", "HEAD"])
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", b"fatal: damaged\n")
