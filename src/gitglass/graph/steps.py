"""The commits that are read to find what `main~3` and `A..B` name, for the walk that begins there.

A module of its own: names are resolved by many commands that load nothing of a walk.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..annotations import TYPE_CHECKING
from ..memories import Slot

if TYPE_CHECKING:
    from ..repo.store import Store

#: what is read to find what one name stands for: a commit, so many of its first parents above it, and whether the
#: commit had been read from a commit-graph before, as it is by a name that leads to nothing else
Steps = tuple[bytes, int, bool]

#: where names like `main~3` began, and how many first parents they follow; the ends of ranges, and what tags lead to
_STEPS: Slot[list[Steps]] = Slot("steps of names")


def note_steps(store: Store, commit: bytes, generations: int, *, from_graph: bool = False) -> None:
    """A name leads from this commit to first parents, so many generations up. With none the commit was read alone."""
    store.per_call.made(_STEPS, list).append((commit, generations, from_graph))


def steps_taken(store: Store) -> Sequence[Steps]:
    """What was noted: git has read all commits on these ways before a walk begins."""
    return store.per_call.get(_STEPS) or ()
