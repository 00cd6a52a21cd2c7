"""Local changes merged into the commit that HEAD goes to: `checkout --merge`, where the files cannot move along.

What the files hold is a tree, and the changes from the tree that HEAD leaves to that one are merged into the tree that
it goes to. The index has the latter afterwards, and the conflicts; the files have what the merge made. Mirrors
git-checkout(1), `--merge`.
"""

from __future__ import annotations

from ...errors import BadRequest, CommandFailed, Unsupported, text
from ...merge.three_way import MYERS
from ...objects.parsed import GITLINK
from ...paths.pathspec import Pathspecs
from ...records import replace
from ...render.quote import c_quote
from ..changes import Changes, EntryChange
from ..checkout.files import Wanted, WorkFiles
from ..checkout.local_changes import changed_submodules
from ..checkout.outward import is_attributes, outward_store, store_afterwards, store_of_files
from ..checkout.two_way import TwoWay, entries_to, first_words_of, is_sparse
from ..index_file import rows_at
from ..operations.add import Staging
from ..operations.common import tree_rows
from ..operations.paths import holds_untracked
from ..plan import Answer
from ..stash.rows import index_rows, intended_paths, rows_tree
from ..stash.uncommitted import set_side
from ..view import View
from .merge_trees import Labels, Merged, labelled, merge_trees

_TYPE, _FOLDER = 0o170000, 0o040000
Side = tuple[int, bytes]


def carry_over(view: View, changes: Changes, old: bytes, new: bytes, *, labels: Labels, style: str | None) -> Answer:
    """Put into `changes` what brings index and files from the tree `old` to the tree `new`, local changes merged into
    it. `labels` name `new`, the local changes and `old`; conflicts are shown in a `style` (None: that of
    `merge.conflictStyle`). What differs from `new` then is listed as git does it.

    Raises BadRequest where anything is staged, CommandFailed where untracked files are in the way, both in git's words,
    and Unsupported for a sparse checkout and for what the merge engine refuses.
    """
    if is_sparse(view):
        raise Unsupported("gitglass does not merge local changes in a sparse checkout", option="--merge")
    before, base, wanted = index_rows(view), tree_rows(view, old), tree_rows(view, new)
    _need_nothing_staged(view, before, base)
    staged = Staging(view, force=False).tracked(Pathspecs.ALL)
    local = dict(before)
    for entry in staged:
        set_side(local, entry.path, (entry.after[0].mode, entry.after[0].oid) if entry.after else None)
    reset = Changes(entries=staged)
    rules = {path: wanted.get(path) for path in {**before, **local, **wanted} if is_attributes(path)}
    blobs = {path: None if side is None else side[1] for path, side in rules.items()}
    # the files of the tree are there when git merges, and those that it writes are by their attributes, too
    outward = outward_store(view.store, blobs)
    view.outward_of = dict.fromkeys({**local, **wanted}, outward)
    _need_room(view, local, wanted, reset)
    spec = replace(labelled(view.store, labels), lines=MYERS, all_renames=True)
    spec = replace(spec, style=style or spec.style)
    merged = merge_trees(view, old, new, rows_tree(view, local), spec, store=store_of_files(view.store, blobs))
    for path, rows in merged.conflicts.items():
        if path not in base and [row.stage for row in rows] == [1, 2]:
            merged.conflicts[path] = rows[1:]  # moved there and deleted locally: git's merge has no base of it here
    warnings = b"".join(line + b"\n" for line in merged.messages.split(b"\n") if line.startswith(b"warning: "))
    view.outward_of |= dict.fromkeys(merged.rows, outward)
    _files(view, changes, local, wanted, merged, reset)
    view.outward, view.outward_of = None, {}
    _entries(view, changes, wanted, merged)
    changes.forget_resolved = changes.refreshes = True
    return Answer(_listed(view, changes, wanted, merged), warnings)


def _need_nothing_staged(view: View, index: dict[bytes, Side], head: dict[bytes, Side]) -> None:
    """Raise BadRequest in git's words for what is staged: it would not be told from other changes afterwards."""
    paths = {path for path in index.keys() | head.keys() if index.get(path) != head.get(path)}
    if paths := paths.union(intended_paths(view)):
        names = " ".join(map(text, sorted(paths)))
        raise BadRequest(f"cannot continue with staged changes in the following files:\n{names}")


def _between(view: View, here: dict[bytes, Side], there: dict[bytes, Side], reset: Changes) -> tuple[TwoWay, Changes]:
    """The move of files from one tree to another, where they are as `reset` says, and its changes."""
    paths = [path for path in here.keys() | there.keys() if here.get(path) != there.get(path)]
    move, laid = TwoWay.between(view, {path: (here.get(path), there.get(path)) for path in paths}, reset), Changes()
    move.run(laid)
    return move, laid


def _need_room(view: View, local: dict[bytes, Side], wanted: dict[bytes, Side], reset: Changes) -> None:
    """Raise CommandFailed in git's words where the files of the tree cannot come: git checks them out first."""
    obstacles = _between(view, local, wanted, reset)[0].obstacles
    work = WorkFiles(view)
    for path in sorted(wanted.keys() - local.keys()):
        info = work.status(path)
        if info is not None and info.st_mode & _TYPE == _FOLDER and wanted[path][0] != GITLINK:
            if not holds_untracked(view, path):
                words = f"a directory stands at '{text(path)}', and gitglass does not merge local changes over it"
                raise Unsupported(words, path=text(path))
            obstacles.folders.append(path)
    if words := first_words_of(obstacles):
        raise CommandFailed(words, status=128, prefix="error", kind="conflict")


def _files(
    view: View, changes: Changes, local: dict[bytes, Side], wanted: dict[bytes, Side], merged: Merged, reset: Changes
) -> None:
    """What happens to files. One that the merge leaves as it was locally was another one on the way, where the tree has
    it otherwise: it is written as its attributes say. One that was removed locally came and went, and an empty
    directory goes with it."""
    move, laid = _between(view, local, merged.rows, reset)
    if words := first_words_of(move.obstacles):
        raise Unsupported(f"gitglass cannot lay what the merge made: {words}", option="--merge")
    work = WorkFiles(view)
    again = [path for path, side in local.items() if wanted.get(path) != side == merged.rows.get(path)]
    written = [work.write(path, Wanted(*local[path]), fresh=True) for path in again]
    changes.files += sorted([*laid.files, *filter(None, written)], key=lambda file: file.path)
    for path in sorted(wanted.keys() - local.keys() - merged.rows.keys()):
        work.remove(path)
    changes.emptied += laid.emptied + work.emptied


def _entries(view: View, changes: Changes, wanted: dict[bytes, Side], merged: Merged) -> None:
    """The entries of the tree, and those of conflicts."""
    entries_to(view, changes, wanted, list(dict.fromkeys(view.index.paths)))
    changes.entries = [entry for entry in changes.entries if entry.path not in merged.conflicts]
    for path, rows in merged.conflicts.items():
        changes.entries.append(EntryChange(path, rows_at(view.index, path), rows))
    named = {entry.path for entry in changes.entries}
    for path in sorted({file.path for file in changes.files} - named):
        if rows := rows_at(view.index, path):
            changes.entries.append(EntryChange(path, rows, rows))
    changes.entries.sort(key=lambda entry: entry.path)


def _listed(view: View, changes: Changes, wanted: dict[bytes, Side], merged: Merged) -> bytes:
    """A letter, a tab and a path a line for what differs from the tree. A path in conflict does where it has a file,
    whatever that holds."""
    moved = {entry.path: entry.after for entry in changes.entries}
    links = changed_submodules(view, moved, store_afterwards(view.store, changes.files))
    high = bool(view.config.get_bool("core.quotepath", True))
    lines: list[bytes] = []
    for path in sorted(wanted.keys() | merged.conflicts.keys()):
        side, file, in_conflict = wanted.get(path), merged.rows.get(path), path in merged.conflicts
        if side == file and not in_conflict and path not in links:
            continue
        if letter := _letter(side, file):
            lines.append(b"%b\t%b\n" % (letter, c_quote(path, high=high)))
    return b"".join(lines)


def _letter(side: Side | None, file: Side | None) -> bytes:
    if file is None or side is None:
        return b"D" if side is not None else b"A" if file is not None else b""
    return b"M" if side[0] & _TYPE == file[0] & _TYPE else b"T"
