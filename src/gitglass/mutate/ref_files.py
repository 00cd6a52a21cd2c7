"""Refs and their logs as files: locked, compared, written; the change of several is one transaction.

All refs are locked in the order of their names, HEAD last; their values are read again under the locks and must be
those the plan names; then logs are written, then refs. A deletion takes the ref out of `packed-refs` before its own
file goes, so that an old value never shines through. Mirrors git-update-ref(1) and gitrepository-layout(5); the names
of logs that are made anew are those of `core.logAllRefUpdates` (git-config(1)).
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable

from ..errors import SandboxViolation, text
from ..limits import LARGE, paced, replaced
from ..paths.lexical import directories_above
from ..refs.files import FilesBackend
from ..refs.names import is_per_worktree
from ..render.width import SPACE
from ..repo.store import Store
from .changes import ABSENT, LogChange, RefChange
from .door import Door
from .locks import Lock

_LOGGED = (b"refs/heads/", b"refs/remotes/", b"refs/notes/")
_SPACE = re.compile(b"[%b]+" % SPACE)
_BLANKS = bytes.maketrans(SPACE, b" " * len(SPACE))
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

    def lock(self, changes: list[RefChange], logs: Iterable[LogChange] = ()) -> None:
        """Take the locks of all refs that change, and of those whose logs do: git writes no log without. Raises
        Locked."""
        gone = [change.name for change in changes if change.after == ABSENT]
        if gone:
            self.packed = Lock(self._door, b"packed-refs", self.draft())
            self.packed.take(wait=_PACKED_WAIT)
        for change in sorted(changes, key=ref_order):
            if not self._is_below(change.name, gone):
                self._lock_one(change)
        for name in sorted({log.name for log in logs} - {change.name for change in changes}):
            lock = self.locks[name] = Lock(self._door, self.path(name), self.draft())
            lock.take(wait=_REF_WAIT)

    def _is_below(self, name: bytes, gone: list[bytes]) -> bool:
        """Whether a ref is to be where another one, a file, is the directory now: it is locked when that is gone."""
        if name.startswith(tuple(other + b"/" for other in gone)):
            return True
        above = map(self._door.lstat, directories_above(self.path(name)))
        return any(info is not None and stat.S_ISREG(info.st_mode) for info in above)

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
        """Install all new values, HEAD's last, then delete; where a name takes the place of a directory, or a directory
        of a name, deletions come first."""
        gone = {change.name for change in changes if change.after == ABSENT}
        kept = [change for change in sorted(changes, key=ref_order) if change.name not in gone]
        if any(_in_the_way(change.name, name) for change in kept for name in gone):
            self._delete(changes, gone)
            self._install(kept)
        else:
            self._install(kept)
            self._delete(changes, gone)

    def _install(self, changes: list[RefChange]) -> None:
        for change in changes:
            if change.name not in self.locks:
                self._lock_one(change)
            self.locks.pop(change.name).install()

    def _delete(self, changes: list[RefChange], gone: set[bytes]) -> None:
        if gone:
            self._drop_packed(gone)
        for change in changes:
            if change.name in gone:
                path = self.path(change.name)
                self._door.remove(path)
                if (lock := self.locks.pop(change.name, None)) is not None:
                    lock.release()
                self._tidy(path)

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
        if change.whole:
            self.set_log(change.name, change.content)
        elif self.keeps_log(change.name):
            self._append(self.log_path(change.name), self.log_line(change, ident))

    def read_log(self, name: bytes) -> bytes | None:
        """A ref's log; None where there is none."""
        try:
            return self._door.read(self.log_path(name))
        except SandboxViolation:
            return None  # a directory of logs

    def without_log(self, changes: Iterable[LogChange]) -> list[bytes]:
        """The names of those that have no log yet."""
        names = sorted({log.name for log in changes})
        return [name for name in names if self._door.lstat(self.log_path(name)) is None]

    def set_log(self, name: bytes, content: bytes | None) -> None:
        """Give a ref's log this content; None: remove it."""
        path = self.log_path(name)
        if content is None:
            self._door.remove(path)
            self._tidy(path)
            return
        draft = self.draft()
        self._door.new_file(draft, content)
        try:
            self._door.rename(draft, path)
        except IsADirectoryError:
            self._door.clear_folders(path)
            self._door.rename(draft, path)

    def log_line(self, change: LogChange, ident: bytes) -> bytes:
        """The line that is added to a log."""
        return log_line(change, ident, self._store.null)

    def _append(self, path: bytes, line: bytes) -> None:
        folder, name = self._door.split(path, make=True)
        assert folder is not None
        try:
            fd = self._door.calls.open_append(folder.fd, name)
        except FileNotFoundError:
            self._door.new_file(path, line)
            return
        except IsADirectoryError:
            self._door.clear_folders(path)
            self._door.new_file(path, line)
            return
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENXIO):
                raise
            raise SandboxViolation(f"the log '{text(path)}' is not a regular file") from None
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise SandboxViolation(f"the log '{text(path)}' is not a regular file")
            self._door.fill(fd, line)
            self._door.share(fd)
        finally:
            os.close(fd)

    def keeps_log(self, name: bytes) -> bool:
        """Whether a change of a ref is logged: it has a log, or gets one by the settings."""
        info = self._door.lstat(self.log_path(name))
        if info is not None and info.st_mode & 0o170000 == 0o100000:
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


def _one_line(message: bytes) -> bytes:
    if len(message) < LARGE:
        return _SPACE.sub(b" ", message).strip(b" ")
    words = message.translate(_BLANKS)
    while b"  " in words:
        words = replaced(words, b"  ", b" ")
    return words.strip(b" ")


def log_line(change: LogChange, ident: bytes, null: bytes) -> bytes:
    """A line of a log. Its message has single blanks where white space was, line ends too: a line is an entry."""
    words = _one_line(change.message)
    old, new = ((oid or null).hex().encode() for oid in (change.old, change.new))
    return b"%b %b %b%b\n" % (old, new, ident, b"\t" + words if words else b"")


_STANDING = (b"refs/heads", b"refs/tags", b"refs/remotes", b"logs/refs/heads", b"logs/refs/remotes", b"logs/refs/tags")


def ref_order(change: RefChange) -> tuple[bool, bytes]:
    """HEAD last: it names one of the others."""
    return change.name == b"HEAD", change.name


def _in_the_way(name: bytes, other: bytes) -> bool:
    """Whether one of two names is a directory on the way of the other."""
    return name.startswith(other + b"/") or other.startswith(name + b"/")


def _content(change: RefChange) -> bytes:
    """The file of a ref."""
    if change.after == ABSENT:
        return b""
    return b"ref: %b\n" % change.after if change.symbolic else change.after.hex().encode() + b"\n"


def backend_is_files(store: Store) -> bool:
    """Whether refs are kept as files (gitrepository-layout(5)), as all that is written here assumes."""
    return isinstance(store.refs.backend, FilesBackend)
