"""agent/adapters/langchain.py: LangChain's own tool runner and agent loop, driven by a scripted chat model."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

pytest.importorskip("langchain_core")

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from gitglass.agent import AuditRecord, Roots, Tool, ToolContext, tools
from gitglass.agent.adapters.langchain import langchain_tool, langchain_tools
from gitglass.limits import Context


class Scripted(GenericFakeChatModel):
    """A chat model that says what it was told to, and knows the tools that were bound."""

    bound: list[Any] = []

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, Any]:
        self.bound.extend(convert_to_openai_tool(tool) for tool in tools)
        return self


def ask(name: str, **args: Any) -> dict[str, Any]:
    return {"type": "tool_call", "name": name, "args": args, "id": f"call-{name}"}


def script(*turns: AIMessage) -> Scripted:
    said: Iterator[Any] = iter(turns)
    return Scripted(messages=said, bound=[])


@pytest.fixture
def made(unpack: Any) -> dict[str, Any]:
    return {tool.name: tool for tool in langchain_tools(ToolContext(Roots(unpack("plain"))))}


def test_mcp_is_not_imported() -> None:
    code = "import sys, gitglass.agent.adapters.langchain; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_tool_call_gives_a_tool_message(made: Any, unpack: Any) -> None:
    message = made["git_log"].invoke(ask("git_log", max_count=2))
    (own,) = tools(only=["git_log"])
    answer = own.call({"max_count": 2}, ToolContext(Roots(unpack("plain"))))
    assert isinstance(message, ToolMessage) and message.status == "success"
    assert str(message.content).startswith(answer.body)
    assert message.artifact["truncated"] is True and message.artifact["next_cursor"]
    assert message.artifact["total"] == answer.total and message.artifact["untrusted"] is True
    assert message.artifact["result"] is None


def test_a_typed_result_is_the_artifact(unpack: Any) -> None:
    (log,) = langchain_tools(ToolContext(Roots(unpack("plain")), structured=True), only=["git_log"])
    message = log.invoke(ask("git_log", max_count=1))
    assert message.artifact["result"]["commits"][0]["oid"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("git_log", {"max_counts": 2}, "did you mean 'max_count'?"),
        ("git_log", {"max_count": "many"}, "max_count"),
        ("git_show", {"rev": "nonesuch"}, "not_found"),
        ("git_log", {"repo": "/etc"}, "sandbox_violation"),
        ("git_show", {"rev": "--output=x"}, "is expected, not an option"),
    ],
)
def test_an_error_is_a_message_that_the_model_reads(made: Any, name: str, arguments: Any, said: str) -> None:
    for message in (made[name].invoke(ask(name, **arguments)), asyncio.run(made[name].ainvoke(ask(name, **arguments)))):
        assert message.status == "error" and said in message.content


def test_the_schema_that_a_model_is_given_is_ours(made: Any) -> None:
    for tool in tools():
        function = convert_to_openai_tool(made[tool.name])["function"]
        assert function["name"] == tool.name and function["description"] == tool.description
        wanted = tool.input_schema("openai")
        assert function["parameters"]["properties"] == wanted["properties"]
        assert function["parameters"].get("required", []) == wanted.get("required", [])


def test_an_awaited_call_stops_with_its_task() -> None:
    stopped: list[float] = []

    class Endless(Tool):
        def call(self, arguments: Any, ctx: ToolContext) -> Any:
            work = Context(cancelled=ctx.cancelled)
            try:
                while True:
                    work.tick()
            finally:
                stopped.append(time.monotonic())

    plain = tools(only=["git_info"])[0]
    endless = langchain_tool(Endless("x", "x", plain.parameters, plain.answer), ToolContext(Roots("/")))

    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await endless.ainvoke(ask("x"))
        return time.monotonic()

    back = asyncio.run(main())  # waits for the pool: an endless call would never let it go
    assert stopped[0] - back < 5


def test_an_agent_answers_who_wrote_this_line(unpack: Any) -> None:
    agents = pytest.importorskip("langchain.agents")
    seen: list[AuditRecord] = []
    model = script(
        AIMessage("", tool_calls=[ask("git_blame", path="src/app.py", lines="1,1"), ask("git_log", max_counts=1)]),
        AIMessage("", tool_calls=[ask("git_log", max_count=1)]),
        AIMessage("Ann wrote it."),
    )
    ctx = ToolContext(Roots(unpack("plain")), audit=seen.append, caller_id="chain")
    agent = agents.create_agent(model, langchain_tools(ctx))
    found: list[BaseMessage] = agent.invoke({"messages": [HumanMessage("who wrote line 1?")]})["messages"]
    answers = [message for message in found if isinstance(message, ToolMessage)]
    assert [message.status for message in answers] == ["success", "error", "success"]
    assert "  L1  " in str(answers[0].content) and found[-1].content == "Ann wrote it."
    assert sorted(record.tool for record in seen) == ["git_blame", "git_log", "git_log"]
    assert [function["function"]["name"] for function in model.bound[:10]] == [tool.name for tool in tools()]
