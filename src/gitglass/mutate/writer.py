"""Writer: the only object that changes a repository, and only a host makes one.

    writer = Writer(gitglass.open(path), WriteGrant(identity=Identity("Agent", "agent@example.org")))
    plan = writer.plan(CommitRequest(message=["fix: …"]))     # reads; writes nothing
    print(plan.preview.render())
    result = writer.apply(plan, approve(plan, "alice"))       # does exactly that, or nothing
    writer.undo(result.operation)                              # a plan like any other

`apply` reads again under git's locks all that was read for the plan; of the work tree, where files were only looked at,
what bears on the plan's own paths. Where any of it has moved the plan is made once more, and where that is another one
it raises StaleApproval and nothing has happened. Afterwards a fresh reader compares what is there with the plan.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ..agent.audit import Change, note_change
from ..deferred import deferred
from ..disk.jail import Jail
from ..disk.scope import Scope
from ..errors import Conflict, Corrupt, GitError, InvalidArgs, StaleApproval, Unreadable, Unsupported, text
from ..limits import Context, Limits
from ..records import field, record, replace
from ..repo.store import Store
from ..request.mutations import NETWORK, Mutation, UndoRequest
from ..worktree.stat_cache import gitlinks, trusts_folders
from .apply import Deed, Doors
from .calls import Calls
from .changes import to_json, to_text
from .checkout.files import started_in
from .door import SHARED, Door
from .grant import Moment, WriteGrant
from .index_file import index_name, need_index
from .journal import UNSURE, Head, Journal, Operation, is_running
from .objects import need_own_objects
from .operations.common import ask, submodule_error
from .operations.registry import plan_request
from .plan import Answer, Plan, Reads, digest_of
from .process.filters import convert_for
from .process.granted import GrantedHooks
from .process.services import Outcomes, Services
from .recover import recover, recover_one
from .ref_files import RefFiles
from .shown.hints import with_hints
from .verify import differences
from .view import View


@record(frozen=True)
class PlanApproval:
    """A host's yes to one plan: it is good for that very plan, once, until it expires (epoch seconds)."""

    digest: str
    approver: str
    expires_at: float
    nonce: str


def approve(plan: Plan, approver: str, *, seconds: float = 300.0) -> PlanApproval:
    """The approval of a plan by the host."""
    return PlanApproval(plan.digest, approver, time.time() + seconds, secrets.token_hex(16))


@record
class MutationResult:
    """What was done. `operation` is its id in the operation log, "" where nothing changed; `unexpected` names every
    difference between the plan and what a fresh reader then found."""

    answer: Answer
    digest: str
    changed: bool
    operation: str = ""
    verified: bool = True
    unexpected: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """git's own words for it."""
        return text(self.answer.out)


#: told (what is counted, how many, of how many or None)
Progress = Callable[[str, int, int | None], None]
_ASKED = 3  # plans of one request that `run` asks about, where hooks change what would be done
#: one operation at a time on a git directory; two that share a lock by chance wait for each other
_AT_WORK = tuple(threading.Lock() for _ in range(64))


if TYPE_CHECKING:
    from .process.directory import Person
    from .process.hooks import HookRunner
    from .process.signing import sign, unsigned
else:
    sign, unsigned = deferred(__name__, ".process.signing", "sign", "unsigned")
    Person = deferred(__name__, ".process.directory", "Person")
    HookRunner = deferred(__name__, ".process.hooks", "HookRunner")


def _directories(store: Store) -> tuple[str, ...]:
    """Where plans of a store are carried out. Two repositories can be in one state: a yes for one is none for the
    other, and a work tree that a setting names is another one once the setting is."""
    if not store.exists:
        return ()
    return tuple(text(path) for path in (store.work_tree or b"", store.git_dir, store.common_dir))


class Handle(Protocol):
    """What a writer needs of a repository's handle: its opened files. Their configuration is the handle's affair."""

    @property
    def store(self) -> Store: ...


class Writer:
    """Plans and carries out changes of one repository, as far as `grant` goes."""

    def __init__(
        self,
        repo: Handle,
        grant: WriteGrant,
        *,
        calls: Calls | None = None,
        outcomes: Outcomes | None = None,
        nested: bool = False,
    ) -> None:
        """`nested`: it works for another writer, which is at an operation of its own."""
        self._repo, self.grant, self._nested = repo, grant, nested
        self._calls = calls or Calls()
        self._outcomes = outcomes or Outcomes()  # what programs made of what
        self._used: dict[str, float] = {}
        self._mark = object()  # on the plans that are of this writer's making

    # --- plan -------------------------------------------------------------------------------------------------------

    def plan(
        self,
        request: Mutation,
        *,
        moment: Moment | None = None,
        cancelled: Callable[[], bool] | None = None,
        exchange: dict[object, Any] | None = None,
        progress: Progress | None = None,
    ) -> Plan:
        """What `request` would do, exactly. Nothing is changed, and nothing is run but granted filters and merge
        drivers where it takes them to know what would be there (`preview.programs`). `progress` is told of what is
        long, a transfer above all: (what is counted, how many, of how many or None).

        Raises what git would say of a request that cannot be done, NotGranted where the grant does not cover it, and
        Unsupported for what is not offered.
        """
        with self._context(cancelled, request, progress) as ctx:
            return self._planned(request, moment or Moment.now(self.grant), ctx, exchange)

    def _planned(
        self, request: Mutation, moment: Moment, ctx: Context, exchange: dict[object, Any] | None = None
    ) -> Plan:
        view = View(self._repo.store, self.grant, moment, ctx, exchange, self._outcomes)
        try:
            plan = self.planned_by(request, view)
        except RecursionError:
            raise Corrupt("the data is nested too deeply") from None
        except GitError as error:
            whole = b"".join(ctx.spoken()) + error.streams()[1]
            shown = with_hints(whole, view.config, request.git)
            if shown != error.streams()[1]:
                error.data["stderr"] = shown
            raise
        plan.answer.err = b"".join(ctx.spoken()) + plan.answer.err
        for stream in ("err", "advice", "tail_err"):
            words = with_hints(getattr(plan.answer, stream), view.config, request.git)
            setattr(plan.answer, stream, words)
        if view.uses:
            plan.preview.programs = view.uses
            plan.preview.effects = (*plan.preview.effects, "programs")
        self._check_grant(plan, view)
        reads = Reads(view.reads, self._mark, self.grant, view.exchange)
        plan = replace(plan, directories=_directories(view.store))
        return replace(plan, digest=digest_of(plan), reads=reads, hooks=view.hooks, signing=view.signing)

    def planned_by(self, request: Mutation, view: View) -> Plan:
        """The plan of a request, by whoever plans requests of its kind."""
        return plan_request(request, view, lambda: Journal(self._doors(view.store).git))

    def _check_grant(self, plan: Plan, view: View) -> None:
        changes, limits = plan.changes, self.grant.limits
        if view.store.exists:
            view.need_files()
        if changes.touches_index:
            need_index(view.store)
        if changes.objects or changes.packs or changes.lfs:
            need_own_objects(view.store)
        if changes.files:
            self.grant.need_effect("write_worktree")
        if changes.entries:
            self.grant.need_effect("write_index")
        if changes.refs:
            self.grant.need_effect("write_refs")
        for ref in changes.refs:
            self.grant.need_ref(text(ref.name))
        if len(changes.files) > limits.paths or len(changes.entries) > limits.paths:
            raise Conflict(f"more than {limits.paths} paths would change", limit=limits.paths)
        held = sum(len(content) for _, content in changes.objects.values())
        if held + sum(len(pack.data) for pack in changes.packs) > limits.total_bytes:
            raise Conflict(f"more than {limits.total_bytes} bytes would be written", limit=limits.total_bytes)

    # --- apply ------------------------------------------------------------------------------------------------------

    def apply(
        self,
        plan: Plan,
        approval: PlanApproval,
        *,
        cancelled: Callable[[], bool] | None = None,
        progress: Progress | None = None,
    ) -> MutationResult:
        """Carry out a plan that was approved; all of it or nothing.

        Raises StaleApproval where the approval is for another plan, has expired or was used, or where the plan made
        again under the locks is another one (`data["plan"]`: its digest); Locked, Conflict and what the system raises.
        """
        changes = to_text(plan.changes)
        self._use(plan, approval, changes)
        self._outcomes.signatures.clear()
        try:
            return self._applied(plan, approval, changes, cancelled, progress)
        except OSError as error:
            name = os.fsencode(str(error.filename or ""))
            raise Unreadable(f"'{text(name)}': {error.strerror}", errno=error.errno) from error
        finally:
            self._outcomes.signatures.clear()  # a plan is approved without them

    def _applied(
        self,
        approved: Plan,
        approval: PlanApproval,
        changes: str,
        cancelled: Callable[[], bool] | None,
        progress: Progress | None,
    ) -> MutationResult:
        """`changes` is what the plan changes, as it is written down."""
        plan = approved
        with self._context(cancelled, plan.request, progress) as ctx, self._one_at_a_time():
            if plan.is_empty:
                return MutationResult(self._final_answer(plan, ctx), plan.digest, False, notes=plan.preview.notes)
            hooks = self._hooks(plan, ctx)
            plan = self._signed(plan if hooks is None else self._hooked(plan, hooks, ctx), ctx)
            store = self._repo.store.sibling()
            convert_for(store, Services(self.grant.programs, store, self._outcomes, ctx))
            doors = self._doors(store)
            journal = Journal(doors.git)
            earlier = self._no_interrupted(journal)
            operation = journal.open(
                secrets.token_hex(6), summary=plan.preview.summary, words=plan.words, digest=approval.digest,
                approver=approval.approver, time=plan.moment.seconds, ident=text(plan.ident), changes=plan.changes,
                undoes=str(getattr(plan.request, "operation", "")),
                new_logs=RefFiles(doors.git, store, doors.own, b"").without_log(plan.changes.logs),
                errand=UNSURE if plan.errand is not None else "", index=index_name(store),
                changes_text=changes if plan is approved else "",
            )  # fmt: skip
            deed = Deed(store, doors, journal, operation, ctx)
            try:
                settle = partial(journal.settle, operation)
                self._run(
                    deed, store, doors, journal, lambda after: self._ready(plan, store, deed.made(), ctx, after, settle)
                )
            finally:
                journal.leave(operation)
            differing = differences(self._repo.store.sibling(), plan.changes)
            notes = plan.preview.notes + self._trimmed(journal, [*earlier, operation])
            answer = self._final_answer(plan, ctx)
            if hooks is not None:
                notes = notes + hooks.run_after(() if plan.hooks is None else plan.hooks.after)
                answer = replace(answer, err=hooks.spoken + answer.err)
                self._outcomes.hooks.clear()
        note_change(Change(approval.digest, plan.preview.effects, operation.id))
        return MutationResult(answer, approval.digest, True, operation.id, not differing, differing, notes=notes)

    def _hooks(self, plan: Plan, ctx: Context) -> HookRunner | None:
        """What runs the plan's hooks; None where it has none."""
        granted = self.grant.hooks
        if not isinstance(granted, GrantedHooks) or plan.hooks is None or not plan.hooks.uses:
            return None
        view = View(self._repo.store, self.grant, plan.moment, ctx, outcomes=self._outcomes)
        people = {who.upper(): Person(*view.person(who)) for who in ("author", "committer")}
        return HookRunner(self._repo.store.sibling(), self.grant.programs, granted, people, ctx)

    def _hooked(self, plan: Plan, hooks: HookRunner, ctx: Context) -> Plan:
        """The plan with what its hooks have left, which has to be the same plan."""
        latest, ran = plan, set[str]()
        while latest.hooks is not None and latest.hooks.pending and latest.hooks.pending[0].name not in ran:
            ran.add(latest.hooks.pending[0].name)  # each once: what the next plan needs beyond is for its own approval
            hooks.run(latest.hooks.pending[0], self._outcomes, self.grant.limits.total_bytes)
            latest = self._planned(plan.request, plan.moment, ctx)
        if latest.digest != plan.digest:
            raise StaleApproval(
                "a hook has changed what would be done", plan=latest.digest, stderr=hooks.spoken or None,
                changed=sorted(set(latest.preview.lines) ^ set(plan.preview.lines)) or ["content"], hooked=True,
            )  # fmt: skip
        return latest

    def _signed(self, plan: Plan, ctx: Context) -> Plan:
        """The plan with its signatures, which has to be the same but for them."""
        latest, signer, outcomes = plan, self.grant.programs.signer, self._outcomes
        while signer is not None and latest.signing is not None and latest.signing.pending:
            content = latest.signing.pending[0]
            signature = sign(content, signer, self.grant.programs, self._repo.store, ctx)
            outcomes.signatures[content] = signature
            latest = self._planned(plan.request, plan.moment, ctx)
            if latest.signing is not None and content in latest.signing.pending:
                raise Corrupt("a signature is not where it belongs")
        if (
            latest.signing is not None
            and latest is not plan
            and (unsigned(latest.changes, latest.signing, self._repo.store.hash_name) != to_json(plan.changes))
        ):
            again = self._planned(plan.request, plan.moment, ctx)
            raise StaleApproval("the repository has changed since the plan was made", plan=again.digest,
                                changed=["content"])  # fmt: skip
        return latest

    def _run(
        self, deed: Deed, store: Store, doors: Doors, journal: Journal, again: Callable[[ExitStack], None]
    ) -> None:
        """Carry it out. Where it fails when refs have moved already, it is taken back as after a crash; where it fails
        when all was done, it is only written down."""
        try:
            with ExitStack() as after:
                deed.run(lambda: again(after))
        except BaseException:
            if deed.operation.state != "open":
                raise
            with Context(Limits(timeout=None)) as ctx:
                try:
                    recover_one(store, doors, journal, deed.operation, forward=deed.finished, ctx=ctx)
                except (OSError, GitError):
                    pass  # it stays open, and whoever writes next is told to call `recover`
            if deed.operation.state != "done":
                raise

    def _final_answer(self, plan: Plan, ctx: Context) -> Answer:
        """git's words, with what can only be said afterwards."""
        answer = plan.answer
        if not (answer.status_after or answer.tail or answer.tail_err):
            return answer
        state, err = b"", answer.err
        if answer.status_after:
            view = View(self._repo.store, self.grant, plan.moment, ctx, outcomes=self._outcomes)
            long = ["--long"] if plan.request.git != "stash" else []  # which asks a `git status` of its own
            state = ask(view, ["status", *long])
            err += (submodule_error(view.store) if gitlinks(view.index) else b"") + answer.advice
        if answer.tail_err:
            return Answer(answer.out, err + state + answer.tail_err, answer.status, kind=answer.kind)
        return Answer(answer.out + state + answer.tail, err, answer.status, kind=answer.kind)

    def _use(self, plan: Plan, approval: PlanApproval, changes: str) -> None:
        now = time.time()
        self._used = {nonce: until for nonce, until in self._used.items() if until > now}
        if approval.digest != plan.digest or plan.digest != digest_of(plan, changes):
            raise StaleApproval("the approval is for another plan", plan=plan.digest, changed=["digest"])
        if approval.expires_at <= now:
            raise StaleApproval("the approval has expired", plan=plan.digest, changed=["time"])
        if approval.nonce in self._used:
            raise StaleApproval("the approval was used already", plan=plan.digest, changed=["nonce"])
        self._used[approval.nonce] = approval.expires_at

    def _same(self, plan: Plan, store: Store, made: Collection[bytes], ctx: Context) -> None:
        """The plan made again, now that nobody else can write, has to be the same; it still is where all that was read
        for it is as it was, but for the locks that were `made` and for files that it leaves alone."""
        store.refresh()
        reads = plan.reads
        own = reads is not None and reads.writer is self._mark
        watch = reads.watch if reads is not None and own and reads.grant is self.grant else None
        scope = None if store.work_tree is None else Scope(store.work_tree, plan.changes.paths)
        if watch is not None and watch.holds(made, by_stamp=trusts_folders(store.config), scope=scope):
            return
        again = self._planned(plan.request, plan.moment, ctx, reads.exchange if own and reads is not None else None)
        if again.digest != plan.digest:
            raise StaleApproval(
                "the repository has changed since the plan was made",
                plan=again.digest,
                changed=sorted(set(again.preview.lines) ^ set(plan.preview.lines)) or ["content"],
            )
        plan.changes.trees = again.changes.trees
        plan.changes.files, plan.changes.entries = again.changes.files, again.changes.entries

    def _ready(
        self,
        plan: Plan,
        store: Store,
        made: Collection[bytes],
        ctx: Context,
        after: ExitStack,
        settle: Callable[[], None],
    ) -> None:
        """Under the locks: the plan is still the same, and what has to be done elsewhere is done. From then on nothing
        but a failure ends it, neither the deadline nor who cancels: what the other side has is written down here,
        at once in the operation's record (`settle`)."""
        self._same(plan, store, made, ctx)
        if plan.errand is not None:
            plan.errand.run(plan)
            ctx.cancelled = None
            after.enter_context(Context(Limits(timeout=None)))
            settle()

    def _trimmed(self, journal: Journal, operations: list[Operation | Head]) -> list[str]:
        """Keep the operation log within its bounds; a note where that fails, which changes nothing about the deed."""
        try:
            journal.trim(self.grant.clock(), operations)
        except (OSError, GitError) as error:
            return [f"the operation log was not trimmed: {error}"]
        return []

    def run(self, request: Mutation, *, approver: Callable[[Plan], bool]) -> MutationResult:
        """Plan, ask the host's `approver`, and carry out; ask again where a hook has made another plan of it. Raises
        StaleApproval when it says no."""
        for _ in range(_ASKED):
            plan = self.plan(request)
            if not plan.is_empty and not approver(plan):
                raise StaleApproval("not approved", plan=plan.digest, changed=[])
            try:
                return self.apply(plan, approve(plan, "approver"))
            except StaleApproval as error:
                if not error.data.get("hooked"):
                    raise
        raise Conflict("the hooks have changed what would be done each time")

    # --- the operation log ------------------------------------------------------------------------------------------

    def _journal(self) -> Journal:
        return Journal(self._doors(self._repo.store).git)

    def operations(self) -> list[Operation]:
        """Every operation in the log, oldest first."""
        return self._journal().operations()

    def interrupted(self) -> list[Operation]:
        """The operations that were interrupted, the last one first: what `recover` takes back or finishes."""
        return [one for one in reversed(self.operations()) if one.state == "open" and not is_running(one)]

    def undo(self, operation: str) -> Plan:
        """The plan that turns an operation round; of one that undid another, that is its redo. Raises InvalidArgs."""
        return self.plan(UndoRequest(operation=operation))

    def recover(self, *, forward: bool = False) -> list[str]:
        """Finish what was interrupted: back to what was before (or `forward`, where that is possible); the ids."""
        with self._context(None) as ctx, self._one_at_a_time():
            store = self._repo.store.sibling()
            doors = self._doors(store)
            return recover(store, doors, Journal(doors.git), forward=forward, ctx=ctx)

    def _no_interrupted(self, journal: Journal) -> list[Head]:
        """The operations so far. Raises Conflict where one was interrupted."""
        heads = journal.heads()
        for operation in heads:
            if operation.state == "open" and not is_running(operation):
                raise Conflict(
                    f"operation {operation.id} was interrupted",
                    hint="Call recover() first: it goes back to what was before, or forward.",
                    operation=operation.id,
                )
        return heads

    # --- doors ------------------------------------------------------------------------------------------------------

    def _doors(self, store: Store) -> Doors:
        if not store.exists:
            raise InvalidArgs("there is no repository")
        jail: Jail = store.jail
        word = (store.config.get("core.sharedrepository") or b"").lower()
        shared = SHARED.get(word, 0)
        if word and not word.strip(b"01234567"):
            number = int(word, 8)
            shared = {0: 0, 1: SHARED[b"group"], 2: SHARED[b"all"]}.get(number, -(number & 0o666))
        own = b""
        if store.git_dir != store.common_dir:
            if not store.git_dir.startswith(store.common_dir + b"/"):
                raise Unsupported("the work tree's git directory lies outside of the repository's")
            own = store.git_dir[len(store.common_dir) + 1 :] + b"/"
        git = Door(jail.directory(store.common_dir), self._calls, shared=shared)
        tree = None
        if store.work_tree is not None:
            tree = Door(jail.directory(store.work_tree), self._calls, tree=True, kept=started_in(store))
        return Doors(git, tree, own)

    def _one_at_a_time(self) -> AbstractContextManager[object]:
        """One operation on a git directory at a time in this process; processes meet at git's locks, and so does who
        works for another writer, whose lock may be the same one."""
        return nullcontext() if self._nested else _AT_WORK[hash(self._repo.store.common_dir) % len(_AT_WORK)]

    def _context(
        self,
        cancelled: Callable[[], bool] | None,
        request: Mutation | None = None,
        progress: Progress | None = None,
    ) -> Context:
        limits = self.grant.limits
        far = request is not None and NETWORK in request.what
        seconds = limits.network_timeout if far else limits.timeout
        # memory and objects are bounded as the handle has it; what is walked and printed for a plan is no answer
        ceilings = (self._repo.store.limits or Limits()).replace(
            timeout=seconds, max_output_bytes=Limits().max_output_bytes, max_commits=None
        )
        return Context(ceilings, cancelled=cancelled, progress=progress)
