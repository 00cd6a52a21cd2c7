"""What several operations share: making the plan, asking the reader's commands, hooks, and what git refuses."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence
from itertools import dropwhile
from typing import TYPE_CHECKING

from ...cli.answer import Session, answered
from ...deferred import deferred
from ...errors import BadRequest, CommandFailed, Unsupported, text
from ...graph.merge_base import is_ancestor
from ...index.index import Index
from ...limits import LARGE, Context, paced, running
from ...objects.parsed import REGULAR, TREE, tree_entries
from ...objects.parsed import commit_tree as tree_of
from ...records import replace
from ...repo.gitmodules import submodule_names
from ...repo.store import Store
from ...request.mutations import Mutation
from ..changes import ABSENT, Changes, EntryChange, GitFile, LogChange, RefChange, Row
from ..checkout.outward import store_of_files
from ..checkout.two_way import leave_out
from ..index_file import resolved_changes
from ..names import check_entries, check_length
from ..plan import Answer, Plan, Preview, losses_of, preview_lines
from ..view import View

if TYPE_CHECKING:
    from ..shown.details import Details, details_of
else:  # a plan that nobody looks at needs none of it
    details_of = deferred(__name__, "..shown.details", "details_of")

#: what git advises where the index has conflicts
SETTLE = (
    "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\n"
    "hint: as appropriate to mark resolution and make a commit."
)
#: a series of picks or reverts that is interrupted (sequencer)
SERIES_FILES = (b"sequencer/todo", b"sequencer/head", b"sequencer/abort-safety", b"sequencer/opts")
_MERGE = (b"MERGE_HEAD", b"MERGE_RR", b"MERGE_MSG", b"MERGE_MODE", b"AUTO_MERGE", b"SQUASH_MSG")


def finished(
    request: Mutation, view: View, changes: Changes, answer: Answer, risk: str = "", *, detached: bool = False
) -> Plan:
    """The plan of an operation whose changes are known. HEAD may have been `detached` on the way."""
    if view.outward is not None:
        leave_out(view, changes)
    changes.objects = dict(view.new.held)
    if not detached:
        _log_links(view, changes)
    if changes.emptied and not changes.files and (files := view.store.files) is not None:
        changes.emptied = [folder for folder in changes.emptied if files.names(folder) == []]
    changes.entries = _knowing_files(view, changes)
    check_entries(changes.entries)
    changes.by_index = view.outward is not None
    if changes.resolved is None:
        changes.resolved = resolved_changes(view.store.index, changes)
    changes.packs = list(view.packs)
    if changes.is_only_objects and view.has_all(changes.objects):
        changes.objects = {}
    effects = tuple(
        effect
        for effect, wanted in (
            ("write_index", changes.touches_index), ("write_refs", bool(changes.refs)),
            ("write_worktree", bool(changes.files)),
        )
        if wanted
    )  # fmt: skip
    losses = losses_of(changes)
    if not risk:
        risk = "High" if losses or any(_rewrites_protected(ref, view) for ref in changes.refs) else request.risk
    preview = Preview(
        request.summary(), risk, effects, preview_lines(changes), losses, [*view.notes, *_elsewhere(view, changes)],
        look=lambda: _details(changes, view),
    )  # fmt: skip
    return Plan(request, changes, answer, preview, view.moment, view.ident() if changes.logs else b"")


def _elsewhere(view: View, changes: Changes) -> list[str]:
    """Where files are changed, if a setting of the repository (`core.worktree`) says that it is not where it lies."""
    layout, top = view.store.layout, view.store.work_tree
    if not changes.files or top is None or layout.chosen or layout.at in (None, top):
        return []
    return [f"the files are those of '{text(top)}' (core.worktree)"]


def _details(changes: Changes, view: View) -> Details:
    """Asked for when the call that made the plan is over: within the one that runs then, or a call of their own."""
    words = ["show", "--format=", "--stat", "--stat-count=50", "--summary", "--first-parent", "--no-relative"]
    with running() or Context(view.ctx.limits) as view.ctx:
        return details_of(changes, view, lambda commit: ask(view, [*words, commit.hex()]))


#: messages of what git logs for HEAD apart from a transaction of refs
_OF_HEAD_ALONE = b"checkout: moving", b"Branch: copied", b"Branch: renamed"


def _knowing_files(view: View, changes: Changes) -> list[EntryChange]:
    """The entries that change; those of files that are as they are to be, and so are not written, know these from then
    on, as where git writes them again."""
    written, entries = {file.path for file in changes.files}, list[EntryChange]()
    for entry in changes.entries:
        there = view.as_wanted.get(entry.path)
        is_new = there is not None and entry.path not in written and entry.before != entry.after
        if there is not None and is_new and entry.stat is None and entry.after == (Row(0, *there[:2]),):
            entry = replace(entry, stat=there[2])
        entries.append(entry)
    return entries


def _log_links(view: View, changes: Changes) -> None:
    """Where HEAD stands for a symbolic ref, the refs between it and the branch that moves are logged as HEAD is."""
    changed = {ref.name for ref in changes.refs}
    between = [link for link in view.links(b"HEAD")[1:] if link not in changed]
    if not between or b"HEAD" in changed:
        return
    written = {(log.name, log.message) for log in changes.logs}
    heads = [log for log in changes.logs if log.name == b"HEAD" and not log.message.startswith(_OF_HEAD_ALONE)]
    changes.logs += [
        LogChange(link, log.old, log.new, log.message)
        for log in heads for link in between if (link, log.message) not in written
    ]  # fmt: skip


def _rewrites_protected(ref: RefChange, view: View) -> bool:
    """Whether a protected branch is deleted, or would no longer hold the commits that it has."""
    name = text(ref.name)
    if not name.startswith("refs/heads/") or name[11:] not in view.grant.protected or ref.before == ABSENT:
        return False
    if ref.was_symbolic or ref.symbolic or ref.after == ABSENT:
        return True
    return not is_ancestor(view.store, ref.before, ref.after, ctx=view.ctx)


def refused_switches(request: Mutation, taken: Iterable[str]) -> None:
    """Raise Unsupported for an option that the operation does not carry out."""
    for switch in request.switches:
        if switch not in taken and switch not in ("-q", "--quiet", "-v", "--verbose"):
            raise Unsupported(f"git {request.git}: gitglass does not take {switch}", option=switch, status=129)


def last_word(switches: Sequence[str], *among: str) -> str | None:
    """Which of several options was said last; None if none was."""
    return next((word for word in reversed(switches) if word in among), None)


def need_once(changes: Changes, words_before: bytes) -> None:
    """Raise CommandFailed in git's words, behind its `words_before`, where one ref is to be deleted twice."""
    names = [ref.name for ref in changes.refs]
    twice = next((name for name in sorted(names) if names.count(name) > 1), None)
    if twice is not None:
        words = "could not delete references: "
        many = f"{words}multiple updates for ref '{text(twice)}' not allowed\nerror: {words}"
        raise CommandFailed(
            many, status=1, prefix="error", stderr=words_before + f"error: {many}\n".encode("utf-8", "surrogateescape")
        )


def nothing_done(answer: Answer) -> CommandFailed:
    """The error of a command that did nothing of all that it was asked, with git's words for each."""
    words = text(answer.err).rstrip("\n")
    error = CommandFailed(words.removeprefix("error: "), status=answer.status, prefix="error")
    error.data["stderr"] = answer.err
    return error


def ask(
    view: View, argv: list[str], *, index: Index | None = None, attributes: Mapping[bytes, bytes | None] | None = None
) -> bytes:
    """What one of the reader's commands prints of the repository with the plan's objects, and with another index where
    one is given, of which some files of attributes may have other blobs (None: no such file); its errors are raised."""
    store: Store = view.store
    if index is not None:
        store = _with_index(view, store.sibling(), index)
        if attributes:
            store = _with_index(view, store_of_files(store, attributes), index)
    return asked(store, argv, view.ctx)


def submodule_error(store: Store) -> bytes:
    """What git prints as it comes to a submodule: the error of a recorded `.gitmodules`, which is used as far as it
    goes. Raises Corrupt in git's words where the file of the work tree is malformed."""
    error = submodule_names(store).error
    return error.encode("utf-8", "surrogateescape") + b"\n" if error else b""


def read_submodules(view: View, store: Store | None = None) -> None:
    """Have `.gitmodules` read where git comes to a submodule, and its error said, as `submodule_error` does."""
    if (error := submodule_error(store or view.store)) and error not in view.ctx.stderr.lines:
        view.ctx.say(error)


def top_attributes(view: View, entries: Iterable[EntryChange] = ()) -> dict[bytes, bytes | None]:
    """The `.gitattributes` at the top that the index has after these changes, where the work tree has none: git reads
    it from there, and what it has read once it goes by to the end of a command."""
    files, top = view.store.files, b".gitattributes"
    if files is None or files.lstat(top) is not None:
        return {}
    at = view.index.find(top)
    blob = view.index.oid(at) if at >= 0 else None
    for entry in entries:
        if entry.path == top:
            blob = entry.after[0].oid if entry.after else None
    return {top: blob}


def _with_index(view: View, store: Store, index: Index) -> Store:
    store.__dict__["odb"] = view.store.odb
    store.__dict__["_index"] = (store._index_stamp(), store._base_stamp(index)), index
    return store


def asked(store: Store, argv: list[str], ctx: Context) -> bytes:
    """What one of the reader's commands prints of a repository; its errors are raised."""
    status, out, err = answered(argv, Session(store.where, None, store=store, confined=True), ctx)
    if status > 1:
        lines = text(err).rstrip("\n").split("\n")
        words = "\n".join(dropwhile(lambda line: line.startswith("hint: "), lines))
        front = "error" if words.startswith("error: ") else "fatal"
        raise BadRequest(words.removeprefix(f"{front}: "), status=status, prefix=front)
    return out


# --- hooks ----------------------------------------------------------------------------------------------------------


def check_hooks(view: View, names: Iterable[str], *, runs: Iterable[str] = ()) -> None:
    """Raise Unsupported where one of these hooks is installed and would run, unless the grant says to skip them; then
    note it (githooks(5)). `reference-transaction` and `post-index-change` count for everything that writes. Those that
    the operation itself can have run (`runs`) are, where the grant has them by their bytes."""
    active = [name for name in (*names, "reference-transaction", "post-index-change") if _is_active(view.store, name)]
    if view.hooks is not None:
        for name in runs:
            if _is_active(view.store, name):
                view.hooks.admit(name, _hook_path(view.store, name))
    if not active:
        return
    if view.grant.hooks != "skip":
        raise Unsupported(
            f"the hook '{active[0]}' is installed, and gitglass does not run it",
            hint='A host may grant `hooks="skip"`: then hooks are not run, and that is said.',
            hook=active[0],
        )
    view.notes.extend(f"hook {name} was not run" for name in active)


def _hook_path(store: Store, name: str) -> bytes:
    elsewhere = store.config.get_path("core.hooksPath")
    folder = store.common_dir + b"/hooks" if elsewhere is None else elsewhere
    if not folder.startswith(b"/"):
        folder = (store.work_tree or store.git_dir) + b"/" + folder
    return folder + b"/" + name.encode()


def _is_active(store: Store, name: str) -> bool:
    path, jail = _hook_path(store, name), store.jail
    if not jail.allows(path.rpartition(b"/")[0]):
        return True  # somewhere that cannot be looked at: it may be
    info = jail.stat(path)
    return info is not None and stat.S_ISREG(info.st_mode) and bool(info.st_mode & 0o111)


def signs_commits(view: View, switches: list[str]) -> bool:
    """Whether new commits are signed. Raises Unsupported where they would be and no signer is granted."""
    return "--no-gpg-sign" not in switches and view.signs("-S" in switches, "commit.gpgSign")


# --- what git refuses -----------------------------------------------------------------------------------------------


def encoding_line(view: View) -> list[bytes]:
    """The line of a commit that names its encoding, where that is not UTF-8."""
    encoding = view.config.get("i18n.commitencoding")
    return [] if encoding is None or view.writes_utf8 else [b"encoding %b\n" % encoding]


def tree_rows(view: View, tree: bytes) -> dict[bytes, tuple[int, bytes]]:
    """{path: (mode, oid)} of every file of a tree. Raises Unsupported where paths are too long to be written."""
    rows: dict[bytes, tuple[int, bytes]] = {}
    stack = [(b"", tree)]
    while stack:
        view.ctx.tick()
        front, oid = stack.pop()
        check_length(front)
        entries = tree_entries(view.odb.tree(oid), view.store.hash_len)
        if (size := len(front) * len(entries)) >= LARGE:
            view.ctx.keep(size)
        for mode, name, child in paced(entries):
            if mode == TREE:
                stack.append((front + name + b"/", child))
            else:
                rows[front + name] = (mode if mode != 0o100664 else REGULAR, child)
    return rows


def commit_tree(view: View, commit: bytes) -> bytes:
    """The tree of a commit."""
    kind, raw = view.odb.read(commit)
    if kind != b"commit":
        raise BadRequest(f"{commit.hex()} is not a commit")
    return tree_of(raw, commit)


# --- what goes on over several commands -------------------------------------------------------------------------------


def has_state(view: View, name: bytes) -> bool:
    """Whether a file or directory of the git directory is there."""
    return view.store.jail.lstat(view.store.git_path(name)) is not None


def shown_path(view: View, name: bytes) -> str:
    """A path in the git directory as git shows it: from the top of the work tree, where it is below that."""
    return text(view.store.git_path(name).removeprefix((view.store.work_tree or b"") + b"/"))


def operation_of(view: View) -> str:
    """What goes on: "merge", "am", "rebase", "cherry-pick", "revert", or ""."""
    if has_state(view, b"MERGE_HEAD"):
        return "merge"
    if has_state(view, b"rebase-apply/applying"):
        return "am"
    if has_state(view, b"rebase-apply") or has_state(view, b"rebase-merge"):
        return "rebase"
    raw = view.git_file(b"sequencer/todo") or b""
    word = raw.split(None, 1)[:1]
    series = {b"pick": "cherry-pick", b"p": "cherry-pick", b"revert": "revert"}.get(word[0] if word else b"", "")
    if has_state(view, b"CHERRY_PICK_HEAD") or series == "cherry-pick":
        return "cherry-pick"
    return "revert" if has_state(view, b"REVERT_HEAD") else series


def need_no_operation(view: View) -> None:
    """Raise BadRequest in git's words where a branch may not be switched; warn where a bisection goes on."""
    operation = operation_of(view)
    if operation:
        doing = {
            "merge": "while merging", "am": "in the middle of an am session", "rebase": "while rebasing",
            "cherry-pick": "while cherry-picking", "revert": "while reverting",
        }[operation]  # fmt: skip
        raise BadRequest(f'cannot switch branch {doing}\nConsider "git {operation} --quit" or "git worktree add".')
    if has_state(view, b"BISECT_LOG"):
        view.ctx.warn("you are switching branch while bisecting")


def need_no_autostash(view: View) -> None:
    """Raise Unsupported where `git merge --autostash` put changes away, and what is done would forget them."""
    if has_state(view, b"MERGE_AUTOSTASH"):
        raise Unsupported(
            "a merge has put changes away (MERGE_AUTOSTASH), and gitglass does not bring them back",
            option="MERGE_AUTOSTASH",
        )


def forget_operation(view: View, changes: Changes) -> bytes:
    """Take away what a merge, cherry-pick or revert left, as a move to another branch does; git's words."""
    warnings = b""
    for name, what in ((b"CHERRY_PICK_HEAD", b"cherry picking"), (b"REVERT_HEAD", b"revert")):
        if _remove(view, changes, name):
            warnings += b"warning: cancelling a %b in progress\n" % what
    for name in (*_MERGE, *(ended_series(view))):
        _remove(view, changes, name)
    return warnings


def ended_series(view: View) -> tuple[bytes, ...]:
    """The files of a series whose last commit was stopped at, where the commit is concluded or given up."""
    if not any(has_state(view, name) for name in (b"CHERRY_PICK_HEAD", b"REVERT_HEAD")):
        return ()
    todo = view.git_file(b"sequencer/todo")
    return SERIES_FILES if todo is not None and todo.count(b"\n") <= 1 and todo[-1:] in (b"", b"\n") else ()


def _remove(view: View, changes: Changes, name: bytes) -> bool:
    before = view.git_file(name)
    if before is not None and all(file.name != name for file in changes.git_files):
        changes.git_files.append(GitFile(name, before, None))
    return before is not None
