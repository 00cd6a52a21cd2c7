"""Document 0: one tool `Git` with `op`, an allow list of options for each op, and the result of a process."""

from __future__ import annotations

import json
import os
import re
import time
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ...errors import GitError, InvalidArgs
from ..answer import ToolAnswer, error_answer
from ..tool import Tool, ToolContext
from ..visible import shown_text
from .base import ArgvTool, Registry, check_path, context_of, register, run_argv, stop_if_cancelled

__all__ = ["OPS", "GitArgs", "register_git_tool", "tools"]

MAX_STDOUT = 1_048_576
MAX_STDERR = 262_144
_CHARACTER = 4  # the most bytes of a character in UTF-8

_REF = re.compile(r"[A-Za-z0-9_./~^@-]{1,200}")
_SHADY = re.compile(r"[\n\r\0;&|`$<>\\\"'(){}*?!#]")

#: op → (git's words, allowed options; those that end in "=" have a value)
OPS: dict[str, tuple[list[str], frozenset[str]]] = {
    "status": (["status", "--porcelain"], frozenset({"-b", "--branch", "-uno", "-unormal", "-uall", "--ignored"})),
    "log": (
        ["log"],
        frozenset(
            {"--oneline", "--graph", "-n=", "--max-count=", "--since=", "--until=", "--author=", "--grep=", "--stat",
             "--name-only", "--name-status", "--no-merges", "--merges", "--reverse", "--first-parent", "--all"}
        ),
    ),
    "diff": (
        ["diff"],
        frozenset({"--stat", "--numstat", "--shortstat", "--name-only", "--name-status", "--cached", "--staged", "-U=",
                   "--unified=", "-w", "-M"}),
    ),
    "show": (["show"], frozenset({"--stat", "--name-only", "--name-status", "--oneline", "-s", "--no-patch", "-U="})),
    "branch": (["branch", "-a", "--no-color"], frozenset({"-v", "-vv"})),
    "blame": (["blame"], frozenset({"-L=", "-w", "-s", "-l", "-e", "--line-porcelain", "--porcelain"})),
    "ls_files": (
        ["ls-files"],
        frozenset({"-c", "-m", "-o", "-d", "-s", "--cached", "--modified", "--others", "--deleted", "--stage",
                   "--exclude-standard"}),
    ),
    "rev_parse": (["rev-parse", "--short"], frozenset({"--verify", "--abbrev-ref"})),
}  # fmt: skip


class GitArgs(BaseModel):
    """The tool's parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    op: str = Field(description=f"One of {', '.join(OPS)}.")
    repo: str = Field(description="Absolute path of the repository (its top directory).")
    args: list[str] = Field(default_factory=list, max_length=64, description="Extra options, allowed per op.")
    ref: str | None = Field(None, description="Revision or object.")
    path: str | None = Field(None, description="Relative path.")
    timeout_s: Annotated[int, Field(ge=1, le=120)] = Field(30, description="Seconds, 1 to 120.")


def _argv(asked: GitArgs) -> list[str]:
    """git's words. Raises InvalidArgs for options that are not on the allow list."""
    if asked.op not in OPS:
        raise InvalidArgs(f"op: '{asked.op}' is not one of {', '.join(OPS)}")
    words, allowed = OPS[asked.op]
    argv = [*words, *_options(asked.op, asked.args, allowed)]
    if asked.ref is not None:
        if not _REF.fullmatch(asked.ref) or asked.ref.startswith("-"):
            raise InvalidArgs("ref: letters, digits and _ . / ~ ^ @ - only, 200 at most, no '-' in front")
        if asked.op in ("status", "branch", "ls_files"):
            raise InvalidArgs(f"ref: {asked.op} takes none")
        argv.append(asked.ref)
    elif asked.op == "show":
        raise InvalidArgs("ref: show needs one")
    elif asked.op == "rev_parse":
        argv.append("HEAD")
    if asked.op == "blame" and asked.path is None:
        raise InvalidArgs("path: blame needs one")
    if asked.path is not None:
        if asked.op in ("branch", "rev_parse"):
            raise InvalidArgs(f"path: {asked.op} takes none")
        argv += ["--", check_path(asked.path)]
    elif asked.op in ("log", "diff", "show"):
        argv.append("--")
    return argv


def _options(op: str, args: list[str], allowed: frozenset[str]) -> list[str]:
    options: list[str] = []
    wanted = ""  # the option whose value comes next
    for word in args:
        if _SHADY.search(word) or len(word) > 1024:
            raise InvalidArgs(f"args: '{word[:80]}' holds characters that are not allowed")
        name, equals, _ = word.partition("=")
        if wanted:
            if word.startswith("-"):
                raise InvalidArgs(f"args: {wanted} needs a value")
            options.append(word)
            wanted = ""
        elif equals and name.startswith("--") and f"{name}=" in allowed:
            options.append(word)
        elif f"{word}=" in allowed:
            options.append(word)
            wanted = word
        elif word in allowed or _sticks(op, word, allowed):
            options.append(word)
        else:
            raise InvalidArgs(f"args: '{word[:80]}' is not allowed for {op}")
    if wanted:
        raise InvalidArgs(f"args: {wanted} needs a value")
    return options


def _sticks(op: str, word: str, allowed: frozenset[str]) -> bool:
    """Whether it is a short option with its value attached, or `-5` of log."""
    if word[:2] + "=" in allowed:
        return re.fullmatch(r"-[nUL][0-9][0-9,+]*", word) is not None
    return op == "log" and re.fullmatch(r"-[0-9]+", word) is not None


def _respond(asked: GitArgs, host: ToolContext) -> ToolAnswer:
    argv = _argv(asked)
    if not asked.repo.startswith("/"):
        raise InvalidArgs("repo: an absolute path is expected")
    store = host.roots.store(asked.repo, limits=host.limits)
    top = store.work_tree or store.git_dir
    if os.path.normpath(os.fsencode(asked.repo)) != top:
        raise InvalidArgs(f"repo: no repository at '{asked.repo}' itself")
    began = time.monotonic()
    outcome = run_argv(argv, store, context_of(host, float(asked.timeout_s)), enough=MAX_STDOUT)
    stop_if_cancelled(outcome)
    out, out_cut = _capped(outcome.stdout, MAX_STDOUT, host)
    err, err_cut = _capped(outcome.stderr, MAX_STDERR, host)
    result: dict[str, Any] = {
        "op": asked.op,
        "exit_code": outcome.exit_code,
        "stdout": out,
        "stderr": err,
        "duration_s": round(time.monotonic() - began, 6),
        "timed_out": outcome.timed_out,
        "cmd": ["gitglass", "-C", asked.repo, *argv],
        "stdout_truncated": out_cut or outcome.truncated,
        "stderr_truncated": err_cut,
    }
    return ToolAnswer(
        json.dumps(result, ensure_ascii=False), body=out, result=result, truncated=out_cut or outcome.timed_out
    )


def _capped(raw: bytes, most: int, host: ToolContext) -> tuple[str, bool]:
    """(the part of git's output that is shown, at most `most` bytes of UTF-8; whether something is left out)."""
    begin = raw[: most + _CHARACTER]
    whole = shown_text(begin, as_is=host.raw).encode("utf-8")
    return whole[:most].decode("utf-8", "ignore"), len(whole) > most or len(raw) > len(begin)


#: our error codes → document 0's
_CODES = {"invalid_args": "invalid_args", "not_a_repository": "invalid_args", "sandbox_violation": "fs_denied"}


def _failed(error: GitError) -> ToolAnswer:
    answer = error_answer(error)
    code = _CODES.get(error.code, "fs_denied" if error.code == "permission_denied" else "tool_failed")
    assert answer.error is not None
    answer.error["code"] = code
    answer.text = f"{code}: {answer.error['message']}"
    return answer


def tools(name: str = "Git") -> list[Tool]:
    """The one tool. Its name is the document's (criterion 1), unless a host wants another."""
    return [
        ArgvTool(
            name,
            "Read a git repository: status, log, diff, show, branch, blame, ls_files, rev_parse. Nothing is changed.",
            GitArgs,
            _respond,
            failed=_failed,
        )
    ]


def register_git_tool(registry: Registry, name: str = "Git") -> None:
    """Add `Git` to a registry (document 0: registration is opt-in)."""
    register(registry, tools(name))
