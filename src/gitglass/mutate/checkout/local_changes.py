"""Changes that stay in index and work tree when HEAD moves, as `git checkout` lists them."""

from __future__ import annotations

from collections.abc import Container

from ...errors import Unsupported, text
from ...index.index import Index
from ...objects.parsed import GITLINK, REGULAR, TREE, tree_entries
from ...paths.pathspec import Pathspecs
from ...render.quote import c_quote
from ...repo.gitmodules import ignore_setting
from ...repo.store import Store
from ...worktree.stat_cache import gitlinks
from ...worktree.submodules import is_active, submodule_state
from ...worktree.tree_index import tree_vs_index
from ..changes import Changes, Row
from ..operations.common import read_submodules
from ..view import View
from .files import WorkFiles
from .outward import store_afterwards
from .two_way import SKIP

_TYPE, _BELIEVED = 0o170000, 0x8000


def local_changes(view: View, old: bytes, tree: bytes, changes: Changes) -> bytes:
    """A letter, a tab and a path a line for everything that will differ from `tree`, in order of paths. `old` is the
    tree that HEAD leaves: what the index has beside it is what is staged. Raises Corrupt in git's words where the index
    has submodules afterwards, or lacks one of the tree, and `.gitmodules` cannot be read."""
    index, work = view.index, WorkFiles(view)
    store = store_afterwards(view.store, changes.files)
    moved = {entry.path: entry.after for entry in changes.entries}
    stays = GITLINK in index.modes and any(
        mode == GITLINK and path not in moved for path, mode in zip(index.paths, index.modes)
    )
    if stays or any(row.mode == GITLINK for rows in moved.values() for row in rows):
        read_submodules(view, store)
    written = {file.path for file in changes.files}
    staged = tree_vs_index(view.store, old, ignore_submodules=b"none", ctx=view.ctx)
    odd = {one.old.path for one in staged} - moved.keys()
    odd |= {path for path, rows in moved.items() if not rows or rows[0].flags & ~SKIP}
    odd |= {index.paths[at] for at, _ in work.looker.suspects(Pathspecs.ALL)}
    left = {path for path, rows in moved.items() if rows and rows[0].flags & SKIP}  # out of the work tree, as they are
    left = {path for path in left if (moved[path][0].mode, moved[path][0].oid) != side_at(view, tree, path)}
    links = {path for path in changed_submodules(view, moved, store) if work.status(path) is not None}
    lines: list[bytes] = []
    high = bool(view.config.get_bool("core.quotepath", True))
    for path in sorted((odd | links) - written | left):
        entry, side = _entry(index, path, moved), side_at(view, tree, path)
        if side is not None and side[0] == GITLINK:
            read_submodules(view, store)
        if _is_away(index, path, moved):  # the entry speaks for the file, which is not looked at
            letter = b"A" if side is None else b"M" if entry != side else b""
        elif path in links:
            letter = b"A" if side is None else b"M" if side[0] == GITLINK else b"T"
        else:
            letter = _letter(work, path, entry, side)
        if letter:
            lines.append(b"%b\t%b\n" % (letter, c_quote(path, high=high)))
    return b"".join(lines)


def changed_submodules(view: View, moved: dict[bytes, tuple[Row, ...]], store: Store) -> set[bytes]:
    """The submodules that have another commit checked out than the index has by then, or hold changes of their own;
    `store` as it is by then. Strange but git's: files there that nobody tracks are such changes to a checkout, and not
    to `git diff`."""
    index, default = view.index, view.config.get("diff.ignoresubmodules") or b"none"
    links = {
        index.path(at): index.oid(at) for at in gitlinks(index)
        if not (index.stage(at) or index.assume_valid(at) or index.skip_worktree(at))
    }  # fmt: skip
    links = {path: oid for path, oid in links.items() if path not in moved}
    links |= {path: rows[0].oid for path, rows in moved.items() if rows and rows[0].mode == GITLINK}
    changed = set[bytes]()
    for path, oid in sorted(links.items()):
        state = submodule_state(store, path, oid, ignore_setting(store, path, None, default), ctx=view.ctx)
        if state.new_commits or state.dirty:
            changed.add(path)
    return changed


def need_no_recursion(view: View, changes: Changes, *, discards: bool, among: Container[bytes] | None = None) -> None:
    """Raise Unsupported where git would change the files of a submodule as well (git-config(1), `submodule.recurse`):
    of one whose entry changes, and where local changes are thrown away (`discards`) of any that has some, or of those
    `among` these paths."""
    if not view.config.get_bool("submodule.recurse", False):
        return
    moved = {entry.path: entry.after for entry in changes.entries if entry.before != entry.after}
    rows = {entry.path: (*entry.before, *entry.after) for entry in changes.entries if entry.path in moved}
    links = {path for path, sides in rows.items() if any(row.mode == GITLINK for row in sides)}
    if discards:
        changed = changed_submodules(view, moved, view.store)
        links |= changed if among is None else {path for path in changed if path in among}
    for path in sorted(links):
        if is_active(view.store, path):
            words = "submodule.recurse is set, and gitglass does not change the files of a submodule"
            raise Unsupported(f"{words}: '{text(path)}'", option="submodule.recurse", path=text(path))


def _entry(index: Index, path: bytes, moved: dict[bytes, tuple[Row, ...]]) -> tuple[int, bytes] | None:
    """What the index will have at a path."""
    if path in moved:
        rows = moved[path]
        return (rows[0].mode, rows[0].oid) if rows else None
    at = index.find(path)
    return None if at < 0 else (index.mode(at), index.oid(at))


def _is_away(index: Index, path: bytes, moved: dict[bytes, tuple[Row, ...]]) -> bool:
    """Whether the entry at a path is one whose file is not to be in the work tree, or is believed unchanged."""
    if path in moved:
        return bool(moved[path] and moved[path][0].flags & (SKIP | _BELIEVED))
    at = index.find(path)
    return at >= 0 and (index.skip_worktree(at) or bool(index.head(at)[-2] & 0x80))


def side_at(view: View, tree: bytes, path: bytes) -> tuple[int, bytes] | None:
    """The file that a tree has at a path; None where it has none."""
    mode = TREE
    for name in path.split(b"/"):
        if mode != TREE:
            return None
        for child_mode, child_name, child in tree_entries(view.odb.tree(tree), view.store.hash_len):
            if child_name == name:
                mode, tree = child_mode, child
                break
        else:
            return None
    return None if mode == TREE else (REGULAR if mode == 0o100664 else mode, tree)


def _letter(
    work: WorkFiles,
    path: bytes,
    entry: tuple[int, bytes] | None,
    side: tuple[int, bytes] | None,
) -> bytes:
    """How the file at a path differs from the tree; b"" where it does not."""
    info = work.status(path)
    if info is not None and info.st_mode & _TYPE == 0o040000 and (entry is None or entry[0] != GITLINK):
        info = None
    if entry is None:
        return b"D" if side is not None else b""
    if side is None:
        return b"A" if info is not None else b""
    if info is None:
        return b"D"
    if info.st_mode & _TYPE != (TREE if side[0] == GITLINK else side[0] & _TYPE):
        return b"T"
    return b"M" if entry != side or work.differs(path) else b""
