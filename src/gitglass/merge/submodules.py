"""Both sides changed the commit of a submodule: finds the one that contains the other, or a merge to propose.

Mirrors git-merge-tree(1) and git-merge(1) with the `ort` strategy: a submodule is fast-forwarded, and never merged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..errors import GitError
from ..graph.merge_base import is_ancestor
from ..limits import Context
from ..repo.store import Store
from .messages import Messages

__all__ = ["Submodule", "Submodules", "merge_submodule", "not_checked_out"]


class Submodule(Protocol):
    """The operations that a merge needs from the repository of a submodule."""

    store: Store

    def short(self, oid: bytes) -> bytes:
        """A commit's abbreviated name."""

    def merges(self, ours: bytes, theirs: bytes) -> list[bytes]:
        """The merges that contain both commits and no other such merge: short name and subject of each."""


#: opens the submodule at a path; returns None if it is not checked out
Submodules = Callable[[bytes], Submodule | None]


def not_checked_out(path: bytes) -> Submodule | None:
    """None: no submodule is checked out."""
    return None


def merge_submodule(
    path: bytes,
    commits: tuple[bytes | None, bytes, bytes],
    submodules: Submodules,
    messages: Messages,
    *,
    inner: bool,
    ctx: Context,
) -> bytes | None:
    """The commit that base, ours and theirs are merged to, or None if they are in conflict; and the message.

    An `inner` merge, of merge bases, proposes no merge.
    """
    base, ours, theirs = commits
    submodule = submodules(path)
    if submodule is None:
        messages.submodule(path, b" not initialized", b" (not checked out)")
        return None
    store, short = submodule.store, submodule.short(theirs)
    if base is None:
        messages.submodule(path, b" lacks merge base", b" (no merge base)", short)
        return None
    if not all(_is_commit(store, oid) for oid in (base, ours, theirs)):
        messages.submodule(path, b" history not available", b" (commits not present)")
        return None

    def reaches(descendant: bytes, ancestor: bytes) -> bool:
        return is_ancestor(store, ancestor, descendant, ctx=ctx)

    if not (reaches(ours, base) and reaches(theirs, base)):
        messages.submodule(path, b" may have rewinds", b" (commits don't follow merge-base)", short)
        return None
    for later, earlier in ((theirs, ours), (ours, theirs)):
        if reaches(later, earlier):
            messages.fast_forwarded(path, later)
            return later
    merges = [] if inner else submodule.merges(ours, theirs)
    why = b" with possible resolution" if merges else b""
    messages.submodule(path, why, _proposed(merges), short)
    return None


def _proposed(merges: list[bytes]) -> bytes:
    if not merges:
        return b""
    front = b"a possible merge resolution exists: " if len(merges) == 1 else b"multiple possible merges exist:\n"
    return b", but " + front + b"".join(b"    %b\n" % line for line in merges)


def _is_commit(store: Store, oid: bytes) -> bool:
    try:
        return store.odb.kind(oid) == b"commit"
    except GitError:
        return False
