"""The files that a commit holds, as rows (path, mode, oid): all that the index has, or those of HEAD with some paths as
the work tree has them. Mirrors git-commit(1), `--only` and `--include`."""

from __future__ import annotations

from ....objects.parsed import GITLINK
from ....paths.lexical import directories_above
from ...apply import new_index
from ...changes import Changes, EntryChange, Row
from ...checkout.files import WorkFiles
from ...checkout.sparse import folders_outside, is_filled_in, is_index_sparse
from ...checkout.two_way import stays_away
from ...index_file import rows_at
from ...view import View
from ..add import Staging, need_no_folders
from ..common import commit_tree, tree_rows
from ..paths import need_matched, pathspecs_of, picked, submodules_of

__all__ = ["Rows", "changes_to", "index_holding", "rows_of_head", "rows_of_index", "rows_of_paths"]

Rows = list[tuple[bytes, int, bytes]]
Sides = dict[bytes, tuple[int, bytes]]  # path → mode and oid


def rows_of_head(view: View, head: bytes | None) -> Rows:
    """What HEAD holds; nothing where there is no commit yet."""
    return _sorted(_of_head(view, head))


def rows_of_index(view: View, changes: Changes) -> Rows:
    """All that the index holds after these changes."""
    index = view.index
    if not changes.entries and not index.special:
        return list(zip(index.paths, index.modes, index.oids))
    rows: Sides = {}
    for at, (path, mode, oid) in enumerate(zip(index.paths, index.modes, index.oids)):
        if not index.intent_to_add(at):
            rows[path] = mode, oid
    for entry in changes.entries:
        _lay(rows, entry.path, entry.after)
    return _sorted(rows)


def rows_of_paths(view: View, head: bytes | None, paths: list[str], changes: Changes) -> Rows:
    """HEAD's files, but for those that are named: of these what the work tree has, which is staged in `changes`. Files
    that HEAD has and the index has not are named as well: their deletion is committed, or they are staged again."""
    index, rows = view.index, _of_head(view, head)
    submodules = submodules_of(index)
    folders = submodules.union(path for path, side in rows.items() if side[0] == GITLINK)
    both, missing = picked(pathspecs_of(view, paths), sorted({*rows, *index.paths}), folders)
    need_matched(missing)
    named, gone = ([path for path in both if index.has_path(path) is there] for there in (True, False))
    chosen = set(both)
    changes.entries = [entry for entry in changes.entries if entry.path in chosen]
    links = submodules.intersection(named)
    need_no_folders(view, sorted({*links, *gone, *(entry.path for entry in changes.entries if not entry.after)}))
    again = Staging(view, force=True)
    work = WorkFiles(view)
    changes.entries += again.added([path for path in gone if work.status(path) is not None])
    changes.entries.sort(key=lambda entry: entry.path)
    changes.lfs.update(again.lfs)
    after = {entry.path: entry.after for entry in changes.entries}
    for path in sorted([*named, *gone]):
        at = index.find(path)
        if at < 0 or not index.skip_worktree(at):
            before = rows.get(path, (0,))[0]  # a mode that stays where `core.fileMode` is off
            _lay(rows, path, tuple(_with_mode(row, before, work) for row in after.get(path, rows_at(index, path))))
    return _sorted(rows)


def index_holding(view: View, rows: Rows) -> bytes:
    """An index file that holds these rows and nothing else."""
    store = view.store
    return new_index(store, store.index, Changes(entries=changes_to(view, rows)), {}, view.ctx)


def changes_to(view: View, rows: Rows) -> list[EntryChange]:
    """The entries that change where the index comes to hold just these rows; those that it has already stay absent
    where they are, unless their files are there."""
    index, noted = view.index, view.store.index
    wanted = {path: (mode, oid) for path, mode, oid in rows}
    names = [*dict.fromkeys(index.paths), *(path for path in wanted if not index.has_path(path))]
    entries: list[EntryChange] = []
    for path in names:
        view.ctx.tick()
        before, side = rows_at(index, path), wanted.get(path)
        back = any(noted.skip_worktree(at) for at in noted.positions(path)) and not stays_away(view, path, before)
        if back or side is None or [(row.stage, row.mode, row.oid) for row in before] != [(0, *side)]:
            away = stays_away(view, path, before) if before or _comes_as_folder(view, path) else 0
            entries.append(EntryChange(path, before, () if side is None else (Row(0, *side, away),)))
    return entries


def _of_head(view: View, head: bytes | None) -> Sides:
    return {} if head is None else tree_rows(view, commit_tree(view, head))


def _sorted(rows: Sides) -> Rows:
    return sorted((path, mode, oid) for path, (mode, oid) in rows.items())


def _comes_as_folder(view: View, path: bytes) -> bool:
    """Whether a file that comes into a sparse index comes with one entry for a whole directory. Strange but git's:
    others that the sparse checkout leaves out are not marked as absent in the index of a partial commit, so that they
    count as deleted where they are summed up."""
    store, sparse = view.store, view.sparse
    if sparse is None or not is_index_sparse(store) or is_filled_in(store, store.index):
        return False
    return any(low == high for low, high in map(view.index.span, folders_outside(sparse, path)))


def _lay(rows: Sides, path: bytes, after: tuple[Row, ...]) -> None:
    """One entry over what the commit holds so far; what cannot be beside it goes."""
    rows.pop(path, None)
    for row in after:
        rows[path] = row.mode, row.oid
    if after:
        for above in directories_above(path):
            rows.pop(above, None)
        if len(rows) > 1 and path + b"/" < max(rows):
            for below in [one for one in rows if one.startswith(path + b"/")]:
                del rows[below]


def _with_mode(row: Row, noted: int, work: WorkFiles) -> Row:
    """An entry as a file is staged in an index that has another mode noted."""
    return row if row.mode == GITLINK else Row(row.stage, work.looker.canonical(noted, row.mode), row.oid, row.flags)
