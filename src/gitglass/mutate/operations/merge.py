"""`merge`: another line of history brought into the branch. Mirrors git-merge(1).

The whole merge is known when it is planned, with every conflict. No editor is opened, no hook is run, nothing is
signed; strategies but `ort` are refused by name, but for `octopus`, which is what merges several commits at once.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from ...config.config import parse_bool
from ...errors import BadRequest, CommandFailed, InvalidArgs, NotFound, Unsupported, text
from ...graph.merge_base import is_ancestor_of_any, merge_bases, octopus_bases
from ...merge.spec import MergeResult, MergeSpec
from ...objects.parsed import Tag
from ...plans.settings import judge_settings
from ...records import record, replace
from ...render.log.trailers import signed_off, trailer_rules
from ...render.message import as_comments
from ...render.refs.text import signature_start
from ...request.mutations import CommitRequest, ResetRequest
from ...request.ref_mutations import MergeRequest
from ...revs.abbrev import abbrev
from ...revs.names import dwim_ref, similar_branches, tracked_of
from ...revs.resolve import Resolver
from ..changes import ABSENT, Changes, LogChange
from ..merging.autostash import APPLIED, NAME, bring_back, keep, pending, put_away
from ..merging.headers import merged_tags
from ..merging.laid import (
    diffstat,
    keep_state,
    merge_messages,
    need_no_program,
    need_none_going_on,
    need_ort,
    need_settled,
    spec_of,
    staged_paths,
    with_conflicts,
)
from ..merging.laying import Laying
from ..merging.octopus import joined_title, merged_at_once, reduced
from ..merging.options import need_offered, with_branch_options
from ..merging.unsaved import unsaved
from ..plan import Answer, Plan
from ..remote.fetch_head import for_merge
from ..stash.rows import index_rows, rows_tree
from ..view import View
from .branch import check_free
from .commit.plan import plan_commit
from .common import (
    ask,
    check_hooks,
    commit_tree,
    encoding_line,
    finished,
    forget_operation,
    has_state,
    last_word,
    signs_commits,
)
from .compatible import need_one
from .message import below_message, cleaned, cleanup_mode, comment_char, paragraphs, stripped
from .reset import Resetting
from .stash import made_entry
from .upstream import meant

_STATE = (b"MERGE_HEAD", b"MERGE_RR", b"MERGE_MSG", b"MERGE_MODE", b"AUTO_MERGE")
_FAILED = "\nMerge with strategy ort failed."
_WHEN_FINISHED = b"When finished, apply stashed changes with `git stash pop`\n"
_EARLY = re.compile(r"(.+?)(?:\^+|~[0-9]*)")


def plan_merge(request: MergeRequest, view: View) -> Plan:
    """The plan of a merge, or of what ends one (`--abort`, `--continue`, `--quit`). Raises git's words for what cannot
    be merged and for files that would be overwritten."""
    need_offered(request)
    view.need_work_tree()
    for word, end in (("--abort", _abort), ("--quit", _quit), ("--continue", _continue)):
        if word in request.switches:
            if request.commits or request.message or request.strategy or request.options or len(request.switches) > 1:
                raise InvalidArgs(f"{word} expects no arguments", prefix="fatal")
            return end(request, view)
    check_hooks(view, ("pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge"))
    need_no_program(view, request.switches, "merge")
    return _Merge(request, view).plan()


# -------------------------------------------------------------------------------------------------- what ends a merge
def _abort(request: MergeRequest, view: View) -> Plan:
    if not has_state(view, b"MERGE_HEAD"):
        raise BadRequest("There is no merge to abort (MERGE_HEAD missing).")
    changes, answer = Changes(), Answer()
    away, head = pending(view), view.head()[1]
    Resetting(ResetRequest(mode="merge"), view, changes, keeps_stash=False).plan()
    if away is not None and head is not None:
        answer.err, tree = bring_back(view, changes, commit_tree(view, head), away)
        keep_state(view, changes, {NAME: None, b"AUTO_MERGE": None if tree is None else tree.hex().encode() + b"\n"})
    return finished(request, view, changes, answer)


def _continue(request: MergeRequest, view: View) -> Plan:
    if not has_state(view, b"MERGE_HEAD"):
        raise BadRequest("There is no merge in progress (MERGE_HEAD missing).")
    plan = plan_commit(CommitRequest(), view, continues=True)
    mark = comment_char(view)
    below = below_message(view, mark, view.ident("author"), merging=True)
    shown = stripped(b"".join(view.git_file(name) or b"" for name in (b"SQUASH_MSG", b"MERGE_MSG"))) + below
    keep_state(view, plan.changes, {b"COMMIT_EDITMSG": shown})
    return replace(plan, request=request, preview=replace(plan.preview, summary=request.summary()))


def _quit(request: MergeRequest, view: View) -> Plan:
    changes = Changes()
    answer = Answer(err=keep(view, changes))
    keep_state(view, changes, dict.fromkeys((*_STATE, NAME)))
    return finished(request, view, changes, answer)


# -------------------------------------------------------------------------------------------------- the merge
@record
class _Target:
    """What is merged: as it was written, its commit, and the tag object where an annotated tag was named."""

    word: str
    commit: bytes
    tag: Tag | None
    ref: bytes | None
    title: bytes = b""  # what a message calls it, where that is not its word
    action: bytes = b""  # what logs say was done

    @property
    def done(self) -> bytes:
        """What begins the line of a log."""
        return self.action or b"merge " + _bytes(self.word)


def plan_pulled(
    request: MergeRequest, view: View, oid: bytes, *, word: str, title: bytes, action: bytes
) -> Plan:  # fmt: skip
    """The plan of merging what was fetched: the object `oid`, called `word`; `title` is what the message says of it,
    `action` what the logs say. The same errors as of a merge."""
    judge_settings("merge", view.config)
    view.need_work_tree()
    check_hooks(view, ("pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge"))
    need_no_program(view, request.switches, "merge")
    tag = view.odb.tag(oid) if view.odb.kind(oid) == b"tag" else None
    return _Merge(request, view, _Target(word, view.odb.peel(oid, b"commit"), tag, None, title, action)).plan()


class _Merge:
    """One merge being planned."""

    def __init__(self, request: MergeRequest, view: View, target: _Target | None = None) -> None:
        self._asked, self._view, self._changes, self._given = request, view, Changes(), target
        self._request = request = with_branch_options(request, view)
        self._branch, self._head = view.head()
        self._quiet = "-q" in request.switches or "--quiet" in request.switches
        self._squash = last_word(request.switches, "--squash", "--no-squash") == "--squash"
        self._commits = last_word(request.switches, "--commit", "--no-commit") != "--no-commit"
        self._ff = self._fast_forward()
        asked = last_word(request.switches, "--autostash", "--no-autostash")
        wanted = view.config.get_bool("merge.autostash", False) if asked is None else asked == "--autostash"
        self._stashes = bool(wanted)
        self._away: bytes | None = None
        self._autostash_message = b""

    def _fast_forward(self) -> str:
        """ "--ff", "--no-ff" or "--ff-only": the last that was said, else merge.ff."""
        asked = last_word(self._request.switches, "--ff", "--no-ff", "--ff-only")
        configured = self._view.config.get("merge.ff")
        if asked is not None or configured is None:
            return asked or "--ff"
        return "--ff-only" if configured == b"only" else "--no-ff" if parse_bool(configured) is False else "--ff"

    def plan(self) -> Plan:
        need_settled(self._view, "Merging")
        need_none_going_on(self._view)
        need_one(("--squash", self._squash), ("--no-ff.", self._ff == "--no-ff"))
        need_one(("--squash", self._squash), ("--commit.", "--commit" in self._request.switches))
        for name in ("merge.log", "merge.branchdesc", "merge.verifysignatures"):
            if self._view.config.get_bool(name, False):
                raise Unsupported(f"{name} is set, and gitglass does not do that", option=name)
        if self._given is not None:
            targets = [self._given]
        else:
            words = self._request.commits or self._upstreams()
            targets = [self._target("@{-1}" if words == ["-"] else word) for word in words]
        answer = self._answer(targets[0]) if len(targets) == 1 else self._at_once(targets)
        return finished(self._asked, self._view, self._changes, answer)

    def _answer(self, target: _Target) -> Answer:
        need_ort(self._request.strategy or self._strategies("pull.twohead"))  # others may not even go forward
        if self._head is None:
            return self._initial(target)
        bases = merge_bases(self._view.store, self._head, [target.commit], ctx=self._view.ctx)
        keep_state(self._view, self._changes, {b"ORIG_HEAD": self._head.hex().encode() + b"\n"})
        if target.commit in bases:
            kept = keep(self._view, self._changes)  # of a squashed merge before, which no MERGE_HEAD tells of
            keep_state(self._view, self._changes, dict.fromkeys((*_STATE, NAME)))
            squash = b" (nothing to squash)" if self._squash else b""
            return Answer(b"" if self._quiet else b"Already up to date.%b\n" % squash, kept)
        if self._head in bases and self._ff != "--no-ff" and not self._is_loose_tag(target):
            return self._forward(target)
        if not bases and "--allow-unrelated-histories" not in self._request.switches:
            raise BadRequest("refusing to merge unrelated histories")
        if self._ff == "--ff-only":
            raise BadRequest("Not possible to fast-forward, aborting.")
        return self._merge(target)

    # --- what is merged ---------------------------------------------------------------------------------------------
    def _target(self, word: str) -> _Target:
        """What a word names."""
        if self._head is None and self._squash:
            raise BadRequest("Squash commit into empty head not supported yet")
        if self._head is None and self._ff == "--no-ff":
            raise BadRequest("Non-fast-forward commit does not make sense into an empty head")
        if word == "FETCH_HEAD":
            return self._fetched()
        resolver = Resolver(self._view.store, ctx=self._view.ctx)
        named = resolver.find(word.encode("utf-8", "surrogateescape"))
        commit = None if named is None else resolver.commit_of(named.oid)
        if named is None or commit is None:
            words = f"merge: {word} - not something we can merge{similar_branches(self._view.store, word)}"
            raise NotFound(words, prefix="", status=1, revision=word)
        tag = self._view.odb.tag(named.oid) if self._view.odb.kind(named.oid) == b"tag" else None
        ref = dwim_ref(self._view.store, word.encode("utf-8", "surrogateescape"), ctx=self._view.ctx, quiet=True)
        return _Target(word, commit, tag, None if ref is None else ref[0])

    def _fetched(self) -> _Target:
        """What the last fetch brought to be merged."""
        rows, odb = for_merge(self._view.git_file(b"FETCH_HEAD")), self._view.odb
        if len(rows) != 1 or self._request.commits != ["FETCH_HEAD"]:
            raise Unsupported("gitglass merges FETCH_HEAD only where it names one commit", option="FETCH_HEAD")
        [(oid, title)] = rows
        tag = odb.tag(oid) if odb.kind(oid) == b"tag" else None
        return _Target(oid.hex(), odb.peel(oid, b"commit"), tag, None, title, b"merge FETCH_HEAD")

    def _upstreams(self) -> list[str]:
        """What the branch follows, each `branch.NAME.merge` of it. Raises BadRequest in git's words where that is
        nothing."""
        if self._branch is None:
            raise BadRequest("No current branch.")
        front = b"branch.%b." % self._branch.removeprefix(b"refs/heads/")
        remote = self._view.config.get(front + b"remote")
        if remote is None:
            raise BadRequest("No remote for the current branch.")
        sources = self._view.config.get_all(front + b"merge")
        if not sources:
            raise BadRequest("No default upstream defined for the current branch.")
        refs = list[str]()
        for source in sources:
            ref = tracked_of(self._view.store, remote, source)
            if ref is None:
                raise BadRequest(f"No remote-tracking branch for {text(source)} from {text(remote)}")
            refs.append(text(ref))
        return refs

    @staticmethod
    def _is_loose_tag(target: _Target) -> bool:
        """Whether an annotated tag was named by something else than its ref: then there is a merge commit for it."""
        return target.tag is not None and not (target.ref or b"").startswith(b"refs/tags/")

    # --- without a merge --------------------------------------------------------------------------------------------
    def _initial(self, target: _Target) -> Answer:
        laying = Laying(self._view, self._changes, self._view.store.empty_tree)
        laying.go(commit_tree(self._view, target.commit), "read-tree")
        laying.finish()
        if self._branch is not None:
            try:
                check_free(self._view, self._branch, b"HEAD")
            except BadRequest as error:
                raise BadRequest(f"update_ref failed for ref 'HEAD': {error.message}") from None
        self._move(target.commit, b"initial pull")
        return Answer()

    def _laid(self, tree: bytes) -> Laying:
        """Index and files, where a tree is there; what is uncommitted is put away before."""
        if self._stashes and self._head is not None and (away := put_away(self._view, self._changes)) is not None:
            self._away, self._autostash_message = away
        return Laying(self._view, self._changes, tree)

    def _forward(self, target: _Target) -> Answer:
        assert self._head is not None
        view = self._view
        out = b"Updating %b..%b\n" % (abbrev(view.store, self._head), abbrev(view.store, target.commit))
        out = b"" if self._quiet else out
        try:
            laying = self._laid(commit_tree(view, self._head))
        except BadRequest as error:  # git has said where to, by then
            error.data["stdout"] = out + error.streams()[0]
            raise
        out += self._autostash_message
        try:
            laying.go(commit_tree(view, target.commit))
        except CommandFailed as error:
            error.data["stdout"] = out
            return self._given_back(error)
        laying.finish()
        done = b"Fast-forward" + (b" (no commit created; -m option ignored)" if self._request.message else b"")
        out += b"" if self._quiet else done + b"\n"
        if self._squash:
            out += self._squashed(target)  # Strange but git's: said with --quiet, too
        else:
            self._move(target.commit, b"%b: %b" % (target.done, done))
        keep_state(view, self._changes, dict.fromkeys(_STATE))
        answer = Answer(out + (b"" if self._quiet else self._stat(target.commit)))
        return self._brought_back(answer, laying.tree)

    def _given_back(self, error: CommandFailed) -> Answer:
        """Where files are in the way: what was put away, by this merge or by a squashed one before, comes back as a
        stash does, unstaged, and that is all that happens. Raises the error where nothing was."""
        view, changes = self._view, self._changes
        away = pending(view) if self._away is None else self._away
        if away is None:
            raise error
        assert self._head is not None
        there = commit_tree(view, self._head) if self._away is not None else rows_tree(view, index_rows(view))
        words, tree = bring_back(view, changes, there, away)
        keep_state(view, changes, {NAME: None})
        if tree is not None:
            keep_state(view, changes, {b"AUTO_MERGE": tree.hex().encode() + b"\n"})
        out, err = error.streams()
        return Answer(out, err + words, error.status or 1, kind="conflict")

    def _kept(self, target: _Target, error: CommandFailed) -> Answer:
        """Where something is staged git has reset to HEAD before it brought everything back: what a squashed merge
        before has put away is an entry of the stash then. Raises the error where nothing was."""
        view, changes, head = self._view, self._changes, self._head
        words = keep(view, changes)
        if not words:
            raise error
        made = made_entry(view, "")
        assert head is not None and made is not None
        if self._branch is not None:
            changes.logs.append(LogChange(b"HEAD", head, head, target.done + b": updating HEAD"))
        forget_operation(view, changes)
        keep_state(view, changes, {NAME: None, b"AUTO_MERGE": commit_tree(view, made).hex().encode() + b"\n"})
        front, _, last = error.words().removesuffix(b"\n").rpartition(b"\n")
        return Answer(b"", b"%b\n%b%b\n" % (front, words, last), error.status or 1, kind="conflict")

    def _brought_back(self, answer: Answer, tree: bytes) -> Answer:
        """What was put away comes back, now that the merge is done: by itself, or by a squashed merge before."""
        away = pending(self._view) if self._away is None else self._away
        if away is not None:
            words, _ = bring_back(self._view, self._changes, tree, away)
            keep_state(self._view, self._changes, {NAME: None})
            answer.err += words
        return answer

    # --- with one ---------------------------------------------------------------------------------------------------
    def _merge(self, target: _Target) -> Answer:
        assert self._head is not None
        view = self._view
        laying = self._laid(commit_tree(view, self._head))
        if (ended := self._unsaved()) is not None:
            return ended
        staged = [] if self._away is not None else staged_paths(view)
        if staged:
            head = "Your local changes to the following files would be overwritten by merge:"
            names = text(b" ".join(staged))
            words = f"{head}\n  {names}{_FAILED}"
            return self._kept(target, CommandFailed(words, status=2, prefix="error", kind="conflict"))
        try:
            result = laying.merge_commits(self._head, target.commit, self._spec(target))
        except CommandFailed as error:
            failed = CommandFailed(error.message + _FAILED, status=2, prefix="error", kind="conflict")
            if self._away is not None:  # put away, and brought back: nothing has changed
                failed.data.update(stdout=self._autostash_message, stderr=failed.words() + APPLIED)
                raise failed from None
            return self._given_back(failed)
        laying.finish()
        message = b"" if self._squash else self._message(target)
        if not result.clean:
            answer = self._in_conflict(target, result, message)
        elif self._squash or not self._commits:
            answer = self._not_committed(target, result, message)
        else:
            answer = self._brought_back(self._committed(target, result, message), laying.tree)
        answer.out = self._autostash_message + answer.out
        return answer

    def _unsaved(self) -> Answer | None:
        """What git says where local changes cannot be saved, which it does before it merges: by then the index has
        forgotten how conflicts were resolved. None where they can; raises CommandFailed where nothing is forgotten."""
        error = unsaved(self._view, self._changes, is_away=self._away is not None)
        if error is None:
            return None
        if self._away is not None or not self._view.store.index.resolve_undo:
            raise error
        self._changes.forget_resolved = True
        return Answer(*error.streams(), 128, kind="conflict")

    def _spec(self, target: _Target) -> MergeSpec:
        labels = b"HEAD", _bytes(target.word)
        return spec_of(self._view, *labels, strategy=self._request.strategy, options=self._request.options)

    def _in_conflict(self, target: _Target, result: MergeResult, message: bytes) -> Answer:
        out = merge_messages(result)
        if self._squash:
            out += self._squashed(target)
        before = self._view.git_file(b"MERGE_MSG") or b"" if self._squash else message  # git adds to what is there
        self._keep(target, result, with_conflicts(self._view, before, result))
        out += b"Automatic merge failed; fix conflicts and then commit the result.\n"
        return Answer(out + self._pending(), status=1)

    def _pending(self) -> bytes:
        """What was put away waits for whatever concludes the merge; git's words."""
        if self._away is not None:
            keep_state(self._view, self._changes, {NAME: self._away.hex().encode() + b"\n"})
        return _WHEN_FINISHED if self._stashes else b""  # said of nothing put away, too

    def _not_committed(self, target: _Target, result: MergeResult, message: bytes) -> Answer:
        out = merge_messages(result)
        if self._squash:
            out += self._squashed(target)
            keep_state(self._view, self._changes, {b"AUTO_MERGE": result.tree.hex().encode() + b"\n"})
        else:
            self._keep(target, result, message)
        err = b"Automatic merge went well; stopped before committing as requested\n"
        return Answer(out + self._pending(), err)

    def _keep(self, target: _Target, result: MergeResult, message: bytes) -> None:
        """What a later commit, or `--abort`, goes by."""
        files: dict[bytes, bytes | None] = {
            b"MERGE_MSG": message, b"AUTO_MERGE": result.tree.hex().encode() + b"\n",
        }  # fmt: skip
        if not self._squash:
            named = target.commit if target.tag is None else target.tag.oid
            files[b"MERGE_HEAD"] = named.hex().encode() + b"\n"
            files[b"MERGE_MODE"] = b"no-ff" if self._ff == "--no-ff" else b""
        keep_state(self._view, self._changes, files)

    def _committed(
        self,
        target: _Target,
        result: MergeResult,
        message: bytes,
        parents: list[bytes] | None = None,
        strategy: bytes = b"ort",
    ) -> Answer:
        assert self._head is not None
        view = self._view
        mode = cleanup_mode(view.config.get("commit.cleanup"))
        raw = message
        message = message.removesuffix(b"\n")  # git adds that where it cleans up, and in MERGE_MSG
        if last_word(self._request.switches, "--signoff", "--no-signoff") == "--signoff":  # not before it is committed
            line = b"Signed-off-by: %b <%b>\n" % view.person("committer")
            message = signed_off(message, line, trailer_rules(view.store), once=False, above_comments=True)
        message = cleaned(message, mode, b"#")
        if not message:
            self._keep(target, result, raw)
            words = b"error: Empty commit message.\nNot committing merge; use 'git commit' to complete the merge.\n"
            return Answer(merge_messages(result), words, 1)
        lines = [b"tree %b\n" % result.tree.hex().encode()]
        lines += [b"parent %b\n" % parent.hex().encode() for parent in parents or (self._head, target.commit)]
        lines += [b"author %b\n" % view.ident("author"), b"committer %b\n" % view.ident("committer")]
        tags = merged_tags([] if target.tag is None else [target.tag])
        content = b"".join([*lines, *encoding_line(view), tags, b"\n", message])
        commit = view.new_commit(content, signed=signs_commits(view, self._request.switches))
        made = b"Merge made by the '%b' strategy." % strategy
        self._move(commit, b"%b: %b" % (target.done, made))
        keep_state(view, self._changes, dict.fromkeys(_STATE))
        return Answer(merge_messages(result) + (b"" if self._quiet else made + b"\n" + self._stat(commit)))

    # --- several at once --------------------------------------------------------------------------------------------
    def _at_once(self, targets: list[_Target]) -> Answer:
        """An octopus, unless what is merged comes to one commit. Raises Unsupported where a hand would be needed."""
        view, head, asked = self._view, self._head, self._request
        if head is None:
            raise BadRequest("Can merge only exactly one commit into empty head")
        commits = reduced(view, head, [target.commit for target in targets])
        by_commit = {target.commit: target for target in reversed(targets)}
        kept = [by_commit[commit] for commit in commits]
        action = b"merge " + b" ".join(_bytes(target.word) for target in kept)
        if len(kept) < 2:
            return self._answer(kept[0] if kept else targets[0])
        if other := [name for name in asked.strategy or self._strategies("pull.octopus") if name != "octopus"]:
            words = f"gitglass merges several commits with the strategy octopus only, not '{other[0]}'"
            raise Unsupported(words, option="--strategy")
        keep_state(view, self._changes, {b"ORIG_HEAD": head.hex().encode() + b"\n"})
        unrelated = not octopus_bases(view.store, [head, *commits], ctx=view.ctx)
        if unrelated and "--allow-unrelated-histories" not in asked.switches:
            raise BadRequest("refusing to merge unrelated histories")
        if self._ff == "--ff-only":
            raise BadRequest("Not possible to fast-forward, aborting.")
        if self._squash or not self._commits or asked.options or any(target.tag for target in kept):
            raise Unsupported(
                "gitglass merges several commits at once without --squash, --no-commit, options of the strategy and "
                "annotated tags", option="octopus", hint="Merge them one after the other.",
            )  # fmt: skip
        return self._octopus(head, kept, action)

    def _strategies(self, setting: str) -> list[str]:
        """The strategies that git tries where none is named: those of a setting, for `git merge` as well."""
        return text(self._view.config.get(setting) or b"").split()

    def _octopus(self, head: bytes, kept: list[_Target], action: bytes) -> Answer:
        view = self._view
        laying = self._laid(commit_tree(view, head))
        staged = [] if self._away is not None else staged_paths(view)
        if staged:
            names = b"".join(b"    %b\n" % path for path in staged)
            out = b"Error: Your local changes to the following files would be overwritten by merge\n" + names
            words = "Merge with strategy octopus failed."
            raise CommandFailed(words, status=2, prefix="", kind="conflict", stdout=out, stderr=_bytes(words) + b"\n")
        made = merged_at_once(view, head, [(target.commit, _bytes(target.word)) for target in kept])
        for tree, out in made.steps:  # git stops at the first of them that something is in the way of
            try:
                laying.go(tree, "read-tree")
            except CommandFailed as error:
                first = error.message.removesuffix("\nfatal: read-tree failed")
                whole = f"{first}\nMerge with strategy octopus failed."
                failed = CommandFailed(whole, status=2, prefix="error", kind="conflict", stdout=out)
                if self._away is not None:
                    raise failed from None
                return self._given_back(failed)
        laying.finish()
        subsumed = is_ancestor_of_any(view.store, head, made.parents, ctx=view.ctx) and self._ff != "--no-ff"
        own = [] if subsumed else [head]
        title = joined_title([self._title(target).removeprefix(b"Merge ") for target in kept])
        target = _Target(kept[0].word, kept[0].commit, None, None, title, action)
        result = MergeResult(made.tree, True)
        answer = self._committed(target, result, self._message(target), [*own, *made.parents], b"octopus")
        answer.out = self._autostash_message + made.words + answer.out
        return self._brought_back(answer, laying.tree)

    # --- refs, words ------------------------------------------------------------------------------------------------
    def _move(self, commit: bytes, line: bytes) -> None:
        name = self._branch if self._branch is not None else b"HEAD"
        self._changes.refs.append(self._view.move_ref(name, commit))
        self._changes.logs.append(LogChange(name, self._head or ABSENT, commit, line))
        if name != b"HEAD":
            self._changes.logs.append(LogChange(b"HEAD", self._head or ABSENT, commit, line))

    def _stat(self, commit: bytes) -> bytes:
        assert self._head is not None
        asked = last_word(self._request.switches, "--stat", "--summary", "--no-stat")
        shown = self._view.config.get_bool("merge.stat", True) is not False if asked is None else asked != "--no-stat"
        return diffstat(self._view, self._head, commit, self._changes.files) if shown else b""

    def _squashed(self, target: _Target) -> bytes:
        assert self._head is not None
        log = ["log", "--no-decorate", "--no-notes", "--no-mailmap", "--format=medium", "--date=default", "--no-color",
               "--no-expand-tabs", "--no-abbrev-commit"]  # fmt: skip
        listed = ask(self._view, [*log, f"{self._head.hex()}..{target.commit.hex()}"])
        keep_state(self._view, self._changes, {b"SQUASH_MSG": b"Squashed commit of the following:\n\n" + listed})
        return b"Squash commit -- not updating HEAD\n"

    # --- the message ------------------------------------------------------------------------------------------------
    def _message(self, target: _Target) -> bytes:
        if self._request.message:
            message = paragraphs(self._request.message, self._view.grant.limits.message_bytes, are_lines=False) + b"\n"
        else:
            message = self._title(target) + self._into() + b"\n"
            if target.tag is not None and (body := _tag_text(target.tag, comment_char(self._view))):
                message += b"\n" + body
        return message

    def _title(self, target: _Target) -> bytes:
        """What is merged, in a word: a branch, a remote one, a tag, or a commit, called as it was named."""
        if target.title:
            return b"Merge " + target.title
        word, ref = meant(self._view, target.word), target.ref or b""
        for front, kind in ((b"refs/heads/", b"branch"), (b"refs/remotes/", b"remote-tracking branch"),
                            (b"refs/tags/", b"tag")):  # fmt: skip
            if ref.startswith(front):
                return b"Merge %b '%b'" % (kind, _bytes(word))
        early = _EARLY.fullmatch(word)
        if early is not None and self._view.store.refs.read(b"refs/heads/" + _bytes(early[1])) is not None:
            return b"Merge branch '%b' (early part)" % _bytes(early[1])
        return b"Merge commit '%b'" % _bytes(word)

    def _into(self) -> bytes:
        """The branch that is merged into, unless it is the one that everything goes into (merge.suppressDest)."""
        name = b"HEAD" if self._branch is None else self._branch.removeprefix(b"refs/heads/")
        patterns: list[bytes] = []
        for pattern in self._view.config.get_all("merge.suppressdest") or [b"main", b"master"]:
            patterns = [*patterns, pattern] if pattern else []
        if any(fnmatchcase(text(name), text(pattern)) for pattern in patterns):
            return b""
        return b" into " + name


def _tag_text(tag: Tag, mark: bytes) -> bytes:
    """What an annotated tag says, and its signature as a comment, which git has followed by what gpg says of it: no
    program is run to ask."""
    message = tag.message
    at = signature_start(message)
    words, signature = message[:at], message[at:]
    words += b"" if words.endswith(b"\n") or not words else b"\n"
    return words + (b"\n" + as_comments(signature, mark) if signature else b"")


def _bytes(word: str) -> bytes:
    return word.encode("utf-8", "surrogateescape")
