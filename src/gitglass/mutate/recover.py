"""After a crash: an operation that was interrupted is taken back, or finished.

What happened is read from the operation log and from what is there now: each file, entry, ref and small file is in its
state before, in its state after, or in neither (then somebody else changed it since, and it is left alone and named).
Files that were moved aside lie in the operation's directory under their numbers. Locks are known for ours by their
inode, which a file among the operation's own shares; nobody else's lock is touched. Done twice, it changes nothing
more.
"""

from __future__ import annotations

from ..errors import Conflict
from ..limits import Context, pause
from ..objects.parsed import GITLINK
from ..repo.store import Store
from .apply import Deed, Doors, new_index
from .changes import ABSENT, Changes, Content, FileChange, RefChange, reversed_changes
from .door import forget, leave_folder
from .index_file import index_name, need_index, rows_at, still_resolved
from .journal import UNSURE, Journal, Operation, is_running, need_same_index
from .locks import Lock
from .objects import kept_elsewhere
from .ref_files import RefFiles
from .tree_files import TreeFiles

_INDEX_WAIT, _CONFIG_WAIT = 1.0, 0.1


def recover(store: Store, doors: Doors, journal: Journal, *, forward: bool, ctx: Context) -> list[str]:
    """Take back, or finish (`forward`), every operation that was interrupted, the last one first; their ids.

    Raises Conflict, before anything of that operation is changed, where it cannot be finished: its objects had not all
    been written; and Locked where somebody else holds a lock that is needed.
    """
    done: list[str] = []
    for operation in reversed(journal.operations()):
        if operation.state != "open" or is_running(operation):
            continue
        recover_one(store, doors, journal, operation, forward=forward, ctx=ctx)
        done.append(operation.id)
    return done


def recover_one(
    store: Store, doors: Doors, journal: Journal, operation: Operation, *, forward: bool, ctx: Context
) -> None:
    """The same of one operation that nobody is at."""
    _Recovery(store, doors, journal, operation, ctx).run(forward)
    journal.sweep(operation)
    journal.mark_undone(operation, forward)
    journal.close(operation, "done" if forward else "rolled back")


class _Recovery:
    """One interrupted operation."""

    def __init__(self, store: Store, doors: Doors, journal: Journal, operation: Operation, ctx: Context) -> None:
        self._store, self._doors, self._journal, self._operation = store, doors, journal, operation
        self._ctx = ctx
        self._refs = RefFiles(doors.git, store, doors.own, operation.folder)
        self._files = None
        if doors.tree is not None:
            self._files = TreeFiles(doors.tree, doors.git, operation.folder, store.hash_name, by_status=False)
        self._locks: dict[bytes, Lock] = {}
        self._wrong: list[RefChange] = []

    def run(self, forward: bool) -> None:
        """Take it back, or finish it."""
        changes = self._operation.changes
        need_same_index(self._operation, index_name(self._store))
        if forward:
            self._need_whole()
        self._unlock()
        self._journal.sweep(self._operation)
        wanted = changes if forward else reversed_changes(changes, self._operation.id)
        try:
            self._lock(wanted)
            self._store.refresh()
            self._move_files(forward)
            self._index(wanted)
            self._git_files(wanted)
            moved = [ref for ref in self._moved(wanted) if ref in self._wrong]
            self._logs(wanted, moved, forward)
            self._refs.write(moved)
        finally:
            self._refs.release()
            for lock in self._locks.values():
                lock.release()

    def _need_whole(self) -> None:
        """Raise Conflict unless all is there that the operation needs to be finished."""
        changes, operation = self._operation.changes, self._operation
        if operation.errand == UNSURE:
            raise Conflict(
                f"operation {operation.id} cannot be finished: nothing says what the other repository took",
                hint="Take it back, and ask the other repository: fetch.",
            )  # fmt: skip
        missing = [ref.after for ref in changes.refs if not ref.symbolic and ref.after != ABSENT
                   and not self._store.odb.has(ref.after)]  # fmt: skip
        missing += [row.oid for entry in changes.entries for row in entry.after if not self._has(row.mode, row.oid)]
        missing += [file.blob for file in changes.files if file.blob is not None and not self._store.odb.has(file.blob)]
        missing += [oid for oid in changes.objects if not self._store.odb.has(oid)]
        gone = [path for path in kept_elsewhere(changes) if self._doors.git.lstat(path) is None]
        if missing or gone:
            raise Conflict(f"operation {operation.id} cannot be finished: objects are missing")

    def _has(self, mode: int, oid: bytes) -> bool:
        return mode == GITLINK or self._store.odb.has(oid)

    # --- locks ------------------------------------------------------------------------------------------------------

    def _unlock(self) -> None:
        """Remove the locks that are ours: those whose inode is one of the operation's files."""
        git = self._doors.git
        folder = git.folder(self._operation.folder)
        if folder is None:
            return
        own = {(info.st_dev, info.st_ino) for info in folder.lstats(folder.names()) if info is not None}
        changes = self._operation.changes
        names = [self._refs.path(ref.name) for ref in changes.refs]
        names += [self._refs.path(log.name) for log in changes.logs]
        names += [b"packed-refs", b"config"]
        if changes.touches_index:
            names.append(need_index(self._store))
        for name in names:
            info = git.lstat(name + b".lock")
            if info is not None and (info.st_dev, info.st_ino) in own:
                git.remove(name + b".lock")

    def _lock(self, wanted: Changes) -> None:
        """Hold everything that may have to be written, as the operation itself does."""
        if wanted.entries or wanted.resolved:
            self._take(need_index(self._store), _INDEX_WAIT)
        if any(file.name == b"config" for file in wanted.git_files):
            self._take(b"config", _CONFIG_WAIT)
        refs = {ref.name for ref in wanted.refs}
        self._wrong = self._moved(wanted)
        self._refs.lock(self._wrong, [log for log in self._operation.changes.logs if log.name not in refs])

    def _take(self, path: bytes, wait: float) -> None:
        lock = Lock(self._doors.git, path, self._refs.draft())
        lock.take(wait=wait)
        self._locks[path] = lock

    # --- files ------------------------------------------------------------------------------------------------------

    def _move_files(self, forward: bool) -> None:
        """Removals first, so that a directory can take a file's place and a file a directory's."""
        files = self._files
        if files is None:
            return
        changes = self._operation.changes
        numbered = list(enumerate(changes.files))
        if numbered:
            files.end_removals(changes.files)
        for number, change in sorted(
            numbered, key=lambda one: (one[1].after if forward else one[1].before) is not None
        ):
            pause()
            self._move_file(files, number, change, forward)
            if (change.after if forward else change.before) is None and not (forward and changes.keep_folders):
                self._doors.tree.drop_empty(change.path.rpartition(b"/")[0])  # type: ignore[union-attr]

    def _move_file(self, files: TreeFiles, number: int, change: FileChange, forward: bool) -> None:
        now = files.look(change.path)
        kept = self._doors.git.lstat(files.kept(number)) is not None
        if now == (change.after if forward else change.before):
            return
        if forward:
            self._forward(number, now)
            return
        if now is not None and now == change.after:
            if not files.remove_new(number, change.path, now):
                return
            now = None
        if now is None and change.before is not None:
            if kept:
                files.put_back(number, change.path)
            elif change.stored:
                self._from_object(change)

    def _forward(self, number: int, now: Content | None) -> None:
        files, change = self._files, self._operation.changes.files[number]
        assert files is not None
        if change.before is not None and now == change.before:
            files.free_kept(number, change.before)
            files.take(number, change)
            now = None
        if change.after is not None and now is None:
            deed = Deed(self._store, self._doors, self._journal, self._operation, self._ctx)
            files.put(number, change, deed.content_of(change))

    def _from_object(self, change: FileChange) -> None:
        """The file that a change took away, whose bytes are an object."""
        files, before = self._files, change.before
        assert files is not None and before is not None
        back = FileChange(change.path, None, before, blob=before.oid, bits=change.permissions)
        files.put(len(self._operation.changes.files), back, self._store.odb.read_raw(before.oid)[1])

    # --- index, small files -----------------------------------------------------------------------------------------

    def _index(self, wanted: Changes) -> None:
        """The entries of the operation's paths as they are wanted, where they are as the operation found or left
        them."""
        index = self._store.index
        full = index.expanded(self._store.odb.tree)
        entries = [entry for entry in wanted.entries if rows_at(full, entry.path) == entry.before != entry.after]
        resolved = still_resolved(index, wanted.resolved or [])
        if not entries and not resolved:
            return
        lock = self._locks[need_index(self._store)]
        lock.rewrite(new_index(self._store, index, Changes(entries=entries, resolved=resolved), {}, self._ctx))
        lock.install()
        self._store.refresh()

    def _git_files(self, wanted: Changes) -> None:
        for file in wanted.git_files:
            path = file.name if self._store.is_shared(file.name) else self._doors.own + file.name
            if self._doors.git.read(path) != file.before or file.before == file.after:
                if file.after is None:  # a crash between the file and its directory
                    leave_folder(self._doors.git, path)
                continue
            lock = self._locks.get(path)
            if file.after is None:
                forget(self._doors.git, path)
            elif lock is not None:
                lock.rewrite(file.after)
                lock.install()
            else:
                draft = self._refs.draft()
                self._doors.git.new_file(draft, file.after)
                self._doors.git.rename(draft, path)

    # --- refs and their logs ----------------------------------------------------------------------------------------

    def _moved(self, wanted: Changes) -> list[RefChange]:
        """The refs that are on the wrong side."""
        refs: list[RefChange] = []
        for ref in wanted.refs:
            now = self._refs.value(ref.name)
            if now == (ref.before, ref.was_symbolic) and now != (ref.after, ref.symbolic):
                refs.append(ref)
        return refs

    def _logs(self, wanted: Changes, moved: list[RefChange], forward: bool) -> None:
        """Logs that were rewritten get their other content, where they have one of the two; lines that were added are
        taken off their ends, or are added where they are missing (`_lacks`)."""
        changes = self._operation.changes
        whole = [log for log in changes.logs if log.whole]
        for log in sorted(whole, key=lambda log: (log.content if forward else log.before) is not None):
            wrong, right = (log.before, log.content) if forward else (log.content, log.before)
            if self._refs.read_log(log.name) == wrong != right:
                self._refs.set_log(log.name, right)
        ident = self._operation.ident.encode("utf-8", "surrogateescape")
        for name in dict.fromkeys(log.name for log in changes.logs if not log.whole):
            now = self._refs.read_log(name)
            lines = b"".join(
                self._refs.log_line(log, ident) for log in changes.logs if log.name == name and not log.whole
            )
            if not forward and now is not None:
                left = without_tail(now, lines)
                self._set_log(name, now, None if not left and name in self._operation.new_logs else left)
            elif forward and self._refs.keeps_log(name) and self._lacks(now or b"", lines, wanted, moved):
                self._set_log(name, now, without_tail(now or b"", lines) + lines)

    def _lacks(self, log: bytes, lines: bytes, wanted: Changes, moved: list[RefChange]) -> bool:
        """Whether a log still needs its lines where the operation is finished: logs come before refs, so it may where
        no ref has moved yet. Where one has, its lines were there; they are gone where taking the operation back was
        interrupted, unless a ref is neither way now: then somebody else has gone on since."""
        if len(moved) == len(wanted.refs):
            return True
        here = {ref.name for ref in moved}
        own = all(ref.name in here or self._refs.value(ref.name) == (ref.after, ref.symbolic) for ref in wanted.refs)
        return own and lines not in log

    def _set_log(self, name: bytes, before: bytes | None, after: bytes | None) -> None:
        if before != after:
            self._refs.set_log(name, after)


def without_tail(log: bytes, rows: bytes) -> bytes:
    """A log without what it ends in of these lines: all of them, or as much as had been written."""
    for size in range(min(len(rows), len(log)), 0, -1):
        if log.endswith(rows[:size]) and (size == len(log) or log[-size - 1 : -size] == b"\n"):
            return log[:-size]
    return log
