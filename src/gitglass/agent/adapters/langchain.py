"""gitglass in LangChain (`gitglass[langchain]`): tools for `create_agent(model, tools)` or `model.bind_tools(tools)`.

    from gitglass.agent import Roots, ToolContext
    from gitglass.agent.adapters.langchain import langchain_tools

    agent = create_agent(model, langchain_tools(ToolContext(Roots("/workspace/project"))))

Each is a `StructuredTool` whose schema is ours (a plain JSON schema, so that arguments are checked in one place), with
`response_format="content_and_artifact"`: the model reads the text, the program finds counts, cursor and typed result in
the message's `artifact`. An error is a tool message with `status="error"`, which the model reads and acts on. Sync and
async; an awaited call runs in a thread and stops when its task is cancelled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from .. import aio
from ..answer import ToolAnswer
from ..tool import Tool, ToolContext
from . import beside, chosen

__all__ = ["langchain_tool", "langchain_tools"]


def langchain_tools(
    ctx: ToolContext, *, profile: str = "native", tools: Iterable[Tool] | None = None, **options: Any
) -> list[StructuredTool]:
    """The tools of a profile (or those given) as LangChain's. `options` are the profile's: `only=["git_log"]`."""
    return [langchain_tool(one, ctx) for one in chosen(tools, profile, options)]


def langchain_tool(one: Tool, ctx: ToolContext) -> StructuredTool:
    """One tool as LangChain's."""
    host = replace(ctx)

    def call(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return _told(one.call(arguments, host))

    async def acall(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return _told(await aio.call(one, arguments, host))

    return StructuredTool.from_function(
        call,
        acall,
        name=one.name,
        description=one.description,
        args_schema=one.input_schema("openai"),
        infer_schema=False,
        response_format="content_and_artifact",
        handle_tool_error=True,
        metadata={"annotations": one.hints.as_mcp()},
    )


def _told(answer: ToolAnswer) -> tuple[str, dict[str, Any]]:
    if answer.is_error:
        raise ToolException(answer.text)
    return answer.text, beside(answer)
