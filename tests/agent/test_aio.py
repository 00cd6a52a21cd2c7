"""agent/aio.py: the loop goes on, cancelling stops the work itself, progress is told on the loop."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import gitglass
from gitglass.agent import Roots, ToolContext, aio, tools
from gitglass.commands.log import LogRequest
from gitglass.limits import Context

from ..support.pace import best_of

TOOLS = {tool.name: tool for tool in tools()}


def busy(seconds: float, began: threading.Event, ended: list[float]) -> Callable[..., str]:
    """A job that ticks as an engine does, in pure Python."""

    def job(cancelled: Any, told: Any) -> str:
        ctx = Context(cancelled=cancelled, progress=told)
        until = time.monotonic() + seconds
        began.set()
        try:
            while time.monotonic() < until:
                sum(range(50))
                ctx.tick()
            return "done"
        finally:
            ended.append(time.monotonic())

    return job


def test_a_tool_call_is_awaited(unpack: Any) -> None:
    ctx = ToolContext(Roots(unpack("plain")))
    answer = asyncio.run(aio.call(TOOLS["git_log"], {"max_count": 2}, ctx))
    assert answer.body == TOOLS["git_log"].call({"max_count": 2}, ctx).body


def test_questions_to_a_repository(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))

    async def main() -> None:
        result, completed = await asyncio.gather(aio.run(repo, LogRequest(max_count=2)), aio.git(repo, ["log", "-n2"]))
        assert [commit.oid for commit in result.commits] == [c.oid for c in repo.log(max_count=2).commits]
        assert completed.stdout == repo.git(["log", "-n2"]).stdout
        with pytest.raises(gitglass.GitError):
            await aio.run(repo, LogRequest(revs=["nonesuch"]))

    asyncio.run(main())


def test_progress_may_be_a_plain_function() -> None:
    heard: list[tuple[str, int, int | None]] = []

    def job(cancelled: Any, report: Any) -> str:
        report("commits", 3, 7)
        return "done"

    async def main() -> str:
        return await aio.work(job, progress=lambda what, done, total: heard.append((what, done, total)))

    assert asyncio.run(main()) == "done"
    assert heard == [("commits", 3, 7)]


def test_the_first_report_and_the_last_are_heard_by_a_slow_host() -> None:
    heard: list[tuple[str, int, int | None]] = []

    def job(cancelled: Any, report: Any) -> None:
        for done in range(100):
            report("commits", done, 100)

    async def slowly(what: str, done: int, total: int | None) -> None:
        heard.append((what, done, total))
        await asyncio.sleep(0.001)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(aio.work(job, progress=slowly))
        await asyncio.sleep(0)
        time.sleep(0.05)  # the loop is busy while the thread reports
        await task
        assert loop.is_running()

    asyncio.run(main())
    assert heard[0] == ("commits", 0, 100) and heard[-1] == ("commits", 99, 100)


def test_a_command_line_takes_the_keywords_of_a_process(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    done = asyncio.run(aio.git(repo, ["cat-file", "--batch-check"], input="HEAD\n", text=True, check=True))
    assert done.stdout == repo.git(["cat-file", "--batch-check"], stdin=b"HEAD\n").stdout.decode()


@pytest.mark.clock
def test_the_loop_keeps_ticking_during_a_long_call() -> None:
    async def main() -> list[float]:
        gaps = []
        task = asyncio.create_task(aio.work(busy(0.5, threading.Event(), [])))
        last = time.monotonic()
        while not task.done():
            await asyncio.sleep(0.005)
            now = time.monotonic()
            gaps.append(now - last)
            last = now
        assert await task == "done"
        return gaps

    gaps = asyncio.run(main())
    assert len(gaps) >= 5  # of a hundred, had the machine nothing else to do; a blocked loop has one


async def stopped(how: Callable[[Awaitable[Any]], Awaitable[Any]]) -> tuple[float, float]:
    """Seconds from the cancellation until the awaiting side was back, and until the work itself had ended."""
    began, ended = threading.Event(), list[float]()
    pool = ThreadPoolExecutor(1)
    at = await how(aio.work(busy(30.0, began, ended), executor=pool))
    back = time.monotonic()
    await asyncio.get_running_loop().run_in_executor(None, pool.shutdown)
    assert began.is_set()
    return back - at, ended[0] - at


def within_100_ms(once: Callable[[], tuple[float, float]]) -> None:
    assert best_of(5, lambda: max(once()), 0.1) < 0.1


@pytest.mark.clock
def test_cancelling_the_task_stops_the_work() -> None:
    async def how(work: Any) -> float:
        task = asyncio.create_task(work)
        await asyncio.sleep(0.05)
        at = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return at

    within_100_ms(lambda: asyncio.run(stopped(how)))


@pytest.mark.clock
def test_a_timeout_of_asyncio_stops_the_work() -> None:
    async def how(work: Any) -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await work
        return time.monotonic()

    within_100_ms(lambda: asyncio.run(stopped(how)))


@pytest.mark.clock
def test_a_scope_of_anyio_stops_the_work() -> None:
    anyio = pytest.importorskip("anyio")

    async def how(work: Any) -> float:
        with anyio.move_on_after(0.05) as scope:
            await work
        assert scope.cancelled_caught
        return time.monotonic()

    async def main() -> tuple[float, float]:
        return await stopped(how)

    within_100_ms(lambda: anyio.run(main))


def test_a_call_that_waits_for_a_thread_is_never_begun() -> None:
    async def main() -> None:
        pool = ThreadPoolExecutor(1)
        gate = threading.Event()
        first = asyncio.create_task(aio.work(lambda cancelled, told: gate.wait(5), executor=pool))
        begun: list[bool] = []
        second = asyncio.create_task(aio.work(lambda cancelled, told: begun.append(True), executor=pool))
        await asyncio.sleep(0.02)
        second.cancel()
        await asyncio.sleep(0)
        gate.set()
        assert await first is True
        pool.shutdown()
        assert not begun

    asyncio.run(main())


def test_the_timeout_of_a_call_answers_with_what_was_found(unpack: Any) -> None:
    ctx = ToolContext(Roots(unpack("plain")))
    answer = asyncio.run(aio.call(TOOLS["git_log"], {"mode": "patch"}, ctx, timeout=0.0))
    assert answer.error is not None and answer.error["code"] == "timeout" and answer.truncated
    assert ctx.limits.timeout == 30.0


def test_the_host_s_own_flag_still_counts(unpack: Any) -> None:
    ctx = ToolContext(Roots(unpack("plain")), cancelled=lambda: True)
    answer = asyncio.run(aio.call(TOOLS["git_log"], {}, ctx))
    assert answer.error is not None and answer.error["code"] == "cancelled"


def test_progress_is_told_on_the_loop(unpack: Any) -> None:
    heard: list[tuple[str, int, int | None]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()

        async def tell(what: str, done: int, total: int | None) -> None:
            assert asyncio.get_running_loop() is loop
            await asyncio.sleep(0.001)
            heard.append((what, done, total))

        await aio.call(TOOLS["git_files"], {}, ToolContext(Roots(unpack("plain"))), progress=tell)

    asyncio.run(main())
    assert heard[0] == ("steps", 0, None) and heard[-1] == ("paths", 9, 9)


def test_a_slow_host_hears_the_newest_only_and_never_holds_up_the_work() -> None:
    heard: list[int] = []

    def job(cancelled: Any, told: Any) -> None:
        for done in range(1000):
            told("steps", done, 1000)

    async def tell(what: str, done: int, total: int | None) -> None:
        await asyncio.sleep(0.02)
        heard.append(done)

    asyncio.run(aio.work(job, progress=tell))
    assert heard[-1] == 999 and len(heard) < 100 and heard == sorted(heard)


def test_what_progress_raises_is_raised() -> None:
    async def tell(what: str, done: int, total: int | None) -> None:
        raise ValueError("the host's own")

    with pytest.raises(ValueError, match="the host's own"):
        asyncio.run(aio.work(lambda cancelled, told: told("steps", 1, None), progress=tell))


def test_other_threads_have_their_turn_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an index of 100,000 entries a client of the MCP server waited for 230 ms of the work's time, which a look
    at each file interrupts for microseconds only."""
    moments: list[float] = []
    clock = iter([1.0, 1.0, 1.005, 1.011, 1.011])
    monkeypatch.setattr(aio.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(aio.time, "sleep", moments.append)
    answers = iter([False, False, True])
    asked = aio.in_turns(lambda: next(answers))
    assert [asked(), asked(), asked()] == [False, False, True]
    assert len(moments) == 2 and all(0 < moment < 0.001 for moment in moments)
