"""Local changes put away while a merge or rebase is made, and brought back when it is done (`--autostash`).

The commit that holds them is one that `git stash` makes. It is applied at the end; where that is in conflict, or
something is in the way, it becomes an entry of the stash. Mirrors git-merge(1) and git-rebase(1).
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import BadRequest, CommandFailed, Corrupt
from ...objects.parsed import object_name
from ...paths.lexical import directories_above
from ...repo.store import Store
from ...revs.abbrev import abbrev
from ...worktree.convert import converter_of
from ..changes import Changes, EntryChange, Row
from ..checkout.files import Wanted, WorkFiles, with_bytes
from ..checkout.hard import stale_paths, to_tree
from ..checkout.outward import changed_attributes, is_attributes, outward_store, store_afterwards, store_of_merge
from ..checkout.two_way import Obstacles, TwoWay, words_of
from ..index_file import rows_at
from ..operations.common import ask, commit_tree, tree_rows
from ..operations.paths import holds_untracked
from ..operations.stash import made_entry
from ..operations.unstash import parents_of
from ..stash.entries import add_entry
from ..stash.rows import displaced
from ..view import View
from .merge_trees import labelled, merge_trees

NAME = b"MERGE_AUTOSTASH"
APPLIED = b"Applied autostash.\n"
_SAFE = b'Your changes are safe in the stash.\nYou can run "git stash pop" or "git stash drop" at any time.\n'
CONFLICTS = b"Applying autostash resulted in conflicts.\n" + _SAFE
SAVED = b"Autostash exists; creating a new stash entry.\n" + _SAFE
_LABELS = (b"Updated upstream", b"Stashed changes", b"Stash base")


def is_dirty(view: View) -> bool:
    """Whether anything that is tracked differs from HEAD, in the index or on disk."""
    return any(uncommitted(view))


def uncommitted(view: View) -> tuple[bool, bool]:
    """Whether files differ from the index, and whether the index differs from HEAD; entries that are only intended are
    both (git-add(1), -N)."""
    listed = ask(view, ["status", "--porcelain=v1", "-z", "-uno", "--no-renames", "--ignore-submodules"])
    letters = [line[:2] for line in listed.split(b"\0")[:-1]]
    intended = any(view.index.intent_to_add(at) for at in view.index.special)
    return any(pair[1:] != b" " for pair in letters), intended or any(pair[:1] != b" " for pair in letters)


def put_away(view: View, changes: Changes) -> tuple[bytes, bytes] | None:
    """(the commit that holds what is uncommitted, git's words for it); index and files become HEAD's. None where
    nothing is uncommitted. Raises CommandFailed in git's words where that cannot be stashed."""
    try:
        if not is_dirty(view):
            return None
        commit = made_entry(view, "autostash")
    except CommandFailed as error:
        out, err = error.streams()
        raise BadRequest("Cannot autostash", stdout=out, stderr=err + b"fatal: Cannot autostash\n") from None
    except (BadRequest, Corrupt) as error:  # as where `.gitmodules` cannot be read
        raise BadRequest("Cannot autostash", stderr=error.words() + b"fatal: Cannot autostash\n") from None
    _, head = view.head()
    if commit is None or head is None:
        return None
    tree = commit_tree(view, head)
    need_free(view, tree, "could not reset --hard")
    to_tree(view, tree, changes, refreshed=True)
    return commit, b"Created autostash: %b\n" % abbrev(view.store, commit)


def need_free(view: View, tree: bytes, end: str) -> None:
    """Raise CommandFailed in git's words, with `end` behind them, where untracked files stand in the place of those
    of a tree that the index does not have, or in a directory in that of one in conflict, or an entry that is
    believed unchanged, or absent, is neither and would change. With `--autostash` git has made the commit by then,
    and leaves it; here nothing has happened."""
    index, new = view.index, dict[bytes, tuple[tuple[int, bytes] | None, tuple[int, bytes] | None]]()
    rows = tree_rows(view, tree)
    for path, side in rows.items():
        if not index.has_path(path):
            new[path] = None, side
            for front in directories_above(path):  # a file of the index gives way to the directory
                if (at := index.find(front)) >= 0:
                    new[front] = (index.mode(at), index.oid(at)), None
    move = TwoWay.from_index(view, new)
    move.run(Changes())
    special = {index.paths[at] for at in index.special} | set(WorkFiles(view).not_as_believed())
    stale, late = stale_paths(view, rows, special)
    held = [path for path in index.unmerged if path in rows and holds_untracked(view, path)]
    blocked = Obstacles(changed=stale, untracked=move.obstacles.untracked, folders=move.obstacles.folders + held)
    if not blocked:  # git looks at what the tree has nothing to do with only then, and stops at the first
        blocked.changed += late[:1]
    if blocked:
        words = words_of(blocked, "reset", "reset").removeprefix("error: ")
        raise CommandFailed(f"{words}\nfatal: {end}", status=128, prefix="error", kind="conflict")


def bring_back(view: View, changes: Changes, tree: bytes, commit: bytes) -> tuple[bytes, bytes | None]:
    """Apply a commit of `put_away` where index and files become those of `tree` by `changes`: (git's words, the tree of
    the merge; None where nothing was merged). Where there are conflicts it is kept as an entry of the stash."""
    base, theirs = commit_tree(view, parents_of(view, commit)[0]), commit_tree(view, commit)
    store = store_afterwards(view.store, changes.files)  # git asks a `stash apply` of its own
    by_files = store_of_merge(view.store, changes.files)
    merged = merge_trees(view, base, tree, theirs, labelled(store, _LABELS), store=by_files)
    there = tree_rows(view, tree)
    names = {path for path in merged.rows.keys() | there.keys() if merged.rows.get(path) != there.get(path)}
    names |= merged.conflicts.keys()
    if not (_is_blocked(view, changes, names, there) or _differs_by(store, view, changes, names)):
        laying = _Over(view, changes)
        laying.convert({path: merged.rows.get(path) for path in names})
        gone = displaced({path for path in names if path in merged.rows and path not in there}, there)
        view.present |= set() if merged.conflicts else names
        for path in sorted(names):
            side, rows = merged.rows.get(path), merged.conflicts.get(path)
            if rows is None:
                held = side if merged.conflicts or path not in there or path in gone else there[path]
                rows = () if held is None else (Row(0, *held),)
            laying.lay(path, side, rows)
        laying.finish()
        if not merged.conflicts:  # what was staged alone, and not in the files, is not brought back
            return APPLIED, None if theirs == base else merged.tree
        add_entry(view, changes, commit, b"autostash")
        return CONFLICTS, merged.tree
    add_entry(view, changes, commit, b"autostash")
    return CONFLICTS, None


def _is_blocked(view: View, changes: Changes, names: set[bytes], there: dict[bytes, tuple[int, bytes]]) -> bool:
    """Whether a file that is to change holds other changes, or an untracked one is in the way of a new one."""
    work, planned = WorkFiles(view), {file.path for file in changes.files} | {one.path for one in changes.entries}
    for path in names - planned:
        info = work.status(path)
        if info is not None and (path not in there or work.differs(path)):
            return True
    return False


def _differs_by(store: Store, view: View, changes: Changes, names: set[bytes]) -> bool:
    """Whether a file that is to change was converted when it was taken back, and is another one by the attributes of
    the `store`, those of the end: git asks for changes of its own then."""
    for file in changes.files:
        if file.path in names and file.after is not None and file.blob not in (None, file.after.oid):
            data = with_bytes(view, file).data or b""
            stored = converter_of(store).to_git(file.path, data, ctx=view.ctx, warn=False)
            if object_name(b"blob", stored, store.hash_name) != file.blob:
                return True
    return False


class _Over:
    """Paths of changes that get another end."""

    def __init__(self, view: View, changes: Changes) -> None:
        self._view, self._changes, self._work = view, changes, WorkFiles(view)
        self._files = {file.path: file for file in changes.files}
        self._entries = {entry.path: entry for entry in changes.entries}
        self._taken = {*self._files, *self._entries}

    def convert(self, sides: Mapping[bytes, tuple[int, bytes] | None]) -> None:
        """Have these paths be written by the attributes that there are in the end, as they are written last; what was
        changed before them has its bytes by those that there were."""
        view = self._view
        new = {path: side and side[1] for path, side in sides.items() if is_attributes(path)}
        if new:
            self._files = {path: with_bytes(view, file) for path, file in self._files.items()}
        store = outward_store(view.store, changed_attributes(self._changes) | new)
        view.outward_of = {**view.outward_of, **dict.fromkeys(sides, store)}

    def lay(self, path: bytes, side: tuple[int, bytes] | None, rows: tuple[Row, ...]) -> None:
        """The file and the entries of a path as they are to be in the end."""
        self._files.pop(path, None)
        self._entries.pop(path, None)
        fresh = path in self._taken  # a file that was taken away before is written anew
        file = self._work.remove(path) if side is None else self._work.write(path, Wanted(*side), fresh=fresh)
        if side is None and file is None:  # git has written it in between
            self._changes.emptied += self._work.folders_left([path])
        if file is not None:
            self._files[path] = file
        before = rows_at(self._view.index, path)
        if before != rows or file is not None:
            self._entries[path] = EntryChange(path, before, rows)

    def finish(self) -> None:
        """All of it into the changes."""
        self._changes.files = list(self._files.values())
        self._changes.entries = sorted(self._entries.values(), key=lambda entry: entry.path)
        self._changes.emptied += self._work.emptied
        self._changes.refresh = True
        self._changes.forget_resolved = True  # as the index of any merge


def pending(view: View) -> bytes | None:
    """The commit that a merge has put away (MERGE_AUTOSTASH); None where none has. Raises BadRequest for a file that
    names none."""
    raw = (view.git_file(NAME) or b"").strip()
    if not raw:
        return None
    if len(raw) != view.store.hex_len or raw.strip(b"0123456789abcdef"):
        raise BadRequest("MERGE_AUTOSTASH names no commit")
    return bytes.fromhex(raw.decode())


def keep(view: View, changes: Changes) -> bytes:
    """What a merge has put away becomes an entry of the stash, as where the merge is forgotten; git's words."""
    commit = pending(view)
    if commit is None:
        return b""
    add_entry(view, changes, commit, b"autostash")
    return SAVED
