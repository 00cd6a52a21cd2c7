"""git_stage: stages files for the next commit. Mirrors git-add(1)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.mutations import AddRequest
from ..params import Paths
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]


class StageParams(ChangeParams):
    """Arguments of git_stage."""

    paths: Paths | None = None
    all: bool = Field(False, description="Whatever changed, new files too.")
    update: bool = Field(False, description="Tracked files only.")
    ignored: bool = Field(False, description="Ignored files too.")
    chmod: Literal["+x", "-x"] | None = None


def _request(asked: StageParams, _: Store) -> AddRequest:
    if not asked.paths and not asked.all and not asked.update:
        raise InvalidArgs("paths: name the files to stage")
    if asked.all and asked.update:
        raise InvalidArgs("all, update: give one of them")
    switches = ["--force"] if asked.ignored else []
    return AddRequest(paths=asked.paths or [], all=asked.all, update=asked.update, chmod=asked.chmod, switches=switches)


TOOL = ChangeTool(
    "git_stage",
    "Stage files for the next commit.",
    StageParams,
    _request,
    title="Stage",
    idempotent=True,
    other_names={"ignored": ("force", "include_ignored"), "update": ("tracked", "tracked_only")},
)
