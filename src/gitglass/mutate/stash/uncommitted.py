"""What is uncommitted, as `git stash` saves it: files of the index as they are on disk, and those that it lacks.
Mirrors git-stash(1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from ...errors import BadRequest, CommandFailed, text
from ...limits import paced
from ...objects.parsed import GITLINK, SYMLINK, TREE
from ...paths.attributes import attributes_of, use_attributes
from ...paths.lexical import directories_above
from ...paths.pathspec import Pathspecs
from ...records import record
from ...repo.store import Store
from ...worktree.convert import Converter, converter_of, use_converter
from ..changes import EntryChange
from ..checkout.files import WorkFiles
from ..checkout.outward import store_of_merge
from ..operations.add import Staging
from ..operations.common import commit_tree, read_submodules, tree_rows
from ..view import View
from .in_the_way import need_room
from .rows import Side, index_rows, intended_paths, need_merged_words, resized

_TYPE, _FILES = 0o170000, (0o100000, 0o120000)
Sides = tuple[Side | None, Side | None]


@record
class Work:
    """What is uncommitted: HEAD's files, those of the index, the files that differ (`touched`) as they are on disk
    (`work`), what an entry holds of them (`saved`), those in whose place a directory stands (`folders`), and the files
    that the index does not have (`new`)."""

    head: dict[bytes, Side]
    index: dict[bytes, Side]
    work: dict[bytes, Side]
    saved: dict[bytes, Side]
    touched: set[bytes]
    folders: set[bytes]
    new: dict[bytes, Side]


class Uncommitted:
    """What is uncommitted beside the commit `head`, of some paths."""

    def __init__(self, view: View, head: bytes, specs: Pathspecs, *, quiet: bool) -> None:
        self._view, self._head, self._specs, self._quiet = view, head, specs, quiet
        self.lfs: dict[str, bytes] = {}

    @cached_property
    def head(self) -> dict[bytes, Side]:
        """HEAD's files."""
        return tree_rows(self._view, commit_tree(self._view, self._head))

    @cached_property
    def index(self) -> dict[bytes, Side]:
        """Those of the index."""
        return index_rows(self._view)

    @cached_property
    def staged(self) -> list[bytes]:
        """All that differ between the two."""
        names = paced(self.index.keys() | self.head.keys())
        return sorted(path for path in names if self.head.get(path) != self.index.get(path))

    def _of(self, path: bytes) -> Sides:
        return self.head.get(path), self.index.get(path)

    def gathered(self, new: list[bytes] | None = None) -> Work | None:
        """All of it, with the files `new` that the index does not have; None where there is nothing. Raises
        CommandFailed in git's words for conflicts, for what is only intended, and for files that cannot be saved."""
        view, specs, head, index = self._view, self._specs, self.head, self.index
        need_merged_words(view)
        self._need_submodules(head, index)
        with_new = self._with_new(new or [])
        staging = Staging(view, force=False, refreshed=True, head=head)
        staged = set(filter(specs.match, paced(self.staged)))
        try:
            tracked = staging.tracked(specs)
            there = self._still_there(staging, [path for path in staged if path not in index])
        except BadRequest as error:
            raise CommandFailed(error.message + self._not_saved, status=1, prefix="fatal") from None
        work, files = dict(index), WorkFiles(view)
        folders = {entry.path for entry in tracked if not entry.after and self._is_folder(files, entry.path)}
        changed = [entry for entry in tracked if entry.path not in folders] + there
        for entry in paced(sorted(changed, key=lambda entry: entry.path)):
            if entry.path not in work:
                need_room(work, entry.path, self._not_saved)
            set_side(work, entry.path, _sides(entry)[1])
        both = paced(staged & index.keys())
        lost = {path for path in both if self._is_believed(path) and files.status(path) is None}
        for path in lost:  # git asks each path that is staged for its file, believed unchanged or not
            del work[path]
        touched = staged | {entry.path for entry in tracked}
        intents = intended_paths(view)
        sides = [*map(self._of, paced(staged)), *map(_sides, paced(tracked))]
        if not (any(map(_counts, sides)) or new or any(map(specs.match, intents)) or resized(view, specs, touched)):
            return None
        self.lfs.update(staging.lfs)
        self._need_reachable(files, sorted(touched & head.keys()))
        if intended := next((path for path in intents if files.status(path) is not None), None):
            words = f"Entry '{text(intended)}' not uptodate. Cannot merge.{self._not_saved}"
            raise CommandFailed(words, status=1, prefix="error", kind="conflict")
        # what is new in the index and gone from disk is in no difference from HEAD: git saves it as the index has it
        new_and_gone = staged - head.keys() - work.keys() - lost
        saved = work | {path: side for path, side in index.items() if path in new_and_gone}
        return Work(head, index, work, saved, touched, folders, with_new)

    def has_any(self, reset: Iterable[bytes]) -> bool:
        """Whether anything is, for an entry of what is staged alone: changes of the paths that are `reset`, or of
        files. Strange but git's: a file that cannot be had in git's form is one, as it looks no further then."""
        view, specs, index = self._view, self._specs, self.index
        changed = list(map(self._of, reset))
        if not any(map(_counts, changed)):  # git looks no further than the first difference
            with view.ctx.warnings() as warnings:
                unstaged = Staging(view, force=False, stores=False, head=self.head).tracked(specs)
                warnings.drop()
            first = min((entry.path for entry in unstaged), default=max(index, default=b""))
            if not any(map(specs.match, self.staged)):
                self._need_submodules({path: side for path, side in index.items() if path <= first})
            changed += map(_sides, unstaged)
        return any(map(_counts, changed)) or bool(resized(view, specs, set()))

    def _with_new(self, paths: list[bytes]) -> dict[bytes, Side]:
        """What files hold that the index does not have, ignored or not; other repositories are left out."""
        try:
            with _attributes_of_files(self._view.store):
                added = Staging(self._view, force=True).added(paths)
        except BadRequest as error:
            words = "" if self._quiet else "\nCannot save the untracked files"
            raise CommandFailed(error.message + words, status=1, prefix="fatal") from None
        return {entry.path: (row.mode, row.oid) for entry in added for row in entry.after}

    def _need_submodules(self, *sides: dict[bytes, Side]) -> None:
        """Read `.gitmodules` where submodules are looked at, as git does. Raises Corrupt where it cannot be read."""
        links = (path for rows in sides for path, side in rows.items() if side[0] == GITLINK)
        if any(map(self._specs.match, links)):
            read_submodules(self._view)

    def _is_believed(self, path: bytes) -> bool:
        """Whether an entry is believed unchanged (`git update-index --assume-unchanged`)."""
        at, index = self._view.index.find(path), self._view.index
        return at >= 0 and bool(index.head(at)[-2] & 0x80) and not index.skip_worktree(at)

    def _is_folder(self, files: WorkFiles, path: bytes) -> bool:
        """Whether a directory stands in the place of a file. Strange but git's: the entry is saved as the index has
        it."""
        info = files.status(path)
        return info is not None and info.st_mode & _TYPE == TREE

    def _need_reachable(self, files: WorkFiles, paths: list[bytes]) -> None:
        """Raise CommandFailed in git's words for a file that is to be saved, and whose directory is a link now."""
        for path in paced(paths):
            infos = map(files.status, directories_above(path))
            if any(info is not None and info.st_mode & _TYPE == SYMLINK for info in infos):
                words = f"'{text(path)}' is beyond a symbolic link\nfatal: Unable to process path {text(path)}"
                raise CommandFailed(words + self._not_saved, status=1, prefix="error")

    @property
    def _not_saved(self) -> str:
        return "" if self._quiet else "\nCannot save the current worktree state"

    def _still_there(self, staging: Staging, paths: list[bytes]) -> list[EntryChange]:
        """Files whose deletion is staged, and which are there all the same: git saves what they hold."""
        files = WorkFiles(self._view)
        infos = [(path, files.status(path)) for path in sorted(paths)]
        added = staging.added([path for path, one in infos if one is not None and one.st_mode & _TYPE in _FILES])
        return [entry for entry in added if entry.after]  # nothing makes room for them (`need_room`)


def set_side(rows: dict[bytes, Side], path: bytes, side: Side | None) -> None:
    """What some rows have at a path."""
    if side is None:
        rows.pop(path, None)
    else:
        rows[path] = side


def _sides(entry: EntryChange) -> Sides:
    """What the index has of a path, and what its file is."""
    before, after = ((rows[0].mode, rows[0].oid) if rows else None for rows in (entry.before, entry.after))
    return before, after


def _counts(sides: Sides) -> bool:
    """Whether a change is a reason to make an entry. Strange but git's: one of a submodule alone is not, staged or not,
    but goes into an entry that is made all the same."""
    return not any(sides) or any(side is not None and side[0] != GITLINK for side in sides)


@contextmanager
def _attributes_of_files(store: Store) -> Iterator[None]:
    """Go by the attributes of the work tree alone, as git does where it adds untracked files to an index of their
    own."""
    other = store_of_merge(store)
    if other is store:
        yield
        return
    before = attributes_of(store), converter_of(store)
    use_attributes(store, attributes_of(other))
    use_converter(store, Converter(store))
    try:
        yield
    finally:
        use_attributes(store, before[0])
        use_converter(store, before[1])
