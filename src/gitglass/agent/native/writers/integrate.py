"""git_integrate: merges, picks, reverts and rebases commits, and continues such operations. Mirrors git-merge(1),
git-cherry-pick(1), git-revert(1) and git-rebase(1).

`continue`, `skip` and `abort` apply to the interrupted operation: a rebase, a merge, a series of picks or reverts.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.mutations import Mutation
from ....request.pick_mutations import CherryPickRequest, RevertRequest
from ....request.ref_mutations import MergeRequest, RebaseRequest
from ..params import Rev
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]


def _one(value: object) -> object:
    return [value] if isinstance(value, str) else value


class IntegrateParams(ChangeParams):
    """Arguments of git_integrate."""

    action: Literal["merge", "cherry_pick", "revert", "rebase", "continue", "skip", "abort"]
    revs: Annotated[list[Rev], BeforeValidator(_one)] | None = Field(None, description="rebase: upstream.")
    onto: Rev | None = None
    message: str | None = None
    no_ff: bool = False
    mainline: int | None = Field(None, description="Parent of a merge.")
    favor: Literal["ours", "theirs"] | None = None
    autostash: bool = False


#: parameter → the actions that take it
_TAKEN: dict[str, tuple[str, ...]] = {
    "revs": ("merge", "cherry_pick", "revert", "rebase"), "onto": ("rebase",), "message": ("merge",),
    "no_ff": ("merge",), "mainline": ("cherry_pick", "revert"), "autostash": ("merge", "rebase"),
    "favor": ("merge", "cherry_pick", "revert", "rebase"),
}  # fmt: skip


def _request(asked: IntegrateParams, store: Store) -> Mutation:
    for name, actions in _TAKEN.items():
        if getattr(asked, name) and asked.action not in actions:
            raise InvalidArgs(f"{name}: action {asked.action} does not take it")
    if asked.action in ("continue", "skip", "abort"):
        return _going_on(f"--{asked.action}", store)
    if not asked.revs:
        raise InvalidArgs(f"revs: action {asked.action} needs it")
    options = [asked.favor] if asked.favor else []
    stash = ["--autostash"] * asked.autostash
    if asked.action == "merge":
        switches = ["--no-ff"] * asked.no_ff + stash
        message = [asked.message] if asked.message else []
        return MergeRequest(commits=asked.revs, message=message, options=options, switches=switches)
    if asked.action == "rebase":
        if len(asked.revs) > 1:
            raise InvalidArgs("revs: rebase takes one, the upstream; switch to the branch first")
        return RebaseRequest(commits=asked.revs, onto=asked.onto, options=options, switches=stash)
    kind = CherryPickRequest if asked.action == "cherry_pick" else RevertRequest
    return kind(commits=asked.revs, mainline=asked.mainline, options=options)


def _going_on(switch: str, store: Store) -> Mutation:
    """The request that continues the interrupted operation. Raises InvalidArgs if there is none."""
    names = (b"rebase-merge", b"rebase-apply", b"MERGE_HEAD", b"CHERRY_PICK_HEAD", b"REVERT_HEAD")
    there = {name: store.jail.lstat(store.git_path(name)) is not None for name in names}
    if there[b"rebase-merge"] or there[b"rebase-apply"]:
        return RebaseRequest(switches=[switch])
    if there[b"MERGE_HEAD"]:
        if switch == "--skip":
            raise InvalidArgs("action: a merge is continued or aborted, not skipped")
        return MergeRequest(switches=[switch])
    todo = bytes(store.jail.read_optional(store.git_path(b"sequencer/todo")) or b"")
    if there[b"REVERT_HEAD"] or todo.startswith(b"revert"):
        return RevertRequest(switches=[switch])
    if there[b"CHERRY_PICK_HEAD"] or todo:
        return CherryPickRequest(switches=[switch])
    raise InvalidArgs("action: no merge, cherry-pick, revert or rebase is interrupted", hint="git_status says so.")


TOOL = ChangeTool(
    "git_integrate",
    "Bring commits in or take them back. After a conflict: edit, git_stage, continue; or abort.",
    IntegrateParams,
    _request,
    title="Integrate",
    destructive=True,
    other_names={
        "revs": ("commits", "commit", "rev", "branch", "branches", "source", "upstream", "ref"),
        "onto": ("new_base", "newbase"),
        "message": ("msg", "m"),
        "favor": ("strategy_option", "prefer"),
        "no_ff": ("merge_commit",),
    },
)
