"""An entry of the stash brought back: `stash apply`, `pop` and `branch`. Mirrors git-stash(1)."""

from __future__ import annotations

from ...errors import CommandFailed
from ...objects.parsed import TREE
from ...paths.lexical import directories_above
from ..changes import Changes, EntryChange, Row
from ..checkout.files import Wanted, WorkFiles
from ..checkout.outward import store_of_tree
from ..checkout.two_way import TwoWay, entries_to, is_sparse, words_of
from ..index_file import rows_at
from ..merging.laid import keep_state
from ..merging.laying import absent_files
from ..merging.merge_trees import Merged, labelled, merge_trees
from ..plan import Answer
from ..stash.patched import patched
from ..stash.rows import (
    Side,
    displaced,
    index_rows,
    intended_paths,
    need_merged_words,
    reset_marks,
    row_of,
    rows_tree,
    with_files,
)
from ..view import View
from .common import commit_tree, tree_rows

_TYPE = 0o170000


def parents_of(view: View, commit: bytes) -> tuple[bytes, ...]:
    """What an entry's commit has for parents: the commit it was made on, its index, its untracked files. Grafts
    count."""
    return view.odb.commit_facts(commit)[0]


def reinstated(view: View, commit: bytes, index: dict[bytes, Side]) -> tuple[dict[bytes, Side] | None, bytes]:
    """(the `index` with what was staged in it again, which git applies as a patch; None where nothing was staged; git's
    warnings). Raises CommandFailed where it does not apply. The patch is what the second parent, the index, changed in
    its own parent: of a merge that `stash store` has put there, that need not be the first parent."""
    parents = parents_of(view, commit)
    staged = commit_tree(view, parents[1])
    if staged in (commit_tree(view, parents[0]), rows_tree(view, index)):
        return None, b""
    before = parents_of(view, parents[1])
    if not before:
        raise _no_patch(commit)
    rows, lines = patched(view, index, commit_tree(view, before[0]), staged)
    if rows is None:
        prefix, _, words = "\n".join([*lines, "error: conflicts in index. Try without --index."]).partition(": ")
        raise CommandFailed(words, status=1, prefix=prefix)
    return rows, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def _no_patch(commit: bytes) -> CommandFailed:
    """What git says where the index of an entry is a commit without a parent."""
    name = commit.hex()
    words = (
        f"ambiguous argument '{name}^2^..{name}^2': unknown revision or path not in the working tree.\n"
        "Use '--' to separate paths from revisions, like this:\n"
        "'git <command> [<revision>...] -- [<file>...]'\n"
        f"error: could not generate diff {name}^!."
    )
    return CommandFailed(words, status=1)


class Unstashing:
    """One entry laid over what is there; HEAD is `at` a branch (None: none) and a commit. `with_index`: its index comes
    back too."""

    def __init__(
        self, view: View, changes: Changes, at: tuple[bytes | None, bytes | None], *, with_index: bool
    ) -> None:
        self._view, self._changes, self._at, self._with_index = view, changes, at, with_index
        self._displaced = self._warned = b""

    def run(self, commit: bytes, *, quiet: bool) -> Answer:
        """Files and entries of an entry. What is in the way of its changes stops these, not its untracked files."""
        view = self._view
        need_merged_words(view)
        parents = parents_of(view, commit)
        base, theirs = commit_tree(view, parents[0]), commit_tree(view, commit)
        out, err, stale, clean = b"", self._intents_in_the_way(), b"", False
        if not err:
            index = index_rows(view)
            ours = rows_tree(view, index)
            labels = (b"Updated upstream", b"Stashed changes", b"Stash base")
            coming = self._reinstated(commit, index) if self._with_index else None
            err = b"" if coming is None else self._unstaged(index)
        if not err:
            merged = merge_trees(view, base, ours, theirs, labelled(view.store, labels))
            coming = None if merged.conflicts else coming
            stale = b"" if coming is None else self._stale(merged, index, coming)
            err = self._lay(merged, index, None if stale else coming, stages_all=bool(stale))
            out = b"" if err else b"Already up to date.\n" if theirs == base else merged.messages
            clean = not err and not merged.conflicts
            if not err and theirs != base:
                keep_state(view, self._changes, {b"AUTO_MERGE": merged.tree.hex().encode() + b"\n"})
        if not clean and self._with_index:
            err += b"Index was not unstashed.\n"
        if stale and not err:
            err, clean = stale, False
        if len(parents) > 2 and (there := self.untracked(parents[2])):
            err, clean = err + there, False
        kind = "conflict" if err else ""
        return Answer(out, self._warned + self._displaced + err, 0 if clean else 1, status_after=not quiet, kind=kind)

    def _unstaged(self, index: dict[bytes, Side]) -> bytes:
        """Where an index comes back and something is staged, git makes the index HEAD's, and then finds that this is
        not the one that it began with: its words; b"" where nothing is staged."""
        view, head = self._view, self._at[1]
        there = {} if head is None else tree_rows(view, commit_tree(view, head))
        paths = sorted(path for path in there.keys() | index.keys() if there.get(path) != index.get(path))
        if paths:
            entries_to(view, self._changes, there, list(dict.fromkeys(view.index.paths)))
            self._changes.refresh = True
        return _in_the_way(paths)

    def _reinstated(self, commit: bytes, index: dict[bytes, Side]) -> dict[bytes, Side] | None:
        """`reinstated`, with what is to happen to the index and its resolved conflicts first."""
        rows, self._warned = reinstated(self._view, commit, index)
        branch, head = self._at
        if rows is not None and head is not None:
            reset_marks(self._view, self._changes, head, on_branch=branch is not None)
            self._changes.forget_resolved = True
        return rows

    def _stale(self, merged: Merged, index: dict[bytes, Side], reinstated: dict[bytes, Side]) -> bytes:
        """What git says where an entry would get another one of the index that was stashed, and its file holds changes
        of its own: then the index stays as the merge left it. b"" where none would."""
        work = WorkFiles(self._view)
        for path in sorted(index):
            side = index[path]
            if merged.rows.get(path) == side != reinstated.get(path) and not work.is_up_to_date(path):
                return b"error: Entry '%b' not uptodate. Cannot merge.\n" % path
        return b""

    def _lay(
        self, merged: Merged, index: dict[bytes, Side], reinstated: dict[bytes, Side] | None, *, stages_all: bool
    ) -> bytes:
        """What the merge changes, in files; in the index only what is new, in conflict, or `reinstated`, unless it
        `stages_all`. Nothing where something is in the way; git's words for that."""
        view, changes = self._view, self._changes
        differing = {
            path: (index.get(path), merged.rows.get(path))
            for path in merged.rows.keys() | index.keys()
            if merged.rows.get(path) != index.get(path)
        }
        move, laid = TwoWay.between(view, differing), Changes()
        move.run(laid)
        if move.obstacles:
            view.outward = None  # nothing is checked out
            return (words_of(move.obstacles, "merge", "merge") + "\n").encode("utf-8", "surrogateescape")
        changes.forget_resolved = True  # git's merge makes the index anew
        paths = sorted(differing.keys() | merged.conflicts.keys())
        as_it_was = not merged.conflicts and not stages_all and reinstated is None  # the index, but for what is new
        coming = paths if as_it_was or not is_sparse(view) else merged.conflicts.keys()
        changes.files += [*laid.files, *absent_files(view, coming, merged.rows, laid)]
        changes.emptied += laid.emptied
        view.present |= set(paths) if as_it_was else set()
        entries: dict[bytes, tuple[Row, ...]] = {}
        gone = displaced({path for path, (before, after) in differing.items() if before is None and after}, index)
        for path in paths:
            side, conflict = merged.rows.get(path), merged.conflicts.get(path)
            if conflict is not None:
                entries[path] = conflict
            elif merged.conflicts or stages_all or (path not in index and side is not None):
                entries[path] = row_of(side, rows_at(view.index, path))
            elif path in gone:  # git would have the entry stay as it is, and cannot
                entries[path] = ()
                self._displaced += b"error: '%b' appears as both a file and as a directory\n" % path
            elif as_it_was:
                entries[path] = with_files(rows_at(view.index, path))
        if reinstated is not None:
            self._displaced = b""
            for path in sorted(reinstated.keys() | index.keys()):
                entries[path] = row_of(reinstated.get(path), rows_at(view.index, path))
        for path in sorted(entries):
            before = rows_at(view.index, path)
            if before != entries[path] or any(file.path == path for file in changes.files):
                changes.entries.append(EntryChange(path, before, entries[path]))
        return b""

    def _intents_in_the_way(self) -> bytes:
        """git's words where entries are only intended: its merge takes them for changes of the index."""
        return _in_the_way(intended_paths(self._view))

    def untracked(self, commit: bytes) -> bytes:
        """The untracked files that an entry holds, where nothing is; git's words for the others. It goes no further
        than to a file that stands where a directory is needed."""
        view, work = self._view, WorkFiles(self._view)
        rows = tree_rows(view, commit_tree(view, commit))
        gone = {file.path for file in self._changes.files if file.after is None}
        made = {file.path for file in self._changes.files} - gone
        view.outward_of.update(dict.fromkeys(rows.keys() - made, store_of_tree(view.store, rows, self._changes.files)))
        err = b""
        for path in sorted(rows):
            fronts = (front for front in directories_above(path) if front not in gone)
            if (front := next((one for one in fronts if one in made or _is_file(work, one)), None)) is not None:
                err += b"fatal: cannot create directory at '%b': File exists\n" % front
                break
            there = path in made or (work.status(path) is not None and path not in gone)
            if there and not self._goes(path, gone):
                err += b"%b already exists, no checkout\n" % path
            elif (change := work.write(path, Wanted(*rows[path]))) is not None:
                self._changes.files.append(change)
        return err and err + b"error: could not restore untracked files from stash\n"

    def _goes(self, path: bytes, gone: set[bytes]) -> bool:
        """Whether a directory goes with the last of its files, which the entry's changes remove."""
        files = self._view.store.files
        info = None if files is None else files.lstat(path)
        if files is None or info is None or info.st_mode & _TYPE != 0o040000:
            return False
        names = [path + b"/" + name for name in files.names(path) or []]
        return bool(names) and all(name in gone or self._goes(name, gone) for name in names)


def _is_file(work: WorkFiles, path: bytes) -> bool:
    """Whether anything but a directory stands at a path."""
    info = work.status(path)
    return info is not None and info.st_mode & _TYPE != TREE


def _in_the_way(paths: list[bytes]) -> bytes:
    """What git says of an index that is not the one that is merged into; b"" for no paths."""
    head = b"error: Your local changes to the following files would be overwritten by merge:"
    return b"%b\n  %b\n" % (head, b" ".join(paths)) if paths else b""
