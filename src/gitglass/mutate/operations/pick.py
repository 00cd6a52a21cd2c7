"""`cherry-pick` and `revert`: what single commits changed, brought over or taken back. Mirrors git-cherry-pick(1) and
git-revert(1).

All commits of a series are merged when it is planned, up to the one that stops it: by a conflict, by changing nothing,
or by files that are in the way. No editor is opened, no hook is run and nothing is signed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...errors import BadRequest, CommandFailed, InvalidArgs, NotFound, Unsupported, text
from ...merge.spec import MergeResult
from ...records import replace
from ...request.mutations import CommitRequest, ResetRequest
from ...request.pick_mutations import CherryPickRequest, Picking, RevertRequest
from ...revs.abbrev import abbrev
from ...revs.resolve import Resolver
from ..changes import ABSENT, Changes, LogChange
from ..index_file import write_trees
from ..merging.autostash import NAME, keep, pending
from ..merging.laid import (
    is_staged,
    keep_state,
    merge_messages,
    need_no_program,
    spec_of,
    unmerged_words,
    with_conflicts,
)
from ..merging.laying import Laying
from ..merging.picked import Picked, message_of, new_commit, read_picked
from ..merging.series import Series, doing_of, moved_since, noted, read_series, series_files, subject, with_options
from ..plan import Answer, Plan
from ..view import View
from .branch import check_free
from .commit.concluded import EMPTY_PICK, STATE, merged_commits
from .commit.plan import Committing
from .common import (
    SERIES_FILES,
    SETTLE,
    ask,
    check_hooks,
    commit_tree,
    finished,
    has_state,
    refused_switches,
    shown_path,
)
from .compatible import check_picking
from .message import stripped
from .reset import Resetting
from .summary import commit_summary

_TAKEN = ("--abort", "--continue", "--skip", "--quit", "--no-edit", "--no-gpg-sign", "--no-rerere-autoupdate")
_BRANCH_STATE = (b"CHERRY_PICK_HEAD", b"REVERT_HEAD", b"MERGE_HEAD", b"MERGE_RR", b"MERGE_MSG", b"MERGE_MODE",
                 b"AUTO_MERGE", b"SQUASH_MSG")  # fmt: skip
_MARK = "after resolving the conflicts, mark the corrected paths\nwith 'git add <paths>' or 'git rm <paths>'"
_ADVICE = """After resolving the conflicts, mark them with
"git add/rm <pathspec>", then run
"git {0} --continue".
You can instead skip this commit with "git {0} --skip".
To abort and get back to the state before "git {0}",
run "git {0} --abort"."""


def plan_pick(request: Picking, view: View) -> Plan:
    """The plan of a cherry-pick or revert, or of what goes on with one. Raises git's words for commits that cannot be
    taken and, where nothing was done before, for files in the way."""
    refused_switches(request, _TAKEN)
    check_picking(request)
    view.need_work_tree()
    check_hooks(view, ("prepare-commit-msg", "commit-msg", "post-commit"))
    need_no_program(view, request.switches, request.git)
    end = {"--abort": _abort, "--quit": _quit, "--skip": _skip, "--continue": _continue}.get(request.ending or "")
    if end is not None:
        return end(request, view)
    return _start(request, view)


def _failed(request: Picking, words: str) -> CommandFailed:
    """An error of the whole command, as git ends it."""
    return CommandFailed(f"{words}\nfatal: {request.git} failed", status=128, prefix="error")


# ----------------------------------------------------------------------------------------------- what ends a series
def _quit(request: Picking, view: View) -> Plan:
    changes = Changes()
    answer = Answer(err=keep(view, changes))
    keep_state(view, changes, dict.fromkeys((*SERIES_FILES, *_BRANCH_STATE, NAME)))
    return finished(request, view, changes, answer)


def _abort(request: Picking, view: View) -> Plan:
    changes, err = Changes(), b""
    head = view.head()[1]
    series = read_series(view)
    if series is None:
        if not any(has_state(view, name) for name in (b"CHERRY_PICK_HEAD", b"REVERT_HEAD")):
            raise _failed(request, "no cherry-pick or revert in progress")
        to = head
    else:
        to = series.head
    if to is None:
        raise _failed(request, "cannot abort from a branch yet to be born")
    if series is not None and moved_since(view, head):
        err = b"warning: You seem to have moved HEAD. Not rewinding, check your HEAD!\n"
    else:
        try:
            err = Resetting(ResetRequest(mode="merge", commit=to.hex()), view, changes).plan().err
        except CommandFailed as error:
            if series is None:  # git ends as the reset that it has run, and says no more
                raise
            raise _failed(request, error.message) from None
    keep_state(view, changes, dict.fromkeys(SERIES_FILES))
    return finished(request, view, changes, Answer(err=err))


def _skip(request: Picking, view: View) -> Plan:
    doing, head = doing_of(view), view.head()[1]
    if not has_state(view, b"REVERT_HEAD" if request.git == "revert" else b"CHERRY_PICK_HEAD"):
        if doing != request.git:
            raise _failed(request, f"no {request.git} in progress")
        if moved_since(view, head):
            hint = f'hint: have you committed already?\nhint: try "git {request.git} --continue"'
            raise _failed(request, f"there is nothing to skip\n{hint}")
    changes = Changes()
    try:  # without commits, unlike `--abort`: index and files become empty
        kept = Resetting(ResetRequest(mode="merge", commit=head and head.hex()), view, changes).plan().err
    except CommandFailed as error:
        words = f"{error.message}\nerror: failed to skip the commit\nfatal: {request.git} failed"
        raise CommandFailed(words, status=128, prefix="error", kind="conflict") from None
    series = read_series(view)
    over = any(file.name == SERIES_FILES[0] and file.after is None for file in changes.git_files)
    if series is not None and series.doing != request.git and not over:  # the commit is skipped all the same
        words = f"error: cannot {request.git} during a {series.doing}.\nfatal: {request.git} failed\n"
        return finished(request, view, changes, Answer(err=kept + words.encode(), status=128))
    if series is not None and head is None:  # so it is then
        return finished(request, view, changes, Answer(err=kept + _no_commits(view).words(), status=128))
    return _go_on(request, view, changes, series, head, Answer(err=kept))


def _no_commits(view: View) -> BadRequest:
    """git's words for a series that goes on where there are no commits."""
    name = text(view.head()[0] or b"HEAD").removeprefix("refs/heads/")
    return BadRequest(f"your current branch '{name}' does not have any commits yet")


def _continue(request: Picking, view: View) -> Plan:
    series, head = read_series(view), view.head()[1]
    going_on = any(has_state(view, name) for name in (b"CHERRY_PICK_HEAD", b"REVERT_HEAD"))
    if series is None and not going_on:
        raise _failed(request, "no cherry-pick or revert in progress")
    if series is not None and series.doing != request.git:
        raise _failed(request, f"cannot {request.git} during a {series.doing}.")
    changes = Changes()
    if not going_on:
        if head is None:
            raise _no_commits(view)
        _need_clean_index(request, view)
        return _go_on(request, view, changes, series, head, Answer())
    conclusion = Committing(CommitRequest(), view, resumes=True)
    answer = conclusion.run(changes)
    return _go_on(request, view, changes, series, conclusion.made, answer)


def _go_on(
    request: Picking,
    view: View,
    changes: Changes,
    series: Series | None,
    head: bytes | None,
    answer: Answer,
) -> Plan:
    """The rest of a series, after what `changes` do already."""
    if series is None:
        return finished(request, view, changes, answer)
    whole = with_options(view, request)
    if series.doing != whole.git:  # git goes on with either, whichever of the two was asked to
        kind = CherryPickRequest if series.doing == "cherry-pick" else RevertRequest
        shared = ("mainline", "no_commit", "signoff", "cleanup", "options", "strategy", "switches")
        whole = kind(**{name: getattr(whole, name) for name in shared})
    picks = Picks(whole, view, changes, head)
    picks.answer = answer
    picks.run(replace(series, left=series.left[1:]), is_series=True)
    return finished(request, view, picks.changes, picks.answer)


# ----------------------------------------------------------------------------------------------- what begins one
def _start(request: Picking, view: View) -> Plan:
    commits, single = _commits(request, view)
    if not single and (doing := doing_of(view)):
        skip = any(has_state(view, name) for name in (b"CHERRY_PICK_HEAD", b"REVERT_HEAD"))
        hint = f'hint: try "git {doing} (--continue | {"--skip | " if skip else ""}--abort | --quit)"'
        raise _failed(request, f"{doing} is already in progress\n{hint}")
    if not single and has_state(view, b"sequencer"):  # as a series leaves it that fails before its first commit
        name = shown_path(view, b"sequencer")
        raise _failed(request, f"could not create sequencer directory '{name}': File exists")
    head = view.head()[1]
    if head is None and request.git == "revert" and not single:
        raise _failed(request, "can't revert as initial commit")
    picks = Picks(request, view, Changes(), head)
    picks.run(Series(request.git, commits, head), is_series=not single)
    return finished(request, view, picks.changes, picks.answer)


def _commits(request: Picking, view: View) -> tuple[list[bytes], bool]:
    """The commits in the order in which they are taken, and whether just one was named. Raises git's words."""
    resolver = Resolver(view.store, ctx=view.ctx)
    named: list[bytes] = []
    ranges = False
    words = ["@{-1}" if word == "-" else word for word in request.commits]
    for word in words:
        try:
            ref = None if word.startswith("^") else resolver.find(word.encode("utf-8", "surrogateescape"))
        except NotFound:  # of a range with an upstream in it
            if ".." not in word:
                raise
            ref = None
        if ref is None:
            if word.startswith("-"):
                raise InvalidArgs(f"git {request.git}: gitglass does not take {word}", option=word)
            ranges = True
            continue
        commit = resolver.commit_of(ref.oid, quiet=True)
        if commit is None:
            kind = text(view.odb.kind(view.odb.peel(ref.oid)))
            raise _failed(request, f"{word}: can't cherry-pick a {kind}")
        named.append(commit)
    if not ranges:
        return list(dict.fromkeys(named)), len(named) == 1  # one that is named twice is taken once
    order = ["--reverse"] if request.git == "cherry-pick" else []
    listed = ask(view, ["rev-list", *order, *words, "--"]).split()
    if not listed:
        raise _failed(request, "empty commit set passed")
    return [bytes.fromhex(one.decode()) for one in listed], False


def _need_clean_index(request: Picking, view: View) -> None:
    """Raise CommandFailed in git's words where the index is not as HEAD has it."""
    if view.index.unmerged:
        doing = "Reverting" if request.git == "revert" else "Cherry-picking"
        raise _failed(request, f"{doing} is not possible because you have unmerged files.\n{SETTLE}")
    head = view.head()[1]
    if len(view.index.paths) if head is None else is_staged(view, commit_tree(view, head)):
        hint = "hint: commit your changes or stash them to proceed."
        raise _failed(request, f"your local changes would be overwritten by {request.git}.\n{hint}")


class Picks:
    """A series being planned: HEAD and its tree move from commit to commit, files are laid once, at the end."""

    def __init__(self, request: Picking, view: View, changes: Changes, head: bytes | None) -> None:
        self.request, self.view, self.changes, self.answer = request, view, changes, Answer()
        self._branch, self._old = view.head()
        self._head = head
        self._state: dict[bytes, bytes | None] = {}
        self._is_first = changes.is_empty  # nothing was done yet: then an error refuses the whole

    def run(self, series: Series, *, is_series: bool) -> None:
        """All commits of a series, as far as they go."""
        self._laying = Laying(self.view, self.changes, self._first_tree())
        left = list(series.left)
        while left:
            self.view.ctx.tick()
            try:
                done = self._one(read_picked(self.request, self.view, left[0]))
            except CommandFailed as error:
                if self._is_first and self._head == self._old:
                    raise
                self.answer.err += error.words()
                self.answer.status, done = error.status or 128, False
            if not done:
                break
            left = left[1:]
        if left and is_series:
            self._state.update(series_files(self.view, self.request, replace(series, left=left), self._head))
        elif has_state(self.view, b"sequencer") and is_series:
            self._state.update(dict.fromkeys(SERIES_FILES))
        elif has_state(self.view, b"sequencer"):  # one commit amid a series of others
            self._state[b"sequencer/abort-safety"] = noted(self._head)
        self._finish()

    def _first_tree(self) -> bytes:
        view = self.view
        if not (self.request.no_commit and self._is_first):  # what was taken back, or concluded, left HEAD's
            if self._is_first:
                _need_clean_index(self.request, view)
            return view.store.empty_tree if self._head is None else commit_tree(view, self._head)
        if view.index.unmerged:
            error = _failed(self.request, "your index file is unmerged.")
            error.data["stderr"] = unmerged_words(view) + error.words()
            raise error
        index = view.index
        rows = zip(index.paths, index.modes, index.oids)
        kept = sorted(row for at, row in enumerate(rows) if not index.special or not index.intent_to_add(at))
        return write_trees(kept, None, view.new.add, view.store.empty_tree)[0]

    # --- one commit --------------------------------------------------------------------------------------------------
    def _one(self, picked: Picked) -> bool:
        """Whether a commit was taken; if not, it is where the series stops."""
        request, view = self.request, self.view
        if getattr(request, "ff", False) and picked.parent == self._head and picked.git == "cherry-pick":
            tree = commit_tree(view, picked.commit)
            with self._whole():
                self._laying.go(tree)
            self._move(picked.commit, b"cherry-pick: fast-forward")
            return True
        spec = spec_of(view, b"HEAD", picked.label, strategy=request.strategy, options=request.options)
        spec = replace(spec, labels=(b"HEAD", picked.label, picked.base_label))
        before = self._laying.tree
        with self._whole():
            result = self._laying.merge(picked.base_tree, picked.tree, spec)
        self.answer.out += merge_messages(result)
        message = message_of(request, view, picked)
        self._state[b"AUTO_MERGE"] = result.tree.hex().encode() + b"\n"
        if not result.clean:
            self._in_conflict(picked, result, message)
            return False
        self._state[b"MERGE_MSG"] = message
        if self._head is None and isinstance(request, CherryPickRequest):
            self._need_no_empty(request)
        if request.no_commit:
            self._keep_head(picked)
            return True
        if result.tree == before and self._head is not None and not self._takes_empty(picked):
            return self._nothing_left(picked, message)
        return self._commit(picked, message)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """What is in the way ends the whole command."""
        try:
            yield
        except CommandFailed as error:
            raise _failed(self.request, error.message) from None

    def _need_no_empty(self, request: CherryPickRequest) -> None:
        """Raise CommandFailed in git's words where empty commits are taken, on a branch without commits: whether one is
        empty is seen by the commit that HEAD is at."""
        if request.allow_empty or request.keep_redundant:
            raise _failed(request, "could not resolve HEAD commit")

    def _takes_empty(self, picked: Picked) -> bool:
        request = self.request
        if not isinstance(request, CherryPickRequest):
            return False
        return request.keep_redundant or (request.allow_empty and picked.is_empty)

    def _nothing_left(self, picked: Picked, message: bytes) -> bool:
        """Nothing is left of the commit. Strange but git's: it is left to `git commit` to say so, and that concludes a
        merge that was begun, with the message of the commit."""
        view = self.view
        merged = merged_commits(view) if self._state.get(b"MERGE_HEAD", b"") is not None else []
        if not merged:
            return self._empty(picked, message)
        if pending(view) is not None:
            raise Unsupported(f"git {picked.git}: what the merge that it concludes has put away has to come back first")
        self._state[b"COMMIT_EDITMSG"] = stripped(message)
        self._state.update(dict.fromkeys(STATE))
        return self._commit(picked, message, merged)

    def _commit(self, picked: Picked, message: bytes, merged: Sequence[bytes] = ()) -> bool:
        view = self.view
        commit = new_commit(self.request, view, picked, self._head, self._laying.tree, message, merged)
        made = view.odb.commit(commit)
        line = made.message.lstrip(b"\n").partition(b"\n")[0]
        self._move(commit, b"%b: %b" % (self.request.git.encode(), line))
        self.answer.out += commit_summary(
            view, self._branch, commit, root=False, dated=not merged, files=self._laying.files
        )
        self._state.update({b"MERGE_MSG": None, b"CHERRY_PICK_HEAD": None})
        return True

    def _move(self, commit: bytes, line: bytes) -> None:
        """HEAD at a commit. Raises CommandFailed in git's words where another ref is in the way of a new branch."""
        if self._head is None and self._branch is not None:
            try:
                check_free(self.view, self._branch, b"HEAD")
            except BadRequest as error:
                raise _failed(self.request, error.message) from None
        old = self._head or ABSENT
        names = [self._branch or b"HEAD"] if old != commit else []
        names += [b"HEAD"] if self._branch is not None else []
        self.changes.logs += [LogChange(name, old, commit, line) for name in names]
        self._head = commit

    # --- what stops a series ------------------------------------------------------------------------------------------
    def _in_conflict(self, picked: Picked, result: MergeResult, message: bytes) -> None:
        git, view = self.request.git, self.view
        self._state[b"MERGE_MSG"] = with_conflicts(view, message, result)
        self._keep_head(picked)
        verb, commit = b"revert" if git == "revert" else b"apply", picked.commit
        words = b"error: could not %b %b... %b\n" % (verb, abbrev(view.store, commit), subject(view, commit))
        advice = _MARK if self.request.no_commit else _ADVICE.format(git)
        self.answer.err += words + "".join(f"hint: {line}\n" for line in advice.split("\n")).encode()
        self.answer.status = 1

    def _empty(self, picked: Picked, message: bytes) -> bool:
        """Nothing is left of the commit: git shows the state and stops."""
        self._state[b"COMMIT_EDITMSG"] = stripped(message)
        if picked.git == "cherry-pick":
            self._keep_head(picked)
            rebased = has_state(self.view, b"rebase-merge") and (self.view.git_file(b"REBASE_HEAD") or b"").strip()
            is_that = rebased == picked.commit.hex().encode()
            self.answer.advice = EMPTY_PICK % (b"rebase" if is_that else b"cherry-pick")
        elif self._picks_still():
            self.answer.advice = EMPTY_PICK % b"cherry-pick"
        self.answer.status, self.answer.status_after = 1, True
        return False

    def _picks_still(self) -> bool:
        """Whether a cherry-pick was stopped before, and nothing has concluded it since: git takes an empty commit for
        what came of it."""
        name = b"CHERRY_PICK_HEAD"
        return has_state(self.view, name) and self._state.get(name, b"") is not None

    def _keep_head(self, picked: Picked) -> None:
        """Note the commit at which git goes on; one that is picked without a commit is not."""
        name = picked.commit.hex().encode() + b"\n"
        if picked.git == "revert":
            self._state[b"REVERT_HEAD"] = name
        elif not self.request.no_commit:
            self._state[b"CHERRY_PICK_HEAD"] = name

    # --- index, files, refs -------------------------------------------------------------------------------------------
    def _finish(self) -> None:
        """All changes together: what was taken back before, what the series lays, HEAD, and git's small files."""
        changes, view = self.changes, self.view
        self._laying.finish()
        if self._head is not None and self._head != self._old:
            changes.refs = [view.move_ref(self._branch or b"HEAD", self._head)]
        keep_state(view, changes, self._state)
