"""Refs and their logs as files: locked, compared, written; the change of several is one transaction.

All refs are locked in the order of their names, HEAD last; their values are read again under the locks and must be
those the plan names; then logs are written, then refs. A deletion takes the ref out of `packed-refs` before its own
file goes, so that an old value never shines through. Mirrors git-update-ref(1) and gitrepository-layout(5); the names
of logs that are made anew are those of `core.logAllRefUpdates` (git-config(1)).
"""

from __future__ import annotations

import os

from ..errors import Conflict, text
from ..limits import paced
from ..refs.files import FilesBackend
from ..refs.names import is_per_worktree
from ..repo.store import Store
from .changes import ABSENT, LogChange, RefChange
from .door import Door
from .locks import Lock

_LOGGED = (b"refs/heads/", b"refs/remotes/", b"refs/notes/")
_REF_WAIT, _PACKED_WAIT = 0.1, 1.0


class RefFiles:
    """The refs of one repository as files below its git door.

    `own` is the directory of the work tree's own files there: b"" for the main one, b"worktrees/NAME/" for a linked
    one.
    """

    __slots__ = ("_door", "_drafts", "_own", "_scratch", "_store", "locks", "packed")

    def __init__(self, door: Door, store: Store, own: bytes, scratch: bytes) -> None:
        self._door, self._store, self._own, self._scratch = door, store, own, scratch
        self.locks: dict[bytes, Lock] = {}
        self.packed: Lock | None = None
        self._drafts = 0

    def path(self, name: bytes) -> bytes:
        """The file of a ref, from the git door."""
        return self._own + name if is_per_worktree(name) else name

    def log_path(self, name: bytes) -> bytes:
        """The file of a ref's log, from the git door."""
        return self._own + b"logs/" + name if is_per_worktree(name) else b"logs/" + name

    def draft(self) -> bytes:
        """A name for a file that is not finished yet."""
        self._drafts += 1
        return self._scratch + b"/lock-%d" % self._drafts

    # --- refs -------------------------------------------------------------------------------------------------------

    def lock(self, changes: list[RefChange]) -> None:
        """Take the locks of all refs that change. Raises Locked."""
        gone = [change.name for change in changes if change.after == ABSENT]
        if gone:
            self.packed = Lock(self._door, b"packed-refs", self.draft())
            self.packed.take(wait=_PACKED_WAIT)
        for change in sorted(changes, key=_order):
            if not change.name.startswith(tuple(name + b"/" for name in gone)):  # where a ref is now, a directory later
                self._lock_one(change)

    def _lock_one(self, change: RefChange) -> None:
        lock = self.locks[change.name] = Lock(self._door, self.path(change.name), self.draft())
        lock.take(_content(change), wait=_REF_WAIT)

    def verify(self, changes: list[RefChange]) -> list[bytes]:
        """The refs whose value is not the one before the change; to be asked under the locks."""
        return [change.name for change in changes if self.value(change.name) != (change.before, change.was_symbolic)]

    def value(self, name: bytes) -> tuple[bytes, bool]:
        """(what a ref says itself, whether that is another name); ABSENT for one that is not there."""
        raw = self._store.refs.backend.raw(name)
        if raw is None:
            return ABSENT, False
        if raw.target is not None:
            return raw.target, True
        return raw.oid or b"?", False  # a broken one equals nothing

    def write(self, changes: list[RefChange]) -> None:
        """Install all new values, deletions first: a name may take the place of a directory."""
        gone = {change.name for change in changes if change.after == ABSENT}
        if gone:
            self._drop_packed(gone)
        for change in changes:
            if change.name in gone:
                path = self.path(change.name)
                self._door.remove(path)
                self.locks.pop(change.name).release()
                self._tidy(path)
        for change in sorted(changes, key=_order):
            if change.name in gone:
                continue
            if change.name not in self.locks:
                self._lock_one(change)
            self.locks.pop(change.name).install()

    def _drop_packed(self, gone: set[bytes]) -> None:
        """Take names out of `packed-refs`, with the `^` lines behind them."""
        lock, self.packed = self.packed, None
        assert lock is not None
        data = self._door.read(b"packed-refs")
        lines = [] if data is None else data.splitlines(keepends=True)
        kept: list[bytes] = []
        dropping = False
        for line in paced(lines):
            if line.startswith(b"^"):
                if not dropping:
                    kept.append(line)
                continue
            dropping = not line.startswith(b"#") and line.rstrip(b"\n").partition(b" ")[2] in gone
            if not dropping:
                kept.append(line)
        if len(kept) == len(lines):
            lock.release()
            return
        lock.rewrite(b"".join(kept))
        lock.install()

    def release(self) -> None:
        """Let go of every lock that is still held."""
        for lock in self.locks.values():
            lock.release()
        self.locks.clear()
        if self.packed is not None:
            self.packed.release()
            self.packed = None

    # --- logs -------------------------------------------------------------------------------------------------------

    def write_log(self, change: LogChange, ident: bytes) -> None:
        """One log: a line more, a whole new content, or removed. `ident` is `Name <mail> seconds zone`."""
        path = self.log_path(change.name)
        if not change.whole:
            self._append(path, change, ident)
        elif change.content is None:
            self._door.remove(path)
            self._tidy(path)
        else:
            draft = self.draft()
            self._door.new_file(draft, change.content)
            self._door.rename(draft, path)

    def _append(self, path: bytes, change: LogChange, ident: bytes) -> None:
        if not self.keeps_log(change.name):
            return
        null = bytes(self._store.hash_len)
        words = b" ".join(change.message.split())
        line = b"%b %b %b%b\n" % (
            (change.old or null).hex().encode(),
            (change.new or null).hex().encode(),
            ident,
            b"\t" + words if words else b"",
        )
        folder, name = self._door.split(path, make=True)
        assert folder is not None
        try:
            fd = self._door.calls.open_append(folder.fd, name)
        except FileNotFoundError:
            self._door.new_file(path, line)
            return
        except IsADirectoryError:
            raise Conflict(f"there is a directory in place of the log '{text(path)}'") from None
        try:
            self._door.fill(fd, line)
        finally:
            os.close(fd)

    def keeps_log(self, name: bytes) -> bool:
        """Whether a change of a ref is logged: it has a log, or gets one by the settings."""
        found = self._door.lstat(self.log_path(name))
        if found is not None and found.st_mode & 0o170000 == 0o100000:
            return True
        word = (self._store.config.get("core.logallrefupdates") or b"").lower()
        if word == b"always":
            return name.startswith(b"refs/") or name == b"HEAD"
        wanted = self._store.config.get_bool("core.logallrefupdates", not self._store.bare)
        return bool(wanted) and (name == b"HEAD" or name.startswith(_LOGGED))

    def _tidy(self, path: bytes) -> None:
        """Remove the directories that a removed file leaves empty, but for those that every repository has."""
        above = path.rpartition(b"/")[0]
        while above.count(b"/") >= (2 if b"refs/" in above else 1) and above not in _STANDING:
            parent, _, name = above.rpartition(b"/")
            folder = self._door.folder(parent)
            if folder is None:
                return
            try:
                self._door.calls.rmdir(folder.fd, name)
            except OSError:
                return
            above = parent


_STANDING = (b"refs/heads", b"refs/tags", b"refs/remotes", b"logs/refs/heads", b"logs/refs/remotes", b"logs/refs/tags")


def _order(change: RefChange) -> tuple[bool, bytes]:
    return change.name == b"HEAD", change.name


def _content(change: RefChange) -> bytes:
    """The file of a ref."""
    if change.after == ABSENT:
        return b""
    return b"ref: %b\n" % change.after if change.symbolic else change.after.hex().encode() + b"\n"


def backend_is_files(store: Store) -> bool:
    """Whether refs are kept as files (gitrepository-layout(5)), as all that is written here assumes."""
    return isinstance(store.refs.backend, FilesBackend)
