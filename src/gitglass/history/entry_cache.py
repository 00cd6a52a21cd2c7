"""Remembered tree entries, by name and tree: histories of paths and blame look up the same entries often.

The tree of a commit is read as child and as parent, directories rarely change, and a second question about a file reads
the same trees as the first.
"""

from __future__ import annotations

from collections.abc import Callable

from ..memories import Facts, Table
from ..objects.parsed import DoubledName, entry_finder, find_entry
from ..repo.store import Store

#: (mode, oid), or None if the tree has no such name
Entry = tuple[int, bytes] | None
Finder = Callable[[bytes], Entry]
UNKNOWN: Entry = (-1, b"")

#: entries by tree, one table for each name
ENTRIES: Facts[bytes, Entry] = Facts("entries by name", most=250_000, each=250)


class EntryLookup:
    """Looks names up in raw trees and remembers the entries."""

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    def by_tree(self, name: bytes) -> Table[bytes, Entry]:
        """The remembered entries of a name, by tree."""
        return self._store.odb.by_oid.member(ENTRIES, name)

    def parts(self, name: bytes) -> tuple[Callable[[bytes, Entry], Entry], Finder]:
        """(`get` of the remembered entries, the function that finds the name in another tree). Made once a walk.

        The function raises `DoubledName` for a tree that has the name twice.
        """
        table = self.by_tree(name)
        put, tree_of = table.put, self._store.odb.tree_reader()
        find_in = entry_finder(name, self._store.hash_len)
        return table.rows.get, lambda tree: put(tree, find_in(tree_of(tree)))

    def finder(self, name: bytes, *, first: bool = False) -> Finder:
        """The function that finds one name in trees. Made once a walk.

        For a tree that has the name twice it raises `DoubledName`, or returns the first entry if `first` is set.
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
