"""git_stash: puts uncommitted changes aside, and brings them back. Mirrors git-stash(1)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.mutations import StashRequest
from ..params import Paths, Rev
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]

_NUMBER = re.compile(r"(?:(?:refs/)?stash@\{)?([0-9]{1,6})\}?", re.ASCII)
_ID = re.compile(r"[0-9a-f]{7,64}", re.ASCII)


def _entry(value: str) -> str:
    if not (_NUMBER.fullmatch(value) or _ID.fullmatch(value)):
        raise ValueError(f"'{value[:80]}' is neither stash@{{N}} nor an id of 7 or more digits")
    return value


class StashParams(ChangeParams):
    """Arguments of git_stash."""

    action: Literal["push", "pop", "apply", "drop", "clear", "branch"] = "push"
    entry: Annotated[str, AfterValidator(_entry)] | None = Field(
        None, description="stash@{N} or its commit id (safer); default newest."
    )
    message: str | None = None
    untracked: bool = Field(False, description="Untracked files too.")
    keep_index: bool = Field(False, description="Leave what is staged.")
    restore_index: bool = Field(False, description="Stage again what was.")
    paths: Paths | None = Field(None, description="Only these.")
    name: Rev | None = Field(None, description="Branch to make.")


#: parameter → the actions that take it
_TAKEN: dict[str, tuple[str, ...]] = {
    "entry": ("pop", "apply", "drop", "branch"), "message": ("push",), "untracked": ("push",),
    "keep_index": ("push",), "restore_index": ("pop", "apply"), "paths": ("push",), "name": ("branch",),
}  # fmt: skip


def _request(asked: StashParams, _: Store) -> StashRequest:
    for name, actions in _TAKEN.items():
        if getattr(asked, name) and asked.action not in actions:
            raise InvalidArgs(f"{name}: action {asked.action} does not take it")
    if asked.action == "branch" and asked.name is None:
        raise InvalidArgs("name: action branch needs it")
    switches = ["--keep-index"] * asked.keep_index + ["--index"] * asked.restore_index
    return StashRequest(
        action=asked.action,
        message=asked.message,
        include_untracked=asked.untracked,
        paths=asked.paths or ([asked.name] if asked.name else []),
        switches=switches,
        **_named(asked.entry),
    )


def _named(entry: str | None) -> dict[str, Any]:
    """The fields that name an entry; no field for the newest entry."""
    if entry is None:
        return {}
    number = _NUMBER.fullmatch(entry)
    return {"commit": entry} if number is None else {"index": int(number[1])}


TOOL = ChangeTool(
    "git_stash",
    "Put changes aside, bring them back, drop them. git_refs kind=stash lists.",
    StashParams,
    _request,
    title="Stash",
    destructive=True,
    other_names={
        "entry": ("index", "stash", "stash_id", "stash_index", "ref", "id", "commit", "n", "rev"),
        "message": ("msg", "m", "stash_message"),
        "name": ("branch", "branch_name", "new_branch"),
        "restore_index": ("reinstate_index", "with_index"),
    },
)
