"""Commits as a history walk sees them: time, parents, tree, and nothing else.

A walk over a whole project asks these three facts of every commit and most commits for nothing more, so they are plain
tuples, remembered by the object database: no object per commit.  Grafts, shallow boundaries and replacements
are applied below, in `store.odb.facts_reader`.

A walk calls a commit by its oid (`Nodes`), or by its number where a commit-graph has one for it (`Numbers`): a number
is cheaper to make, to hash and to hold, and what the graph knows of it is found without a search. Only what goes in
and out of a walk is translated.
"""

from __future__ import annotations

from collections.abc import Callable

from ..annotations import Any
from ..objects.parsed import Commit
from ..repo.store import Store
from .positions import Positions

INFINITE = 1 << 62  # generation of a commit that the commit-graph does not know: above everything it does know

Node = Any  # an oid (bytes), or the number of a commit (int): the same kind throughout a walk


class Nodes:
    """The commit facts of one repository, by oid; cheap to make, so make one for each question."""

    __slots__ = ("facts", "generation_of")

    def __init__(self, store: Store) -> None:
        self.facts: Callable[[Node], tuple[Any, ...]] = store.odb.facts_reader()  # parents, commit time, perhaps tree
        self.generation_of = store.odb.generation

    def time(self, node: Node) -> int:
        """The commit time in seconds since 1970."""
        time: int = self.facts(node)[1]
        return time

    def generation(self, node: Node) -> int:
        """Longest distance to a root as the commit-graph has it, INFINITE when it is not in there."""
        generation = self.generation_of(node)
        return INFINITE if generation is None else generation


class Numbers(Nodes):
    """The same by number. Raises BrokenGraph where the commit-graph turns out to be broken."""

    __slots__ = ("_commit_of", "oid", "positions")

    def __init__(self, store: Store, positions: Positions) -> None:
        super().__init__(store)
        self.positions, self._commit_of, self.oid = positions, store.odb.commit, positions.oid_reader()
        self.facts = positions.facts

    def generation(self, node: Node) -> int:
        """Longest distance to a root, as the commit-graph has it."""
        return self.positions.level(node)

    def commit(self, number: int) -> Commit:
        """The commit itself, read."""
        return self._commit_of(self.oid(number))

    def oids(self, numbers: tuple[int, ...]) -> tuple[bytes, ...]:
        """The names of several commits."""
        return tuple(map(self.oid, numbers))
