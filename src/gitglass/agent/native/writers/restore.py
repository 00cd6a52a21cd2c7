"""git_restore: restores files from the index or a commit, or unstages them. Mirrors git-restore(1)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ....repo.store import Store
from ....request.mutations import RestoreRequest
from ..params import Paths, Rev
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]


class RestoreParams(ChangeParams):
    """Arguments of git_restore."""

    paths: Paths
    scope: Literal["unstaged", "staged", "all"] = Field(
        "unstaged", description="unstaged: drop changes of files; staged: unstage; all: both."
    )
    rev: Rev | None = Field(None, description="Take them from here; default index, staged: HEAD.")
    side: Literal["ours", "theirs"] | None = Field(None, description="Of a conflict.")


def _request(asked: RestoreParams, _: Store) -> RestoreRequest:
    return RestoreRequest(
        paths=asked.paths,
        staged=asked.scope != "unstaged",
        worktree=asked.scope != "staged",
        source=asked.rev,
        switches=[f"--{asked.side}"] if asked.side else [],
    )


TOOL = ChangeTool(
    "git_restore",
    "Discard changes of files, or unstage them.",
    RestoreParams,
    _request,
    title="Restore",
    destructive=True,
    idempotent=True,
    other_names={"rev": ("source", "from", "from_ref")},
)
