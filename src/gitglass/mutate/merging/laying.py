"""A series of merges over index and files: its tree moves from commit to commit in memory, and what that comes to is
laid once, at the end, whatever was in between.

Cherry-pick, revert and rebase are such series. What they take back first (an interrupted pick, local changes that are
put away) is in `changes` before; where a series changes the same paths it has the last word.
"""

from __future__ import annotations

from ...errors import CommandFailed
from ...merge.spec import GONE, MergeResult, MergeSpec, Side
from ..changes import Changes, EntryChange, Row
from ..checkout.files import Wanted, WorkFiles
from ..checkout.two_way import TwoWay, need_no_obstacles, tree_differences
from ..index_file import rows_at
from ..view import View
from .laid import keep_objects, lay_conflicts, new_merger, present


class Laying:
    """Index and files from the tree that is there, `tree`, to wherever a series comes."""

    def __init__(self, view: View, changes: Changes, tree: bytes) -> None:
        self._view, self._changes, self.tree = view, changes, tree
        self._merger = new_merger(view)
        self._sides: dict[bytes, tuple[Side, Side]] = {}  # path → as it was at the beginning, as it is to be
        self._laid = Changes()
        self._reset = {entry.path for entry in changes.entries}  # what was taken back before
        self._reset |= {file.path for file in changes.files}

    def merge(self, base: bytes | None, theirs: bytes | None, spec: MergeSpec) -> MergeResult:
        """Merge what changed from `base` to `theirs` into the tree; the tree is the result's then, where that is clean.
        Raises CommandFailed in git's words where files are in the way; then nothing has changed."""
        return self._lay(self._merger.trees(base, self.tree, theirs, spec))

    def merge_commits(self, ours: bytes, theirs: bytes, spec: MergeSpec) -> MergeResult:
        """The same of a commit, merged into the one whose tree is there."""
        return self._lay(self._merger.commits(ours, theirs, spec))

    def _lay(self, result: MergeResult) -> MergeResult:
        keep_objects(self._view, self._merger)
        before = {path: self._merger.made.entry(self.tree, path) for path in result.changed}
        self._put({path: (before[path], side) for path, side in result.changed.items()}, "merge", "merge")
        if result.clean:
            self.tree = result.tree
        else:
            lay_conflicts(self._view, self._laid, result)
        return result

    def go(self, tree: bytes, verb: str = "merge", advice: str = "merge") -> None:
        """Go to another tree. Raises CommandFailed in git's words (`two_way.words_of`) where files are in the way."""
        differences = tree_differences(self._view, self.tree, tree)
        self._put({path: (old or GONE, new or GONE) for path, (old, new) in differences.items()}, verb, advice)
        self.tree = tree

    def _put(self, moved: dict[bytes, tuple[Side, Side]], verb: str, advice: str) -> None:
        sides = dict(self._sides)
        for path, (before, after) in moved.items():
            sides[path] = (sides[path][0] if path in sides else before), after
        net = {path: (present(one), present(two)) for path, (one, two) in sides.items()}
        move = TwoWay.between(
            self._view, {path: pair for path, pair in net.items() if pair[0] != pair[1] and path not in self._reset}
        )
        laid = Changes()
        move.run(laid)
        need_no_obstacles(move.obstacles, verb, advice)
        self._sides, self._laid = sides, laid
        self._changes.forget_resolved = self._changes.refresh = True

    def finish(self) -> None:
        """Put what was laid into the changes."""
        self._over_reset()
        changes = self._changes
        changes.entries = sorted([*changes.entries, *self._laid.entries], key=lambda entry: entry.path)
        changes.files += self._laid.files
        changes.emptied += self._laid.emptied

    def _over_reset(self) -> None:
        """Where the series changes what was taken back before, it has the last word."""
        work, changes = WorkFiles(self._view), self._changes
        laid = {entry.path for entry in self._laid.entries}
        for path in self._reset & self._sides.keys():
            side = present(self._sides[path][1])
            changes.files = [file for file in changes.files if file.path != path]
            changes.entries = [entry for entry in changes.entries if entry.path != path]
            file = work.remove(path) if side is None else work.write(path, Wanted(*side))
            changes.files += [] if file is None else [file]
            if path not in laid:
                rows = () if side is None else (Row(0, *side),)
                changes.entries.append(EntryChange(path, rows_at(self._view.index, path), rows))


def tried(error: CommandFailed, tail: str) -> CommandFailed:
    """The same failure as the end of a whole command, with git's words behind its own."""
    return CommandFailed(f"{error.message}{tail}", status=128, prefix="error", kind=error.data.get("kind"))
