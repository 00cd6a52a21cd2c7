"""A series of merges over index and files: its tree moves from commit to commit in memory, and what that comes to is
laid once, at the end, whatever was in between.

Cherry-pick, revert and rebase are such series. What they take back first (an interrupted pick, local changes that are
put away) is in `changes` before; where a series changes the same paths it has the last word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from ...errors import CommandFailed
from ...limits import watched
from ...merge.spec import GONE, MergeResult, MergeSpec, Side
from ...paths.lexical import directories_above
from ...records import replace
from ...repo.store import Store
from ..changes import Changes, EntryChange, FileChange, Row
from ..checkout.files import Wanted, WorkFiles, with_bytes
from ..checkout.outward import is_attributes
from ..checkout.two_way import SKIP, TwoWay, is_sparse, need_no_obstacles, stays_away, tree_differences
from ..index_file import rows_at
from ..view import View
from .laid import keep_objects, lay_conflicts, new_merger, present

_BELIEVED = 0x8000


class Laying:
    """Index and files from the tree that is there, `tree`, to wherever a series comes."""

    def __init__(self, view: View, changes: Changes, tree: bytes) -> None:
        self._view, self._changes, self.tree = view, changes, tree
        self._merger = new_merger(view, changes.files)
        self._sides: dict[bytes, tuple[Side, Side]] = {}  # path → as it was at the beginning, as it is to be
        self._laid = Changes()
        self._moved: set[bytes] = set()  # what was another file at any time
        self._removed: set[bytes] = set()  # what was none at any time after the first
        self._stores: list[Store] = [view.outward or view.store]  # by whose attributes files were written, in turn
        self._turns: dict[bytes, int] = {}  # path → the last of them by which it was; the first where it is not here
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
        moved = {path: (self._merger.made.entry(self.tree, path), side) for path, side in result.changed.items()}
        for path, (_, side) in list(moved.items()):  # a file gives way to the directory that is needed in its place
            fronts = directories_above(path) if present(side) else ()
            moved.update({
                front: (there, GONE) for front in fronts
                if front not in moved and present(there := self._merger.made.entry(self.tree, front))
            })  # fmt: skip
        self._put(moved, "merge", "merge")
        if result.clean:
            self.tree = result.tree
        else:
            lay_conflicts(self._view, self._laid, result)
            rows = {path: file for path in result.conflicts if (file := present(result.changed.get(path, GONE)))}
            self._laid.files += absent_files(self._view, rows.keys() - self._reset, rows, self._laid)
        return result

    def go(self, tree: bytes, verb: str = "merge", advice: str = "merge") -> None:
        """Go to another tree. Raises CommandFailed in git's words (`two_way.words_of`) where files are in the way."""
        differences = tree_differences(self._view, self.tree, tree)
        self._changes.forget_resolved = True
        self._put({path: (old or GONE, new or GONE) for path, (old, new) in differences.items()}, verb, advice)
        self.tree = tree

    def _put(self, moved: dict[bytes, tuple[Side, Side]], verb: str, advice: str) -> None:
        sides = dict(self._sides)
        for path, (before, after) in watched(moved.items()):
            sides[path] = self._first(path, before), after
        net = {path: (present(one), present(two)) for path, (one, two) in watched(sides.items())}
        differing = {path: pair for path, pair in watched(net.items()) if pair[0] != pair[1]}
        move = TwoWay.between(self._view, differing, self._changes)
        laid = Changes()
        with self._attributes(moved, sides):
            move.run(laid)
            need_no_obstacles(move.obstacles, verb, advice)
        laid.entries = [entry for entry in laid.entries if entry.path not in self._reset]
        laid.files = [file for file in laid.files if file.path not in self._reset]
        self._sides, self._laid = sides, laid
        if any(map(is_attributes, moved)):
            self._merger = new_merger(self._view, self.files)
        self._moved |= {entry.path for entry in laid.entries}
        self._removed |= {path for path, (_, after) in moved.items() if present(after) is None}
        self._changes.refresh = True
        # strange but git's: an index without entries, before and after, is not written by a merge, if its tree is known
        index = self._view.index
        tree = None if index.cache_tree is None else index.cache_tree.oid
        self._changes.forget_resolved |= bool(len(index) or laid.entries) or tree is None

    def _first(self, path: bytes, before: Side) -> Side:
        """What a path was at the beginning, where a step finds it as it is `before`. One whose deletion is staged, as
        that of a submodule can be, is gone once a step takes it away: what comes after that is new."""
        if path not in self._sides or path in self._reset:
            return self._sides.get(path, (before, GONE))[0]
        is_gone = present(before) is None and not rows_at(self._view.index, path)
        return GONE if is_gone else self._sides[path][0]

    @contextmanager
    def _attributes(self, moved: dict[bytes, tuple[Side, Side]], sides: Iterable[bytes]) -> Iterator[None]:
        """Have each file be written by the attributes of the step that moves it last, as git does, which writes files
        step by step. Where the step fails they are what they were."""
        view, turns, stores = self._view, self._turns, self._stores
        before = view.outward, view.outward_of
        if any(is_attributes(path) and present(one) != present(two) for path, (one, two) in moved.items()):
            stores = [*stores, stores[-1]]
        last = len(stores) - 1
        if last:
            turns = {**turns, **dict.fromkeys(moved, last)}
            view.outward_of = {path: stores[turn] for path in sides if (turn := turns.get(path, 0)) < last}
        try:
            yield
        except BaseException:
            view.outward, view.outward_of = before
            raise
        self._turns, self._stores = turns, [*stores[:-1], view.outward or view.store]

    @property
    def files(self) -> list[FileChange]:
        """The files that change, those of the steps before last."""
        return [*self._changes.files, *self._laid.files]

    def finish(self) -> None:
        """Put what was laid into the changes."""
        self._converted_before()
        self._over_reset()
        self._made_anew()
        changes = self._changes
        changes.refreshes = True
        changes.entries = sorted([*changes.entries, *self._laid.entries], key=lambda entry: entry.path)
        changes.files += self._laid.files
        changes.emptied += self._laid.emptied
        if self._sides:
            changes.trees = None  # which were those of a commit that was concluded before

    def _converted_before(self) -> None:
        """What was taken back before any step changed attributes has its bytes by the first ones."""
        if len(self._stores) > 1:
            after = self._view.outward_of
            self._view.outward_of = dict.fromkeys((file.path for file in self._changes.files), self._stores[0])
            self._changes.files = [with_bytes(self._view, file) for file in self._changes.files]
            self._view.outward_of = after

    def _made_anew(self) -> None:
        """Entries that were made anew on the way, and are in the end what they were: git no longer assumes their files
        unchanged (`git update-index --assume-unchanged`), and has written them with the permissions that they have. So
        does the file of one that is in conflict: had it been lost in the work tree, it is there again."""
        laid, work = {entry.path for entry in self._laid.entries}, WorkFiles(self._view)
        written = {file.path for file in self._laid.files}
        for path in sorted((self._moved & self._sides.keys()) - self._reset):
            if path in laid and path in written:
                continue
            if path not in laid and self._sides[path] == (GONE, GONE) and b"/" in path:
                self._laid.emptied.append(path.rpartition(b"/")[0])  # it came and went, and its directory with it
            rows, side = rows_at(self._view.index, path), present(self._sides[path][1])
            away = rows and rows[0].flags & SKIP and is_sparse(self._view)
            if side is None or not rows or away or (rows[0].mode, rows[0].oid) != side:
                continue
            file = work.write(path, Wanted(*side), fresh=True)
            self._laid.files += [] if file is None else [file]
            lost = _BELIEVED | (SKIP if path in self._removed else 0)
            after = tuple(replace(row, flags=row.flags & ~lost) for row in rows)
            if path not in laid and (file is not None or after != rows):
                self._laid.entries.append(EntryChange(path, rows, after))

    def _over_reset(self) -> None:
        """Where the series changes what was taken back before, it has the last word."""
        work, changes = WorkFiles(self._view), self._changes
        laid = {entry.path for entry in self._laid.entries}
        for path in self._reset & self._sides.keys():
            side = present(self._sides[path][1])
            changes.files = [file for file in changes.files if file.path != path]
            changes.entries = [entry for entry in changes.entries if entry.path != path]
            file = work.remove(path) if side is None else work.write(path, Wanted(*side), fresh=True)
            changes.files += [] if file is None else [file]
            if path not in laid:
                rows = () if side is None else (Row(0, *side),)
                changes.entries.append(EntryChange(path, rows_at(self._view.index, path), rows))


def absent_files(
    view: View, paths: Iterable[bytes], rows: Mapping[bytes, tuple[int, bytes]], laid: Changes
) -> list[FileChange]:
    """The files of `rows` that were not to be in the work tree, and come into it as a merge changes them or has them in
    conflict, where nothing stands and they were not `laid` anyhow."""
    written, work = {file.path for file in laid.files}, WorkFiles(view)
    made = [
        work.write(path, Wanted(*rows[path])) for path in sorted(set(paths) - written)
        if path in rows and stays_away(view, path, rows_at(view.index, path)) and work.status(path) is None
    ]  # fmt: skip
    return [file for file in made if file is not None]


def tried(error: CommandFailed, tail: str) -> CommandFailed:
    """The same failure as the end of a whole command, with git's words behind its own."""
    return CommandFailed(f"{error.message}{tail}", status=128, prefix="error", kind=error.data.get("kind"))
