"""Document 3's tools that only change things: git_restore, git_add, git_commit, git_checkout.

Their schemas, checks, precedence, risks, approval sentences and answers are the document's; their requests become typed
requests that the policy assesses and the host's access carries out. Without an access they end with "not available".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ...errors import GitError, InvalidArgs, SandboxViolation
from ...request.mutations import AddRequest, CheckoutRequest, CommitRequest, Mutation, RestoreRequest
from .base import Outcome

__all__ = [
    "WRITING",
    "AddArgs",
    "CheckoutArgs",
    "CommitArgs",
    "RepositoryArgs",
    "RestoreArgs",
    "checked_paths",
    "checked_ref",
    "unavailable",
    "words_of",
]


class Common(BaseModel):
    """The base class of document 3's parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RepositoryArgs(Common):
    """FR-GIT-COMMON-01."""

    timeout_ms: Annotated[int, Field(ge=100)] = Field(30000, description="Timeout in milliseconds")
    working_dir: str | None = Field(None, description="Working directory for git command")


class RestoreArgs(RepositoryArgs):
    """FR-GIT-REST-01."""

    paths: list[str] = Field(
        description="Files to restore (passed after --)", json_schema_extra={"minItems": 1}
    )  # the document itself sets this limit, FR-GIT-REST-03
    staged: bool = Field(False, description="Restore the index/staging area (--staged)")
    worktree: bool = Field(True, description="Restore the working tree (--worktree)")


class AddArgs(RepositoryArgs):
    """FR-GIT-ADD-01."""

    paths: list[str] = Field(default_factory=list, description="Files to stage")
    all: bool = Field(False, description="Stage all changes (-A)")
    update: bool = Field(False, description="Stage modified/deleted only (-u)")


class CommitArgs(RepositoryArgs):
    """FR-GIT-COMMIT-01."""

    type: str = Field(
        description="Commit type: feat, fix, docs, style, refactor, test, chore, etc.",
        json_schema_extra={"pattern": "^[a-z]+$"},
    )
    scope: str | None = Field(None, description="Scope/area of change", json_schema_extra={"pattern": "^[a-z0-9_-]+$"})
    message: str = Field(description="Commit description", json_schema_extra={"minLength": 1})


class CheckoutArgs(RepositoryArgs):
    """FR-GIT-CHECKOUT-01."""

    branch: str | None = Field(None, description="Branch to switch to")
    create_branch: str | None = Field(None, description="Create and switch to a new branch (-b)")
    commit: str | None = Field(None, description="Checkout a specific commit (detached HEAD)")
    paths: list[str] = Field(default_factory=list, description="Restore these paths from HEAD or specified commit")


def checked_ref(text: str) -> str:
    """A name for a revision or branch. Raises InvalidArgs."""
    if not text or text.startswith("-") or len(text) > 1024 or any(ord(c) < 32 or c == "\x7f" for c in text):
        raise InvalidArgs(f"'{text}' is not a ref")
    return text


def checked_paths(paths: list[str]) -> list[str]:
    """Paths within the repository (NFR-GIT-SEC-04). Raises InvalidArgs and SandboxViolation."""
    for path in paths:
        if "\0" in path or not path.strip():
            raise InvalidArgs("path must not be empty")
        if path.startswith("/") or ".." in path.split("/"):
            raise SandboxViolation(f"Path outside sandbox: {path}", path=path)
    return paths


def _restore(asked: RestoreArgs) -> Mutation:
    if not asked.paths:
        raise InvalidArgs("paths must contain at least one element")
    if not asked.staged and not asked.worktree:
        raise InvalidArgs("At least one of staged or worktree must be true")
    return RestoreRequest(paths=checked_paths(asked.paths), staged=asked.staged, worktree=asked.worktree)


def _add(asked: AddArgs) -> Mutation:
    if not asked.paths and not asked.all and not asked.update:
        raise InvalidArgs("At least one of paths, all, or update must be specified")
    if asked.all and asked.update:
        raise InvalidArgs("all and update are mutually exclusive")
    paths = checked_paths(asked.paths)
    return AddRequest(paths=[] if asked.all else paths, all=asked.all, update=asked.update)


def _commit(asked: CommitArgs) -> Mutation:
    if not re.fullmatch(r"[a-z]+", asked.type):
        raise InvalidArgs("type must be lowercase letters only (e.g., feat, fix, docs)")
    if asked.scope is not None and not re.fullmatch(r"[a-z0-9_-]+", asked.scope):
        raise InvalidArgs("scope must be lowercase alphanumeric, underscore, or hyphen")
    if not asked.message.strip():
        raise InvalidArgs("message must not be empty")
    return CommitRequest(type=asked.type, scope=asked.scope, message=[asked.message])


def _checkout(asked: CheckoutArgs) -> Mutation:
    """FR-GIT-CHECKOUT-04; with paths of a commit, these are restored and HEAD stays; a branch with paths is an
    error."""
    if asked.paths and (asked.branch is not None or asked.create_branch is not None):
        raise InvalidArgs("paths cannot be used with branch or create_branch")
    if asked.create_branch is not None:
        return CheckoutRequest(create_branch=checked_ref(asked.create_branch))
    if asked.branch is not None:
        return CheckoutRequest(branch=checked_ref(asked.branch))
    commit = None if asked.commit is None else checked_ref(asked.commit)
    if commit is None and not asked.paths:
        raise InvalidArgs("At least one of branch, create_branch, commit, or paths must be specified")
    return CheckoutRequest(commit=commit, paths=checked_paths(asked.paths))


#: name, description, parameters, and the function that makes the request
WRITING: list[tuple[str, str, type[RepositoryArgs], Callable[[Any], Mutation]]] = [
    ("git_restore", "Restore files in the working tree or unstage them.", RestoreArgs, _restore),
    ("git_add", "Stage files.", AddArgs, _add),
    ("git_commit", "Commit what is staged, with a conventional message.", CommitArgs, _commit),
    ("git_checkout", "Switch branches, check out a commit, or restore paths.", CheckoutArgs, _checkout),
]


# ------------------------------------------------------------------------------------------------------------ answers
_NO_IDENTITY = (
    "Git user.name or user.email not configured. Run: git config --global user.name 'Your Name' && "
    "git config --global user.email 'you@example.com'"
)


def words_of(request: Mutation, outcome: Outcome) -> bytes:
    """FR-GIT-OUTPUT-03: git's output, or the document's sentence if git prints nothing."""
    written = outcome.written
    if written is None:
        return outcome.stdout
    if isinstance(request, AddRequest):
        return b"Staged %d file(s)" % len(written.index)
    if isinstance(request, RestoreRequest) or (isinstance(request, CheckoutRequest) and request.paths):
        return b"Restored %d file(s)" % len({*written.files, *written.index})
    return outcome.stdout


def unavailable(error: GitError) -> str:
    """FR-GIT-COMMIT-04 and -05: the document's message for a missing prerequisite of a commit; "" for any other
    error."""
    if error.data.get("kind") == "nothing_to_commit":
        return "nothing to commit"
    return _NO_IDENTITY if error.data.get("kind") == "no_identity" else ""
