"""Document 3: its reading tools, `git_status` to `git_stash`, with its schemas, precedence, markers and errors.

`git_branch` and `git_stash` have all of document 3's parameters; the four tools that only make changes
(forgewriting.py) are listed on request. A change is assessed by the policy, and carried out if the host's access can
write.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ...errors import GitError, InvalidArgs, NotARepository, SandboxViolation, Timeout, Unsupported
from ...repo.store import Store
from ...request.mutations import Mutation, PatchFilesRequest
from ..answer import ToolAnswer, error_answer
from ..config import GitToolConfig
from ..tool import Hints, Tool, ToolContext
from ..visible import shown_text
from .base import ArgvTool, Outcome, Registry, context_of, register, run_argv, run_change, stop_if_cancelled
from .forgewriting import WRITING, RepositoryArgs, checked_paths, checked_ref, unavailable, words_of

__all__ = ["register_git_tools", "tools"]

MARKER = "\n\n... [output truncated]"
Line = Annotated[int, Field(ge=1)]


class _Bounded(RepositoryArgs):
    max_bytes: Annotated[int, Field(ge=1, le=5_000_000)] = Field(200_000, description="Maximum output bytes")


class StatusArgs(RepositoryArgs):
    """FR-GIT-STATUS-01."""

    porcelain: bool = Field(True, description="Use porcelain output (--porcelain=1)")
    branch: bool = Field(True, description="Include branch info (-b)")
    untracked: bool = Field(True, description="Include untracked files (when false, uses -uno)")


class DiffArgs(_Bounded):
    """FR-GIT-DIFF-01."""

    cached: bool = Field(False, description="Diff staged changes (--cached)")
    name_only: bool = Field(False, description="Show only changed file names (--name-only)")
    stat: bool = Field(False, description="Show diffstat only (--stat)")
    unified: Annotated[int | None, Field(ge=0)] = Field(None, description="Number of context lines (-U<N>)")
    paths: list[str] = Field(default_factory=list, description="Paths to diff (passed after --)")
    from_ref: str | None = Field(None, description="Starting ref for ref-to-ref comparison")
    to_ref: str | None = Field(None, description="Ending ref for ref-to-ref comparison")
    output_dir: str | None = Field(
        None, description="Directory to write per-file patches (requires from_ref AND to_ref)"
    )


class LogArgs(_Bounded):
    """FR-GIT-LOG-01."""

    max_count: Line | None = Field(None, description="Limit number of commits")
    oneline: bool = Field(False, description="Single-line format (--oneline)")
    format: str | None = Field(None, description="Custom pretty format (--format=<string>)")
    author: str | None = Field(None, description="Filter by author (--author=<pattern>)")
    since: str | None = Field(None, description="Commits after date (--since=<date>)")
    until: str | None = Field(None, description="Commits before date (--until=<date>)")
    grep: str | None = Field(None, description="Filter by message pattern (--grep=<pattern>)")
    path: str | None = Field(None, description="Show commits affecting path")


class ShowArgs(_Bounded):
    """FR-GIT-SHOW-01."""

    commit: str = Field("HEAD", description="Commit to show")
    stat: bool = Field(False, description="Show diffstat only (--stat)")
    name_only: bool = Field(False, description="Show only names of changed files (--name-only)")
    format: str | None = Field(None, description="Pretty-print format for commit info")


class BlameArgs(_Bounded):
    """FR-GIT-BLAME-01."""

    path: str = Field(description="File path to blame")
    start_line: Line | None = Field(None, description="Start line number for range")
    end_line: Line | None = Field(None, description="End line number for range")
    commit: str | None = Field(None, description="Blame at specific commit instead of HEAD")


class BranchArgs(RepositoryArgs):
    """FR-GIT-BRANCH-01."""

    list_all: bool = Field(False, description="List both local and remote branches (-a)")
    list_remote: bool = Field(False, description="List only remote branches (-r)")
    create: str | None = Field(None, description="Create a new branch with this name")
    delete: str | None = Field(None, description="Delete this branch (-d, must be merged)")
    force_delete: str | None = Field(None, description="Force delete this branch (-D)")
    rename: str | None = Field(None, description="Rename this branch (requires new_name)")
    new_name: str | None = Field(None, description="New name when renaming a branch")


class StashArgs(RepositoryArgs):
    """FR-GIT-STASH-01."""

    action: Literal["push", "pop", "apply", "drop", "list", "show", "clear"] = Field(
        "push", description="Stash action to perform"
    )
    message: str | None = Field(None, description="Message for the stash (with push)")
    index: Annotated[int | None, Field(ge=0)] = Field(None, description="Stash index for pop/apply/drop/show")
    include_untracked: bool = Field(False, description="Include untracked files (with push)")


# ------------------------------------------------------------------------------------------------------- git's words
def _paths(paths: list[str]) -> list[str]:
    return ["--", *checked_paths(paths)]


def _status(asked: StatusArgs) -> list[str]:
    porcelain = ["--porcelain=v1", *(["-b"] if asked.branch else [])] if asked.porcelain else []
    return ["status", *porcelain, *([] if asked.untracked else ["-uno"])]


def _diff(asked: DiffArgs) -> list[str] | Mutation:
    if asked.cached and (asked.from_ref is not None or asked.to_ref is not None):
        raise InvalidArgs("cached cannot be used with from_ref/to_ref")
    if asked.output_dir is not None:
        if asked.from_ref is None or asked.to_ref is None:
            raise InvalidArgs("output_dir requires both from_ref and to_ref")
        if asked.name_only or asked.stat:
            raise InvalidArgs("output_dir cannot be used with name_only or stat")
        _paths([asked.output_dir])
        return PatchFilesRequest(
            from_ref=checked_ref(asked.from_ref),
            to_ref=checked_ref(asked.to_ref),
            folder=asked.output_dir,
            paths=checked_paths(asked.paths),
            unified=asked.unified,
        )
    argv = ["diff"] + (["--cached"] if asked.cached else [])
    argv += ["--name-only"] if asked.name_only else ["--stat"] if asked.stat else []
    argv += [] if asked.unified is None else [f"-U{asked.unified}"]
    if asked.to_ref is not None:
        argv.append(f"{checked_ref(asked.from_ref or 'HEAD')}..{checked_ref(asked.to_ref)}")
    elif asked.from_ref is not None:
        argv.append(checked_ref(asked.from_ref))
    return argv + _paths(asked.paths)


def _log(asked: LogArgs) -> list[str]:
    argv = ["log"] + ([] if asked.max_count is None else [f"--max-count={asked.max_count}"])
    argv += [f"--format={asked.format}"] if asked.format is not None else ["--oneline"] if asked.oneline else []
    for name in ("author", "since", "until", "grep"):
        value = getattr(asked, name)
        argv += [] if value is None else [f"--{name}={value}"]
    return argv + _paths([] if asked.path is None else [asked.path])


def _show(asked: ShowArgs) -> list[str]:
    argv = ["show"] + (["--name-only"] if asked.name_only else ["--stat"] if asked.stat else [])
    return [*argv, *([] if asked.format is None else [f"--format={asked.format}"]), checked_ref(asked.commit), "--"]


def _blame(asked: BlameArgs) -> list[str]:
    if not asked.path.strip():
        raise InvalidArgs("path must not be empty")
    start, end = asked.start_line, asked.end_line
    if start and end and start > end:
        raise InvalidArgs("start_line must be <= end_line")
    lines = [f"-L{start or 1},{end or ''}"] if start or end else []
    return ["blame", *lines, *([] if asked.commit is None else [checked_ref(asked.commit)]), *_paths([asked.path])]


def _branch(asked: BranchArgs) -> list[str]:
    if asked.rename is not None:
        if asked.new_name is None:
            raise InvalidArgs("rename requires new_name")
        return ["branch", "-m", checked_ref(asked.rename), checked_ref(asked.new_name)]
    for option, name in (("-D", asked.force_delete), ("-d", asked.delete)):
        if name is not None:
            return ["branch", option, checked_ref(name)]
    if asked.create is not None:
        return ["branch", checked_ref(asked.create)]
    return ["branch", "-v", *(["-a"] if asked.list_all else ["-r"] if asked.list_remote else [])]


def _stash(asked: StashArgs) -> list[str]:
    if asked.action in ("list", "clear"):
        return ["stash", asked.action]
    if asked.action == "push":
        words = ["-u"] if asked.include_untracked else []
        return ["stash", "push", *words, *([] if asked.message is None else ["-m", asked.message])]
    return ["stash", asked.action, f"stash@{{{asked.index or 0}}}"]


# --------------------------------------------------------------------------------------------------------------- calls
def _store(asked: Any, host: ToolContext) -> Store:
    named = asked.working_dir
    try:
        where, _ = host.roots.locate(named, host.cwd)
        if named is not None and ".." in named.split("/"):
            raise SandboxViolation("")
        store = host.roots.store(named, host.cwd, limits=host.limits)
    except SandboxViolation:
        raise SandboxViolation(f"Path outside sandbox: {named}", path=named or "") from None
    except NotARepository:
        raise NotARepository(f"Not a git repository: {os.fsdecode(where)}") from None
    if where not in (store.work_tree, store.git_dir):
        raise NotARepository(f"Not a git repository: {os.fsdecode(where)}")
    return store


def _respond(argv_of: Callable[[Any], list[str] | Mutation], asked: Any, host: ToolContext) -> ToolAnswer:
    if asked.timeout_ms > 600_000:
        raise InvalidArgs("timeout_ms cannot exceed 600000")
    argv = argv_of(asked)
    if isinstance(argv, Mutation):
        if host.write is None:
            raise Unsupported("output_dir is not available: gitglass writes no files")
        return _change(lambda _: argv, asked, host)
    store = _store(asked, host)
    most = getattr(asked, "max_bytes", None) or host.budget.max_bytes
    outcome = run_argv(argv, store, context_of(host, asked.timeout_ms / 1000), enough=most, host=host)
    return _answer(outcome, outcome.stdout, asked, host, most)


def _answer(outcome: Outcome, stdout: bytes, asked: Any, host: ToolContext, most: int) -> ToolAnswer:
    """The answer for a command's outcome, with `stdout` as its output."""
    stop_if_cancelled(outcome)
    text = shown_text(stdout, as_is=host.raw)
    if outcome.timed_out:
        text, _ = truncated(text, most)
        answer = _failed(Timeout(f"git command timed out after {asked.timeout_ms}ms"))
        answer.body, answer.truncated = text, True
        answer.text += f"\n{text}" if text else ""
        assert answer.error is not None
        answer.error["partial"] = bool(text)
        return answer
    if outcome.error is not None:
        words = outcome.stderr.decode("utf-8", "surrogateescape").strip() or f"exit code {outcome.exit_code}"
        words = unavailable(outcome.error) or words
        answer = _failed(type(outcome.error)(words, hint=outcome.error.hint))
        assert answer.error is not None
        if outcome.error.data.get("kind") == "conflict":
            answer.error["code"] = "conflict"
        answer.error["type"] = "ExecutionFailed"  # the arguments were valid: git reported the error
        return answer
    if outcome.stderr:
        text += f"\n\n[stderr]\n{shown_text(outcome.stderr[: host.budget.max_stderr_bytes])}"
    text, cut = truncated(text, most)
    return ToolAnswer(text, body=text, truncated=cut, result={"output": text, "truncated": cut})


def _change(make: Callable[[Any], Mutation], asked: Any, host: ToolContext) -> ToolAnswer:
    """Carry out a change: policy, the host's approval, execution; or the error that changes are not available."""
    if asked.timeout_ms > 600_000:
        raise InvalidArgs("timeout_ms cannot exceed 600000")
    request = make(asked)
    outcome = run_change(request, _store(asked, host), context_of(host, asked.timeout_ms / 1000), host)
    return _answer(outcome, words_of(request, outcome), asked, host, host.budget.max_bytes)


def truncated(text: str, most: int) -> tuple[str, bool]:
    """FR-GIT-OUTPUT-02; if the budget is smaller than the marker, there is no marker."""
    raw = text.encode("utf-8")
    if len(raw) <= most:
        return text, False
    if most < len(MARKER):
        return raw[:most].decode("utf-8", "ignore"), True
    return raw[: most - len(MARKER)].decode("utf-8", "ignore") + MARKER, True


#: our error codes → document 3's errors
_TYPES = {
    "invalid_args": "BadArgs", "sandbox_violation": "SandboxViolation", "timeout": "Timeout", "cancelled": "Cancelled",
    "approval_required": "ApprovalRequired",
}  # fmt: skip


def _failed(error: GitError) -> ToolAnswer:
    answer = error_answer(error)
    assert answer.error is not None
    answer.error["type"] = _TYPES.get(str(answer.error["code"]), "ExecutionFailed")
    answer.text = str(answer.error["message"])
    return answer


class ForgeTool(ArgvTool):
    """A tool of document 3; its schema is the document's, with defaults, and closed."""

    __slots__ = ()

    def checked(self, arguments: dict[str, Any]) -> Any:
        """The parameters; errors have the words of document 3's Appendix B."""
        try:
            return super().checked(arguments)
        except InvalidArgs as error:
            name, _, why = error.message.partition(": ")
            words = f"{name} is required" if why == "Field required" else f"Invalid arguments: {error.message}"
            raise InvalidArgs(words, hint=error.hint) from None

    def input_schema(self, dialect: str = "mcp") -> dict[str, Any]:
        """The schema; in MCP's dialect it is document 3's, word for word."""
        if dialect != "mcp":
            return super().input_schema(dialect)
        made = self.parameters.model_json_schema()
        properties = {}
        for name, part in made["properties"].items():
            plain = {key: value for key, value in part.items() if key not in ("title", "anyOf")}
            for choice in part.get("anyOf", ()):
                plain |= choice if choice.get("type") != "null" else {}
            if plain.get("default", "") is None or plain.get("default") == []:
                del plain["default"]
            properties[name] = plain
        schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        if made.get("required"):
            schema["required"] = made["required"]
        return schema


_WRITES = Hints(read_only=False, destructive=True, idempotent=False)
_TOOLS: list[tuple[str, str, type[BaseModel], Callable[[Any], list[str] | Mutation], Hints]] = [
    ("git_status", "Show working tree status: staged, modified, and untracked files.", StatusArgs, _status, Hints()),
    ("git_diff", "Show changes: unstaged, staged, or between two refs.", DiffArgs, _diff, Hints()),
    ("git_log", "Show commit history.", LogArgs, _log, Hints()),
    ("git_show", "Show a commit and what it changed.", ShowArgs, _show, Hints()),
    ("git_blame", "Show who last changed each line of a file.", BlameArgs, _blame, Hints()),
    ("git_branch", "List, create, rename, or delete branches.", BranchArgs, _branch, _WRITES),
    ("git_stash", "List, show, push, pop, apply, drop or clear stashes.", StashArgs, _stash, _WRITES),
]


def tools(config: GitToolConfig | None = None, *, mutating: bool = False, patches: bool = False) -> list[Tool]:
    """The reading tools of document 3, and the two that read and write; none if the configuration disables them.

    `mutating` lists all eleven: their requests are checked and assessed, and carried out if the host's access can
    write. `patches`: the host's grant names directories, so that git_diff can write too, which its hints then say.
    """
    defaults = config or GitToolConfig()

    def made(argv_of: Callable[[Any], list[str] | Mutation]) -> Callable[[Any, ToolContext], ToolAnswer]:
        return lambda asked, host: _respond(argv_of, _with_defaults(asked, defaults), host)

    def changing(make: Callable[[Any], Mutation]) -> Callable[[Any, ToolContext], ToolAnswer]:
        return lambda asked, host: _change(make, _with_defaults(asked, defaults), host)

    if not defaults.enabled:
        return []
    listed: list[Tool] = [
        ForgeTool(
            name, words, model, made(argv_of), failed=_failed, hints=_WRITES if patches and argv_of is _diff else hints
        )
        for name, words, model, argv_of, hints in _TOOLS
    ]
    for name, words, model, make in WRITING if mutating else ():
        listed.append(ForgeTool(name, words, model, changing(make), failed=_failed, hints=_WRITES))
    return listed


def _with_defaults(asked: Any, config: GitToolConfig) -> Any:
    """The parameters, with the configuration's values for missing ones."""
    names = [name for name in ("timeout_ms", "max_bytes") if name in type(asked).model_fields]
    missing = {name: getattr(config, name) for name in names if name not in asked.model_fields_set}
    return asked.model_copy(update=missing) if missing else asked


def register_git_tools(registry: Registry, config: GitToolConfig | None = None, *, mutating: bool = False) -> None:
    """Add document 3's tools to a registry (FR-GIT-MOD-02)."""
    register(registry, tools(config, mutating=mutating))
