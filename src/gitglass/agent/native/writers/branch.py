"""git_branch: creates, deletes, renames and copies branches, and sets their upstream. Mirrors git-branch(1)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.ref_mutations import BranchChange
from ..params import Rev
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]


class BranchParams(ChangeParams):
    """Arguments of git_branch."""

    action: Literal["create", "delete", "rename", "copy", "set_upstream", "unset_upstream"]
    name: Rev
    new_name: Rev | None = Field(None, description="rename, copy.")
    rev: Rev | None = Field(None, description="Where it starts; default HEAD.")
    upstream: Rev | None = None
    force: bool = Field(False, description="Though it exists, or is not merged.")


#: action → the parameters that only this action has
_OWN = {"create": ("rev",), "rename": ("new_name",), "copy": ("new_name",), "set_upstream": ("upstream",)}
_NEEDED = ("rename", "copy", "set_upstream")


def _request(asked: BranchParams, _: Store) -> BranchChange:
    own = _OWN.get(asked.action, ())
    for name in ("new_name", "rev", "upstream"):
        given = getattr(asked, name) is not None
        if given and name not in own:
            raise InvalidArgs(f"{name}: action {asked.action} does not take it")
        if not given and name in own and asked.action in _NEEDED:
            raise InvalidArgs(f"{name}: action {asked.action} needs it")
    if asked.action in ("set_upstream", "unset_upstream"):
        return BranchChange(
            action="upstream",
            names=[asked.name],
            upstream=asked.upstream,
            unset_upstream=asked.action == "unset_upstream",
        )
    names = [asked.name] if asked.new_name is None else [asked.name, asked.new_name]
    return BranchChange(action=asked.action, names=names, start=asked.rev, force=asked.force)


TOOL = ChangeTool(
    "git_branch",
    "Create, delete, rename, copy a branch; set its upstream. git_refs lists.",
    BranchParams,
    _request,
    title="Branch",
    destructive=True,
    other_names={
        "name": ("branch", "branch_name", "old_name"),
        "new_name": ("to", "new_branch", "new_branch_name", "destination"),
        "upstream": ("track", "set_upstream_to"),
        "rev": ("start", "base_branch", "from", "from_ref", "base"),
    },
)
