"""The five tools of `mcp-server-git` that make changes, with that server's messages.

Differences are improvements or for safety: an active hook is reported as an error and not run, a repository without an
identity and an empty message are errors, `git_checkout` never takes a name for a file. A message is recorded unchanged,
as that server does.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ...errors import GitError
from ...limits import Context
from ...repo.store import Store
from ...request.mutations import CommitRequest
from ...revs.names import HEADS, current_branch
from ..tool import Hints, ToolContext
from .gitpython import Refused, find_object, no_option, run_git

__all__ = ["WRITERS", "Pieces", "RepositoryArgs", "Writer"]

#: the parts of an answer's text
Pieces = Iterable[str]

#: a function of parameters, repository, context and host that returns the parts of an answer
Writer = Callable[[Any, Store, Context, ToolContext], Pieces]

_NOT_STAGED = (
    "No changes staged for commit. Use git_add to stage changes first; git_status shows what is currently staged."
)
_NOTHING_NEW = (
    "No changes were staged: the given paths had nothing new to stage. git_status shows what is modified or untracked."
)
#: git's message about changes that a merge had stashed, and that server's sentence for it
_AUTOSTASH = {
    b"Applied autostash.": "Applied autostash.",
    b"Applying autostash resulted in conflicts.": "Applying autostash resulted in conflicts. Your changes are safe in "
    'the stash; run "git stash pop" or "git stash drop" at any time.',
}


class RepositoryArgs(BaseModel):
    """The parameters that every tool of that server has."""

    model_config = ConfigDict(frozen=True)
    repo_path: str


class CommitArgs(RepositoryArgs):
    """Arguments of git_commit."""

    model_config = ConfigDict(title="commitArguments")
    message: str


class AddArgs(RepositoryArgs):
    """Arguments of git_add."""

    model_config = ConfigDict(title="addArguments")
    files: Annotated[list[str], Field(min_length=1)]


class ResetArgs(RepositoryArgs):
    """Arguments of git_reset."""

    model_config = ConfigDict(title="resetArguments")


class CreateBranchArgs(RepositoryArgs):
    """Arguments of git_create_branch."""

    model_config = ConfigDict(title="create_branchArguments")
    branch_name: str
    base_branch: str | None = None


class CheckoutArgs(RepositoryArgs):
    """Arguments of git_checkout."""

    model_config = ConfigDict(title="checkoutArguments")
    branch_name: str


def _commit(asked: CommitArgs, store: Store, ctx: Context, host: ToolContext) -> Pieces:
    try:
        change = CommitRequest(message=[asked.message], exact=True)
        outcome = run_git(["commit", "-m", asked.message], store, ctx, host, change)
    except Refused as error:
        if isinstance(error.__cause__, GitError) and error.__cause__.data.get("kind") == "nothing_to_commit":
            raise Refused(_NOT_STAGED) from None
        raise
    if outcome.written is None:
        return []
    lines = (outcome.stdout + outcome.stderr).splitlines()
    notes = [f"\n{note}" for words, note in _AUTOSTASH.items() if words in lines]
    return [f"Changes committed successfully with hash {outcome.written.commits[-1]}", *notes]


def _add(asked: AddArgs, store: Store, ctx: Context, host: ToolContext) -> Pieces:
    if asked.files != ["."]:
        for path in asked.files:
            _check_within(store, path)
    written = run_git(["add", "--", *asked.files], store, ctx, host).written
    return ["Files staged successfully" if written and written.index else _NOTHING_NEW]


def _check_within(store: Store, path: str) -> None:
    """Raise Refused for a path that leads out of the work tree, as written or by a link, or into `.git`."""
    top = os.path.realpath(os.fsdecode(store.work_tree or store.git_dir))
    if "\0" in path:
        raise Refused("embedded null byte")
    real = os.path.realpath(os.path.join(top, path))
    try:
        os.path.realpath(real, strict=True)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Refused(f"Invalid path: '{path}'") from None
    if real != top and not real.startswith(top.rstrip("/") + "/"):
        raise Refused(f"Path '{path}' is outside the repository '{top}'")
    if ".git" in path.lower().split("/"):  # git itself would stage nothing, without a message
        raise Refused(f"Path '{path}' is within '.git'")


def _reset(asked: ResetArgs, store: Store, ctx: Context, host: ToolContext) -> Pieces:
    run_git(["reset"], store, ctx, host)
    return ["All staged changes reset"]


def _create_branch(asked: CreateBranchArgs, store: Store, ctx: Context, host: ToolContext) -> Pieces:
    no_option("branch name", asked.branch_name)
    no_option("base branch", asked.base_branch)
    base, start = _base(asked.base_branch, store)
    if store.refs.read(HEADS + os.fsencode(asked.branch_name)) is not None:
        name = asked.branch_name
        raise Refused(f"Cannot create branch '{name}': refs/heads/{name} already exists")
    run_git(["branch", asked.branch_name, start], store, ctx, host)
    return [f"Created branch '{asked.branch_name}' from '{base}'"]


def _base(name: str | None, store: Store) -> tuple[str, str]:
    """The name of a new branch's start point, and its object id."""
    if not name:
        short = current_branch(store)
        if short is None:
            raise Refused("HEAD is detached, so there is no current branch to branch from; pass base_branch")
        head = store.refs.head()[1]
        if head is None:
            raise Refused(f"Reference at '{os.fsdecode(HEADS + short)}' does not exist")
        return os.fsdecode(short), head.hex()
    for prefix in (HEADS, b"refs/remotes/", b"refs/tags/"):
        oid = store.refs.read(prefix + os.fsencode(name))
        if oid is not None:
            return name, oid.hex()
    raise Refused(f"No item found with id {name}")


def _checkout(asked: CheckoutArgs, store: Store, ctx: Context, host: ToolContext) -> Pieces:
    no_option("branch name", asked.branch_name)
    find_object(store, asked.branch_name, ctx)
    written = run_git(["checkout", asked.branch_name, "--"], store, ctx, host).written
    moved = {name: after for name, _, after in written.refs} if written else {}
    short, head = current_branch(store), store.refs.head()[1]
    at = moved.get("HEAD", os.fsdecode(HEADS + short) if short is not None else "" if head is None else head.hex())
    branch = os.fsdecode(HEADS)
    if at.startswith(branch):
        return [f"Switched to branch '{at.removeprefix(branch)}'"]
    return [f"HEAD is now detached at {at[:7]}"]


#: name, description, parameters, the function that answers, hints
WRITERS: list[tuple[str, str, type[BaseModel], Writer, Hints]] = [
    ("git_commit", "Records changes to the repository", CommitArgs, _commit,
     Hints(read_only=False, destructive=False, idempotent=False)),
    ("git_add", "Adds file contents to the staging area", AddArgs, _add,
     Hints(read_only=False, destructive=False, idempotent=True)),
    ("git_reset", "Unstages all staged changes", ResetArgs, _reset,
     Hints(read_only=False, destructive=True, idempotent=True)),
    ("git_create_branch", "Creates a new branch from an optional base branch", CreateBranchArgs, _create_branch,
     Hints(read_only=False, destructive=False, idempotent=False)),
    ("git_checkout", "Switches branches", CheckoutArgs, _checkout,
     Hints(read_only=False, destructive=False, idempotent=False)),
]  # fmt: skip
