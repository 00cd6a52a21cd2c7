"""ChangeTool: a native tool that changes something, from its arguments to the result or the error.

A tool has a name, a description, its parameters and a function that makes the typed request from them. Everything else
is here: the request goes to the access that the host granted (`agent/writing.py`), and the answer is one of

    done        git's words, and the operation's id, which git_operations takes back
    preview     with `dry_run`: what would change and the plan's token; nothing has happened
    an error    a code and a remedy; `approval_required` has the plan's token and preview among its details

No argument grants anything: parameters are closed, and none of them reaches policy, approval or grant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field

from ....commands.policy import Level, Policy
from ....errors import CommandFailed, Conflict, GitError, Unsupported
from ....limits import Context
from ....repo.store import Store
from ....request.mutations import Mutation
from ...answer import ToolAnswer
from ...tool import Hints, Tool, ToolContext, Uncut, policy_of
from ...typed import Typed
from ...visible import MARK, shown_text, visible_value
from ...writing import Access, Written, carry_out
from ..params import Params

__all__ = ["ChangeParams", "ChangeTool", "access_of", "context_of", "with_plan"]

#: the default without the host's policy and level: every change needs approval, and files to stage are named
POLICY = Policy(level=Level.TRUSTED, allow_add_all=False)

#: other names of parameters that several of the tools have
OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "dry_run": ("preview", "simulate", "plan_only", "check_only"),
    "action": ("operation", "op", "command", "subcommand", "verb"),
    "force": ("f", "overwrite"),
}

_REMEDIES = {
    "unsupported": "It is not offered here: do it another way, or leave it to a person.",
    "permission_denied": "The host's policy refuses it: do something else.",
    "approval_denied": "Nothing was changed: do something else.",
    "invalid_args": "Change the argument that the message names.",
    "failed": "Nothing was changed; git_status and git_refs show what is there.",
    "conflict": "git_status shows what is in the way: commit, stash or restore that first.",
}
_REMEDIES_BY_KIND = {
    "nothing_to_commit": "git_stage what is to be committed; git_status shows what is changed.",
    "no_identity": "The host has to name an identity, or user.name and user.email have to be set.",
}


class ChangeParams(Params):
    """The base class of the parameters of a change."""

    dry_run: bool = Field(False, description="Preview only.")


class ChangeTool(Tool):
    """A tool that changes something. `request` makes the typed request from the parameters; it may read the
    repository."""

    __slots__ = ("request",)

    def __init__(
        self,
        name: str,
        description: str,
        parameters: type[ChangeParams],
        request: Callable[[Any, Store], Mutation],
        *,
        title: str,
        destructive: bool = False,
        idempotent: bool = False,
        open_world: bool = False,
        other_names: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        hints = Hints(read_only=False, destructive=destructive, idempotent=idempotent, open_world=open_world)
        names = {**OTHER_NAMES, **(other_names or {})}
        super().__init__(name, description, parameters, _uncut, hints=hints, other_names=names, title=title, rows="")
        self.request = request

    def reply(self, asked: Any, ctx: ToolContext) -> ToolAnswer:
        """See `Tool.reply`."""
        access = access_of(ctx)
        store = ctx.roots.store(asked.repo, ctx.cwd, ctx.limits)
        with context_of(ctx, store) as inner:
            request = self.request(asked, store)
            written = carry_out(request, store, inner, access, approved=ctx.approved, dry_run=asked.dry_run)
        if written.exit_code and not (written.refs or written.index or written.files):
            words = (written.stderr or written.stdout).decode("utf-8", "surrogateescape").rstrip("\n")
            raise CommandFailed(words, kind=written.kind)
        return _answer(written, ctx, dry_run=asked.dry_run)

    def failure(self, error: GitError) -> ToolAnswer:
        """See `Tool.failure`. An obstacle has the code `conflict`, whatever git's message is."""
        if error.data.get("kind") == "conflict" and not isinstance(error, Conflict):
            data = error.data
            error = Conflict(error.message, hint=error.hint)
            error.data = data
        if error.hint is None:
            error.hint = _REMEDIES_BY_KIND.get(str(error.data.get("kind"))) or _REMEDIES.get(error.code)
        return super().failure(error)

    def bounded(self, answer: ToolAnswer, ctx: ToolContext, asked: Any = None) -> ToolAnswer:
        """The answer within the budget; if a plan needs approval, with its preview and token."""
        return super().bounded(with_plan(answer, ctx), ctx, asked)


def with_plan(answer: ToolAnswer, ctx: ToolContext) -> ToolAnswer:
    """The error of a plan that needs approval, with its preview and token in the text; any other answer unchanged."""
    details = answer.error.get("details", {}) if answer.error else {}
    if "plan" not in details:
        return answer
    marker = f"{MARK} nothing was changed; plan {details['plan']}]\n"
    body = shown_text(str(details.get("preview", "")).encode("utf-8", "surrogateescape"), as_is=ctx.raw)
    text = _fitted(f"{answer.text}\n", body, marker, ctx.budget.max_bytes)
    return replace(answer, text=text, body=body, untrusted=True)


def access_of(host: ToolContext) -> Access:
    """The access that the host granted. Raises Unsupported if there is none: an approval would not help then."""
    if host.write is None:
        raise Unsupported("gitglass only reads here", hint="The host has to grant writing.")
    return host.write


def context_of(host: ToolContext, store: Store) -> Context:
    """The context of a change: the host's limits and policy, or else this tool's."""
    ctx = Context(host.limits, cancelled=host.cancelled, progress=host.progress)
    ctx.policy = policy_of(host, POLICY) or POLICY
    ctx.voices.append(store.complaints)
    return ctx


def _uncut(*_: object) -> Uncut:
    raise AssertionError("a change is answered whole")


# ------------------------------------------------------------------------------------------------------------ answers
def _answer(written: Written, host: ToolContext, *, dry_run: bool) -> ToolAnswer:
    preview = written.preview.encode("utf-8", "surrogateescape")
    words = written.stdout + (b"\n" if written.stdout and not written.stdout.endswith(b"\n") else b"") + written.stderr
    body = shown_text(preview if dry_run or not words.strip() else words, as_is=host.raw)
    notes = [str(visible_value(note)) for note in written.notes]
    room = host.budget.max_bytes
    answer = ToolAnswer(_fitted("", body, _marker(written, notes, dry_run=dry_run), room), body, notes=notes)
    if host.structured:
        answer.result = Typed(room, "", _fields(written, body, dry_run=dry_run)).result(answer)
    return answer


def _marker(written: Written, notes: list[str], *, dry_run: bool) -> str:
    """The lines that gitglass adds behind git's text: the outcome, losses, notes."""
    if dry_run:
        first = f"preview, nothing was changed; plan {written.plan}"
    elif not written.changed:
        first = "nothing to change"
    else:
        first = f"done; operation {written.operation}, which git_operations can undo"
    if written.exit_code and not dry_run:
        first += f"; exit status {written.exit_code}"
    lines = [f"{MARK} {first}]"]
    if not dry_run and written.losses:
        lines.append(f"{MARK} {len(written.losses)} overwritten, kept for undo]")
    return "".join(f"{line}\n" for line in [*lines, *(f"{MARK} note: {' '.join(note.split())}]" for note in notes)])


def _fields(written: Written, body: str, *, dry_run: bool) -> dict[str, Any]:
    """The typed result."""
    outcome = "preview" if dry_run else "done" if written.changed else "unchanged"
    fields: dict[str, Any] = {
        "outcome": outcome,
        "summary": written.summary,
        "risk": written.risk,
        "plan": written.plan,
        "operation": written.operation,
        "exit_code": written.exit_code,
        "verified": written.verified,
        "refs": [{"name": name, "old": old, "new": new} for name, old, new in written.refs],
        "commits": list(written.commits),
        "index": list(written.index),
        "files": list(written.files),
        "losses": [{"what": what, "name": name, "kept": kept} for what, name, kept in written.losses],
        "text": body,
    }
    return {name: visible_value(value) for name, value in fields.items()}


def _fitted(head: str, body: str, marker: str, most: int) -> str:
    """Head, body and marker; the body is cut between lines if everything together is too long."""
    if body and not body.endswith("\n"):
        body += "\n"
    whole = head + body + marker
    if len(whole.encode("utf-8", "replace")) <= most:
        return whole
    lines = body.splitlines(keepends=True)
    room = most - len((head + marker).encode("utf-8", "replace")) - 60
    shown: list[str] = []
    for line in lines:
        room -= len(line.encode("utf-8", "replace"))
        if room < 0:
            break
        shown.append(line)
    return f"{head}{''.join(shown)}{MARK} {len(lines) - len(shown):,} more lines]\n{marker}"
