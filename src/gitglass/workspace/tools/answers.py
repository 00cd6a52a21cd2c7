"""The answers of the tools about commits, plans and pushes: a text, and the same as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..desk import Pushed
from ..model import StagedCommit, WsFile
from ..push import PushPlan
from ..review.box import box
from ..workspace import Workspace


def file_fields(file: WsFile) -> dict[str, Any]:
    """A file that was written."""
    return {"path": file.path, "mode": file.mode, "oid": file.oid, "size": len(file.data), "notes": list(file.notes)}


def commit_fields(one: StagedCommit) -> dict[str, Any]:
    """A staged commit."""
    files = [
        {"path": file.path, "operation": file.operation, "blob": file.blob, "sha256": file.sha256, "size": file.size,
         "mode": file.new_mode or file.old_mode, "binary": file.binary, "lfs": file.lfs}
        for file in one.files
    ]  # fmt: skip
    return {
        "id": one.id, "change_id": one.change_id, "commit": one.commit, "tree": one.tree, "parent": one.parent,
        "message": one.message, "author": one.author, "committer": one.committer, "state": one.state,
        "created_at": one.created_at, "files": files,
    }  # fmt: skip


def conflict_lines(workspace: Workspace, paths: Iterable[str]) -> list[str]:
    """The conflicts of a pull, one a line."""
    lines = []
    for path in paths:
        conflict = workspace.conflicts.get(path.encode("utf-8", "surrogateescape"))
        kind = conflict.kind if conflict is not None else "content"
        marks = (
            "both sides are in the file, between marks"
            if conflict is None or conflict.marked
            else "settle it with ws_resolve"
        )
        lines.append(f"  CONFLICT ({kind}) {path}: {marks}")
    return lines


def plan_fields(plan: PushPlan) -> tuple[str, dict[str, Any]]:
    """A plan that was not carried out."""
    fields = {
        "plan": plan.digest, "summary": plan.summary, "risk": plan.risk, "ref": plan.ref, "expected": plan.expected,
        "commit": plan.commit, "created": plan.is_new, "protected": plan.protected, "behind": plan.behind,
        "moved": plan.moved, "commits": [one.commit for one in plan.commits], "notes": list(plan.notes),
        "content": plan.content,
    }  # fmt: skip
    return f"{box(plan, keys='nothing was pushed')}plan {plan.digest}\n", fields


def push_answer(done: Pushed) -> tuple[str, dict[str, Any]]:
    """The result of a push."""
    result, plan = done.result, done.plan
    assert result is not None
    lines = []
    if result.status == "success":
        made = "; the branch is new" if result.created else "; it was there already" if result.already_there else ""
        lines.append(f"pushed {plan.commit} to {plan.address} {plan.branch}{made}")
    elif result.conflict is not None:
        one = result.conflict
        lines.append(f"conflict ({one.reason}): {one.message}")
        lines += [f"  target head {one.target_head}"] if one.target_head else []
        lines += [f"  {one.behind} commits behind"] if one.behind else []
        lines += [f"  changed on both sides: {', '.join(one.touched_both)}"] if one.touched_both else []
        lines.append("ws_pull brings the target's commits in, then push again; or push with on_moved=rebase")
    elif result.status == "rejected":
        lines.append("rejected by the target; nothing was changed there")
    else:
        lines.append("nobody knows whether it arrived: push again, it is never done twice")
    lines += [f"  {line}" for line in result.server]
    lines += [f"  {old} is called {new} there" for old, new in result.renamed.items()]
    review = None if done.review is None else done.review.data()
    if review is not None and review["partial"]:
        lines.append("a part was rejected: it is in your files, not staged; ws_review has the reviewer's words")
    fields = {
        "status": result.status, "commit": result.commit, "ref": result.ref, "created": result.created,
        "already_there": result.already_there, "server": list(result.server), "rebased": done.rebased or {},
        "renamed": result.renamed,
        "conflict": None if result.conflict is None else {
            "reason": result.conflict.reason, "message": result.conflict.message,
            "target_head": result.conflict.target_head, "behind": result.conflict.behind,
            "touched_both": list(result.conflict.touched_both),
        },
        "review": review,
    }  # fmt: skip
    return "\n".join(lines) + "\n", fields
