"""Commits as history walks see them: parents, commit time, tree, and nothing else.

A walk over a whole project needs these three facts of every commit, and of most commits nothing more. So they are plain
tuples, remembered by the object database, not an object for each commit. Grafts, shallow boundaries and replacements
are applied by `store.odb.facts_reader`.

A walk names commits by oid (`Nodes`), or by number: the one that a commit-graph has for it (`Numbers`), or one that it
is given as the walk comes to it (`PackNumbers`). A number takes less to make, to hash and to store, and facts are read
by number without a search. Oids are converted only at the start and at the end of a walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from ..annotations import TYPE_CHECKING, Any, TypeVar
from ..deferred import deferred
from ..objects.parsed import Commit
from ..objects.source import LongHistory, Unnumbered
from ..repo.store import Store
from .positions import Positions

if TYPE_CHECKING:
    from ..objects.numbering import Numbering
    from ..objects.pack import Pack
else:
    Numbering = deferred(__name__, "..objects.numbering", "Numbering")

T = TypeVar("T")

KEPT = 1 << 17  # so many numbers are kept for the next command: 30 MB

INFINITE = 1 << 62  # generation of a commit that is not in the commit-graph: above those of all that are

Node = Any  # an oid (bytes) or the number of a commit (int); one kind throughout a walk


class Nodes:
    """The facts of commits by oid. Cheap to make: make one for each question."""

    __slots__ = ("facts", "generation_of", "number", "oid")

    def __init__(self, store: Store, *, ends: bool = False) -> None:
        """`ends` as in `Odb.facts_reader`."""
        #: (parents, commit time, and in some cases the tree) of a commit
        self.facts: Callable[[Node], tuple[Any, ...]] = store.odb.facts_reader(ends=ends)
        self.generation_of = store.odb.generation
        self.number: Callable[[bytes], Any] = bytes  # the name of a commit in a walk
        self.oid: Callable[[Node], bytes] = bytes

    def time(self, node: Node) -> int:
        """The commit time in seconds since 1970."""
        time: int = self.facts(node)[1]
        return time

    def generation(self, node: Node) -> int:
        """The longest distance to a root, from the commit-graph; INFINITE if the commit is not in it."""
        generation = self.generation_of(node)
        return INFINITE if generation is None else generation


class _Numbered(Nodes):
    """The facts of commits by number."""

    __slots__ = ("_commit_of", "tree", "tree_reader")

    def __init__(self, store: Store, numbers: Positions | Numbering) -> None:
        self._commit_of, self.oid, self.facts = store.odb.commit, numbers.oid_reader(), numbers.facts
        self.number = numbers.number
        self.tree: Callable[[int], bytes] = numbers.tree
        self.tree_reader = numbers.tree_reader

    def commit(self, number: int) -> Commit:
        """The parsed commit."""
        return self._commit_of(self.oid(number))

    def oids(self, numbers: tuple[int, ...]) -> tuple[bytes, ...]:
        """The oids of several commits."""
        return (self.oid(numbers[0]),) if len(numbers) == 1 else tuple(map(self.oid, numbers))


class Numbers(_Numbered):
    """The facts of commits by their number in a commit-graph. Raises BrokenGraph if that turns out to be broken."""

    __slots__ = ("positions",)

    def __init__(self, store: Store, positions: Positions) -> None:
        super().__init__(store, positions)
        self.positions = positions

    def generation(self, node: Node) -> int:
        """The longest distance to a root, from the commit-graph."""
        return self.positions.level(node)


class PackNumbers(_Numbered):
    """The facts of commits by a number that they are given (`objects/numbering.py`). Raises Unnumbered if there are too
    many."""

    __slots__ = ("numbering",)

    def __init__(self, store: Store, numbering: Numbering) -> None:
        super().__init__(store, numbering)
        self.numbering = numbering

    def author_time(self, node: Node) -> int:
        """The time at which the author wrote the commit."""
        return self.numbering.author_time(node) or self.commit(node).author_time

    def generation(self, node: Node) -> int:
        """INFINITE, as for any commit that is in no commit-graph."""
        return INFINITE


def numbered_when_long(
    store: Store, go: Callable[[PackNumbers | None, bool], Iterator[T]], restarts: bool = True
) -> Iterator[T]:
    """The rows of a walk that no commit-graph has numbers for: by oid as long as it is short; once it has read many
    commits of a pack it begins again by number. `go` makes the rows, by oid if it gets no numbers; whether such a walk
    may end with LongHistory is said as well. It must do so before the first row, if at all.

    After a walk by number, the next one of the same handle begins by number.
    """
    numbers, count = _kept(store) if restarts else None, 0
    if numbers is None:
        try:
            yield from go(None, restarts)
            return
        except LongHistory as long:
            numbers = _along(store, long.pack)
    try:
        for row in go(numbers, False):
            count += 1
            yield row
    except Unnumbered:
        yield from islice(go(None, False), count, None)
    finally:
        _keep(store, numbers)


def answer_when_long(store: Store, ask: Callable[[Nodes], T]) -> T:
    """The same for a question: the answer of `ask`, which gets the history by oid or by number."""
    numbers = _kept(store)
    if numbers is None:
        try:
            return ask(Nodes(store, ends=True))
        except LongHistory as long:
            numbers = _along(store, long.pack)
    try:
        return ask(numbers)
    except Unnumbered:
        return ask(Nodes(store))
    finally:
        _keep(store, numbers)


def _kept(store: Store) -> PackNumbers | None:
    """The numbers of an earlier walk, if they still hold."""
    odb = store.odb
    numbering = odb.numbering
    if numbering is None or not numbering.pack.is_open or odb.graph is not None or odb.grafted or odb.replaced:
        return None
    return PackNumbers(store, numbering)


def _along(store: Store, pack: Pack) -> PackNumbers:
    """New numbers, for a walk along this pack."""
    odb = store.odb
    odb.numbering = Numbering(pack, odb.commit_facts, odb.head_reader)
    return PackNumbers(store, odb.numbering)


def _keep(store: Store, numbers: PackNumbers) -> None:
    """Keep the numbers for the next walk, unless they are very many."""
    if numbers.numbering.count > KEPT:
        store.odb.numbering = None
