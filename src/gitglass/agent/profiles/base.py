"""Common code of the profiles that use git's argv: running a command line, and the frame of a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from ...commands.command import execute
from ...commands.policy import ApprovalDenied, ApprovalRequired, Policy
from ...errors import Cancelled, GitError, InvalidArgs, SandboxViolation, Timeout
from ...limits import Context
from ...render.style import Style
from ...repo.store import Store
from ...request.dates import check_dates
from ...request.mutations import Mutation
from ...request.request import Request
from ..answer import ToolAnswer, error_answer
from ..commandline import Asked, parse_command
from ..tool import Hints, Tool, ToolContext, policy_of
from ..writing import Written, carry_out

__all__ = ["ArgvTool", "Outcome", "Registry", "check_path", "context_of", "register", "run_argv", "run_change"]


class Registry(Protocol):
    """What a host needs in order to take tools: one method."""

    def register(self, tool: Tool) -> object:
        """Add a tool."""
        ...


def register(registry: Registry, tools: list[Tool]) -> None:
    """Put tools into a host's registry."""
    for tool in tools:
        registry.register(tool)


@dataclass(slots=True)
class Outcome:
    """The outcome of a command line; with `error`, its output until the error."""

    stdout: bytes
    stderr: bytes
    exit_code: int
    error: GitError | None = None
    truncated: bool = False
    asked: Asked | None = None
    written: Written | None = None

    @property
    def timed_out(self) -> bool:
        """Whether the deadline ended the command."""
        return isinstance(self.error, Timeout)


def run_argv(
    argv: list[str],
    store: Store,
    ctx: Context,
    *,
    enough: int | None = None,
    any_date: bool = False,
    host: ToolContext | None = None,
) -> Outcome:
    """Run an argv; `any_date` takes a text that is no date for the present moment, as git does. A change is carried out
    if `host` can write.

    Stops after `enough` bytes; errors of git and the deadline's are in the outcome.

    Raises the errors that git does not have: InvalidArgs, SandboxViolation, and the policy's errors.
    """
    ctx.voices.append(store.complaints)
    out: list[bytes] = []
    size = 0
    asked: Asked | None = None
    try:
        with ctx:
            ctx.report()
            ctx.check()
            asked = parse_command(argv, store, ctx)
            if isinstance(asked.request, Mutation):
                return written_outcome(asked.request, store, ctx, host, asked)
            if not any_date:
                check_dates(asked.request)
            entries = execute(asked.command, store, asked.request, ctx, asked.named)
            for chunk in asked.command.render(entries, asked.request, Style(store, ctx)):
                ctx.tick()
                out.append(chunk)
                size += len(chunk)
                if enough is not None and size > enough:
                    break
            ctx.report()
    except GitError as error:
        return _failed(error, b"".join(out), ctx, asked)
    return Outcome(
        b"".join(out), b"".join(ctx.spoken()), ctx.exit_status, None, enough is not None and size > enough, asked
    )


def _failed(error: GitError, out: bytes, ctx: Context, asked: Asked | None) -> Outcome:
    """The outcome for an error of git's or the deadline's. Raises any other error."""
    if isinstance(error, InvalidArgs | SandboxViolation | ApprovalRequired | ApprovalDenied) or error.code in (
        "permission_denied",
        "unsupported",
    ):
        raise error
    printed, words = error.streams()
    return Outcome(out + printed, b"".join(ctx.spoken()) + words, error.status, error, False, asked)


def run_change(request: Mutation, store: Store, ctx: Context, host: ToolContext) -> Outcome:
    """Run a change that was not requested by argv, with the same outcome and exceptions as `run_argv`."""
    ctx.voices.append(store.complaints)
    try:
        with ctx:
            return written_outcome(request, store, ctx, host)
    except GitError as error:
        return _failed(error, b"", ctx, None)


def written_outcome(
    request: Mutation, store: Store, ctx: Context, host: ToolContext | None, asked: Asked | None = None
) -> Outcome:
    """The outcome of a change, which is carried out if `host` can write. Raises as `carry_out`."""
    access, approved = (None, frozenset[str]()) if host is None else (host.write, host.approved)
    done = carry_out(request, store, ctx, access, approved=approved)
    return Outcome(done.stdout, done.stderr, done.exit_code, asked=asked, written=done)


def collected(asked: Asked, store: Store, ctx: Context) -> Any:
    """The typed result of a reading request."""
    if not isinstance(asked.request, Request):
        return None
    with ctx:
        return asked.command.collect(execute(asked.command, store, asked.request, ctx, asked.named), asked.request)


def context_of(host: ToolContext, seconds: float | None, policy: Policy | None = None) -> Context:
    """The context of one call: the smaller of both deadlines, the host's policy or else the profile's own."""
    limits = host.limits
    if seconds is not None and (limits.timeout is None or seconds < limits.timeout):
        limits = limits.replace(timeout=seconds)
    ctx = Context(limits, cancelled=host.cancelled, progress=host.progress)
    ctx.policy = policy_of(host, policy)
    return ctx


def check_path(path: str) -> str:
    """Check that a path is relative to the repository, and within it. Raises InvalidArgs."""
    if not path or path.startswith("/") or "\0" in path or "\n" in path or ".." in path.split("/"):
        raise InvalidArgs(f"path: '{path}' is not a relative path within the repository")
    return path


class ArgvTool(Tool):
    """A tool of a profile: `respond(parameters, host)` answers, `failed(error)` words an error."""

    __slots__ = ("failed", "respond")

    def __init__(
        self,
        name: str,
        description: str,
        parameters: type[BaseModel],
        respond: Callable[[Any, ToolContext], ToolAnswer],
        *,
        failed: Callable[[GitError], ToolAnswer] = error_answer,
        hints: Hints | None = None,
    ) -> None:
        super().__init__(name, description, parameters, _never, hints=hints)
        self.respond = respond
        self.failed = failed

    def reply(self, asked: Any, ctx: ToolContext) -> ToolAnswer:
        """See `Tool.reply`."""
        return self.respond(asked, ctx)

    def failure(self, error: GitError) -> ToolAnswer:
        """See `Tool.failure`."""
        return self.failed(error)

    def bounded(self, answer: ToolAnswer, ctx: ToolContext, asked: Any = None) -> ToolAnswer:
        """The answer unchanged: profiles keep their own limits."""
        return answer


def _never(*_: object) -> Any:
    raise AssertionError("profiles answer in their own way")


def stop_if_cancelled(outcome: Outcome) -> None:
    """Raise the error of a cancelled call, which has no answer."""
    if isinstance(outcome.error, Cancelled):
        raise outcome.error
