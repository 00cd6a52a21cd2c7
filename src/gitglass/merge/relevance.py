"""Decides for which lost files of a side renames have to be found, and for which lost directories.

A file that is gone on one side matters if the other side changed or deleted it as well, or if the other side added
files to a directory that is gone with it: the file's new path then tells where the directory went. Mirrors git's
Documentation/technical/directory-rename-detection.txt and what the ort strategy does with it.
"""

from __future__ import annotations

from ..limits import paced
from .made import TREE
from .paths import BASE, OURS, THEIRS, ThreeTrees, above, parent

__all__ = ["CONTENT", "FOR_ABOVE", "FOR_ITSELF", "LOCATION", "NOT_ASKED", "Relevance"]

#: why the rename of a lost file matters: for that of its directory, or for its content
LOCATION, CONTENT = 1, 2
#: why the rename of a directory matters: not at all, for a directory below it, for files added to it
NOT_ASKED, FOR_ABOVE, FOR_ITSELF = 0, 1, 2
_WANTED = 7


class Relevance:
    """The files and directories of one merge whose renames matter.

    `sources[stage]` is {lost file: reason}; `folders[stage]` is {lost directory: reason}.
    """

    __slots__ = ("_adds", "_masks", "_trees", "folders", "sources")

    def __init__(self, trees: ThreeTrees) -> None:
        self._trees = trees
        self._masks: dict[bytes, int] = {b"": 0}
        self._adds: dict[bytes, int] = {}  # by directory, bits of stages that alone have a file there
        self.sources: dict[int, dict[bytes, int]] = {OURS: {}, THEIRS: {}}
        self.folders: dict[int, dict[bytes, int]] = {OURS: {}, THEIRS: {}}
        for path, entry in paced(trees.entries.items()):
            if entry.files in (1 << OURS, 1 << THEIRS):
                self._adds[parent(path)] = self._adds.get(parent(path), 0) | entry.files
        self._lost_folders()
        self._lost_files()

    def _lost_folders(self) -> None:
        """Collect the directories that a side lost, and those that the other side added a file to, which may be new."""
        trees = self._trees
        for stage in (OURS, THEIRS):
            lost = {folder for path, row in paced(trees.rows[stage].items()) if not row[3] for folder in above(path)}
            for folder in lost:
                if trees.look(stage, folder)[0] != TREE and trees.look(BASE, folder)[0] == TREE:
                    needed = self.is_wanted(parent(folder))
                    self.folders[stage][folder] = FOR_ABOVE if needed else NOT_ASKED
        for folder, sides in self._adds.items():
            if not self.is_wanted(folder):
                continue
            for stage in (OURS, THEIRS):
                if sides & 1 << stage:
                    self.folders[THEIRS + OURS - stage][folder] = FOR_ITSELF

    def _lost_files(self) -> None:
        for path, entry in paced(self._trees.entries.items()):
            for stage in (OURS, THEIRS):
                if not entry.files & 1 or entry.files & 1 << stage:
                    continue
                if not entry.same & entry.files:
                    self.sources[stage][path] = CONTENT
                elif self.is_wanted(parent(path)):
                    self.sources[stage][path] = LOCATION

    def is_wanted(self, folder: bytes) -> bool:
        """Whether the other side put files into a directory that a side lost, or into one above."""
        return self._mask(folder) == _WANTED

    def _mask(self, folder: bytes) -> int:
        """1 << stage of the side that kept a directory (or one above) which the other lost; 7 if it added files to
        it."""
        cached = self._masks.get(folder)
        if cached is not None:
            return cached
        mask = self._mask(parent(folder))
        if mask != _WANTED:
            stages = sum(1 << stage for stage in range(3) if self._trees.look(stage, folder)[0] == TREE)
            if stages in (1 | 1 << OURS, 1 | 1 << THEIRS):
                mask = stages & ~1
            if mask and self._adds.get(folder, 0) & mask:
                mask = _WANTED
        self._masks[folder] = mask
        return mask
