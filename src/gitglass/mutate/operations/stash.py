"""`stash`: what is uncommitted, put aside as commits and brought back. Mirrors git-stash(1).

An entry is a commit of the files (`WIP on`) with HEAD, a commit of the index (`index on`) and, where untracked files
were taken, a commit of those (`untracked files on`) as its parents. `refs/stash` is the newest; the others are lines of
its log, which are rewritten when one is dropped. A plan names the entry by its object: another entry under the same
number makes the plan stale.
"""

from __future__ import annotations

from ...errors import BadRequest, CommandFailed, Unsupported, text
from ...objects.parsed import GITLINK, SYMLINK, Commit
from ...paths.ignore import Ignore
from ...paths.lexical import directories_above
from ...paths.pathspec import Pathspecs
from ...records import record
from ...refs.reflog import read_reflog
from ...repo.gitmodules import submodule_names
from ...request.declared import altered
from ...request.mutations import AddRequest, StashRequest
from ...revs.abbrev import abbrev
from ...worktree.scan import ScanSpec, scan
from ..changes import ABSENT, Changes, EntryChange, FileChange, LogChange, RefChange, Row
from ..checkout.files import Wanted, WorkFiles
from ..checkout.hard import first_stale
from ..checkout.local_changes import local_changes
from ..checkout.outward import is_attributes
from ..checkout.two_way import SKIP, Obstacles, words_of
from ..index_file import rows_at, write_trees
from ..merging.laid import keep_state
from ..merging.merge_trees import Merged, merge_trees
from ..merging.stash_elsewhere import in_two_steps, lay_elsewhere
from ..merging.stash_entries import STASH, add_entry, drop_entries, drop_entry, entry_number
from ..plan import Answer, Plan
from ..view import View
from .add import Staging
from .branch import branch_name, check_free
from .common import (
    ask,
    check_hooks,
    commit_tree,
    encoding_line,
    finished,
    forget_operation,
    need_no_autostash,
    refused_switches,
    tree_rows,
)
from .paths import bare_folders, in_index, need_match, pathspecs_of, unmatched, untracked, with_prefix
from .restore import clear_way

_HEADS = b"refs/heads/"
_NO_PATCH = b'error: No valid patches in input (allow with "--allow-empty")\n'
_TYPE, _FILES = 0o170000, (0o100000, 0o120000)
Side = tuple[int, bytes]


def plan_stash(request: StashRequest, view: View) -> Plan:
    """The plan of one action on the stash. Raises git's words for entries that do not exist, for conflicts, and where
    files would be overwritten."""
    refused_switches(request, ("-k", "--keep-index", "--no-keep-index", "--index", "-a", "--all"))
    view.need_work_tree()
    check_hooks(view, ())
    if request.action in ("create", "store"):
        raise Unsupported(f"git stash: gitglass does not carry out '{request.action}'", option=request.action)
    changes = Changes()
    stash = _Stash(request, view, changes)
    act = {
        "push": stash.push, "save": stash.push, "pop": stash.pop, "apply": stash.apply, "drop": stash.drop,
        "clear": stash.clear, "branch": stash.branch,
    }[request.action]  # fmt: skip
    return finished(request, view, changes, act())


def made_entry(view: View, message: str) -> bytes | None:
    """The commit of what is uncommitted, as an entry would have it, as `stash create` makes it; None where nothing is.
    Raises CommandFailed in git's words for conflicts in the index, and for files that are only intended."""
    stash = _Stash(StashRequest(message=message), view, Changes())
    if stash._head is None:
        raise CommandFailed("You do not have the initial commit yet", status=1, prefix="")
    work = stash._gathered(Pathspecs.ALL)
    return None if work is None else stash._commits(work.index, work.saved, [], None)[0]


@record
class _Work:
    """What is uncommitted: HEAD's files, those of the index, the files that differ (`touched`) as they are on disk
    (`work`), and what an entry holds of them (`saved`)."""

    head: dict[bytes, Side]
    index: dict[bytes, Side]
    work: dict[bytes, Side]
    saved: dict[bytes, Side]
    touched: set[bytes]


class _Stash:
    """One action."""

    def __init__(self, request: StashRequest, view: View, changes: Changes) -> None:
        if request.commit is not None:
            request = altered(request, index=entry_number(view, request.commit))
        self._request, self._view, self._changes = request, view, changes
        self._branch, self._head = view.head()
        self._quiet = bool({"-q", "--quiet"} & set(request.switches))
        self._with_ignored = bool({"-a", "--all"} & set(request.switches))
        self._with_new = request.include_untracked or self._with_ignored

    # --- push -------------------------------------------------------------------------------------------------------

    def push(self) -> Answer:
        view, request = self._view, self._request
        specs = pathspecs_of(view, request.paths) if request.paths else Pathspecs.ALL
        if request.paths and not self._with_new:
            need_match(view, specs)
        if self._head is None:
            need_merged_words(view)
            raise CommandFailed("" if self._quiet else "You do not have the initial commit yet", status=1, prefix="")
        new = self._new_files(specs) if self._with_new else []
        gathered = self._gathered(specs, new=bool(new))
        if gathered is None:
            return Answer(b"" if self._quiet else b"No local changes to save\n")
        head, index, work, touched = gathered.head, gathered.index, gathered.work, gathered.touched
        commit, message = self._commits(index, gathered.saved, new, touched if request.paths else None)
        answer = Answer(b"" if self._quiet else b"Saved working directory and index state %b\n" % message)
        stale = b""
        if request.paths and (err := self._stops(specs, new, {path: work.get(path) for path in touched}, head)):
            answer = Answer(answer.out, err, 1)
        elif not request.paths and (stale := first_stale(view, head, touched)):
            answer = Answer(answer.out, b"%b\nfatal: Could not reset index file to revision 'HEAD'.\n" % stale, 1)
            self._clean(new, set())
        if not answer.err or answer.err == _NO_PATCH:
            if not request.paths:
                WorkFiles(view).check_out({path: side[1] for path, side in head.items() if is_attributes(path)})
            self._put_away(head, index, touched, new, keep=self._keeps and not answer.err)
        if (
            self._keeps and not request.paths and not (index or head)
        ):  # git checks the index's tree out, which has no files
            answer = Answer(answer.out, b"error: pathspec ':/' did not match any file(s) known to git\n", 1)
        add_entry(view, self._changes, commit, message)
        if not request.paths and not stale:
            self._reset_traces()
        return answer

    def _gathered(self, specs: Pathspecs, *, new: bool = False) -> _Work | None:
        """What is uncommitted of some paths; None where nothing is, nor anything `new`."""
        view = self._view
        assert self._head is not None
        need_merged_words(view)
        staging = Staging(view, force=False)
        try:
            tracked = staging.tracked(specs)
        except BadRequest as error:
            raise CommandFailed(error.message + self._not_saved, status=1, prefix="fatal") from None
        head = tree_rows(view, commit_tree(view, self._head))
        index = self._index_rows()
        staged = {
            path for path in index.keys() | head.keys() if index.get(path) != head.get(path) and specs.match(path)
        }
        work = dict(index)
        for entry in tracked:
            _set(work, entry.path, entry.after)
        for entry in self._still_there(staging, [path for path in staged if path not in index]):
            _set(work, entry.path, entry.after)
        touched = staged | {entry.path for entry in tracked}
        intents = self._intents()
        if not touched and not new and not any(specs.match(path) for path in intents):
            return None
        submodule_names(view.store)  # which git reads, and does not go on where they cannot be read
        self._changes.lfs.update(staging.lfs)
        files = WorkFiles(view)
        self._need_reachable(files, sorted(touched & head.keys()))
        if there := next((path for path in intents if files.status(path) is not None), None):
            words = f"Entry '{text(there)}' not uptodate. Cannot merge.{self._not_saved}"
            raise CommandFailed(words, status=1, prefix="error", kind="conflict")
        # what is new in the index and gone from disk is in no difference from HEAD: git saves it as the index has it
        saved = work | {path: side for path, side in index.items() if path in staged - head.keys() - work.keys()}
        return _Work(head, index, work, saved, touched)

    def _need_reachable(self, files: WorkFiles, paths: list[bytes]) -> None:
        """Raise CommandFailed in git's words for a file that is to be saved, and whose directory is a link now."""
        for path in paths:
            infos = map(files.status, directories_above(path))
            if any(info is not None and info.st_mode & _TYPE == SYMLINK for info in infos):
                words = f"'{text(path)}' is beyond a symbolic link\nfatal: Unable to process path {text(path)}"
                raise CommandFailed(words + self._not_saved, status=1, prefix="error")

    @property
    def _not_saved(self) -> str:
        return "" if self._quiet else "\nCannot save the current worktree state"

    @property
    def _keeps(self) -> bool:
        return bool({"-k", "--keep-index"} & set(self._request.switches))

    def _stops(
        self, specs: Pathspecs, new: list[bytes], work: dict[bytes, Side | None], head: dict[bytes, Side]
    ) -> bytes:
        """What git fails at once the entry of some paths is saved: it stages them, which all words have to name files
        for where untracked ones are taken, and takes a patch of them back, which must not be empty."""
        if self._with_new:
            missing = unmatched(specs, in_index(self._view, specs), new, top=False)
            files = WorkFiles(self._view)
            for item in specs.items:
                if text(item.original) in missing and files.status(item.match.rstrip(b"/")) is None:
                    return b"fatal: pathspec '%b' did not match any files\n" % with_prefix(item)
            if not self._with_ignored:
                adding = Staging(self._view, force=False)
                if err := adding.complaints(AddRequest(paths=self._request.paths), specs, new).err:
                    self._changes.entries = sorted(
                        [*adding.tracked(specs), *adding.added(new)], key=lambda entry: entry.path
                    )  # it has staged all the same
                    return err
        return b"" if new or any(side != head.get(path) for path, side in work.items()) else _NO_PATCH

    def _new_files(self, specs: Pathspecs) -> list[bytes]:
        """The files that the index does not have: ignored ones only with `--all`."""
        if not self._with_ignored:
            return untracked(self._view, specs).untracked
        spec = ScanSpec(pathspecs=specs, ignore=Ignore(self._view.store))
        return scan(self._view.store, spec, ctx=self._view.ctx).untracked

    def _still_there(self, staging: Staging, paths: list[bytes]) -> list[EntryChange]:
        """Files whose deletion is staged, and which are there all the same: git saves what they hold."""
        files = WorkFiles(self._view)
        infos = [(path, files.status(path)) for path in sorted(paths)]
        return staging.added([path for path, one in infos if one is not None and one.st_mode & _TYPE in _FILES])

    def _reset_traces(self) -> None:
        """What git leaves behind as it resets the work tree by `git reset --hard`."""
        self._reset_marks()
        self._changes.forget_resolved = True
        work, moved = WorkFiles(self._view), {file.path for file in self._changes.files}
        for path in work.not_as_believed():
            at = self._view.index.find(path)
            file = work.write(path, Wanted(self._view.index.mode(at), self._view.index.oid(at)), fresh=True)
            if path in moved:
                continue
            rows = rows_at(self._view.index, path)
            self._changes.entries.append(EntryChange(path, rows, rows, work.status(path) if file is None else None))
            self._changes.files += [] if file is None else [file]

    def _reset_marks(self) -> None:
        """What any `git reset` to HEAD leaves behind: a line in its log, ORIG_HEAD, and nothing of an operation."""
        view, old = self._view, self._head
        assert old is not None
        if self._branch is not None:
            self._changes.logs.append(LogChange(b"HEAD", old, old, b"reset: moving to HEAD"))
        need_no_autostash(view)
        forget_operation(view, self._changes)
        keep_state(view, self._changes, {b"ORIG_HEAD": old.hex().encode() + b"\n"})

    def _intents(self) -> list[bytes]:
        """Paths that were only noted (`add -N`): git can neither put them away nor merge over them."""
        index = self._view.index
        return sorted(index.paths[at] for at in index.special if index.intent_to_add(at))

    def _index_rows(self) -> dict[bytes, Side]:
        index = self._view.index
        return {
            path: (mode, oid)
            for at, (path, mode, oid) in enumerate(zip(index.paths, index.modes, index.oids))
            if not index.intent_to_add(at)
        }

    def _tree(self, rows: dict[bytes, Side]) -> bytes:
        entries = sorted((path, mode, oid) for path, (mode, oid) in rows.items())
        return write_trees(entries, None, self._view.new.add, self._view.store.empty_tree)[0]

    def _commits(
        self, index: dict[bytes, Side], work: dict[bytes, Side], new: list[bytes], only: set[bytes] | None
    ) -> tuple[bytes, bytes]:
        """The entry's commits; (the entry, its message)."""
        view, old = self._view, self._head
        assert old is not None
        name = b"(no branch)" if self._branch is None else self._branch.removeprefix(_HEADS)
        subject = ask(view, ["show", "-s", "--format=%s", old.hex()]).rstrip(b"\n")
        where = (b"%b: %b %b" % (name, abbrev(view.store, old), subject)).rstrip()
        indexed = self._commit(self._tree(index), [old], b"index on " + where + b"\n")
        parents = [old, indexed]
        if self._with_new:
            others: dict[bytes, Side] = {}
            staging = Staging(view, force=True)
            for entry in staging.added(new):
                if entry.after:
                    others[entry.path] = entry.after[0].mode, entry.after[0].oid
            parents.append(self._commit(self._tree(others), [], b"untracked files on " + where + b"\n"))
        rows = work
        if only is not None:
            rows = dict(index)
            for path in only:
                _set_side(rows, path, work.get(path))
        message = b"WIP on " + where
        if self._request.message:
            message = b"On %b: %b" % (name, self._request.message.encode("utf-8", "surrogateescape"))
        return self._commit(self._tree(rows), parents, message), message

    def _commit(self, tree: bytes, parents: list[bytes], message: bytes) -> bytes:
        view = self._view
        lines = [b"tree %b\n" % tree.hex().encode()]
        lines += [b"parent %b\n" % parent.hex().encode() for parent in parents]
        lines += [b"author %b\n" % view.ident("author"), b"committer %b\n" % view.ident("committer")]
        lines += encoding_line(view)
        return view.new.add(b"commit", b"".join(lines) + b"\n" + message)

    def _put_away(
        self, head: dict[bytes, Side], index: dict[bytes, Side], touched: set[bytes], new: list[bytes], *, keep: bool
    ) -> None:
        """Index and files as HEAD has them (`keep`: as the index has them)."""
        view, files = self._view, WorkFiles(self._view)
        wanted = index if keep else head
        for path in sorted(touched):
            rows, side = rows_at(view.index, path), wanted.get(path)
            after = () if side is None else (Row(0, *side),)
            change = files.remove(path) if side is None else None
            if side is not None and side[0] != GITLINK:
                change = files.write(path, Wanted(*side), fresh=rows != after)
            if change is not None:
                self._changes.files.append(change)
            if rows != after or change is not None:
                self._changes.entries.append(EntryChange(path, rows, after))
        self._clean(new, touched)
        clear_way(files, self._changes)
        for at in view.index.special:
            path = view.index.paths[at]
            if view.index.intent_to_add(at) and path not in touched and not self._request.paths:
                self._changes.entries.append(EntryChange(path, rows_at(view.index, path), ()))
        self._changes.entries.sort(key=lambda entry: entry.path)

    def _clean(self, new: list[bytes], touched: set[bytes]) -> None:
        """Untracked files go, and directories that hold nothing; not those whose place is taken (`touched`)."""
        files = WorkFiles(self._view)
        gone = [files.remove(path) for path in new if path not in touched]
        self._changes.files += [file for file in gone if file is not None]
        if self._with_new and not self._request.paths:
            self._changes.emptied += bare_folders(self._view, ignored=self._with_ignored)

    # --- entries ----------------------------------------------------------------------------------------------------

    def _find(self) -> bytes:
        """The commit of the entry that the request names. Raises CommandFailed."""
        view, request = self._view, self._request
        if view.ref(STASH)[0] == ABSENT and "index" not in request.model_fields_set:
            raise CommandFailed("No stash entries found.", status=1, prefix="")
        log = read_reflog(view.store.refs, STASH)
        entry = log.at(request.index)
        if entry is None and len(log):
            name = "refs/stash" if request.by_number else "stash"
            raise BadRequest(f"log for '{name}' only has {len(log)} entries")
        if entry is None:
            front = "refs/" if request.by_number else ""
            raise CommandFailed(f"{front}stash@{{{request.index}}} is not a valid reference", status=1, prefix="error")
        if len(self._parents(entry.new)) < 2:
            raise CommandFailed(f"'stash@{{{request.index}}}' is not a stash-like commit", status=1, prefix="error")
        return entry.new

    def _parents(self, commit: bytes) -> tuple[bytes, ...]:
        return Commit(commit, self._view.odb.read(commit)[1]).parents

    def drop(self) -> Answer:
        """Take an entry out of the log; its commit is kept by the operation log's record of it."""
        commit = self._find()
        drop_entry(self._view, self._changes, self._request.index)
        line = b"Dropped refs/stash@{%d} (%b)\n" % (self._request.index, commit.hex().encode())
        return Answer(b"" if self._quiet else line)

    def clear(self) -> Answer:
        """Drop every entry."""
        if self._view.ref(STASH)[0] != ABSENT:
            drop_entries(self._view, self._changes)
        return Answer()

    # --- back -------------------------------------------------------------------------------------------------------

    def apply(self) -> Answer:
        """An entry's changes laid over what is there; the entry stays."""
        return self._applied(self._find())

    def pop(self) -> Answer:
        """The same, and the entry is dropped where there was no conflict."""
        kept = b"The stash entry is kept in case you need it again.\n"
        commit = self._find()
        try:
            answer = self._applied(commit)
        except CommandFailed as error:
            out, err = error.streams()
            error.data.update(stdout=out + kept, stderr=err)
            raise
        if answer.status:
            answer.tail = kept
            return answer
        answer.tail = self.drop().out
        return answer

    def _applied(self, commit: bytes) -> Answer:
        """Files and entries of an entry. What is in the way of its changes stops these, not its untracked files."""
        view = self._view
        need_merged_words(view)
        parents = self._parents(commit)
        base, theirs = commit_tree(view, parents[0]), commit_tree(view, commit)
        out, err, stale, clean = b"", self._intents_in_the_way(), b"", False
        if not err:
            index = self._index_rows()
            ours = self._tree(index)
            labels = (b"Updated upstream", b"Stashed changes", b"Stash base")
            reinstated = self._reinstated(parents, base, ours) if "--index" in self._request.switches else None
            merged = merge_trees(view, base, ours, theirs, labels=labels)
            reinstated = None if merged.conflicts else reinstated
            stale = b"" if reinstated is None else self._stale(merged, index, reinstated)
            err = self._lay(merged, index, None if stale else reinstated, stages_all=bool(stale))
            out = b"" if err else b"Already up to date.\n" if theirs == base else merged.messages
            clean = not err and not merged.conflicts
            if not err and theirs != base:
                keep_state(view, self._changes, {b"AUTO_MERGE": merged.tree.hex().encode() + b"\n"})
        if not clean and "--index" in self._request.switches:
            err += b"Index was not unstashed.\n"
        if stale and not err:
            err, clean = stale, False
        if len(parents) > 2 and (there := self._untracked(parents[2])):
            err, clean = err + there, False
        kind = "conflict" if err else ""
        return Answer(out, err, 0 if clean else 1, status_after=not self._quiet, kind=kind)

    def _reinstated(self, parents: tuple[bytes, ...], base: bytes, ours: bytes) -> dict[bytes, Side] | None:
        """The index as it was stashed, merged into the one that is there (`--index`); None where nothing was staged."""
        view = self._view
        staged = commit_tree(view, parents[1])
        if staged in (base, ours):
            return None
        merged = merge_trees(view, base, ours, staged, labels=(b"", b"", b""))
        if merged.conflicts:
            raise CommandFailed("conflicts in index. Try without --index.", status=1, prefix="error")
        self._reset_marks()
        return merged.rows

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
        view, work, changes = self._view, WorkFiles(self._view), self._changes
        names = {path for path in merged.rows.keys() | index.keys() if merged.rows.get(path) != index.get(path)}
        names |= merged.conflicts.keys()
        blocked, files = Obstacles(), list[FileChange]()
        entries: dict[bytes, tuple[Row, ...]] = {}
        for path in sorted(names):
            side, conflict = merged.rows.get(path), merged.conflicts.get(path)
            if self._blocks(work, path, index, blocked):
                continue
            change = work.remove(path) if side is None else work.write(path, Wanted(*side))
            if change is not None:
                files.append(change)
            if conflict is not None:
                entries[path] = conflict
            elif merged.conflicts or stages_all:
                entries[path] = () if side is None else (Row(0, *side),)
            elif path not in index and side is not None:
                entries[path] = (Row(0, *side),)
        if blocked:
            return (words_of(blocked, "merge", "merge") + "\n").encode("utf-8", "surrogateescape")
        changes.files += files
        if reinstated is not None:
            for path in sorted(reinstated.keys() | index.keys()):
                entries[path] = _row_of(reinstated.get(path), rows_at(view.index, path))
        for path in sorted(entries):
            before = rows_at(view.index, path)
            if before != entries[path] or any(file.path == path for file in changes.files):
                changes.entries.append(EntryChange(path, before, entries[path]))
        clear_way(work, changes)
        return b""

    def _intents_in_the_way(self) -> bytes:
        """git's words where entries are only intended: its merge takes them for changes of the index."""
        paths = self._intents()
        head = b"error: Your local changes to the following files would be overwritten by merge:"
        return b"%b\n  %b\n" % (head, b" ".join(paths)) if paths else b""

    def _blocks(self, work: WorkFiles, path: bytes, index: dict[bytes, Side], blocked: Obstacles) -> bool:
        """Whether a file holds changes of its own, or what is untracked is in the way; it is noted."""
        info = work.status(path)
        if info is None:
            return False
        if path in index:
            if work.differs(path):
                blocked.overwritten.append(path)
            return work.differs(path)
        if info.st_mode & _TYPE != 0o040000:
            blocked.untracked.append(path)
            return True
        scanned = untracked(self._view, Pathspecs.parse([b":(top,literal)" + path]))
        if scanned.untracked:
            blocked.folders.append(path)
        else:
            self._changes.emptied.append(path)
        return bool(scanned.untracked)

    def _untracked(self, commit: bytes) -> bytes:
        """The untracked files that an entry holds, where nothing is; git's words for the others."""
        view, work = self._view, WorkFiles(self._view)
        rows = tree_rows(view, commit_tree(view, commit))
        gone = {file.path for file in self._changes.files if file.after is None}
        made = {file.path for file in self._changes.files} - gone
        err = b""
        for path in sorted(rows):
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

    def branch(self) -> Answer:
        """A branch at the commit that an entry was made on, with the entry applied to it and dropped."""
        view, changes = self._view, self._changes
        if len(self._request.paths) < 1:
            raise CommandFailed("No branch name specified", status=1, prefix="")
        commit = self._find()
        start = self._parents(commit)[0]
        try:
            name = branch_name(self._request.paths[0])
        except BadRequest as error:
            error.status = 1
            raise
        if view.ref(name)[0] != ABSENT:
            raise BadRequest(f"a branch named '{self._request.paths[0]}' already exists", status=1)
        check_free(view, name)
        if view.index.unmerged:
            names = b"".join(b"%b: needs merge\n" % path for path in view.index.unmerged)
            raise CommandFailed("you need to resolve your current index first", status=1, prefix="error", stdout=names)
        before, was_symbolic = view.ref(b"HEAD")
        left, old = before.removeprefix(_HEADS) if was_symbolic else before.hex().encode(), self._head
        moved = b"checkout: moving from %b to %b" % (left, name.removeprefix(_HEADS))
        changes.logs.append(LogChange(name, ABSENT, start, b"branch: Created from " + start.hex().encode()))
        changes.logs.append(LogChange(b"HEAD", old or ABSENT, start, moved))
        self._branch, self._head = name, start
        if start == old:
            tree = commit_tree(view, start)
            carried, answer = local_changes(view, tree, tree, changes), self._unstashed()
        else:
            carried, answer = b"", self._elsewhere(commit, old if was_symbolic else None)
        if not answer.status:
            answer.tail = self.drop().out
        changes.refs.append(view.move_ref(name, start))
        changes.refs.append(RefChange(b"HEAD", before, name, symbolic=True, was_symbolic=was_symbolic))
        answer.err = b"Switched to a new branch '%b'\n" % name.removeprefix(_HEADS) + answer.err
        answer.out = carried + answer.out
        return answer

    def _unstashed(self) -> Answer:
        """The entry applied with its index; the branch is made all the same where that fails."""
        self._request = altered(self._request, switches=["--index", *self._request.switches])
        try:
            return self.apply()
        except CommandFailed as error:
            return Answer(*error.streams(), 1)

    def _elsewhere(self, commit: bytes, head: bytes | None) -> Answer:
        """The same where the entry was made on another commit than `head`, which a branch is at."""
        start, index, *rest = self._parents(commit)
        if head is None:
            raise in_two_steps(start, "from no branch, gitglass goes to another commit in a step of its own")
        if commit_tree(self._view, index) != commit_tree(self._view, start):
            self._reset_marks()
        lay_elsewhere(self._view, self._changes, head, (start, commit, index))
        there = self._untracked(rest[0]) if rest else b""
        return Answer(b"", there, 1 if there else 0, status_after=not self._quiet, kind="conflict" if there else "")


def need_merged_words(view: View) -> None:
    """Raise CommandFailed where the index has conflicts, as git's refresh says it."""
    if view.index.unmerged:
        names = "".join(f"{text(path)}: needs merge\n" for path in view.index.unmerged)
        raise CommandFailed("", status=1, stdout=names.encode("utf-8", "surrogateescape"), stderr=b"")


def _row_of(side: Side | None, before: tuple[Row, ...]) -> tuple[Row, ...]:
    """The entry of a side where there is that one `before`: the same one stays with all its flags, another one is kept
    out of the work tree as it is."""
    if side is None or not before or before[0].stage:
        return () if side is None else (Row(0, *side),)
    if (before[0].mode, before[0].oid) == side:
        return before
    return (Row(0, *side, before[0].flags & SKIP),)


def _set(rows: dict[bytes, Side], path: bytes, after: tuple[Row, ...]) -> None:
    _set_side(rows, path, (after[0].mode, after[0].oid) if after else None)


def _set_side(rows: dict[bytes, Side], path: bytes, side: Side | None) -> None:
    if side is None:
        rows.pop(path, None)
    else:
        rows[path] = side
