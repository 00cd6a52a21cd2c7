"""The files of a work tree, accessed through the jail by paths relative to the tree's top, without following links."""

import errno
import os
from collections.abc import Callable, Collection

from ..errors import NotFound, text
from .jail import MAX_DIRS, MAX_PATH, SPECIAL, Jail
from .opened import ABSENT, DEFAULT_LIMIT, Directory, FileView, failed, first_of


class WorkTree:
    """The files of a work tree: paths relative to its top, and no symbolic link below the top is ever followed.

    A path below a link, or below anything that is not a directory, does not exist here. Open directories are kept (a
    limited number) until `refresh`.
    """

    __slots__ = ("_dirs", "_earlier", "_jail", "top")

    def __init__(self, jail: Jail, top: bytes) -> None:
        self._jail = jail
        self.top = top
        self._dirs: dict[bytes, Directory | None] = {}
        self._earlier: dict[bytes, Directory] = {}

    def refresh(self) -> None:
        """Begin a new command: forget which directory has which path. The first ones are used again if they still
        exist."""
        self._earlier, self._dirs = first_of(self._dirs), {}

    def _dir(self, path: bytes) -> Directory | None:
        """The directory at a path (b"" is the top), each component a real directory; None if there is none."""
        dirs = self._dirs
        if path in dirs:
            return dirs[path]
        if path[:1] == b"/" or len(path) > MAX_PATH:  # an index may have such names: they are no files of this tree
            return None
        above, _, name = path.rpartition(b"/")
        if path and above in dirs:  # the usual case: directories are requested in order
            return self._child(dirs[above], name, path)
        names = []
        while path and path not in dirs:
            path, _, name = path.rpartition(b"/")
            names.append(name)
        if path in dirs:
            here = dirs[path]
        else:
            here = dirs[path] = self._jail.directory(self.top)
        for name in reversed(names):
            path = path + b"/" + name if path else name
            here = self._child(here, name, path)
        return here

    def directory(self, path: bytes) -> Directory | None:
        """The open directory at a path; None if there is none. For callers that access many of its entries."""
        return self._dir(path)

    def _child(self, parent: Directory | None, name: bytes, path: bytes) -> Directory | None:
        """The directory one level down; it is remembered."""
        child: Directory | None = None
        if parent is not None and name not in SPECIAL and b"\0" not in name:
            try:
                child = parent.child(name, self._earlier.get(path))
            except OSError as error:
                if error.errno not in ABSENT:
                    raise failed(error, path) from None
        if len(self._dirs) >= MAX_DIRS:
            self._dirs = {}
        self._dirs[path] = child
        return child

    def _split(self, path: bytes) -> tuple[Directory | None, bytes]:
        above, _, name = path.rpartition(b"/")
        if name in SPECIAL or b"\0" in name or path[:1] == b"/":
            return None, name
        return self._dir(above), name

    def lstat(self, path: bytes) -> os.stat_result | None:
        """Status of a file, link or directory itself; None if there is none."""
        directory, name = self._split(path)
        if directory is None:
            return self._top_status() if not path else None
        try:
            return directory.lstat(name)
        except OSError as error:
            if error.errno in ABSENT:
                return None
            raise failed(error, path) from None

    def _top_status(self) -> os.stat_result | None:
        return self._jail.stat(self.top)

    def lstats(self, path: bytes, names: list[bytes]) -> list[os.stat_result | None]:
        """`lstat` of many names in one directory (b"" is the top): one open, then a cheap call for each."""
        directory = self._dir(path)
        if directory is None:
            return [None] * len(names)
        return directory.lstats(names)

    def scandir(self, path: bytes, expected: Collection[bytes] = ()) -> list[tuple[bytes, str]]:
        """(name, kind) of the entries of a directory, of `expected` names only directories; [] if there is none.
        `PermissionDenied` if it cannot be read."""
        directory = self._dir(path)
        if directory is None:
            return []
        try:
            return directory.entries(expected)
        except OSError as error:
            if error.errno in ABSENT:
                return []
            raise failed(error, path) from None

    def names(self, path: bytes) -> list[bytes] | None:
        """Only the names in a directory; None if there is no directory."""
        directory = self._dir(path)
        if directory is None:
            return None
        try:
            return directory.names()
        except OSError as error:
            if error.errno in ABSENT:
                return None
            raise failed(error, path) from None

    def readlink(self, path: bytes) -> bytes | None:
        """The text of a symbolic link; None for anything else."""
        directory, name = self._split(path)
        try:
            return None if directory is None else directory.readlink(name)
        except OSError:
            return None

    def read(self, path: bytes, limit: int = DEFAULT_LIMIT) -> bytes:
        """The content of a regular file; `NotFound` if there is none."""
        data = self.read_optional(path, limit)
        if data is None:
            raise NotFound(f"cannot open '{text(path)}': No such file or directory", path=text(path))
        return data

    def read_optional(self, path: bytes, limit: int = DEFAULT_LIMIT) -> bytes | None:
        """The content of a regular file; None if it is missing, a link or a directory."""
        fd = self._open(path)
        return None if fd is None else self._content(fd, path, limit)

    def _content(self, fd: int, path: bytes, limit: int) -> bytes | None:
        stamped = self._jail.slurp(fd, path, limit)
        return None if stamped is None else stamped[1]

    def read_rules(self, path: bytes, limit: int, refused: Callable[[str], None]) -> bytes | None:
        """A file of rules for git, such as `.gitignore`. A file that git does not open counts as missing, and git's
        reason is passed to `refused`: symbolic links are not followed for these files, wherever they lead.
        """
        directory, name = self._split(path)
        if directory is None:
            return None
        try:
            fd = directory.open(name)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                refused(os.strerror(errno.ELOOP if error.errno == errno.EMLINK else error.errno or 0))
            return None
        return self._content(fd, path, limit)

    def view(self, path: bytes) -> FileView | None:
        """A regular file for reading in pieces; None as in `read_optional`."""
        fd = self._open(path)
        return None if fd is None else self._jail.open_view(fd, path)

    def _open(self, path: bytes) -> int | None:
        directory, name = self._split(path)
        if directory is None:
            return None
        try:
            return directory.open(name)
        except OSError as error:
            if error.errno in ABSENT or error.errno == errno.EMLINK:
                return None
            raise failed(error, path) from None
