"""Document 1: one tool `git` with `operation`; dangerous options have no field.

The interface is that of the pull request's code: its fields and defaults, its validation messages, its `command`
string, and the git command of each operation. All fifteen operations are validated; those that only read are answered,
the others are carried out if the host can write; push and pull if its grant names the remote. gitglass adds checks of
its own: a ref, a remote or a file that git could interpret as something else is refused when the operation is carried
out.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...commands.policy import Policy
from ...errors import GitError, InvalidArgs, NotARepository, PermissionDenied, Timeout
from ...limits import Context
from ...repo.store import Store
from ..answer import ToolAnswer, error_answer
from ..tool import Hints, Tool, ToolContext
from ..visible import shown_text
from .base import ArgvTool, Outcome, Registry, context_of, register, run_argv, stop_if_cancelled

__all__ = ["GitToolInput", "is_read_only", "register_git_tool", "tools"]

MAX_CHARACTERS = 12_000
MARKER = "\n...[truncated]..."
READ_ONLY = frozenset({"status", "diff", "log", "show", "blame", "branch_list"})

#: words that `add` never accepts as file names
_BLIND = (".", "-A", "--all", "-a", "*")

#: operation → the meaning of its `ref`
_REF_OF = {
    "tag": "the tag name",
    "branch_create": "the new branch name",
    "branch_delete": "the branch to delete",
    "checkout": "branch or commit to check out",
}

#: more bytes than 12,000 characters of git's output can have: a character has up to four bytes
_ENOUGH = 64_000


class GitToolInput(BaseModel):
    """The tool's parameters. Raises pydantic's ValidationError, with the pull request's messages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    operation: Literal[
        "status", "diff", "log", "show", "blame", "branch_list", "add", "commit", "push", "pull", "branch_create",
        "branch_delete", "checkout", "stash", "tag",
    ] = Field(description="Git operation.")  # fmt: skip
    files: list[str] | None = Field(None, description="Files, named one by one; blame: exactly one.")
    message: str | None = Field(None, description="commit, tag: the message.")
    ref: str | None = Field(None, description="Branch, tag or commit.")
    max_count: Annotated[int, Field(ge=1, le=200)] = Field(20, description="log: commits, 1 to 200.")
    oneline: bool = Field(True, description="log: a line for each commit.")
    staged: bool = Field(False, description="diff: what is staged.")
    line_start: Annotated[int, Field(ge=1)] | None = Field(None, description="blame: first line, from 1.")
    line_end: Annotated[int, Field(ge=1)] | None = Field(None, description="blame: last line.")
    stash_action: Literal["push", "pop", "list", "drop"] = Field("push", description="stash: what to do.")
    stash_message: str | None = Field(None, description="stash push: a message.")
    remote: str = Field("origin", description="push, pull: the remote.")
    start_point: str | None = Field(None, description="branch_create: where it starts.")

    @model_validator(mode="after")
    def _check_operation(self) -> GitToolInput:
        wrong = self._wrong()
        if wrong:
            raise ValueError(f"'{self.operation}' {wrong}")
        return self

    def _wrong(self) -> str | None:
        """The message about a missing or forbidden parameter, in the pull request's words, or None."""
        files = self.files or []
        if self.operation == "add":
            if not files:
                return "requires a non-empty 'files' list"
            blind = next((name for name in files if name in _BLIND), None)
            return None if blind is None else f"does not allow '{blind}'. Specify individual file paths."
        if self.operation == "blame":
            return None if len(files) == 1 else "requires exactly one file in 'files'"
        if self.operation == "show":
            return None if self.ref or files else "requires 'ref' (commit/object) or 'files'"
        if self.operation in _REF_OF and not self.ref:
            return f"requires 'ref' ({_REF_OF[self.operation]})"
        if self.operation in ("commit", "tag") and not self.message:
            return "requires 'message'"
        return None

    @property
    def command(self) -> str:
        """The string that a host's rules for commands are matched against: "git push main"."""
        words = ["git", self.operation.replace("_", " ")]
        return " ".join(words + ([self.ref] if self.ref else []) + (self.files or []))

    @property
    def argv(self) -> list[str]:
        """git's argv for the operation."""
        ref = [self.ref] if self.ref else []
        files = ["--", *self.files] if self.files else []
        oneline = ["--oneline"] if self.oneline else []
        words: dict[str, list[str]] = {
            "status": ["status", "--short"],
            "diff": ["diff", *(["--cached"] if self.staged else []), *ref, *files],
            "log": ["log", f"--max-count={self.max_count}", *oneline, *ref, *files],
            "show": ["show", self.ref or "HEAD", *files],
            "blame": ["blame", *self._lines(), *ref, *files],
            "branch_list": ["branch", "-a", "-v"],
            "add": ["add", *files],
            "commit": ["commit", "-m", self.message or ""],
            "push": ["push", self.remote, *ref],
            "pull": ["pull", self.remote, *ref],
            "branch_create": ["branch", *ref, *([self.start_point] if self.start_point else [])],
            "branch_delete": ["branch", "-d", *ref],
            # Strange but git's: without the dashes a word that names no branch is a file, whose changes are discarded
            "checkout": ["checkout", *ref, "--"],
            "stash": ["stash", self.stash_action, *self._stash_message()],
            "tag": ["tag", "-a", *ref, "-m", self.message or ""],
        }
        return words[self.operation]

    def _lines(self) -> list[str]:
        if self.line_start is None and self.line_end is None:
            return []
        return [f"-L{self.line_start or 1},{self.line_end or ''}"]

    def _stash_message(self) -> list[str]:
        return ["-m", self.stash_message] if self.stash_action == "push" and self.stash_message else []


def is_read_only(asked: GitToolInput) -> bool:
    """Whether the operation only reads."""
    return asked.operation in READ_ONLY


# ----------------------------------------------------------------------------------------------------- own judgement
def _check_words(asked: GitToolInput) -> None:
    """Refuse a word that git would take for an option, a forced or deleting refspec, or more than one file.

    Raises InvalidArgs.
    """
    for what, word in (("ref", asked.ref), ("start_point", asked.start_point), ("remote", asked.remote)):
        if word and not _is_plain(word):
            raise InvalidArgs(f"Invalid {what}: '{word}'")
    if asked.operation in ("push", "pull"):
        if not asked.remote or asked.remote.startswith(("+", ":")):
            raise InvalidArgs(f"Invalid remote: '{asked.remote}'")
        if asked.ref and asked.ref.startswith(("+", ":")):  # a forced push, and a deletion
            raise InvalidArgs(f"Invalid ref: '{asked.ref}'")
    for name in asked.files or ():
        if not name or "\0" in name or (asked.operation == "add" and _is_pathspec(name)):
            raise InvalidArgs(f"Invalid file path: '{name}'")


def _is_plain(word: str) -> bool:
    return not word.startswith("-") and not any(ord(char) < 32 or char == "\x7f" for char in word)


def _is_pathspec(name: str) -> bool:
    """Whether `git add` would take it for an option, or for a pattern or directory of any number of files."""
    return name.startswith(("-", ":")) or bool(set(name) & set("*?[")) or name.rstrip("/") in ("", ".")


def _policy(asked: GitToolInput, host: ToolContext) -> Policy | None:
    """The host's policy. Its patterns are matched against `command` here, and later by the gate against the typed
    request.

    Raises PermissionDenied if a pattern for commands refuses `command`.
    """
    policy = host.policy
    if policy is None:
        return None
    for pattern in policy.denied:
        if fnmatchcase(asked.command, pattern):
            raise PermissionDenied(f"blocked for safety: denied by the rule '{pattern}'")
    if policy.allowed is not None and any(fnmatchcase(asked.command, pattern) for pattern in policy.allowed):
        return replace(policy, allowed=None)
    return policy


# ----------------------------------------------------------------------------------------------------------- answers
def _respond(asked: GitToolInput, host: ToolContext) -> ToolAnswer:
    _check_words(asked)
    host = replace(host, policy=_policy(asked, host))
    store = host.roots.store(None, host.cwd, limits=host.limits, at_top=False)
    default = Policy(allow_add_all=False) if host.level is not None else None
    outcome = _run(asked.argv, store, context_of(host, None, default), host)
    stop_if_cancelled(outcome)
    if outcome.timed_out and outcome.error is not None:
        raise Timeout(outcome.error.message)
    # stripped before it is made visible: the space in front of a forged "[gitglass:" must stay
    text = shown_text(_stripped(outcome.stdout) or _stripped(outcome.stderr), as_is=host.raw)
    cut = outcome.truncated or len(text) > MAX_CHARACTERS
    if cut:
        text = text[:MAX_CHARACTERS] + MARKER
    answer = ToolAnswer(text or "(no output)", body=text, truncated=cut, is_error=outcome.exit_code != 0)
    if outcome.error is not None:
        answer.error = error_answer(outcome.error).error
    return answer


def _run(argv: list[str], store: Store, ctx: Context, host: ToolContext) -> Outcome:
    """git's outcome; usage errors are also git's, with its message and status."""
    try:
        return run_argv(argv, store, ctx, enough=_ENOUGH, host=host)
    except InvalidArgs as error:
        return Outcome(b"", b"".join(ctx.spoken()) + error.words(), error.status, error)


def _stripped(raw: bytes) -> bytes:
    return raw.decode("utf-8", "surrogateescape").strip().encode("utf-8", "surrogateescape")


def _failed(error: GitError) -> ToolAnswer:
    answer = error_answer(error)
    assert answer.error is not None
    answer.text = "Not a git repository" if isinstance(error, NotARepository) else str(answer.error["message"])
    return answer


class GitTool(ArgvTool):
    """The tool `git`."""

    __slots__ = ()

    def checked(self, arguments: dict[str, Any]) -> Any:
        """See `Tool.checked`; the validation messages have no tool name in front."""
        try:
            return super().checked(arguments)
        except InvalidArgs as error:
            raise InvalidArgs(error.message.removeprefix(f"{self.name}: "), hint=error.hint) from None


def tools(*, write: bool = False) -> list[Tool]:
    """The one tool; `write`: in the form for a host that lets it make changes."""
    return [
        GitTool(
            "git",
            "Perform structured git operations with built-in safety constraints. Operations: status, diff, log, show, "
            "blame, branch_list (these read); add, commit, push, pull, branch_create, branch_delete, checkout, stash, "
            "tag (these need permission and a host that can write, but for stash_action=list).",
            GitToolInput,
            _respond,
            failed=_failed,
            hints=Hints(read_only=False, destructive=True, idempotent=False) if write else Hints(),
        )
    ]


def register_git_tool(registry: Registry) -> None:
    """Add `git` to a registry."""
    register(registry, tools())
