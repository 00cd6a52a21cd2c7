"""git_operations: lists, undoes and redoes the operations of these tools here; cleans up after an interruption."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from pydantic import Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.mutations import Mutation, OperationsRequest, RecoverRequest, UndoRequest
from ...answer import ToolAnswer
from ...tool import ToolContext
from ...typed import Typed
from ...visible import MARK, shown_text
from ...writing import Row, operation_meant
from ..params import within
from .change import ChangeParams, ChangeTool, access_of, context_of

__all__ = ["TOOL"]


class OperationsParams(ChangeParams):
    """Arguments of git_operations."""

    action: Literal["list", "undo", "redo", "recover"] = Field("list", description="recover: clear up after a crash.")
    operation: str | None = Field(None, description="Its id; default the last.")
    forward: bool = Field(False, description="recover: finish it.")
    max_count: Annotated[int, within(1, 1000)] = Field(20, description="list.")


class OperationsTool(ChangeTool):
    """The list is read from the operation log; every other action is a change as in the other tools."""

    __slots__ = ()

    def reply(self, asked: OperationsParams, ctx: ToolContext) -> ToolAnswer:
        """See `Tool.reply`."""
        if asked.action == "recover" and asked.operation is not None:
            raise InvalidArgs("operation: action recover takes whatever was interrupted")
        if asked.forward and asked.action != "recover":
            raise InvalidArgs(f"forward: action {asked.action} does not take it")
        if asked.action == "recover":
            return super().reply(asked, ctx)
        access, store = access_of(ctx), ctx.roots.store(asked.repo, ctx.cwd, ctx.limits)
        with context_of(ctx, store) as inner:
            if inner.policy is not None:
                inner.policy.enforce(OperationsRequest())
            rows = access.operations(store, inner)
        if asked.action == "list":
            return _listed(rows, asked.max_count, ctx)
        operation = operation_meant(rows, asked.action, asked.operation)
        return super().reply(asked.model_copy(update={"operation": operation}), ctx)


def _request(asked: OperationsParams, _: Store) -> Mutation:
    if asked.action == "recover":
        return RecoverRequest(forward=asked.forward)
    return UndoRequest(operation=asked.operation or "")


def _listed(rows: list[Row], most: int, host: ToolContext) -> ToolAnswer:
    """One line for each operation, the newest first."""
    shown = rows[::-1][:most]
    lines = []
    for row in shown:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(row["time"]))
        undoes = f" (of {row['undoes']})" if row["undoes"] else ""
        lines.append(f"{row['id']} {when}Z {row['state']}: {' '.join(row['summary'].split())}{undoes}\n")
    body = shown_text("".join(lines).encode("utf-8", "surrogateescape"), as_is=host.raw)
    left = len(rows) - len(shown)
    marker = f"{MARK} {left:,} older]\n" if left else "" if rows else f"{MARK} the operation log is empty]\n"
    answer = ToolAnswer(body + marker, body, shown=len(shown), total=len(rows), noun="operations", truncated=left > 0)
    if host.structured:
        typed = Typed(host.budget.max_bytes, "", {"outcome": "list", "operations": shown})
        answer.result = typed.result(answer)
    return answer


TOOL = OperationsTool(
    "git_operations",
    "What these tools did here; undo, redo, recover.",
    OperationsParams,
    _request,
    title="Operations",
    destructive=True,
    other_names={
        "action": ("command", "op", "verb", "mode"),
        "operation": ("id", "operation_id", "op_id"),
    },
)
