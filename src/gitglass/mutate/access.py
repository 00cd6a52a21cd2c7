"""WriteAccess: what a host puts into a tool's context so that tools can change repositories.

    access = WriteAccess(WriteGrant(identity=Identity("Agent", "agent@example.org")), approver=show_and_ask)
    ToolContext(Roots(["/srv/project"]), level="trusted", write=access)

Policy judges the request, and again with the risk that the plan turned out to have; where it asks for a yes, that is a
token in the call's `approved`, or the approver's word on the plan. A token approves one plan once, for a while.
"""

from __future__ import annotations

import dataclasses
import re
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from ..agent.writing import Row, Written
from ..commands.policy import ApprovalDenied, ApprovalRequired, Level, Policy, request_digest
from ..errors import InvalidArgs, PermissionDenied, text
from ..limits import Context
from ..records import record, replace
from ..repo.store import Store
from ..request.mutations import NETWORK, Mutation, RecoverRequest
from ..visible import visible_line
from .changes import Changes, reversed_changes
from .grant import Identity, Moment, WriteGrant
from .journal import Operation
from .plan import Answer, Plan, Preview, digest_of, parse_token, preview_lines, token_of
from .process.grant_file import granted_by
from .process.prove import host_file
from .process.services import Outcomes
from .remote.credentials import first_of, program_tokens, variable_tokens
from .writer import MutationResult, Writer, approve

#: where neither host nor profile says anything: every change needs a yes
ASKING = Policy(level=Level.TRUSTED)


#: how long the token of a plan is good
SECONDS = 900.0


@record
class Opened:
    """A repository's opened files, as a writer takes them."""

    store: Store


class WriteAccess:
    """A grant, and who says yes.

    approver    asked with the plan; None: a change that needs a yes ends with ApprovalRequired
    approve_by  "plan": only a plan's token approves. "request": the digest of a request does too, where the plan's risk
                is no more than Medium and nothing is lost
    seconds     how long a token is good, from the moment of its plan
    """

    def __init__(
        self,
        grant: WriteGrant,
        *,
        approver: Callable[[Plan], bool] | None = None,
        approve_by: Literal["plan", "request"] = "plan",
        seconds: float = SECONDS,
    ) -> None:
        self.grant, self.approver, self.approve_by, self.seconds = grant, approver, approve_by, seconds
        self._outcomes = Outcomes()
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()

    @property
    def reaches_others(self) -> bool:
        """See `gitglass.agent.writing.Access`."""
        return bool(self.grant.remotes)

    def carry_out(
        self, request: Mutation, store: Store, ctx: Context, *, approved: frozenset[str], dry_run: bool = False
    ) -> Written:
        """See `gitglass.agent.writing.Access`."""
        policy = ctx.policy or ASKING
        verdict = _allowed(policy, request, None)
        writer = self._writer(store, ctx)
        if isinstance(request, RecoverRequest):
            return self._recover(
                writer, request, approved | policy.approved, asks=verdict == "approve", dry_run=dry_run
            )
        plan, token = self._plan(writer, request, approved, ctx)
        verdict = _allowed(policy, request, plan.preview.risk)
        if dry_run:
            return _written(plan, None)
        if verdict == "approve" and not plan.is_empty and not token:
            self._ask(plan, request, approved | policy.approved)
        if token:
            self._use(token)
        return _written(plan, writer.apply(plan, approve(plan, "host"), cancelled=ctx.cancelled, progress=ctx.progress))

    def operations(self, store: Store, ctx: Context) -> list[Row]:
        """See `gitglass.agent.writing.Access`."""
        return rows_of(self._writer(store, ctx).operations())

    def _recover(
        self, writer: Writer, request: RecoverRequest, approved: frozenset[str], *, asks: bool, dry_run: bool
    ) -> Written:
        """Interrupted operations taken back or finished. What is approved are these very operations."""
        plan = recovery(request, writer.interrupted())
        token = token_of(plan)
        if not dry_run and plan.preview.lines:
            if asks and token not in approved:
                self._ask(plan, request, approved)
            recovered = writer.recover(forward=request.forward)
            plan.answer.out = "".join(f"{one}\n" for one in recovered).encode()
            return dataclasses.replace(_written(plan, None), changed=bool(recovered), operation=" ".join(recovered))
        return _written(plan, None)

    def _writer(self, store: Store, ctx: Context) -> Writer:
        left = ctx.remaining()
        limits = self.grant.limits
        if left is not None:
            soon = max(left, 0.001)
            limits = replace(
                limits, timeout=min(limits.timeout, soon), network_timeout=min(limits.network_timeout, soon)
            )
        return Writer(Opened(store), replace(self.grant, limits=limits), outcomes=self._outcomes)

    def _plan(self, writer: Writer, request: Mutation, approved: frozenset[str], ctx: Context) -> tuple[Plan, str]:
        """The plan, and the token that approves it: a plan that was approved is made again for its own moment."""
        now = self.grant.clock()
        for token in sorted(approved):
            named = parse_token(token)
            if named is None or not 0 <= now - named[1].seconds <= self.seconds or token in self._used:
                continue
            plan = writer.plan(request, moment=named[1], cancelled=ctx.cancelled, progress=ctx.progress)
            if plan.digest == named[0] and not was_done(plan, writer):
                return plan, token
        return writer.plan(request, cancelled=ctx.cancelled, progress=ctx.progress), ""

    def _ask(self, plan: Plan, request: Mutation, approved: frozenset[str]) -> None:
        """The host's yes. Raises ApprovalRequired, ApprovalDenied."""
        harmless = plan.preview.risk != "High" and not plan.preview.losses
        if self.approve_by == "request" and harmless and request_digest(request) in approved:
            return
        preview, summary = plan.preview.render(), visible_line(plan.preview.summary)
        if self.approver is None:
            raise ApprovalRequired(
                summary, hint="The host has to approve it.", risk=plan.preview.risk, preview=preview,
                plan=token_of(plan), request=request_digest(request),
            )  # fmt: skip
        if not self.approver(plan):
            raise ApprovalDenied(f"not approved: {summary}", plan=token_of(plan))

    def _use(self, token: str) -> None:
        """Remember a token for as long as it would be good. Raises ApprovalDenied where another call has used it."""
        now = time.monotonic()
        with self._lock:
            self._used = {one: until for one, until in self._used.items() if until > now}
            if token in self._used:
                raise ApprovalDenied("the approval was used already", plan=token)
            self._used[token] = now + self.seconds


def access_of(
    identity: str | None,
    hooks: Literal["refuse", "skip"] | None = None,
    patches: tuple[str, ...] = (),
    *,
    remotes: tuple[str, ...] = (),
    grant_file: str | None = None,
    variable: Callable[[str], str | None] | None = None,
    folders: tuple[bytes, ...] = (),
) -> WriteAccess:
    """The access of a host's command line; `identity` is "Name <email>", `grant_file` names a file of the host's
    (`process/grant_file.py`) that lies in none of `folders`, where repositories are; `variable` looks a token for
    GitHub up. What the line says counts before what the file does. Raises InvalidArgs for another text, NotGranted for
    a file that others may write to."""
    person = None
    if identity is not None:
        match = re.fullmatch(r"([^<>]*[^<> ]) *<([^<>]*)>", identity)
        if match is None:
            raise InvalidArgs(f"'{identity}' is not 'Name <email>'")
        person = Identity(match[1], match[2])
    grant = WriteGrant(identity=person)
    if grant_file is not None:
        grant = granted_by(host_file(grant_file, folders), grant)
    fields: dict[str, Any] = {"hooks": hooks or grant.hooks, "folders": patches or grant.folders}
    if remotes:
        fields |= {"remotes": remotes, "effects": grant.effects | {NETWORK}, "plain_http": True}
    look = variable or (lambda _: None)
    tokens = first_of(variable_tokens(look, "GITHUB_TOKEN", "GH_TOKEN"), program_tokens(grant.programs, folders))
    return WriteAccess(replace(grant, credentials=tokens, **fields))


def was_done(plan: Plan, writer: Writer) -> bool:
    """Whether the operation log has this very plan: whoever approved it, in whichever process, approved it once."""
    return any(one.digest == plan.digest for one in writer.operations())


def rows_of(operations: list[Operation]) -> list[Row]:
    """The operation log as data."""
    return [
        {"id": one.id, "state": one.state, "summary": one.summary, "time": one.time, "undoes": one.undoes}
        for one in operations
    ]


def _allowed(policy: Policy, request: Mutation, risk: str | None) -> str:
    """Policy's verdict: "allow" or "approve". Raises PermissionDenied."""
    verdict, reason = policy.decide(request, risk=risk)
    if verdict == "refuse":
        raise PermissionDenied(f"blocked for safety: {reason}", summary=request.summary(), risk=risk or request.risk)
    return verdict


def recovery(request: RecoverRequest, operations: list[Operation]) -> Plan:
    """A plan of what is taken back or finished, for whoever has to say yes; it is not applied itself."""
    lines = []
    for one in operations:
        lines.append(f"operation {one.id}: {one.summary}")
        lines += preview_lines(one.changes if request.forward else reversed_changes(one.changes, one.id))
    preview = Preview(request.summary(), request.risk, request.effects if lines else (), lines)
    moment = Moment(max((one.time for one in operations), default=0), 0)
    plan = Plan(request, Changes(), Answer(), preview, moment, b"")
    return replace(plan, digest=digest_of(plan))


def _written(plan: Plan, done: MutationResult | None) -> Written:
    changes, preview = plan.changes, plan.preview
    answer = plan.answer if done is None else done.answer
    return Written(
        answer.out, answer.err, answer.status, preview.summary, preview.risk, token_of(plan), preview.render(),
        operation="" if done is None else done.operation,
        changed=done is not None and done.changed,
        verified=done is None or done.verified,
        refs=tuple((text(ref.name), _value(ref.before, ref.was_symbolic), _value(ref.after, ref.symbolic))
                   for ref in changes.refs),
        files=tuple(text(file.path) for file in changes.files),
        index=tuple(text(entry.path) for entry in changes.entries),
        commits=tuple(oid.hex() for oid, (kind, _) in changes.objects.items() if kind == b"commit"),
        losses=tuple((loss.what, loss.name, loss.kept) for loss in preview.losses),
        notes=tuple(preview.notes if done is None else [*done.notes, *done.unexpected]),
        kind=answer.kind,
        pushed=() if plan.errand is None else tuple(plan.errand.statuses()),
    )  # fmt: skip


def _value(raw: bytes, symbolic: bool) -> str:
    return text(raw) if symbolic else raw.hex()
