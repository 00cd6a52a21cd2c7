"""The state of a walk, as its parts use it: simplification, order, selection and the search for equal changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..annotations import Any, Protocol
from ..graph.nodes import Node, Numbers, PackNumbers
from ..limits import Context
from ..objects.database import Odb
from ..objects.parsed import Commit
from ..repo.store import Store
from .columns import Column, Parents
from .spec import WalkSpec


class Simplification(Protocol):
    """What drops commits from a history."""

    def simplify(self, node: Node) -> None:
        """Compare a commit with its parents, and drop those that need not be walked."""


class WalkState(Protocol):
    """What `walk.Walk` offers its parts. The columns are indexed by commit, and the parts change them."""

    store: Store
    odb: Odb
    spec: WalkSpec
    ctx: Context
    numbers: Numbers | PackNumbers | None
    limited: bool
    flags: Column
    parents: Parents
    times: Column
    queue: list[tuple[int, int, Node]]
    facts: Callable[[Node], tuple[Any, ...]]
    oid: Callable[[Node], bytes]
    commit: Callable[[Node], Commit]
    author_time: Callable[[Node], int]

    @property
    def simplifier(self) -> Simplification | None:
        """None where no history is simplified."""

    def column(self) -> Column:
        """A column of zeros, one for each commit."""

    def load(self, node: Node) -> None:
        """Read a commit's parents and date, once."""

    def tree(self, node: Node) -> bytes:
        """The oid of the commit's tree."""

    def push(self, node: Node) -> None:
        """Put a commit in the queue."""

    def limit(self, first: Sequence[Node], listed: Sequence[Node] = ()) -> list[Node]:
        """The complete list of interesting commits; `listed` are those that have left the queue."""

    def relevant(self, node: Node) -> bool:
        """Whether a parent counts in the search for the origin of a change."""

    def treesame(self, node: Node) -> bool:
        """Whether a commit changed nothing in the paths of the walk."""

    def expand(self, node: Node) -> None:
        """Put the parents of a commit in the queue, once."""

    def exclude_ancestors(self, node: Node) -> None:
        """Exclude the ancestors of a commit that are known so far."""
