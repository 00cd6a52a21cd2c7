"""Entries of trees that were looked up: each tree is read once for a name, and no more are kept than may be."""

from typing import Any

import pytest

from gitglass.history.entry_cache import EntryMemo, entry_memo


@pytest.fixture
def trees(history: Any) -> Any:
    """A store that counts in `reads` how often each tree is read."""
    reads: list[bytes] = []

    def read(tree: bytes) -> bytes:
        reads.append(tree)
        return history.trees[tree]  # type: ignore[no-any-return]

    history.store.odb.tree_reader = lambda: read
    history.reads = reads
    return history


def test_a_tree_is_read_once_for_a_name(trees: Any, oid_of: Any) -> None:
    tree = trees.tree({"x": "one", "y": "two"})
    memo = EntryMemo(trees.store)
    for _ in range(2):
        assert memo.finder(b"x")(tree) == (0o100644, oid_of("one"))
        assert memo.finder(b"z")(tree) is None
    assert trees.reads == [tree, tree]
    assert memo.known(b"x") == {tree: (0o100644, oid_of("one"))} and memo.known(b"z") == {tree: None}


def test_more_than_may_be_kept_is_forgotten_with_all_else(trees: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitglass.history.entry_cache._KEPT", 2)
    one, two, three = (trees.tree({"x": text}) for text in ("1", "2", "3"))
    memo = EntryMemo(trees.store)
    find, other = memo.finder(b"x"), memo.finder(b"y")
    find(one)
    other(two)
    assert set(memo.known(b"x")) == {one} and set(memo.known(b"y")) == {two}
    find(three)
    assert set(memo.known(b"x")) == {three} and memo.known(b"y") == {}
    find(one)
    assert set(memo.known(b"x")) == {one, three}


def test_the_memory_belongs_to_the_store(history: Any, make_history: Any) -> None:
    memo = entry_memo(history.store)
    assert entry_memo(history.store) is memo
    assert entry_memo(make_history().store) is not memo
