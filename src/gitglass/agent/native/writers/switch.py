"""git_switch: switches to another branch, a new one, or a commit without a branch. Mirrors git-switch(1)."""

from __future__ import annotations

from pydantic import Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.mutations import SwitchRequest
from ..params import Rev
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]


class SwitchParams(ChangeParams):
    """Arguments of git_switch."""

    branch: Rev | None = None
    create: bool = Field(False, description="Make the branch.")
    rev: Rev | None = Field(None, description="With create: its start. Alone: detach HEAD there.")


def _request(asked: SwitchParams, _: Store) -> SwitchRequest:
    if asked.create:
        if asked.branch is None:
            raise InvalidArgs("branch: create needs it")
        return SwitchRequest(create_branch=asked.branch, commit=asked.rev)
    if (asked.branch is None) == (asked.rev is None):
        raise InvalidArgs("branch, rev: give one of them, or create=true")
    if asked.branch is not None:
        return SwitchRequest(branch=asked.branch)
    return SwitchRequest(commit=asked.rev, detach=True)


TOOL = ChangeTool(
    "git_switch",
    "Switch to a branch or commit; changes that would be lost are refused.",
    SwitchParams,
    _request,
    title="Switch",
    other_names={
        "branch": ("name", "branch_name", "new_branch", "target"),
        "create": ("new", "b", "c", "make"),
        "rev": ("start", "base", "base_branch", "from", "from_ref"),
    },
)
