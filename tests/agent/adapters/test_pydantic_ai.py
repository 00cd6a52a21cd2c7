"""agent/adapters/pydantic_ai.py: pydantic-ai's own agent loop, driven by scripted and test models."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from tests.agent.test_profile_writing import FIFTEEN
from tests.agent.test_profile_writing import Host as ProfileHost
from tests.support.peers import refs
from tests.support.writing import copy_of

import gitglass
from gitglass.agent import AuditRecord, Roots, Tool, ToolContext, tools
from gitglass.agent.adapters.pydantic_ai import toolset
from gitglass.commands.policy import Level, Policy
from gitglass.limits import Context
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant

Turn = ToolCallPart | str
CHANGES = {"add", "commit", "branch_create", "checkout", "tag", "stash", "branch_delete", "push", "pull"}


def script(*turns: list[Turn], listed: list[Any] | None = None) -> FunctionModel:
    """A model that says what it was told to, turn by turn."""
    coming = iter(turns)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if listed is not None:
            listed[:] = info.function_tools
        return ModelResponse([TextPart(part) if isinstance(part, str) else part for part in next(coming)])

    return FunctionModel(answer)


def ask(tool: str, /, **arguments: Any) -> ToolCallPart:
    return ToolCallPart(tool, arguments, f"call-{tool}")


def returns(messages: list[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def test_mcp_is_not_imported() -> None:
    code = "import sys, gitglass.agent.adapters.pydantic_ai; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_an_agent_shows_a_commit(unpack: Any) -> None:
    ctx = ToolContext(Roots(unpack("plain")))
    model = script([ask("git_log", max_count=2), ask("git_show", rev="HEAD")], ["done"])
    found = Agent(model, toolsets=[toolset(ctx)]).run_sync("show HEAD")
    log, show = returns(found.all_messages())
    own = {tool.name: tool for tool in tools()}
    assert str(log.content).startswith(own["git_log"].call({"max_count": 2}, ctx).body)
    assert show.content == own["git_show"].call({"rev": "HEAD"}, ctx).text
    assert log.metadata["truncated"] is True and log.metadata["next_cursor"] and show.metadata["truncated"] is False
    assert found.output == "done"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("git_log", {"max_counts": 2}, "did you mean 'max_count'?"),
        ("git_log", {"ctx": 1, "self": 2}, "unknown argument 'ctx'"),
        ("git_show", {"rev": "nonesuch"}, "not_found"),
        ("git_log", {"repo": "/etc"}, "sandbox_violation"),
    ],
)
def test_errors_are_read_by_the_model_and_never_end_the_run(unpack: Any, name: str, arguments: Any, said: str) -> None:
    turns: list[list[Turn]] = [[ask(name, **arguments)]] * 4
    model = script(*turns, ["gave up"])
    found = Agent(model, toolsets=[toolset(ToolContext(Roots(unpack("plain"))))]).run_sync("?")
    assert found.output == "gave up"
    answers = returns(found.all_messages())
    assert len(answers) == 4 and all(said in str(part.content) for part in answers)
    assert {part.outcome for part in answers} == {"failed"}


def test_the_model_is_given_our_schemas(unpack: Any) -> None:
    listed: list[Any] = []
    Agent(script(["hello"], listed=listed), toolsets=[toolset(ToolContext(Roots(unpack("plain"))))]).run_sync("?")
    assert [tool.name for tool in listed] == [tool.name for tool in tools()]
    for given, own in zip(listed, tools(), strict=True):
        assert given.description == own.description
        assert given.parameters_json_schema == own.input_schema("openai")
        assert given.metadata["annotations"]["readOnlyHint"] is True


def test_its_test_model_calls_every_tool(unpack: Any) -> None:
    """TestModel makes arguments of the schemas alone: whatever it makes has to be an answer."""
    seen: list[AuditRecord] = []
    grant = toolset(ToolContext(Roots(unpack("plain")), audit=seen.append))
    Agent(TestModel(), toolsets=[grant]).run_sync("?")
    assert sorted(record.tool for record in seen) == sorted(tool.name for tool in tools())
    assert not [record for record in seen if record.outcome == "internal"]


def test_the_context_may_come_from_the_run(unpack: Any) -> None:
    seen: list[AuditRecord] = []
    top = unpack("plain")
    grant = toolset(lambda run: ToolContext(Roots(top), caller_id=run.deps, audit=seen.append), only=["git_info"])
    agent = Agent(script([ask("git_info")], ["done"]), toolsets=[grant], deps_type=str)
    agent.run_sync("?", deps="agent-7")
    assert [record.caller_id for record in seen] == ["agent-7"]


# ------------------------------------------------------------------------------------------------------------ approval
def forge(top: Any, seen: list[AuditRecord], *turns: list[Turn]) -> Agent[None, Any]:
    policy = Policy(level=Level.TRUSTED, medium="approve", high="approve")
    grant = toolset(ToolContext(Roots(top), policy=policy, audit=seen.append), profile="forge")
    return Agent(script(*turns), toolsets=[grant], output_type=[str, DeferredToolRequests])


def deferred(agent: Agent[None, Any]) -> tuple[DeferredToolRequests, list[ModelMessage]]:
    found = agent.run_sync("delete it")
    assert isinstance(found.output, DeferredToolRequests)
    return found.output, found.all_messages()


def outcome(unpack: Any, change: Callable[[dict[str, Any]], dict[str, Any] | None], approve: bool = True) -> str:
    agent = forge(unpack("plain"), [], [ask("git_branch", force_delete="main")], ["done"])
    requests, messages = deferred(agent)
    (call,) = requests.approvals
    metadata = change(requests.metadata[call.tool_call_id])
    results = DeferredToolResults(approvals={call.tool_call_id: approve})
    if metadata is not None:
        results.metadata = {call.tool_call_id: metadata}
    after = agent.run_sync(message_history=messages, deferred_tool_results=results)
    return str(returns(after.new_messages())[-1].content)


def test_what_needs_approval_is_deferred_to_the_host(unpack: Any) -> None:
    seen: list[AuditRecord] = []
    requests, _ = deferred(forge(unpack("plain"), seen, [ask("git_branch", force_delete="main")], ["done"]))
    (call,) = requests.approvals
    shown = requests.metadata[call.tool_call_id]
    assert shown["summary"] == "Force delete branch 'main'" and shown["risk"] == "High" and len(shown["request"]) == 64
    assert [record.outcome for record in seen] == ["approval_required"]


def test_an_approval_is_for_the_very_request(unpack: Any) -> None:
    assert "gitglass only reads" in outcome(unpack, lambda shown: shown)  # approved, and then not available
    assert "gitglass only reads" in outcome(unpack, lambda shown: None)
    assert outcome(unpack, lambda shown: {**shown, "request": "0" * 64}) == "Force delete branch 'main'"
    assert "denied" in outcome(unpack, lambda shown: shown, approve=False)


class Endless(Tool):
    """A call that ticks as an engine does, and never ends by itself."""

    def call(self, arguments: Any, ctx: ToolContext) -> Any:
        work = Context(cancelled=ctx.cancelled)
        began.set()
        try:
            while True:
                work.tick()
        finally:
            ended.set()


began, ended = threading.Event(), threading.Event()


def test_a_run_that_is_cancelled_stops_the_call() -> None:
    (plain,) = tools(only=["git_info"])
    grant = toolset(ToolContext(Roots("/")), tools=[Endless("x", "x", plain.parameters, plain.answer)])
    agent = Agent(script([ask("x")], ["done"]), toolsets=[grant])

    async def main() -> None:
        run = asyncio.create_task(agent.run("?"))
        while not began.is_set():
            await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())  # waits for the pool: an endless call would never let it go
    assert ended.is_set()


# ------------------------------------------------------------------------------------------------------------- changes
class Host:
    """A host that lets an agent write to one repository, and has to say yes."""

    def __init__(self, place: Path) -> None:
        self.repo = copy_of("plain", place / "repo")
        grant = WriteGrant(identity=Identity("A", "a@b"))
        self.context = ToolContext(Roots([str(self.repo)]), write=WriteAccess(grant))

    def agent(self, *turns: list[Turn], ctx: ToolContext | None = None) -> Agent[None, Any]:
        grant = toolset(ctx or self.context, write=True)
        return Agent(script(*turns), toolsets=[grant], output_type=[str, DeferredToolRequests])

    def git(self, *argv: str) -> str:
        return gitglass.open(self.repo).git(list(argv)).stdout.decode()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def answers(requests: DeferredToolRequests, metadata: Any = None) -> DeferredToolResults:
    (call,) = requests.approvals
    results = DeferredToolResults(approvals={call.tool_call_id: True})
    results.metadata = {call.tool_call_id: metadata} if metadata is not None else {}
    return results


@pytest.mark.writes
def test_a_change_is_deferred_with_its_preview_and_carried_out_after_a_yes(host: Host) -> None:
    agent = host.agent([ask("git_commit", message="made", allow_empty=True)], ["done"])
    head = host.git("rev-parse", "HEAD")
    requests, messages = deferred(agent)
    (call,) = requests.approvals
    shown = requests.metadata[call.tool_call_id]
    assert shown["summary"] == "Commit: made" and shown["risk"] == "Medium" and host.git("rev-parse", "HEAD") == head
    assert shown["preview"].startswith("Commit: made   risk Medium\n  ref refs/heads/main: ")
    time.sleep(1.1)  # a plan that is made again at another second would be another commit
    after = agent.run_sync(message_history=messages, deferred_tool_results=answers(requests, shown))
    assert after.output == "done" and "[main " in str(returns(after.new_messages())[-1].content)
    assert host.git("log", "-1", "--format=%s %an", "--skip=0") == "made A\n"
    assert host.git("rev-parse", "HEAD").strip() in shown["preview"]


@pytest.mark.writes
def test_a_yes_without_the_plan_or_for_another_changes_nothing(host: Host) -> None:
    for metadata in (None, {"plan": None}, {"plan": "0" * 64 + "@1+0"}, {"plan": True}, "yes"):
        agent = host.agent([ask("git_tag", name="made")], ["done"])
        requests, messages = deferred(agent)
        again = agent.run_sync(message_history=messages, deferred_tool_results=answers(requests, metadata))
        assert isinstance(again.output, DeferredToolRequests) and host.git("tag", "-l", "made") == ""


@pytest.mark.writes
def test_what_has_moved_is_deferred_again_with_the_plan_as_it_is_now(host: Host) -> None:
    (host.repo / "made.txt").write_text("one\n")
    agent = host.agent([ask("git_stage", paths=["made.txt"])], ["done"])
    requests, messages = deferred(agent)
    shown = requests.metadata[requests.approvals[0].tool_call_id]
    (host.repo / "made.txt").write_text("two\n")
    again = agent.run_sync(message_history=messages, deferred_tool_results=answers(requests, shown))
    assert isinstance(again.output, DeferredToolRequests) and host.git("diff", "--cached") == ""
    fresh = again.output.metadata[again.output.approvals[0].tool_call_id]
    assert fresh["plan"] != shown["plan"]
    after = agent.run_sync(message_history=again.all_messages(), deferred_tool_results=answers(again.output, fresh))
    assert after.output == "done" and "+two" in host.git("diff", "--cached")


@pytest.mark.writes
def test_a_no_changes_nothing(host: Host) -> None:
    agent = host.agent([ask("git_tag", name="made")], ["done"])
    requests, messages = deferred(agent)
    results = answers(requests, requests.metadata[requests.approvals[0].tool_call_id])
    results.approvals = {requests.approvals[0].tool_call_id: False}
    after = agent.run_sync(message_history=messages, deferred_tool_results=results)
    assert after.output == "done" and "denied" in str(returns(after.new_messages())[-1].content)
    assert host.git("tag", "-l", "made") == ""


@pytest.mark.writes
def test_changes_asked_for_together_are_made_in_order(host: Host) -> None:
    (host.repo / "made.txt").write_text("made\n")
    free = replace(host.context, level="yolo")
    turns: list[Turn] = [
        ask("git_stage", paths=["made.txt"]),
        ask("git_commit", message="made"),
        ask("git_tag", name="made"),
    ]
    after = host.agent(turns, ["done"], ctx=free).run_sync("?")
    assert [part.outcome for part in returns(after.all_messages())] == ["success"] * 3
    assert host.git("show", "--format=%s", "--name-only", "made") == "made\n\nmade.txt\n"


def test_without_a_grant_a_change_is_refused(unpack: Any) -> None:
    agent = Agent(
        script([ask("git_tag", name="made")], ["done"]),
        toolsets=[toolset(ToolContext(Roots(unpack("plain"))), write=True)],
    )
    (part,) = returns(agent.run_sync("?").all_messages())
    assert part.outcome == "failed" and "unsupported: gitglass only reads here" in str(part.content)


# --------------------------------------------------------------------------------------------------- document 1, whole
def all_of_it(context: ToolContext, turns: list[list[Turn]]) -> tuple[list[ToolReturnPart], list[str]]:
    """What an agent's calls of the profile came to, and the operations that a person was asked about, who said yes."""
    tool = toolset(context, profile="openharness")
    agent: Agent[None, Any] = Agent(script(*turns, ["done"]), toolsets=[tool], output_type=[str, DeferredToolRequests])
    done, answers, asked = agent.run_sync("all of it"), list[ToolReturnPart](), list[str]()
    answers += returns(done.new_messages())
    while isinstance(done.output, DeferredToolRequests):
        asked += [call.args_as_dict()["operation"] for call in done.output.approvals]
        results = DeferredToolResults(
            approvals={call.tool_call_id: True for call in done.output.approvals}, metadata=done.output.metadata
        )
        done = agent.run_sync(message_history=done.all_messages(), deferred_tool_results=results)
        answers += returns(done.new_messages())
    return answers, asked


@pytest.mark.writes
def test_openharness_fifteen_of_fifteen_over_the_adapter(tmp_path: Path) -> None:
    """An agent does all of it, a person is asked for what changes; what the host's patterns deny is done by nobody."""
    host = ProfileHost(tmp_path)
    (host.repo / "made.txt").write_text("made\n")
    (name,) = {tool.name for tool in tools("openharness")}
    turns: list[list[Turn]] = [
        [ToolCallPart(name, arguments, f"call-{at}")] for at, (arguments, _) in enumerate(FIFTEEN)
    ]
    policy = Policy(level=Level.TRUSTED, medium="approve", high="approve")
    answers, asked = all_of_it(replace(host.context, policy=policy), turns)
    assert {*asked} <= CHANGES and {*asked} >= CHANGES - {"stash"}  # a stash of nothing changes nothing
    for (arguments, words), answer in zip(FIFTEEN, answers, strict=True):
        assert words in str(answer.content) and answer.outcome == "success", (arguments, answer)
    assert refs(host.up)["refs/heads/main"] == host.git("rev-parse", "main").strip()
    before = host.git("for-each-ref")
    context = replace(host.context, policy=Policy(level=Level.YOLO, denied=("git push*", "git tag*")))
    calls = [{"operation": "push", "ref": "main"}, {"operation": "tag", "ref": "v10", "message": "ten"}]
    answers, asked = all_of_it(context, [[ToolCallPart(name, one, f"denied-{at}")] for at, one in enumerate(calls)])
    assert not asked and len(answers) == 2 and all("denied" in str(answer.content) for answer in answers), answers
    assert host.git("for-each-ref") == before
