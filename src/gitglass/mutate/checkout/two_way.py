"""From one tree to another over an index and files that may hold changes of their own: git's two-way merge.

What both trees have alike stays whatever it is. A path that differs between them moves along where the index has the
old
side and the file is as the index says; what the index has as the new side already stays; anything else is named and
nothing happens. Mirrors git-read-tree(1), "Two Tree Merge", whose cases are numbered there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection

from ...diff.trees import Trees
from ...errors import CommandFailed, Unsupported, text
from ...limits import LARGE, paced
from ...objects.parsed import GITLINK, SYMLINK, TREE, DoubledName, tree_entries
from ...paths.lexical import directories_above
from ...paths.pathspec import Pathspecs
from ...records import field, record, replace
from ...worktree.scan import ScanSpec, scan, standard_ignore
from ..changes import Changes, EntryChange, FileChange, Row
from ..index_file import rows_at
from ..names import check_length
from ..operations.paths import holds_untracked
from ..view import View
from .files import KEEPS_CURRENT, Wanted, WorkFiles
from .outward import changed_attributes, is_attributes
from .sparse import holds

Side = tuple[int, bytes]  # mode, oid
_FOLDER = 0o040000
SKIP = 0x4000 << 16  # skip-worktree
NOT_UP_TO_DATE = "Entry '{}' not uptodate. Cannot merge."
LOSES_UNTRACKED = "Updating '{}' would lose untracked files in it"


@record
class Obstacles:
    """Paths that keep a tree from being checked out, by git's kinds of it."""

    overwritten: list[bytes] = field(default_factory=list)
    changed: list[bytes] = field(default_factory=list)
    folders: list[bytes] = field(default_factory=list)
    current: list[bytes] = field(default_factory=list)  # the directory in which git was started
    untracked: list[bytes] = field(default_factory=list)
    removed: list[bytes] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.count > 0

    @property
    def count(self) -> int:
        """How many there are."""
        kinds = (self.overwritten, self.changed, self.folders, self.current, self.untracked, self.removed)
        return sum(map(len, kinds))


def tree_differences(view: View, old: bytes, new: bytes) -> dict[bytes, tuple[Side | None, Side | None]]:
    """{path: (side of the old tree, side of the new one)} of every file that differs; equal directories are not
    read. Raises Unsupported where paths are too long to be written."""
    differences: dict[bytes, tuple[Side | None, Side | None]] = {}
    trees = Trees(view.odb, view.store.hash_len)
    stack: list[tuple[bytes, bytes | None, bytes | None]] = [(b"", old, new)]
    while stack:
        front, one, two = stack.pop()
        if one == two:
            continue
        view.ctx.tick()
        check_length(front)
        sides = _sides(view, trees, one, two)
        if (size := len(front) * sum(map(len, sides))) >= LARGE:
            view.ctx.keep(size)
        for name in paced(sides[0].keys() | sides[1].keys()):
            before, after = sides[0].get(name), sides[1].get(name)
            if before == after:
                continue
            path = front + name
            folders = [side[1] if side is not None and side[0] == TREE else None for side in (before, after)]
            if folders[0] is not None or folders[1] is not None:
                stack.append((path + b"/", folders[0], folders[1]))
            files = [side if side is not None and side[0] != TREE else None for side in (before, after)]
            if files[0] is not None or files[1] is not None:
                differences[path] = files[0], files[1]
    return differences


def _sides(view: View, trees: Trees, one: bytes | None, two: bytes | None) -> list[dict[bytes, Side]]:
    """What only one of two trees has, by name (None: the empty tree)."""
    try:
        raws = [b"".join(entries) for entries in trees.differing(one, two)]
    except DoubledName:
        raws = [b"" if oid is None else view.odb.tree(oid) for oid in (one, two)]
    return [{name: (mode, child) for mode, name, child in tree_entries(raw, view.store.hash_len)} for raw in raws]


class TwoWay:
    """One move from the tree `old` to the tree `new`."""

    def __init__(self, view: View, old: bytes, new: bytes) -> None:
        self._view, self._work = view, WorkFiles(view)
        self._takes_intents = False  # whether an entry that is only intended is one like others
        self._reset = Changes()
        self._stands: dict[bytes, bool] = {}  # path that is taken back before → whether a file stands there then
        self.differences = tree_differences(view, old, new)
        self.obstacles = Obstacles()
        self.entries: list[EntryChange] = []
        self._files: list[FileChange] = []
        self._displaced: set[bytes] = set()  # entries that go, as new ones need directories in their place
        self._settled: list[bytes] = []  # directories that are not looked at any more, with a slash at their end

    @classmethod
    def between(
        cls, view: View, differences: dict[bytes, tuple[Side | None, Side | None]], reset: Changes | None = None
    ) -> TwoWay:
        """One move over given differences. What `reset` changes before is as the old sides say by then."""
        empty = view.store.empty_tree
        made = cls(view, empty, empty)
        made.differences = differences
        if reset is not None:
            made._reset = reset
            made._stands = {entry.path: bool(entry.after) for entry in reset.entries}
            made._stands |= {file.path: file.after is not None for file in reset.files}
        return made

    @classmethod
    def from_index(cls, view: View, differences: dict[bytes, tuple[Side | None, Side | None]]) -> TwoWay:
        """One move from what the index has: git's one-way merge."""
        made = cls.between(view, differences)
        made._takes_intents = True
        return made

    def run(self, changes: Changes) -> None:
        """Put what moves into `changes`. What is in the way is in `obstacles` afterwards."""
        new = {path: after for path, (_, after) in self.differences.items() if is_attributes(path)}
        before_that = changed_attributes(self._reset)
        self._work.check_out(before_that | {path: None if side is None else side[1] for path, side in new.items()})
        named = self.obstacles.count
        for path in sorted(self.differences):
            self._view.ctx.tick()
            if self._settled and path.startswith(tuple(self._settled)):
                continue
            self._path(path, *self.differences[path])
            if (count := self.obstacles.count) > named:  # git does not go below a path that is in the way
                self._settled.append(path + b"/")
                named = count
        changes.entries += self.entries
        changes.files += self._files
        changes.emptied += self._work.emptied

    def _path(self, path: bytes, before: Side | None, after: Side | None) -> None:
        rows = rows_at(self._view.index, path)
        if path in self._stands:
            self._one(path, before, after, before, rows)
            return
        intended = rows and rows[0].flags >> 29 & 1 and not self._takes_intents
        current = (rows[0].mode, rows[0].oid) if rows and not intended else None
        if rows and current is None and after != (rows[0].mode, rows[0].oid):
            self.obstacles.overwritten.append(path)
        else:
            self._one(path, before, after, current, rows)

    def _one(
        self, path: bytes, before: Side | None, after: Side | None, current: Side | None, rows: tuple[Row, ...]
    ) -> None:
        if current is None:
            if after is None:
                if before is not None:
                    self._gone_already(path, before)
                return
            if before is not None:  # its deletion is staged
                self.obstacles.overwritten.append(path)
                return
            if self._is_submodule(path, after) or self._is_free(path):
                self._take(path, after, rows)
            elif not rows and self._view.sparse is not None:
                words = f"'{text(path)}' has something in its way, which git leaves in a sparse checkout"
                raise Unsupported(words, path=text(path))
            return
        if current == after:
            return
        if current != before:
            self.obstacles.overwritten.append(path)
        elif after is None and self._is_lost_in(path, current):
            return
        elif not self._is_up_to_date(path):
            self.obstacles.changed.append(path)
        elif after is None:
            self.entries.append(EntryChange(path, rows, ()))
            gone = self._work.remove(path)
            if gone is not None:
                self._files.append(gone)
        elif self._folder_is_free(path):
            self._clear_link(path)
            self._take(path, after, rows)

    def _clear_link(self, path: bytes) -> None:
        """Have a symbolic link go that stands where a directory of an entry is: git takes the file for gone, since
        nothing is where the link leads, and makes the directory."""
        holder = self._holder(path) if self._status(path) is None else None
        if holder is None or holder[0] in self.differences:
            return
        gone = self._work.remove(holder[0])
        if gone is not None and all(file.path != gone.path for file in self._files):
            self._files.append(gone)

    def _take(self, path: bytes, after: Side, rows: tuple[Row, ...]) -> None:
        flags = stays_away(self._view, path, rows)
        self.entries.append(EntryChange(path, rows, (Row(0, *after, flags),)))
        self._displace_above(path)
        if flags and is_sparse(self._view):
            return
        written = self._work.write(path, Wanted(*after), fresh=True)
        if written is not None:
            self._files.append(written)

    def _displace_above(self, path: bytes) -> None:
        """Have the entry of a file go, which no tree of the move has, where a new one needs a directory: the file
        itself is gone, or it would have been in the way."""
        for front in directories_above(path):
            if self._view.index.has_path(front) and not (front in self._displaced or front in self.differences):
                self._displaced.add(front)
                if front not in self._stands:
                    self.entries.append(EntryChange(front, rows_at(self._view.index, front), ()))

    # --- what is in the way -----------------------------------------------------------------------------------------

    def _is_up_to_date(self, path: bytes) -> bool:
        return path in self._stands or (self._work.is_up_to_date(path) and not self._has_file_above(path))

    def _has_file_above(self, path: bytes) -> bool:
        """Whether a file stands in the place of a directory on the way, so that git cannot ask for the one below it. A
        link does not count: with nothing where it leads the file is gone."""
        holder = self._holder(path) if self._status(path) is None else None
        return holder is not None and holder[1].st_mode & 0o170000 != SYMLINK

    def _holder(self, path: bytes) -> tuple[bytes, os.stat_result] | None:
        """What stands in the place of a directory on the way to a path, with its status; None where nothing does."""
        for front in directories_above(path):
            info = self._status(front)
            if info is None:
                return None
            if info.st_mode & 0o170000 != _FOLDER:
                return front, info
        return None

    def _status(self, path: bytes) -> os.stat_result | None:
        """A file's status; None too for one that is taken away before."""
        return self._work.status(path) if self._stands.get(path, True) else None

    def _is_lost_in(self, path: bytes, current: Side) -> bool:
        """Whether a directory stands where a file is to go that the index has, and what is in it is in the way: git
        names that, and not the file."""
        info = self._status(path) if current[0] != GITLINK and path not in self._stands else None
        return info is not None and info.st_mode & 0o170000 == _FOLDER and not self._is_cleared(path)

    def _gone_already(self, path: bytes, before: Side) -> None:
        """A file goes whose deletion is staged: what is untracked in its place is in the way, unless it is ignored.
        Strange but git's: a directory that stands there has to give way as well, and what is to be below it is written
        anew."""
        info = self._work.status(path)
        if info is None:
            self._need_no_file_above(path)
        elif info.st_mode & 0o170000 != _FOLDER:
            if not self._is_ignored(path):
                self.obstacles.removed.append(path)
        elif before[0] != GITLINK and self._is_cleared(path):
            self._settled.pop()
            anew = {one for one in self.differences if one.startswith(path + b"/")}
            self._stands |= dict.fromkeys(anew, False)
            self.entries = [entry for entry in self.entries if entry.path not in anew]
            self._files = [file for file in self._files if file.path not in anew]

    def _need_no_file_above(self, path: bytes) -> None:
        """A file in the place of a directory is in the way of what is gone from there, unless it goes or is ignored;
        git names it for each of these."""
        holder = self._holder(path)
        if holder is not None and not self._goes(holder[0]) and not self._is_ignored(holder[0]):
            self.obstacles.removed.append(holder[0])

    def _is_submodule(self, path: bytes, side: Side) -> bool:
        """Whether a submodule comes to where its directory is: what is in that is not looked at."""
        info = self._status(path) if side[0] == GITLINK else None
        return info is not None and info.st_mode & 0o170000 == _FOLDER and not self._below(path)

    def _is_free(self, path: bytes) -> bool:
        """Whether a new file can stand at a path: nothing untracked is lost by it, unless git ignores it."""
        for front in directories_above(path):
            info = self._status(front)
            if info is None:
                return self._folder_is_free(path)
            if info.st_mode & 0o170000 != _FOLDER or front in self._stands:
                return self._may_go(front)
        info = self._status(path)
        if info is None:
            return self._folder_is_free(path)
        if info.st_mode & 0o170000 == _FOLDER:
            return self._folder_is_free(path)
        return self._may_go(path)

    def _may_go(self, path: bytes) -> bool:
        """Whether a file in the way is one that the move removes, or that is ignored: then it goes with the move. Git
        names the others for each file that cannot be."""
        if self._goes(path):
            return True
        at = self._view.index.find(path)
        if at < 0 and self._is_ignored(path):
            gone = self._work.remove(path)
            if gone is not None and all(file.path != path for file in self._files) and path not in self.differences:
                self._files.append(gone)
            return True
        self.obstacles.untracked.append(path)
        return False

    def _goes(self, path: bytes) -> bool:
        before, after = self.differences.get(path, (None, None))
        return before is not None and after is None and (path in self._stands or self._view.index.find(path) >= 0)

    def _is_ignored(self, path: bytes) -> bool:
        return standard_ignore(self._view.store).ignored(path, False)

    def _folder_is_free(self, path: bytes) -> bool:
        """Whether a directory that stands where a file is to be can go. Entries below it go with it whose files are
        gone or as the entries say, staged or not: their content is in objects; so does what is ignored."""
        if self._stands.get(path):
            return True
        info = self._status(path)
        if info is None or info.st_mode & 0o170000 != _FOLDER:
            below = dict.fromkeys(self._below(path))
            staged = [one for one in below if not self._goes(one) and self._stands.get(one, True)]
            self.obstacles.overwritten += staged
            return not staged
        if not self._is_cleared(path):
            return False
        specs = Pathspecs.parse([b":(top,literal)" + path])
        ignored = scan(self._view.store, ScanSpec(pathspecs=specs, ignored_too=True), ctx=self._view.ctx).ignored
        self._files += [gone for one in ignored if (gone := self._work.remove(one)) is not None]
        self._work.give_way(path)
        return True

    def _is_cleared(self, path: bytes) -> bool:
        """Have the entries below a directory go, which is not looked at any more; False where a file holds changes, or
        is untracked."""
        self._settled.append(path + b"/")
        below = list(dict.fromkeys(self._below(path)))
        changed = [one for one in below if not self._holds_no_more(one)]
        if changed:
            self.obstacles.changed.append(changed[0])  # git looks no further
            return False
        if holds_untracked(self._view, path):
            self.obstacles.folders.append(path)
            return False
        if self._work.is_current(path):
            self.obstacles.current.append(path)
            return False
        self.entries += [EntryChange(one, rows_at(self._view.index, one), ()) for one in below]
        self._files += [gone for one in below if (gone := self._work.remove(one)) is not None]
        return True

    def _holds_no_more(self, path: bytes) -> bool:
        """Whether a file holds no more than the index has; that of a conflict does so where it is gone."""
        in_conflict = self._view.index.find(path) < 0
        return self._status(path) is None if in_conflict else self._is_up_to_date(path)

    def _below(self, path: bytes) -> list[bytes]:
        low, high = self._view.index.span(path)
        return self._view.index.paths[low:high] if low < high else []


def is_sparse(view: View) -> bool:
    """Whether what is not to be in the work tree is kept out of it (git-sparse-checkout(1)). Strange but git's: where
    it is not, an entry with that flag that moves has its file written, and keeps the flag."""
    return bool(view.config.get_bool("core.sparsecheckout", False))


def stays_away(view: View, path: bytes, rows: tuple[Row, ...]) -> int:
    """The flag of an entry whose file is not to be in the work tree (skip-worktree), 0 for others. Of a new one it is
    as the patterns of a sparse checkout say."""
    if rows:
        return rows[0].flags & SKIP
    return 0 if view.sparse is None or holds(view.sparse, path) else SKIP


def need_held(view: View, path: bytes) -> None:
    """Raise Unsupported for a path that a sparse checkout leaves out, and that is to be staged from a file."""
    if stays_away(view, path, ()):
        raise Unsupported(f"'{text(path)}' is outside of what the sparse checkout holds", path=text(path))


def leave_out(view: View, changes: Changes) -> None:
    """At the end of a move of files, which is in `changes`: entries that the sparse checkout does not hold are absent
    from then on, whether the move has changed them or not, and their files go (git-sparse-checkout(1)). Those that come
    out of a conflict, or that a stash has brought back, wait for the next move. Raises Unsupported for a file with
    changes of its own, which git leaves there with a warning."""
    if view.sparse is None:
        return
    entries = {entry.path: entry for entry in changes.entries}
    written = {file.path for file in changes.files}
    work = WorkFiles(view)
    for path in sorted({*view.index.paths, *entries}):
        entry = entries.get(path)
        before = rows_at(view.index, path)
        rows = before if entry is None else entry.after
        was_in_conflict, in_conflict = (any(row.stage for row in side) for side in (before, rows))
        if was_in_conflict or (in_conflict and (not before or before[0].flags & SKIP)):
            continue
        if not rows or rows[0].flags & SKIP or path in view.present or holds(view.sparse, path):
            continue
        if path in written:
            changes.files = [file for file in changes.files if file.path != path]
        elif not work.is_up_to_date(path):
            words = f"'{text(path)}' has changes, and is outside of what the sparse checkout holds"
            raise Unsupported(words, path=text(path))
        gone = work.remove(path)
        changes.files += [] if gone is None else [gone]
        if in_conflict:  # strange but git's: the file that the move takes away is not written for the conflict
            continue
        entries[path] = EntryChange(path, before, tuple(replace(row, flags=row.flags | SKIP) for row in rows))
    changes.emptied += work.emptied
    changes.entries = [entries[path] for path in sorted(entries)]


def entries_to(view: View, changes: Changes, wanted: dict[bytes, Side], tracked: list[bytes]) -> None:
    """Put into `changes` what makes entries those that are `wanted`; those of `tracked` that are not go. No file
    changes."""
    for path in paced(sorted({*wanted, *tracked})):
        rows = rows_at(view.index, path)
        side = wanted.get(path)
        if side is not None and len(rows) == 1 and (0, *side) == (rows[0].stage, rows[0].mode, rows[0].oid):
            continue
        away = 0 if side is None else stays_away(view, path, () if rows and rows[0].stage else rows)
        after = () if side is None else (Row(0, *side, away),)
        if rows != after:
            changes.entries.append(EntryChange(path, rows, after))


def need_no_obstacles(obstacles: Obstacles, verb: str, advice: str) -> None:
    """Raise CommandFailed in git's words where anything is in the way (`words_of`); the `verb` "read-tree" is that of
    git's plumbing (`first_words_of`)."""
    if not obstacles:
        return
    if verb == "read-tree":
        words = f"{first_words_of(obstacles)}\nfatal: read-tree failed"
        raise CommandFailed(words, status=128, prefix="error", kind="conflict")
    raise CommandFailed(
        words_of(obstacles, verb, advice).removeprefix("error: "),
        status=1,
        prefix="error",
        kind="conflict",
        paths=[text(path) for path in (*obstacles.overwritten, *obstacles.changed, *obstacles.untracked)],
    )


def words_of(obstacles: Obstacles, verb: str, advice: str) -> str:
    """What git says of what is in the way. `verb` is "checkout" or "merge"; `advice` ends the sentence "Please commit
    your changes or stash them before you …"."""
    parts: list[str] = []
    local = f"Your local changes to the following files would be overwritten by {verb}:"
    commit = f"Please commit your changes or stash them before you {advice}."
    for paths in (obstacles.overwritten, obstacles.changed):
        if paths:
            parts.append(f"error: {local}\n{_listed(paths)}{commit}")
    if obstacles.folders:
        lost = "Updating the following directories would lose untracked files in them:"
        parts.append(f"error: {lost}\n{_listed(obstacles.folders)}")
    if obstacles.current:
        parts.append(f"error: Refusing to remove the current working directory:\n{_listed(obstacles.current)}")
    move = f"Please move or remove them before you {advice}."
    for paths, what in ((obstacles.untracked, "overwritten"), (obstacles.removed, "removed")):
        if paths:
            head = f"The following untracked working tree files would be {what} by {verb}:"
            parts.append(f"error: {head}\n{_listed(paths)}{move}")
    return "\n".join(parts) + "\nAborting"


def first_words_of(obstacles: Obstacles, trees: Collection[bytes] | None = None) -> str:
    """What git's plumbing says, which stops at the first path that is in the way (git-read-tree(1)); "" for none. It
    goes through the paths of its trees (`trees`; None: all are of these), then through what only the index has."""
    kinds = (
        (obstacles.overwritten, "Entry '{}' would be overwritten by merge. Cannot merge."),
        (obstacles.changed, NOT_UP_TO_DATE),
        (obstacles.untracked, "Untracked working tree file '{}' would be overwritten by merge."),
        (obstacles.removed, "Untracked working tree file '{}' would be removed by merge."),
        (obstacles.folders, LOSES_UNTRACKED),
        (obstacles.current, KEEPS_CURRENT),
    )

    is_late = late_in(trees) if trees is not None and obstacles else None
    first = min(
        ((is_late is not None and is_late(path), path, words) for paths, words in kinds for path in paths),
        default=None,
    )
    return "" if first is None else first[2].format(text(first[1]))


def late_in(trees: Collection[bytes]) -> Callable[[bytes], bool]:
    """Which paths of an index git comes to only after those of its trees: those that are none of theirs, that are not
    below a file of theirs, and where they have no directory. Where something of a tree is in the way it does not come
    to these at all, and of these it names no more than the first."""
    folders = {front for path in trees for front in directories_above(path)}
    return lambda path: path not in folders and not any(one in trees for one in (path, *directories_above(path)))


def _listed(paths: list[bytes]) -> str:
    return "".join(f"\t{text(path)}\n" for path in sorted(paths))
