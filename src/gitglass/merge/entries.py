"""The decision on each path of a merge: what the merged tree has there, whether it is in conflict, and which messages.

Mirrors what git-merge(1) leaves in index and work tree with the `ort` strategy. Paths below a directory are decided
before a file of the directory's name: the file gets another name if anything of the directory remains.
"""

from __future__ import annotations

from .content import ContentMerge, kind_of
from .made import TREE
from .messages import Messages
from .paths import BASE, OURS, THEIRS, Entry, ThreeTrees, above
from .spec import GONE, MergeSpec, Side

__all__ = ["Decisions"]

_REGULAR, _GITLINK = 0o100000, 0o160000
_BITS = {2: OURS, 4: THEIRS, 3: OURS, 5: THEIRS}


class Decisions:
    """Decides all paths of a merge. `results` maps paths to their side in the merged tree, `conflicts` to their
    entries."""

    __slots__ = ("_alive", "_merge", "_messages", "_spec", "_taken", "_trees", "conflicts", "results")

    def __init__(self, trees: ThreeTrees, merge: ContentMerge, spec: MergeSpec, messages: Messages) -> None:
        self._trees, self._merge, self._spec, self._messages = trees, merge, spec, messages
        self.results: dict[bytes, Side] = {}
        self.conflicts: dict[bytes, Entry] = {}
        self._alive: set[bytes] = set()  # directories that the merged tree has a file in
        self._taken: set[bytes] = set()  # new names given to files that were in the way

    def run(self) -> None:
        """Decide every path."""
        for path in sorted(self._trees.taken):
            self._record(path, self._trees.taken[path])
        for path in sorted(self._trees.entries, reverse=True):
            self._trees.ctx.tick()
            entry = self._trees.entries[path]
            if not entry.settled:
                self._decide(path, entry)
            else:
                self._record(path, entry.result or GONE)
        for path in self._trees.taken.keys() & self._alive:
            del self.results[path]  # strange but git's: files of a renamed directory put a directory there

    def _record(self, path: bytes, side: Side) -> None:
        self.results[path] = side
        if side[0]:
            for folder in above(path):
                if folder in self._alive:
                    break
                self._alive.add(folder)

    def _finish(self, path: bytes, entry: Entry, side: Side, clean: bool) -> None:
        entry.result = side
        if not clean:
            self.conflicts[path] = entry
        self._record(path, side)

    # ---------------------------------------------------------------- one path
    def _decide(self, path: bytes, entry: Entry) -> None:
        of = 0  # the side whose file is where a directory is
        if entry.in_the_way and self._is_left(path, entry):
            if entry.files == 1:
                return  # the directory replaces the file of the base
            of = THEIRS if entry.folders & 1 << OURS else OURS
            path, entry = self._moved_away(path, entry, of)
        elif path in self._alive and not entry.folders:
            self._drop_below(path)
        sound = not of and not entry.conflict
        if entry.same:
            self._agreed(path, entry, sound)
        elif entry.files >= 6 and kind_of(entry.stages[OURS]) != kind_of(entry.stages[THEIRS]):
            self._distinct_types(path, entry)
        elif entry.files >= 6:
            self._both(path, entry, of, sound)
        elif entry.files in (3, 5):
            self._modified_deleted(path, entry)
        elif entry.files in (2, 4):
            self._finish(path, entry, entry.stages[_BITS[entry.files]], sound)
        else:
            self._finish(path, entry, GONE, not entry.conflict)

    def _drop_below(self, path: bytes) -> None:
        """Remove the paths below a path from the results.

        Strange but git's: files that a renamed directory brings below a file stay in conflict, and leave the tree when
        the file is decided, even if it is decided that the file is deleted.
        """
        front = path + b"/"
        for other in [other for other in self.results if other.startswith(front)]:
            del self.results[other]

    def _is_left(self, path: bytes, entry: Entry) -> bool:
        """Whether the merged tree still has something of the directory that a side has at this path."""
        if path in self._alive:
            return True
        trees, front = self._trees, path + b"/"
        for stage in (OURS, THEIRS):
            mode, oid = trees.look(stage, path)
            if mode == TREE:  # paths that are not among the results are unchanged
                rows = trees.made.trees.files(oid, ctx=trees.ctx)
                if any(front + row[0] not in self.results for row in rows):
                    return True
        return False

    def _moved_away(self, path: bytes, entry: Entry, stage: int) -> tuple[bytes, Entry]:
        """Give another name to a file in whose place there is a directory."""
        to = self._free(path, stage)
        self._messages.directory_in_the_way(path, stage, to)
        return to, entry

    def _free(self, path: bytes, stage: int) -> bytes:
        """An unused name beside a path, formed with the label of the side that the file is from."""
        first = name = path + b"~" + self._messages.label(stage).replace(b"/", b"_")
        number = 0
        while name in self._taken or self._trees.anywhere(name):
            name = first + b"_%d" % number
            number += 1
        self._taken.add(name)
        return name

    # ---------------------------------------------------------------- the sides a path has
    def _agreed(self, path: bytes, entry: Entry, sound: bool) -> None:
        """Two stages are the same file: the third one is the result."""
        if entry.same == 6:
            self._finish(path, entry, entry.stages[OURS], sound)
            return
        side = entry.stages[THEIRS if entry.same == 3 else OURS]
        self._finish(path, entry, side, sound or not side[0])

    def _both(self, path: bytes, entry: Entry, of: int, sound: bool) -> None:
        side, clean = self._merge.merge(path, entry.stages, entry.names, 2 * self._spec.depth)
        if not clean:
            why = b"add/add" if entry.files == 6 else b"content"
            self._messages.contents(path, b"submodule" if kind_of(side) == _GITLINK else why)
        elif of:
            entry.files = 1 << of
            entry.stages[of] = side
        self._finish(path, entry, side, clean and sound)

    def _modified_deleted(self, path: bytes, entry: Entry) -> None:
        kept = _BITS[entry.files]
        side = entry.stages[BASE if self._spec.depth else kept]
        if not entry.conflict or entry.stages[BASE][1] != entry.stages[kept][1]:
            self._merge.need_no_normalizing(path)
            self._messages.modified_deleted(path, kept)
        self._finish(path, entry, side, clean=False)

    def _distinct_types(self, path: bytes, entry: Entry) -> None:
        """A file on one side, a link or submodule on the other: each is recorded, one or both under another name."""
        base, ours, theirs = entry.stages
        if self._spec.depth:
            self._finish(path, entry, base, clean=False)
            return
        move_ours, move_theirs = kind_of(ours) == _REGULAR, kind_of(theirs) == _REGULAR
        if not move_ours and not move_theirs:
            move_ours = move_theirs = True
        path_ours = self._free(path, OURS) if move_ours else path
        path_theirs = self._free(path, THEIRS) if move_theirs else path
        moved = [name for name in (path_ours, path_theirs) if name != path]
        self._messages.distinct_types(path, tuple(moved))
        for name, at, side in ((path_theirs, THEIRS, theirs), (path_ours, OURS, ours)):
            stages = [GONE, GONE, GONE]
            stages[at] = side
            if kind_of(base) == kind_of(side):
                stages[BASE] = base
            part = Entry(path, stages, 1 << at | bool(stages[BASE][0]), 0, 0)
            part.names = entry.names
            self._finish(name, part, side, clean=False)
        if path not in (path_ours, path_theirs):
            self._record(path, GONE)
