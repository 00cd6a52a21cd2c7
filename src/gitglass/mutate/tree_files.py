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

from ..disk.directory import FdDir
from ..errors import Conflict, text
from ..objects.parsed import SYMLINK, object_name
from .changes import Content, FileChange
from .door import Door, read_in
from .index_file import file_mode

_SETTLED = 2_000_000_000  # nanoseconds: a file that is younger may have changed without its times


class TreeFiles:
    """The work tree's side of one operation. `scratch` is the operation's directory, seen from the git door."""

    __slots__ = ("_git", "_hash_name", "_now", "_scratch", "_tree")

    def __init__(self, tree: Door, git: Door, scratch: bytes, hash_name: str, now_ns: int) -> None:
        self._tree, self._git, self._scratch, self._hash_name, self._now = tree, git, scratch, hash_name, now_ns

    def kept(self, number: int) -> bytes:
        """Where the file goes that the change of this number replaces."""
        return self._scratch + b"/kept-%d" % number

    # --- away -------------------------------------------------------------------------------------------------------

    def take(self, number: int, change: FileChange) -> None:
        """Move the file aside. Raises Conflict when it is not what the plan says; then it is where it was."""
        folder, name = self._tree.split(change.path)
        place, last = self._git.split(self.kept(number))
        assert place is not None and change.before is not None
        try:
            if folder is None:
                raise FileNotFoundError
            self._move(folder, name, place, last)
        except FileNotFoundError:
            raise self._moved(change.path) from None
        found = place.lstat(last)
        if not self._is(place, last, found, change):
            self.put_back(number, change.path)
            raise self._moved(change.path)

    def _move(self, folder: FdDir, name: bytes, place: FdDir, last: bytes) -> None:
        try:
            self._git.calls.rename(folder.fd, name, place.fd, last)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy(folder, name, place, last)
            self._git.calls.unlink(folder.fd, name)

    def _copy(self, folder: FdDir, name: bytes, place: FdDir, last: bytes) -> None:
        """The file once more, in another directory, under a name that is free."""
        found = folder.lstat(name)
        if stat.S_ISLNK(found.st_mode):
            self._git.calls.symlink(folder.readlink(name), place.fd, last)
            return
        data = read_in(folder, name)
        if data is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", text(name))
        fd = self._git.calls.create(place.fd, last, stat.S_IMODE(found.st_mode) | 0o600)
        try:
            self._git.fill(fd, data)
            self._git.calls.fsync(fd)
        finally:
            os.close(fd)

    def _is(self, place: FdDir, name: bytes, found: os.stat_result, change: FileChange) -> bool:
        """Whether a file that was moved aside is the one of the plan: by its status, if that is old enough, or
        bytes."""
        before, seen = change.before, change.stat
        assert before is not None
        if seen is not None and self._now - seen.st_mtime_ns > _SETTLED:
            same = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode)
            if same == (seen.st_dev, seen.st_ino, seen.st_mtime_ns, seen.st_size, seen.st_mode):
                return True
        return content_in(place, name, self._hash_name) == before

    def _moved(self, path: bytes) -> Conflict:
        return Conflict(f"'{text(path)}' was changed by somebody else meanwhile", path=text(path))

    # --- into place -------------------------------------------------------------------------------------------------

    def put(self, number: int, change: FileChange, data: bytes) -> os.stat_result:
        """A file with these bytes at its path; its status. Raises Conflict where something is in the way."""
        assert change.after is not None
        draft = self._scratch + b"/new-%d" % number
        place, name = self._git.split(draft)
        assert place is not None
        if change.after.mode == SYMLINK:
            self._git.calls.symlink(data, place.fd, name)
        else:
            self._git.new_file(draft, data, 0o777 if change.after.mode == 0o100755 else 0o666)
        folder, last = self._tree.split(change.path, make=True)
        assert folder is not None
        try:
            self._link(place, name, folder, last)
        except FileExistsError:
            raise Conflict(f"'{text(change.path)}' is in the way", path=text(change.path)) from None
        finally:
            self._git.calls.unlink(place.fd, name)
        return folder.lstat(last)

    def _link(self, place: FdDir, name: bytes, folder: FdDir, last: bytes) -> None:
        try:
            self._git.calls.link(place.fd, name, folder.fd, last)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK):
                raise
            beside = b".gitglass-%d-" % os.getpid() + last[:200]
            self._copy(place, name, folder, beside)
            try:
                self._git.calls.link(folder.fd, beside, folder.fd, last)
            finally:
                self._git.calls.unlink(folder.fd, beside)

    def put_back(self, number: int, path: bytes) -> bool:
        """The file that was moved aside at its place again; False where something has taken its name: then it stays
        where it is kept."""
        place, name = self._git.split(self.kept(number))
        folder, last = self._tree.split(path, make=True)
        assert place is not None and folder is not None
        try:
            self._link(place, name, folder, last)
        except FileExistsError:
            return False
        except FileNotFoundError:
            return False
        self._git.calls.unlink(place.fd, name)
        return True

    def remove_new(self, path: bytes, after: Content) -> bool:
        """Take away a file that the operation put there, if it still is that file."""
        folder, name = self._tree.split(path)
        if folder is None or content_in(folder, name, self._hash_name) != after:
            return False
        self._tree.remove(path)
        return True

    def look(self, path: bytes) -> Content | None:
        """What stands at a path now."""
        folder, name = self._tree.split(path)
        return None if folder is None else content_in(folder, name, self._hash_name)


def content_in(folder: FdDir, name: bytes, hash_name: str) -> Content | None:
    """A file of an open directory as a plan names it; None where there is none, mode 0 for what git keeps nothing
    of."""
    try:
        found = folder.lstat(name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(found.st_mode):
        return Content(SYMLINK, object_name(b"blob", folder.readlink(name), hash_name))
    if not stat.S_ISREG(found.st_mode):
        return Content(0, b"")
    data = read_in(folder, name)
    return None if data is None else Content(file_mode(found), object_name(b"blob", data, hash_name))
