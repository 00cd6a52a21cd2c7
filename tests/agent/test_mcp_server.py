"""agent/mcp/server.py and progress.py, asked by the SDK's own client in memory, in both eras of the protocol."""

import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from pydantic import BaseModel

from gitglass.agent import Roots, Tool, ToolContext, tools
from gitglass.agent.budget import Unit
from gitglass.agent.mcp import progress as telling
from gitglass.agent.mcp.settings import Settings
from gitglass.agent.tool import NATIVE, Uncut

from ..support.pace import best_of

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp")
from gitglass.agent.mcp import server as serving  # noqa: E402

ERAS = pytest.mark.parametrize("era", ["legacy", "auto", "2026-07-28"])


def ask(server: Any, era: str, session: Any) -> Any:
    """What `session(client)` gives, with a client of the era that is connected in memory."""

    async def run() -> Any:
        async with mcp.Client(server, mode=era) as client:
            return await session(client)

    return anyio.run(run)


def call(server: Any, era: str, name: str, **arguments: Any) -> Any:
    return ask(server, era, lambda client: client.call_tool(name, arguments))


async def failure(request: Any) -> tuple[int, str]:
    """The protocol's error that a request ends with."""
    with pytest.raises(mcp.MCPError) as caught:
        await request
    return caught.value.code, str(caught.value)


def text(result: Any) -> str:
    (part,) = result.content
    return str(part.text)


@pytest.fixture
def serve(unpack: Any) -> Any:
    """serve(fixtures, **settings) → a server over the fixtures' repositories, each a root of its name"""

    def make(*names: str, more: Any = (), **settings: Any) -> Any:
        roots = Roots({name: str(unpack(name)) for name in names or ("plain",)})
        return serving.make_server(Settings(roots, **settings), more)

    return make


# --------------------------------------------------------------------------------------------------------- the protocol
@ERAS
def test_the_list_is_ours(serve: Any, era: str) -> None:
    found = ask(serve(), era, lambda client: client.list_tools())
    assert [tool.model_dump(by_alias=True, exclude_none=True) for tool in found.tools] == [
        tool.as_mcp() for tool in tools()
    ]
    assert found.next_cursor is None


@ERAS
def test_answers_are_the_tool_s_own(serve: Any, unpack: Any, era: str) -> None:
    ctx = ToolContext(Roots({"plain": str(unpack("plain"))}))
    for tool in tools():
        arguments = {"git_blame": {"path": "src/app.py"}, "git_grep": {"pattern": "def"}}.get(tool.name, {})
        arguments |= {"from_ref": "v1.0", "to_ref": "v2.0"} if tool.name == "git_compare" else {}
        result = call(serve(), era, tool.name, **arguments)
        assert not result.is_error, text(result)
        assert text(result) == tool.call(arguments, ctx).text
        assert result.structured_content is None


@ERAS
def test_typed_results_are_what_their_schemas_say(serve: Any, era: str) -> None:
    """The client checks each answer against the listed schema, and raises where it does not fit."""
    server = serve(structured=True)

    async def session(client: Any) -> list[Any]:
        listed = await client.list_tools()
        assert [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools] == [
            tool.as_mcp(structured=True) for tool in tools()
        ]
        asked: list[tuple[str, dict[str, Any]]] = [
            ("git_log", {"max_count": 1}),
            ("git_log", {"mode": "count"}),
            ("git_log", {"mode": "authors"}),
            ("git_diff", {"rev": "v1.0..HEAD", "mode": "dirstat"}),
            ("git_show", {"rev": "HEAD:src/app.py"}),
            ("git_blame", {"path": "src/app.py"}),
            ("git_info", {}),
            ("git_show", {"rev": "nosuch"}),
        ]
        return [await client.call_tool(name, arguments) for name, arguments in asked]

    *answers, error = ask(server, era, session)
    assert not any(answer.is_error for answer in answers)
    assert answers[0].structured_content["total"] == 10 and answers[1].structured_content["count"] == 10
    assert error.is_error and error.structured_content["error"]["code"] == "not_found"


@ERAS
def test_an_unknown_tool_is_the_protocol_s_error(serve: Any, era: str) -> None:
    code, message = ask(serve(), era, lambda client: failure(client.call_tool("git_push", {})))
    assert (code, message) == (-32602, "Unknown tool: git_push")


@ERAS
@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("git_log", {"max_counts": 3}, "did you mean 'max_count'?"),
        ("git_show", {"rev": "nosuch"}, "not_found: "),
        ("git_status", {"repo": "/etc"}, "sandbox_violation: "),
        ("git_status", {"repo": "../.."}, "sandbox_violation: "),
        ("git_blame", {}, "path: Field required"),
    ],
)
def test_what_a_model_can_put_right_is_a_result(serve: Any, era: str, name: str, arguments: Any, says: str) -> None:
    result = call(serve(), era, name, **arguments)
    assert result.is_error and says in text(result)


@ERAS
def test_several_roots(serve: Any, era: str) -> None:
    server = serve("plain", "dirty", "bare")

    async def session(client: Any) -> list[str]:
        found = []
        for arguments in ({}, {"repo": "dirty"}, {"repo": "bare"}, {"repo": "nosuch"}):
            found.append(text(await client.call_tool("git_info", arguments)))
        return found

    first, dirty, bare, missing = ask(server, era, session)
    assert "repositories: plain, dirty, bare" in first and "repository: plain" in first
    assert "repository: dirty" in dirty and "bare: yes" in bare
    assert missing.startswith(("not_a_repository", "sandbox_violation", "not_found", "invalid_args", "internal"))


@ERAS
def test_settings_reach_the_calls(serve: Any, era: str) -> None:
    server = serve(only=("git_log",), max_bytes=700, structured=True)
    assert [tool.name for tool in ask(server, era, lambda client: client.list_tools()).tools] == ["git_log"]
    result = call(server, era, "git_log")
    assert len(text(result).encode()) <= 700 and "next_cursor=" in text(result)
    assert result.structured_content["truncated"] and result.structured_content["commits"]


@ERAS
def test_the_drop_in_calls_itself_as_that_server_does(serve: Any, era: str) -> None:
    server = serve(profiles=("mcp-server-git",), server_version="2026.10.19")

    async def session(client: Any) -> Any:
        if era == "2026-07-28":  # adopted without asking the server who it is
            return None, await client.list_prompts(), await client.list_resources()
        return client.server_info, await client.list_prompts(), await client.list_resources()

    info, prompts, resources = ask(server, era, session)
    assert info is None or (info.name, info.version) == ("mcp-git", "2026.10.19")
    assert prompts.prompts == [] and resources.resources == []
    result = call(server, era, "git_status", repo_path="/nosuch")
    assert result.is_error and text(result).startswith("Error executing tool git_status: ")


def test_an_invalid_cursor_of_the_list_is_refused(serve: Any) -> None:
    code, message = ask(serve(), "legacy", lambda client: failure(client.list_tools(cursor="x")))
    assert code == -32602 and message.startswith("Invalid cursor")


# ------------------------------------------------------------------------------------------------- threads, time, ending
class Nothing(BaseModel):
    """No arguments."""


class Slow:
    """A tool that goes on until it is told to stop, and says when it was."""

    def __init__(self, count: int = 1) -> None:
        self.started = threading.Barrier(count + 1)
        self.stopped = threading.Event()
        self.when = 0.0
        self.tool = Tool("slow", "Goes on and on.", Nothing, self.answer)

    def answer(self, work: Any, asked: Nothing) -> Uncut:
        def units() -> Iterator[Unit]:
            self.started.wait(10)
            try:
                while True:
                    work.ctx.tick()
                    time.sleep(0.0005)
                    yield Unit(lambda: "")
            finally:
                self.when = time.monotonic()
                self.stopped.set()

        return Uncut(units(), "turns", countable=False)


@ERAS
@pytest.mark.clock
def test_a_cancelled_call_stops_working(serve: Any, era: str) -> None:
    def once() -> float:
        slow = Slow()
        cancelled = ask(serve(more=[slow.tool]), era, partial(session, slow))
        assert slow.stopped.is_set()
        return slow.when - cancelled

    async def session(slow: Slow, client: Any) -> float:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "slow", {})
            await anyio.to_thread.run_sync(slow.started.wait, 10)
            cancelled = time.monotonic()
            tasks.cancel_scope.cancel()
        await anyio.to_thread.run_sync(slow.stopped.wait, 5)  # the connection stays open meanwhile
        return cancelled

    assert best_of(3, once, 0.1) < 0.1


@ERAS
def test_two_calls_run_at_once(serve: Any, era: str) -> None:
    slow = Slow(count=2)
    server = serve(more=[slow.tool])

    async def session(client: Any) -> str:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "slow", {})
            tasks.start_soon(client.call_tool, "slow", {})
            await anyio.to_thread.run_sync(slow.started.wait, 10)  # passes only when both are inside
            quick = await client.call_tool("git_status", {})  # and a third is answered meanwhile
            tasks.cancel_scope.cancel()
        return text(quick)

    assert ask(server, era, session).startswith("## ")
    assert slow.stopped.wait(5)


@ERAS
def test_progress_is_told(serve: Any, monkeypatch: Any, era: str) -> None:
    monkeypatch.setattr(telling, "TELL_SECONDS", 0.02)
    slow = Slow()
    server = serve(more=[slow.tool])
    told: list[tuple[float, float | None, str | None]] = []

    async def session(client: Any) -> None:
        enough = anyio.Event()

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total, message))
            if len(told) == 4:
                enough.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(client.call_tool, "slow", {}, progress_callback=hear))
            await anyio.to_thread.run_sync(slow.started.wait, 10)
            with anyio.fail_after(10):
                await enough.wait()
            tasks.cancel_scope.cancel()

    ask(server, era, session)
    numbers = [progress for progress, _, _ in told]
    assert numbers == sorted(set(numbers)) and numbers[0] == 0  # it grows, as the protocol demands
    assert all(total is None for _, total, _ in told)
    assert told[0][2] == "begun"
    assert str(told[1][2]).endswith(" turns")


def test_a_deadline_is_an_answer(serve: Any) -> None:
    from gitglass.limits import Limits

    slow = Slow(count=0)
    result = call(serve(more=[slow.tool], limits=Limits(timeout=0.2)), "legacy", "slow")
    assert result.is_error and "timeout" in text(result)


def test_progress_adds_up(monkeypatch: Any) -> None:
    monkeypatch.setattr(telling, "TELL_SECONDS", 0.0)
    told: list[Any] = []

    async def notify(*word: Any) -> None:
        told.append(word)

    async def run() -> None:
        progress = telling.Progress(notify)
        await progress("steps", 0, None)  # nothing yet
        await progress("steps", 100, None)
        await progress("commits", 64, 300)
        await progress("commits", 32, 300)  # never back
        await progress("commits", 128, 300)
        alone = telling.Progress(notify)
        await alone("files", 64, 300)

    anyio.run(run)
    assert told == [
        (100.0, None, "100 steps"),
        (164.0, None, "64 of 300 commits"),
        (228.0, None, "128 of 300 commits"),
        (64.0, 300.0, "64 of 300 files"),
    ]


def test_every_native_tool_is_served(serve: Any) -> None:
    assert [tool.name for tool in ask(serve(), "legacy", lambda client: client.list_tools()).tools] == list(NATIVE)
