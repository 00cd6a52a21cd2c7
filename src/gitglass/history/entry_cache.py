"""Entries of trees that were looked up, by name and tree: histories of paths and blame ask for the same ones often.

The tree of a commit is asked for as child and as parent, directories rarely change, and the second question about a
file asks what the first one did.
"""

from __future__ import annotations

from collections.abc import Callable

from ..memories import Facts, Table
from ..objects.parsed import DoubledName, entry_finder, find_entry
from ..repo.store import Store

#: (mode, oid), or None where the tree has no such name
Entry = tuple[int, bytes] | None
Finder = Callable[[bytes], Entry]
UNKNOWN: Entry = (-1, b"")

#: entries by tree, a table for each name
ENTRIES: Facts[bytes, Entry] = Facts("entries by name", most=250_000, each=250)


class EntryLookup:
    """Looks names up in raw trees, and remembers."""

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    def by_tree(self, name: bytes) -> Table[bytes, Entry]:
        """What is remembered of a name, by tree."""
        return self._store.odb.by_oid.member(ENTRIES, name)

    def parts(self, name: bytes) -> tuple[Callable[[bytes, Entry], Entry], Finder]:
        """(`get` of what is remembered, what finds the name in a tree that is not). Made once a walk.

        The latter raises `DoubledName` where a tree has the name twice.
        """
        table = self.by_tree(name)
        put, tree_of = table.put, self._store.odb.tree_reader()
        find_in = entry_finder(name, self._store.hash_len)
        return table.rows.get, lambda tree: put(tree, find_in(tree_of(tree)))

    def finder(self, name: bytes, *, first: bool = False) -> Finder:
        """Finds one name in trees. Made once a walk.

        Where a tree has the name twice it raises `DoubledName`, or tells the `first` one.
        """
        cached, look = self.parts(name)

        def find(tree: bytes) -> Entry:
            entry = cached(tree, UNKNOWN)
            if entry is not UNKNOWN:
                return entry
            try:
                return look(tree)
            except DoubledName:
                if not first:
                    raise
                return find_entry(self._store.odb.tree(tree), name, self._store.hash_len)

        return find
