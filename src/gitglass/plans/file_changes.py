"""Changes as typed rows."""

from __future__ import annotations

from collections.abc import Iterable

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..diff.changes import TREE, TYPE, Change, Contents, Filespec
from ..diff.spec import DiffSpec
from ..limits import paced
from ..request.text import to_text

if TYPE_CHECKING:
    from ..diff.combined import CombinedPath
    from ..diff.lines.hunks import Hunk, count_changes, diff_lines
    from ..limits import Context
    from ..request.rows.diff import FileChange, HunkRow
else:
    count_changes, diff_lines = deferred(__name__, "..diff.lines.hunks", "count_changes", "diff_lines")
    FileChange, HunkRow = deferred(__name__, "..request.rows.diff", "FileChange", "HunkRow")

__all__ = ["combined_changes", "file_changes"]


def file_changes(changes: Iterable[Change], contents: Contents, spec: DiffSpec, *, ctx: Context) -> list[FileChange]:
    """A row for each change. Lines are counted unless only names were requested; a patch adds hunks."""
    formats = spec.formats
    counted = not formats.any or formats.patch or formats.needs_lines
    rows = []
    for change in changes:
        ctx.tick()
        row = _row(change)
        if counted and change.status != "U" and TREE not in (change.old.mode & TYPE, change.new.mode & TYPE):
            _count(row, change, contents, spec, ctx)
        rows.append(row)
    return rows


def combined_changes(
    paths: Iterable[CombinedPath], contents: Contents, spec: DiffSpec, *, ctx: Context
) -> list[FileChange]:
    """A row for each file that differs from all sides of a merge.

    `status` has a letter for each parent, as in git's `--cc --name-status` (U: a conflict in the work tree); modes,
    objects and counts are against the first parent, as in `--cc --stat`.
    """
    rows = []
    for path in paths:
        ctx.tick()
        first = path.sides[0]
        change = Change(first.status, first.spec(), Filespec(path.path, path.mode, path.oid))
        row = _row(change)
        row.old_path = to_text(first.path) if first.path != path.path else None
        row.status = "".join(side.status for side in path.sides) if path.oid is not None else "U"
        if path.oid is not None:
            _count(row, change, contents, spec, ctx)
            row.hunks = None  # hunks of a combined patch are against all parents
        rows.append(row)
    return rows


def _row(change: Change) -> FileChange:
    old, new = change.old, change.new
    return FileChange(
        status=change.status,
        path=to_text((new if new.mode or not old.mode else old).path),
        old_path=to_text(old.path) if old.path != new.path and old.mode and new.mode else None,
        score=change.score or None,
        old_mode=f"{old.mode:06o}",
        new_mode=f"{new.mode:06o}",
        old_oid=old.oid.hex() if old.oid and old.mode else None,
        new_oid=new.oid.hex() if new.oid and new.mode else None,
    )


def _count(row: FileChange, change: Change, contents: Contents, spec: DiffSpec, ctx: Context) -> None:
    if contents.is_binary(change.old) or contents.is_binary(change.new):
        row.binary = True
        return
    before, after = contents.read(change.old), contents.read(change.new)
    if not spec.formats.patch:
        row.added, row.deleted = count_changes(before, after, spec.lines, ctx=ctx)
        return
    row.added = row.deleted = 0
    row.hunks = []
    for hunk in diff_lines(before, after, spec.lines, ctx=ctx):
        made = _hunk(hunk)
        row.hunks.append(made)
        row.added += sum(1 for line in made.lines if line.startswith("+"))
        row.deleted += sum(1 for line in made.lines if line.startswith("-"))


def _hunk(hunk: Hunk) -> HunkRow:
    lines = [(mark + line).decode("utf-8", "replace") for mark, part in hunk.parts for line in paced(part)]
    old_start = hunk.old_start + 1 if hunk.old_count else hunk.old_start
    new_start = hunk.new_start + 1 if hunk.new_count else hunk.new_start
    return HunkRow(old_start, hunk.old_count, new_start, hunk.new_count, to_text(hunk.func), lines)
