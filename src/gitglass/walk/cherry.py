"""The same change on both sides of A...B: commits told apart by what they change, not by what they are called.

Two commits are equal when their diffs are, line numbers and white space aside (git-patch-id(1)). Diffs are dear, so
commits are first sorted by which files they change; only those that agree there are compared line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha1
from typing import TYPE_CHECKING

from ..diff.changes import Change, Contents
from ..diff.hunks import diff_lines
from ..diff.linespec import LineSpec
from ..diff.spec import DiffSpec
from ..diff.trees import diff_trees
from ..limits import paced
from .spec import BOUNDARY, LEFT, PATCHSAME, SHOWN

if TYPE_CHECKING:
    from .history import Walk

SQUEEZE = b" \t\n\r\v\f"


class PatchIds:
    """Patch ids of commits, each worked out when it is first asked for. Merges have none."""

    __slots__ = ("contents", "ids", "outlines", "spec", "walk")

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.spec = DiffSpec()
        if walk.spec.paths is not None and not walk.spec.full_diff:
            self.spec.pathspecs = walk.spec.paths
        self.contents = Contents(walk.store, ctx=walk.ctx)
        self.outlines: dict[bytes, bytes] = {}
        self.ids: dict[bytes, bytes] = {}

    def defined(self, oid: bytes) -> bool:
        """Whether the commit has a patch id: it is no merge."""
        return len(self._parents(oid)) < 2

    def _parents(self, oid: bytes) -> tuple[bytes, ...]:
        """As the walk has simplified them: a merge that equals one parent is no merge any more."""
        known = self.walk.parents.get(oid)
        return self.walk.odb.commit_facts(oid)[0] if known is None else known

    def changes(self, oid: bytes) -> list[Change]:
        parents = self._parents(oid)
        old = self.walk.tree(parents[0]) if parents else None
        return diff_trees(old, self.walk.tree(oid), self.walk.odb, self.spec, ctx=self.walk.ctx)

    def outline(self, oid: bytes) -> bytes:
        """A hash over the files changed, without looking into them."""
        found = self.outlines.get(oid)
        if found is None:
            headers = [_header(change) for change in paced(self.changes(oid))]
            found = self.outlines[oid] = sha1(b"\0".join(headers)).digest()
        return found

    def full(self, oid: bytes) -> bytes:
        """A hash over the whole diff."""
        found = self.ids.get(oid)
        if found is None:
            digest = sha1()
            for change in self.changes(oid):
                digest.update(_header(change) + b"\0" + self._body(change) + b"\0")
            found = self.ids[oid] = digest.digest()
        return found

    def _body(self, change: Change) -> bytes:
        self.walk.ctx.tick()
        contents = self.contents
        if contents.is_binary(change.old) or contents.is_binary(change.new):
            return (change.old.oid or b"") + (change.new.oid or b"")
        old, new = contents.read(change.old), contents.read(change.new)
        pieces = []
        for hunk in diff_lines(old, new, LineSpec(), ctx=self.walk.ctx):
            for sign, lines in hunk.parts:
                pieces += [sign + line.translate(None, SQUEEZE) for line in lines]
        return b"\n".join(pieces)


def _header(change: Change) -> bytes:
    old, new = change.old, change.new
    return b"%s %s %o %o" % (
        old.path.translate(None, SQUEEZE),
        new.path.translate(None, SQUEEZE),
        old.mode if old.mode != new.mode else 0,
        new.mode if old.mode != new.mode else 0,
    )


def mark_cherries(walk: Walk, commits: Sequence[bytes]) -> None:
    """Hide, or with --cherry-mark mark, commits whose change is on the other side as well."""
    flags = walk.flags
    sides = [oid for oid in commits if not flags[oid] & BOUNDARY]
    left = [oid for oid in sides if flags[oid] & LEFT]
    right = [oid for oid in sides if not flags[oid] & LEFT]
    if not left or not right:
        return
    few, many = (left, right) if len(left) < len(right) else (right, left)
    found = PATCHSAME if walk.spec.cherry_mark else SHOWN
    for oid, other in _equal_pairs(walk, few, many):
        flags[oid] |= found
        flags[other] |= found


def equal_patches(walk: Walk, left: Sequence[bytes], right: Sequence[bytes]) -> dict[bytes, bytes]:
    """Commits whose change is on the other side as well, each with the first commit there that makes it."""
    found: dict[bytes, bytes] = {}
    swapped = len(right) < len(left)
    for one, other in _equal_pairs(walk, *((right, left) if swapped else (left, right))):
        found.setdefault(one, other)
        found.setdefault(other, one)
    return found


def _equal_pairs(walk: Walk, few: Sequence[bytes], many: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """(one of `many`, one of `few`) that make the same change."""
    ids = PatchIds(walk)
    by_outline: dict[bytes, list[bytes]] = {}
    for oid in few:
        walk.ctx.tick()
        if ids.defined(oid):
            by_outline.setdefault(ids.outline(oid), []).append(oid)
    for oid in many if by_outline else ():
        walk.ctx.tick()
        if not ids.defined(oid):
            continue
        for other in by_outline.get(ids.outline(oid), ()):
            if ids.full(other) == ids.full(oid):
                yield oid, other
