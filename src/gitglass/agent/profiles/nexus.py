"""Document 2: one tool `git` with a `command` string, levels, and parsed fields beside git's own output.

The string is split as a shell would and parsed by our own grammar into a typed request; the level is checked against
the request, so that neither a spelling nor a quoted message can pass for another command.
"""

from __future__ import annotations

import json
import re
import shlex
from datetime import datetime, timedelta, timezone
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ...commands.command import execute
from ...commands.policy import Level, Policy
from ...errors import GitError, InvalidArgs, Timeout
from ...limits import Context
from ...render.style import Style
from ...repo.store import Store
from ...request.declared import altered
from ...request.request import Request
from ..answer import ToolAnswer, error_answer
from ..budget import cut_at
from ..sizes import check_items
from ..tool import Hints, Tool, ToolContext
from ..visible import shown_text, visible_value
from .base import ArgvTool, Outcome, Registry, collected, context_of, register, run_argv, stop_if_cancelled
from .nexuswriting import written_fields

__all__ = ["GitCommand", "git_factory", "register_git_tool", "tools"]

#: the default policy: document 2's TRUSTED, which refuses destructive commands
DEFAULT = Policy(level=Level.TRUSTED, medium="free", high="refuse")

_MOST_ROWS = 1000
_BRANCHES = "%(refname:short)%00%(HEAD)%00%(upstream:short)%00%(upstream:track,nobracket)"


class GitCommand(BaseModel):
    """The tool's parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str = Field("", description="Git command to run (e.g., 'status', 'diff HEAD~1', 'log -5')")
    cwd: str = Field(".", description="Working directory (default: current directory)")


def _respond(asked: GitCommand, host: ToolContext) -> ToolAnswer:
    if not asked.command.strip():
        raise InvalidArgs("No git command provided")
    try:
        argv = shlex.split(asked.command)
    except ValueError as error:
        raise InvalidArgs(f"command: {str(error).lower()}") from None
    check_items("command", len(argv))
    if argv[:1] == ["git"]:
        del argv[0]
    if not argv:
        raise InvalidArgs("No git command provided")
    store = host.roots.store(None if asked.cwd in (".", "") else asked.cwd, host.cwd, at_top=False)
    ctx = context_of(host, 30.0, DEFAULT)
    try:
        outcome = run_argv(argv, store, ctx, enough=host.budget.max_bytes, host=host)
    except GitError as error:
        raise _blocked(error, asked.command, ctx) from None
    stop_if_cancelled(outcome)
    if outcome.timed_out:
        raise Timeout("Git command timed out (30s limit)")
    if outcome.error is not None:
        words = (outcome.stderr.strip() or outcome.stdout.strip()).decode("utf-8", "surrogateescape")
        raise type(outcome.error)(f"Git error: {words}", hint=outcome.error.hint)
    return _answer(argv[0], outcome, store, host, ctx)


def _blocked(error: GitError, command: str, ctx: Context) -> GitError:
    """The policy's error in the form of document 2."""
    if error.code == "permission_denied":
        if ctx.policy.level is Level.SANDBOXED:
            message = "Only read-only git commands allowed in SANDBOXED mode"
        else:
            message = f"Command blocked for safety: {command}"
        return type(error)(message, hint=error.message)
    return error


def _answer(name: str, outcome: Outcome, store: Store, host: ToolContext, ctx: Context) -> ToolAnswer:
    raw, room = outcome.stdout, host.budget.max_bytes
    truncated = outcome.truncated or len(raw) > room // 2
    if truncated:
        raw = raw[: cut_at(raw, room // 2, patch=name in ("diff", "show"))] if len(raw) > room // 2 else raw
    asked = outcome.asked
    fields: dict[str, Any] = {}
    if outcome.written is not None:
        fields = written_fields(name, outcome, store, ctx)
    elif asked is not None and isinstance(asked.request, Request):
        parse = _PARSERS.get(name)
        if parse is not None:
            try:
                fields = parse(asked, store, ctx)
            except GitError:
                truncated = True
    text = shown_text(raw, as_is=host.raw)
    if name in ("diff", "show"):
        fields["raw_diff" if name == "diff" else "diff"] = text if name == "diff" else _patch_of(text)
    value = visible_value(fields)
    assert isinstance(value, dict)
    success = outcome.written is None or not outcome.exit_code  # conflicts: carried out, but no success
    result: dict[str, Any] = {"success": success, "command": name, **value, "output": text}
    if outcome.stderr:
        result["stderr"] = shown_text(outcome.stderr[: host.budget.max_stderr_bytes])
    if outcome.exit_code:
        result["exit_code"] = outcome.exit_code
    cut = _fit(result, room)
    if cut or truncated:
        result["truncated"] = True
    return ToolAnswer(json.dumps(result, ensure_ascii=False), body=text, result=result, truncated=cut or truncated)


def _fit(result: dict[str, Any], room: int) -> bool:
    """Shorten the largest field until the answer fits; a field with the same content as `output` is shortened first."""
    cut = False
    while len(json.dumps(result, ensure_ascii=False).encode("utf-8")) > max(room - 24, 200):
        sizes = {
            key: len(json.dumps(value)) for key, value in result.items() if isinstance(value, list | str) and value
        }
        key = max(sizes, key=lambda name: (sizes[name], name != "output"))
        if sizes[key] < 8:
            break
        value = result[key]
        result[key] = value[: len(value) // 2]
        cut = True
    return cut


def _patch_of(text: str) -> str:
    """The diff part of the output of `git show`."""
    match = re.search(r"^diff --(git|cc|combined) ", text, re.MULTILINE)
    return text[match.start() :] if match else ""


# ----------------------------------------------------------------------------------------------------------- fields
def _status(asked: Any, store: Store, ctx: Context) -> dict[str, Any]:
    status = collected(asked, store, ctx)
    return {
        "branch": status.branch.head or ("HEAD (detached)" if status.branch.detached else None),
        "ahead": status.branch.ahead or 0,
        "behind": status.branch.behind or 0,
        "staged": [entry.path for entry in status.entries if entry.index and not entry.conflict],
        "unstaged": [entry.path for entry in status.entries if entry.worktree and not entry.conflict],
        "untracked": status.untracked,
        "conflicts": [entry.path for entry in status.entries if entry.conflict],
    }


def _diff(asked: Any, store: Store, ctx: Context) -> dict[str, Any]:
    totals = collected(asked, store, ctx).totals
    if totals.added is None:  # a form that counts no lines, e.g. --name-only
        totals = collected(altered(asked, numstat=True), store, ctx).totals
    return {"files_changed": totals.files, "insertions": totals.added, "deletions": totals.deleted}


def _commit(row: Any) -> dict[str, Any]:
    return {"sha": row.oid, **_author(row), "message": "\n\n".join(part for part in (row.subject, row.body) if part)}


def _author(row: Any) -> dict[str, Any]:
    who = row.author
    try:
        when = datetime.fromtimestamp(who.time, timezone(timedelta(minutes=who.zone))).isoformat()
    except (ValueError, OverflowError, OSError):  # years that Python does not have
        when = str(who.time)
    return {"author": f"{who.name} <{who.mail}>", "date": when}


def _log(asked: Any, store: Store, ctx: Context) -> dict[str, Any]:
    return {"commits": [_commit(row) for row in _few(asked, store, ctx)]}


def _few(asked: Any, store: Store, ctx: Context) -> list[Any]:
    wanted = asked.request.max_count
    few = _MOST_ROWS if wanted is None or wanted < 0 else min(wanted, _MOST_ROWS)
    asked.request = asked.request.model_copy(update={"max_count": few})
    rows: list[Any] = collected(asked, store, ctx).commits
    return rows


def _show(asked: Any, store: Store, ctx: Context) -> dict[str, Any]:
    rows = collected(asked, store, ctx).commits
    return _commit(rows[0]) if rows else {}


def _branch(asked: Any, store: Store, ctx: Context) -> dict[str, Any]:
    request = asked.request.model_copy(update={"format": _BRANCHES, "verbose": 0, "color": "never"})
    asked.request = request.model_copy(update={"column": []})
    entries = execute(asked.command, store, asked.request, ctx, asked.named)
    raw = b"".join(asked.command.render(entries, asked.request, Style(store, ctx))).decode("utf-8", "surrogateescape")
    rows = []
    for line in raw.splitlines()[:_MOST_ROWS]:
        name, head, upstream, track = [*line.split("\0"), "", "", ""][:4]
        counts = dict(re.findall(r"(ahead|behind) (\d+)", track))
        rows.append(
            {
                "name": name,
                "current": head == "*",
                "tracking": upstream or None,
                "ahead": int(counts.get("ahead", 0)),
                "behind": int(counts.get("behind", 0)),
            }
        )
    return {"branches": rows}


_PARSERS = {"status": _status, "diff": _diff, "log": _log, "show": _show, "branch": _branch}


def _failed(error: GitError) -> ToolAnswer:
    answer = error_answer(error)
    assert answer.error is not None
    answer.text = str(answer.error["message"])
    return answer


_READS = "status, diff, log, show, branch, remote, blame, rev-parse, describe, ls-files, ls-tree and other readers"
_WRITES = "add, commit, checkout, switch, stash, tag, branch, reset, rm, mv"
_CHANGES = Hints(read_only=False, destructive=True, idempotent=False)


def tools(*, write: bool = False) -> list[Tool]:
    """The one tool; `write`: in the form for a host that lets it make changes."""
    words = f"Git commands: {_READS}; and {_WRITES}." if write else f"Git commands, read-only: {_READS}."
    return [
        ArgvTool(
            "git",
            f"{words} Parsed fields and git's own output.",
            GitCommand,
            _respond,
            failed=_failed,
            hints=_CHANGES if write else None,
        )
    ]


def git_factory() -> Tool:
    """Document 2's factory."""
    return tools()[0]


def register_git_tool(registry: Registry) -> None:
    """Add `git` to a registry."""
    register(registry, tools())
