"""The attributes by which git checks files out by their names (git-restore(1), `git checkout -- PATHS`).

Other than a checkout of a commit (`outward.py`) it reads `.gitattributes` from the work tree, and from the index where
that has none. A directory's file of attributes is read once, when git comes to the first path to write below it: an old
one is gone by then, and the index counts, where it is that file itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...limits import watched
from ...repo.store import Store
from ..view import View
from .files import WorkFiles
from .outward import is_attributes, store_of_files


class ByName:
    """Has the files of `work` be written by those attributes, where files of attributes are among them: `blobs` has
    every path that is meant with its blob, in order."""

    def __init__(self, view: View, work: WorkFiles, blobs: Iterable[tuple[bytes, bytes]]) -> None:
        self._view, self._work = view, work
        self._blobs = {path: blob for path, blob in watched(blobs) if is_attributes(path)}
        self._read = {path: blob for path, blob in self._blobs.items() if work.status(path) is None}
        self._store: Store | None = None
        self._last: bytes | None = None

    def come_to(self, path: bytes, *, fresh: bool) -> None:
        """Before a path is written, in order; `fresh`: its entry is another one than the index has."""
        if not self._blobs:
            return
        if path in self._blobs.keys() - self._read and self._is_first(path) and (fresh or self._work.differs(path)):
            self._read[path] = self._blobs[path]
            self._store = None
        if self._read:
            self._store = self._store or store_of_files(self._view.store, dict(self._read))
            self._view.outward_of[path] = self._store

    def wrote(self, path: bytes) -> None:
        """After a path was written."""
        self._last = path

    def _is_first(self, path: bytes) -> bool:
        """Whether nothing was written below the directory of a file of attributes."""
        return self._last is None or not self._last.startswith(path.removesuffix(b".gitattributes"))
