"""Commits as a history walk sees them: time, parents, tree, and nothing else.

A walk over a whole project asks these three facts of every commit and most commits for nothing more, so they are plain
tuples, remembered by the object database: no object per commit.  Grafts, shallow boundaries and replacements
are applied below, in `store.odb.facts_reader`.
"""

from __future__ import annotations

from ..store.store import Store

INFINITE = 1 << 62  # generation of a commit that the commit-graph does not know: above everything it does know


class Nodes:
    """The commit facts of one repository; cheap to make, so make one for each question."""

    __slots__ = ("facts", "generation_of")

    def __init__(self, store: Store) -> None:
        self.facts = store.odb.facts_reader()
        self.generation_of = store.odb.generation

    def time(self, oid: bytes) -> int:
        return self.facts(oid)[1]

    def generation(self, oid: bytes) -> int:
        """Longest distance to a root as the commit-graph has it, INFINITE when it is not in there."""
        generation = self.generation_of(oid)
        return INFINITE if generation is None else generation
