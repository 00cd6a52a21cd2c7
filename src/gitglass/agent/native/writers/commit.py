"""git_commit: commits the staged changes. Mirrors git-commit(1); the host decides who the committer is."""

from __future__ import annotations

from pydantic import Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.mutations import CommitRequest
from ..params import Paths
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]


class CommitParams(ChangeParams):
    """Arguments of git_commit."""

    message: str | None = Field(None, description="Needed unless amend.")
    paths: Paths | None = Field(None, description="Only these files, as they are now.")
    all: bool = Field(False, description="Stage changed tracked files first.")
    amend: bool = Field(False, description="Replace the last commit.")
    trailers: list[str] | None = Field(None, description="Token: value.")
    allow_empty: bool = False


def _request(asked: CommitParams, _: Store) -> CommitRequest:
    if asked.message is None and not asked.amend:
        raise InvalidArgs("message: needed unless amend")
    if asked.message is not None and not asked.message.strip():
        raise InvalidArgs("message: it is empty")
    if asked.paths and asked.all:
        raise InvalidArgs("paths, all: give one of them")
    return CommitRequest(
        message=[] if asked.message is None else [asked.message],
        paths=asked.paths or [],
        all=asked.all,
        amend=asked.amend,
        trailers=asked.trailers or [],
        switches=["--allow-empty"] if asked.allow_empty else [],
    )


TOOL = ChangeTool(
    "git_commit",
    "Commit what is staged.",
    CommitParams,
    _request,
    title="Commit",
    other_names={"message": ("msg", "m", "commit_message"), "all": ("a", "stage_all"), "trailers": ("trailer",)},
)
