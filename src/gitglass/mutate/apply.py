"""A plan carried out: locks, a last look, objects, files, index, refs; or everything back as it was.

The order is git's with a journal in front, so that after a crash at any point refs have their old values or their new
ones, every object that a ref names is there, and every byte that was replaced is kept:

1. the operation is written down, 2. locks are taken (index, packed-refs, refs by name, HEAD), 3. `again` sees under
them that the plan would be the same once more, 4. new objects, 5. work tree, 6. index, 7. files of the git directory,
8. logs and refs, 9. the operation is written down as done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ..errors import Conflict, Corrupt, GitError, Unreadable, text
from ..index.index import Index
from ..limits import Context, Limits, pause
from ..objects.parsed import GITLINK, TREE, object_name
from ..paths.pathspec import Pathspecs
from ..records import record
from ..repo.store import Store
from ..worktree.convert import converter_of
from ..worktree.smudge import to_work_tree
from ..worktree.stat_cache import Looker
from .changes import Changes, EntryChange, FileChange
from .checkout.outward import changed_attributes, outward_store
from .checkout.sparse import is_filled_in, is_index_sparse, sparse_patterns
from .door import Door, forget
from .index_file import (
    Entry,
    collapsed,
    edited,
    index_bytes,
    need_index,
    outside_folders,
    resolved_rows,
    rows_at,
    spliced_bytes,
    without_paths,
    write_undo,
)
from .journal import Journal, Operation
from .locks import Lock
from .names import check_entries
from .objects import write_lfs, write_objects, write_packs
from .ref_files import RefFiles
from .tree_files import TreeFiles

_INDEX_WAIT = 1.0


@record
class Doors:
    """The doors of one repository: on its (common) git directory, and on the work tree, if it has one.

    `own` is where the work tree's own files lie, from the git door: b"" or b"worktrees/NAME/".
    """

    git: Door
    tree: Door | None
    own: bytes


class Deed:
    """One operation being carried out."""

    def __init__(self, store: Store, doors: Doors, journal: Journal, operation: Operation, ctx: Context) -> None:
        self._store, self._doors, self._journal, self.operation, self._ctx = store, doors, journal, operation, ctx
        self.changes: Changes = operation.changes
        self._refs = RefFiles(doors.git, store, doors.own, operation.folder)
        self._index: Lock | None = None
        self._git_locks: list[Lock] = []
        self._files = (
            None if doors.tree is None
            else TreeFiles(doors.tree, doors.git, operation.folder, store.hash_name)
        )  # fmt: skip
        self._converting: Store | None = None
        self._taken: list[int] = []
        self._put: list[int] = []
        self._index_was: bytes | None = None
        self._index_done = False
        self._git_done: list[int] = []
        self._logs_before: dict[bytes, bytes | None] = {}
        self._past_return = False
        self.finished = False

    def run(self, again: Callable[[], None]) -> None:
        """Do it. Whatever fails before the first ref is moved puts everything back and is raised as it is; what fails
        later leaves the operation open, for `recover`: forward if it is `finished`."""
        try:
            self._lock()
            again()
            write_objects(self._doors.git, self.operation.folder, self.changes.objects, self._store)
            write_packs(self._doors.git, self.operation.folder, self.changes.packs)
            write_lfs(self._doors.git, self.operation.folder, self.changes.lfs)
            touched = _touched(self._store, self.changes, self._ctx)
            written = self._write_files()
            if self.changes.touches_index:
                self._write_index(written, touched)
            self._write_git_files()
            prepared = self._journal.prepare(self.operation)
            self._write_refs()
        except BaseException as error:
            with Context(Limits(timeout=None)):  # the deadline is for what is done, not for taking it back
                self._undo_all()
            if isinstance(error, OSError):
                raise Unreadable(f"{text(os.fsencode(str(error.filename or '')))}: {error.strerror}") from error
            raise
        self.finished = True
        self._release()
        self._drop_spare()
        self._journal.mark_undone(self.operation)
        self._journal.finish(self.operation, prepared)

    # --- locks ------------------------------------------------------------------------------------------------------

    def _lock(self) -> None:
        if self.changes.touches_index:
            self._index = Lock(self._doors.git, need_index(self._store), self._refs.draft())
            self._index.take(wait=_INDEX_WAIT)
        for file in self.changes.git_files:
            if file.name == b"config":
                lock = Lock(self._doors.git, file.name, self._refs.draft())
                stat = self._doors.git.lstat(file.name)
                lock.take(file.after or b"")
                if stat is not None:  # git keeps the permissions of its configuration
                    self._doors.git.set_mode(lock.name, stat.st_mode & 0o7777)
                self._git_locks.append(lock)
        self._refs.lock(self.changes.refs, self.changes.logs)

    def made(self) -> frozenset[bytes]:
        """The lock files that are held, by absolute path."""
        locks = [*self._refs.locks.values(), *self._git_locks, self._refs.packed, self._index]
        return frozenset(self._store.common_dir + b"/" + lock.name for lock in locks if lock is not None)

    def _release(self) -> None:
        self._refs.release()
        for lock in self._git_locks:
            lock.release()
        if self._index is not None:
            self._index.release()

    # --- work tree --------------------------------------------------------------------------------------------------

    def _write_files(self) -> dict[bytes, os.stat_result]:
        """Removals first, so that a directory can take a file's place and a file a directory's; the status of each
        file that was put into place and holds what the index will say of it: with that of any other file the entry
        would hide that it differs."""
        self._know_attributes()
        staged = {entry.path: row.oid for entry in self.changes.entries for row in entry.after if not row.stage}
        written: dict[bytes, os.stat_result] = {}
        files, numbered = self._files, list(enumerate(self.changes.files))
        if not numbered and not self.changes.emptied:
            return written
        if files is None or self._doors.tree is None:
            raise Conflict("there is no work tree")
        for number, change in numbered:
            if change.after is None:
                pause()
                self._taken.append(number)
                files.take(number, change)
                self._drop_folders(self._doors.tree, change.path)
        for folder in self.changes.emptied:
            self._doors.tree.drop_empty(folder)
        for number, change in numbered:
            if change.after is not None:
                pause()
                data = self.content_of(change)
                if change.before is not None:
                    self._taken.append(number)
                    files.take(number, change)
                self._put.append(number)
                try:
                    info = files.put(number, change, data)
                except Conflict:
                    self._put.pop()  # somebody else's file is there: it stays
                    raise
                if staged.get(change.path) in (change.blob, change.after.oid):
                    written[change.path] = info
        return written

    def _outward(self) -> Store:
        """The store by whose attributes files are converted."""
        if self._converting is None:
            changed = changed_attributes(self.changes)
            self._converting = outward_store(self._store, changed) if self.changes.by_index else self._store
        return self._converting

    def _know_attributes(self) -> None:
        """Read, before the first file is written, the attributes by which files are converted: where the work tree has
        none, those of the index, which is therefore read first."""
        len(self._store.index)
        for change in self.changes.files:
            if change.after is not None and change.blob not in (None, change.after.oid):
                converter_of(self._outward()).plan(change.path)

    def _drop_folders(self, tree: Door, path: bytes) -> None:
        """Directories that are empty now that the file at `path` is gone."""
        above = path.rpartition(b"/")[0]
        if not self.changes.keep_folders:
            tree.drop_empty(above)
        for moved in self.changes.moved_folders:
            if path.startswith(moved + b"/"):
                tree.drop_empty(above, moved.rpartition(b"/")[0])

    def content_of(self, change: FileChange) -> bytes:
        """What a file will hold, proven to be what the plan says."""
        assert change.after is not None
        if change.data is not None:
            data = change.data
        elif change.blob is not None:
            kind, data = self._store.odb.read_raw(change.blob)
            if kind != b"blob":
                raise Corrupt(f"{change.blob.hex()} is no blob")
            if change.blob != change.after.oid:
                data = to_work_tree(self._outward(), change.path, data, ctx=self._ctx)
        else:
            data = self._kept_bytes(change)
        if object_name(b"blob", data, self._store.hash_name) != change.after.oid:
            raise Conflict(f"'{text(change.path)}' would not get the content that was planned", path=text(change.path))
        return data

    def _kept_bytes(self, change: FileChange) -> bytes:
        """The bytes that an earlier operation kept."""
        assert change.kept is not None
        for operation in self._journal.operations():
            if operation.id == change.kept[0]:
                path = operation.kept(change.kept[1])
                stat = self._doors.git.lstat(path)
                if stat is not None and stat.st_mode & 0o170000 == 0o120000:
                    folder, name = self._doors.git.split(path)
                    assert folder is not None
                    return folder.readlink(name)
                data = self._doors.git.read(path)
                if data is not None:
                    return data
        raise Conflict(f"what '{text(change.path)}' held is not kept any more", path=text(change.path))

    # --- index ------------------------------------------------------------------------------------------------------

    def _write_index(self, written: dict[bytes, os.stat_result], touched: list[EntryChange]) -> None:
        assert self._index is not None
        store, changes = self._store, self.changes
        index = store.index
        data = new_index(store, index, changes, written, self._ctx, touched)
        self._index_was = self._doors.git.read(self._index.path)
        self._index.rewrite(data)
        self._index_done = True  # or nearly: taking it back does no harm
        self._index.install()

    # --- files of the git directory, refs ---------------------------------------------------------------------------

    def _write_git_files(self) -> None:
        door = self._doors.git
        for number, file in enumerate(self.changes.git_files):
            self._git_done.append(number)
            locked = next((lock for lock in self._git_locks if lock.path == file.name), None)
            if locked is not None:
                locked.install()
            elif file.before != file.after:  # as git, which does not write a ref that has its value already
                self._set_git_file(self._git_path(file.name), file.after)
        door.drop_empty(b"")

    def _git_path(self, name: bytes) -> bytes:
        return name if self._store.is_shared(name) else self._doors.own + name

    def _set_git_file(self, path: bytes, data: bytes | None) -> None:
        if data is None:
            forget(self._doors.git, path)
            return
        draft = self._refs.draft()
        self._doors.git.new_file(draft, data)
        self._doors.git.rename(draft, path)

    def _write_refs(self) -> None:
        for log in self.changes.logs:
            self._logs_before.setdefault(log.name, self._refs.read_log(log.name))
            self._refs.write_log(log, self.operation.ident.encode("utf-8", "surrogateescape"))
        self._past_return = bool(self.changes.refs)
        self._refs.write(self.changes.refs)

    # --- back -------------------------------------------------------------------------------------------------------

    def _undo_all(self) -> None:
        """Everything as it was, as far as no ref has moved; what cannot be put back stays in the operation log, which
        then says "open"."""
        if self._past_return:
            self._release()
            return  # `recover` sees how far it came
        whole = True
        try:
            self._logs_back()
            whole = self._files_back()
            for number in reversed(self._git_done):
                file = self.changes.git_files[number]
                self._set_git_file(self._git_path(file.name), file.before)
            if self._index_done:
                self._index_back()
        except (OSError, GitError):
            whole = False
        self._release()
        try:
            self._journal.sweep(self.operation)
            if whole:
                self._journal.close(self.operation, "rolled back")
        except (OSError, GitError):
            pass  # it stays open: `recover` finds nothing to do

    def _logs_back(self) -> None:
        """The logs as they were: their locks are held, so that nobody else has written."""
        for name in sorted(self._logs_before, key=lambda name: self._logs_before[name] is not None):
            if self._refs.read_log(name) != self._logs_before[name]:
                self._refs.set_log(name, self._logs_before[name])

    def _files_back(self) -> bool:
        files, whole = self._files, True
        if files is None:
            return True
        for number in reversed(self._put):
            change = self.changes.files[number]
            assert change.after is not None
            if number in self._taken or files.look(change.path) == change.after:
                files.remove_new(number, change.path, change.after)
                self._doors.tree.drop_empty(change.path.rpartition(b"/")[0])  # type: ignore[union-attr]
        for number in reversed(self._taken):
            if self._doors.git.lstat(files.kept(number)) is not None:
                whole = files.put_back(number, self.changes.files[number].path) and whole
        return whole

    def _index_back(self) -> None:
        path = need_index(self._store)
        if self._index_was is None:
            self._doors.git.remove(path)
        else:
            self._set_git_file(path, self._index_was)

    def _drop_spare(self) -> None:
        """Of the files that were moved aside, those whose bytes are objects need not be kept."""
        if self._files is None:
            return
        for number in self._taken:
            if self.changes.files[number].stored:
                self._files.drop_spare(number)


def new_index(
    store: Store,
    index: Index,
    changes: Changes,
    written: dict[bytes, os.stat_result],
    ctx: Context,
    touched: Sequence[EntryChange] = (),
) -> bytes:
    """The index file after the changes; entries of files that were only `touched` get their status. Sparse directories
    stay where nothing below them changes; where an index is to have them, what may be one becomes one."""
    full = is_index_sparse(store) and is_filled_in(store, index, changes.entries)
    sparse = is_index_sparse(store) and not full
    folders = _folders_above(index, changes, everywhere=full)
    if folders:
        index = index.expanded(store.odb.tree)
    check_entries(changes.entries)  # of a plan they are checked; those of an operation log may be anything
    rows = [*changes.entries, *touched]
    smudged = _smudged(store, index, {change.path for change in rows}, ctx)
    trees = changes.trees
    if trees is None or TREE in index.modes:  # the plan's trees count files, an entry is one of these
        trees = without_paths(index.cache_tree, [change.path for change in changes.entries])
    undo = write_undo(resolved_rows(index, changes), store.hash_len)
    bare = bool(store.config.get_bool("index.skiphash", False))
    if not folders and not sparse:
        spliced = spliced_bytes(index, rows, written, smudged, store.hash_name, trees=trees, undo=undo, skip_hash=bare)
        if spliced is not None:
            return spliced
    entries: list[Entry] = edited(index, rows, written, smudged)
    if sparse and TREE not in index.modes:
        more = outside_folders(entries, sparse_patterns(store))
        trees = without_paths(trees, [front + b"x" for front in more])  # which count files
        folders = sorted({*folders, *more})
    if folders and not full:
        entries = collapsed(entries, folders, store)
    version = index.version if index.present else _wanted_version(store)
    return index_bytes(entries, version, store.hash_name, trees=trees, undo=undo, skip_hash=bare, sparse=sparse)


def _folders_above(index: Index, changes: Changes, *, everywhere: bool) -> list[bytes]:
    """The directories that the index holds as one entry: all of them, or none where no entry changes that is in one of
    them, or is it."""
    if not index.sparse:
        return []
    fronts = [path for path, mode in zip(index.paths, index.modes) if mode == TREE]
    inside = everywhere or any((entry.path + b"/").startswith(tuple(fronts)) for entry in changes.entries)
    return fronts if inside else []


def _wanted_version(store: Store) -> int:
    """The version of an index that is made anew (`index.version`, `feature.manyFiles`)."""
    default = 4 if store.config.get_bool("feature.manyfiles", False) else 2
    wanted = store.config.get_int("index.version", default) or default
    return wanted if 2 <= wanted <= 4 else 2


def _touched(store: Store, changes: Changes, ctx: Context) -> list[EntryChange]:
    """The entries whose files have another status than they have noted, and their content, with that status, where git
    refreshes the index before it moves files. It is by the attributes of before that a file is found to be unchanged,
    and that tells where these change: nobody looks into it by the new ones afterwards. Elsewhere it would not tell."""
    if not changes.refreshes or not changed_attributes(changes):
        return []
    looker, moving = Looker(store, ctx), {change.path for change in changes.entries}
    index = looker.index
    return [
        EntryChange(path, rows, rows, stat=info)
        for at, info in looker.suspects(Pathspecs.ALL)
        if info is not None and (path := index.path(at)) not in moving
        if index.mode(at) != GITLINK and not index.intent_to_add(at) and not looker.modified(at, info, by_size=True)
        for rows in (rows_at(index, path),)
    ]


def _smudged(store: Store, index: Index, moving: set[bytes], ctx: Context) -> list[int]:
    """Positions of entries that are as young as the index file, look unchanged, and are changed all the same
    (racy-git); but for the paths whose entries change."""
    young = index.mtime_ns // 1_000_000_000
    if not index.present or store.files is None or not len(index):
        return []
    looker = Looker(store, ctx)
    positions: list[int] = []
    times = index.mtimes
    for position in [at for at, time in enumerate(times) if time >= young] if max(times) >= young else ():
        path = index.path(position)
        if path in moving or index.mode(position) == GITLINK or index.stage(position):
            continue
        pause()
        status = store.files.lstat(path)
        if status is None or looker.changed(position, status) != "":
            continue
        if not looker.same_content(position, status):
            positions.append(position)
    return positions
