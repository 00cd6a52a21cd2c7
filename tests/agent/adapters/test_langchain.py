"""agent/adapters/langchain.py: LangChain's own tool runner and agent loop, driven by a scripted chat model."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain_core")

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from tests.support.writing import copy_of

import gitglass
from gitglass.agent import AuditRecord, Roots, Tool, ToolContext, tools
from gitglass.agent.adapters.langchain import langchain_tool, langchain_tools
from gitglass.limits import Context
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant


class Scripted(GenericFakeChatModel):
    """A chat model that says what it was told to, and knows the tools that were bound."""

    bound: list[Any] = []

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, Any]:
        self.bound.extend(convert_to_openai_tool(tool) for tool in tools)
        return self


def ask(name: str, /, **args: Any) -> dict[str, Any]:
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


# ------------------------------------------------------------------------------------------------------------- changes
class Host:
    """A host that lets an agent write to one repository, and has to say yes."""

    def __init__(self, place: Path) -> None:
        self.repo = copy_of("plain", place / "repo")
        self.context = ToolContext(
            Roots([str(self.repo)]), write=WriteAccess(WriteGrant(identity=Identity("A", "a@b")))
        )

    def tool(self, name: str, **options: Any) -> Any:
        (made,) = langchain_tools(self.context, write=True, only=[name], **options)
        return made

    def git(self, *argv: str) -> str:
        return gitglass.open(self.repo).git(list(argv)).stdout.decode()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.mark.writes
def test_where_nobody_can_be_asked_the_plan_is_the_answer(host: Host) -> None:
    tool = host.tool("git_tag")
    for message in (tool.invoke(ask("git_tag", name="made")), asyncio.run(tool.ainvoke(ask("git_tag", name="made")))):
        assert message.status == "error" and str(message.content).startswith("approval_required: Create tag 'made'")
        assert "[gitglass: nothing was changed; plan " in str(message.content) and host.git("tag", "-l", "made") == ""


@pytest.mark.writes
def test_a_function_that_is_asked_sees_the_preview(host: Host) -> None:
    seen: list[dict[str, Any]] = []

    def yes(wanted: dict[str, Any]) -> Any:
        seen.append(wanted)
        return {"plan": wanted["plan"]}

    tool = host.tool("git_tag", ask=yes)
    assert tool.invoke(ask("git_tag", name="made")).status == "success"
    assert asyncio.run(tool.ainvoke(ask("git_tag", name="made2"))).status == "success"
    assert host.git("tag", "-l", "made*") == "made\nmade2\n"
    assert [one["preview"].splitlines()[0] for one in seen] == [
        "Create tag 'made'   risk Medium", "Create tag 'made2'   risk Medium",
    ]  # fmt: skip


@pytest.mark.writes
@pytest.mark.parametrize(
    "word", [None, True, False, "yes", {}, {"plan": None}, {"plan": True}, {"approved": True}], ids=repr
)
def test_anything_but_the_plan_is_a_no(host: Host, word: Any) -> None:
    tool = host.tool("git_tag", ask=lambda wanted: word)
    for message in (tool.invoke(ask("git_tag", name="made")), asyncio.run(tool.ainvoke(ask("git_tag", name="made")))):
        assert message.status == "error" and str(message.content).startswith("approval_denied: ")
    assert host.git("tag", "-l", "made") == ""


@pytest.mark.writes
def test_a_yes_to_another_plan_is_asked_about_again_and_not_for_ever(host: Host) -> None:
    asked: list[Any] = []
    tool = host.tool("git_tag", ask=lambda wanted: asked.append(wanted) or {"plan": "0" * 64 + "@1+0"})
    message = tool.invoke(ask("git_tag", name="made"))
    assert message.status == "error" and str(message.content).startswith("approval_required: ")
    assert len(asked) == 5 and host.git("tag", "-l", "made") == ""


@pytest.mark.writes
@pytest.mark.parametrize("moved", [False, True])
def test_a_graph_is_suspended_until_somebody_says_yes(host: Host, moved: bool) -> None:
    agents = pytest.importorskip("langchain.agents")
    memory, kinds = pytest.importorskip("langgraph.checkpoint.memory"), pytest.importorskip("langgraph.types")
    (host.repo / "made.txt").write_text("one\n")
    model = script(AIMessage("", tool_calls=[ask("git_stage", paths=["made.txt"])]), AIMessage("Staged."))
    agent = agents.create_agent(
        model, [host.tool("git_stage", ask=kinds.interrupt)], checkpointer=memory.InMemorySaver()
    )
    config = {"configurable": {"thread_id": "1"}}
    (question,) = agent.invoke({"messages": [HumanMessage("stage it")]}, config)["__interrupt__"]
    shown = question.value
    assert shown["summary"] == "Stage 1 file(s): made.txt" and host.git("diff", "--cached") == ""
    time.sleep(1.1)  # the plan is made again when the graph goes on
    if moved:
        (host.repo / "made.txt").write_text("two\n")
    after = agent.invoke(kinds.Command(resume={"plan": shown["plan"]}), config)
    if moved:
        (question,) = after["__interrupt__"]
        assert host.git("diff", "--cached") == "" and question.value["plan"] != shown["plan"]
        after = agent.invoke(kinds.Command(resume={"plan": question.value["plan"]}), config)
    assert after["messages"][-1].content == "Staged."
    assert f"+{'two' if moved else 'one'}" in host.git("diff", "--cached")
