"""Commits as history walks see them: parents, commit time, tree, and nothing else.

A walk over a whole project needs these three facts of every commit, and of most commits nothing more. So they are plain
tuples, remembered by the object database, not an object for each commit. Grafts, shallow boundaries and replacements
are applied by `store.odb.facts_reader`.

A walk names commits by oid (`Nodes`), or by their number if a commit-graph has one (`Numbers`). A number takes less to
make, to hash and to store, and the graph's facts are read by number without a search. Oids are converted only at the
start and at the end of a walk.
"""

from __future__ import annotations

from collections.abc import Callable

from ..annotations import Any
from ..objects.parsed import Commit
from ..repo.store import Store
from .positions import Positions

INFINITE = 1 << 62  # generation of a commit that is not in the commit-graph: above those of all that are

Node = Any  # an oid (bytes) or the number of a commit (int); one kind throughout a walk


class Nodes:
    """The facts of commits by oid. Cheap to make: make one for each question."""

    __slots__ = ("facts", "generation_of")

    def __init__(self, store: Store) -> None:
        #: (parents, commit time, and in some cases the tree) of a commit
        self.facts: Callable[[Node], tuple[Any, ...]] = store.odb.facts_reader()
        self.generation_of = store.odb.generation

    def time(self, node: Node) -> int:
        """The commit time in seconds since 1970."""
        time: int = self.facts(node)[1]
        return time

    def generation(self, node: Node) -> int:
        """The longest distance to a root, from the commit-graph; INFINITE if the commit is not in it."""
        generation = self.generation_of(node)
        return INFINITE if generation is None else generation


class Numbers(Nodes):
    """The facts of commits by number. Raises BrokenGraph if the commit-graph turns out to be broken."""

    __slots__ = ("_commit_of", "oid", "positions")

    def __init__(self, store: Store, positions: Positions) -> None:
        super().__init__(store)
        self.positions, self._commit_of, self.oid = positions, store.odb.commit, positions.oid_reader()
        self.facts = positions.facts

    def generation(self, node: Node) -> int:
        """The longest distance to a root, from the commit-graph."""
        return self.positions.level(node)

    def commit(self, number: int) -> Commit:
        """The parsed commit."""
        return self._commit_of(self.oid(number))

    def oids(self, numbers: tuple[int, ...]) -> tuple[bytes, ...]:
        """The oids of several commits."""
        return tuple(map(self.oid, numbers))
