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
from ..repo.store import Store
from .apply import Deed, Doors, new_index
from .changes import ABSENT, Changes, Content, FileChange, LogChange, RefChange, reversed_changes
from .index_file import rows_at
from .journal import Journal, Operation, is_running
from .ref_files import RefFiles
from .tree_files import TreeFiles


def recover(store: Store, doors: Doors, journal: Journal, *, forward: bool, ctx: Context) -> list[str]:
    """Take back, or finish (`forward`), every operation that was interrupted, the last one first; their ids.

    Raises Conflict, before anything of that operation is changed, where it cannot be finished: its objects had not all
    been written.
    """
    done: list[str] = []
    for operation in reversed(journal.operations()):
        if operation.state != "open" or is_running(operation):
            continue
        _Recovery(store, doors, operation, ctx).run(forward)
        journal.close(operation, "done" if forward else "rolled back")
        done.append(operation.id)
    return done


class _Recovery:
    """One interrupted operation."""

    def __init__(self, store: Store, doors: Doors, operation: Operation, ctx: Context) -> None:
        self._store, self._doors, self._operation, self._ctx = store, doors, operation, ctx
        self._refs = RefFiles(doors.git, store, doors.own, operation.folder)
        self._files = None
        if doors.tree is not None:
            self._files = TreeFiles(doors.tree, doors.git, operation.folder, store.hash_name, 0)

    def run(self, forward: bool) -> None:
        """Take it back, or finish it."""
        changes = self._operation.changes
        missing = [ref.after for ref in changes.refs if not ref.symbolic and ref.after != ABSENT
                   and not self._store.odb.has(ref.after)]  # fmt: skip
        missing += [row.oid for entry in changes.entries for row in entry.after if not self._has(row.mode, row.oid)]
        if forward and missing:
            raise Conflict(f"operation {self._operation.id} cannot be finished: objects are missing")
        self._unlock()
        wanted = changes if forward else reversed_changes(changes, self._operation.id)
        self._store.refresh()
        self._move_files(forward)
        self._index(wanted)
        self._git_files(wanted)
        self._move_refs(wanted)
        self._sweep()

    def _has(self, mode: int, oid: bytes) -> bool:
        return mode == 0o160000 or self._store.odb.has(oid)

    # --- locks ------------------------------------------------------------------------------------------------------

    def _unlock(self) -> None:
        """Remove the locks that are ours: those whose inode is one of the operation's files, or that hold what the
        operation was about to install."""
        git = self._doors.git
        folder = git.folder(self._operation.folder)
        if folder is None:
            return
        own = {(found.st_dev, found.st_ino) for found in folder.lstats(folder.names()) if found is not None}
        changes = self._operation.changes
        names = [self._refs.path(ref.name) for ref in changes.refs]
        names += [b"packed-refs", self._doors.own + b"index", b"config"]
        for name in names:
            lock = name + b".lock"
            found = git.lstat(lock)
            if found is None:
                continue
            if (found.st_dev, found.st_ino) in own or self._is_marked(lock):
                git.remove(lock)

    def _is_marked(self, lock: bytes) -> bool:
        """Whether a lock was rewritten by the operation: then the draft of the first one is still among its files."""
        git = self._doors.git
        folder = git.folder(self._operation.folder)
        names = [] if folder is None else folder.names()
        marks = [name for name in names if name.startswith(b"rewritten-")]
        return any(git.read(self._operation.folder + b"/" + mark) == lock for mark in marks)

    # --- files ------------------------------------------------------------------------------------------------------

    def _move_files(self, forward: bool) -> None:
        files = self._files
        if files is None:
            return
        for number, change in enumerate(self._operation.changes.files):
            pause()
            now = files.look(change.path)
            kept = self._doors.git.lstat(files.kept(number)) is not None
            target = change.after if forward else change.before
            if now == target:
                continue
            if forward:
                self._forward(number, kept, now)
                continue
            if now is not None and now == change.after:
                files.remove_new(change.path, now)
                now = None
                self._doors.tree.drop_empty(change.path.rpartition(b"/")[0])  # type: ignore[union-attr]
            if now is None and change.before is not None:
                if kept:
                    files.put_back(number, change.path)
                elif change.stored:
                    self._from_object(change.path, change.before.mode, change.before.oid)

    def _forward(self, number: int, kept: bool, now: object) -> None:
        files, change = self._files, self._operation.changes.files[number]
        assert files is not None
        if change.before is not None and now == change.before and not kept:
            files.take(number, change)
            now = None
        if change.after is not None and now is None:
            deed = Deed(self._store, self._doors, Journal(self._doors.git), self._operation, 0, self._ctx)
            draft = self._operation.folder + b"/new-%d" % number
            self._doors.git.remove(draft)
            files.put(number, change, deed.content_of(change))

    def _from_object(self, path: bytes, mode: int, oid: bytes) -> None:
        files = self._files
        assert files is not None
        change = FileChange(path, None, Content(mode, oid), blob=oid)
        number = len(self._operation.changes.files)
        self._doors.git.remove(self._operation.folder + b"/new-%d" % number)
        files.put(number, change, self._store.odb.read_raw(oid)[1])

    # --- index, small files, refs -----------------------------------------------------------------------------------

    def _index(self, wanted: Changes) -> None:
        """The entries of the operation's paths as they are wanted, where they are as the operation found or left
        them."""
        index = self._store.index
        entries = [entry for entry in wanted.entries if rows_at(index, entry.path) == entry.before != entry.after]
        if not entries:
            return
        data = new_index(self._store, index, Changes(entries=entries), {}, self._ctx)
        draft = self._refs.draft() + b"-recovered"
        self._doors.git.remove(draft)
        self._doors.git.new_file(draft, data)
        self._doors.git.rename(draft, self._doors.own + b"index")
        self._store.refresh()

    def _git_files(self, wanted: Changes) -> None:
        for file in wanted.git_files:
            path = file.name if self._store.is_shared(file.name) else self._doors.own + file.name
            if self._doors.git.read(path) != file.before or file.before == file.after:
                continue
            if file.after is None:
                self._doors.git.remove(path)
                continue
            draft = self._refs.draft() + b"-recovered"
            self._doors.git.remove(draft)
            self._doors.git.new_file(draft, file.after)
            self._doors.git.rename(draft, path)

    def _move_refs(self, wanted: Changes) -> None:
        """Refs that are on the wrong side move over, with a line in their logs."""
        moved: list[RefChange] = []
        for ref in wanted.refs:
            now = self._refs.value(ref.name)
            if now == (ref.before, ref.was_symbolic) and now != (ref.after, ref.symbolic):
                moved.append(ref)
        if not moved:
            return
        for name in self._drafts():
            self._doors.git.remove(self._operation.folder + b"/" + name)
        self._refs.lock(moved)
        try:
            message = f"recover: {self._operation.summary}".encode("utf-8", "surrogateescape")
            ident = self._operation.ident.encode("utf-8", "surrogateescape")
            for ref in moved:
                if not ref.symbolic and not ref.was_symbolic and ident and ref.after != ABSENT:
                    self._refs.write_log(LogChange(ref.name, ref.before, ref.after, message), ident)
            self._refs.write(moved)
        finally:
            self._refs.release()

    def _drafts(self) -> list[bytes]:
        folder = self._doors.git.folder(self._operation.folder)
        return [] if folder is None else [name for name in folder.names() if name.startswith(b"lock-")]

    def _sweep(self) -> None:
        """Remove the operation's unfinished files; what it kept stays."""
        folder = self._doors.git.folder(self._operation.folder)
        for name in () if folder is None else folder.names():
            if name.startswith((b"lock-", b"new-", b"object-", b"rewritten-", b"draft")):
                self._doors.git.remove(self._operation.folder + b"/" + name)
