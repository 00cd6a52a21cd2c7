"""What blame has found out and may ask again: facts about objects, which stay true as long as their names do.

They are kept with the store, so that the second question about a file (`-L` of other lines, another option) costs a
fraction of the first. All is bounded by numbers of entries.
"""

from __future__ import annotations

from ..diff.linespec import LineSpec
from ..store.objects import find_entry
from ..store.store import Store
from .blameorigins import Script

_ENTRIES_KEPT = 150_000
_HUNKS_KEPT = 100_000

Found = tuple[int, bytes] | None


class BlameFacts:
    """Tree entries by name and tree; changes between two blobs by their names and the kind of diff."""

    __slots__ = ("_entries", "_held", "_hunks", "_scripts", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._entries: dict[bytes, dict[bytes, Found]] = {}
        self._held = 0
        self._scripts: dict[tuple[bytes, bytes, str], Script] = {}
        self._hunks = 0

    def entry(self, tree: bytes, names: list[bytes]) -> Found:
        """(mode, oid) of a path, given as its parts, below a tree; None where there is no such file."""
        mode, oid = 0o040000, tree
        for name in names:
            if mode & 0o170000 != 0o040000:
                return None
            seen = self._entries.get(name)
            if seen is None:
                seen = self._entries[name] = {}
            if oid in seen:
                found = seen[oid]
            else:
                found = seen[oid] = find_entry(self._store.odb.tree(oid), name, self._store.hash_len)
                self._held += 1
                if self._held > _ENTRIES_KEPT:
                    self._entries, self._held = {}, 0
            if found is None:
                return None
            mode, oid = found
        return mode, oid

    def script(self, old: bytes, new: bytes, spec: LineSpec) -> Script | None:
        """The changes from one blob to another, if they are known."""
        return self._scripts.get((old, new, _kind(spec)))

    def keep_script(self, old: bytes, new: bytes, spec: LineSpec, script: Script) -> None:
        """Remember the changes."""
        self._hunks += len(script) + 4
        if self._hunks > _HUNKS_KEPT:
            self._scripts, self._hunks = {}, len(script) + 4
        self._scripts[old, new, _kind(spec)] = script


def _kind(spec: LineSpec) -> str:
    """What of the options changes a diff of blame's."""
    return f"{spec.minimal:d}{spec.ignore_all_space:d}{spec.indent_heuristic:d}"


def facts_of(store: Store) -> BlameFacts:
    """The facts kept with a store."""
    facts = store.memo.get("blame")
    if not isinstance(facts, BlameFacts):
        facts = store.memo["blame"] = BlameFacts(store)
    return facts
