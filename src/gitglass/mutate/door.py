"""The door through which the write side reaches the disk: directories by descriptor, no link followed, no odd name.

Two of them are opened for an operation: one on the git directory, one on the work tree. A path is walked component by
component from the descriptor of the top, which the reader's jail opened and proved to be the directory that it was;
each component is opened without following a link. In a work tree no component is a spelling of `.git`, and no
directory on the way is another repository's. Nothing here decides what is written: `apply` does.

Mirrors gitrepository-layout(5), and path verification as in git-update-index(1) (`core.protectHFS`, `protectNTFS`:
always on here).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from typing import TypeVar

from ..disk.opened import Directory, FdDir
from ..errors import Conflict, Corrupt, SandboxViolation, Unreadable, Unsupported, text
from ..limits import pause
from .calls import Calls, listed_folder
from .names import check_path

#: `core.sharedRepository`: bits that are added to what the umask leaves
SHARED = {b"group": 0o660, b"true": 0o660, b"all": 0o664, b"world": 0o664, b"everybody": 0o664}
_IN_THE_WAY = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
_SPECIAL = frozenset((b"", b".", b".."))
_CHUNK = 1 << 20
_LINE = 4 << 10  # bytes that are read at once for a line
#: no file of the git directory that is read whole here is larger: an index, packed refs, a log, a record
_MOST_BYTES = 256 << 20
_T = TypeVar("_T")
_AGAIN = 8  # how often a directory is made that somebody else removes


class Door:
    """Writes below one directory.

    `top` is that directory, open. `shared` are permission bits that new files and directories get beside those that
    the umask leaves (0: none); below zero, their opposite is all that these get. `tree` says that it is a work tree,
    where names and nested repositories are judged. `kept` is a directory that stays where it becomes empty.
    Raises SandboxViolation for what leads elsewhere, Conflict for what is in the way, Unreadable for what the system
    refuses.
    """

    __slots__ = ("_folders", "_kept", "_tree", "_umask", "calls", "shared", "top")

    def __init__(
        self, top: Directory | None, calls: Calls, *, shared: int = 0, tree: bool = False, kept: bytes = b""
    ) -> None:
        if not isinstance(top, FdDir):
            raise Unsupported("writing needs a system that opens files by directory descriptor")
        self.top, self.calls, self.shared, self._tree = top, calls, shared, tree
        self._folders: dict[bytes, FdDir] = {b"": top}
        self._kept = kept

    # --- directories -------------------------------------------------------------------------------------------------

    def folder(self, path: bytes, *, make: bool = False, mode: int = 0o777) -> FdDir | None:
        """The open directory at a relative path (b"" is the top); None where it is missing and is not to be made. What
        is made on the way has that mode, as far as the umask lets it."""
        before = self._folders.get(path)
        if before is not None and not before.gone():
            return before
        if path:
            self._check(path)
        above, _, name = path.rpartition(b"/")
        if not path:
            raise Conflict("the directory was removed")
        parent = self.folder(above, make=make, mode=mode)
        if parent is None:
            return None
        try:
            opened = parent.child(name)
        except FileNotFoundError:
            if not make:
                return None
            opened = self._made(parent, name, mode)
        except OSError as error:
            raise self._in_the_way(error, path) from None
        if self._tree and _is_repository(opened):
            raise SandboxViolation(f"'{text(path)}' is another repository", path=text(path))
        self._folders[path] = opened
        return opened

    def need_folder(self, path: bytes) -> FdDir:
        """The directory at a relative path, made where it is missing, with all above it."""
        opened = self.folder(path, make=True)
        assert opened is not None
        return opened

    def _made(self, parent: FdDir, name: bytes, mode: int) -> FdDir:
        try:
            self.calls.mkdir(parent.fd, name, mode)
        except FileExistsError:
            pass  # somebody was faster
        opened = parent.child(name)
        if self.shared:
            with listed_folder(opened.fd) as fd:
                self.calls.chmod(fd, self._shared_mode(stat.S_IMODE(os.fstat(fd).st_mode), True))
        return opened

    def _in_the_way(self, error: OSError, path: bytes) -> Exception:
        if error.errno in _IN_THE_WAY:
            return SandboxViolation(f"'{text(path)}' is beyond a symbolic link or a file", path=text(path))
        return Unreadable(f"'{text(path)}': {error.strerror}", path=text(path))

    def _check(self, path: bytes) -> None:
        """Raise SandboxViolation for a path that leads out, or that no work tree has."""
        if self._tree:
            check_path(path)
        elif not _SPECIAL.isdisjoint(path.split(b"/")) or b"\0" in path:
            raise SandboxViolation(f"invalid path '{text(path)}'", path=text(path))

    def clear_folders(self, path: bytes) -> None:
        """Remove a directory that holds nothing but directories, with them, as git does where a ref or a log goes.
        Raises Conflict for one that holds more."""
        folder = self.folder(path)
        if folder is None:
            return
        for name in folder.names():
            try:
                self.clear_folders(path + b"/" + name)
            except SandboxViolation:
                break
        above, _, last = path.rpartition(b"/")
        parent = self.folder(above)
        assert parent is not None
        try:
            self.calls.rmdir(parent.fd, last)
        except FileNotFoundError:
            pass
        except OSError:
            raise Conflict(f"there is a non-empty directory '{text(path)}' blocking reference") from None
        self._folders.pop(path, None)

    def share(self, fd: int) -> None:
        """Give an open file the permissions that `core.sharedRepository` asks for."""
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        if self.shared and mode != (wanted := self._shared_mode(mode, False)):
            self.calls.chmod(fd, wanted)

    def set_mode(self, path: bytes, mode: int) -> None:
        """Give a file of ours the permissions of the one that it replaces."""
        folder, name = self.split(path)
        assert folder is not None
        fd = folder.open(name)
        try:
            if stat.S_IMODE(os.fstat(fd).st_mode) != mode:
                self.calls.chmod(fd, mode)
        finally:
            os.close(fd)

    def drop_empty(self, path: bytes, top: bytes = b"") -> None:
        """Remove a directory and those above it, as long as they are empty; the top stays, and so does `top`."""
        while path and path not in (top, self._kept):
            above, _, name = path.rpartition(b"/")
            parent = self.folder(above)
            if parent is None:
                return
            try:
                self.calls.rmdir(parent.fd, name)
            except OSError:
                return
            self._folders.pop(path, None)
            path = above

    # --- files -------------------------------------------------------------------------------------------------------

    def split(self, path: bytes, *, make: bool = False, mode: int = 0o777) -> tuple[FdDir | None, bytes]:
        """(the directory that a file is in, its name there); `mode` is for directories that have to be made."""
        self._check(path)
        above, _, name = path.rpartition(b"/")
        return self.folder(above, make=make, mode=mode), name

    def lstat(self, path: bytes) -> os.stat_result | None:
        """A file's status, of a link its own; None where it is missing."""
        try:
            folder, name = self.split(path)
            return None if folder is None else folder.lstat(name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except SandboxViolation:
            return None

    def read(self, path: bytes) -> bytes | None:
        """A regular file's bytes; None where it is missing. Raises Corrupt for one of an unlikely size."""
        folder, name = self.split(path)
        return None if folder is None else read_in(folder, name, _MOST_BYTES)

    def first_line(self, path: bytes) -> bytes | None:
        """The first line of a regular file; None where it is missing. Raises Corrupt as `read` does."""
        folder, name = self.split(path)
        return None if folder is None else read_in(folder, name, _MOST_BYTES, line=True)

    def new_file(self, path: bytes, data: bytes, mode: int = 0o666, *, sync: bool = False) -> None:
        """A file that does not exist yet, with its directories."""
        self._finish(self._in_folder(path, lambda at, name: self.calls.create(at.fd, name, mode))[1], data, sync)

    def new_in(self, folder: FdDir, name: bytes, data: bytes, mode: int, *, sync: bool = False) -> None:
        """The same in an open directory of ours, which nobody else removes."""
        self._finish(self.calls.create(folder.fd, name, mode), data, sync)

    def _finish(self, fd: int, data: bytes, sync: bool) -> None:
        """Give a new file its bytes and permissions, and close it."""
        try:
            self.fill(fd, data)
            if self.shared:
                self.calls.chmod(fd, self._shared_mode(stat.S_IMODE(os.fstat(fd).st_mode), False))
            if sync:
                self.calls.fsync(fd)
        finally:
            os.close(fd)

    def fill(self, fd: int, data: bytes) -> None:
        """Write all of `data`, however much the system takes at once."""
        view = memoryview(data)
        while view:
            view = view[self.calls.write(fd, view[:_CHUNK]) :]

    def rename(self, path: bytes, new: bytes) -> None:
        """Another name within this door; the directories of the new one are made."""
        folder, name = self.split(path)
        if folder is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", text(path))
        self._in_folder(new, lambda into, last: self.calls.rename(folder.fd, name, into.fd, last))

    def link_at(
        self, path: bytes, link: Callable[[FdDir, bytes], None], *, into: FdDir | None = None, mode: int = 0o777
    ) -> FdDir:
        """The directory in which `link` gave a file its name: `into`, where that was open a moment ago, or the one of
        the path, which is made; and made again where somebody else removes it as empty meanwhile. Raises what `link`
        does."""
        return self._in_folder(path, link, into=into, mode=mode)[0]

    def _in_folder(
        self, path: bytes, deed: Callable[[FdDir, bytes], _T], *, into: FdDir | None = None, mode: int = 0o777
    ) -> tuple[FdDir, _T]:
        """(the directory of a path, made where it is not there; what `deed` gives, called with it and the last name).
        Where somebody else removes the directory as empty meanwhile it is made again. Raises what `deed` does."""
        for _ in range(_AGAIN):
            folder = into or self.split(path, make=True, mode=mode)[0]
            assert folder is not None
            try:
                return folder, deed(folder, path.rpartition(b"/")[2])
            except FileNotFoundError:
                if not folder.gone():
                    raise
            into = None
        raise Conflict(f"the directory of '{text(path)}' is removed again and again", path=text(path))

    def give_name(self, path: bytes, new: bytes) -> bool:
        """A second name for a file in the same directory; False where something has that name."""
        folder, name = self.split(path)
        assert folder is not None
        try:
            self.calls.link(folder.fd, name, folder.fd, new.rpartition(b"/")[2])
        except FileExistsError:
            return False
        return True

    def remove(self, path: bytes) -> bool:
        """Take a file away; whether it was there."""
        folder, name = self.split(path)
        if folder is None:
            return False
        try:
            self.calls.unlink(folder.fd, name)
        except FileNotFoundError:
            return False
        return True

    def _shared_mode(self, mode: int, directory: bool) -> int:
        """Permissions under `core.sharedRepository`: who may read may search, who owns may write."""
        bits = abs(self.shared)
        if not mode & 0o200:
            bits &= ~0o222
        if mode & 0o100:
            bits |= (bits & 0o444) >> 2
        mode = bits if self.shared < 0 else mode | bits
        return mode | (bits & 0o444) >> 2 | stat.S_ISGID if directory else mode


def forget(door: Door, path: bytes) -> None:
    """Take a small file of the git directory away, and the directory of an interrupted operation with its last one."""
    door.remove(path)
    leave_folder(door, path)


def leave_folder(door: Door, path: bytes) -> None:
    """Take the directory of an interrupted operation away, which a file that is gone was in, if it is empty: git would
    take it for one that goes on."""
    folder = path.rpartition(b"/")[0]
    if folder.rpartition(b"/")[2] in (b"sequencer", b"rebase-merge"):
        door.drop_empty(folder)


def pieces_in(folder: FdDir, name: bytes, most: int = _CHUNK) -> Iterator[bytes]:
    """A regular file of an open directory in pieces of at most so many bytes, its size in decimal first. Raises
    FileNotFoundError where it is missing, SandboxViolation where it is something else."""
    try:
        fd = folder.open(name)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in _IN_THE_WAY:
            raise SandboxViolation(f"'{text(name)}' is not a regular file") from None
        raise
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise SandboxViolation(f"'{text(name)}' is not a regular file")
        yield b"%d" % info.st_size
        left = info.st_size
        while part := os.read(fd, min(left + 1, most) if left >= 0 else most):  # a byte more: it may have grown
            left -= len(part)
            pause()
            yield part
    finally:
        os.close(fd)


def read_in(folder: FdDir, name: bytes, most: int | None = None, *, line: bool = False) -> bytes | None:
    """A regular file of an open directory, or its first `line`; None where it is missing, SandboxViolation where it is
    something else. Raises Corrupt where it has more than `most` bytes."""
    try:
        pieces = pieces_in(folder, name, _LINE if line else _CHUNK)
        size = int(next(pieces))
        if most is not None and size > most:
            raise Corrupt(f"'{text(name)}' has {size} bytes; more than {most} are not read", limit=most)
        if not line:
            return b"".join(pieces)
        data = bytearray()
        for piece in pieces:
            data += piece
            if b"\n" in piece:
                break
        return bytes(data.partition(b"\n")[0])
    except FileNotFoundError:
        return None


def _is_repository(folder: FdDir) -> bool:
    """Whether a directory of a work tree is the top of another repository."""
    try:
        folder.lstat(b".git")
    except OSError:
        return False
    return True
