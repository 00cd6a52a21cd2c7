"""Commits made anew, one after the other, in memory: as far as they go. HEAD is detached meanwhile; at the end the
branch is moved and HEAD is on it again, or git's files say where it stopped (git-rebase(1))."""

from __future__ import annotations

from ....errors import CommandFailed, text
from ....merge.spec import MergeResult
from ....records import replace
from ....revs.abbrev import abbrev
from ...changes import ABSENT, Changes, LogChange
from ...merging.autostash import bring_back
from ...merging.laid import keep_state, merge_messages, spec_of, with_conflicts
from ...merging.laying import Laying
from ...merging.noted import need_no_notes
from ...merging.picked import Picked, message_of, new_commit, read_picked
from ...merging.series import readable, subject
from ...plan import Answer
from ...view import View
from ..commit.concluded import EMPTY_PICK
from ..common import ask, commit_tree, has_state
from ..message import stripped
from .state import FOLDER, Rebase, all_gone, done_count
from .todo import Step

#: how git clears a line that showed progress, for a terminal that it knows nothing about, and for any other
_BLANKS, _ERASED = b"\r" + b" " * 80 + b"\r", b"\r\x1b[K"
_ADVICE = b"""\
hint: Resolve all conflicts manually, mark them as resolved with
hint: "git add/rm <conflicted_files>", then run "git rebase --continue".
hint: You can instead skip this commit: run "git rebase --skip".
hint: To abort and get back to the state before "git rebase", run "git rebase --abort".
"""
_AGAIN = b"""\
hint: Could not execute the todo command
hint:\x20
hint:     %b
hint:\x20
hint: It has been rescheduled; To edit the command before continuing, please
hint: edit the todo list first:
hint:\x20
hint:     git rebase --edit-todo
hint:     git rebase --continue
"""
#: the patch of a commit that could not be picked; git looks at the files at the top alone, and at no first commit's
_PATCH = ("diff-tree", "-p", "--no-commit-id", "--no-color")
_OF_ONE = (b"message", b"author-script", b"stopped-sha")  # files of the commit that it stopped at


class Replay:
    """The commits of one rebase being made. `tree` is what index and files hold, `head` the commit that HEAD is at;
    `shown` says in lines what becomes of each commit; `was_detached` whether HEAD was put at a commit."""

    def __init__(self, view: View, changes: Changes, rebase: Rebase, answer: Answer) -> None:
        self.view, self.changes, self.rebase, self.answer = view, changes, rebase, answer
        self.shown: list[str] = []
        self.state: dict[bytes, bytes | None] = {}
        self.made: list[bytes] = []
        self.branch, old = view.head()
        self._moved_to: bytes | None = None  # where the branch is by now on which HEAD was put meanwhile
        if old is None:
            raise CommandFailed(
                "could not determine HEAD revision\nerror: could not detach HEAD", status=1, prefix="error"
            )
        self.head, self.was_detached = old, False
        self._loaded = list(rebase.left)
        self._number = done_count(view, rebase)
        self._total = self._number + len(rebase.left)
        self.laying = Laying(view, changes, commit_tree(view, old))

    # --- HEAD -------------------------------------------------------------------------------------------------------
    def detach(self, commit: bytes, words: bytes) -> None:
        """Have HEAD be at a commit; index and files go there by `laying`."""
        if self.branch is not None or commit != self.head:  # a ref that keeps its value is not logged
            self.log(commit, words)
        self.head, self.branch, self.was_detached = commit, None, True

    def log(self, commit: bytes, words: bytes) -> None:
        """A line of HEAD's log."""
        self.changes.logs.append(LogChange(b"HEAD", self.head, commit, words))

    def move(self, commit: bytes, words: bytes) -> None:
        """HEAD moves to a commit, and so does a branch on which it was put meanwhile."""
        self.log(commit, words)
        if self.branch is not None:
            self.changes.logs.append(LogChange(self.branch, self.head, commit, words))
            self._moved_to = commit
        self.head = commit

    def note_stopped(self) -> None:
        """The commit at which it stopped is what HEAD is now."""
        raw = (self.view.git_file(FOLDER + b"stopped-sha") or b"").strip()
        if len(raw) == self.view.store.hex_len and not raw.strip(b"0123456789abcdef"):
            self._rewritten(bytes.fromhex(raw.decode()))

    # --- all of them ------------------------------------------------------------------------------------------------
    def run(self) -> None:
        """All that is left, or up to what stops it."""
        view, rebase = self.view, self.rebase
        need_no_notes(view, "rebase", (step.commit for step in rebase.left if step.commit is not None))
        going = True
        while rebase.left and going:
            view.ctx.tick()
            step, rebase.left = rebase.left[0], rebase.left[1:]
            rebase.done += step.line + b"\n"
            self._number += 1
            if not rebase.quiet:
                end = b"\n" if rebase.verbose else b"\r"
                self.answer.err += b"Rebasing (%d/%d)%b" % (self._number, self._total, end)
            self._forget_last()
            going = step.commit is None or step.verb == b"drop" or self._one(step, step.commit)
            if step.verb == b"pick" and has_state(view, b"sequencer"):  # a series of picks that is interrupted as well
                self.state[b"sequencer/abort-safety"] = self.head.hex().encode() + b"\n"
        self.laying.finish()
        if going:
            self._end()
        else:
            self._stop()
        self._keep()

    def _forget_last(self) -> None:
        self.state.update({FOLDER + name: None for name in _OF_ONE})
        self.state.update(dict.fromkeys((b"REBASE_HEAD", b"AUTO_MERGE", b"MERGE_HEAD")))

    def _one(self, step: Step, commit: bytes) -> bool:
        view, rebase = self.view, self.rebase
        picked = read_picked(rebase.picking, view, commit)
        if not (rebase.force or rebase.signoff) and picked.parent == self.head:
            return self._forward(step, picked)
        spec = spec_of(view, b"HEAD", picked.label, strategy=rebase.strategy, options=rebase.options)
        spec = replace(spec, labels=(b"HEAD", picked.label, picked.base_label))
        before = self.laying.tree
        message = message_of(rebase.picking, view, picked)
        try:
            result = self.laying.merge(picked.base_tree, picked.tree, spec)
        except CommandFailed as error:
            return self._again(step, picked, error)
        self.state[b"AUTO_MERGE"] = result.tree.hex().encode() + b"\n"
        if not result.clean:
            return self._conflict(step, picked, result, message)
        if result.tree == before and not picked.is_empty and rebase.empty != "keep":
            return self._dropped(picked) if rebase.empty == "drop" else self._empty(step, picked, message)
        made = new_commit(rebase.picking, view, picked, self.head, result.tree, message)
        line = view.odb.commit(made).message.lstrip(b"\n").partition(b"\n")[0]
        self.move(made, self.rebase.action + b" (pick): " + line)
        self.made.append(made)
        self._concluded(commit)
        self.shown.append(f"pick {self._named(commit)} -> {made.hex()[:12]}")
        return True

    def _forward(self, step: Step, picked: Picked) -> bool:
        try:
            self.laying.go(commit_tree(self.view, picked.commit))
        except CommandFailed as error:
            return self._again(step, picked, error)
        self.move(picked.commit, b"rebase: fast-forward")
        self._rewritten(picked.commit)
        self.shown.append(f"keep {self._named(picked.commit)}")
        return True

    def _dropped(self, picked: Picked) -> bool:
        words = b"dropping %b %b -- patch contents already upstream\n"
        self.answer.err += words % (picked.commit.hex().encode(), subject(self.view, picked.commit))
        self.state[b"AUTO_MERGE"] = None
        self._concluded(picked.commit)
        self.shown.append(f"drop {self._named(picked.commit)} (its changes are there already)")
        return True

    def _concluded(self, commit: bytes) -> None:
        """A commit was taken, or dropped: what stopped at one before is over."""
        self.state.update(dict.fromkeys((b"CHERRY_PICK_HEAD", b"MERGE_MSG")))
        self._rewritten(commit)

    def _rewritten(self, commit: bytes) -> None:
        self.rebase.rewritten += b"%b %b\n" % (commit.hex().encode(), self.head.hex().encode())

    def _named(self, commit: bytes) -> str:
        return f"{text(abbrev(self.view.store, commit))} {text(subject(self.view, commit))}"

    # --- what stops it ----------------------------------------------------------------------------------------------
    def _again(self, step: Step, picked: Picked, error: CommandFailed) -> bool:
        """Files are in the way: the step is to be tried again."""
        self.answer.err += error.words() + _AGAIN % step.line
        at = len(self._loaded) - len(self.rebase.left) - 2
        if at >= 0:  # Strange but git's: what was done before it is listed as done once more
            self.rebase.done += self._loaded[at].line + b"\n"
        self.rebase.left = [step, *self.rebase.left]
        self.state[b"AUTO_MERGE"] = None
        self.shown.append(f"stop at {self._named(picked.commit)}: files are in the way")
        return self._stopped(step, picked)

    def _conflict(self, step: Step, picked: Picked, result: MergeResult, message: bytes) -> bool:
        view, commit = self.view, picked.commit
        self.answer.out += merge_messages(result)
        self.state[b"MERGE_MSG"] = with_conflicts(view, message, result)
        self.state[b"CHERRY_PICK_HEAD"] = None  # what goes on with it is the rebase
        words = b"error: could not apply %b... %b\n" % (abbrev(view.store, commit), subject(view, commit))
        self.answer.err += words + _ADVICE
        self.shown.append(f"stop at {self._named(commit)}: conflict")
        self.shown += _in_conflict(view, result)
        return self._stopped(step, picked)

    def _empty(self, step: Step, picked: Picked, message: bytes) -> bool:
        """Nothing is left of a commit, and `--empty=ask`: git shows the state and stops."""
        self.state[b"MERGE_MSG"] = message
        self.state[b"COMMIT_EDITMSG"] = stripped(message)
        self.state[b"CHERRY_PICK_HEAD"] = picked.commit.hex().encode() + b"\n"
        self.answer.advice = EMPTY_PICK % b"rebase"
        self.answer.status_after = True
        self.shown.append(f"stop at {self._named(picked.commit)}: its changes are there already")
        return self._stopped(step, picked)

    def _stopped(self, step: Step, picked: Picked) -> bool:
        """The files of the commit that it stops at; False."""
        view, name = self.view, picked.commit.hex().encode()
        commit = readable(view, picked.commit)
        patch = ask(view, [*_PATCH, picked.commit.hex(), "--", ":(top,glob)*"])
        self.state.update({
            FOLDER + b"message": commit.message.lstrip(b"\n") + b"\n",
            FOLDER + b"author-script": author_script(commit.author),
            FOLDER + b"stopped-sha": name + b"\n",
            FOLDER + b"patch": patch,
            b"REBASE_HEAD": name + b"\n",
        })  # fmt: skip
        last = b"Could not apply %b... %b\n" % (abbrev(view.store, picked.commit), step.words)
        if self.answer.status_after:
            self.answer.tail_err = last
        else:
            self.answer.err += last
        self.answer.status = 1
        return False

    def _stop(self) -> None:
        rebase = self.rebase
        self.state.update(rebase.files(self.view))
        self.state[FOLDER + b"msgnum"] = b"%d\n" % self._number
        self.state[FOLDER + b"end"] = b"%d\n" % self._total

    # --- the end ----------------------------------------------------------------------------------------------------
    def _end(self) -> None:
        view, rebase = self.view, self.rebase
        if rebase.branch is not None and (moved := self._moved(rebase.branch)):
            self.answer.err += moved
            self.answer.status = 1
            return self._stop()
        if rebase.branch is not None:
            change = view.move_ref(rebase.branch, self.head)
            words = b"%b (finish): %b onto %b" % (rebase.action, rebase.branch, rebase.onto.hex().encode())
            if change.before != change.after:
                self.changes.refs.append(change)
                old = rebase.head if change.was_symbolic else change.before
                self.changes.logs.append(LogChange(rebase.branch, old, change.after, words))
            if self.branch == rebase.branch:  # HEAD was put on it meanwhile: its log has both lines
                self.log(self.head, words)
            self.log(self.head, rebase.action + b" (finish): returning to " + rebase.branch)
            self._keep_branch()
            self.branch = rebase.branch
        self.state.update(all_gone(view))
        self.state = {name: None if name.startswith(FOLDER) else after for name, after in self.state.items()}
        if rebase.autostash is not None:
            words, tree = bring_back(view, self.changes, self.laying.tree, rebase.autostash)
            self.answer.err += words
            if tree is not None:
                self.state[b"AUTO_MERGE"] = tree.hex().encode() + b"\n"
        if rebase.verbose:
            # Strange but git's: of what the rebase comes to it sums up the top of the tree only
            asked = ["diff-tree", "--stat", "--no-color", rebase.head.hex(), self.head.hex(), "--", ":(glob)*"]
            self.answer.out += ask(view, asked)
        if not rebase.quiet:
            dumb = (self.view.store.where.programs or {}).get("TERM", b"dumb") == b"dumb"
            front = b"" if rebase.verbose else _BLANKS if dumb else _ERASED
            self.answer.err += b"%bSuccessfully rebased and updated %b.\n" % (front, rebase.name)

    def _moved(self, branch: bytes) -> bytes:
        """git's words where the branch is not any more what it was when the rebase began: then it stays, and so does
        the rebase. b"" where it is."""
        there, symbolic = self.view.ref(branch)
        if self._moved_to is not None and branch == self.branch:
            there = self._moved_to
        if there == self.rebase.head or symbolic:
            return b""
        why = b"is at %b but expected %b" % (there.hex().encode(), self.rebase.head.hex().encode())
        if there == ABSENT:
            why = b"unable to resolve reference '%b'" % branch
        words = b"error: update_ref failed for ref '%b': cannot lock ref '%b': %b\n" % (branch, branch, why)
        return words + b"error: could not update %b\n" % branch

    def _keep_branch(self) -> None:
        """The branch on which HEAD was put meanwhile into the changes."""
        if self.branch is not None and self._moved_to is not None:
            self.changes.refs.append(self.view.move_ref(self.branch, self._moved_to))
            self._moved_to = None

    def _keep(self) -> None:
        """HEAD, index, files and git's small files into the changes."""
        self._keep_branch()
        self.changes.refs += self.view.move_head(self.branch, self.head, anew=self.was_detached)
        keep_state(self.view, self.changes, self.state)


def author_script(author: bytes) -> bytes:
    """An author as git's shell scripts take it in."""
    name_mail, _, date = author.rpartition(b"> ")
    name, _, mail = name_mail.partition(b" <")
    pairs = (b"NAME", name), (b"EMAIL", mail), (b"DATE", b"@" + date)
    return b"".join(
        b"GIT_AUTHOR_%b='%b'\n" % (key, value.replace(b"'", b"'\\''").replace(b"!", b"'\\!'")) for key, value in pairs
    )


def _in_conflict(view: View, result: MergeResult) -> list[str]:
    """What a person is shown of conflicts: what is said of them, and the first text with its marks."""
    lines = [f"  {text(message.text)}" for message in result.lines() if b"CONFLICT" in message.text]
    for path in sorted(result.conflicts):
        mode, oid = result.changed.get(path, (0, None))
        raw = b"" if oid is None or mode & 0o170000 != 0o100000 else view.odb.read_raw(oid)[1]
        at = raw.find(b"<<<<<<< ")
        if at >= 0 and b"\0" not in raw:
            shown = raw[at:].split(b"\n")[:20]
            return [*lines, *(f"  | {text(line)}" for line in shown)]
    return lines
