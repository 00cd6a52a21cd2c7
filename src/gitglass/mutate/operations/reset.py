"""`reset`: the branch, and as far as asked the index and the files, back to a commit. Mirrors git-reset(1)."""

from __future__ import annotations

from collections.abc import Collection

from ...errors import BadRequest, CommandFailed, NoWorkTree, text
from ...index.parse import parse_index
from ...limits import paced
from ...objects.parsed import GITLINK
from ...paths.lexical import directories_above
from ...paths.pathspec import Pathspecs
from ...records import replace
from ...request.mutations import ResetRequest
from ...revs.abbrev import abbrev
from ...revs.resolve import named_commit, resolve_tree, try_resolve
from ..apply import new_index
from ..changes import ABSENT, Changes, EntryChange, GitFile, LogChange, Row
from ..checkout.files import Wanted, WorkFiles
from ..checkout.hard import first_stale, to_tree
from ..checkout.local_changes import need_no_recursion
from ..checkout.two_way import Obstacles, TwoWay, entries_to, first_words_of
from ..index_file import rows_at
from ..merging.autostash import NAME, keep
from ..plan import Answer, Plan
from ..view import View
from .branch import check_free
from .common import ask, check_hooks, commit_tree, ended_series, finished, refused_switches, top_attributes, tree_rows
from .paths import holds_untracked, in_index, in_tree, need_files, pathspecs_of
from .restore import clear_way

_STATE = (b"MERGE_HEAD", b"MERGE_RR", b"MERGE_MSG", b"MERGE_MODE", b"CHERRY_PICK_HEAD", b"REVERT_HEAD", b"SQUASH_MSG",
          b"AUTO_MERGE")  # fmt: skip
_KEPT = 0x8000 | 0x4000 << 16  # flags that an entry keeps: assume-unchanged, skip-worktree


def plan_reset(request: ResetRequest, view: View) -> Plan:
    """The plan of `reset`. Raises git's words for a commit that does not exist, and where changes would be lost that
    the
    mode does not give up."""
    refused_switches(request, ("--refresh", "--no-refresh"))
    check_hooks(view, ())
    changes = Changes()
    if request.paths:
        _paths(request, view, changes)
        if {"-q", "--quiet"} & set(request.switches):  # Strange but git's: its refresh names conflicts even then
            unsettled = [path for path in view.index.unmerged if all(entry.path != path for entry in changes.entries)]
            unstaged(view, changes)
            answer = Answer(b"".join(b"%b: needs merge\n" % path for path in unsettled))
        else:
            answer = Answer(b"" if _is_unrefreshed(request) else unstaged(view, changes))
    else:
        answer = Resetting(request, view, changes).plan()
        if {"-q", "--quiet"} & set(request.switches):
            answer.out = b""
    return finished(request, view, changes, answer)


def _is_unrefreshed(request: ResetRequest) -> bool:
    """Whether the index is not refreshed behind it, and nothing is said of files that differ."""
    return [word for word in request.switches if word in ("--refresh", "--no-refresh")][-1:] == ["--no-refresh"]


def _paths(request: ResetRequest, view: View, changes: Changes) -> None:
    """Entries of paths as a tree has them; no file changes."""
    if request.guessed:
        need_files(view, request.paths[:1])
    word = request.commit or "HEAD"
    unborn = word == "HEAD" and view.head()[1] is None
    if not unborn and try_resolve(view.store, word, ctx=view.ctx) is None:
        raise BadRequest(f"Failed to resolve '{word}' as a valid tree.")
    if request.mode != "mixed":
        raise BadRequest(f"Cannot do {request.mode} reset with paths.")
    if "mode" in request.model_fields_set:
        view.ctx.warn("--mixed with paths is deprecated; use 'git reset -- <paths>' instead.")
    _need_work_tree(request, view)
    tree = view.store.empty_tree if unborn else resolve_tree(view.store, word, ctx=view.ctx)
    specs = pathspecs_of(view, request.paths)
    entries_to(view, changes, in_tree(tree_rows(view, tree), specs), [*in_index(view, specs)])


def _need_work_tree(request: ResetRequest, view: View) -> None:
    """Raise what git says in a bare repository, which it does when it knows the commit (git-reset(1))."""
    if request.mode == "mixed" and view.store.work_tree is None:
        raise NoWorkTree("mixed reset is not allowed in a bare repository")
    if request.mode != "soft":
        view.need_work_tree()


def unstaged(view: View, changes: Changes) -> bytes:
    """What `reset` prints of files that differ from the new index; the entries of the others know their files from then
    on, as git refreshes its index."""
    data = new_index(view.store, view.store.index, changes, {}, view.ctx)
    held = parse_index(data, view.store.hash_len)
    held.present, held.mtime_ns = True, view.store.index.mtime_ns
    files = view.store.files
    argv = ["diff", "--no-renames", "--no-relative", "--ignore-submodules=dirty", "--name-status", "-z",
            "-O/dev/null"]  # fmt: skip
    fields = ask(view, argv, index=held, attributes=_attributes_read(view, changes)).split(b"\0")
    lines: list[bytes] = []
    changes.entries = _refreshed(view, changes, set(fields[1::2]))
    for letter, path in zip(fields[::2], fields[1::2]):
        view.ctx.tick()
        if letter == b"D" and files is not None and files.lstat(path) is not None:
            letter = b"T"  # a directory in its place, which git's refresh takes for another type
        elif letter == b"D" and _is_below_a_file(view, path):
            letter = b"M"  # which it does not take for gone
        lines.append(b"%b\t%b\n" % (letter, path))
    lines += [b"M\t%b\n" % path for path in _other_sizes(view, changes, set(fields[1::2]))]
    lines.sort(key=lambda line: line[2:])
    unmerged = {line[2:] for line in lines if line.startswith(b"U")}
    lines = [line for line in lines if line.startswith(b"U") or line[2:] not in unmerged]
    return b"Unstaged changes after reset:\n" + b"".join(lines) if lines else b""


def _attributes_read(view: View, changes: Changes) -> dict[bytes, bytes | None]:
    """The attributes of the index of before, where git had to compare the contents of any entry with those of the
    tree."""
    return top_attributes(view) if any(map(_is_other_content, changes.entries)) else {}


def _is_other_content(entry: EntryChange) -> bool:
    """Whether an entry becomes another file, or link."""
    sides = [row for row in (*entry.before[:1], *entry.after[:1]) if not row.stage and row.mode != GITLINK]
    return len(sides) == 2 and (sides[0].oid != sides[1].oid) and sides[0].mode >> 12 == sides[1].mode >> 12


def _other_sizes(view: View, changes: Changes, listed: set[bytes]) -> list[bytes]:
    """Files that are as their entries say once they are converted, and of another size than noted: git's refresh takes
    these for changed, as `git status` does, and `git diff` has nothing to show of them."""
    looker, moved = view.looker, {entry.path for entry in changes.entries} | listed
    return [
        path
        for at, status in paced(looker.suspects(Pathspecs.ALL))
        if (path := view.index.paths[at]) not in moved and status is not None and looker.differs(at, status)
    ]


def _refreshed(view: View, changes: Changes, listed: set[bytes]) -> list[EntryChange]:
    """The entries that change; those that are not `listed` as other than their files get the status of these."""
    work, entries = WorkFiles(view), list[EntryChange]()
    for entry in paced(changes.entries):
        rows, path = entry.after, entry.path
        is_clean = len(rows) == 1 and not rows[0].stage and not rows[0].flags and path not in listed
        info = work.status(path) if is_clean and rows[0].mode != GITLINK else None
        entries.append(replace(entry, stat=info) if info is not None else entry)
    return entries


def _is_below_a_file(view: View, path: bytes) -> bool:
    """Whether a file stands where a directory on the way to a path was."""
    infos = map(WorkFiles(view).status, directories_above(path))
    return any(info is not None and info.st_mode & 0o170000 == 0o100000 for info in infos)


class Resetting:
    """A reset to a commit."""

    def __init__(self, request: ResetRequest, view: View, changes: Changes, *, keeps_stash: bool = True) -> None:
        self._request, self._view, self._changes, self._keeps_stash = request, view, changes, keeps_stash
        self._branch, self._old = view.head()
        self._word = request.commit or "HEAD"

    def plan(self) -> Answer:
        view, changes, mode = self._view, self._changes, self._request.mode
        unborn = self._word == "HEAD" and self._old is None
        commit = None if unborn else named_commit(view.store, self._word, ctx=view.ctx)
        if commit is None and not unborn:
            raise self._no_commit()
        _need_work_tree(self._request, view)
        if mode in ("soft", "keep") and (self._view.git_file(b"MERGE_HEAD") is not None or view.index.unmerged):
            raise BadRequest(f"Cannot do a {mode} reset in the middle of a merge.")
        tree = view.store.empty_tree if commit is None else commit_tree(view, commit)
        out = b""
        if mode == "hard":
            to_tree(view, tree, changes, tail=f"\nfatal: Could not reset index file to revision '{self._word}'.")
            if commit is not None:
                subject = ask(view, ["show", "-s", "--format=%s", commit.hex()])
                out = b"HEAD is now at " + abbrev(view.store, commit) + (b" " + subject).rstrip(b" \n") + b"\n"
        elif mode == "keep" and self._old is None:
            words = f"You do not have a valid HEAD.\nfatal: Could not reset index file to revision '{self._word}'."
            raise CommandFailed(words, status=128, prefix="error")
        elif mode in ("keep", "merge"):
            self._keep(tree) if mode == "keep" else self._merge(tree)
        elif mode == "mixed":
            entries_to(view, changes, tree_rows(view, tree), list(dict.fromkeys(view.index.paths)))
            out = b"" if _is_unrefreshed(self._request) else unstaged(view, changes)
        if mode in ("hard", "keep", "merge"):
            need_no_recursion(view, changes, discards=mode == "hard")
        self._refs(commit)
        for name in (*_STATE, *ended_series(view)):
            if (before := self._view.git_file(name)) is not None:
                changes.git_files.append(GitFile(name, before, None))
        return Answer(out, self._stash())

    def _stash(self) -> bytes:
        """What the merge that is given up has put away becomes an entry of the stash."""
        before = self._view.git_file(NAME)
        if before is None or not self._keeps_stash:
            return b""
        words = keep(self._view, self._changes)
        self._changes.git_files.append(GitFile(NAME, before, None))
        return words

    def _no_commit(self) -> BadRequest:
        if self._request.commit is not None and try_resolve(self._view.store, self._word, ctx=self._view.ctx) is None:
            return BadRequest(
                f"ambiguous argument '{self._word}': unknown revision or path not in the working tree.\n"
                "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
            )
        return BadRequest(f"Could not parse object '{self._word}'.")

    def _keep(self, tree: bytes) -> None:
        """Files move as in a switch; where one with local changes would have to, nothing happens."""
        view = self._view
        old = view.store.empty_tree if self._old is None else commit_tree(view, self._old)
        move = TwoWay(view, old, tree)
        move.run(self._changes)
        self._need_no_obstacles(move.obstacles)
        self._changes.forget_resolved = True
        wanted = tree_rows(view, tree)
        planned = {entry.path for entry in self._changes.entries}
        index = view.index
        for path in dict.fromkeys(index.paths):  # what is staged and differs from the commit is unstaged
            side = wanted.get(path)
            rows = rows_at(index, path)
            after = () if side is None else (Row(0, *side, rows[0].flags & _KEPT),)
            if path not in planned and rows != after:
                self._changes.entries.append(EntryChange(path, rows, after))
        for path, side in wanted.items():
            if path not in planned and not index.has_path(path):
                self._changes.entries.append(EntryChange(path, (), (Row(0, *side),)))
        if stale := first_stale(view, wanted, [path for path in index.paths if path not in planned]):
            raise self._failed(text(stale).removeprefix("error: "))
        self._changes.entries.sort(key=lambda entry: entry.path)
        self._changes.forget_resolved = self._changes.refresh = True

    def _merge(self, tree: bytes) -> None:
        """What is staged goes with its files, which may hold no other changes; files that differ from the index where
        the commit does not stay as they are. Conflicts are given up."""
        view, changes = self._view, self._changes
        index, work, wanted = view.index, WorkFiles(view), tree_rows(view, tree)
        trees, folders = frozenset(wanted), list[bytes]()
        for path in index.unmerged:
            rows, side = rows_at(index, path), wanted.pop(path, None)
            if side is not None and holds_untracked(view, path):
                folders.append(path)
            file = work.remove(path) if side is None else work.write(path, Wanted(*side))
            changes.entries.append(EntryChange(path, rows, () if side is None else (Row(0, *side),)))
            changes.files += [] if file is None else [file]
        clear_way(work, changes)
        there = {path: (rows[0].mode, rows[0].oid) for path in dict.fromkeys(index.paths)
                 if path not in index.unmerged and (rows := rows_at(index, path))}  # fmt: skip
        names = there.keys() | wanted.keys()
        move = TwoWay.from_index(view, {
            path: (there.get(path), wanted.get(path)) for path in names if there.get(path) != wanted.get(path)
        })  # fmt: skip
        move.run(changes)
        move.obstacles.folders += folders
        self._need_no_obstacles(move.obstacles, trees)
        changes.entries.sort(key=lambda entry: entry.path)
        changes.refresh = changes.forget_resolved = True

    def _need_no_obstacles(self, obstacles: Obstacles, trees: Collection[bytes] | None = None) -> None:
        if words := first_words_of(obstacles, trees):
            raise self._failed(words)

    def _failed(self, words: str) -> CommandFailed:
        """What git says where index and files cannot become those of the commit."""
        tail = f"\nfatal: Could not reset index file to revision '{self._word}'."
        return CommandFailed(words + tail, status=128, prefix="error", kind="conflict")

    def _refs(self, commit: bytes | None) -> None:
        view, changes = self._view, self._changes
        if commit is None:
            return
        name = self._branch or b"HEAD"
        if self._old is None:
            try:
                check_free(view, name, b"HEAD")
            except BadRequest as error:
                words = f"update_ref failed for ref 'HEAD': {error.message}"
                raise CommandFailed(words, status=1, prefix="error") from None
        old = self._old or ABSENT
        line = b"reset: moving to " + self._word.encode("utf-8", "surrogateescape")
        change = view.move_ref(name, commit)
        if change.before != change.after:  # a ref that keeps its value is not logged; HEAD, where it is symbolic, is
            changes.refs.append(change)
            changes.logs.append(LogChange(name, old, commit, line))
        if name != b"HEAD":
            changes.logs.append(LogChange(b"HEAD", old, commit, line))
        before = self._view.git_file(b"ORIG_HEAD")
        if old or before is not None:  # without a commit to note, an older note goes
            changes.git_files.append(GitFile(b"ORIG_HEAD", before, old.hex().encode() + b"\n" if old else None))
