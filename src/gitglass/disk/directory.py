"""An open directory: what is in it is reached relative to it, and the last component is never followed.

The jail starts from these, and the work tree is looked at through them. Where the platform has no `dir_fd` the same is
done by resolved path: look, open, and compare what was opened.
"""

import errno
import os
import stat
from collections.abc import Callable, Collection, Sequence

from ..errors import Corrupt, SandboxViolation, text
from ..limits import Uncollected
from .view import failed

READ = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = READ | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW
_ANCHOR = _DIRECTORY | getattr(os, "O_PATH", 0)
_HAS_DIR_FD = {os.open, os.stat, os.readlink} <= os.supports_dir_fd and os.scandir in os.supports_fd and bool(_NOFOLLOW)

# What counts as "there is no such file": missing parts, files used as directories, names no file system could hold.
ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL, errno.ENXIO})


class FdDir:
    """An open directory; everything in it is reached relative to its descriptor, last component never followed."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    def top(cls, path: bytes, follow: bool) -> "FdDir":
        """A directory by its path; a link in its place is opened only with `follow`."""
        return cls(os.open(path, _ANCHOR & ~_NOFOLLOW if follow else _ANCHOR))

    def identity(self) -> "Identity":
        """Which directory this is."""
        status = os.fstat(self.fd)
        return status.st_dev, status.st_ino

    def child(self, name: bytes) -> "FdDir":
        return FdDir(os.open(name, _ANCHOR, dir_fd=self.fd))

    def open(self, name: bytes) -> int:
        return os.open(name, READ | _NOFOLLOW, dir_fd=self.fd)

    def lstat(self, name: bytes) -> os.stat_result:
        return os.stat(name, dir_fd=self.fd, follow_symlinks=False)

    def readlink(self, name: bytes) -> bytes:
        return os.readlink(name, dir_fd=self.fd)

    def entries(self, expected: Collection[bytes] = ()) -> list[tuple[bytes, str]]:
        """(name, kind) of what is in it; of the names that are `expected`, directories alone."""
        fd = os.open(b".", _DIRECTORY, dir_fd=self.fd)
        try:
            with os.scandir(fd) as entries:
                listed = list(entries)
        finally:
            os.close(fd)
        if not listed:
            return []
        names = os.fsencode("\0".join([entry.name for entry in listed])).split(b"\0")
        return [
            (name, kind_of(entry))
            for name, entry in zip(names, listed)
            if name not in expected or entry.is_dir(follow_symlinks=False)
        ]

    def names(self) -> list[bytes]:
        """The names alone: a third of the price of `entries`."""
        fd = os.open(b".", _DIRECTORY, dir_fd=self.fd)
        try:
            listed = os.listdir(fd)
        finally:
            os.close(fd)
        return os.fsencode("\0".join(listed)).split(b"\0") if listed else []

    def lstats(self, names: list[bytes]) -> list[os.stat_result | None]:
        """Status of many names; None for those that are missing."""
        look, fd = os.stat, self.fd
        try:
            return [look(name, dir_fd=fd, follow_symlinks=False) for name in names]
        except (OSError, ValueError):
            pass  # once more, one by one
        statuses: list[os.stat_result | None] = []
        add = statuses.append
        for name in names:
            try:
                add(look(name, dir_fd=fd, follow_symlinks=False))
            except OSError as error:
                if error.errno not in ABSENT:
                    raise failed(error, name) from None
                add(None)
            except ValueError:
                add(None)
        return statuses

    def unlike(
        self, names: list[bytes], wanted: list[tuple[int, ...]], pick: Callable[[os.stat_result], tuple[int, ...]]
    ) -> list[tuple[int, tuple[int, ...] | None]]:
        """(position, its present status) of the names whose status, cut down by `pick`, is not the one wanted.

        The hot loop of `status`: nothing but the system call, the cut, and one comparison of lists.
        """
        look, fd = os.lstat, self.fd
        statuses: Sequence[tuple[int, ...] | None]
        try:
            with Uncollected(len(names)):
                statuses = [pick(look(name, dir_fd=fd)) for name in names]
        except (OSError, ValueError):
            statuses = [None if status is None else pick(status) for status in self.lstats(names)]
        return _differing(statuses, wanted)

    def stamp(self) -> "DirStamp | None":
        """What changes whenever a name comes or goes; None where there is no such thing."""
        status = os.fstat(self.fd)
        return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_nlink

    def gone(self) -> bool:
        """Whether the directory was deleted while we held it (another may stand in its place)."""
        return os.fstat(self.fd).st_nlink == 0

    def __del__(self, _close: Callable[[int], None] = os.close) -> None:
        fd, self.fd = self.fd, -1
        if fd >= 0:
            _close(fd)


class PathDir:
    """The same by resolved path, where the platform has no `dir_fd`: look, open, and compare what was opened."""

    __slots__ = ("path",)

    def __init__(self, path: bytes) -> None:
        self.path = path

    @classmethod
    def top(cls, path: bytes, follow: bool) -> "PathDir":
        if not stat.S_ISDIR(os.stat(path, follow_symlinks=follow).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a directory", path)
        return cls(path)

    def identity(self) -> "Identity":
        status = os.lstat(self.path)
        return status.st_dev, status.st_ino

    def _join(self, name: bytes) -> bytes:
        return self.path + name if self.path.endswith(b"/") else self.path + b"/" + name

    def child(self, name: bytes) -> "PathDir":
        path = self._join(name)
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a directory", path)
        return PathDir(path)

    def open(self, name: bytes) -> int:
        path = self._join(name)
        before = os.lstat(path)
        if stat.S_ISLNK(before.st_mode):
            raise OSError(errno.ELOOP, "a symbolic link", path)
        if not (stat.S_ISREG(before.st_mode) or stat.S_ISDIR(before.st_mode)):
            raise Corrupt(f"'{text(path)}' is not a regular file")
        fd = os.open(path, READ)
        after = os.fstat(fd)
        if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino):
            os.close(fd)
            raise SandboxViolation(f"'{text(path)}' was replaced while it was opened")
        return fd

    def lstat(self, name: bytes) -> os.stat_result:
        return os.lstat(self._join(name))

    def readlink(self, name: bytes) -> bytes:
        return os.readlink(self._join(name))

    def names(self) -> list[bytes]:
        return os.listdir(self.path)

    def entries(self, expected: Collection[bytes] = ()) -> list[tuple[bytes, str]]:
        with os.scandir(self.path) as entries:
            members = [(entry.name, kind_of(entry)) for entry in entries]
        return [(name, kind) for name, kind in members if kind == "d" or name not in expected]

    def lstats(self, names: list[bytes]) -> list[os.stat_result | None]:
        statuses: list[os.stat_result | None] = []
        for name in names:
            try:
                statuses.append(self.lstat(name))
            except (OSError, ValueError):
                statuses.append(None)
        return statuses

    def unlike(
        self, names: list[bytes], wanted: list[tuple[int, ...]], pick: Callable[[os.stat_result], tuple[int, ...]]
    ) -> list[tuple[int, tuple[int, ...] | None]]:
        return _differing([None if status is None else pick(status) for status in self.lstats(names)], wanted)

    def stamp(self) -> "DirStamp | None":
        return None

    def gone(self) -> bool:
        return False


Directory = FdDir | PathDir
DirStamp = tuple[int, int, int, int, int, int]
Identity = tuple[int, int]  # device and inode
open_top: Callable[[bytes, bool], Directory] = FdDir.top if _HAS_DIR_FD else PathDir.top


def _differing(
    statuses: Sequence[tuple[int, ...] | None], wanted: list[tuple[int, ...]]
) -> list[tuple[int, tuple[int, ...] | None]]:
    if statuses == wanted:
        return []
    return [(at, have) for at, (have, want) in enumerate(zip(statuses, wanted)) if have != want]


def kind_of(entry: "os.DirEntry[str] | os.DirEntry[bytes]") -> str:
    """'f'ile, 'd'irectory, 'l'ink or 'o'ther, from what the directory itself says (no further system call)."""
    if entry.is_file(follow_symlinks=False):
        return "f"
    if entry.is_dir(follow_symlinks=False):
        return "d"
    return "l" if entry.is_symlink() else "o"
