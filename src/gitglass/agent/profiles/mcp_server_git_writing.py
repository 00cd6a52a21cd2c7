"""The five tools of `mcp-server-git` that change a repository: where the host can write, without git and GitPython.

Names, descriptions, schemas, checks and sentences are that server's. What differs is safer: an index is committed as
`git commit` does it (the message is cleaned, active hooks are refused, somebody has to be named as the author), and
nothing is done that policy or the host does not allow.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ...errors import GitError
from ...limits import Context
from ...repo.store import Store
from ...request.mutations import AddRequest, CheckoutRequest, CommitRequest, Mutation, ResetRequest
from ...request.ref_mutations import BranchChange
from ...revs.names import HEADS
from ..tool import Hints, ToolContext
from ..writing import Written
from .base import run_argv, written_outcome
from .gitpython import Refused, command_failed, find_object

__all__ = ["WRITERS", "Writer"]

_NOTHING_STAGED = (
    "No changes staged for commit. Use git_add to stage changes first; git_status shows what is currently staged."
)
_NOTHING_NEW = (
    "No changes were staged: the given paths had nothing new to stage. git_status shows what is modified or untracked."
)
_NO_FILES = "No files provided to stage. Pass one or more paths, or ['.'] to stage everything."
_DETACHED = "HEAD is detached, so there is no current branch to branch from; pass base_branch"


class _Args(BaseModel):
    model_config = ConfigDict(frozen=True)
    repo_path: str


class CommitArgs(_Args):
    """Arguments of git_commit."""

    model_config = ConfigDict(title="commitArguments")
    message: str


class AddArgs(_Args):
    """Arguments of git_add."""

    model_config = ConfigDict(title="addArguments")
    files: Annotated[list[str], Field(min_length=1)]


class ResetArgs(_Args):
    """Arguments of git_reset."""

    model_config = ConfigDict(title="resetArguments")


class CreateBranchArgs(_Args):
    """Arguments of git_create_branch."""

    model_config = ConfigDict(title="create_branchArguments")
    branch_name: str
    base_branch: str | None = None


class CheckoutArgs(_Args):
    """Arguments of git_checkout."""

    model_config = ConfigDict(title="checkoutArguments")
    branch_name: str


def _carried_out(request: Mutation, words: list[str], store: Store, ctx: Context, host: ToolContext) -> Written:
    """The change. Raises Refused with the words of a git that failed, and policy's word."""
    with ctx:
        try:
            outcome = written_outcome(request, store, ctx, host)
        except GitError as error:
            if error.code in ("permission_denied", "unsupported", "approval_required", "approval_denied"):
                raise
            printed, errors = error.streams()
            raise command_failed(words, error.status, _text(printed), _text(errors)) from None
    assert outcome.written is not None
    return outcome.written


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _commit(asked: CommitArgs, store: Store, ctx: Context, host: ToolContext) -> str:
    if not _has_staged_changes(store, ctx):
        raise Refused(_NOTHING_STAGED)
    request = CommitRequest(message=[asked.message], switches=["--allow-empty-message"])
    done = _carried_out(request, ["commit", "-m", asked.message], store, ctx, host)
    return f"Changes committed successfully with hash {done.commits[-1]}"


def _has_staged_changes(store: Store, ctx: Context) -> bool:
    """Whether there is something to commit: a merge, an index without history, an index that differs from HEAD."""
    if store.refs.resolve(b"MERGE_HEAD")[1] is not None:
        return True
    if store.refs.head()[1] is None:
        return len(store.index) > 0
    return run_argv(["diff-index", "--cached", "--quiet", "HEAD"], store, ctx).exit_code == 1


def _add(asked: AddArgs, store: Store, ctx: Context, host: ToolContext) -> str:
    if not asked.files:
        raise Refused(_NO_FILES)
    if asked.files != ["."]:
        _check_files(asked.files, store)
    done = _carried_out(AddRequest(paths=list(asked.files)), ["add", "--", *asked.files], store, ctx, host)
    return "Files staged successfully" if done.index else _NOTHING_NEW


def _check_files(files: list[str], store: Store) -> None:
    """Raise Refused for a path that leads out of the work tree."""
    top = os.path.realpath(os.fsdecode(store.work_tree or store.git_dir))
    for name in files:
        try:
            real = os.path.realpath(os.path.join(top, name))
        except (OSError, ValueError):
            raise Refused(f"Invalid path: '{name}'") from None
        if real != top and not real.startswith(top.rstrip("/") + "/"):
            raise Refused(f"Path '{name}' is outside the repository '{top}'")


def _reset(asked: ResetArgs, store: Store, ctx: Context, host: ToolContext) -> str:
    _carried_out(ResetRequest(), ["reset"], store, ctx, host)
    return "All staged changes reset"


def _create_branch(asked: CreateBranchArgs, store: Store, ctx: Context, host: ToolContext) -> str:
    name, base = asked.branch_name, asked.base_branch
    _no_option("branch name", name)
    _no_option("base branch", base)
    branch, _ = store.refs.head()
    if base:
        start = _reference(store, base)
    elif branch is None:
        raise Refused(_DETACHED)
    else:
        start = base = _text(branch.removeprefix(HEADS))
    if store.refs.exists(HEADS + os.fsencode(name)):
        raise Refused(f"Cannot create branch '{name}': refs/heads/{name} already exists")
    _carried_out(BranchChange(names=[name], start=start), ["branch", name, start], store, ctx, host)
    return f"Created branch '{name}' from '{base}'"


def _reference(store: Store, name: str) -> str:
    """The full name of a reference that goes by this name. Raises Refused in the words of a list's missing item."""
    for prefix in ("refs/heads/", "refs/tags/", "refs/remotes/", "refs/"):
        full = prefix + name
        if store.refs.exists(os.fsencode(full)):
            return full
    raise Refused(f"No item found with id {name!r}")


def _checkout(asked: CheckoutArgs, store: Store, ctx: Context, host: ToolContext) -> str:
    name = asked.branch_name
    _no_option("branch name", name)
    find_object(store, name, ctx)
    local = store.refs.exists(HEADS + os.fsencode(name))
    request = CheckoutRequest(branch=name) if local else CheckoutRequest(commit=name)
    done = _carried_out(request, ["checkout", name], store, ctx, host)
    branch, head = store.refs.head()
    at = _text(branch) if branch is not None else (head or b"").hex()
    at = next((after for ref, _, after in done.refs if ref == "HEAD"), at)
    if at.startswith("refs/"):
        return f"Switched to branch '{at.removeprefix('refs/heads/')}'"
    return f"HEAD is now detached at {at[:7]}"


def _no_option(what: str, value: str | None) -> None:
    if value and value.startswith("-"):
        raise Refused(f"Invalid {what}: '{value}' - cannot start with '-'")


Writer = Callable[[Any, Store, Context, ToolContext], str]


def _hints(*, destructive: bool, idempotent: bool) -> Hints:
    return Hints(read_only=False, destructive=destructive, idempotent=idempotent)


#: name → description, parameters, what carries it out, hints
WRITERS: dict[str, tuple[str, type[BaseModel], Writer, Hints]] = {
    "git_commit": ("Records changes to the repository", CommitArgs, _commit,
                   _hints(destructive=False, idempotent=False)),
    "git_add": ("Adds file contents to the staging area", AddArgs, _add, _hints(destructive=False, idempotent=True)),
    "git_reset": ("Unstages all staged changes", ResetArgs, _reset, _hints(destructive=True, idempotent=True)),
    "git_create_branch": ("Creates a new branch from an optional base branch", CreateBranchArgs, _create_branch,
                          _hints(destructive=False, idempotent=False)),
    "git_checkout": ("Switches branches", CheckoutArgs, _checkout, _hints(destructive=False, idempotent=False)),
}  # fmt: skip
