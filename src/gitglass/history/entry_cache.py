"""Entries of trees that were looked up, by name and tree: what histories of paths and blame ask again and again.

The tree of a commit is asked for as child and as parent, directories rarely change, and the second question about a
file asks what the first one did. A tree's oid says all that is in it, so what is remembered stays true; it is kept with
the store and bounded by number.
"""

from __future__ import annotations

from collections.abc import Callable

from ..objects.parsed import entry_finder
from ..repo.store import Store

_KEPT = 250_000  # some 250 bytes each

#: (mode, oid), or None where the tree has no such name
Found = tuple[int, bytes] | None
Finder = Callable[[bytes], Found]
UNKNOWN: Found = (-1, b"")


class EntryMemo:
    """Looks names up in raw trees, and remembers."""

    __slots__ = ("_held", "_known", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[bytes, dict[bytes, Found]] = {}
        self._held = 0

    def known(self, name: bytes) -> dict[bytes, Found]:
        """What is remembered of a name, by tree; grows as `finder` is used."""
        return self._known.setdefault(name, {})

    def looker(self, name: bytes) -> Finder:
        """Finds one name in trees that are not `known` yet. Made once a walk."""
        known, tree_of = self.known(name), self._store.odb.tree_reader()
        find_in = entry_finder(name, self._store.hash_len)

        def look(tree: bytes) -> Found:
            found = find_in(tree_of(tree))
            self._held += 1
            if self._held > _KEPT:
                self._forget()
            known[tree] = found
            return found

        return look

    def finder(self, name: bytes) -> Finder:
        """Finds one name in trees. Made once a walk."""
        known, look = self.known(name).get, self.looker(name)

        def find(tree: bytes) -> Found:
            found = known(tree, UNKNOWN)
            return look(tree) if found is UNKNOWN else found

        return find

    def _forget(self) -> None:
        self._held = 0
        for known in self._known.values():
            known.clear()


def entry_memo(store: Store) -> EntryMemo:
    """The memory kept with a store."""
    memo: EntryMemo | None = store.memo.get("entries")
    if memo is None:
        memo = store.memo["entries"] = EntryMemo(store)
    return memo
