"""The git directory of a repository that has none on disk: the few files besides objects and refs.

Their content comes from a dulwich repository (`get_config`, `get_shallow`, `get_named_file`). The class has the methods
of a jail, so that the usual code reads configuration, attributes, grafts and the shallow boundary. No other file
exists: whichever path is read, no file of the system is opened.
"""

from __future__ import annotations

import io
import os
import stat
from threading import RLock
from typing import TYPE_CHECKING, Any

from ..disk.jail import Jail
from ..disk.opened import DEFAULT_LIMIT, BytesView, Directory, FileView, Stamp, status_of
from ..errors import NotFound, text
from ..limits import Limits
from .errors import from_dulwich

if TYPE_CHECKING:
    from dulwich.repo import BaseRepo

#: the path of the git directory that commands print
GIT_DIR = b"/dulwich.git"
_NAMED = (b"info/attributes", b"info/exclude", b"info/grafts")
_DIRECTORIES = frozenset({b"/", GIT_DIR, GIT_DIR + b"/info", GIT_DIR + b"/objects", GIT_DIR + b"/refs"})
_FILES = (b"config", b"shallow", *_NAMED)


class NamedFiles(Jail):
    """The files of a dulwich repository's control directory, by paths below `GIT_DIR`; read again after `refresh`."""

    __slots__ = ("_lock", "_read", "_repo")

    def __init__(self, repo: BaseRepo | None, *, lock: RLock) -> None:
        self.roots = (GIT_DIR,)
        self.trusting = False
        self._repo, self._lock = repo, lock
        self._read: dict[bytes, bytes | None] = {}

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a repository that dulwich holds in this process cannot be pickled")

    def copy(self) -> NamedFiles:
        """The same files, for another thread."""
        return NamedFiles(self._repo, lock=self._lock)

    def refresh(self, *, keep: bool = True) -> None:
        """Read the files again from now on: a new command begins."""
        self._read = {}

    def _file(self, path: bytes) -> bytes | None:
        name = path[len(GIT_DIR) + 1 :] if path.startswith(GIT_DIR + b"/") else b""
        if name not in _FILES or self._repo is None:
            return None
        if name not in self._read:
            with self._lock, from_dulwich(text(name)):
                self._read[name] = self._content(self._repo, name)
        return self._read[name]

    def _content(self, repo: BaseRepo, name: bytes) -> bytes | None:
        if name == b"config":
            out = io.BytesIO()
            try:
                repo.get_config().write_to_file(out)
            except NotImplementedError:  # a repository without a configuration: dulwich's base class
                return None
            return out.getvalue()
        if name == b"shallow":
            try:
                return b"".join(oid + b"\n" for oid in sorted(repo.get_shallow())) or None
            except NotImplementedError:
                return None
        try:
            file: Any = repo.get_named_file(name.decode("ascii"))
        except NotImplementedError:
            return None
        if file is None:
            return None
        with file:
            content: bytes = file.read(Limits().max_object_bytes)
            return content

    @property
    def real_roots(self) -> tuple[bytes, ...]:
        return ()

    def stands(self) -> bool:
        return True

    def allows(self, path: bytes) -> bool:
        return path == GIT_DIR or path.startswith(GIT_DIR + b"/")

    def resolve(self, path: bytes) -> bytes:
        return os.path.normpath(path)

    def read(self, path: bytes, limit: int = DEFAULT_LIMIT) -> bytes:
        data = self._file(path)
        if data is None:
            raise NotFound(f"cannot open '{text(path)}': No such file or directory", path=text(path))
        return data

    def read_optional(self, path: bytes, limit: int = DEFAULT_LIMIT) -> bytes | None:
        return self._file(path)

    def mmap(self, path: bytes, limit: int = DEFAULT_LIMIT) -> bytes | None:
        return self._file(path)

    def read_stamped(self, path: bytes, limit: int = DEFAULT_LIMIT, large: bool = False) -> tuple[Stamp, bytes] | None:
        data = self._file(path)
        return None if data is None else (_stamp(data), data)

    def view(self, path: bytes) -> FileView | None:
        data = self._file(path)
        return None if data is None else BytesView(data, path)

    def stat(self, path: bytes) -> os.stat_result | None:
        if path.rstrip(b"/") in _DIRECTORIES:
            return status_of(0, stat.S_IFDIR | 0o555)
        data = self._file(path)
        return None if data is None else status_of(len(data))

    def lstat(self, path: bytes) -> os.stat_result | None:
        return self.stat(path)

    def stamp(self, path: bytes) -> Stamp | None:
        data = self._file(path)
        return None if data is None else _stamp(data)

    def exists(self, path: bytes) -> bool:
        return self.stat(path) is not None

    def is_dir(self, path: bytes) -> bool:
        return path.rstrip(b"/") in _DIRECTORIES

    def readlink(self, path: bytes) -> bytes | None:
        return None

    def scandir(self, path: bytes) -> list[tuple[bytes, str]]:
        front = path.rstrip(b"/") + b"/"
        names = {item[len(front) :] for item in _DIRECTORIES if item.startswith(front) and len(item) > len(front)}
        files = {name for name in _FILES if b"/" not in name} if path.rstrip(b"/") == GIT_DIR else set()
        return [(name, "d") for name in sorted(names) if b"/" not in name] + [
            (name, "f") for name in sorted(files) if self._file(front + name) is not None
        ]

    def names(self, path: bytes) -> list[bytes]:
        return [name for name, _ in self.scandir(path)]

    def directory(self, path: bytes) -> Directory | None:
        return None


def _stamp(data: bytes) -> Stamp:
    """A number that is equal for equal contents, and almost certainly different for different ones."""
    return 0, 0, len(data), hash(data), 0
