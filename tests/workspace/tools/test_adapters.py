"""The tools in other frameworks, through the adapters that all tools have: a push asks there as any change does."""

from typing import Any

import pytest
from dulwich.repo import MemoryRepo

from .test_ws import Agent


@pytest.fixture
def agent(base: MemoryRepo) -> Agent:
    made = Agent(base)
    made.ask("ws_write", path="a", content="a")
    made.ask("ws_stage", files=["a"], message="A")
    return made


def test_langchain(agent: Agent) -> None:
    pytest.importorskip("langchain_core")
    from gitglass.agent.adapters.langchain import langchain_tools

    shown: list[dict[str, Any]] = []

    def ask(wanted: dict[str, Any]) -> dict[str, Any]:
        shown.append(wanted)
        return {"plan": wanted["plan"]}

    listed = {tool.name: tool for tool in langchain_tools(agent.ctx, profile="ws", ask=ask)}
    assert "staged" not in listed["ws_read"].invoke({"path": "a"})
    text = listed["ws_push"].invoke({"commit": agent.workspace.staged[-1].id})
    assert text.startswith("pushed ") and "git_push" in shown[0]["preview"] and shown[0]["risk"] == "High"


def test_langchain_after_a_no(agent: Agent) -> None:
    pytest.importorskip("langchain_core")
    from gitglass.agent.adapters.langchain import langchain_tools

    listed = {tool.name: tool for tool in langchain_tools(agent.ctx, profile="workspace", ask=lambda _: "no")}
    text = listed["git_push"].invoke({"commitId": agent.workspace.staged[-1].id})
    assert "approval_denied" in text and agent.target.moves == []


def test_pydantic_ai(agent: Agent) -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent as Model
    from pydantic_ai import DeferredToolRequests, DeferredToolResults
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from gitglass.agent.adapters.pydantic_ai import toolset

    word = agent.workspace.staged[-1].id

    def script(messages: Any, info: Any) -> ModelResponse:
        returned = [part for message in messages for part in message.parts if part.part_kind == "tool-return"]
        if returned:
            return ModelResponse(parts=[TextPart(str(returned[-1].content))])
        return ModelResponse(parts=[ToolCallPart("ws_push", {"commit": word}, tool_call_id="one")])

    model: Any = Model(
        FunctionModel(script), toolsets=[toolset(agent.ctx, profile="ws")], output_type=[str, DeferredToolRequests]
    )
    first = model.run_sync("push it")
    assert agent.target.moves == [] and first.output.metadata["one"]["preview"]
    results = DeferredToolResults(approvals={"one": True}, metadata=first.output.metadata)
    done = model.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    assert done.output.startswith("pushed ") and len(agent.target.moves) == 1


def test_mcp(agent: Agent) -> None:
    pytest.importorskip("mcp")
    from gitglass.agent import Roots
    from gitglass.agent.mcp.settings import Settings, UsageError, tools_of

    settings = Settings(Roots(()), ("ws", "workspace"), desk=agent.desk)
    assert list(tools_of(settings))[:2] == ["ws_files", "ws_read"] and "git_push" in tools_of(settings)
    with pytest.raises(UsageError, match="both define the tool 'git_status'"):
        tools_of(Settings(Roots(()), ("native", "workspace"), desk=agent.desk))
    from gitglass.agent.mcp import server

    made = next(
        one
        for one in vars(server).values()
        if isinstance(one, type) and one.__module__ == server.__name__ and hasattr(one, "_host")
    )
    assert made(settings, ())._host("ws").desk is agent.desk
