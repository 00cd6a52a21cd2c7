"""Index and work tree made equal to a tree, whatever they hold: `reset --hard`, `checkout -f`. What is overwritten and
is no object of the repository is kept in the operation log."""

from __future__ import annotations

from collections.abc import Collection

from ...errors import CommandFailed, Unsupported, text
from ...objects.parsed import GITLINK, TREE
from ...paths.pathspec import Pathspecs
from ..changes import Changes, EntryChange, Row
from ..index_file import rows_at
from ..operations.common import tree_rows
from ..operations.paths import holds_untracked, untracked
from ..operations.restore import clear_way
from ..view import View
from .files import KEEPS_CURRENT, Wanted, WorkFiles
from .outward import is_attributes
from .two_way import LOSES_UNTRACKED, NOT_UP_TO_DATE, SKIP, is_sparse, late_in, stays_away

_BELIEVED = 0x8000 | SKIP


def to_tree(
    view: View, tree: bytes, changes: Changes, *, keep_untracked: bool = False, tail: str = "", refreshed: bool = False
) -> None:
    """Put into `changes` what makes index and files those of a tree; untracked files stay unless they are in the
    way. `keep_untracked`: then CommandFailed is raised, in git's words. It is for an entry that is believed unchanged,
    or absent, whose file is neither and would change; with `tail` behind git's words. Where git has `refreshed` the
    index just before, it leaves an entry that is the tree's where its file does not differ, as by a mode that
    `core.fileMode` ignores, and where it is believed unchanged, whatever its file is."""
    wanted = tree_rows(view, tree)
    index, work = view.index, WorkFiles(view)
    dirty = {index.paths[at] for at, _ in work.looker.suspects(Pathspecs.ALL)}
    if refreshed:
        dirty = {path for path in dirty if work.status(path) is None or work.differs(path)}
    names = [path for path in index.paths if is_attributes(path)]
    work.check_out(
        {path: wanted[path][1] if path in wanted else None for path in (*names, *wanted) if is_attributes(path)}
    )
    believed = set() if refreshed else set(work.not_as_believed())
    late, is_late = list[CommandFailed](), None  # what is said of entries that the tree has nothing to do with
    for path in sorted({*index.paths, *wanted}):
        view.ctx.tick()
        rows = rows_at(index, path) if index.has_path(path) else ()
        side = wanted.get(path)
        after = () if side is None else (Row(0, *side, rows[0].flags if rows and not rows[0].stage else 0),)
        if side is not None and rows == after and path not in dirty and path not in believed:
            continue
        blocked = None
        if (side is None or after != rows) and _is_stale(work, path, rows):
            blocked = _failed(NOT_UP_TO_DATE.format(text(path)) + tail)
        elif keep_untracked and _loses_untracked(view, path, rows, is_wanted=side is not None):
            blocked = _failed(LOSES_UNTRACKED.format(text(path)))
        if blocked is not None:
            is_late = is_late or late_in(wanted)
            if not is_late(path):
                raise blocked
            late.append(blocked)
            continue
        file = None
        if side is None:
            file = work.unlink(path) if not rows or rows[0].mode != GITLINK else None
        elif side[0] == GITLINK:
            work.write(path, Wanted(*side))  # which refuses one that has no directory
            if rows == after:
                continue
        else:
            away = stays_away(view, path, rows)
            after = after if rows == after else (Row(0, *side, away),)
            if away and (rows == after or is_sparse(view)):
                if rows != after:
                    changes.entries.append(EntryChange(path, rows, after))
                continue
            if not rows:
                _make_room(view, work, path, changes, keep_untracked=keep_untracked, tail=tail)
            file = work.write(path, Wanted(*side), fresh=rows != after)
        if file is not None:
            changes.files.append(file)
        if rows != after or file is not None:
            changes.entries.append(EntryChange(path, rows, after))
        elif path in believed or (path in dirty and side is not None and work.differs(path)):
            # git has written the file again, and the entry knows it from then on
            changes.entries.append(EntryChange(path, rows, after, work.status(path)))
    if late:
        raise late[0]
    clear_way(work, changes)
    changes.forget_resolved = True
    changes.refresh = True


def _failed(words: str) -> CommandFailed:
    return CommandFailed(words, status=128, prefix="error", kind="conflict")


def _loses_untracked(view: View, path: bytes, rows: tuple[Row, ...], *, is_wanted: bool) -> bool:
    """Whether a directory with untracked files stands in the place of an entry that goes, or is in conflict. Strange
    but git's: that of an entry that stays, or becomes another, is not looked at, and goes."""
    if not rows or rows[0].mode == GITLINK or (is_wanted and not rows[0].stage):
        return False
    return holds_untracked(view, path)


def _is_stale(work: WorkFiles, path: bytes, rows: tuple[Row, ...]) -> bool:
    """Whether an entry is believed unchanged, or absent, and its file is neither: git does not change such a one."""
    return bool(rows and rows[0].flags & _BELIEVED) and not work.is_up_to_date(path)


def first_stale(view: View, wanted: dict[bytes, tuple[int, bytes]], paths: Collection[bytes]) -> bytes:
    """What git says of the first of these paths whose entry cannot become the wanted one (`stale_paths`); b"" where all
    can."""
    tree, rest = stale_paths(view, wanted, paths)
    first = (*tree, *rest)[:1]
    return b"error: %b" % NOT_UP_TO_DATE.encode().replace(b"{}", first[0]) if first else b""


def stale_paths(
    view: View, wanted: dict[bytes, tuple[int, bytes]], paths: Collection[bytes]
) -> tuple[list[bytes], list[bytes]]:
    """Those of these paths whose entry cannot become the wanted one, since its file is not what is believed of it: what
    git comes to with the tree, and what after it (`late_in`)."""
    work, stale = WorkFiles(view), list[bytes]()
    for path in sorted(paths):
        view.ctx.tick()
        rows = rows_at(view.index, path)
        if rows and wanted.get(path) != (rows[0].mode, rows[0].oid) and _is_stale(work, path, rows):
            stale.append(path)
    is_late = late_in(wanted if stale else ())
    return [path for path in stale if not is_late(path)], [path for path in stale if is_late(path)]


def _make_room(view: View, work: WorkFiles, path: bytes, changes: Changes, *, keep_untracked: bool, tail: str) -> None:
    """Have a directory go that stands where a new file is to be, with what the index does not have of it."""
    view.ctx.tick()
    info = work.status(path)
    if info is None:
        return
    folder = info.st_mode & 0o170000 == TREE
    scanned = untracked(view, Pathspecs.parse([b":(top,literal)" + path]), ignored=True)
    if keep_untracked and scanned.untracked and view.sparse is not None:
        words = f"'{text(path)}' has something in its way, which git leaves in a sparse checkout"
        raise Unsupported(words, path=text(path))
    if keep_untracked and scanned.untracked:
        words = f"Untracked working tree file '{text(path)}' would be overwritten by merge."
        if folder:
            words = LOSES_UNTRACKED.format(text(path))
        raise _failed(words)
    if folder and work.is_current(path):
        raise _failed(KEEPS_CURRENT.format(text(path)) + tail)
    if folder:
        inside = (*scanned.untracked, *scanned.ignored)
        changes.files += [gone for one in inside if (gone := work.remove(one)) is not None]
        work.give_way(path)
