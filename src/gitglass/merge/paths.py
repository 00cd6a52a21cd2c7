"""The three trees of a merge, path by path: what each has there, before and after renames are applied.

Mirrors what git's ort strategy keeps for a path (git's Documentation/technical/directory-rename-detection.txt has the
rules for directories).
"""

from __future__ import annotations

from ..diff.trees import Row
from ..limits import Context, paced
from .made import TREE, Made
from .spec import GONE, Side, Stages

__all__ = ["BASE", "OURS", "THEIRS", "Entry", "ThreeTrees", "above", "parent"]

BASE, OURS, THEIRS = 0, 1, 2


class Entry:
    """A path of the merge. `stages` are its sides in base, ours and theirs, `names` the paths they have there.

    `files` and `folders` are bits by stage: where the path is a file (of any type), and where it is a directory. `same`
    are the bits of the stages that are the same file. `conflict`: something besides the content is in conflict.
    `result` is the merged side, None before it is decided; `settled`: nothing is left to decide.
    """

    __slots__ = ("conflict", "files", "folders", "names", "result", "same", "settled", "stages")

    def __init__(self, path: bytes, stages: list[Side], files: int, folders: int, same: int) -> None:
        self.names = [path, path, path]
        self.stages, self.files, self.folders, self.same = stages, files, folders, same
        self.conflict = self.settled = False
        self.result: Side | None = None

    @property
    def in_the_way(self) -> bool:
        """Whether the path is a file on one side and a directory on another."""
        return bool(self.files and self.folders)

    def unmerged(self) -> Stages:
        """The sides that the index records for this path if it is in conflict."""
        base, ours, theirs = (side if self.files & 1 << at else GONE for at, side in enumerate(self.stages))
        return base, ours, theirs

    def remove(self) -> None:
        """Settle the path: the merged tree has nothing there."""
        self.result, self.settled = GONE, True


class ThreeTrees:
    """The three trees (None: the empty tree), with an `Entry` for each path that any side changed, unless the sides
    settle it by agreeing. `taken` are the paths that are taken from theirs unchanged."""

    __slots__ = ("ctx", "entries", "made", "oids", "rows", "taken")

    def __init__(self, made: Made, oids: tuple[bytes | None, bytes | None, bytes | None], ctx: Context) -> None:
        self.made, self.oids, self.ctx = made, oids, ctx
        self.entries: dict[bytes, Entry] = {}
        self.taken: dict[bytes, Side] = {}
        base = oids[BASE]
        self.rows: tuple[dict[bytes, Row], ...] = (
            {}, *({row[0]: row for row in made.trees.rows(base, side, ctx=ctx)} for side in oids[1:]),
        )  # fmt: skip
        self._collect()

    def _collect(self) -> None:
        left, right = self.rows[OURS], self.rows[THEIRS]
        folders = {folder for rows in (left, right) for path in paced(rows) for folder in above(path)}
        for path in paced(left.keys() | right.keys()):
            mine, other = left.get(path), right.get(path)
            row = mine or other
            assert row is not None
            base: Side = row[1], row[2]
            ours: Side = (mine[3], mine[4]) if mine is not None else base
            theirs: Side = (other[3], other[4]) if other is not None else base
            if base[0] and ours[0] and theirs[0] and (ours == theirs or mine is None or other is None):
                if mine is None:
                    self.taken[path] = theirs
                continue
            files = bool(base[0]) | bool(ours[0]) << OURS | bool(theirs[0]) << THEIRS
            same = _same(base, ours, theirs)
            entry = Entry(path, [base, ours, theirs], files, self._folders(path) if path in folders else 0, same)
            self.entries[path] = entry

    def _folders(self, path: bytes) -> int:
        """The bits of the stages in whose trees a path is a directory."""
        return sum(1 << stage for stage in range(3) if self.look(stage, path)[0] == TREE)

    def look(self, stage: int, path: bytes) -> Side:
        """The (mode, oid) that a tree has at a path, as stored."""
        oid = self.oids[stage]
        return GONE if oid is None else self.made.entry(oid, path)

    def anywhere(self, path: bytes) -> bool:
        """Whether a path is in any of the trees, or is an entry that renames added."""
        return path in self.entries or any(self.look(stage, path)[0] for stage in range(3))


def _same(base: Side, ours: Side, theirs: Side) -> int:
    if ours[0] and ours == theirs:
        return 7 if base == ours else 6
    if base[0] and ours == base:
        return 3
    return 5 if base[0] and theirs == base else 0


def above(path: bytes) -> list[bytes]:
    """The directories that contain a path, the nearest first, without the root."""
    out = []
    at = path.rfind(b"/")
    while at > 0:
        out.append(path[:at])
        at = path.rfind(b"/", 0, at)
    return out


def parent(path: bytes) -> bytes:
    """The directory of a path; b"" is the root."""
    return path.rpartition(b"/")[0]
