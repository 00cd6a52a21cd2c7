"""The plan of a rebase, or of what goes on with one. Mirrors git-rebase(1), with git's merge backend.

All commits are made when it is planned, up to the one that stops it. No editor is opened, no hook is run, nothing is
signed; `-i`, `--exec`, `--rebase-merges` and their kin are refused by name.
"""

from __future__ import annotations

from ....errors import BadRequest, CommandFailed, InvalidArgs, Unsupported, text
from ....graph.merge_base import merge_bases
from ....plans.settings import judge_settings
from ....request.ref_mutations import RebaseRequest
from ....revs.abbrev import abbrev
from ...changes import ABSENT, Changes, LogChange, RefChange
from ...checkout.hard import to_tree
from ...merging.autostash import SAVED, bring_back, need_free, put_away, uncommitted
from ...merging.laid import keep_state, need_no_program
from ...merging.laying import Laying
from ...plan import Answer, Plan
from ...stash.entries import add_entry
from ...view import View
from ..branch import move_branch
from ..common import ask, check_hooks, commit_tree, finished, last_word, refused_switches, shown_path
from ..compatible import ends_of, need_one
from .base import Asked, commits_of, is_empty, is_up_to_date, need_supported, pushed, what_is_asked
from .conclude import conclude
from .replay import Replay
from .state import FOLDER, Rebase, all_gone, is_under_way, read_rebase
from .todo import NOOP, Step, help_text, written

_TAKEN = (
    "--abort", "--continue", "--skip", "--quit", "--no-autosquash", "--autostash", "--no-autostash", "--merge",
    "--stat", "--no-stat", "--no-verify", "--verify", "--fork-point", "--no-fork-point", "--keep-empty",
    "--no-keep-empty",
    "--allow-empty-message", "--ignore-whitespace", "--no-gpg-sign", "--no-update-refs", "--no-rerere-autoupdate",
)  # fmt: skip
_HOOKS = ("pre-rebase", "post-checkout", "post-rewrite", "prepare-commit-msg", "commit-msg", "post-commit")
_BRANCH_STATE = (b"CHERRY_PICK_HEAD", b"REVERT_HEAD", b"MERGE_HEAD", b"MERGE_RR", b"MERGE_MSG", b"MERGE_MODE",
                 b"AUTO_MERGE", b"SQUASH_MSG")  # fmt: skip
_TWO = """\
It seems that there is already a rebase-merge directory, and
I wonder if you are in the middle of another rebase.  If that is the
case, please try
\tgit rebase (--continue | --abort | --skip)
If that is not the case, please
\trm -fr "{0}"
and run me again.  I am stopping in case you still have something
valuable there.
"""
_NOT_DETACHED = b"error: could not detach HEAD\n"
_UNRESOLVED = b"You must edit all merge conflicts and then\nmark them as resolved using git add\n"


def plan_rebase(request: RebaseRequest, view: View) -> Plan:
    """The plan. Raises git's words for what cannot be rebased and for files in the way, Unsupported for what gitglass
    does not do."""
    refused_switches(request, _TAKEN)
    need_supported(request, view)
    view.need_work_tree()
    check_hooks(view, _HOOKS)
    need_no_program(view, request.switches, "rebase")
    under_way = is_under_way(view)
    end = {"--abort": _abort, "--quit": _quit, "--skip": _skip, "--continue": _continue}.get(request.ending or "")
    if end is not None:
        _need_alone(request)
        if not under_way:
            raise BadRequest("No rebase in progress?")
        return end(request, view)
    if under_way:
        raise BadRequest(_TWO.format(shown_path(view, b"rebase-merge")))
    _need_compatible(request)
    return _Start(request, view).plan()


def plan_pulled_rebase(request: RebaseRequest, view: View, action: bytes) -> Plan:
    """The plan of a rebase that is the end of a pull; `action` is what logs call it. Raises as a rebase does."""
    judge_settings("rebase", view.config)
    if is_under_way(view):
        raise BadRequest(_TWO.format(shown_path(view, b"rebase-merge")))
    need_supported(request, view)
    check_hooks(view, _HOOKS)
    need_no_program(view, request.switches, "rebase")
    return _Start(request, view, action).plan()


def _need_alone(request: RebaseRequest) -> None:
    alone = RebaseRequest(switches=ends_of(request.switches)[:1])
    if any(getattr(request, name) != getattr(alone, name) for name in request.model_fields_set):
        raise InvalidArgs("usage: git rebase --continue | --abort | --skip | --edit-todo", prefix="")


def _need_compatible(request: RebaseRequest) -> None:
    usage = InvalidArgs("usage: git rebase [<options>] [<upstream> [<branch>]]", prefix="")
    if len(request.commits) > 2:
        raise usage
    need_one(("--keep-base", request.keep_base), ("--onto", request.onto is not None))
    need_one(("--keep-base", request.keep_base), ("--root", request.root))
    forks = [word for word in request.switches if word in ("--fork-point", "--no-fork-point")]
    need_one(("--root", request.root), ("--fork-point", forks[-1:] == ["--fork-point"]))
    if request.root and len(request.commits) > 1:
        raise usage
    if request.root and request.onto is None:
        raise Unsupported("git rebase: gitglass takes --root only with --onto", option="--root", status=129)


# ----------------------------------------------------------------------------------------------- one that begins
class _Start:
    """One rebase that begins."""

    def __init__(self, request: RebaseRequest, view: View, action: bytes = b"rebase") -> None:
        self._request, self._view, self._changes, self._answer = request, view, Changes(), Answer()
        self._action = action
        switches = request.switches
        self._quiet = "--quiet" in switches
        self._verbose = not self._quiet and "--verbose" in switches
        shown = [word for word in switches if word in ("--stat", "--no-stat", "--verbose", "--quiet")]
        wanted = view.config.get_bool("rebase.stat", False) if not shown else shown[-1] in ("--stat", "--verbose")
        self._stat = bool(wanted)
        self._autostash: bytes | None = None

    def plan(self) -> Plan:
        request, view, answer = self._request, self._view, self._answer
        asked = what_is_asked(request, view)
        self._put_away()
        if self._autostash is None:
            self._need_clean()
        force = request.force or request.signoff
        if is_up_to_date(view, asked):
            name = asked.name if asked.name == "HEAD" else f"Current branch {asked.name}"
            if not force:
                self._switch(asked)
                words = f"{name} is up to date.\n".encode("utf-8", "surrogateescape")
                answer.out += b"" if self._quiet else words
                return finished(request, view, self._changes, answer)
            answer.out += (
                b"" if self._quiet else f"{name} is up to date, rebase forced.\n".encode("utf-8", "surrogateescape")
            )
        if self._stat:
            self._show_stat(asked)
        return self._replay(asked, force)

    def _put_away(self) -> None:
        """With `--autostash` (rebase.autoStash): what is uncommitted goes into a commit."""
        asked = last_word(self._request.switches, "--autostash", "--no-autostash")
        wanted = self._view.config.get_bool("rebase.autostash", False) if asked is None else asked == "--autostash"
        away = put_away(self._view, self._changes) if wanted else None
        if away is not None:
            self._autostash, words = away
            self._answer.out += words

    def _need_clean(self) -> None:
        """Raise CommandFailed in git's words where anything is uncommitted."""
        view = self._view
        unstaged, staged = uncommitted(view)
        if not (unstaged or staged):
            return
        words = "You have unstaged changes." if unstaged else "Your index contains uncommitted changes."
        if unstaged and staged:
            words += "\nerror: additionally, your index contains uncommitted changes."
        out = b"".join(b"%b: needs merge\n" % path for path in view.index.unmerged)
        raise CommandFailed(f"cannot rebase: {words}\nerror: Please commit or stash them.", status=1, prefix="error",
                            kind="conflict", stdout=out)  # fmt: skip

    def _switch(self, asked: Asked) -> None:
        """Go to the branch that was named, where nothing has to be made; what was put away comes back."""
        view, changes = self._view, self._changes
        branch, old = view.head()
        if old is None:
            lines = f"could not determine HEAD revision\nerror: could not switch to {asked.name}"
            raise CommandFailed(lines, status=1, prefix="error")
        laying = Laying(view, changes, commit_tree(view, old))
        left: dict[bytes, bytes | None] = dict.fromkeys((b"REBASE_HEAD", b"AUTO_MERGE"))
        if asked.is_named:
            try:
                laying.go(commit_tree(view, asked.head), "checkout", "switch branches")
            except CommandFailed as error:
                whole = f"{error.message}\nerror: could not switch to {asked.name}"
                raise CommandFailed(whole, status=1, prefix="error", kind="conflict", stdout=self._answer.out) from None
            self._move_head(asked, branch, old)
        laying.finish()
        if self._autostash is not None:
            words, tree = bring_back(view, changes, laying.tree, self._autostash)
            self._answer.err += words
            left[b"AUTO_MERGE"] = None if tree is None else tree.hex().encode() + b"\n"
        keep_state(view, changes, left)

    def _move_head(self, asked: Asked, branch: bytes | None, old: bytes) -> None:
        view, changes = self._view, self._changes
        symbolic = asked.branch is not None
        changes.refs += view.move_head(asked.branch, asked.head, anew=symbolic)
        words = f"rebase: checkout {asked.name}".encode("utf-8", "surrogateescape")
        if asked.branch is not None:  # which git moves to where it is
            move_branch(view, changes, asked.branch, asked.head, words)
        if symbolic or branch is not None or old != asked.head:
            changes.logs.append(LogChange(b"HEAD", old, asked.head, words))

    def _show_stat(self, asked: Asked) -> None:
        bases = merge_bases(self._view.store, asked.onto, [asked.head], ctx=self._view.ctx)
        base = bases[0] if len(bases) == 1 else None
        if self._verbose:
            names = b"to %b" % asked.onto.hex().encode()
            names = names if base is None else b"from %b %b" % (base.hex().encode(), names)
            self._answer.out += b"Changes %b:\n" % names
        old = self._view.store.empty_tree if base is None else base
        self._answer.out += ask(
            self._view, ["diff-tree", "--stat", "--summary", "-M", "--no-color", old.hex(), asked.onto.hex()]
        )

    def _replay(self, asked: Asked, force: bool) -> Plan:
        request, view, changes = self._request, self._view, self._changes
        options = [*request.options, *(["ignore-space-change"] if "--ignore-whitespace" in request.switches else [])]
        rebase = Rebase(
            asked.branch, asked.head, asked.onto, quiet=self._quiet, verbose=self._verbose, signoff=request.signoff,
            force=force, empty=request.empty, strategy=request.strategy, options=options, autostash=self._autostash,
            action=self._action,
        )  # fmt: skip
        commits, there = commits_of(view, asked)
        self._say_skipped(there)
        steps = [self._step(commit) for commit in commits if self._is_wanted(commit)] or [NOOP]
        rebase.backup = written(steps) + help_text(view, self._range(asked), len(steps))
        start, rebase.left = asked.onto, steps
        if not force:
            start, rebase.done, rebase.left = _skip_unchanged(view, asked.onto, steps)
        try:
            replay = Replay(view, changes, rebase, self._answer)
        except CommandFailed as error:
            error.data["stdout"], error.data["stderr"] = self._answer.out, self._answer.err + error.words()
            raise
        replay.state[b"ORIG_HEAD"] = asked.head.hex().encode() + b"\n"
        try:
            replay.laying.go(commit_tree(view, start), "checkout", "switch branches")
        except CommandFailed as error:
            if self._autostash is None:
                words = f"{error.message}\nerror: could not detach HEAD"
                raise CommandFailed(words, status=1, prefix="error", kind="conflict", stdout=self._answer.out,
                                    stderr=self._answer.err + error.words() + _NOT_DETACHED) from None  # fmt: skip
            return self._brought_back(self._autostash, error)
        began = f" (start): checkout {asked.onto_name}".encode("utf-8", "surrogateescape")
        replay.detach(start, self._action + began)
        replay.shown += [f"leave out {self._named(commit)} (the upstream has its changes)" for commit in there]
        anew = [step.commit for step in rebase.left if step.commit is not None]
        replay.run()
        return _shown_plan(request, view, replay, pushed(view, anew))

    def _brought_back(self, autostash: bytes, error: CommandFailed) -> Plan:
        """The plan where files are in the way of the new base: what was put away comes back as a stash does, unstaged,
        and that is all that happens."""
        view, changes, answer = self._view, self._changes, self._answer
        old = view.head()[1]
        assert old is not None
        words, tree = bring_back(view, changes, commit_tree(view, old), autostash)
        if tree is not None:
            keep_state(view, changes, {b"AUTO_MERGE": tree.hex().encode() + b"\n"})
        answer.err += error.words() + words + _NOT_DETACHED
        answer.status, answer.kind = 1, "conflict"
        return finished(self._request, view, changes, answer)

    def _say_skipped(self, there: list[bytes]) -> None:
        if not there:
            return
        err = (
            b""
            if self._quiet
            else b"".join(
                b"warning: skipped previously applied commit %b\n" % abbrev(self._view.store, commit)
                for commit in there
            )
        )
        if self._view.config.get_bool("advice.skippedcherrypicks", True) is not False:
            err += b"hint: use --reapply-cherry-picks to include skipped commits\n"
            err += b'hint: Disable this message with "git config advice.skippedCherryPicks false"\n'
        self._answer.err += err

    def _is_wanted(self, commit: bytes) -> bool:
        asked = [word for word in self._request.switches if word in ("--keep-empty", "--no-keep-empty")]
        return asked[-1:] != ["--no-keep-empty"] or not is_empty(self._view, commit)

    def _step(self, commit: bytes) -> Step:
        style = self._view.config.get("rebase.instructionformat") or b"%s"
        words = ask(self._view, ["show", "-s", f"--format={text(style)}", "--no-color", commit.hex()]).rstrip(b"\n")
        if is_empty(self._view, commit):
            words += b" # empty"
        return Step(b"pick", commit, words.lstrip(b" \t"))  # git reads its list again before it keeps it

    def _named(self, commit: bytes) -> str:
        shown = ask(self._view, ["show", "-s", "--format=%h %s", "--no-color", commit.hex()])
        return text(shown).rstrip("\n")

    def _range(self, asked: Asked) -> bytes:
        """What is rebased onto what, in short names."""
        store = self._view.store
        whole = abbrev(store, asked.head)
        if asked.upstream is not None:
            whole = abbrev(store, asked.upstream) + b".." + whole
        return whole + b" onto " + abbrev(store, asked.onto)


def _skip_unchanged(view: View, base: bytes, steps: list[Step]) -> tuple[bytes, bytes, list[Step]]:
    """(where the rebase begins, what counts as done, what is left): commits that stay as they are need not be made."""
    at = 0
    for step in steps:
        if step.commit is not None:
            parents = view.odb.commit_facts(step.commit)[0]
            if list(parents) != [base]:
                break
            base = step.commit
        at += 1
    return base, written(steps[:at]), steps[at:]


def _shown_plan(request: RebaseRequest, view: View, replay: Replay, rewritten: list[bytes]) -> Plan:
    """The plan with what becomes of each commit in its preview. Commits that a remote has make it a high risk."""
    risk = "High" if rewritten else ""
    plan = finished(request, view, replay.changes, replay.answer, risk, detached=replay.was_detached)
    names = [text(abbrev(view.store, commit)) for commit in rewritten]
    warned = [f"already pushed, and made anew: {', '.join(names)}"] if names else []
    plan.preview.lines[:0] = [*warned, *replay.shown]
    return plan


# ----------------------------------------------------------------------------------------------- one that goes on
def _need_resolved(view: View) -> None:
    """Raise CommandFailed with git's words where files differ from the index."""
    if uncommitted(view)[0]:
        names = b"".join(b"%b: needs merge\n" % path for path in view.index.unmerged)
        raise CommandFailed("", status=1, stdout=names + _UNRESOLVED, stderr=b"", kind="conflict")


def _continue(request: RebaseRequest, view: View) -> Plan:
    rebase = read_rebase(view)
    if view.head()[1] is None:
        raise BadRequest("Cannot read HEAD")
    _need_resolved(view)
    changes, answer = Changes(), Answer()
    replay = Replay(view, changes, rebase, answer)
    conclude(replay)
    return _go_on(request, view, replay)


def _skip(request: RebaseRequest, view: View) -> Plan:
    rebase = read_rebase(view)
    changes = Changes()
    _, head = view.head()
    if head is None:
        words = "could not determine HEAD revision\nfatal: could not discard worktree changes"
        raise CommandFailed(words, status=128, prefix="error")
    need_free(view, commit_tree(view, head), "could not discard worktree changes")
    to_tree(view, commit_tree(view, head), changes)
    keep_state(view, changes, dict.fromkeys(_BRANCH_STATE))
    return _go_on(request, view, Replay(view, changes, rebase, Answer()))


def _go_on(request: RebaseRequest, view: View, replay: Replay) -> Plan:
    replay.note_stopped()
    anew = [step.commit for step in replay.rebase.left if step.commit is not None]
    replay.run()
    return _shown_plan(request, view, replay, pushed(view, anew))


def _abort(request: RebaseRequest, view: View) -> Plan:
    rebase = read_rebase(view)
    changes = Changes()
    need_free(view, commit_tree(view, rebase.head), f"could not move back to {rebase.head.hex()}")
    to_tree(view, commit_tree(view, rebase.head), changes)
    _, old = view.head()
    before, was_symbolic = view.ref(b"HEAD")
    to = rebase.branch if rebase.branch is not None else rebase.head.hex().encode()
    words = b"rebase (abort): returning to " + to
    if rebase.branch is not None:
        view.grant.need_ref("HEAD")
        change = view.move_ref(rebase.branch, rebase.head)
        changes.refs.append(RefChange(b"HEAD", before, rebase.branch, symbolic=True, was_symbolic=was_symbolic))
        if change.before != change.after:
            changes.refs.append(change)
            changes.logs.append(
                LogChange(rebase.branch, change.before, change.after, b"rebase (abort): returning to " + to)
            )
        if (before, was_symbolic) == (rebase.branch, True):  # git moves the branch, and then has HEAD name it again
            changes.logs.append(LogChange(b"HEAD", change.before, rebase.head, words))
            old = rebase.head
    elif (before, was_symbolic) != (rebase.head, False):
        changes.refs.append(view.move_ref(b"HEAD", rebase.head))
    if rebase.branch is not None or old != rebase.head:
        changes.logs.append(LogChange(b"HEAD", old or ABSENT, rebase.head, words))
    left: dict[bytes, bytes | None] = {**dict.fromkeys((*_BRANCH_STATE, b"REBASE_HEAD")), **all_gone(view)}
    answer = Answer()
    if rebase.autostash is not None:
        answer.err, tree = bring_back(view, changes, commit_tree(view, rebase.head), rebase.autostash)
        left[b"AUTO_MERGE"] = None if tree is None else tree.hex().encode() + b"\n"
    keep_state(view, changes, left)
    return finished(request, view, changes, answer)


def _quit(request: RebaseRequest, view: View) -> Plan:
    changes, answer = Changes(), Answer()
    raw = (view.git_file(FOLDER + b"autostash") or b"").strip()
    if len(raw) == view.store.hex_len and not raw.strip(b"0123456789abcdef"):
        add_entry(view, changes, bytes.fromhex(raw.decode()), b"autostash")
        answer.err = SAVED
    keep_state(view, changes, all_gone(view))
    return finished(request, view, changes, answer)
