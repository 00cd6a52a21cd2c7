"""Open directories, in which everything is accessed relative to them, and open files, verified as regular.

The jail starts from directories, and the work tree is read through them; the last component of a path is never
followed. On platforms without `dir_fd` the same is done by resolved path: check, open, and compare the opened file. A
file is read completely within a limit, or in pieces. Files are not mapped into memory, so that a file which another
process truncates ends in a short read instead of SIGBUS. This module only handles descriptors; the jail resolves paths.
"""

import errno
import io
import mmap
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice

from ..annotations import cast
from ..errors import Corrupt, GitError, PermissionDenied, SandboxViolation, TooLarge, Unreadable, text
from ..limits import LARGE, MANY_OBJECTS, need, pause, uncollected

DEFAULT_LIMIT = 256 << 20
_LARGE_PAGES: int | None = getattr(mmap, "MADV_HUGEPAGE", None) if hasattr(os, "preadv") else None
_LARGE_PAGE = _WORTH_LARGE_PAGES = 2 << 20  # bytes; a table of at least one page benefits from it
_AT_ONCE = 32 << 20  # bytes of a file that one call reads: some ten milliseconds
_TIMES = ("st_atime_ns", "st_mtime_ns", "st_ctime_ns")
_LISTED = 1 << 10  # entries of a directory that are held together: the next ones take the memory of these
_MAX_EARLIER = 32  # most directories that are kept for the next command
_DENIED = frozenset({errno.EACCES, errno.EPERM})

#: time of the last write (in nanoseconds), time of the last status change, size, inode and device
Stamp = tuple[int, int, int, int, int]

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
_IS_PATH_ONLY = _ANCHOR != _DIRECTORY  # such a descriptor does not permit reading the directory
_HAS_DIR_FD = {os.open, os.stat, os.readlink} <= os.supports_dir_fd and os.scandir in os.supports_fd and bool(_NOFOLLOW)

# Errors that mean "there is no such file": missing parts, files used as directories, names that no file system allows.
ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL, errno.ENXIO})


def failed(error: OSError, path: bytes) -> GitError:
    """An operating system's error as a `GitError` that names the path."""
    words = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in _DENIED:
        return PermissionDenied(f"cannot open '{text(path)}': {words}", path=text(path))
    return Unreadable(f"cannot open '{text(path)}': {words}", path=text(path))


def _seek(fd: int, length: int, offset: int) -> bytes:
    """A replacement for `os.pread` on systems without it (Windows)."""
    os.lseek(fd, offset, os.SEEK_SET)
    return os.read(fd, length)


_pread = getattr(os, "pread", _seek)


class FileView:
    """A regular file read in pieces, never mapped; closed when garbage-collected. Thread-safe (with `pread`)."""

    __slots__ = ("_fd", "path", "size", "stat")

    def __init__(self, fd: int, path: bytes, status: os.stat_result) -> None:
        self._fd = fd
        self.path = path
        self.stat = status
        self.size = status.st_size

    @property
    def stamp(self) -> "Stamp | None":
        """The stamp that distinguishes the file from a later one at its path; None if there is no file."""
        return stamp_of(self.stat)

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` to `end`, one megabyte at a time, with a look at the clock before each."""
        while start < end:
            pause()
            data = self.read(start, min(LARGE, end - start))
            if not data:
                return
            yield data
            start += len(data)

    def read(self, offset: int, length: int) -> bytes:
        """The bytes at `offset`; fewer than `length` only at the end of the file."""
        if length > LARGE:
            return self._read_long(offset, length)
        try:
            data: bytes = _pread(self._fd, length, offset)
            if len(data) == length or not data:
                return data
            parts = [data]
            have = len(data)
            while have < length:
                data = _pread(self._fd, length - have, offset + have)
                if not data:
                    break
                parts.append(data)
                have += len(data)
            return b"".join(parts)
        except OSError as error:
            raise Corrupt(f"cannot read '{text(self.path)}': {os.strerror(error.errno or 0)}") from None

    def _read_long(self, offset: int, length: int) -> bytes:
        """The same for many bytes, in steps, because a claimed length alone is no reason to allocate memory. There are
        few steps: each needs new memory, which takes longer to allocate than to fill."""
        length = max(min(length, self.size - offset), 0)
        need(length)
        parts: list[bytes] = []
        while length:
            pause()
            data: bytes = self._read_some(offset, min(length, _AT_ONCE))
            if not data:
                break
            parts.append(data)
            offset += len(data)
            length -= len(data)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read_some(self, offset: int, length: int) -> bytes:
        try:
            data: bytes = _pread(self._fd, length, offset)
        except OSError as error:
            raise Corrupt(f"cannot read '{text(self.path)}': {os.strerror(error.errno or 0)}") from None
        return data

    def read_into(self, room: memoryview, offset: int) -> int:
        """Fill the room with the bytes at `offset`, in steps; how many there were."""
        try:
            return _fill(room, self._fd, offset)
        except OSError as error:
            raise Corrupt(f"cannot read '{text(self.path)}': {os.strerror(error.errno or 0)}") from None

    def __del__(self, _close: Callable[[int], None] = os.close) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            _close(fd)


def _fill(room: memoryview, fd: int, offset: int) -> int:
    """Fill the room with the bytes of a file at `offset`, in steps; how many there were."""
    have = 0
    while have < len(room):
        count = os.preadv(fd, [room[have : have + LARGE]], offset + have)
        if not count:
            break
        have += count
        pause()
    return have


class LoadedView(FileView):
    """A small file read completely and closed: for files so numerous that descriptors would run out."""

    __slots__ = ("_data",)

    def __init__(self, view: FileView) -> None:
        super().__init__(-1, view.path, view.stat)
        self._data = view.read(0, view.size)
        self.size = len(self._data)

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


class BytesView(FileView):
    """Bytes in memory, for use in place of a file."""

    __slots__ = ("_data",)

    def __init__(self, data: bytes, path: bytes = b"") -> None:
        super().__init__(-1, path, status_of(len(data)))
        self._data = data

    @property
    def stamp(self) -> None:
        """None: it is no file."""

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


def status_of(size: int, mode: int = stat.S_IFREG | 0o444) -> os.stat_result:
    """A status for something that is no file of this system: its size and type, and zeros."""
    return os.stat_result((mode, 0, 0, 1, 0, 0, size, 0, 0, 0), dict.fromkeys(_TIMES, 0))


def read_table(parts: list[tuple[FileView, int, int]]) -> bytes | memoryview:
    """Stretches (file, offset, length) joined, for a table with random access: in large pages of memory if the system
    has them. That makes reading it three times as fast and each access twice as fast: no page of four kilobytes has to
    be made, and found, for every access.
    """
    size = sum(length for _, _, length in parts)
    if _LARGE_PAGES is None or size < _WORTH_LARGE_PAGES:
        return b"".join([view.read(offset, length) for view, offset, length in parts])
    need(size)
    table = memoryview(_large_pages(size))[:size]
    have = 0
    for view, offset, length in parts:
        have += view.read_into(table[have : have + length], offset)
    return table[:have]


class LargeBytes(mmap.mmap):
    """The content of a file in large pages of memory, where fresh memory for it as `bytes` takes five times as long to
    be had: for who cuts `bytes` out of it and searches it, and never writes. Equal contents are equal."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, (bytes, LargeBytes)) or len(self) != len(other):
            return False
        return all(self[at : at + LARGE] == other[at : at + LARGE] for at in range(0, len(self), LARGE))


def _large_pages(size: int) -> LargeBytes:
    """Room for so many bytes; it is as long as whole large pages, as what does not fill one gets small ones."""
    whole = -(-size // _LARGE_PAGE) * _LARGE_PAGE
    room = LargeBytes(-1, whole, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # anonymous memory: files are never mapped
    try:
        if _LARGE_PAGES is not None:
            room.madvise(_LARGE_PAGES)
    except OSError:
        pass  # a kernel without them
    return room


def _in_large_pages(fd: int, size: int) -> LargeBytes | None:
    """An open file of so many bytes; None if it is not as long any more, or there is nothing to be gained."""
    if _LARGE_PAGES is None or size < _WORTH_LARGE_PAGES:
        return None
    room = _large_pages(size)
    with memoryview(room) as view:
        if _fill(view[:size], fd, 0) != size or _pread(fd, 1, size):
            return None
    try:
        room.resize(size)
    except (OSError, SystemError):
        return None  # a system that cannot
    return room


#: /dev/null, which is named to have no configuration (GIT_CONFIG_GLOBAL), attributes or mailmap: read as empty
_NULL_DEVICE = os.makedev(3, 2) if sys.platform == "darwin" else os.makedev(1, 3)


def open_view(fd: int, path: bytes) -> FileView | None:
    """The open file as a view; None for a directory, `Corrupt` for anything else that is no regular file."""
    try:
        status = os.fstat(fd)
        if stat.S_ISREG(status.st_mode):
            view = FileView(fd, path, status)
            fd = -1
            return view
        if stat.S_ISDIR(status.st_mode):
            return None
        raise Corrupt(f"'{text(path)}' is not a regular file", path=text(path))
    finally:
        if fd >= 0:
            os.close(fd)


def slurp(fd: int, path: bytes, limit: int) -> bytes | None:
    """The content of an open regular file, at most `limit` bytes; closes it. None for a directory."""
    stamped = slurp_stamped(fd, path, limit)
    return None if stamped is None else stamped[1]


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp that distinguishes a file from a later one at the same path."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev


def slurp_stamped(fd: int, path: bytes, limit: int, *, large: bool = False) -> tuple[Stamp, bytes] | None:
    """(stamp, content) of an open regular file; closes it. The size in its status is only a first guess.

    `large`: the caller does nothing with the content but what `LargeBytes` can do; a large file is read into these.

    The stamp is taken before the content: a change in between is then seen later.
    """
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            if stat.S_ISDIR(status.st_mode):
                return None
            if stat.S_ISCHR(status.st_mode) and status.st_rdev == _NULL_DEVICE:
                return stamp_of(status), b""
            raise Corrupt(f"'{text(path)}' is not a regular file", path=text(path))
        size = status.st_size
        if size > limit:
            raise TooLarge(f"'{text(path)}' is too large: {size} bytes", path=text(path), size=size, limit=limit)
        need(size)
        pages = _in_large_pages(fd, size) if large else None
        if pages is not None:
            return stamp_of(status), cast(bytes, pages)
        data = os.read(fd, min(size, _AT_ONCE) + 1)
        if len(data) == size:
            return stamp_of(status), data
        out = io.BytesIO()
        while data:
            out.write(data)
            if out.tell() > limit:
                raise TooLarge(f"'{text(path)}' is too large", path=text(path), limit=limit)
            pause()
            data = os.read(fd, LARGE)
        return stamp_of(status), out.getvalue()
    except OSError as error:
        raise failed(error, path) from None
    finally:
        os.close(fd)


def _cut_down(
    names: list[bytes], fd: int, pick: Callable[[os.stat_result], tuple[int, ...]]
) -> list[tuple[int, ...] | None]:
    look = os.lstat
    return [pick(look(name, dir_fd=fd)) for name in names]


class FdDir:
    """An open directory; everything in it is accessed relative to its descriptor, and the last component is never
    followed."""

    __slots__ = ("_identity", "fd")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._identity: Identity | None = None

    @classmethod
    def top(cls, path: bytes, follow: bool) -> "FdDir":
        """A directory by its path; a link is only followed with `follow`."""
        return cls(os.open(path, _ANCHOR & ~_NOFOLLOW if follow else _ANCHOR))

    def identity(self) -> "Identity":
        """The device and inode of the directory."""
        identity = self._identity
        if identity is None:
            status = os.fstat(self.fd)
            identity = self._identity = status.st_dev, status.st_ino
        return identity

    def child(self, name: bytes, earlier: "Directory | None" = None) -> "FdDir":
        """The directory of that name: the `earlier` object again, if the name still refers to it."""
        if isinstance(earlier, FdDir) and earlier.is_at(name, self.fd):
            return earlier
        return FdDir(os.open(name, _ANCHOR, dir_fd=self.fd))

    def is_at(self, name: bytes, above: int | None = None) -> bool:
        """Whether a name, in the directory of the descriptor `above`, refers to this directory; raises the OSError that
        opening it would. A descriptor that includes the right to read is never used again."""
        if not _IS_PATH_ONLY:
            return False
        status = os.stat(name, dir_fd=above, follow_symlinks=False)
        return (status.st_dev, status.st_ino) == self.identity()

    def open(self, name: bytes) -> int:
        return os.open(name, READ | _NOFOLLOW, dir_fd=self.fd)

    def lstat(self, name: bytes) -> os.stat_result:
        return os.stat(name, dir_fd=self.fd, follow_symlinks=False)

    def readlink(self, name: bytes) -> bytes:
        return os.readlink(name, dir_fd=self.fd)

    def entries(self, expected: Collection[bytes] = ()) -> list[tuple[bytes, str]]:
        """(name, kind) of its entries; of the `expected` names, only directories."""
        chosen: list[tuple[bytes, str]] = []
        fd = os.open(b".", _DIRECTORY, dir_fd=self.fd)
        try:
            with os.scandir(fd) as entries:
                while listed := list(islice(entries, _LISTED)):
                    names = os.fsencode("\0".join([entry.name for entry in listed])).split(b"\0")
                    chosen += [
                        (name, kind_of(entry))
                        for name, entry in zip(names, listed)
                        if name not in expected or entry.is_dir(follow_symlinks=False)
                    ]
        finally:
            os.close(fd)
        return chosen

    def names(self) -> list[bytes]:
        """Only the names: takes a third of the time of `entries`."""
        fd = os.open(b".", _DIRECTORY, dir_fd=self.fd)
        try:
            listed = os.listdir(fd)
        finally:
            os.close(fd)
        return os.fsencode("\0".join(listed)).split(b"\0") if listed else []

    def lstats(self, names: list[bytes]) -> list[os.stat_result | None]:
        """Status of many names; None for missing ones."""
        look, fd = os.stat, self.fd
        try:
            return [look(name, dir_fd=fd, follow_symlinks=False) for name in names]
        except (OSError, ValueError):
            pass  # again, one by one
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
        """(position, current status) of the names whose status, reduced by `pick`, differs from the wanted one.

        The hot loop of `status`: only the system call, the reduction, and one comparison of lists.
        """
        return differing(self.picked(names, pick), wanted)

    def picked(
        self, names: list[bytes], pick: Callable[[os.stat_result], tuple[int, ...]]
    ) -> Sequence[tuple[int, ...] | None]:
        """The status of each name, reduced by `pick`; None for missing ones."""
        try:
            if len(names) < MANY_OBJECTS:
                return _cut_down(names, self.fd, pick)
            with uncollected(len(names)):
                return _cut_down(names, self.fd, pick)
        except (OSError, ValueError):
            return [None if status is None else pick(status) for status in FdDir.lstats(self, names)]

    def stamp(self) -> "DirStamp | None":
        """A stamp that changes whenever a name is added or removed; None if there is no such stamp."""
        status = os.fstat(self.fd)
        return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_nlink

    def gone(self) -> bool:
        """Whether the directory was deleted while it was open (another may have its path now)."""
        return os.fstat(self.fd).st_nlink == 0

    def __del__(self, _close: Callable[[int], None] = os.close) -> None:
        fd, self.fd = self.fd, -1
        if fd >= 0:
            _close(fd)


class PathDir:
    """The same by resolved path, for platforms without `dir_fd`: check, open, and compare the opened file."""

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

    def is_at(self, name: bytes, above: int | None = None) -> bool:
        return False

    def child(self, name: bytes, earlier: "Directory | None" = None) -> "PathDir":
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
        return differing([None if status is None else pick(status) for status in self.lstats(names)], wanted)

    def stamp(self) -> "DirStamp | None":
        return None

    def gone(self) -> bool:
        return False


Directory = FdDir | PathDir
DirStamp = tuple[int, int, int, int, int, int]
Identity = tuple[int, int]  # device and inode
open_top: Callable[[bytes, bool], Directory] = FdDir.top if _HAS_DIR_FD else PathDir.top


def first_of(dirs: Mapping[bytes, Directory | None]) -> dict[bytes, Directory]:
    """The open directories of a command that are kept for the next one: the first ones, which are at the top of the
    tree."""
    return {path: directory for path, directory in islice(dirs.items(), _MAX_EARLIER) if directory is not None}


def differing(
    statuses: Sequence[tuple[int, ...] | None], wanted: list[tuple[int, ...]]
) -> list[tuple[int, tuple[int, ...] | None]]:
    """(position, status) of the reduced statuses that are not the wanted ones."""
    if statuses == wanted:
        return []
    return [(at, have) for at, (have, want) in enumerate(zip(statuses, wanted)) if have != want]


def kind_of(entry: "os.DirEntry[str] | os.DirEntry[bytes]") -> str:
    """'f'ile, 'd'irectory, 'l'ink or 'o'ther, from the directory entry itself (without a further system call)."""
    if entry.is_file(follow_symlinks=False):
        return "f"
    if entry.is_dir(follow_symlinks=False):
        return "d"
    return "l" if entry.is_symlink() else "o"
