"""`stash`: what is uncommitted, put aside as commits and brought back. Mirrors git-stash(1).

An entry is a commit of the files (`WIP on`) with HEAD, a commit of the index (`index on`) and, where untracked files
were taken, a commit of those (`untracked files on`) as its parents. `refs/stash` is the newest; the others are lines of
its log, which are rewritten when one is dropped. A plan names the entry by its object: another entry under the same
number makes the plan stale.
"""

from __future__ import annotations

from ...errors import BadRequest, CommandFailed, Corrupt, text
from ...limits import watched
from ...objects.parsed import GITLINK
from ...paths.ignore import Ignore
from ...paths.lexical import directories_above
from ...paths.pathspec import Item, Pathspecs
from ...refs.reflog import read_reflog
from ...repo.store import Store
from ...request.declared import altered
from ...request.mutations import AddRequest, StashRequest
from ...revs.abbrev import abbrev
from ...revs.resolve import try_resolve
from ...worktree.scan import ScanSpec, scan
from ...worktree.stat_cache import gitlinks
from ...worktree.submodules import submodule_head
from ..changes import ABSENT, Changes, EntryChange, LogChange, RefChange, Row
from ..checkout.files import Wanted, WorkFiles, bare_folders, started_in
from ..checkout.hard import first_stale
from ..checkout.local_changes import local_changes
from ..checkout.outward import is_attributes
from ..checkout.two_way import entries_to, is_sparse, stays_away
from ..index_file import rows_at
from ..merging.laid import unmerged_words
from ..plan import Answer, Plan
from ..stash.elsewhere import in_two_steps, lay_elsewhere
from ..stash.entries import (
    STASH,
    add_entry,
    commit_like_an_entry,
    drop_entries,
    drop_entry,
    entry_number,
    last_branch_read,
)
from ..stash.in_the_way import cleared_first, embedded_words, need_way_back, patch_words
from ..stash.rows import Side, intended_paths, need_merged_words, reset_marks, resized, rows_tree
from ..stash.staged import take_back
from ..stash.uncommitted import Uncommitted, Work, set_side
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
from .paths import (
    in_index,
    is_there,
    need_match,
    outside_words,
    parted,
    pathspecs_of,
    picked,
    picked_new,
    submodules_of,
    unmatched,
    untracked,
    with_prefix,
)
from .restore import clear_way
from .unstash import Unstashing, parents_of, reinstated

_HEADS = b"refs/heads/"
_NOBODY = b"git stash", b"git@stash"  # by whom an entry is, with git too, where the settings do not say
_NO_PATCH = b'error: No valid patches in input (allow with "--allow-empty")\n'


def plan_stash(request: StashRequest, view: View) -> Plan:
    """The plan of one action on the stash. Raises git's words for entries that do not exist, for conflicts, and where
    files would be overwritten."""
    taken = ("-k", "--keep-index", "--no-keep-index", "--index", "-a", "--all", "-S", "--staged")
    refused_switches(request, taken if request.action not in ("create", "store") else ())
    view.need_work_tree()
    check_hooks(view, ())
    if request.action in ("push", "save", "create"):
        view.nobody = _NOBODY
    changes = Changes()
    stash = _Stash(request, view, changes)
    act = {
        "push": stash.push, "save": stash.push, "pop": stash.pop, "apply": stash.apply, "drop": stash.drop,
        "clear": stash.clear, "branch": stash.branch, "create": stash.create, "store": stash.store,
    }[request.action]  # fmt: skip
    return finished(request, view, changes, act())


def made_entry(view: View, message: str) -> bytes | None:
    """The commit of what is uncommitted, as an entry would have it, as `stash create` makes it; None where nothing is.
    Raises CommandFailed in git's words for conflicts in the index, and for files that are only intended."""
    stash = _Stash(StashRequest(message=message), view, Changes())
    names = b"".join(b"%b: needs merge\n" % path for path in view.index.unmerged)
    if stash._head is None:
        raise CommandFailed("", status=1, stdout=names, stderr=b"You do not have the initial commit yet\n")
    if view.index.unmerged:
        words = unmerged_words(view) + b"Cannot save the current index state\n"
        raise CommandFailed("", status=1, stdout=names, stderr=words)
    work = Uncommitted(view, stash._head, Pathspecs.ALL, quiet=False).gathered()
    return None if work is None else stash._commits(work, Pathspecs.ALL)[0]


class _Stash:
    """One action."""

    def __init__(self, request: StashRequest, view: View, changes: Changes) -> None:
        self._other: bytes | None = None  # the commit that is named where it is no entry
        if request.commit is not None and request.action in ("apply", "branch"):
            self._other = commit_like_an_entry(view, request.commit)
        if request.commit is not None and self._other is None:
            request = altered(request, index=entry_number(view, request.commit))
        self._request, self._view, self._changes = request, view, changes
        self._branch, self._head = view.head()
        self._quiet = bool({"-q", "--quiet"} & set(request.switches))
        self._with_ignored = bool({"-a", "--all"} & set(request.switches))
        self._with_new = request.include_untracked or self._with_ignored

    # --- push -------------------------------------------------------------------------------------------------------

    def push(self) -> Answer:
        view, request = self._view, self._request
        only_staged = bool({"-S", "--staged"} & set(request.switches))
        if only_staged and self._with_new:
            words = "Can't use --staged and --include-untracked or --all at the same time"
            raise CommandFailed(words, status=1, prefix="")
        specs = pathspecs_of(view, request.paths) if request.paths else Pathspecs.ALL
        if request.paths and not self._with_new:
            need_match(view, specs)
        if self._head is None:
            need_merged_words(view)
            raise CommandFailed("" if self._quiet else "You do not have the initial commit yet", status=1, prefix="")
        if only_staged:
            return self._push_staged(specs)
        with view.ctx.warnings():
            new = self._new_files(specs) if self._with_new else []
            warned = list(view.ctx.stderr)
        uncommitted = Uncommitted(view, self._head, specs, quiet=self._quiet)
        gathered = uncommitted.gathered(new)
        if gathered is None:
            return self._nothing()
        for line in warned * 2 if request.paths else ():  # as it makes the commit git looks again, and as it cleans up
            view.ctx.stderr.append(line)
        self._changes.lfs.update(uncommitted.lfs)
        head, index, work, touched = gathered.head, gathered.index, gathered.work, gathered.touched
        commit, message = self._commits(gathered, specs)
        answer = Answer(b"" if self._quiet else b"Saved working directory and index state %b\n" % message)
        stale = lone = b""
        there = {path: None if path in gathered.folders else work.get(path) for path in touched}
        keeps = self._keeps
        if request.paths:
            answer.err, stops = self._stops(specs, new, there, head)
            answer.status, keeps = int(stops), keeps and not stops
        elif stale := first_stale(view, head, touched):
            answer = Answer(answer.out, b"%b\nfatal: Could not reset index file to revision 'HEAD'.\n" % stale, 1)
            self._clean(new, set())
        if keeps and not stale and (lone := self._unkept(specs, index, head)):
            keeps, answer.err, answer.status = False, answer.err + lone, 1
        if answer.err == _NO_PATCH:  # the files are HEAD's, and what was staged is not any more
            self._stage(specs, new)
        elif not answer.status or lone:
            if not request.paths:
                self._check_out(gathered, new)
            else:
                lacking = [path for path in head if path in touched and there[path] is None]
                need_way_back(view, [path for path in lacking if head[path][0] != GITLINK], {*touched, *new})
                self._warn_of_submodules(specs, head)
            self._put_away(head, index, touched, new, keep=keeps)
        add_entry(view, self._changes, commit, message)
        like = resized(view, specs, {entry.path for entry in self._changes.entries} | touched)
        if request.paths:
            self._changes.entries += like
        elif not stale:
            self._reset_traces([entry.path for entry in like])
        self._changes.entries.sort(key=lambda entry: entry.path)
        return answer

    def _warn_of_submodules(self, specs: Pathspecs, head: dict[bytes, Side]) -> None:
        """git's warning of submodules at other commits than HEAD has: it stages these and takes that back, and tries to
        remove their directories."""
        view, files = self._view, self._view.store.files
        for at in gitlinks(view.index):
            path = view.index.path(at)
            there = submodule_head(view.store, path) or view.index.oid(at)
            if specs.match(path) and head.get(path) != (GITLINK, there) and files is not None and files.names(path):
                view.ctx.warn(f"unable to rmdir '{text(path)}': Directory not empty")

    def _check_out(self, gathered: Work, new: list[bytes]) -> None:
        """Have files be written by the attributes of HEAD; with `--keep-index` those that the index has otherwise are
        written after that, by its own, before what it lacks goes."""
        head, index, view = gathered.head, gathered.index, self._view
        names = [path for path in (*head, *index, *new) if is_attributes(path)]
        work, stores = WorkFiles(view), list[Store]()
        for path, (mode, oid) in head.items():
            if mode == GITLINK:
                work.write(path, Wanted(mode, oid))  # which refuses one that has no directory
        for side in (head, head | index, index)[: 3 if self._keeps else 1]:
            work.check_out({path: side[path][1] if path in side else None for path in names})
            stores.append(view.outward or view.store)
        if self._keeps and any(index.get(path) != head.get(path) for path in names):
            view.outward_of = {path: stores[index.get(path) != head.get(path)] for path in gathered.touched}

    def _nothing(self) -> Answer:
        return Answer(b"" if self._quiet else b"No local changes to save\n")

    def _push_staged(self, specs: Pathspecs) -> Answer:
        """Everything that is staged, and nothing else; only the entries of some paths become HEAD's then."""
        view = self._view
        assert self._head is not None
        need_merged_words(view)
        uncommitted = Uncommitted(view, self._head, specs, quiet=self._quiet)
        head, index, staged = uncommitted.head, uncommitted.index, uncommitted.staged
        reset = [path for path in sorted({*staged, *intended_paths(view)}) if specs.match(path)]
        if not uncommitted.has_any(reset):
            return self._nothing()
        if not staged:
            raise CommandFailed("" if self._quiet else "No staged changes", status=1, prefix="")
        commit, message = self._commits(Work(head, index, index, index, set(), set(), {}))
        add_entry(view, self._changes, commit, message)
        answer = Answer(b"" if self._quiet else b"Saved working directory and index state %b\n" % message)
        if err := take_back(view, self._changes, staged, head, index):
            return Answer(answer.out, err + (b"" if self._quiet else b"Cannot remove worktree changes\n"), 1)
        if not self._keeps:
            entries_to(view, self._changes, {path: side for path, side in head.items() if specs.match(path)}, reset)
            if not self._request.paths:
                self._marks()
        self._changes.refresh = True
        return answer

    @property
    def _keeps(self) -> bool:
        options = [switch for switch in self._request.switches if switch.endswith("keep-index") or switch == "-k"]
        return bool(options) and options[-1] != "--no-keep-index"

    def _stops(
        self, specs: Pathspecs, new: list[bytes], work: dict[bytes, Side | None], head: dict[bytes, Side]
    ) -> tuple[bytes, bool]:
        """What git says once the entry of some paths is saved, and whether it fails then: it stages them, which all
        words have to name files for where untracked ones are taken, and takes a patch of them back, which must not be
        empty."""
        view = self._view
        if absent := self._only_absent(specs, new):
            listed = view.store.index.paths
            for item in absent:  # what a sparse index does not list file by file is no file to `git add`
                if not any(item.covers(path, False) for path in listed):
                    return b"fatal: pathspec '%b' did not match any files\n" % with_prefix(item), True
            self._stage(specs, new)  # it has staged the others all the same
            names = [text(with_prefix(item)) for item in absent]
            return f"{outside_words(names)}\n".encode("utf-8", "surrogateescape"), True
        added = b""
        if self._with_new:
            missing = picked(specs, sorted([*view.index.paths, *new]), submodules_of(view.index))[1]
            for item in specs.items:
                if item.match and text(item.original) in missing and not is_there(view, item):
                    return b"fatal: pathspec '%b' did not match any files\n" % with_prefix(item), True
            if not self._with_ignored:
                adding = Staging(view, force=False)
                if err := adding.complaints(AddRequest(paths=self._request.paths), specs, new).err:
                    self._stage(specs, new)  # it has staged all the same
                    return err, True
            added, fails = embedded_words(view, new)
            if fails:
                return added, True
        changed = {path for path, side in work.items() if side != head.get(path)}
        lacking = {path for path in work.keys() & head.keys() if not view.index.has_path(path)}
        if words := patch_words(view, {path for path in changed if view.index.has_path(path)} | lacking - set(new)):
            self._stage(specs, new)
        elif not set(new) - head.keys() and all(side == head.get(path) for path, side in work.items()):
            words = _NO_PATCH
        return added + words, bool(words)

    def _unkept(self, specs: Pathspecs, index: dict[bytes, Side], head: dict[bytes, Side]) -> bytes:
        """What git says with `--keep-index` where it checks the index's tree out again: each word, or the one for all,
        has to name a file of that, or of HEAD, that is to be in the work tree; b"" where each does."""
        away, there = parted(self._view.index, sorted({*index, *head}))
        paths = sorted([*there, *(path for path in away if index.get(path) != head.get(path))])
        unkept = set(unmatched(specs, paths, top=False))
        words = [with_prefix(item) for item in specs.items if text(item.original) in unkept]
        if not self._request.paths and not paths:
            words = [b":/"]
        return b"".join(b"error: pathspec '%b' did not match any file(s) known to git\n" % word for word in words)

    def _stage(self, specs: Pathspecs, new: list[bytes]) -> None:
        """Have the index hold what git stages before it takes a patch of that back."""
        adding = Staging(self._view, force=False)
        self._changes.entries = sorted([*adding.tracked(specs), *adding.added(new)], key=lambda entry: entry.path)

    def _only_absent(self, specs: Pathspecs, new: list[bytes]) -> list[Item]:
        """Words that name only files that are not to be in the work tree, as git hands them to `git add`."""
        away, there = parted(self._view.index, in_index(self._view, specs), self._view.sparse)
        missing = unmatched(specs, there, new, top=False) if away else []
        lone = unmatched(specs, away, top=False) if missing else []
        words = [word for word in missing if word not in lone]
        return [item for item in specs.items if text(item.original) in words]

    def _new_files(self, specs: Pathspecs) -> list[bytes]:
        """The files that the index does not have: ignored ones only with `--all`."""
        if not self._with_ignored:
            return picked_new(specs, untracked(self._view, specs).untracked)
        spec = ScanSpec(pathspecs=specs, ignore=Ignore(self._view.store))
        return picked_new(specs, scan(self._view.store, spec, ctx=self._view.ctx).untracked)

    def _reset_traces(self, resized_paths: list[bytes]) -> None:
        """What git leaves as it runs `git reset --hard`: files of another size than noted are written again."""
        self._marks()
        self._changes.forget_resolved = True
        work, moved = WorkFiles(self._view), {file.path for file in self._changes.files}
        moved |= {entry.path for entry in self._changes.entries if not entry.after}
        for path in [*work.not_as_believed(), *resized_paths]:
            at = self._view.index.find(path)
            file = work.write(path, Wanted(self._view.index.mode(at), self._view.index.oid(at)), fresh=True)
            if path in moved:
                continue
            rows = rows_at(self._view.index, path)
            self._changes.entries.append(EntryChange(path, rows, rows, work.status(path) if file is None else None))
            self._changes.files += [] if file is None else [file]

    def _marks(self) -> None:
        assert self._head is not None
        reset_marks(self._view, self._changes, self._head, on_branch=self._branch is not None)

    def _commits(self, gathered: Work, specs: Pathspecs | None = None) -> tuple[bytes, bytes]:
        """The entry's commits, with the files that `specs` match (None: of what is staged alone); (the entry, its
        message)."""
        view, old = self._view, self._head
        assert old is not None
        name = b"(no branch)" if self._branch is None else self._branch.removeprefix(_HEADS)
        subject = ask(view, ["show", "-s", "--format=%s", old.hex()]).rstrip(b"\n")
        where = (b"%b: %b %b" % (name, abbrev(view.store, old), subject)).rstrip()
        indexed = self._commit(rows_tree(view, gathered.index), [old], b"index on " + where + b"\n")
        parents = [old, indexed]
        if self._with_new:
            parents.append(self._commit(rows_tree(view, gathered.new), [], b"untracked files on " + where + b"\n"))
        rows = gathered.saved
        if self._request.paths:
            rows = dict(gathered.index)
            for path in gathered.touched:
                set_side(rows, path, gathered.saved.get(path))
        message = b"WIP on " + where
        if self._request.message:
            shown = name
            if self._branch is not None and specs is not None:
                shown = last_branch_read(view, name, gathered, specs)
            message = b"On %b: %b" % (shown, self._request.message.encode("utf-8", "surrogateescape"))
        return self._commit(rows_tree(view, rows), parents, message), message

    def _commit(self, tree: bytes, parents: list[bytes], message: bytes) -> bytes:
        view = self._view
        lines = [b"tree %b\n" % tree.hex().encode()]
        lines += [b"parent %b\n" % parent.hex().encode() for parent in parents]
        lines += [b"author %b\n" % view.ident("author"), b"committer %b\n" % view.ident("committer")]
        lines += encoding_line(view)
        return view.new_commit(b"".join(lines) + b"\n" + message)

    def _put_away(
        self, head: dict[bytes, Side], index: dict[bytes, Side], touched: set[bytes], new: list[bytes], *, keep: bool
    ) -> None:
        """Index and files as HEAD has them (`keep`: as the index has them)."""
        view, files = self._view, WorkFiles(self._view)
        wanted = index if keep else head
        for path in sorted(touched):
            view.ctx.tick()
            rows, side = rows_at(view.index, path), wanted.get(path)
            same = len(rows) == 1 and side == (rows[0].mode, rows[0].oid)  # what is believed of it is, still
            again = keep and head.get(path) != side  # staged, and taken from there once more
            flags = rows[0].flags if same else stays_away(view, path, rows)
            flags = 0 if again or is_sparse(view) else flags  # `leave_out` sees to a sparse checkout
            after = () if side is None else (Row(0, *side, flags),)
            change = files.unlink(path) if rows and path not in head else None  # in any case it is HEAD's first
            if side is None:
                change = change or files.remove(path)
            elif side[0] != GITLINK:
                change = files.write(path, Wanted(*side), fresh=keep or rows != after)
            if change is not None:
                self._changes.files.append(change)
            if rows != after or change is not None:
                self._changes.entries.append(EntryChange(path, rows, after))
        self._clean(new, touched)
        if keep:
            lacking = {path: head[path] for path in touched if path in head and path not in index}
            self._changes.emptied += files.folders_left(lacking)  # HEAD's files were there first
            self._changes.files += cleared_first(files, lacking, {*index, *(one.path for one in self._changes.files)})
        clear_way(files, self._changes)
        for at in view.index.special:
            path = view.index.paths[at]
            if view.index.intent_to_add(at) and path not in touched and not self._request.paths:
                self._changes.entries.append(EntryChange(path, rows_at(view.index, path), ()))
        self._changes.entries.sort(key=lambda entry: entry.path)

    def _clean(self, new: list[bytes], touched: set[bytes]) -> None:
        """Untracked files go, and directories that hold nothing; not those whose place is taken (`touched`), nor what
        is in a directory that the index has as a file: git-clean(1) takes that for tracked."""
        files, index = WorkFiles(self._view), self._view.index
        below = {path for path in watched(new) if any(map(index.has_path, directories_above(path)))}
        gone = [files.remove(path) for path in watched(new) if path not in touched and path not in below]
        self._changes.files += [file for file in gone if file is not None]
        if self._with_new and not self._request.paths:
            bare = bare_folders(self._view, ignored=self._with_ignored)
            spans = map(index.span, bare)
            self._changes.emptied += [folder for folder, (low, high) in zip(bare, spans) if low == high]
            current = started_in(self._view.store) + b"/"
            cleaned = [*new, *(folder + b"/" for folder in self._changes.emptied)]
            if len(current) > 1 and any(path.startswith(current) for path in cleaned):
                self._view.ctx.say(b"Refusing to remove current working directory\n")

    # --- entries ----------------------------------------------------------------------------------------------------

    def _find(self) -> tuple[bytes, bytes]:
        """(commit of the entry that the request names, what the log has: it may be a tag of it). Raises
        CommandFailed."""
        view, request = self._view, self._request
        if self._other is not None:
            return self._other, self._other
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
        commit = view.odb.peel(entry.new)
        if view.odb.kind(commit) != b"commit" or len(parents_of(view, commit)) < 2:
            raise BadRequest(f"'{self._called}' is not a stash-like commit")
        return commit, entry.new

    def drop(self) -> Answer:
        """Take an entry out of the log; its commit is kept by the operation log's record of it."""
        named = self._find()[1]
        drop_entry(self._view, self._changes, self._request.index)
        line = f"Dropped {self._called} ({named.hex()})\n".encode()
        return Answer(b"" if self._quiet else line)

    @property
    def _called(self) -> str:
        """An entry as git calls it: as it was named, or by the whole name of the ref."""
        request = self._request
        front = "" if "index" in request.model_fields_set and not request.by_number else "refs/"
        return f"{front}stash@{{{request.index}}}"

    def clear(self) -> Answer:
        """Drop every entry."""
        if self._view.ref(STASH)[0] != ABSENT:
            drop_entries(self._view, self._changes)
        return Answer()

    # --- back -------------------------------------------------------------------------------------------------------

    def create(self) -> Answer:
        """The commit of an entry, which no ref names: its id is printed."""
        made = made_entry(self._view, " ".join(self._request.paths))
        return Answer(b"" if made is None else made.hex().encode() + b"\n")

    def store(self) -> Answer:
        """A commit as the newest entry."""
        words = self._request.paths
        if len(words) != 1:
            message = "" if self._quiet else '"git stash store" requires one <commit> argument'
            raise CommandFailed(message, status=1, prefix="")
        commit = try_resolve(self._view.store, words[0], ctx=self._view.ctx)
        if commit is None:
            message = "" if self._quiet else f"Cannot update refs/stash with {words[0]}"
            raise CommandFailed(message, status=1, prefix="")
        given = self._request.message
        message = 'Created via "git stash store".' if given is None else given
        add_entry(self._view, self._changes, commit, message.encode("utf-8", "surrogateescape"))
        return Answer()

    def apply(self) -> Answer:
        """An entry's changes laid over what is there; the entry stays."""
        return self._unstashing().run(self._find()[0], quiet=self._quiet)

    def _unstashing(self) -> Unstashing:
        with_index = "--index" in self._request.switches
        return Unstashing(self._view, self._changes, (self._branch, self._head), with_index=with_index)

    def pop(self) -> Answer:
        """The same, and the entry is dropped where there was no conflict."""
        kept = b"The stash entry is kept in case you need it again.\n"
        commit = self._find()[0]
        try:
            answer = self._unstashing().run(commit, quiet=self._quiet)
        except CommandFailed as error:
            out, err = error.streams()
            error.data.update(stdout=out + kept, stderr=err)
            raise
        if answer.status:
            answer.tail = kept
            return answer
        answer.tail = self.drop().out
        return answer

    def branch(self) -> Answer:
        """A branch at the commit that an entry was made on, with the entry applied to it and dropped."""
        view, changes = self._view, self._changes
        if len(self._request.paths) < 1:
            raise CommandFailed("No branch name specified", status=1, prefix="")
        commit = self._find()[0]
        start = parents_of(self._view, commit)[0]
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
        need_no_autostash(view)
        ended = forget_operation(view, changes)
        before, was_symbolic = view.ref(b"HEAD")
        left, old = before.removeprefix(_HEADS) if was_symbolic else before.hex().encode(), self._head
        moved = b"checkout: moving from %b to %b" % (left, name.removeprefix(_HEADS))
        changes.logs.append(LogChange(name, ABSENT, start, b"branch: Created from " + start.hex().encode()))
        changes.logs.append(LogChange(b"HEAD", old or ABSENT, start, moved))
        self._branch, self._head = name, start
        if start == old:
            tree = commit_tree(view, start)
            try:
                carried, answer = local_changes(view, tree, tree, changes), self._unstashed()
            except Corrupt as error:  # git has asked a `checkout` of its own, which failed
                error.status = 1
                raise
        else:
            carried, answer = b"", self._elsewhere(commit, old if was_symbolic else None)
        if not answer.status and self._other is None:
            answer.tail = self.drop().out
        changes.refs.append(view.move_ref(name, start))
        changes.refs.append(RefChange(b"HEAD", before, name, symbolic=True, was_symbolic=was_symbolic))
        answer.err = b"Switched to a new branch '%b'\n" % name.removeprefix(_HEADS) + ended + answer.err
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
        start, _, *rest = parents_of(self._view, commit)
        if head is None:
            raise in_two_steps(start, "from no branch, gitglass goes to another commit in a step of its own")
        try:
            index, warned = reinstated(self._view, commit, tree_rows(self._view, commit_tree(self._view, start)))
        except CommandFailed:
            words = "with an index that does not apply, gitglass goes to another commit in a step of its own"
            raise in_two_steps(start, words) from None
        if index is not None:
            self._marks()
        lay_elsewhere(self._view, self._changes, head, (start, commit), index)
        there = self._unstashing().untracked(rest[0]) if rest else b""
        is_same = commit_tree(self._view, commit) == commit_tree(self._view, start)
        out = b"Already up to date.\n" if is_same else b""
        kind = "conflict" if there else ""
        return Answer(out, warned + there, 1 if there else 0, status_after=not self._quiet, kind=kind)
