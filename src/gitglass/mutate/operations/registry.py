"""Which planner plans which request; each is imported when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...errors import Unsupported
from ...plans.settings import judge_settings
from ...request.mutations import Mutation, StashRequest
from ..journal import Journal
from ..plan import Plan
from ..view import View

#: request → (module, function)
_PLANNERS = {
    "AddRequest": ("add", "plan_add"),
    "CherryPickRequest": ("pick", "plan_pick"),
    "BranchChange": ("branch", "plan_branch"),
    "CommitRequest": ("commit.plan", "plan_commit"),
    "FetchRequest": (".remote.fetch", "plan_fetch"),
    "LsRemoteRequest": (".remote.ls_remote", "plan_ls_remote"),
    "MergeRequest": ("merge", "plan_merge"),
    "MoveRequest": ("remove", "plan_move"),
    "RemoveRequest": ("remove", "plan_remove"),
    "RebaseRequest": ("rebase.plan", "plan_rebase"),
    "PullRequest": (".remote.pull", "plan_pull"),
    "PushRequest": (".remote.push", "plan_push"),
    "ReceiveRequest": (".remote.receive", "plan_receive"),
    "ResetRequest": ("reset", "plan_reset"),
    "RevertRequest": ("pick", "plan_pick"),
    "RestoreRequest": ("restore", "plan_restore"),
    "PatchFilesRequest": ("patches.plan", "plan_patch_files"),
    "CheckoutRequest": ("switch", "plan_checkout"),
    "SwitchRequest": ("switch", "plan_checkout"),
    "StashRequest": ("stash", "plan_stash"),
    "TagChange": ("tag", "plan_tag"),
    "UpdateRefRequest": ("update_ref", "plan_update_ref"),
    "UndoRequest": ("undo", "plan_undo"),
}

#: requests that are no command of git, which ends at settings that are not valid
_OURS = ("PatchFilesRequest", "ReceiveRequest", "UndoRequest")


def planned_commands() -> set[str]:
    """git's names of what can be planned (`add`, `commit`, …), and `undo` and `patch-files`, which are not git's."""
    kinds: list[type[Mutation]] = [Mutation]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return {kind.git for kind in kinds if kind.__name__ in _PLANNERS}


def plan_request(request: Mutation, view: View, journal: Callable[[], Journal]) -> Plan:
    """The plan of a request. Raises Unsupported for a request that nothing here carries out."""
    planner_of = _PLANNERS.get(type(request).__name__)
    if planner_of is None:
        raise Unsupported(f"not available yet: {request.summary()}", operation=request.git)
    module: Any = import_module(f".{planner_of[0]}", __package__)
    planner = getattr(module, planner_of[1])
    if type(request).__name__ not in _OURS:
        judge_settings(_command_of(request), view.config)
    plan: Plan = planner(request, view, journal) if planner_of[0] == "undo" else planner(request, view)
    return plan


def _command_of(request: Mutation) -> str:
    """The name of the command that reads the settings: `stash push` and its kin for a stash."""
    return f"stash {request.action}" if isinstance(request, StashRequest) else request.git
