"""Compares staged commits before and after a rebase: the same change, another one, or none.

A plain form of git-range-diff(1): commits are paired by identity (a rebased commit stays the same staged commit), and
compared by message, author and the lines that they remove and add, whatever their line numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..diff.lines.hunks import diff_lines
from ..diff.lines.spec import LineSpec
from ..errors import text
from ..limits import Context
from ..objects.hashes import FACTS
from ..records import record
from .model import StagedCommit
from .overlay import WsEntry, tree_changes
from .rules import is_binary
from .workspace import Workspace

Became = Literal["equal", "changed", "dropped"]
_LINES = LineSpec(context=0, indent_heuristic=False)
_SIGNS = {"equal": "=", "changed": "!", "dropped": "<"}


@record(frozen=True)
class RangeRow:
    """One staged commit: its name before and after (None: it is gone), and whether its change is the same."""

    old: str
    new: str | None
    became: Became
    subject: str

    @property
    def line(self) -> str:
        """A line much like those of git-range-diff(1)."""
        after = self.new[:7] if self.new is not None else "-" * 7
        return f"{self.old[:7]} {_SIGNS[self.became]} {after} {self.subject}"


@record(frozen=True)
class Kept:
    """A staged commit, and its change as `change_of` computes it."""

    commit: StagedCommit
    change: object


def kept(workspace: Workspace, commits: Sequence[StagedCommit]) -> tuple[Kept, ...]:
    """Commits with their changes, to be compared later."""
    with workspace.working() as ctx:
        return tuple(Kept(one, change_of(workspace, one, ctx)) for one in commits)


def ranged(workspace: Workspace, before: Sequence[Kept], after: Sequence[StagedCommit]) -> tuple[RangeRow, ...]:
    """The comparison of each commit with its later form."""
    by_id = {one.id: one for one in after}
    rows = []
    with workspace.working() as ctx:
        for old in before:
            new = by_id.get(old.commit.id)
            became: Became = "dropped"
            if new is not None:
                same = new.commit == old.commit.commit or change_of(workspace, new, ctx) == old.change
                became = "equal" if same else "changed"
            name = None if new is None else new.commit
            rows.append(RangeRow(old.commit.commit, name, became, old.commit.subject))
    return tuple(rows)


def change_of(workspace: Workspace, one: StagedCommit, ctx: Context) -> object:
    """The change of a commit: its message and author, and by path the modes and lines, without line numbers."""
    odb = workspace.store.odb
    parent = tree_before(workspace, one)
    files = []
    for path, after in sorted(tree_changes(workspace.store, parent, bytes.fromhex(one.tree), ctx).items()):
        row = odb.entry(parent, path)
        before = None if row is None else WsEntry(*row)
        modes = tuple(None if side is None else side.mode for side in (before, after))
        files.append((text(path), modes, _lines(workspace, before, after, ctx)))
    return one.message, one.author, tuple(files)


def tree_before(workspace: Workspace, one: StagedCommit) -> bytes:
    """The tree of a commit's parent; the empty tree if it has none."""
    if one.parent is None:
        return FACTS[workspace.base.hash_name][3]
    return workspace.store.odb.commit_facts(bytes.fromhex(one.parent))[2]


def _lines(workspace: Workspace, before: WsEntry | None, after: WsEntry | None, ctx: Context) -> object:
    """The removed and added lines of a file; for a binary file, its objects."""
    sides = [side for side in (before, after) if side is not None]
    if any(side.is_submodule for side in sides):
        return tuple(side.oid for side in sides)
    old, new = (b"" if side is None else workspace.store.odb.read_raw(side.oid)[1] for side in (before, after))
    if is_binary(old) or is_binary(new):
        return tuple(side.oid for side in sides)
    hunks = diff_lines(old, new, _LINES, ctx=ctx)
    return tuple((sign, tuple(lines)) for hunk in hunks for sign, lines in hunk.parts if sign != b" ")
