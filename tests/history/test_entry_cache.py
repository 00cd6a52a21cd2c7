"""Entries of trees that were looked up: each tree is read once for a name, and no more are kept than may be."""

from typing import Any

import pytest

from gitglass.history import entry_cache
from gitglass.history.entry_cache import EntryLookup
from gitglass.memories import Facts


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
    for _ in range(2):
        entries = EntryLookup(trees.store)
        assert entries.finder(b"x")(tree) == (0o100644, oid_of("one"))
        assert entries.finder(b"z")(tree) is None
    assert trees.reads == [tree, tree]
    assert entries.by_tree(b"x").rows == {tree: (0o100644, oid_of("one"))} and entries.by_tree(b"z").rows == {
        tree: None
    }


def test_names_share_one_bound(trees: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name counts for four rows."""
    monkeypatch.setattr(entry_cache, "ENTRIES", Facts("test", most=10 * 96, each=250))
    one, two, three = (trees.tree({"x": text}) for text in ("1", "2", "3"))
    entries = EntryLookup(trees.store)  # whose memory is 1 MiB where 96 are usual
    find = entries.finder(b"x")
    x, y = entries.by_tree(b"x"), entries.by_tree(b"y")
    room = x.most
    assert room == 60 and x.held == 8
    for n in range(room - 8 - 1):
        y.put(bytes([n]) * 20, None)
    find(one)
    assert set(x.rows) == {one} and len(y.rows) == room - 9
    find(two)
    assert set(x.rows) == {two} and y.rows == {}
    find(three)
    assert set(x.rows) == {two, three} and x.held == 2


def test_what_is_remembered_belongs_to_the_object_database(trees: Any, make_history: Any) -> None:
    assert EntryLookup(trees.store).by_tree(b"x") is EntryLookup(trees.store).by_tree(b"x")
    assert EntryLookup(make_history().store).by_tree(b"x") is not EntryLookup(trees.store).by_tree(b"x")
