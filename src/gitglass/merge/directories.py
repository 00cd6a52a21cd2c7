"""Directories that one side renamed: files that the other side adds to them are moved along.

A directory counts as renamed if a side no longer has it and most of its files went to one other directory. Mirrors
git's Documentation/technical/directory-rename-detection.txt, and git-config(1), `merge.directoryRenames`.
"""

from __future__ import annotations

from ..diff.changes import Change
from ..limits import paced
from .made import TREE
from .messages import Messages
from .pairs import Counts
from .paths import OURS, THEIRS, Entry, ThreeTrees, above
from .relevance import NOT_ASKED
from .spec import GONE, MergeSpec

__all__ = ["DirectoryRenames", "renamed_directories"]

_OTHER = {OURS: THEIRS, THEIRS: OURS}


def renamed_directories(counts: Counts, folders: dict[bytes, int], messages: Messages) -> dict[bytes, bytes]:
    """{old: new} of the directories that a side renamed, where the merge needs to know. Adds a message where the files
    of a directory went to several in equal numbers."""
    renamed = {}
    for old, targets in sorted(counts.items()):
        if folders.get(old, NOT_ASKED) == NOT_ASKED:
            continue
        most = max(targets.values())
        best = [new for new, count in targets.items() if count == most]
        if len(best) > 1:
            messages.unclear_split(old)
        else:
            renamed[old] = best[0]
    return renamed


class DirectoryRenames:
    """Moves files that one side put into directories that the other side renamed.

    `moved[stage]` maps the old names of the directories that a side renamed to the new ones.
    """

    __slots__ = ("_messages", "_reported", "_spec", "_together", "_trees", "moved")

    def __init__(
        self, trees: ThreeTrees, moved: dict[int, dict[bytes, bytes]], spec: MergeSpec, messages: Messages
    ) -> None:
        self._trees, self._spec, self._messages = trees, spec, messages
        both = moved[OURS].keys() & moved[THEIRS].keys()
        self.moved = {stage: {old: new for old, new in one.items() if old not in both} for stage, one in moved.items()}
        self._together: dict[int, dict[bytes, list[bytes]]] = {OURS: {}, THEIRS: {}}
        self._reported: set[bytes] = set()

    def follow(self, pairs: dict[int, list[Change]]) -> dict[int, list[Change]]:
        """The renames of each side, with the additions that become renames: those in directories that the other side
        renamed."""
        for stage in (OURS, THEIRS):
            renamed, together = self.moved[_OTHER[stage]], self._together[stage]
            for pair in paced(pairs[stage] if renamed else ()):
                move = self._moved_to(pair.new.path, renamed)
                if move is not None:
                    together.setdefault(move[2], []).append(pair.new.path)
        return {stage: self._followed(pairs[stage], stage) for stage in (OURS, THEIRS)}

    def _followed(self, pairs: list[Change], stage: int) -> list[Change]:
        renamed = self.moved[_OTHER[stage]]
        self._reported = set()
        out = []
        for pair in paced(pairs):
            path = self._new_path(pair.new.path, stage, renamed) if renamed else None
            if path is not None:
                self._move(pair, path)
            if pair.status == "R" or path is not None:
                out.append(pair)
        return out

    def _moved_to(self, path: bytes, renamed: dict[bytes, bytes]) -> tuple[bytes, bytes, bytes] | None:
        """(old directory, new directory, new path) of a path that lies in a directory that the other side renamed."""
        for old in above(path):
            new = renamed.get(old)
            if new is not None:
                rest = path[len(old) + 1 :]
                return old, new, new + b"/" + rest if new else rest
        return None

    def _new_path(self, path: bytes, stage: int, renamed: dict[bytes, bytes]) -> bytes | None:
        """The new path of a file of this side; None if it stays."""
        move = self._moved_to(path, renamed)
        if move is None:
            return None
        old, new, moved = move
        if new in self.moved[stage]:
            self._messages.not_moved_again(old, new, path)
            return None
        if path in self._together[_OTHER[stage]]:
            return None  # the other side also has a file that moves to this path
        together = self._together[stage][moved]
        if moved in self._reported:
            self._messages.clean = False
            return None
        if self._is_taken(moved, stage):
            self._messages.path_taken(moved, together)
        elif len(together) > 1:
            self._messages.places_meet(moved, together)
        else:
            return moved
        self._reported.add(moved)
        return None

    def _is_taken(self, path: bytes, stage: int) -> bool:
        """Whether this side has a file or directory at the path, also one that an earlier rename moved there."""
        entry = self._trees.entries.get(path)
        if entry is not None:
            return entry.settled or bool((entry.files | entry.folders) & 1 << stage)
        return self._trees.look(stage, path)[0] != 0

    def _move(self, pair: Change, path: bytes) -> None:
        """Move an entry that only this side has."""
        old, entries = pair.new.path, self._trees.entries
        entry = entries.pop(old)
        if entry.folders:
            entries[old], entry = _parted(old, entry)
        else:
            self._trees.taken[old] = GONE
        self._messages.moved(pair, path, entry.files, suggested=self._spec.directory_renames == "conflict")
        present = entries.get(path)
        if present is None:
            entries[path] = entry
            if not entry.folders:
                entry.folders = sum(1 << at for at in range(3) if self._trees.look(at, path)[0] == TREE)
        else:
            at = entry.files >> 1
            present.files |= entry.files
            present.names[at], present.stages[at] = entry.names[at], entry.stages[at]
            entry = present
        if self._spec.directory_renames == "conflict":
            entry.conflict = True
        pair.new.path = path


def _parted(path: bytes, entry: Entry) -> tuple[Entry, Entry]:
    """(directory, file) of an entry that is a file on one side and a directory on another: two entries, the first of
    which is settled as absent."""
    folder = Entry(path, [GONE, GONE, GONE], 0, entry.folders, 0)
    entry.folders = 0
    folder.remove()
    return folder, entry
