"""Applies the renames of both sides to the three trees: the sides of a file are merged under its new name.

Mirrors what git-merge(1) calls renames with the `ort` strategy. The old path of a rename is removed; the new one gets
the sides of both. It is a conflict of its own if the sides renamed a file differently, or if the new path of a rename
is in use.
"""

from __future__ import annotations

from ..diff.changes import Change, Contents, absent
from ..diff.renames import RenameFinder
from ..diff.spec import DiffSpec
from ..diff.trees import as_change
from ..limits import Context
from .content import ContentMerge, kind_of
from .directories import DirectoryRenames, renamed_directories
from .messages import Messages
from .pairs import SideFinder
from .paths import BASE, OURS, THEIRS, ThreeTrees
from .relevance import Relevance
from .spec import GONE, MergeSpec, Side
from .trivial import Untouched

__all__ = ["follow_renames"]

_LIMIT = 7000  # merge.renameLimit's default

Rename = tuple[bytes, bytes, int]  # old path, new path, the side that renamed it
_REGULAR = 0o100000


def follow_renames(
    trees: ThreeTrees, contents: Contents, merge: ContentMerge, spec: MergeSpec, messages: Messages
) -> int:
    """Find the renames of both sides, and those that follow from renamed directories, and apply them to `trees`.

    Returns the rename limit that would have been needed if there were too many files to compare; otherwise 0.
    """
    if spec.all_renames:
        return _follow_all(trees, contents, merge, spec, messages)
    relevance = Relevance(trees)
    untouched = Untouched(trees, relevance)
    looked_into = [stage for stage in (OURS, THEIRS) if relevance.sources[stage]]
    for stage in {OURS, THEIRS}.difference(looked_into):
        untouched.settle(stage)
    if not looked_into:
        return 0
    needed = 0
    pairs: dict[int, list[Change]] = {}
    moved: dict[int, dict[bytes, bytes]] = {OURS: {}, THEIRS: {}}
    for stage in (OURS, THEIRS):
        rows = {path: row for path, row in trees.rows[stage].items() if not row[1] or not row[3]}
        changes = [as_change(rows[path]) for path in untouched.in_order(rows, stage)]
        if stage in looked_into:
            finder = _finder(changes, contents, relevance, stage, spec, trees.ctx)
            changes = finder.outcome()
            needed = max(needed, finder.spec.report.needed_limit)
            if spec.directory_renames != "false" and not spec.depth:
                moved[stage] = renamed_directories(finder.counts, relevance.folders[stage], messages)
        pairs[stage] = [
            pair for pair in changes if pair.status == "R" or (pair.status == "A" and pair.new.path in trees.entries)
        ]
    if untouched.begins_again(looked_into):
        for stage in looked_into:
            kept = [_remembered(pair, relevance.sources[stage]) for pair in pairs[stage]]
            untouched.settle(stage, {pair.new.path for pair in kept if pair.status == "R"})
            pairs[stage] = [pair for pair in kept if pair.new.path in trees.entries]
    followed = DirectoryRenames(trees, moved, spec, messages).follow(pairs)
    renames: list[Rename] = [
        (pair.old.path, pair.new.path, stage)
        for stage in (OURS, THEIRS) for pair in followed[stage] if pair.status == "R"
    ]  # fmt: skip
    renames.sort(key=lambda rename: rename[0])
    _Follower(trees, merge, spec, messages).run(renames)
    return needed


def _follow_all(trees: ThreeTrees, contents: Contents, merge: ContentMerge, spec: MergeSpec, messages: Messages) -> int:
    """The same with the renames that a diff of each side finds."""
    needed, renames = 0, list[Rename]()
    for stage in (OURS, THEIRS):
        rows = {path: row for path, row in trees.rows[stage].items() if not row[1] or not row[3]}
        finder = RenameFinder([as_change(rows[path]) for path in sorted(rows)], contents, _settings(spec), trees.ctx)
        if finder.sources and finder.targets:
            finder.run()
        renames += [(pair.old.path, pair.new.path, stage) for pair in finder.outcome() if pair.status == "R"]
        needed = max(needed, finder.spec.report.needed_limit)
    renames.sort(key=lambda rename: rename[0])
    _Follower(trees, merge, spec, messages).run(renames)
    return needed


def _settings(spec: MergeSpec) -> DiffSpec:
    """How the renames of a side are found."""
    limit = _LIMIT if spec.rename_limit <= 0 else spec.rename_limit
    return DiffSpec(renames=1, rename_empty=False, rename_score=spec.rename_score, rename_limit=limit)


def _remembered(pair: Change, wanted: dict[bytes, int]) -> Change:
    """A rename as git sees it after it begins again: if its source does not matter, it becomes the addition of a new
    file."""
    if pair.status == "R" and pair.old.path not in wanted:
        return Change("A", absent(pair.new.path), pair.new)
    return pair


def _finder(
    changes: list[Change], contents: Contents, relevance: Relevance, stage: int, spec: MergeSpec, ctx: Context
) -> SideFinder:
    """Find the renames of a side."""
    finder = SideFinder(changes, contents, _settings(spec), relevance.sources[stage], relevance.folders[stage], ctx=ctx)
    if finder.sources and finder.targets:
        finder.run()
    return finder


class _Follower:
    """Applies renames to the entries of a merge."""

    __slots__ = ("_entries", "_merge", "_messages", "_spec")

    def __init__(self, trees: ThreeTrees, merge: ContentMerge, spec: MergeSpec, messages: Messages) -> None:
        self._entries, self._merge, self._spec, self._messages = trees.entries, merge, spec, messages

    def run(self, renames: list[Rename]) -> None:
        """Apply all renames by old path: two in a row with the same old path are of different sides."""
        at = 0
        while at < len(renames):
            old, new, stage = renames[at]
            at += 1
            entry = self._entries.get(old)
            twice = at < len(renames) and renames[at][0] == old
            if entry is None or entry.settled:
                continue
            if twice:
                self._both(old, new, renames[at][1])
                at += 1
            else:
                self._one(old, new, stage)

    def _growth(self) -> int:
        return 1 + 2 * self._spec.depth

    # ---------------------------------------------------------------- both sides renamed the file
    def _both(self, old: bytes, ours: bytes, theirs: bytes) -> None:
        base, one, two = (self._entries[path] for path in (old, ours, theirs))
        if ours == theirs:
            one.stages[BASE] = base.stages[BASE]
            one.files |= 1
            base.remove()
            return
        stages = [base.stages[BASE], one.stages[OURS], two.stages[THEIRS]]
        merged, clean = self._merge.merge(old, stages, [old, ours, theirs], self._growth())
        other = stages[THEIRS] if not clean and merged == stages[OURS] else merged  # each binary file stays
        one.stages[OURS], two.stages[THEIRS] = merged, other
        base.conflict = one.conflict = two.conflict = True
        self._messages.renamed_twice(old, ours, theirs)

    # ---------------------------------------------------------------- one side renamed the file
    def _one(self, old: bytes, new: bytes, stage: int) -> None:
        source, target = self._entries[old], self._entries[new]
        other = OURS + THEIRS - stage
        deleted = source.files == 1
        collision = bool(target.files & 1 << other)
        retyped = not deleted and (
            (kind_of(source.stages[other]) == _REGULAR) != (kind_of(target.stages[stage]) == _REGULAR)
        )
        if retyped and collision:
            collision = False
        if collision and not deleted:
            self._collide(old, new, stage, other)
        elif collision:
            target.conflict = True
            self._messages.renamed_deleted(old, new, stage)
        else:
            target.stages[BASE] = source.stages[BASE]
            target.files |= 1
            target.names[BASE] = old
            if retyped:
                source.stages[BASE] = GONE
                source.files &= 6
            elif deleted:
                target.conflict = True
                self._messages.renamed_deleted(old, new, stage)
            else:
                target.stages[other] = source.stages[other]
                target.files |= 1 << other
                target.names[other] = old
        if not retyped:
            source.remove()

    def _collide(self, old: bytes, new: bytes, stage: int, other: int) -> None:
        """Another file is at the new path of the rename: the merged content replaces its side there."""
        source, target = self._entries[old], self._entries[new]
        stages: list[Side] = [source.stages[BASE], GONE, GONE]
        stages[stage], stages[other] = target.stages[stage], source.stages[other]
        names = [old, old, old]
        names[stage] = new
        merged, clean = self._merge.merge(old, stages, names, self._growth())
        target.stages[stage] = merged
        if not clean:
            self._messages.collides(old, new)
