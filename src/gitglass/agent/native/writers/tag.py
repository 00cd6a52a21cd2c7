"""git_tag: creates, moves and deletes tags. Mirrors git-tag(1)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.ref_mutations import TagChange
from ..params import Rev
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]


class TagParams(ChangeParams):
    """Arguments of git_tag."""

    name: Rev
    action: Literal["create", "delete"] = "create"
    rev: Rev | None = Field(None, description="Default HEAD.")
    message: str | None = Field(None, description="Makes an annotated tag.")
    force: bool = Field(False, description="Move it.")


def _request(asked: TagParams, _: Store) -> TagChange:
    if asked.action == "delete" and (asked.rev is not None or asked.message is not None or asked.force):
        raise InvalidArgs("action delete takes a name and nothing else")
    return TagChange(
        action=asked.action, names=[asked.name], target=asked.rev, message=asked.message, force=asked.force
    )


TOOL = ChangeTool(
    "git_tag",
    "Create, move or delete a tag. git_refs lists.",
    TagParams,
    _request,
    title="Tag",
    destructive=True,
    other_names={"name": ("tag", "tag_name"), "message": ("msg", "m", "annotation")},
)
