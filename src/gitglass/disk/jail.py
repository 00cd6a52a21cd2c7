"""The only access to the disk: every file is opened here, and never one outside the roots.

There are three implementations with one interface:

- *strict* (any root but `/`): a path is walked component by component from a directory descriptor of the root,
  `O_NOFOLLOW` at each step. A symbolic link is read and resolved by the jail itself, counted, and refused if it
  leaves the roots. The file that was checked is the one that is read: no path string is opened twice.
- *trusting* (root `/`): the reach of git itself. Nothing is outside, so the kernel resolves the path in one call.
- without `dir_fd` (Windows): the strict walk over resolved paths, each opened file compared with the checked one.

In all of them files are opened without blocking, only a regular file, verified by `fstat` after opening, is read, and
at most as many bytes as the caller allows. Files are not mapped into memory: a file that another process truncates then
ends in a short read, while a mapping would kill the process with SIGBUS. `FileView` reads big files piece by piece.

Files of a work tree are accessed through `worktree.WorkTree`, which never follows a symbolic link.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable

from ..annotations import TypeVar
from ..errors import NotFound, SandboxViolation, text
from ..limits import settled
from ..memories import BY_BYTES, Files
from .opened import (
    ABSENT,
    DEFAULT_LIMIT,
    READ,
    Directory,
    FileView,
    Identity,
    Stamp,
    failed,
    first_of,
    kind_of,
    open_top,
    open_view,
    slurp_stamped,
    stamp_of,
)
from .reach import Reach, no_links

_MAX_LINKS = 40
_UNTIDY_ENDS = (b"/", b"/.", b"/..")
MAX_DIRS = 96
MAX_PATH = 8192  # no system opens a longer path, below a directory whose path may be half of it
_POSIX = sys.platform != "win32"
_READ: Files[Stamp, bytes] = Files("small files", files=32, size=12 << 20)


# --- two reaches: how an absolute path becomes an open file ----------------------------------------------------------


class _Trusting:
    """git's own reach: the kernel resolves paths, including links."""

    __slots__ = ()
    real: tuple[bytes, ...] = ()

    def open(self, path: bytes) -> int | None:
        try:
            return os.open(path, READ)
        except OSError as error:
            if error.errno in ABSENT:
                return None
            raise failed(error, path) from None
        except ValueError:
            return None

    def stat(self, path: bytes, follow: bool) -> os.stat_result | None:
        try:
            return os.stat(path, follow_symlinks=follow)
        except OSError as error:
            if error.errno in ABSENT:
                return None
            raise failed(error, path) from None
        except ValueError:
            return None

    def readlink(self, path: bytes) -> bytes | None:
        try:
            return os.readlink(path)
        except (OSError, ValueError):
            return None

    def entries(self, path: bytes) -> list[tuple[bytes, str]]:
        try:
            with os.scandir(path) as entries:
                return [(entry.name, kind_of(entry)) for entry in entries]
        except OSError as error:
            if error.errno in ABSENT:
                return []
            raise failed(error, path) from None
        except ValueError:
            return []

    def names(self, path: bytes) -> list[bytes]:
        try:
            return os.listdir(path)
        except OSError as error:
            if error.errno in ABSENT:
                return []
            raise failed(error, path) from None
        except ValueError:
            return []

    def directory(self, path: bytes) -> Directory | None:
        try:
            return open_top(path, True)
        except OSError as error:
            if error.errno in ABSENT:
                return None
            raise failed(error, path) from None

    def resolve(self, path: bytes) -> bytes:
        """The real path. Usually the path has no link and is the real one, which is checked without splitting it."""
        if (
            not path.startswith(b"/")
            or path.endswith(_UNTIDY_ENDS)
            or b"//" in path
            or (b"/." in path and (b"/./" in path or b"/../" in path))
        ):
            return os.path.realpath(path)
        here = b""
        try:
            for name in path[1:].split(b"/"):
                here += b"/" + name
                if stat.S_ISLNK(os.lstat(here).st_mode):
                    return os.path.realpath(path)
        except (OSError, ValueError):
            return os.path.realpath(path)
        return path

    def allows(self, path: bytes) -> bool:
        return True

    def refresh(self, keep: bool = True) -> None:
        pass

    def copy(self) -> "_Trusting":
        return self

    def stands(self) -> bool:
        return True


_FOLLOWING = _Trusting()


class _Strict:
    """The walk from the roots. Directories stay open (a limited number) until `refresh`, or until they are found to be
    deleted; some are used again after that, if a check of their names shows that they still exist.

    The directory of a root (device and inode) is fixed when the jail is made, or when a missing root appears. It is
    reopened by its name, without following a link at its end, and compared: somebody with write access above it could
    replace it, or put a link on the path.
    """

    __slots__ = ("_dirs", "_earlier", "_identities", "_spelled", "real")

    def __init__(self, roots: tuple[bytes, ...]) -> None:
        self._spelled = tuple(_absolute(root) for root in roots)
        self.real = tuple(map(_FOLLOWING.resolve, self._spelled))
        self._identities: dict[bytes, Identity] = {}
        for real in self.real:
            try:
                status = os.lstat(real)
            except (OSError, ValueError):
                continue  # missing or unreadable: opening it reports that
            self._identities[real] = status.st_dev, status.st_ino
        self._dirs: dict[bytes, Directory] = {}
        self._earlier: dict[bytes, Directory] = {}

    def copy(self) -> "_Strict":
        """A reach with the same root directories, and nothing open."""
        other = _Strict.__new__(_Strict)
        other._spelled, other.real, other._identities = self._spelled, self.real, self._identities
        other.refresh(keep=False)
        return other

    def _open_root(self, real: bytes, earlier: Directory | None = None) -> Directory:
        """Open a root; OSError if it is missing, SandboxViolation if it was replaced by another directory or a link."""
        try:
            if earlier is not None and earlier.is_at(real):
                return earlier
            directory = open_top(real, False)
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK) and real in self._identities:
                raise self._replaced(real) from None
            raise
        identity = directory.identity()
        if self._identities.setdefault(real, identity) != identity:
            raise self._replaced(real)
        return directory

    @staticmethod
    def _replaced(real: bytes) -> SandboxViolation:
        return SandboxViolation(
            f"'{text(real)}' is not the directory any more that was opened",
            hint="Open the repository again.",
            path=text(real),
            replaced=True,
        )

    def stands(self) -> bool:
        """Whether every root that existed still exists, and is the same directory."""
        try:
            for real in self._identities:
                self._open_root(real)
        except (OSError, SandboxViolation):
            return False
        return True

    def refresh(self, keep: bool = True) -> None:
        self._earlier, self._dirs = first_of(self._dirs) if keep else {}, {}

    def allows(self, path: bytes) -> bool:
        """Whether a resolved path is in a root, by its text."""
        return any(path == root or path.startswith(root + b"/") for root in self.real)

    def _leads_in(self, path: bytes) -> bool:
        return any(root.startswith(path if path.endswith(b"/") else path + b"/") for root in self.real)

    def _outside(self, path: bytes) -> SandboxViolation:
        return SandboxViolation(
            f"'{text(path)}' is outside the root '{text(self._spelled[0])}'",
            hint="Only the repository that was opened, or the root given, can be read.",
            path=text(path),
        )

    def _start(self, path: bytes) -> tuple[bytes, bytes]:
        """(resolved start, the rest to walk) of an absolute path."""
        for root, real in zip(self._spelled, self.real, strict=True):
            if path == root or path.startswith(root + b"/"):
                return real, path[len(root) :]
        for real in self.real:
            if path == real or path.startswith(real + b"/"):
                return real, path[len(real) :]
        return b"/", path

    def _dir(self, real: bytes) -> Directory:
        """The open directory at a resolved path, opened from the nearest open one, or a root; else OSError."""
        names = []
        while (directory := self._dirs.get(real)) is None and real not in self.real:
            real, _, name = real.rpartition(b"/")
            names.append(name)
        if directory is None:
            directory = self._open_root(real, self._earlier.get(real))
            self._keep(real, directory)
        for name in reversed(names):
            real = real + b"/" + name
            directory = directory.child(name, self._earlier.get(real))
            self._keep(real, directory)
        return directory

    def _keep(self, real: bytes, directory: Directory) -> None:
        if len(self._dirs) >= MAX_DIRS:
            self._dirs = {}  # a new dictionary: another thread may be using the old one
        self._dirs[real] = directory

    def _walk(self, path: bytes, follow: bool) -> tuple[Directory, bytes, bytes]:
        """(directory, name in it, resolved path); links before the name are resolved, the name only with `follow`.

        OSError if a part is missing. A root is represented by the name b"." in itself.
        """
        here, rest = self._start(_absolute(path))
        pending = [part for part in reversed(rest.split(b"/")) if part and part != b"."]
        links = 0
        while pending:
            name = pending.pop()
            if name == b"..":
                here = here.rpartition(b"/")[0] or b"/"
                continue
            step = here + name if here == b"/" else here + b"/" + name
            if not self.allows(step):
                if not self._leads_in(step):
                    raise self._outside(path)
                here = step  # above a root: only text, never opened
                continue
            if step in self.real or (pending and step in self._dirs):
                here = step
                continue
            parent = self._dir(here)
            if not pending and not follow:
                return parent, name, step
            target = self._target(parent, name, step, last=not pending)
            if target is None:
                if not pending:
                    return parent, name, step
                here = step
                continue
            links += 1
            if links > _MAX_LINKS:
                raise OSError(errno.ELOOP, "too many symbolic links")
            if target.startswith(b"/"):
                here, target = self._start(target)
            pending.extend(part for part in reversed(target.split(b"/")) if part and part != b".")
        if not self.allows(here):
            raise self._outside(path)
        return self._dir(here), b".", here

    def _target(self, parent: Directory, name: bytes, step: bytes, last: bool) -> bytes | None:
        """The target of a link; None if it is no link (a directory on the path is opened and kept)."""
        if last:
            return parent.readlink(name) if stat.S_ISLNK(parent.lstat(name).st_mode) else None
        try:
            self._keep(step, parent.child(name, self._earlier.get(step)))
            return None
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                raise
            try:
                return parent.readlink(name)
            except OSError:
                raise NotADirectoryError(errno.ENOTDIR, "not a directory") from None

    def _reach(self, path: bytes, follow: bool, action: "Callable[[Directory, bytes], _T]") -> "_T | None":
        """Call `action` with (directory, name) of a path; None if missing. Deleted directories are opened again."""
        if b"\0" in path or len(path) > MAX_PATH:
            return None
        for again in (True, False):
            above, _, name = path.rpartition(b"/")
            directory = self._dirs.get(above)
            try:
                if directory is None:
                    directory = self._below(above)
                if directory is None or name in SPECIAL:
                    directory, name, _ = self._walk(path, False)
                try:
                    return action(directory, name)
                except OSError as error:
                    if not follow or error.errno not in (errno.ELOOP, errno.EMLINK):
                        raise
                directory, name, _ = self._walk(path, True)
                return action(directory, name)
            except OSError as error:
                if error.errno not in ABSENT:
                    raise failed(error, path) from None
                if not again or not self._gone(above, directory):
                    return None
                self.refresh()
        return None

    def _below(self, path: bytes) -> Directory | None:
        """The directory at a plain path below an open one, or a root; None if the path has links or dots."""
        dirs = self._dirs
        names = []
        here = path
        while (directory := dirs.get(here)) is None and here not in self.real:
            here, slash, name = here.rpartition(b"/")
            if not slash or name in SPECIAL:
                return None
            names.append(name)
        earlier = self._earlier.get
        if directory is None:
            directory = self._open_root(here, earlier(here))
            self._keep(here, directory)
        for name in reversed(names):
            here = here + b"/" + name
            try:
                directory = directory.child(name, earlier(here))
            except OSError as error:
                if error.errno == errno.ENOENT:
                    raise
                return None
            self._keep(here, directory)
        return directory

    def _gone(self, path: bytes, directory: Directory | None) -> bool:
        """After a failed lookup: whether the nearest open directory was deleted meanwhile."""
        while directory is None and path:
            directory = self._dirs.get(path)
            path = path.rpartition(b"/")[0]
        try:
            return directory is not None and directory.gone()
        except OSError:
            return True

    def open(self, path: bytes) -> int | None:
        return self._reach(path, True, lambda directory, name: directory.open(name))

    def stat(self, path: bytes, follow: bool) -> os.stat_result | None:
        def look(directory: Directory, name: bytes) -> os.stat_result:
            status = directory.lstat(name)
            if follow and stat.S_ISLNK(status.st_mode):
                raise OSError(errno.ELOOP, "a symbolic link")
            return status

        return self._reach(path, follow, look)

    def readlink(self, path: bytes) -> bytes | None:
        return self._reach(path, False, lambda directory, name: directory.readlink(name))

    def names(self, path: bytes) -> list[bytes]:
        return self._listed(path, lambda directory: directory.names())

    def entries(self, path: bytes) -> list[tuple[bytes, str]]:
        return self._listed(path, lambda directory: directory.entries())

    def _listed(self, path: bytes, action: "Callable[[Directory], list[_T]]") -> "list[_T]":
        """The entries of a directory, as `action` lists them; [] if the directory does not exist, or no longer."""
        for _ in range(2):
            directory = self.directory(path)
            if directory is None:
                return []
            try:
                return action(directory)
            except OSError as error:
                if error.errno not in ABSENT:
                    raise failed(error, path) from None
            self.refresh()  # deleted after it was opened; another one may have its path now
        return []

    def directory(self, path: bytes) -> Directory | None:
        for again in (True, False):
            directory: Directory | None = None
            try:
                directory = self._dirs.get(path) or self._below(path)
                if directory is None:  # the path has links or dots
                    directory, name, _ = self._walk(path, True)
                    directory = directory if name == b"." else directory.child(name)
                if not directory.gone():
                    return directory
            except OSError as error:
                if error.errno not in ABSENT:
                    raise failed(error, path) from None
            if not again or not self._gone(path, directory):
                return None
            self.refresh()
        return None

    def resolve(self, path: bytes) -> bytes:
        """The real path of the existing part; SandboxViolation if that is outside."""
        try:
            return self._walk(path, True)[2]
        except OSError:
            return _absolute(path)


_T = TypeVar("_T")
SPECIAL = frozenset({b"", b".", b".."})


def _absolute(path: bytes) -> bytes:
    if not path.startswith(b"/") and _POSIX:
        raise ValueError("a path for the jail must be absolute")
    return path.rstrip(b"/") or b"/"


# --- the public class -------------------------------------------------------------------------------------------------


class Jail:
    """The files that may be opened: everything below the roots; `b"/"` is git's own reach.

    Paths are absolute bytes. All methods raise `SandboxViolation` for what is outside, `PermissionDenied` for what the
    operating system refuses, `Corrupt` for a FIFO or device where a file should be, `TooLarge` beyond a limit.
    """

    __slots__ = ("_reach", "roots", "trusting")

    def __init__(self, root: bytes, *more: bytes) -> None:
        self.roots = (root, *more)
        self.trusting = b"/" in self.roots
        self._reach: Reach = _Trusting() if self.trusting else _Strict(self.roots)

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (self.roots, self.real_roots)

    def copy(self) -> "Jail":
        """A jail with the same roots, that is the same directories, for another thread."""
        other = Jail.__new__(Jail)
        other.roots, other.trusting, other._reach = self.roots, self.trusting, self._reach.copy()
        return other

    def narrowed(self, *roots: bytes) -> "Jail":
        """A jail with fewer directories."""
        return Jail(*roots)

    @property
    def real_roots(self) -> tuple[bytes, ...]:
        """The paths of the roots with all links resolved, as they were when the jail was made; none for `b"/"`."""
        return self._reach.real

    def stands(self) -> bool:
        """Whether the roots are still the directories from when the jail was made."""
        return self._reach.stands()

    def refresh(self, *, keep: bool = True) -> None:
        """Begin a new command: forget which directory has which path; without `keep`, all open ones are closed."""
        self._reach.refresh(keep)

    def allows(self, path: bytes) -> bool:
        """Whether an absolute path, after resolving links, is inside."""
        try:
            return self._reach.allows(self._reach.resolve(path))
        except SandboxViolation:
            return False

    def resolve(self, path: bytes) -> bytes:
        """The path with all links resolved (missing parts stay unchanged)."""
        return self._reach.resolve(path)

    def read(self, path: bytes, limit: int = DEFAULT_LIMIT) -> bytes:
        """The content of a regular file; `NotFound` if there is none."""
        data = self.read_optional(path, limit)
        if data is None:
            raise NotFound(f"cannot open '{text(path)}': No such file or directory", path=text(path))
        return data

    def read_optional(self, path: bytes, limit: int = DEFAULT_LIMIT) -> bytes | None:
        """The content of a regular file; None if missing, a directory, or below something that is no directory."""
        fd = self._reach.open(path)
        stamped = None if fd is None else self.slurp(fd, path, limit)
        return None if stamped is None else stamped[1]

    def slurp(self, fd: int, path: bytes, limit: int, *, large: bool = False) -> tuple[Stamp, bytes] | None:
        """(stamp, content) of a file that was opened through this jail; it is closed. `large` as in `slurp_stamped`."""
        return slurp_stamped(fd, path, limit, large=large)

    def open_view(self, fd: int, path: bytes) -> FileView | None:
        """A file that was opened through this jail, for reading in pieces."""
        return open_view(fd, path)

    def read_stamped(self, path: bytes, limit: int = DEFAULT_LIMIT, large: bool = False) -> tuple[Stamp, bytes] | None:
        """(stamp, content) of a regular file: what it holds, and what it stood there as (`stamp`; `large`: `slurp`).

        For the small files that every command reads: a file with the same stamp as before is not opened again. A file
        that was just written is always read: a further write may leave its times unchanged.
        """
        stamp = self.stamp(path)
        if stamp is None:
            return None
        content = BY_BYTES.get(_READ, path, stamp)
        if content is not None and len(content) <= limit:
            return stamp, content
        fd = self._reach.open(path)
        stamped = None if fd is None else self.slurp(fd, path, limit, large=large)
        if stamped is not None and settled(max(stamped[0][:2])):
            BY_BYTES.put(_READ, path, *stamped, len(stamped[1]))
        return stamped

    def view(self, path: bytes) -> FileView | None:
        """A regular file for reading in pieces; None as in `read_optional`."""
        fd = self._reach.open(path)
        return None if fd is None else self.open_view(fd, path)

    def lstat(self, path: bytes) -> os.stat_result | None:
        """Status of the path itself, links before the last component resolved; None if it is missing."""
        return self._reach.stat(path, False)

    def stat(self, path: bytes) -> os.stat_result | None:
        """Status of the file that the path leads to; None if it is missing."""
        return self._reach.stat(path, True)

    def stamp(self, path: bytes) -> Stamp | None:
        """The stamp that distinguishes a file from a later one at the same path; None if there is none."""
        status = self._reach.stat(path, True)
        return None if status is None else stamp_of(status)

    def exists(self, path: bytes) -> bool:
        """Whether the path leads to an existing file or directory."""
        return self._reach.stat(path, True) is not None

    def is_dir(self, path: bytes) -> bool:
        """Whether the path leads to a directory."""
        status = self._reach.stat(path, True)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def readlink(self, path: bytes) -> bytes | None:
        """The text of a symbolic link; None for anything else."""
        return self._reach.readlink(path)

    def scandir(self, path: bytes) -> list[tuple[bytes, str]]:
        """(name, kind) of the entries of a directory, in the file system's order; [] if there is none.

        Kinds: 'f' regular file, 'd' directory, 'l' symbolic link, 'o' anything else.
        """
        return self._reach.entries(path)

    def names(self, path: bytes) -> list[bytes]:
        """Only the names of the entries of a directory; [] if there is none."""
        return self._reach.names(path)

    def directory(self, path: bytes) -> Directory | None:
        """An open directory for `WorkTree`."""
        return self._reach.directory(path)


def _unpickled(roots: tuple[bytes, ...], real: tuple[bytes, ...]) -> Jail:
    no_links(real)
    return Jail(*roots)


def in_folder(path: bytes, folder: bytes) -> bool:
    """Whether an absolute path is a directory `folder` or lies below it."""
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")
