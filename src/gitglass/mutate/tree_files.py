"""Files of the work tree, put into place and moved aside so that no byte is lost.

A new file is finished among the operation's own files and then linked to its name, which fails where something has that
name: nothing untracked is ever overwritten by a race. A file that goes is moved aside first, then compared with what
the
plan expects; it stays there until the operation log is trimmed, or is put back. Where the work tree is on another file
system than the git directory, copies stand in for the links, made beside the file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from operator import attrgetter

from ..disk.opened import FdDir
from ..errors import Conflict, SandboxViolation, text
from ..limits import settled
from ..objects.hashes import new_hash
from ..objects.parsed import SYMLINK, object_name
from .changes import Content, FileChange
from .door import Door, pieces_in, read_in
from .index_file import file_mode


class TreeFiles:
    """The work tree's side of one operation. `scratch` is the operation's directory, seen from the git door. Without
    `by_status` every file that goes is read."""

    __slots__ = ("_aside", "_by_status", "_freed", "_git", "_hash_name", "_own", "_scratch", "_tree")

    def __init__(self, tree: Door, git: Door, scratch: bytes, hash_name: str, *, by_status: bool = True) -> None:
        self._tree, self._git, self._scratch, self._hash_name = tree, git, scratch, hash_name
        self._by_status = by_status
        self._aside: dict[int, os.stat_result] = {}  # the status of each file as it was moved aside
        self._own: FdDir | None = None
        self._freed: tuple[bytes, FdDir | None] = b"", None  # the last path that a file went from, its directory

    def kept(self, number: int) -> bytes:
        """Where the file goes that the change of this number replaces."""
        return self._scratch + b"/kept-%d" % number

    def _folder(self) -> FdDir:
        """The operation's own directory, which nobody else removes while the operation is open."""
        if self._own is None:
            self._own = self._git.need_folder(self._scratch)
        return self._own

    # --- away -------------------------------------------------------------------------------------------------------

    def take(self, number: int, change: FileChange) -> None:
        """Move the file aside. Raises Conflict when it is not what the plan says; then it is where it was."""
        folder, name = self._tree.split(change.path)
        aside, last = self._folder(), b"kept-%d" % number
        assert change.before is not None
        try:
            if folder is None:
                raise FileNotFoundError
            self._move(folder, name, aside, last)
        except FileNotFoundError:
            raise self._moved(change.path) from None
        info = self._aside[number] = aside.lstat(last)
        if not self._is(aside, last, info, change):
            self.put_back(number, change.path)
            raise self._moved(change.path)
        self._freed = change.path, folder

    def _move(self, folder: FdDir, name: bytes, target: FdDir, last: bytes) -> None:
        try:
            self._git.calls.rename(folder.fd, name, target.fd, last)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy(folder, name, target, last)
            self._git.calls.unlink(folder.fd, name)

    def _copy(self, folder: FdDir, name: bytes, target: FdDir, last: bytes) -> None:
        """The file once more, in another directory, under a name that is free."""
        info = folder.lstat(name)
        if stat.S_ISLNK(info.st_mode):
            self._git.calls.symlink(folder.readlink(name), target.fd, last)
            return
        data = read_in(folder, name)
        if data is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", text(name))
        fd = self._git.calls.create(target.fd, last, stat.S_IMODE(info.st_mode) | 0o600)
        try:
            self._git.fill(fd, data)
            self._git.calls.fsync(fd)
        finally:
            os.close(fd)

    def _is(self, folder: FdDir, name: bytes, info: os.stat_result, change: FileChange) -> bool:
        """Whether a file that was moved aside is the one of the plan: by its status, if that is old enough, or
        bytes."""
        before, seen = change.before, change.stat
        assert before is not None
        if self._by_status and seen is not None and settled(seen.st_mtime_ns):
            same = (info.st_dev, info.st_ino, info.st_mtime_ns, info.st_size, info.st_mode)
            if same == (seen.st_dev, seen.st_ino, seen.st_mtime_ns, seen.st_size, seen.st_mode):
                return True
        return content_in(folder, name, self._hash_name) == before

    def _moved(self, path: bytes) -> Conflict:
        return Conflict(f"'{text(path)}' was changed by somebody else meanwhile", path=text(path))

    # --- into place -------------------------------------------------------------------------------------------------

    def put(self, number: int, change: FileChange, data: bytes) -> os.stat_result:
        """A file with these bytes at its path; its status. Raises Conflict where something is in the way."""
        assert change.after is not None
        source, name = self._folder(), b"new-%d" % number
        made = self._made(source, name, change.after.mode, data, change.bits)
        is_git = change.data is None or change.blob is not None
        freed, into = self._freed
        try:
            folder = self._tree.link_at(
                change.path,
                lambda above, last: self._link(source, name, above, last),
                into=into if freed == change.path else None,
                mode=0o777 if is_git else 0o750,
            )
        except FileExistsError:
            raise Conflict(f"'{text(change.path)}' is in the way", path=text(change.path)) from None
        finally:
            self._git.calls.unlink(source.fd, name)
        return self._status(folder, change.path.rpartition(b"/")[2], made)

    def _made(self, folder: FdDir, name: bytes, mode: int, data: bytes, bits: int) -> os.stat_result:
        """A new file or link among the operation's own files, without the permissions of a repository that is shared,
        as the work tree is not, or with these `bits`, from before it holds anything; its status."""
        if mode == SYMLINK:
            self._git.calls.symlink(data, folder.fd, name)
            return folder.lstat(name)
        fd = self._git.calls.create(folder.fd, name, bits or (0o777 if mode == 0o100755 else 0o666))
        try:
            if bits:
                self._git.calls.chmod(fd, bits)
            self._git.fill(fd, data)
            return os.fstat(fd)
        finally:
            os.close(fd)

    def _status(self, folder: FdDir, name: bytes, made: os.stat_result) -> os.stat_result:
        """The status of a file that was put into place; where somebody has replaced it since, the status that ours had:
        the index then says that the file differs."""
        try:
            info = folder.lstat(name)
        except FileNotFoundError:
            return made
        same = (info.st_size, info.st_mtime_ns, info.st_mode) == (made.st_size, made.st_mtime_ns, made.st_mode)
        return info if same else made

    def _link(self, source: FdDir, name: bytes, folder: FdDir, last: bytes) -> None:
        try:
            self._git.calls.link(source.fd, name, folder.fd, last)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK):
                raise
            beside = b".gitglass-%d-" % os.getpid() + last[:200]
            self._copy(source, name, folder, beside)
            try:
                self._git.calls.link(folder.fd, beside, folder.fd, last)
            finally:
                self._git.calls.unlink(folder.fd, beside)

    def put_back(self, number: int, path: bytes) -> bool:
        """The file that was moved aside at its place again; False where something has taken its name: then it stays
        where it is kept."""
        source, name = self._git.split(self.kept(number))
        assert source is not None
        try:
            self._tree.link_at(path, lambda above, last: self._link(source, name, above, last))
        except (FileExistsError, FileNotFoundError):
            return False
        self._git.calls.unlink(source.fd, name)
        return True

    def remove_new(self, number: int, path: bytes, after: Content) -> bool:
        """Take away a file that the operation put there, if it still is that file: it is moved aside, then compared,
        and put back where it is another one."""
        folder, name = self._tree.split(path)
        if folder is None or content_in(folder, name, self._hash_name) != after:
            return False
        aside, last = self._folder(), b"gone-%d-%b" % (number, os.urandom(6).hex().encode())
        self._move(folder, name, aside, last)
        return self._drop_gone(last, path, after)

    def _drop_gone(self, last: bytes, path: bytes, after: Content | None) -> bool:
        """Whether a file that `remove_new` moved aside is the operation's own, and is no more."""
        aside = self._folder()
        if content_in(aside, last, self._hash_name) == after:
            self._git.calls.unlink(aside.fd, last)
            return True
        try:
            self._tree.link_at(path, lambda above, name: self._link(aside, last, above, name))
        except (FileExistsError, NotADirectoryError, SandboxViolation):
            pass  # a still newer one, or one above it: that stays, and this one is kept here
        else:
            self._git.calls.unlink(aside.fd, last)
        return False

    def end_removals(self, changes: Sequence[FileChange]) -> None:
        """The same for what a `remove_new` that was interrupted had moved aside."""
        for last in self._folder().names():
            kind, _, rest = last.partition(b"-")
            number = rest.partition(b"-")[0]
            if kind == b"gone" and number.isdigit() and int(number) < len(changes):
                self._drop_gone(last, changes[int(number)].path, changes[int(number)].after)

    def free_kept(self, number: int, before: Content) -> None:
        """Make room for a file that is to be moved aside again: what is kept already is the same bytes, as a
        `put_back` that was interrupted leaves it, or is kept under another name."""
        aside, last = self._folder(), b"kept-%d" % number
        now = content_in(aside, last, self._hash_name)
        if now == before:
            self._git.calls.unlink(aside.fd, last)
        elif now is not None:
            self._git.calls.rename(aside.fd, last, aside.fd, last + b"-" + os.urandom(6).hex().encode())

    def look(self, path: bytes) -> Content | None:
        """What stands at a path now; mode 0 for what git keeps nothing of, and for what is beyond a link or a file."""
        try:
            folder, name = self._tree.split(path)
        except SandboxViolation:
            return Content(0, b"")
        return None if folder is None else content_in(folder, name, self._hash_name)

    def drop_spare(self, number: int) -> None:
        """Remove a file that was moved aside and whose bytes are an object; unless somebody has written to it since,
        who had it open."""
        source, name = self._folder(), b"kept-%d" % number
        try:
            info = source.lstat(name)
        except FileNotFoundError:
            return
        if same_file(info, self._aside.get(number)):
            self._git.calls.unlink(source.fd, name)


#: what tells that a file was written to, or is another one
_written = attrgetter("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")


def content_in(folder: FdDir, name: bytes, hash_name: str) -> Content | None:
    """A file of an open directory as a plan names it; None where there is none, mode 0 for what git keeps nothing
    of."""
    try:
        info = folder.lstat(name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(info.st_mode):
        return Content(SYMLINK, object_name(b"blob", folder.readlink(name), hash_name))
    if not stat.S_ISREG(info.st_mode):
        return Content(0, b"")
    try:
        pieces = pieces_in(folder, name)
        digest = new_hash(hash_name, b"blob %b\0" % next(pieces))
        for piece in pieces:
            digest.update(piece)
    except FileNotFoundError:
        return None
    except SandboxViolation:
        return Content(0, b"")
    return Content(file_mode(info), digest.digest())


def same_file(info: os.stat_result, before: os.stat_result | None) -> bool:
    """Whether nothing was written to a file since."""
    return before is not None and _written(info) == _written(before)
