"""Document 1: one tool `git` with `operation`; what is dangerous cannot be written down.

All fifteen operations are in the schema and are judged; the nine that change something are refused as not available.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...commands.policy import Policy
from ...errors import GitError, NotARepository, Timeout
from ..answer import ToolAnswer, error_answer
from ..tool import Hints, Tool, ToolContext
from ..visible import shown_text
from .base import ArgvTool, Registry, context_of, register, run_argv, stop_if_cancelled

__all__ = ["GitToolInput", "is_read_only", "register_git_tool", "tools"]

MAX_CHARACTERS = 12_000
MARKER = "\n...[truncated]..."
READ_ONLY = frozenset({"status", "diff", "log", "show", "blame", "branch_list"})

#: operation → the field it cannot do without
_NEEDS = {
    "blame": "files",
    "add": "files",
    "commit": "message",
    "branch_create": "ref",
    "branch_delete": "ref",
    "checkout": "ref",
    "tag": "ref",
}


class GitToolInput(BaseModel):
    """The tool's parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    operation: Literal[
        "status", "diff", "log", "show", "blame", "branch_list", "add", "commit", "push", "pull", "branch_create",
        "branch_delete", "checkout", "stash", "tag",
    ] = Field(description="Git operation.")  # fmt: skip
    ref: str | None = Field(None, description="Branch, tag or commit.")
    files: list[str] = Field(default_factory=list, description="Files, named one by one.")
    message: str | None = Field(None, description="Message of a commit, stash or tag.")
    staged: bool = Field(False, description="diff: what is staged.")
    max_count: Annotated[int, Field(ge=1, le=200)] = Field(20, description="log: commits, 1 to 200.")

    @model_validator(mode="after")
    def _hold_together(self) -> GitToolInput:
        needed = _NEEDS.get(self.operation)
        if needed and not getattr(self, needed):
            raise ValueError(f"{self.operation} requires {needed}")
        if self.operation == "blame" and len(self.files) != 1:
            raise ValueError("blame requires one file")
        for name in self.files:
            if name.startswith("-") or not name or "\0" in name:
                raise ValueError(f"files: '{name}' is not a file name")
            if self.operation == "add" and (name in (".", "./", ":/") or set(name) & set("*?[")):
                raise ValueError(f"files: '{name}' is not allowed; name the files to stage")
        if self.ref is not None and (self.ref.startswith("-") or any(ord(c) < 32 for c in self.ref)):
            raise ValueError(f"ref: '{self.ref}' is not a ref")
        return self

    @property
    def command(self) -> str:
        """The string that rules for commands are held against."""
        return " ".join(["git", *self.argv])

    @property
    def argv(self) -> list[str]:
        """git's words for the operation."""
        ref = [self.ref] if self.ref else []
        files = ["--", *self.files] if self.files else []
        message = ["-m", self.message] if self.message else []
        words: dict[str, list[str]] = {
            "status": ["status", "--short", *files],
            "diff": ["diff", *(["--cached"] if self.staged else []), *ref, *files],
            "log": ["log", "-n", str(self.max_count), *ref, *files],
            "show": ["show", self.ref or "HEAD", *files],
            "blame": ["blame", *ref, *files],
            "branch_list": ["branch", "-a", "-v"],
            "add": ["add", *files],
            "commit": ["commit", *message],
            "push": ["push", *ref],
            "pull": ["pull", *ref],
            "branch_create": ["branch", *ref],
            "branch_delete": ["branch", "-d", *ref],
            "checkout": ["checkout", *ref],
            "stash": ["stash", "push", *message],
            "tag": ["tag", *message, *ref],
        }
        return words[self.operation]


def is_read_only(asked: GitToolInput) -> bool:
    """Whether the operation only looks."""
    return asked.operation in READ_ONLY


def _respond(asked: GitToolInput, host: ToolContext) -> ToolAnswer:
    store = host.roots.store(None, host.cwd, limits=host.limits)
    policy = Policy(allow_add_all=False) if host.level is not None else None
    outcome = run_argv(asked.argv, store, context_of(host, None, policy), enough=64_000)
    stop_if_cancelled(outcome)
    if outcome.timed_out and outcome.error is not None:
        raise Timeout(outcome.error.message)
    raw = outcome.stdout or outcome.stderr
    text = shown_text(raw.rstrip(b"\n"), as_is=host.raw)
    cut = outcome.truncated or len(text) > MAX_CHARACTERS
    if cut:
        text = text[:MAX_CHARACTERS] + MARKER
    answer = ToolAnswer(text or "(no output)", body=text, truncated=cut, is_error=outcome.error is not None)
    if outcome.error is not None:
        answer.error = error_answer(outcome.error).error
    return answer


def _failed(error: GitError) -> ToolAnswer:
    answer = error_answer(error)
    assert answer.error is not None
    answer.text = "Not a git repository" if isinstance(error, NotARepository) else str(answer.error["message"])
    return answer


def tools() -> list[Tool]:
    """The one tool."""
    return [
        ArgvTool(
            "git",
            "Structured git operations: status, diff, log, show, blame and branch_list read; the others need "
            "permission and are not available here.",
            GitToolInput,
            _respond,
            failed=_failed,
            hints=Hints(),
        )
    ]


def register_git_tool(registry: Registry) -> None:
    """Add `git` to a registry."""
    register(registry, tools())
