"""The commits that are read to find what `main~3` and `A..B` name, for the walk that begins there.

A module of its own: names are resolved by many commands that load nothing of a walk.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..annotations import TYPE_CHECKING, NamedTuple
from ..memories import Slot

if TYPE_CHECKING:
    from ..repo.store import Store


class Steps(NamedTuple):
    """What is read to find what one name stands for: a commit, and so many of its first parents above it."""

    commit: bytes
    generations: int
    from_graph: bool  # the commit had been read from a commit-graph before, as a name that leads to nothing else is


#: where names like `main~3` began, and how many first parents they follow; the ends of ranges, and what tags lead to
_STEPS: Slot[list[Steps]] = Slot("steps of names")
_TIPS: Slot[set[bytes]] = Slot("commits that names stand for as they are")


def note_steps(store: Store, commit: bytes, generations: int) -> None:
    """A name leads from this commit to first parents, so many generations up. With none the commit was read alone."""
    store.per_call.made(_STEPS, list).append(Steps(commit, generations, commit in tips_read(store)))


def steps_taken(store: Store) -> Sequence[Steps]:
    """What was noted: git has read all commits on these ways before a walk begins."""
    return store.per_call.get(_STEPS) or ()


def tips_read(store: Store) -> set[bytes]:
    """The commits that names of this call stand for as they are, so far: git reads these from a commit-graph, where a
    name with steps, or one end of a range, is read as an object unless it is one of these. Add to it."""
    return store.per_call.made(_TIPS, set)
