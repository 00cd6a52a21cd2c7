"""Tool: what an agent's host lists and calls, and the path of every call from its arguments to an answer within its
budget.

The native tools are in `native/`, one file each; a tool has a name, a description, its parameters (a pydantic model)
and a function from parameters to an `Uncut` answer: units in order, made one at a time. Everything else is here and the
same for all: checking arguments, finding the repository, deadline and cancellation, cutting, cursors, errors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ..commands.command import Command, execute
from ..commands.policy import Level, Policy
from ..commands.registry import load
from ..errors import Cancelled, Corrupt, GitError, InvalidArgs, Timeout, TooLarge
from ..limits import Context, Limits, paced
from ..render.style import Style
from ..repo.store import Store
from ..request.request import Request
from .answer import Internal, ToolAnswer, error_answer, error_object
from .arguments import check_arguments
from .audit import Auditor, AuditRecord, Noted, arguments_digest, noted
from .budget import Budget, Listed, Page, Unit, fill
from .cursor import Cursor, StaleCursor, depends_on_time, digest, open_cursor, request_digest
from .profiles import ELSEWHERE, PROFILES
from .revisions import revision_advice
from .roots import Roots
from .schema import input_schema, result_schema
from .sizes import MOST_TEXT_BYTES, check_sizes
from .typed import LEAST_BYTES, Typed, fitted_error
from .visible import MARK, shown_text, visible_value

if TYPE_CHECKING:
    from .writing import Access

__all__ = [
    "COUNTING",
    "NATIVE",
    "NATIVE_WRITERS",
    "SEARCHING",
    "Call",
    "Hints",
    "Tool",
    "ToolContext",
    "Uncut",
    "policy_of",
    "tools",
]


#: seconds that computing a total may take; if each item has to be searched for, as long as for a page
COUNTING = 0.03
SEARCHING = 0.5


@dataclass(frozen=True, slots=True)
class Hints:
    """The four hints of MCP."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False

    def as_mcp(self) -> dict[str, bool]:
        """The hints with MCP's names."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


@dataclass(slots=True)
class ToolContext:
    """What a host grants a call.

    `cwd` is the base of a relative `repo`. `structured` asks for the typed result in addition to the text: as compact
    JSON it may have as many bytes as the text, or `typed.LEAST_BYTES` if that is more. `raw` asks for text unchanged
    from the repository. `cancelled` is called now and then; `progress` is called with (what, done, total). `audit` gets
    one record of each call, whatever the tool and the outcome. `policy` decides what is allowed (commands/policy.py);
    `level` alone stands for a policy of that level. `approved` are the digests of requests and tokens of plans that the
    host has approved; `write` carries changes out (agent/writing.py; None: tools only read). `desk` has the workspaces
    and targets of the tools that work in memory (workspace/desk.py).
    """

    roots: Roots
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    level: Level | str | None = None
    policy: Policy | None = None
    cancelled: Callable[[], bool] | None = None
    progress: Callable[[str, int, int | None], None] | None = None
    approved: frozenset[str] = frozenset()
    write: Access | None = None
    desk: object | None = None
    caller_id: str = ""
    audit: Auditor | None = None
    cwd: str | None = None
    structured: bool = False
    raw: bool = False


@dataclass(slots=True)
class Uncut:
    """A whole answer, before it is cut.

    `noun` says what is counted, `key` is the field of the rows in the typed result, `fields` are the other fields.
    `total` is the number of items, or None; then `count` computes it, or the remaining units are counted if they are
    `countable`. `state` is what cursors depend on: the objects that names stood for. `empty` says why the answer is
    empty. `page_items` is the number of items that the request wants on a page. `counting` is the number of seconds
    that computing the total may take. `cut`: there are more items than the units, which no further page has.
    `numbered` names the field with the number of the first unit: on a later page it is that of the page's first one.
    """

    units: Iterable[Unit]
    noun: str
    key: str = ""
    fields: Callable[[], dict[str, Any]] | None = None
    total: int | None = None
    state: bytes = b""
    countable: bool = True
    empty: Callable[[], str] | None = None
    page_items: int | None = None
    count: Callable[[Context], int | None] | None = None
    counting: float = COUNTING
    cut: bool = False
    numbered: str = ""


class Call:
    """One running call: the repository, the clock, and commands run through the common gate."""

    __slots__ = ("ctx", "host", "store", "style")

    def __init__(self, host: ToolContext, store: Store | None, ctx: Context) -> None:
        self.host, self.ctx = host, ctx
        if store is not None:  # git_info finds its repository itself
            self.store = store
            self.style = Style(store, ctx)

    def text(self, raw: bytes) -> str:
        """Bytes of the repository as text of the answer."""
        return shown_text(raw, as_is=self.host.raw)

    def run(self, name: str, request: Request[Any], ctx: Context | None = None) -> tuple[Command, Any]:
        """A command's entries, through the gate that every door uses. `ctx`: a context with a deadline of its own."""
        module = load(name)
        assert module is not None
        command: Command = module.COMMAND
        return command, execute(command, self.store, request, ctx or self.ctx)

    def chunks(self, name: str, request: Request[Any]) -> Iterator[bytes]:
        """git's bytes for a request."""
        command, entries = self.run(name, request)
        return command.render(entries, request, self.style)

    def line_units(self, raw: bytes, rows: Iterable[Any] | None = None) -> list[Unit]:
        """One unit for each line, with its row if there are rows."""
        self.ctx.need(2 * len(raw) + raw.count(b"\n") * _UNIT_BYTES)
        lines = raw.split(b"\n")
        tail = lines.pop()
        ended = [line + b"\n" for line in paced(lines)] + ([tail] if tail else [])
        units = [Unit(lambda line=line: self.text(line)) for line in paced(ended)]  # type: ignore[misc]
        if rows is not None:
            for unit, row in zip(paced(units), rows, strict=False):
                unit.row = lambda row=row: row
        return units


class Tool:
    """A tool: name, description, parameters, hints, and `call`.

    `other_names` are names that models use for its parameters, in addition to `arguments.OTHER_NAMES`; None: it only
    takes the names of its schema. `title` is for lists that people see. `rows` is the field of the typed result that
    holds its rows ("": no rows); None: the tool has no schema of its result.
    """

    __slots__ = (
        "answer",
        "description",
        "hints",
        "most_text",
        "name",
        "needs_repository",
        "other_names",
        "parameters",
        "result_schema",
        "title",
    )

    def __init__(
        self,
        name: str,
        description: str,
        parameters: type[BaseModel],
        answer: Callable[[Call, Any], Uncut],
        *,
        hints: Hints | None = None,
        needs_repository: bool = True,
        other_names: Mapping[str, tuple[str, ...]] | None = None,
        title: str | None = None,
        rows: str | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.parameters = parameters
        self.answer = answer
        self.hints = hints or Hints()
        self.needs_repository = needs_repository
        self.other_names = other_names
        self.title = title
        self.most_text = MOST_TEXT_BYTES  # the most bytes of a text among its arguments
        self.result_schema = None if rows is None else result_schema(rows)

    def __repr__(self) -> str:
        return f"Tool({self.name})"

    def input_schema(self, dialect: str = "mcp") -> dict[str, Any]:
        """The JSON schema of the arguments, in a provider's dialect."""
        return input_schema(self.parameters, dialect)

    def as_mcp(self, *, structured: bool = False) -> dict[str, Any]:
        """The tool's entry of MCP's `tools/list`; `structured`: with the schema of the typed result, if it has one.

        A server that sends no typed results must not list that schema: clients reject an answer without it.
        """
        listed: dict[str, Any] = {"name": self.name}
        if self.title is not None:
            listed["title"] = self.title
        listed |= {"description": self.description, "inputSchema": self.input_schema()}
        if structured and self.result_schema is not None:
            listed["outputSchema"] = self.result_schema
        listed["annotations"] = self.hints.as_mcp()
        return listed

    def call(self, arguments: dict[str, Any] | None, ctx: ToolContext) -> ToolAnswer:
        """Answer a call. Any error that a model can correct is an answer with `is_error`, never an exception."""
        with noted() as gathered:
            return self._called(arguments, ctx, gathered)

    def _called(self, arguments: dict[str, Any] | None, ctx: ToolContext, gathered: Noted) -> ToolAnswer:
        began, asked = time.monotonic(), None
        try:
            check_sizes(arguments, self.most_text)
            asked = self.checked(arguments or {})
            answer = self.reply(asked, ctx)
        except GitError as error:
            answer = self.failure(error)
        except RecursionError:
            answer = self.failure(Corrupt("the data is nested too deeply"))
        except MemoryError:
            answer = self.failure(TooLarge("out of memory"))
        except OSError as error:
            answer = self.failure(Internal(f"cannot read the repository: {error.strerror or error}"))
        except Exception as error:  # a bug in gitglass: the host goes on, the model gets an error
            answer = self.failure(Internal(f"internal error in gitglass: {type(error).__name__}: {error}"))
        answer = self.bounded(answer, ctx, asked)
        if ctx.audit is not None:
            ctx.audit(
                AuditRecord(
                    caller_id=ctx.caller_id,
                    tool=self.name,
                    request=arguments_digest(self.name, arguments or {}),
                    bytes=len(answer.text.encode("utf-8", "replace")),
                    duration_ms=round((time.monotonic() - began) * 1000, 3),
                    outcome=str(answer.error["code"]) if answer.error else "ok",
                    processes=tuple(gathered.runs),
                    changes=tuple(gathered.changes),
                )
            )
        return answer

    def checked(self, arguments: dict[str, Any]) -> Any:
        """The parameters of the arguments. Raises InvalidArgs."""
        return check_arguments(self, arguments)

    def reply(self, asked: Any, ctx: ToolContext) -> ToolAnswer:
        """The answer to checked parameters. Raises GitError."""
        return _answer(self, asked, ctx)

    def failure(self, error: GitError) -> ToolAnswer:
        """The answer for an error."""
        return error_answer(error)

    def bounded(self, answer: ToolAnswer, ctx: ToolContext, asked: Any = None) -> ToolAnswer:
        """The answer within the budget, or within the smaller one of the request: an error's answer may be larger."""
        return _within(answer, _most_bytes(asked, ctx), structured=ctx.structured)


def policy_of(host: ToolContext, default: Policy | None = None) -> Policy | None:
    """The policy of a call: the host's; or the default (a profile's, or else the plain one) at the host's level."""
    policy = host.policy
    if policy is None:
        policy = default if host.level is None else replace(default or Policy(), level=Level.of(host.level))
    if policy is not None and host.approved:
        policy = replace(policy, approved=policy.approved | host.approved)
    return policy


# --------------------------------------------------------------------------------------------------------- answers
def _answer(tool: Tool, asked: Any, host: ToolContext) -> ToolAnswer:
    limits = host.limits
    if tool.needs_repository:
        store = host.roots.store(getattr(asked, "repo", None), host.cwd, limits)
        where = store.git_dir
    else:
        store, where = None, b""
    arguments = asked.model_dump(exclude_none=True)
    sealed = request_digest(tool.name, where, arguments)
    word = getattr(asked, "cursor", None)
    cursor = open_cursor(word, sealed) if word else None
    now = (cursor.now or None) if cursor else None
    ctx = Context(
        limits,
        now=now,
        wall=time.time(),  # a cursor may be forged: it sets what "2 weeks ago" means, but not which data is fresh
        cancelled=host.cancelled,
        progress=host.progress,
    )
    ctx.policy = policy_of(host)
    with ctx:
        return _answer_within(tool, asked, Call(host, store, ctx), store, cursor, sealed)


def _answer_within(
    tool: Tool, asked: Any, call: Call, store: Store | None, cursor: Cursor | None, sealed: bytes
) -> ToolAnswer:
    """The answer, computed with the call's context as the current one."""
    host, ctx = call.host, call.ctx
    if store is not None:
        ctx.voices.append(store.complaints)
    if cursor is None:
        start = (0, 0)
    else:
        start = (cursor.unit, cursor.offset)
    max_bytes = _most_bytes(asked, host)
    page = Page(next=start)
    uncut: Uncut | None = None
    error: GitError | None = None
    rest: Iterator[Unit] = iter(())
    reserve = 118 if max_bytes >= 160 else 0
    room = max(max_bytes - reserve, 1)
    ctx.report()
    try:
        ctx.check()
        uncut = tool.answer(call, asked)
        state = digest(uncut.state)
        if cursor is not None and cursor.state != state:
            raise StaleCursor("the repository has changed since the first page", hint="Ask again without a cursor.")
        wanted = [most for most in (uncut.page_items, host.budget.max_items) if most is not None]
        items = min(wanted, default=None)
        if host.structured:
            fields = uncut.fields() if uncut.fields is not None else {}
            if uncut.numbered:
                fields[uncut.numbered] += start[0]
            page.typed = Typed(max_bytes, uncut.key, fields)
        rest = fill(_with_progress(uncut, host.progress), start, room, items, page)
    except StaleCursor:
        raise
    except GitError as stopped:  # answer with the items found before
        error = stopped
        if uncut is None or not (page.parts or isinstance(stopped, Timeout | Cancelled)):
            if store is not None and not isinstance(stopped, Timeout | Cancelled):
                stopped.hint = revision_advice(store, asked, ctx) or stopped.hint
            return _stopped(stopped, store, _notes(ctx, host.budget))
    answer = ToolAnswer("", page.body, shown=page.shown, noun=uncut.noun, total=uncut.total)
    answer.error = error_object(error, partial=bool(page.parts)) if error else None
    answer.is_error = error is not None
    answer.truncated = page.next is not None or uncut.cut
    answer.reason = (error.code if error else page.reason or "max_count") if answer.truncated else None
    if answer.total is None and error is None:
        answer.total = _count(uncut, page, rest, ctx)
    if page.next is not None:
        now = ctx.now if depends_on_time(asked.model_dump(exclude_none=True)) else 0
        answer.next_cursor = Cursor(now, sealed, state, page.next[0], page.next[1]).seal()
    answer.notes = _notes(ctx, host.budget)
    _finish(answer, uncut, page, max_bytes, error)
    if page.typed is not None:
        answer.result = page.typed.result(answer)
    if host.progress is not None:
        host.progress(answer.noun, page.before + page.shown, answer.total)
    return answer


def _with_progress(uncut: Uncut, progress: Callable[[str, int, int | None], None] | None) -> Iterable[Unit]:
    """The units; the host's progress callback is called every 64 units."""
    if progress is None:
        return uncut.units

    def each(nth: int) -> None:
        if not nth % 64:
            progress(uncut.noun, nth, uncut.total)

    def units() -> Iterator[Unit]:
        for nth, unit in enumerate(uncut.units):
            each(nth)
            yield unit

    # a wrapper around listed units would make those of all earlier pages again
    return uncut.units.watched(each) if isinstance(uncut.units, Listed) else units()


def _stopped(error: GitError, store: Store | None, notes: list[str]) -> ToolAnswer:
    """An answer that is only an error, with the advice that fits the repository."""
    if error.hint is None:
        error.hint = _advice(error, store, notes)
    answer = error_answer(error)
    answer.notes = notes
    if isinstance(error, Timeout | Cancelled):
        answer.truncated, answer.reason = True, error.code
    return answer


def _advice(error: GitError, store: Store | None, notes: list[str]) -> str | None:
    if store is not None and "work tree" in error.message and store.work_tree is None:
        return "The repository is bare: name a revision (rev, or from_ref and to_ref)."
    if isinstance(error, Timeout | Cancelled | InvalidArgs):
        return None
    if notes:  # an ignored part of the repository may well be the reason
        return notes[0]
    if store is not None and "HEAD" in error.message and store.refs.head()[1] is None:
        return "There are no commits yet: git_status and git_files show what is there."
    return None


def _count(uncut: Uncut, page: Page, rest: Iterator[Unit], ctx: Context) -> int | None:
    """The total number of items, if it can be computed quickly."""
    count = page.before + page.shown
    if page.next is None:
        return count
    if uncut.count is not None:
        limits = ctx.limits.replace(timeout=min(uncut.counting, ctx.remaining() or uncut.counting))
        try:
            return uncut.count(Context(limits, now=ctx.now, wall=ctx.wall, cancelled=ctx.cancelled))
        except GitError:
            return None
    if not uncut.countable:
        return None
    if page.inside:
        next(rest, None)  # it is counted already
    until = time.monotonic() + uncut.counting
    try:
        for unit in rest:
            count += unit.counted
            if time.monotonic() > until:
                return None
    except GitError:
        return None
    return count


def _notes(ctx: Context, budget: Budget) -> list[str]:
    notes: list[str] = []
    left = budget.max_stderr_bytes
    spoken = [shown_text(line[: left + 1]).rstrip("\n") for line in ctx.spoken()]  # what is longer is not shown
    for note in dict.fromkeys([*spoken, *(str(visible_value(note)) for note in ctx.notes)]):
        left -= len(note.encode("utf-8")) + 1
        if left < 0:
            break
        notes.append(" ".join(note.split("\n")))
    return notes


def _finish(answer: ToolAnswer, uncut: Uncut, page: Page, max_bytes: int, error: GitError | None) -> None:
    """The text: the body, the reason if it is empty, the marker, and notes if there is room."""
    text = answer.body
    if not text and uncut.empty is not None and page.next is None:
        text = (uncut.empty() + "\n").encode("utf-8")[:max_bytes].decode("utf-8", "ignore")
    left = max_bytes - len(text.encode("utf-8"))
    if page.next is not None:
        for marker in _markers(answer, page, error):
            lead = "" if not text or text.endswith("\n") else "\n"
            if len(lead) + len(marker.encode("utf-8")) <= left:
                text += lead + marker
                left -= len(lead) + len(marker)
                break
    for note in answer.notes:
        line = f"{MARK} note: {note}]\n"
        if len(line.encode("utf-8")) + 1 <= left:
            text += ("" if not text or text.endswith("\n") else "\n") + line
            left = max_bytes - len(text.encode("utf-8"))
    answer.text = text


def _markers(answer: ToolAnswer, page: Page, error: GitError | None) -> Iterator[str]:
    """The marker line, in full and shorter."""
    upto = page.before + answer.shown
    of = (
        f"{upto:,} of {answer.total:,} {answer.noun}"
        if answer.total is not None
        else f"{upto:,} {answer.noun}, {'more may follow' if error else 'more follow'}"
    )
    why = f"{error.code}; " if error else ""
    cut = ", cut inside the last" if page.inside else ""
    yield f"{MARK} {why}{of}{cut}, {page.size:,} bytes; next_cursor={answer.next_cursor}]\n"
    yield f"{MARK} {why}{of}; next_cursor={answer.next_cursor}]\n"
    yield f"{MARK} cut; next_cursor={answer.next_cursor}]\n"


_UNIT_BYTES = 400  # memory of a line's unit besides its text, with its row


def _most_bytes(asked: Any, host: ToolContext) -> int:
    """The most bytes of an answer: the host's budget, or less if the call asks for less."""
    return min(getattr(asked, "max_bytes", None) or host.budget.max_bytes, host.budget.max_bytes)


def _within(answer: ToolAnswer, max_bytes: int, *, structured: bool) -> ToolAnswer:
    """The answer, its text cut if it is still too long, as an error's may be. An error gets its typed form here."""
    if structured and answer.result is None and answer.error is not None:
        answer = replace(answer, result={"error": fitted_error(answer.error, max(max_bytes, LEAST_BYTES) - 12)})
    raw = answer.text.encode("utf-8", "backslashreplace")
    if len(raw) > max_bytes:
        return replace(answer, text=raw[:max_bytes].decode("utf-8", "ignore"))
    return answer


# ------------------------------------------------------------------------------------------------------------ tools
#: the native tools, in the order of the list: name → its module in native/
NATIVE = {
    f"git_{name}": name
    for name in ("status", "log", "diff", "show", "blame", "refs", "files", "grep", "compare", "info")
}
#: tools that make changes, listed behind them if a host asks for them: name → its module in native/writers/
NATIVE_WRITERS = {
    f"git_{name}": name
    for name in ("stage", "commit", "restore", "branch", "switch", "stash", "tag", "integrate", "operations")
}
#: tools that contact other machines, listed behind them if the host grants any
NATIVE_SYNC = {"git_sync": "sync"}


def tools(profile: str = "native", *, only: Iterable[str] | None = None, **options: Any) -> list[Tool]:
    """The tools of a profile, in a fixed order. `only`: the names wanted; None: all. `options` are the profile's own;
    the native one has `write`: whether the tools that make changes are included, and with it `network`.

    Raises InvalidArgs for an unknown profile, tool or option.
    """
    wanted = None if only is None else [only] if isinstance(only, str) else list(only)
    if profile == "native":
        return _native(wanted, **options)
    if profile.replace("_", "-") not in PROFILES:
        raise InvalidArgs(f"unknown profile '{profile}'", hint=f"Profiles: {', '.join(PROFILES)}.")
    home = ELSEWHERE.get(profile) or f".profiles.{profile.replace('-', '_')}"
    make = import_module(home, __package__).tools
    accepted = make.__code__.co_varnames[: make.__code__.co_argcount + make.__code__.co_kwonlyargcount]
    for name in options:
        if name not in accepted:
            raise InvalidArgs(f"unknown option '{name}'")
    made: list[Tool] = make(**options)
    _check_names(wanted, [tool.name for tool in made])
    return [tool for tool in made if wanted is None or tool.name in wanted]


def _check_names(wanted: list[str] | None, names: Collection[str]) -> None:
    for name in wanted or ():
        if name not in names:
            raise InvalidArgs(f"unknown tool '{name}'", hint=f"Tools: {', '.join(names)}.")


def _native(wanted: list[str] | None, *, write: bool = False, network: bool = False, **unknown: Any) -> list[Tool]:
    if unknown:
        raise InvalidArgs(f"unknown option '{next(iter(unknown))}'")
    homes = {name: f".native.{module}" for name, module in NATIVE.items()}
    if write:
        writers = {**NATIVE_WRITERS, **(NATIVE_SYNC if network else {})}
        homes |= {name: f".native.writers.{module}" for name, module in writers.items()}
    _check_names(wanted, homes)
    return [_made(home) for name, home in homes.items() if wanted is None or name in wanted]


def _made(home: str) -> Tool:
    tool: Tool = import_module(home, __package__).TOOL
    return tool
