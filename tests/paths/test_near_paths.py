"""Near paths are looked for in so much of a tree, and a deadline ends the search wherever it comes up."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.errors import GitError, Timeout
from gitglass.limits import Context, Limits, step
from gitglass.paths import near_paths as nearpaths
from gitglass.paths.near_paths import near_paths, paths_of_tree

TEN = b"".join(b"40000 %d\0" % at + b"t" * 20 for at in range(10))


def store(tree: Any) -> Any:
    return SimpleNamespace(odb=SimpleNamespace(tree=tree), hash_len=20)


def test_a_tree_of_trees_without_end_is_given_up() -> None:
    """Ten trees in each, all the same one: ten thousand million on the tenth level, and never a file."""
    asked = 0

    def tree(oid: bytes) -> bytes:
        nonlocal asked
        asked += 1
        return TEN

    assert near_paths(b"x", paths_of_tree(store(tree), b"t" * 20, ctx=Context(Limits(timeout=60)))) == []
    assert asked <= nearpaths._ENTRIES // 10


def test_long_names_are_given_up_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearpaths, "_BYTES", 1000)
    below = b"".join(b"100644 f%d\0" % at + b"f" * 20 for at in range(100))
    trees = {b"t" * 20: b"40000 %s\0" % (b"d" * 500) + b"u" * 20, b"u" * 20: below}
    assert not list(paths_of_tree(store(trees.__getitem__), b"t" * 20, ctx=Context()))


def test_a_deadline_within_the_reading_of_a_tree_is_no_unreadable_tree() -> None:
    def tree(oid: bytes) -> bytes:
        step()
        return TEN

    with Context(Limits(timeout=-1.0)) as ctx, pytest.raises(Timeout):
        list(paths_of_tree(store(tree), b"t" * 20, ctx=ctx))


def test_a_tree_that_cannot_be_read_is_passed_over() -> None:
    def tree(oid: bytes) -> bytes:
        if oid == b"u" * 20:
            raise GitError("broken")
        return b"40000 d\0" + b"u" * 20 + b"100644 f\0" + b"f" * 20

    assert list(paths_of_tree(store(tree), b"t" * 20, ctx=Context())) == [b"f"]
