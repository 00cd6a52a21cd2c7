"""`switch` and `checkout` of a branch or commit: HEAD, index and work tree move; local changes are carried along or
keep everything where it is. Mirrors git-switch(1) and git-checkout(1).
"""

from __future__ import annotations

from ...errors import BadRequest, CommandFailed, NotFound, Unsupported, text
from ...graph.merge_base import is_ancestor
from ...plans.words import in_work_tree, looks_like_pathspec
from ...records import record, replace
from ...render.status import tracking_text
from ...request.declared import altered
from ...request.mutations import CheckoutRequest, SwitchRequest
from ...revs.abbrev import abbrev
from ...revs.names import current_branch, tracking
from ...revs.resolve import Resolver, named_commit, one_merge_base
from ...worktree.checkouts import taken_by
from ...worktree.status import tracking_of
from ..changes import ABSENT, Changes, LogChange, RefChange
from ..checkout.hard import to_tree
from ..checkout.local_changes import local_changes, need_no_recursion
from ..checkout.two_way import TwoWay, leave_out, need_no_obstacles
from ..merging.autostash import NAME, keep
from ..merging.carried import carry_over
from ..merging.laid import keep_state
from ..plan import Answer, Plan
from ..view import View
from .branch import branch_name, check_free, move_branch
from .common import (
    ask,
    check_hooks,
    commit_tree,
    finished,
    forget_operation,
    need_no_operation,
    refused_switches,
)
from .compatible import check_move, check_new_with_paths, check_paths, check_style, merges, new_branch, tracks
from .paths import pathspecs_of
from .restore import from_index, from_tree, need_no_merge, wanted_of
from .upstream import need_branch, need_one_ref, set_up_tracking

_HEADS = b"refs/heads/"
_ADVICE = """\
Note: switching to '{}'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false

"""


_SEVERAL = b"""\
hint: If you meant to check out a remote tracking branch on, e.g. 'origin',
hint: you can do so by fully qualifying the name with the --track option:
hint: \nhint:     git checkout --track origin/<name>
hint: \nhint: If you'd like to always have checkouts of an ambiguous <name> prefer
hint: one remote, e.g. the 'origin' remote, consider setting
hint: checkout.defaultRemote=origin in your config.
"""


@record
class Target:
    """Where HEAD goes: a branch (its full name; None: detached) at a commit. `word` is how it was named; `fresh` and
    `reset` say that the branch is made, or moved; `ref` is the ref that was named as a start."""

    branch: bytes | None
    commit: bytes | None
    word: str
    fresh: bool = False
    reset: bool = False
    ref: bytes | None = None
    given: bool = True  # whether a start was named at all
    is_guessed: bool = False  # whether it is made after the branch of a remote
    unborn: bool = False  # the branch is not made: HEAD names one that has no commit yet (`--orphan`)
    tracked: bytes | None = None  # the branch whose upstream is told of, where HEAD is detached at it


def plan_checkout(request: CheckoutRequest, view: View) -> Plan:
    """The plan of a move, or of `checkout` of paths. Raises git's words for names that lead nowhere and for files that
    would be overwritten."""
    taken = (
        "--guess",
        "--no-guess",
        "--ours",
        "--theirs",
        "--merge",
        "--progress",
        "--no-progress",
    )
    refused_switches(request, taken)
    check_style(request)
    view.need_work_tree()
    check_hooks(view, ("post-checkout",))
    new_branch(request)
    if request.paths and not _is_branch_of_a_remote(request, view):
        return _paths(request, view)
    return _Move(altered(request, branch=request.paths[0], paths=[]) if request.paths else request, view).plan()


def _is_branch_of_a_remote(request: CheckoutRequest, view: View) -> bool:
    """Whether the only word, which is no revision, names a branch of just one remote. Raises BadRequest where it could
    be a file as well."""
    if not request.counted or request.commit is not None or len(request.paths) > 1:
        return False
    word = request.paths[0]
    if tracks(request):
        return True
    if new_branch(request) is not None:
        return False
    if _Move(request, view).guessed(word) is None:
        return False
    item, files = pathspecs_of(view, [word]).items[0], view.store.files
    if files is not None and files.lstat(item.match.rstrip(b"/")) is not None:
        raise BadRequest(
            f"'{word}' could be both a local file and a tracking branch.\n"
            "Please use -- (and optionally --no-guess) to disambiguate"
        )
    return True


def _paths(request: CheckoutRequest, view: View) -> Plan:
    """`checkout [TREE] -- PATHS`."""
    changes = Changes()
    if request.commit is not None and request.counted and not request.named:
        _need_no_file(view, request.commit)
    tree = None if request.commit is None else _tree(view, request.commit)
    check_paths(request)
    if (new := new_branch(request)) is not None:
        name = branch_name(new)
        if view.ref(name)[0] != ABSENT and request.reset_branch is None:
            raise BadRequest(f"a branch named '{new}' already exists")
    check_new_with_paths(request)
    again = 0
    if request.commit is None or tree is None:
        wanted = wanted_of(request, ignored=request.force, overlay=True)
        count, again = from_index(view, changes, request.paths, wanted)
        where = b"the index"
    else:
        need_no_merge(request)
        count = from_tree(view, changes, request.commit, request.paths, staged=True, worktree=True, overlay=True)
        where = abbrev(view.store, tree)
    line = b"Recreated %d merge conflict%b\n" % (again, b"" if again == 1 else b"s") if again else b""
    if count or not again:
        line += b"Updated %d path%b from %b\n" % (count, b"" if count == 1 else b"s", where)
    quiet = {"-q", "--quiet"} & set(request.switches)
    return finished(request, view, changes, Answer(err=line if request.counted and not quiet else b""))


def _need_no_file(view: View, word: str) -> None:
    """Raise BadRequest in git's words for a tree, without `--` behind it, that is the name of a file as well."""
    if looks_like_pathspec(word) or not in_work_tree(word, view.store):
        return
    raise BadRequest(
        f"ambiguous argument '{word}': both revision and filename\n"
        "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
    )


def _tree(view: View, word: str) -> bytes:
    """What git shows for the source of paths: the tree."""
    if (base := one_merge_base(view.store, word, ctx=view.ctx)) is not None:
        return commit_tree(view, base)
    resolver = Resolver(view.store, ctx=view.ctx)
    source = resolver.find(word.encode("utf-8", "surrogateescape"))
    if source is None:
        raise NotFound(f"invalid reference: {word}", ref=word)
    commit = resolver.commit_of(source.oid, quiet=True)
    return view.odb.peel(source.oid) if commit is None else commit_tree(view, commit)


def _named(view: View, word: str) -> bytes | None:
    """The commit that a word names, `A...B` too."""
    base = one_merge_base(view.store, word, ctx=view.ctx)
    return named_commit(view.store, word, ctx=view.ctx) if base is None else base


class _Move:
    """One move of HEAD."""

    def __init__(self, request: CheckoutRequest, view: View) -> None:
        self._request, self._view = request, view
        self._is_switch = isinstance(request, SwitchRequest)
        self._old_branch, self._old = view.head()
        self._quiet = bool({"-q", "--quiet"} & set(request.switches))

    def plan(self) -> Plan:
        view, changes = self._view, Changes()
        target = self._target()
        check_move(self._request)
        if self._is_switch:
            need_no_operation(view)
        self._need_free(target)
        stays_unborn = target.unborn and target.commit is None  # HEAD names another branch, and that is all
        if view.index.unmerged and not (self._request.discards or stays_unborn or self._stays(target)):
            names = b"".join(b"%b: needs merge\n" % path for path in view.index.unmerged)
            raise CommandFailed("you need to resolve your current index first", status=1, prefix="error", stdout=names)
        moved = self._move_files(target, changes)
        out = moved.out
        try:
            self._need_new_branch(target)
        except BadRequest as error:
            error.data["stdout"] = b"" if self._quiet else out
            raise
        tracking = self._move_refs(target, changes)
        if tracking.status:
            raise Unsupported(f"the branch that is made could follow several:\n{text(tracking.err)}".rstrip("\n"))
        err = moved.err + (b"" if self._quiet else tracking.err + self._words(target, changes))
        cancelled = b"" if target.commit is None else forget_operation(view, changes)
        if not self._quiet:
            err += cancelled
        kept = b"" if target.commit is None else keep(view, changes)  # said with --quiet, too
        if kept:
            keep_state(view, changes, {NAME: None})
        if (target.branch or target.tracked) is not None and not self._quiet:
            out += tracking.out + self._tracking(target)
        return finished(self._request, view, changes, Answer(b"" if self._quiet else out, err + kept))

    # --- where to ---------------------------------------------------------------------------------------------------

    def _target(self) -> Target:
        request = self._request
        new, start = new_branch(request), request.commit or request.branch
        if request.orphan is not None:
            return self._orphan(request.orphan, start)
        if new is not None:
            return self._new_branch(new, start, reset=request.reset_branch is not None)
        if start is None:
            if self._is_switch and not request.detach:
                check_move(request)
                raise BadRequest("missing branch or commit argument")
            if self._old is None:
                if self._is_switch:
                    need_no_operation(self._view)
                raise BadRequest("You are on a branch yet to be born")
            branch = None if request.detach else self._old_branch
            return Target(branch, self._old, "HEAD", given=False)
        word = self._previous(start)
        full = _HEADS + word.encode("utf-8", "surrogateescape")
        if not request.detach and self._view.store.refs.read(full) is not None:
            return self._branch(full, word)
        return self._commit(word)

    def _previous(self, word: str) -> str:
        """`-` is the branch, or commit, before the last move, as `@{-1}` is; `@{-2}` that before the one before."""
        name = "@{-1}" if word == "-" else word
        if not name.startswith("@{-"):
            return word
        try:
            raw = ask(self._view, ["rev-parse", "--symbolic-full-name", name])
        except BadRequest:
            if word != "-":
                return word
            if self._is_switch:
                raise NotFound("invalid reference: @{-1}", ref=word) from None
            raise CommandFailed(
                "pathspec '-' did not match any file(s) known to git", status=1, prefix="error"
            ) from None
        branch = raw.decode("utf-8", "surrogateescape").strip()
        if branch.startswith("refs/heads/"):
            return branch.removeprefix("refs/heads/")
        return name

    def _need_free(self, target: Target) -> None:
        """Raise BadRequest where another work tree has the branch that is switched to."""
        if target.branch is None or target.fresh or not (target.given or target.reset):
            return
        taken = taken_by(self._view.store, target.branch, elsewhere=True)
        if taken is not None:
            raise BadRequest(f"'{target.word}' is already checked out at '{taken}'")

    def _branch(self, full: bytes, word: str) -> Target:
        return Target(full, self._view.store.refs.read(full), word)

    def _commit(self, word: str) -> Target:
        view, request = self._view, self._request
        commit = _named(view, word)
        if commit is None:
            guessed = self.guessed(word)
            if guessed is not None:
                return guessed
            if request.detach and request.counted:
                raise BadRequest(f"git checkout: --detach does not take a path argument '{word}'")
            if self._is_switch or request.detach or request.named:
                raise NotFound(f"invalid reference: {word}", ref=word)
            raise CommandFailed(f"pathspec '{word}' did not match any file(s) known to git", status=1, prefix="error")
        if self._is_switch and not request.detach:
            check_move(request)
            raise self._wants_branch(word, commit)
        if word == "HEAD" and not request.detach:
            return Target(self._old_branch, commit, word, given=False)
        full = _HEADS + word.encode("utf-8", "surrogateescape")
        tip = view.store.refs.read(full)  # a branch comes before a tag of its name, unlike elsewhere
        return Target(None, tip or commit, word, tracked=None if tip is None else full)

    def _wants_branch(self, word: str, commit: bytes) -> BadRequest:
        start = Resolver(self._view.store, ctx=self._view.ctx).find(word.encode("utf-8", "surrogateescape"))
        ref = b"" if start is None or start.ref is None else start.ref
        kind = "commit"
        word = commit.hex() if word == "@{-1}" else word
        for front, name in ((b"refs/tags/", "tag"), (b"refs/remotes/", "remote branch")):
            if ref.startswith(front):
                kind, word = name, text(ref[len(front) :])
        return BadRequest(
            f"a branch is expected, got {kind} '{word}'\n"
            "hint: If you want to detach HEAD at the commit, try again with the --detach option."
        )

    def guessed(self, word: str) -> Target | None:
        """A branch of just one remote, which a new branch of that name then follows (`--guess`). Strange but git's: the
        name is read as a revision, so that `HEAD~2` names something where the remote has a HEAD."""
        view = self._view
        configured = view.config.get_bool("checkout.guess", True) is not False or "--guess" in self._request.switches
        if "--no-guess" in self._request.switches or not configured:
            return None
        refs: dict[bytes, bytes] = {}
        resolver = Resolver(view.store, ctx=view.ctx)
        for remote in view.config.subsections("remote"):
            ref = tracking(view.store, remote, _HEADS + word.encode("utf-8", "surrogateescape"))
            if ref is not None and resolver.find(ref) is not None:
                refs[remote] = ref
        if len(refs) > 1:
            wanted = view.config.get("checkout.defaultremote")
            chosen = None if wanted is None else refs.get(wanted)
            if chosen is None:
                raise self._ambiguous(word, len(refs))
            refs = {b"": chosen}
        if not refs:
            return None
        name, ref = branch_name(word), next(iter(refs.values()))
        if self._request.detach:
            raise BadRequest("'--detach' cannot be used with '-b/-B/--orphan'")
        return Target(name, view.store.refs.read(ref), word, fresh=True, ref=ref, is_guessed=True)

    def _ambiguous(self, word: str, many: int) -> BadRequest:
        """What git says where several remotes have a branch of this name."""
        error = BadRequest(f"'{word}' matched multiple ({many}) remote tracking branches")
        if self._view.config.get_bool("advice.checkoutambiguousremotebranchname", True):
            error.data["stderr"] = _SEVERAL + error.words()
        return error

    def _orphan(self, word: str, start: str | None) -> Target:
        """A branch that has no commit: with the files of the start, or (`switch`) with none."""
        view = self._view
        commit = self._old
        if start is not None:
            commit = _named(view, self._previous(start))
            if commit is None:
                self._no_start(start, word)
        name = branch_name(word)
        if view.ref(name)[0] != ABSENT:
            raise BadRequest(f"a branch named '{word}' already exists")
        return Target(name, commit, word, fresh=True, given=start is not None, unborn=True)

    def _new_branch(self, word: str, start: str | None, *, reset: bool) -> Target:
        view = self._view
        commit, ref = self._old, self._old_branch
        if start is not None:
            resolver = Resolver(view.store, ctx=view.ctx)
            named = self._previous(start)
            origin, commit = None, one_merge_base(view.store, named, ctx=view.ctx)
            if commit is None:
                origin = resolver.find(named.encode("utf-8", "surrogateescape"))
                commit = None if origin is None else resolver.commit_of(origin.oid)
                if origin is None or commit is None:
                    self._no_start(start, word)
                need_one_ref(view, named)
            ref = None if origin is None else origin.ref
        name = branch_name(word)
        there = view.ref(name)[0] != ABSENT
        if there and not reset:
            raise BadRequest(f"a branch named '{word}' already exists")
        if start is None and self._old is None and self._old_branch is not None:
            return Target(name, None, word, fresh=True, given=False, unborn=True)
        return Target(name, commit, word, fresh=not there, reset=there, ref=ref, given=start is not None)

    def _no_start(self, start: str, word: str) -> None:
        if self._is_switch or self._request.named:
            raise NotFound(f"invalid reference: {start}", ref=start)
        raise BadRequest(f"'{start}' is not a commit and a branch '{word}' cannot be created from it")

    # --- files and refs ---------------------------------------------------------------------------------------------

    def _move_files(self, target: Target, changes: Changes) -> Answer:
        """Index and files; what is carried along, as git lists it."""
        view, request = self._view, self._request
        if target.commit is None:
            return Answer()
        empty = target.unborn and self._is_switch
        new = view.store.empty_tree if empty else commit_tree(view, target.commit)
        if request.discards and not self._stays(target):
            to_tree(view, new, changes, keep_untracked=not request.force)
            need_no_recursion(view, changes, discards=True)
            return Answer()
        # without an index file, as after `git clone --no-checkout`, nothing was checked out yet, nor deleted
        is_first = self._old is None or not (view.index.present or self._stays(target))
        old = view.store.empty_tree if is_first or self._old is None else commit_tree(view, self._old)
        if old != new:
            move, laid = TwoWay(view, old, new), Changes()
            move.run(laid)
            if move.obstacles and merges(request) and self._old is not None:
                view.outward = None  # nothing of that is checked out
                return carry_over(view, changes, old, new, labels=self._labels(target), style=request.conflict)
            need_no_obstacles(move.obstacles, "checkout", "switch branches")
            changes.entries, changes.files, changes.emptied = laid.entries, laid.files, laid.emptied
            changes.refreshes = True
            need_no_recursion(view, changes, discards=False)
        if not self._stays(target):
            leave_out(view, changes)  # which the words below count on
        changes.forget_resolved = not self._stays(target)
        if empty or self._quiet or self._stays(target):
            return Answer()
        return Answer(local_changes(view, old, new, changes))

    def _labels(self, target: Target) -> tuple[bytes, bytes, bytes]:
        """What conflicts with local changes are called: by where HEAD goes, "local", and by where it was."""
        start = self._request.commit or self._request.branch or target.word
        name = start.encode("utf-8", "surrogateescape") if target.ref is None or not target.is_guessed else target.ref
        if self._old_branch is not None:
            return name, b"local", self._old_branch.removeprefix(_HEADS)
        return name, b"local", abbrev(self._view.store, self._old or b"")

    def _need_new_branch(self, target: Target) -> None:
        """Raise git's words where a new branch cannot follow what it starts at, or a ref is in its way: git finds that
        out once files can move."""
        if target.branch is None or target.unborn or not (target.fresh or target.reset):
            return
        if self._request.track == "direct" and not target.is_guessed:
            start = self._request.commit or self._request.branch
            target.ref = need_branch(self._view, "HEAD" if start is None else self._previous(start))
        if target.fresh:
            check_free(self._view, target.branch)

    def _stays(self, target: Target) -> bool:
        """Whether git leaves index and files alone, and says nothing of local changes: no start was given to `switch`,
        or to `checkout -b NAME` with no other word."""
        if target.unborn:
            return False
        request = self._request
        options = request.switches or request.track or request.discards or merges(request)
        alone = request.spelled[:1] == ["-b"] and len(request.spelled) == 2 if request.spelled else not options
        return not target.given and (self._is_switch or (alone and request.create_branch is not None))

    def _move_refs(self, target: Target, changes: Changes) -> Answer:
        view = self._view
        answer = Answer()
        before, was_symbolic = view.ref(b"HEAD")
        view.grant.need_ref("HEAD")
        if target.unborn and target.branch is not None:
            changes.refs.append(RefChange(b"HEAD", before, target.branch, symbolic=True, was_symbolic=was_symbolic))
            there = view.store.refs.read(target.branch)  # that of the end, where the branch is a symbolic ref
            if there is not None:
                changes.logs.append(LogChange(b"HEAD", ABSENT, there, b"checkout -b"))
            return answer
        old, new = self._old or ABSENT, target.commit or ABSENT
        if target.branch is not None and target.commit is not None and (target.fresh or target.reset):
            given = self._request.commit or self._request.branch
            start = "HEAD" if not target.given else self._previous(given) if given else target.word
            if target.is_guessed and target.ref is not None:
                start = text(target.ref)
            verb = b"Reset to" if target.reset else b"Created from"
            line = b"branch: %b %b" % (verb, start.encode("utf-8", "surrogateescape"))
            moved = move_branch(view, changes, target.branch, target.commit, line)
            if self._old_branch in (target.branch, moved.name):  # and HEAD with it
                old = new
            track = self._request.track
            answer = set_up_tracking(view, changes, target.branch, target.ref, track=track, quiet=self._quiet)
        if not target.given and not target.fresh and not target.reset and target.branch == self._old_branch:
            return answer
        symbolic = target.branch is not None
        after = target.branch if target.branch is not None else new
        again = symbolic and view.config.get("core.sharedrepository") is not None  # it gets the permissions of that
        if (before, was_symbolic) != (after, symbolic) or again:
            changes.refs.append(RefChange(b"HEAD", before, after, symbolic=symbolic, was_symbolic=was_symbolic))
        here = self._old.hex().encode() if self._old_branch is None and self._old else None
        from_ = here or (self._old_branch or b"").removeprefix(_HEADS)
        to = target.branch.removeprefix(_HEADS) if target.branch is not None else self._detached_name(target)
        stays = not symbolic and not was_symbolic and old == new  # a ref that keeps its value is not logged
        if target.commit is not None and not stays:
            changes.logs.append(LogChange(b"HEAD", old, new, b"checkout: moving from %b to %b" % (from_, to)))
        if symbolic and self._old is None and self._old_branch not in (None, target.branch):
            self._forget_log(changes, self._old_branch or b"")
        return answer

    def _forget_log(self, changes: Changes, branch: bytes) -> None:
        """A branch that is left before it has a commit keeps no log, which `checkout --orphan -l` made for it."""
        log = self._view.git_file(b"logs/" + branch)
        if log is not None:
            changes.logs.append(LogChange(branch, whole=True, before=log, content=None))

    def _detached_name(self, target: Target) -> bytes:
        if target.word.startswith("@{-"):
            return (target.commit or b"").hex().encode()
        if not target.given:
            return b"HEAD"
        return target.word.encode("utf-8", "surrogateescape")

    # --- words ------------------------------------------------------------------------------------------------------

    def _line(self, commit: bytes) -> bytes:
        return abbrev(self._view.store, commit) + b" " + ask(
            self._view, ["show", "-s", "--format=%s", commit.hex()]
        )  # fmt: skip

    def _words(self, target: Target, changes: Changes) -> bytes:
        """What is said on stderr: what is left behind, and where HEAD is."""
        view, err = self._view, b""
        if not target.given and not target.fresh and not target.reset and not self._request.detach:
            return b""
        leaves = self._old_branch is None and self._old is not None
        empty = target.unborn and self._is_switch
        if leaves and self._old is not None and (self._old != target.commit or empty):
            err += self._left_behind(replace(target, commit=None) if empty else target)
        if target.branch is None:
            assert target.commit is not None
            if self._old_branch is not None and not self._request.detach and self._advises():
                word = target.commit.hex() if target.word == "@{-1}" else target.word
                err += _ADVICE.format(word).encode("utf-8", "surrogateescape")
            return err + b"HEAD is now at " + self._line(target.commit)
        name = target.branch.removeprefix(_HEADS)
        del changes, view
        stays_unborn = target.unborn and target.commit is None
        if target.branch == self._old_branch and not stays_unborn:  # a new one too, where HEAD names it already
            return err + (b"Reset branch '%b'\n" if self._request.reset_branch else b"Already on '%b'\n") % name
        if target.fresh:
            return err + b"Switched to a new branch '%b'\n" % name
        return err + (b"Switched to and reset branch '%b'\n" if target.reset else b"Switched to branch '%b'\n") % name

    def _advises(self) -> bool:
        return bool(self._view.config.get_bool("advice.detachedhead", True))

    def _is_kept(self, target: Target) -> bool:
        """Whether a ref names the commit that is left, or HEAD goes to one above it: then no history is walked."""
        store = self._view.store
        if target.commit is not None and is_ancestor(store, self._old or b"", target.commit, ctx=self._view.ctx):
            return True
        return any(oid == self._old for _, oid in store.refs.iterate(b"refs/"))

    def _left_behind(self, target: Target) -> bytes:
        """Commits that no ref leads to any more; else where HEAD was."""
        view = self._view
        assert self._old is not None
        reached = [f"^{target.commit.hex()}"] if target.commit is not None else []
        if self._is_kept(target):
            return b"Previous HEAD position was " + self._line(self._old)
        lost = ask(view, ["rev-list", self._old.hex(), *reached, "--not", "--glob=refs/*"]).split()
        if not lost:
            return b"Previous HEAD position was " + self._line(self._old)
        shows = len(lost) if len(lost) == 5 else 4  # the last one takes no more room than its number
        lines = [self._line(bytes.fromhex(one.decode())) for one in lost[:shows]]
        shown = b"".join(b"  %b\n" % line.rstrip(b" \n") for line in lines)
        more = b"" if len(lost) <= shows else b" ... and %d more.\n" % (len(lost) - shows)
        many = len(lost) > 1
        words = b"Warning: you are leaving %d commit%b behind, not connected to\nany of your branches:\n\n%b%b\n"
        advice = (
            b"If you want to keep %b by creating a new branch, this may be a good time\nto do so with:\n\n"
            b" git branch <new-branch-name> %b\n\n"
        ) % (b"them" if many else b"it", abbrev(view.store, self._old))
        words %= len(lost), b"s" if many else b"", shown, more
        return words + advice if self._advises() else words

    def _tracking(self, target: Target) -> bytes:
        """How the branch stands to its upstream, as `git status` says it."""
        branch = target.branch or target.tracked
        if branch is None or target.fresh or (current_branch(self._view.store) is None and target.commit is None):
            return b""
        tracking = tracking_of(self._view.store, branch.removeprefix(_HEADS), target.commit, True, ctx=self._view.ctx)
        return b"" if tracking is None else tracking_text(tracking, True)
