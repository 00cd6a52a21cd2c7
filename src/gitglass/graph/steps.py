"""The commits that are read to find what `main~3` and `A..B` name, for the walk that begins there.

A module of its own: names are resolved by many commands that load nothing of a walk.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..annotations import TYPE_CHECKING
from ..memories import Slot

if TYPE_CHECKING:
    from ..repo.store import Store

#: where names like `main~3` began, and how many first parents they follow; the ends of ranges, and what tags lead to
_STEPS: Slot[list[tuple[bytes, int]]] = Slot("steps of names")


def note_steps(store: Store, commit: bytes, generations: int) -> None:
    """A name leads from this commit to first parents, so many generations up. With none the commit was read alone."""
    store.per_call.made(_STEPS, list).append((commit, generations))


def steps_taken(store: Store) -> Sequence[tuple[bytes, int]]:
    """What was noted: git has read all commits on these ways before a walk begins."""
    return store.per_call.get(_STEPS) or ()
