"""`branch`: made, moved, renamed, copied, deleted. Mirrors git-branch(1)."""

from __future__ import annotations

import stat
from itertools import islice

from ...errors import BadRequest, CommandFailed, NotFound, Unsupported, text
from ...graph.merge_base import is_ancestor
from ...paths.lexical import directories_above
from ...refs.names import check_refname
from ...request.ref_mutations import BranchChange
from ...revs.abbrev import abbrev
from ...revs.names import upstream_or_none
from ...revs.resolve import Resolver, one_merge_base
from ...worktree.checkouts import need_idle, taken_by
from .. import config_edit
from ..changes import ABSENT, Changes, GitFile, LogChange, RefChange
from ..plan import Answer, Plan
from ..view import View
from .common import check_hooks, finished, need_once, nothing_done, refused_switches
from .upstream import meant, need_branch, need_one_ref, plan_upstream, set_up_tracking

_HEADS = b"refs/heads/"


def plan_branch(request: BranchChange, view: View) -> Plan:
    """The plan of one change of branches. Raises what git says of names that are taken, missing or not well formed."""
    refused_switches(request, ("--recurse-submodules", "--create-reflog"))
    _need_no_submodules(request, view)
    check_hooks(view, ())
    act = {
        "create": _create, "delete": _delete, "rename": _rename, "copy": _copy, "upstream": plan_upstream,
    }.get(request.action)  # fmt: skip
    if act is None:
        raise Unsupported(f"git branch: gitglass does not carry out '{request.action}'", option=request.action)
    head = view.head()[0]
    if head is not None and not head.startswith(_HEADS):
        raise BadRequest("HEAD not found below refs/heads!")
    changes = Changes()
    answer = act(request, view, changes)
    return finished(request, view, changes, answer)


def _need_no_submodules(request: BranchChange, view: View) -> None:
    """Raise what git says of `--recurse-submodules` where it is not enabled, and Unsupported where a branch would have
    to be made in submodules as well (git-config(1), `submodule.propagateBranches`)."""
    is_enabled = view.config.get_bool("submodule.propagatebranches", False)
    is_given = "--recurse-submodules" in request.switches
    if is_given and not is_enabled:
        enabled = "submodule.propagateBranches is enabled"
        raise BadRequest(f"branch with --recurse-submodules can only be used if {enabled}")
    if is_given and request.action != "create":
        raise BadRequest("--recurse-submodules can only be used to create branches")
    if is_enabled and request.action == "create" and (is_given or view.config.get_bool("submodule.recurse", False)):
        words = "gitglass does not make branches in submodules"
        raise Unsupported(f"git branch: {words}", option="--recurse-submodules")


def branch_name(word: str) -> bytes:
    """The full ref of a new branch. Raises BadRequest for a name that is not well formed (git-check-ref-format(1))."""
    name = _HEADS + word.encode("utf-8", "surrogateescape")
    if not check_refname(name) or word.startswith("-") or word == "HEAD":
        raise BadRequest(f"'{word}' is not a valid branch name")
    return name


def start_commit(view: View, word: str | None) -> tuple[bytes, bytes | None]:
    """(the commit that a new branch starts at, the ref that was named if one was). Raises NotFound in git's words."""
    resolver = Resolver(view.store, ctx=view.ctx)
    if word is not None and (base := one_merge_base(view.store, word, ctx=view.ctx)) is not None:
        return base, None
    start = resolver.find((word or "HEAD").encode("utf-8", "surrogateescape"))
    if start is None:
        shown = word
        if word is None:
            branch = view.head()[0]
            shown = "HEAD" if branch is None else text(branch.removeprefix(_HEADS))
        raise NotFound(f"not a valid object name: '{shown}'")
    if word is not None:
        need_one_ref(view, word)
    commit = resolver.commit_of(start.oid)
    if commit is None:
        raise NotFound(f"not a valid branch point: '{word}'")
    return commit, start.ref


def check_free(view: View, name: bytes, locked: bytes | None = None) -> None:
    """Raise BadRequest where a ref is in the way of a new one: its directory is a ref, or it is a directory of refs.
    `locked` is the ref that git names first, where it stands for the new one (HEAD)."""
    above = islice(directories_above(name), 1, None)  # `refs` is no ref
    below = (row[0] for row in view.store.refs.backend.listing(name + b"/"))
    there = next((ref for ref in above if view.ref(ref)[0] != ABSENT), None) or next(below, None)
    if there is not None:
        head = f"cannot lock ref '{text(locked or name)}'"
        raise BadRequest(f"{head}: '{text(there)}' exists; cannot create '{text(name)}'")


# --- create ---------------------------------------------------------------------------------------------------------


def _create(request: BranchChange, view: View, changes: Changes) -> Answer:
    if len(request.names) != 1:
        raise BadRequest("one branch name is expected")
    made = meant(view, request.names[0])
    name = branch_name(made)
    there = view.ref(name)[0] != ABSENT
    if there and not request.force:
        raise BadRequest(f"a branch named '{made}' already exists")
    _need_unused(view, name, made)
    if request.track == "direct":
        need_branch(view, request.start or "HEAD")
    commit, ref = start_commit(view, request.start)
    if request.track == "direct" and ref is None:
        ref = b"HEAD"
    if not there:
        check_free(view, name)
    current = view.head()[0]
    word = request.start or ("HEAD" if current is None else text(current.removeprefix(_HEADS)))
    line = f"branch: {'Reset to' if there else 'Created from'} {word}".encode("utf-8", "surrogateescape")
    if "--create-reflog" in request.switches:
        _need_log(view)
    move_branch(view, changes, name, commit, line)
    return set_up_tracking(view, changes, name, ref, track=request.track, quiet=_is_quiet(request))


def _need_log(view: View) -> None:
    """Raise Unsupported where `core.logAllRefUpdates` asks for no log of a branch: one is made for no other reason."""
    word = (view.config.get("core.logallrefupdates") or b"").lower()
    if word != b"always" and not view.config.get_bool("core.logallrefupdates", not view.store.bare):
        raise Unsupported("git branch: gitglass does not take --create-reflog", option="--create-reflog")


def _need_unused(view: View, name: bytes, word: str) -> None:
    """Raise BadRequest where a branch that gives way to another is checked out; one without commits is not in the way,
    though HEAD names it."""
    if view.ref(name)[0] != ABSENT and (taken := taken_by(view.store, name)) is not None:
        raise BadRequest(f"cannot force update the branch '{word}' checked out at '{taken}'")


def move_branch(view: View, changes: Changes, name: bytes, commit: bytes, line: bytes) -> RefChange:
    """A branch at another commit, with its log; where it stands for another ref that one moves, and both are logged.
    What HEAD names itself, not by way of another ref, is logged for HEAD too, moved or not."""
    links = view.links(name)
    change = view.move_ref(view.ref(links[-1])[0] if links else name, commit)
    logged = list(links)  # a symbolic ref is logged even where the branch stays where it is
    if change.before != change.after:
        changes.refs.append(change)
        logged.append(change.name)
    changes.logs += [LogChange(one, change.before, commit, line) for one in logged]
    if view.ref(b"HEAD")[0] in (name, *links, change.name):
        changes.logs.append(LogChange(b"HEAD", change.before, change.after, line))
    return change


def _is_quiet(request: BranchChange) -> bool:
    return bool({"-q", "--quiet"} & set(request.switches))


# --- delete ---------------------------------------------------------------------------------------------------------


def _delete(request: BranchChange, view: View, changes: Changes) -> Answer:
    """Branches and their sections of the config file; what cannot go is named, and the others go all the same."""
    answer, gone = Answer(), set[bytes]()
    config = before = view.git_file(b"config") or b""
    if not request.names:
        raise BadRequest("branch name required")
    what, top = ("remote-tracking branch", b"refs/remotes/") if request.remote else ("branch", _HEADS)
    for word in request.names if request.remote else [meant(view, word) for word in request.names]:
        name = top + word.encode("utf-8", "surrogateescape")
        try:
            if not request.remote and (taken := taken_by(view.store, name)) is not None:
                raise CommandFailed(f"Cannot delete branch '{word}' checked out at '{taken}'", prefix="error")
            value, symbolic = view.ref(name) if check_refname(name) else (ABSENT, False)
            if value == ABSENT:
                raise CommandFailed(f"{what} '{word}' not found.", prefix="error")
            if not (symbolic or request.force or request.remote):
                oid = view.store.refs.read(name)
                answer.err += _need_merged(view, name, word, oid).encode("utf-8", "surrogateescape")
        except CommandFailed as error:
            answer.err += error.streams()[1]
            answer.status = 1
            continue
        gone.add(name)
        remove_ref(view, changes, name)
        oid = view.store.refs.read(name)
        if view.ref(b"HEAD") == (name, True) and oid is not None:  # in a bare repository, or a symbolic one
            changes.logs.append(LogChange(b"HEAD", oid, ABSENT))
        config = config_edit.without_branch(config, word.encode("utf-8", "surrogateescape"))
        shown = value if symbolic else abbrev(view.store, value)
        if not _is_quiet(request):
            answer.out += f"Deleted {what} {word} (was ".encode("utf-8", "surrogateescape") + shown + b").\n"
    if config != before:
        changes.git_files.append(GitFile(b"config", before, config))
    if answer.status and not gone:
        raise nothing_done(answer)
    need_once(changes, answer.err)
    return answer


def _need_merged(view: View, name: bytes, word: str, oid: bytes | None) -> str:
    """Raise CommandFailed unless a branch is merged into its upstream, or into HEAD where it has none; git's warning
    where
    the two differ."""
    onto = upstream_or_none(view.store, name.removeprefix(_HEADS))
    reference = view.store.refs.read(onto) if onto is not None else None
    head = view.head()[1]
    merged = _is_merged(view, oid, reference if reference is not None else head)
    warning = ""
    if reference is not None and onto is not None and merged != _is_merged(view, oid, head):
        if merged:
            warning = (
                f"warning: deleting branch '{word}' that has been merged to\n"
                f"         '{text(onto)}', but not yet merged to HEAD.\n"
            )
        else:
            warning = (
                f"warning: not deleting branch '{word}' that is not yet merged to\n"
                f"         '{text(onto)}', even though it is merged to HEAD.\n"
            )
    if not merged:
        words = (
            f"The branch '{word}' is not fully merged.\n"
            f"If you are sure you want to delete it, run 'git branch -D {word}'."
        )
        error = CommandFailed(words, status=1, prefix="error")
        error.data["stderr"] = warning.encode("utf-8", "surrogateescape") + error.words()
        raise error
    return warning


def _is_merged(view: View, oid: bytes | None, into: bytes | None) -> bool:
    return oid is not None and into is not None and is_ancestor(view.store, oid, into, ctx=view.ctx)


def remove_ref(view: View, changes: Changes, name: bytes) -> None:
    """The deletion of a ref with its log."""
    changes.refs.append(view.move_ref(name, ABSENT))
    log = view.git_file(b"logs/" + name)
    if log is not None:
        changes.logs.append(LogChange(name, whole=True, before=log, content=None))


# --- rename, copy ---------------------------------------------------------------------------------------------------


def _rename(request: BranchChange, view: View, changes: Changes) -> Answer:
    return _other_name(request, view, changes, copy=False)


def _copy(request: BranchChange, view: View, changes: Changes) -> Answer:
    return _other_name(request, view, changes, copy=True)


def _other_name(request: BranchChange, view: View, changes: Changes, *, copy: bool) -> Answer:
    """A branch under another name, with its log and its section of the config file."""
    if not request.names:
        raise BadRequest("branch name required")
    if len(request.names) > 2:
        many = "branches for a copy" if copy else "arguments for a rename"
        raise BadRequest(f"too many {many} operation")
    current, names = view.head()[0], [meant(view, word) for word in request.names]
    if len(names) > 1:
        old = _HEADS + names[0].encode("utf-8", "surrogateescape")
    elif current is not None:
        old = current
    else:
        raise BadRequest(f"cannot {'copy' if copy else 'rename'} the current branch while not on any.")
    if not check_refname(old):
        raise BadRequest(f"Invalid branch name: '{text(old.removeprefix(_HEADS))}'")
    value, symbolic = view.ref(old)
    if value == ABSENT and old != current:
        raise NotFound(f"No branch named '{text(old.removeprefix(_HEADS))}'.")
    if value == ABSENT and copy:
        raise BadRequest(f"No commit on branch '{text(old.removeprefix(_HEADS))}' yet.")
    new = branch_name(names[-1])
    if value == ABSENT:
        return _unborn_renamed(request, view, changes, old, new)
    if new != old and view.ref(new)[0] != ABSENT and not request.force:
        raise BadRequest(f"a branch named '{names[-1]}' already exists")
    if new != old:
        _need_unused(view, new, names[-1])
    need_idle(view.store, old)
    if symbolic:
        doing, verb = ("copying", "copy") if copy else ("renaming", "rename")
        words = f"refname {text(old)} is a symbolic ref, {doing} it is not supported\nfatal: Branch {verb} failed"
        raise BadRequest(words, prefix="error")
    if not copy:
        _need_only_here(view, old)
    if new == old:
        line = b"Branch: %b %b to %b" % (b"copied" if copy else b"renamed", old, new)
        changes.logs.append(LogChange(new, value, value, line))
        if current == old:
            if not copy:
                _leave(view, changes, old, old, value, line)
            changes.logs.append(LogChange(b"HEAD", value, value, line))
        return Answer()
    _check_free_but(view, new, None if copy else old)
    _need_plain_log(view, old, "copy" if copy else "rename")
    log = view.git_file(b"logs/" + old)
    changes.refs.append(view.move_ref(new, value))
    line = b"Branch: %b %b to %b" % (b"copied" if copy else b"renamed", old, new)
    if not copy:
        changes.refs.append(view.move_ref(old, ABSENT))
        if log is not None:
            changes.logs.append(LogChange(old, whole=True, before=log, content=None))
    there = view.git_file(b"logs/" + new)
    if log is not None:
        added = b"%b %b %b\t%b\n" % (value.hex().encode(), value.hex().encode(), view.ident(), line)
        changes.logs.append(LogChange(new, whole=True, before=there, content=log + added))
    else:
        if there is not None and not copy:  # the log of the branch that gives way goes with it
            changes.logs.append(LogChange(new, whole=True, before=there, content=None))
        changes.logs.append(LogChange(new, value, value, line))
    if (gone := view.store.refs.read(new)) is not None:
        if copy and current == new:  # in a bare repository
            changes.logs.append(LogChange(b"HEAD", value, value, line))
        elif not copy and view.ref(b"HEAD") == (new, True):  # there, or by way of another ref
            changes.logs.append(LogChange(b"HEAD", gone, ABSENT))
    if current == old and not copy:
        _leave(view, changes, old, new, value, line)
        changes.logs.append(LogChange(b"HEAD", ABSENT, value, line))
    _config(view, changes, old, new, copy)
    return Answer()


def _need_plain_log(view: View, name: bytes, verb: str) -> None:
    """Raise BadRequest in git's words for a log that is a symbolic link, which would be moved in the place of a log."""
    info = view.store.jail.lstat(view.store.git_path(b"logs/" + name))
    if info is not None and stat.S_ISLNK(info.st_mode):
        raise BadRequest(f"reflog for {text(name)} is a symlink\nfatal: Branch {verb} failed", prefix="error")


def _leave(view: View, changes: Changes, old: bytes, new: bytes, value: bytes, line: bytes) -> None:
    """HEAD, which stands for the branch `old`, comes to name `new`. That `old` went is in its log only where HEAD named
    it itself, not by way of another ref."""
    before = view.ref(b"HEAD")[0]
    if before != new:
        changes.refs.append(RefChange(b"HEAD", before, new, symbolic=True, was_symbolic=True))
    if before == old:
        changes.logs.append(LogChange(b"HEAD", value, ABSENT, line))


def _unborn_renamed(request: BranchChange, view: View, changes: Changes, old: bytes, new: bytes) -> Answer:
    """A branch without commits under another name: HEAD names that one, and there is no more to it."""
    there = view.ref(new)[0]
    if there != ABSENT and not request.force:
        raise BadRequest(f"a branch named '{meant(view, request.names[-1])}' already exists")
    _need_only_here(view, old)
    if new != old:
        _need_unused(view, new, meant(view, request.names[-1]))
        changes.refs.append(RefChange(b"HEAD", old, new, symbolic=True, was_symbolic=True))
        if there != ABSENT:
            line = b"Branch: renamed %b to %b" % (old, new)
            changes.logs.append(LogChange(b"HEAD", ABSENT, there, line))
        _config(view, changes, old, new, False)
    return Answer()


def _need_only_here(view: View, name: bytes) -> None:
    """Raise Unsupported for a branch that another work tree has checked out: its HEAD would get the new name, or, under
    the same one, a line in its log."""
    if (taken := taken_by(view.store, name, elsewhere=True)) is not None:
        shown = text(name.removeprefix(_HEADS))
        words = f"the branch '{shown}' is checked out at '{taken}', whose HEAD gitglass does not write"
        raise Unsupported(words, path=taken)


def _check_free_but(view: View, new: bytes, old: bytes | None) -> None:
    """`check_free`, where the old name gives way."""
    try:
        check_free(view, new)
    except BadRequest as error:
        if old is None or not (new.startswith(old + b"/") or old.startswith(new + b"/")):
            reason = error.message.partition(": ")[2]
            verb = "copy" if old is None else "rename"
            raise BadRequest(f"{reason}\nfatal: Branch {verb} failed", prefix="error") from None


def _config(view: View, changes: Changes, old: bytes, new: bytes, copy: bool) -> None:
    before = view.git_file(b"config") or b""
    names = old.removeprefix(_HEADS), new.removeprefix(_HEADS)
    edit = config_edit.with_branch_copied if copy else config_edit.with_branch_renamed
    after = edit(before, *names)
    if after != before:
        changes.git_files.append(GitFile(b"config", before, after))
