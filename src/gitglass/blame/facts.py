"""What blame has found out and may ask again: facts about objects, which stay true as long as their names do.

They are kept with the store, so that the second question about a file (`-L` of other lines, another option) costs a
fraction of the first. All is bounded by numbers of entries.
"""

from __future__ import annotations

from ..diff.lines.spec import LineSpec
from ..repo.store import Store
from .origins import Script

_HUNKS_KEPT = 100_000


class BlameFacts:
    """Changes between two blobs by their names and the kind of diff."""

    __slots__ = ("_hunks", "_scripts")

    def __init__(self) -> None:
        self._scripts: dict[tuple[bytes, bytes, str], Script] = {}
        self._hunks = 0

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
        facts = store.memo["blame"] = BlameFacts()
    return facts
