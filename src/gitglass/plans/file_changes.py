"""Changes as typed rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    from ..request.rows.diff import DiffTotals, FileChange, HunkRow
else:
    count_changes, diff_lines = deferred(__name__, "..diff.lines.hunks", "count_changes", "diff_lines")
    DiffTotals, FileChange, HunkRow = deferred(__name__, "..request.rows.diff", "DiffTotals", "FileChange", "HunkRow")

__all__ = ["combined_changes", "file_changes", "totals_of"]


def file_changes(changes: Iterable[Change], contents: Contents, spec: DiffSpec, *, ctx: Context) -> list[FileChange]:
    """A row for each change. Lines are counted unless only names were requested; a patch adds hunks."""
    counted = _is_counted(spec)
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
    objects and counts are against the first parent, as in `--cc --stat`; of a conflict against "ours".
    """
    rows = []
    for path in paths:
        ctx.tick()
        first = path.sides[0]
        change = Change(first.status, first.spec(), Filespec(path.path, path.mode, path.oid))
        row = _row(change)
        row.old_path = to_text(first.path) if first.path != path.path else None
        row.status = "U" if path.in_work_tree else "".join(side.status for side in path.sides)
        if _is_counted(spec):
            _count(row, change, contents, spec, ctx)
            row.hunks = None  # hunks of a combined patch are against all parents
        rows.append(row)
    return rows


def totals_of(rows: Sequence[FileChange], spec: DiffSpec) -> DiffTotals:
    """The sums of the rows."""
    if not _is_counted(spec):
        return DiffTotals(len(rows), None, None)
    return DiffTotals(len(rows), sum(row.added or 0 for row in rows), sum(row.deleted or 0 for row in rows))


def _is_counted(spec: DiffSpec) -> bool:
    formats = spec.formats
    return not formats.any or formats.patch or formats.needs_lines


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
