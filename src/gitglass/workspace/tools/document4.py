"""The profile `workspace`: document 4's eight tools with its names, parameters and result shapes.

Every answer's text is the result as JSON, except for status and diff, which have the document's texts; the typed result
always has the shape. A result for which the document has no word (a rejected push) is a conflict of reason "other".
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from ...agent.tool import Call, Hints, Tool, Uncut
from ..desk import Desk
from ..incoming import merge_contents
from ..model import StagedCommit
from ..views import diff_text, status_text
from ..workspace import Workspace
from .tool import WsTool, lines, whole

Json = dict[str, Any]
_CHANGES = {"new": "new", "modified": "modified", "deleted": "deleted"}
_OPERATIONS = {"mode": "update"}


class _Params(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TargetObject(_Params):
    """GitTarget."""

    type: Literal["local", "local-bare", "github", "remote"]
    path: str | None = None
    repo: str | None = None
    url: str | None = None
    branch: str | None = None


def target_of(word: TargetObject | None) -> dict[str, str] | None:
    """A target in the form that a desk takes."""
    return None if word is None else word.model_dump(exclude_none=True)


class StatusParams(_Params):
    """Arguments of git_status: none."""


class StageParams(_Params):
    """Arguments of git_stage."""

    files: list[str]
    message: str


class DiffParams(_Params):
    """Arguments of git_diff."""

    commitId: str | None = None


class PushParams(_Params):
    """Arguments of git_push."""

    commitId: str
    target: TargetObject | None = None


class DiscardParams(_Params):
    """Arguments of git_discard."""

    commitId: str


class PullParams(_Params):
    """Arguments of git_pull."""

    source: TargetObject | None = None
    paths: list[str] = []
    destZone: str | None = None


class MergeParams(_Params):
    """Arguments of git_merge."""

    path: str
    base: str | None = None
    ours: str
    theirs: str


class BranchesParams(_Params):
    """Arguments of git_branches."""

    target: TargetObject | None = None


def staged_commit(one: StagedCommit) -> Json:
    """Document 4's StagedCommit."""
    created = datetime.fromtimestamp(one.created_at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    files = [
        {"sandboxPath": file.sandbox_path, "operation": _OPERATIONS.get(file.operation, file.operation),
         "contentHash": file.blob, "size": file.size}
        for file in one.files
    ]  # fmt: skip
    return {"id": one.id, "message": one.message.rstrip("\n"), "files": files, "createdAt": created}


def _json(value: Json) -> Uncut:
    return whole(json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n", value)


def _status(desk: Desk, workspace: Workspace, asked: StatusParams, call: Call) -> Uncut:
    unstaged = [
        {"path": workspace.mount.name_of(row.path.encode("utf-8", "surrogateescape")), "status": _CHANGES[row.change]}
        for row in workspace.files(changed_only=True)
    ]
    return whole(
        status_text(workspace), {"staged": [staged_commit(one) for one in workspace.staged], "unstaged": unstaged}
    )


def _stage(desk: Desk, workspace: Workspace, asked: StageParams, call: Call) -> Uncut:
    made = workspace.stage(asked.files, asked.message)
    desk.saved(workspace)
    return _json(staged_commit(made))


def _diff(desk: Desk, workspace: Workspace, asked: DiffParams, call: Call) -> Uncut:
    return lines(call, diff_text(workspace, asked.commitId))


def _push(desk: Desk, workspace: Workspace, asked: PushParams, call: Call) -> Uncut:
    done = desk.push(workspace, asked.commitId, target_of(asked.target), approved=call.host.approved)
    result = done.result
    assert result is not None
    if result.status == "success":
        return _json({"status": "success", "commitSha": result.commit})
    conflict: Json = {"reason": "other", "message": "; ".join(result.server) or "the push did not succeed"}
    if result.conflict is not None:
        moved = result.conflict.reason == "non-fast-forward"
        conflict = {"reason": "non-fast-forward" if moved else "other", "message": result.conflict.message}
        if result.conflict.target_head is not None:
            conflict["targetHead"] = result.conflict.target_head
    return _json({"status": "conflict", "conflict": conflict})


def _discard(desk: Desk, workspace: Workspace, asked: DiscardParams, call: Call) -> Uncut:
    workspace.discard(asked.commitId)
    desk.saved(workspace)
    return _json({})


def _pull(desk: Desk, workspace: Workspace, asked: PullParams, call: Call) -> Uncut:
    dest = asked.destZone or ""
    dest = "" if dest == workspace.mount.sandbox.strip("/") else dest  # the default zone is the workspace itself
    result = desk.pull(workspace, target_of(asked.source), asked.paths, dest, "merge")
    return _json({"pulled": list(result.pulled), "conflicts": list(result.conflicts)})


def _merge(desk: Desk, workspace: Workspace, asked: MergeParams, call: Call) -> Uncut:
    base = None if asked.base is None else asked.base.encode("utf-8", "surrogateescape")
    ours, theirs = asked.ours.encode("utf-8", "surrogateescape"), asked.theirs.encode("utf-8", "surrogateescape")
    merged = merge_contents(base, ours, theirs, ctx=call.ctx)
    return _json({"status": merged.status, "content": merged.content.decode("utf-8", "replace")})


def _branches(desk: Desk, workspace: Workspace, asked: BranchesParams, call: Call) -> Uncut:
    branches = desk.targets.of(target_of(asked.target)).target.branches()
    value: Json = {"branches": list(branches.names)}
    return _json(value | ({"current": branches.current} if branches.current is not None else {}))


_READS = Hints()
_WRITES = Hints(read_only=False, idempotent=False)
_LEAVES = Hints(read_only=False, destructive=True, idempotent=True, open_world=True)


def tools() -> list[Tool]:
    """Document 4's tools, in its order."""
    return [
        WsTool("git_status", "Show status of sandbox and staged commits", StatusParams, _status, hints=_READS),
        WsTool("git_stage", "Stage changes for commit", StageParams, _stage, hints=_WRITES),
        WsTool("git_diff", "View staged changes", DiffParams, _diff, hints=_READS),
        WsTool("git_push", "Push staged commit to git target", PushParams, _push, hints=_LEAVES),
        WsTool("git_discard", "Discard staged commit", DiscardParams, _discard, hints=_WRITES),
        WsTool("git_pull", "Pull from git into sandbox", PullParams, _pull, hints=_WRITES),
        WsTool(
            "git_merge",
            "Three-way merge (for conflict resolution)",
            MergeParams,
            _merge,
            hints=_READS,
            whole_files=True,
        ),
        WsTool("git_branches", "List branches of a target", BranchesParams, _branches, hints=_READS),
    ]  # fmt: skip
