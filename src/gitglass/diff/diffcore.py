"""Turns a raw list of changes into the one that is shown: git's diffcore pipeline (gitdiffcore(7)), in its order.

Restrict and swap, break, find renames, merge broken pairs, pickaxe, rotate, set the statuses, filter.
"""

from __future__ import annotations

from collections.abc import Callable

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import NotFound, text
from ..limits import step, watched
from ..memories import Slot
from ..paths.wildmatch import compile_wildmatch
from .changes import Change, Contents, Filespec
from .spec import MAX_SCORE, DiffSpec, Pickaxe

if TYPE_CHECKING:
    from ..limits import Context
    from ..repo.gitmodules import ignore_setting
    from .pickaxe import Axe
    from .renames import break_rewrites, find_renames, merge_broken
    from .trees import Row, Trees, as_changes, trees_of
else:
    ignore_setting = deferred(__name__, "..repo.gitmodules", "ignore_setting")
    Axe = deferred(__name__, ".pickaxe", "Axe")
    break_rewrites, find_renames, merge_broken = deferred(
        __name__, ".renames", "break_rewrites", "find_renames", "merge_broken"
    )
    as_changes, trees_of = deferred(__name__, ".trees", "as_changes", "trees_of")


__all__ = ["diffcore", "follow_rename", "sifter", "warn_rename_limit"]

KIND = 0o170000
GITLINK = 0o160000


def inside(changes: list[Change], spec: DiffSpec) -> list[Change]:
    """The changes that --relative leaves: git does not even meet the others."""
    relative = spec.relative
    return changes if relative is None else [change for change in changes if change.new.path.startswith(relative)]


def diffcore(
    changes: list[Change],
    contents: Contents,
    spec: DiffSpec,
    *,
    ctx: Context,
    followed: bool = False,
) -> list[Change]:
    """The changes to be shown. The changes are edited in place.

    Use one Contents for many calls: the counts of a pickaxe are cached there. `followed` says that the one change in
    the list is a rename found by --follow: it is kept unchanged.
    """
    changes = inside(changes, spec)
    if any(change.new.mode & KIND == GITLINK or change.old.mode & KIND == GITLINK for change in changes):
        changes = [change for change in changes if not _ignored(change, contents, spec)]
    if spec.reverse:
        for change in changes:
            if not change.unmerged:  # the line about a conflict is the same in both directions
                _swap(change)
    axe = None if spec.pickaxe is None else _axe(contents, spec.pickaxe, ctx)  # raises for a bad pattern in any case
    if not changes:
        return changes
    if contents.copies is not None and (not spec.formats.only_names or _reads(spec)):
        contents.look_for_copies(changes)
    touched = False
    if not followed and (spec.break_score is not None or spec.renames or spec.find_copies_harder):
        touched = _may_pair(changes, spec)
        if touched:
            changes = _pair_up(changes, contents, spec, ctx)
    if axe is not None:
        changes = axe.keep(changes, contents, spec)
    if spec.order is not None and changes:
        rank = ranking(spec.order())
        changes.sort(key=lambda change: rank(change.new.path))
    if changes and (spec.rotate_to is not None or spec.skip_to is not None):
        changes = _rotate(changes, spec)
    if touched:
        for change in changes:
            _name(change)
    if spec.keep is not None:
        changes = _filtered(changes, spec.keep, spec.keep_all)
    return changes


def _reads(spec: DiffSpec) -> bool:
    """Whether contents decide which changes there are."""
    paired = spec.renames or spec.find_copies_harder or spec.break_score is not None
    return bool(paired or spec.pickaxe or spec.by_content)


def sifter(contents: Contents, spec: DiffSpec, *, ctx: Context) -> Callable[[list[Row]], list[Row]] | None:
    """What leaves out rows that do not come through `diffcore`, before changes are made of them; None where only
    `diffcore` itself can tell.

    That is -S, on a list in which nothing can be paired: then what a row has to show depends on its two blobs alone.
    """
    pickaxe = spec.pickaxe
    if pickaxe is None or pickaxe.kind != "S" or pickaxe.all or spec.first_only:
        return None
    if spec.break_score is not None or spec.renames == 2 or spec.find_copies_harder:
        return None
    if contents.checked_out is not None or contents.copies is not None:
        return None
    if not (spec.relative is spec.rotate_to is spec.skip_to is None):
        return None
    leaves = _axe(contents, pickaxe, ctx).sieve(contents)
    if not spec.renames:
        return leaves

    def sift(rows: list[Row]) -> list[Row]:
        if len(rows) > 1:
            come = gone = False
            for row in rows:
                come, gone = come or not row[1], gone or not row[3]
            if come and gone:
                return rows
        return leaves(rows)

    return sift


_AXE: Slot[Axe] = Slot("pickaxe")


def _axe(contents: Contents, pickaxe: Pickaxe, ctx: Context) -> Axe:
    """The pickaxe that serves a whole walk."""
    axe = contents.per_call.get(_AXE)
    if axe is None or axe.pickaxe is not pickaxe:
        axe = contents.per_call.put(_AXE, Axe(pickaxe, ctx=ctx))
    return axe


def _may_pair(changes: list[Change], spec: DiffSpec) -> bool:
    """Whether rename detection could find anything: most commits only modify files."""
    if spec.break_score is not None or spec.find_copies_harder:
        return True
    has_added = has_deleted = False
    for change in changes:
        if not change.old.mode:
            has_added = has_added or bool(change.new.mode)
        elif not change.new.mode:
            has_deleted = True
    return has_added and (has_deleted or (spec.renames == 2 and len(changes) > 1))


def _pair_up(changes: list[Change], contents: Contents, spec: DiffSpec, ctx: Context) -> list[Change]:
    if spec.break_score is not None:
        changes = break_rewrites(changes, contents, spec, ctx=ctx)
    if spec.renames:
        changes = find_renames(changes, contents, spec, ctx=ctx)
    else:
        changes = [change for change in changes if change.status != "="]
    if spec.break_score is not None:
        changes = merge_broken(changes)
    return changes


def _swap(change: Change) -> None:
    change.old, change.new = change.new, change.old
    if change.status == "A":
        change.status = "D"
        change.old.dirty = 0  # strange but git's: the side that a deletion shows is never dirty
    elif change.status == "D":
        change.status = "A"


def _ignored(change: Change, contents: Contents, spec: DiffSpec) -> bool:
    """Whether the change is of a submodule that an option or a setting excludes from all comparisons."""
    modes = [side.mode & KIND for side in (change.old, change.new) if side.mode]
    if change.unmerged or not modes or any(mode != GITLINK for mode in modes):
        return False
    default = spec.ignore_default or b""
    return ignore_setting(contents.store, change.new.path, spec.ignore_submodules, default) == b"all"


def ranking(patterns: tuple[bytes, ...]) -> Callable[[bytes], int]:
    """What gives a path its place in an order: the position of the first pattern that matches it or a directory above
    it; their number if none does."""
    globs = [compile_wildmatch(pattern) for pattern in watched(patterns)]

    def rank(path: bytes) -> int:
        above = [path]
        while b"/" in above[-1]:
            above.append(above[-1].rpartition(b"/")[0])
        for at, glob in enumerate(globs):
            step()
            if any(glob(name) for name in above):
                return at
        return len(globs)

    return rank


def _rotate(changes: list[Change], spec: DiffSpec) -> list[Change]:
    wanted = spec.rotate_to if spec.rotate_to is not None else spec.skip_to
    assert wanted is not None
    for at, change in enumerate(changes):
        if change.new.path == wanted or (not spec.rotate_strict and wanted < change.new.path):
            return changes[at:] if spec.skip_to is not None else changes[at:] + changes[:at]
    if spec.rotate_strict:
        raise NotFound(f"No such path '{text(wanted)}' in the diff")
    return changes


def _name(change: Change) -> None:
    """Set the status letter; a rename's score becomes percent.

    If a deleted source has several destinations, all but the last are copies.
    """
    old, new = change.old, change.new
    change.score = change.score * 100 // MAX_SCORE
    if change.unmerged or change.status == "U":
        change.status = "U"
    elif not old.mode:
        change.status = "A"
    elif not new.mode:
        change.status = "D"
    elif (old.mode ^ new.mode) & KIND:
        change.status = "T"
    elif change.status == "R":
        if old.path == new.path:
            change.status = "M"
        else:
            old.used -= 1
            change.status = "C" if old.used > 0 else "R"
    else:
        change.status = "M"


def _filtered(changes: list[Change], keep: frozenset[str], all_or_none: bool) -> list[Change]:
    def stays(change: Change) -> bool:
        if change.status == "M" and change.score:
            return "B" in keep
        return change.status in keep

    if all_or_none:
        return changes if any(map(stays, changes)) else []
    return list(filter(stays, changes))


def warn_rename_limit(spec: DiffSpec, ctx: Context, variable: str = "diff.renameLimit") -> None:
    """git's warning on stderr, at the end of a command, that the rename limit restricted the search for renames."""
    report = spec.report
    if report.degraded:
        ctx.warn("only found copies from modified paths due to too many files.")
    elif report.needed_limit:
        ctx.warn("exhaustive rename detection was skipped due to too many files.")
    else:
        return
    if report.needed_limit > 0:
        ctx.warn(
            f"you may want to set your {variable} variable to at least {report.needed_limit} and retry the command."
        )


def follow_rename(
    old_tree: bytes | None,
    new_tree: bytes,
    path: bytes,
    contents: Contents,
    spec: DiffSpec,
    *,
    ctx: Context,
    trees: Trees | None = None,
) -> Change | None:
    """The rename or copy by which a path appeared in `new_tree`, or None (git log --follow).

    As in git, every file of the old tree is a candidate; an empty old tree has no origin for the path.
    """
    if old_tree is None:
        return None
    trees = trees or trees_of(contents.odb)
    rows = trees.rows(old_tree, new_tree, ctx=ctx)
    changes = as_changes(rows)
    if not any(change.new.path == path and not change.old.mode for change in changes):
        return None
    changed = {change.old.path for change in changes if change.old.mode}
    changes += [_unchanged(row) for row in trees.files(old_tree, ctx=ctx) if row[0] not in changed]
    changes.sort(key=lambda change: change.new.path)
    inner = DiffSpec(
        renames=2,
        find_copies_harder=True,
        follow=path,
        rename_score=spec.rename_score,
        rename_limit=spec.rename_limit,
        break_score=spec.break_score,
        merge_score=spec.merge_score,
        rename_empty=spec.rename_empty,
    )
    for change in diffcore(changes, contents, inner, ctx=ctx):
        if change.status in "RC" and change.new.path == path:
            return change
    return None


def _unchanged(row: Row) -> Change:
    path, _, _, mode, oid = row
    return Change("=", Filespec(path, mode, oid), Filespec(path, mode, oid))
