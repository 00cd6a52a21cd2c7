"""gitglass in pydantic-ai (`gitglass[pydantic-ai]`): a toolset for `Agent(toolsets=[…])`.

    from gitglass.agent import Roots, ToolContext
    from gitglass.agent.adapters.pydantic_ai import toolset

    agent = Agent(model, toolsets=[toolset(ToolContext(Roots("/workspace/project")))])

Tools are made with `Tool.from_schema`, so that arguments are checked in one place, ours. A call runs in a thread and
stops when the run is cancelled. An error is a failed tool result that the model reads and acts on (`ToolFailed`), and
never ends the run. A change that needs approval is deferred (`ApprovalRequired`): the host finds summary, risk, preview
and the plan's token in `DeferredToolRequests.metadata`, and returns the metadata with its approval
(`DeferredToolResults(approvals=…, metadata=requests.metadata)`), which then applies to exactly that plan. A yes without
the token of the plan that was shown, or for a plan that has changed since, carries nothing out: the call is deferred
again with the current plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from pydantic_ai import ApprovalRequired, FunctionToolset, RunContext, ToolReturn
from pydantic_ai import Tool as PydanticTool
from pydantic_ai.exceptions import ToolFailed

from .. import aio
from ..tool import Tool, ToolContext
from . import beside, chosen, unapproved

__all__ = ["tool", "toolset"]

#: the context of all calls, or a function that makes it from a run's context (for example from the caller's `deps`)
Grant = ToolContext | Callable[[RunContext[Any]], ToolContext]


def toolset(
    grant: Grant,
    *,
    profile: str = "native",
    tools: Iterable[Tool] | None = None,
    id: str | None = "gitglass",
    **options: Any,
) -> FunctionToolset[Any]:
    """The tools of a profile (or those given) as a toolset. `options` are the profile's: `only=["git_log"]`."""
    return FunctionToolset([tool(one, grant) for one in chosen(tools, profile, options)], id=id)


def tool(one: Tool, grant: Grant) -> PydanticTool[Any]:
    """One tool as a pydantic-ai tool."""

    async def call(ctx: RunContext[Any], /, **arguments: Any) -> ToolReturn[str]:
        host = grant if isinstance(grant, ToolContext) else grant(ctx)
        answer = await aio.call(one, arguments, _with_plan(host, ctx))
        wanted = unapproved(answer)
        if wanted is not None and wanted["plan"] is None and ctx.tool_call_approved:
            if _approved(ctx, wanted):
                answer = await aio.call(one, arguments, replace(host, approved=frozenset({wanted["request"]})))
        elif wanted is not None:
            raise ApprovalRequired(metadata=wanted)
        if answer.is_error:
            raise ToolFailed(answer.text)
        return ToolReturn(return_value=answer.text, metadata=beside(answer))

    made: PydanticTool[Any] = PydanticTool.from_schema(
        call,
        one.name,
        one.description,
        one.input_schema("openai"),
        takes_ctx=True,
        sequential=not one.hints.read_only,  # changes that a model asks for at once are made in its order
    )
    made.metadata = {"annotations": one.hints.as_mcp()}
    return made


def _with_plan(host: ToolContext, ctx: RunContext[Any]) -> ToolContext:
    """The context of a call, with the token of the plan that the host has approved."""
    shown = ctx.tool_call_metadata if ctx.tool_call_approved else None
    plan = shown.get("plan") if isinstance(shown, dict) else None
    return replace(host, approved=host.approved | {plan}) if isinstance(plan, str) else host


def _approved(ctx: RunContext[Any], wanted: dict[str, Any]) -> bool:
    """Whether the host's yes is for this request: the returned metadata has to be that of the request."""
    shown = ctx.tool_call_metadata
    return not shown or shown.get("request") == wanted["request"]
