"""Directories that only one side changed, which are taken from that side without reading them.

Strange but git's: this is meant to save time, but it is visible. It concerns a file of ours in the place of which they
have a directory, within a directory that is otherwise unchanged. The file is dropped without a message if the directory
above is taken whole. It is a conflict if the files are looked at, which happens as soon as renames of that side have
to be found. Mirrors git's ort strategy (git's Documentation/technical/directory-rename-detection.txt mentions neither).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..limits import paced
from .hash_order import hash_order
from .made import TREE
from .paths import BASE, OURS, THEIRS, ThreeTrees, above, parent
from .relevance import Relevance

__all__ = ["Untouched"]

_AGAIN = 3  # if there would be this many times as many paths, git begins again with the renames it found


class Untouched:
    """The directories that may be taken whole: `whole[stage]`, where `stage` is the side that changed them."""

    __slots__ = ("_below", "_relevance", "_trees", "_visited", "whole")

    def __init__(self, trees: ThreeTrees, relevance: Relevance) -> None:
        self._trees, self._relevance = trees, relevance
        self.whole: dict[int, dict[bytes, None]] = {OURS: {}, THEIRS: {}}
        self._visited, self._below = {b""}, dict[bytes, None]()  # each after those that it is in
        folders = {folder for rows in trees.rows for path in paced(rows) for folder in above(path)}
        for folder in sorted(folders, key=lambda one: one + b"/"):
            over = parent(folder)
            if over not in self._visited:
                self._below[folder] = None
                continue
            stage = self._touched_by(folder)
            if stage:
                self.whole[stage][folder] = None
                self._below[folder] = None
            else:
                self._visited.add(folder)

    def _touched_by(self, folder: bytes) -> int:
        """The side that a directory may be taken from whole; 0 where it has to be looked into."""
        if self._relevance.is_wanted(parent(folder)):
            return 0
        base, ours, theirs = (self._trees.look(stage, folder) for stage in range(3))
        if base[0] and ours == base:  # a directory, or a file where the other side has a directory
            return THEIRS
        if base[0] and theirs == base:
            return OURS
        stages = [stage for stage, side in enumerate((base, ours, theirs)) if side[0]]
        new = len(stages) == 1 and stages[0] != BASE
        return stages[0] if new else 0

    def settle(self, stage: int, targets: set[bytes] | None = None) -> None:
        """Take the directories of this side; those that contain the paths `targets` are not taken whole."""
        trees, whole = self._trees, self._left_whole(stage, targets or set())
        for path in [path for path in paced(trees.entries) if not whole.isdisjoint((path, *above(path)))]:
            entry = trees.entries.pop(path)
            if stage == THEIRS:
                trees.taken[path] = entry.stages[THEIRS]

    def _left_whole(self, stage: int, targets: set[bytes]) -> set[bytes]:
        """The directories that are taken whole where those that `targets` lie in are looked into: what is in them and
        has none of the targets may be taken whole in turn."""
        needed = {folder for path in targets for folder in above(path)}
        whole, opened = self.whole[stage].keys() - needed, self.whole[stage].keys() & needed
        for folder in self._below if opened else ():
            if parent(folder) not in opened:
                continue
            if folder in needed or self._touched_by(folder) != stage:
                opened.add(folder)
            else:
                whole.add(folder)
        return whole

    def in_order(self, paths: Iterable[bytes], stage: int) -> list[bytes]:
        """Paths in git's order: last those in the directories that this side changed, which git put off."""
        ranks = {folder: at for at, folder in enumerate(hash_order(self.whole[stage]))}

        def rank(path: bytes) -> int:
            return next((ranks[folder] for folder in above(path) if folder in ranks), -1)

        return sorted(paths, key=lambda path: (rank(path), path)) if ranks else sorted(paths)

    def begins_again(self, stages: list[int]) -> bool:
        """Whether reading the directories that these sides changed adds so many paths that git begins again."""
        before = sum(map(self._names, self._visited))
        inside = [
            folder for folder in self._below
            if any(not self.whole[stage].keys().isdisjoint((folder, *above(folder))) for stage in stages)
        ]  # fmt: skip
        return bool(inside) and (before + sum(map(self._names, inside))) // before >= _AGAIN

    def _names(self, folder: bytes) -> int:
        names: set[bytes] = set()
        for stage in range(3):
            mode, oid = self._trees.look(stage, folder)
            if mode == TREE:
                names |= self._trees.made.names(oid)
        return len(names)
