"""gitglass in LangChain (`gitglass[langchain]`): tools for `create_agent(model, tools)` or `model.bind_tools(tools)`.

    from gitglass.agent import Roots, ToolContext
    from gitglass.agent.adapters.langchain import langchain_tools

    agent = create_agent(model, langchain_tools(ToolContext(Roots("/workspace/project"))))

Each is a `StructuredTool` whose schema is ours (a plain JSON schema, so that arguments are checked in one place), with
`response_format="content_and_artifact"`: the model reads the text, the program finds counts, cursor and typed result in
the message's `artifact`. An error is a tool message with `status="error"`, which the model reads and acts on. Sync and
async; an awaited call runs in a thread and stops when its task is cancelled.

A change that needs approval is such an error, with the plan's token and preview; or, with `ask`, a question:

    from langgraph.types import Command, interrupt

    agent = create_agent(model, langchain_tools(ctx, write=True, ask=interrupt), checkpointer=saver)
    shown = agent.invoke(task, config)["__interrupt__"][0].value          # summary, risk, preview, plan
    agent.invoke(Command(resume={"plan": shown["plan"]}), config)         # yes, to that plan; anything else is a no

`ask` gets that data and returns the answer: `interrupt` suspends the graph until somebody resumes it. The plan is then
made again. If it is the one that was shown, it is carried out; otherwise `ask` is called about the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from .. import aio
from ..answer import ToolAnswer
from ..tool import Tool, ToolContext
from . import beside, chosen, unapproved

__all__ = ["langchain_tool", "langchain_tools"]


#: called with what needs approval; a yes is `{"plan": …}` with the token of the plan that was shown
Ask = Callable[[dict[str, Any]], Any]

#: most plans of one call that `ask` is called about, if each has changed before the yes arrives
_MOST_PLANS = 5


def langchain_tools(
    ctx: ToolContext,
    *,
    profile: str = "native",
    tools: Iterable[Tool] | None = None,
    ask: Ask | None = None,
    **options: Any,
) -> list[StructuredTool]:
    """The tools of a profile (or those given) as LangChain tools. `options` are the profile's: `only=["git_log"]`."""
    return [langchain_tool(one, ctx, ask=ask) for one in chosen(tools, profile, options)]


def langchain_tool(one: Tool, ctx: ToolContext, *, ask: Ask | None = None) -> StructuredTool:
    """One tool as a LangChain tool."""
    host = replace(ctx)

    def call(**arguments: Any) -> tuple[str, dict[str, Any]]:
        answer = one.call(arguments, host)
        for _ in range(_MOST_PLANS):
            granted = _asked(answer, ask, host)
            if granted is None:
                break
            answer = one.call(arguments, granted)
        return _content_and_artifact(answer)

    async def acall(**arguments: Any) -> tuple[str, dict[str, Any]]:
        answer = await aio.call(one, arguments, host)
        for _ in range(_MOST_PLANS):
            granted = _asked(answer, ask, host)
            if granted is None:
                break
            answer = await aio.call(one, arguments, granted)
        return _content_and_artifact(answer)

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


def _asked(answer: ToolAnswer, ask: Ask | None, host: ToolContext) -> ToolContext | None:
    """The context for the second call, after a yes; None if there is nothing to ask or no `ask`.

    Raises ToolException after a no, and whatever `ask` raises, because that is how a graph is suspended.
    """
    wanted = unapproved(answer)
    if wanted is None or wanted["plan"] is None or ask is None:
        return None
    word = ask(wanted)
    plan = word.get("plan") if isinstance(word, dict) else None
    if not isinstance(plan, str):
        raise ToolException(f"approval_denied: {wanted['summary']}\nhint: Nothing was changed: do something else.")
    return replace(host, approved=host.approved | {plan})


def _content_and_artifact(answer: ToolAnswer) -> tuple[str, dict[str, Any]]:
    if answer.is_error:
        raise ToolException(answer.text)
    return answer.text, beside(answer)
