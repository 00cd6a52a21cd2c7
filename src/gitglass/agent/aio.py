"""Async use: tool calls and repository commands that can be awaited and never block the event loop.

    answer = await aio.call(tool, {"max_count": 5}, ctx, timeout=10, progress=tell)
    result = await aio.run(repo, LogRequest(revs=["main"]))
    stdout = (await aio.git(repo, ["log", "--oneline"])).stdout

The work is done in a thread of the loop's own pool. Cancelling the awaiting task, by whatever means (`asyncio.timeout`,
a task group, an anyio scope), stops the work itself: the thread sees it at its next tick and ends, within milliseconds.
Progress is reported on the loop, to a function or a coroutine function; if the host is slower than the work, it gets
only the newest report. No thread ever waits for the host.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import replace
from typing import Any, TypeVar

from ..completed import Argument, Completed
from ..repository import Repository
from ..request.declared import Declared
from ..request.request import Request
from .answer import ToolAnswer
from .tool import Tool, ToolContext

__all__ = ["AsyncProgress", "call", "git", "run", "work"]

#: seconds of work between two moments for other threads, and how long one is
_TURN, _MOMENT = 0.01, 0.0001

R = TypeVar("R", bound=Declared)
T = TypeVar("T")

#: called on the loop with (what is counted, number done, total or None); the result is awaited if it is awaitable
AsyncProgress = Callable[[str, int, int | None], Awaitable[object] | object]
Cancelled = Callable[[], bool]
Progress = Callable[[str, int, int | None], None]


async def work(
    job: Callable[[Cancelled, Progress | None], T],
    *,
    progress: AsyncProgress | None = None,
    executor: Executor | None = None,
) -> T:
    """Do a job in a thread. It gets `cancelled`, to call now and then, and `progress`, to report to.

    Exceptions of the job are raised here; so are those of the host's progress function, once the job is done.
    """
    loop = asyncio.get_running_loop()
    stopped = threading.Event()
    teller = None if progress is None else _Teller(loop, progress)
    context = copy_context()
    future = loop.run_in_executor(
        executor, lambda: context.run(job, in_turns(stopped.is_set), None if teller is None else teller.heard)
    )
    try:
        done = await future
    except BaseException:  # cancelled or failed: in both cases nobody waits for the answer any more
        stopped.set()
        if teller is not None:
            teller.stop()
        raise
    if teller is not None:
        await teller.finish()
    return done


def in_turns(cancelled: Cancelled) -> Cancelled:
    """The same question; whoever asks it waits for a moment now and then, in which other threads have their turn.

    A thread that gives up Python's lock for many short system calls has it back before anybody wakes; the loop, which
    asks for the lock after five milliseconds without such a call, then waits for hundreds of them.
    """
    due = 0.0

    def asked() -> bool:
        nonlocal due
        if time.monotonic() > due:
            time.sleep(_MOMENT)
            due = time.monotonic() + _TURN
        return cancelled()

    return asked


class _Teller:
    """Passes progress from the thread to the loop, with one call of the host's function at a time.

    The host gets the first report, and the newest of those that arrive while it is busy.
    """

    __slots__ = ("_begun", "_loop", "_progress", "_task", "_waiting")

    def __init__(self, loop: asyncio.AbstractEventLoop, progress: AsyncProgress) -> None:
        self._loop, self._progress = loop, progress
        self._waiting: list[tuple[str, int, int | None]] = []
        self._begun = False
        self._task: asyncio.Task[None] | None = None

    def heard(self, what: str, done: int, total: int | None) -> None:
        """Take a report; called in the thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, (what, done, total))

    def _take(self, word: tuple[str, int, int | None]) -> None:
        if len(self._waiting) > (0 if self._begun else 1):  # the first report is never replaced
            self._waiting[-1] = word
        else:
            self._waiting.append(word)
        if self._task is None:
            self._task = self._loop.create_task(self._tell())

    async def _tell(self) -> None:
        while self._waiting:
            word = self._waiting.pop(0)
            self._begun = True
            answer = self._progress(*word)
            if inspect.isawaitable(answer):
                await answer
        self._task = None

    def stop(self) -> None:
        """Report nothing more."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()

    async def finish(self) -> None:
        """Wait until all reported progress has been delivered."""
        if self._task is not None:
            await self._task


async def call(
    tool: Tool,
    arguments: dict[str, Any] | None,
    ctx: ToolContext,
    *,
    timeout: float | None = None,
    progress: AsyncProgress | None = None,
    executor: Executor | None = None,
) -> ToolAnswer:
    """`tool.call`, awaited. `timeout`, in seconds, shortens the context's; on timeout the answer holds what was found
    by then."""
    limits = ctx.limits
    if timeout is not None and (limits.timeout is None or timeout < limits.timeout):
        limits = limits.replace(timeout=timeout)

    def job(cancelled: Cancelled, progress: Progress | None) -> ToolAnswer:
        own = ctx.cancelled
        asked = cancelled if own is None else lambda: cancelled() or own()
        return tool.call(arguments, replace(ctx, limits=limits, cancelled=asked, progress=progress or ctx.progress))

    return await work(job, progress=progress, executor=executor)


async def run(
    repo: Repository,
    request: Request[R],
    *,
    progress: AsyncProgress | None = None,
    executor: Executor | None = None,
) -> R:
    """`repo.run`, awaited. The deadline is that of the handle's limits; it raises `Timeout`."""
    return await work(
        lambda cancelled, reported: repo.run(request, cancelled=cancelled, progress=reported),
        progress=progress,
        executor=executor,
    )


async def git(
    repo: Repository,
    argv: Sequence[Argument],
    *,
    progress: AsyncProgress | None = None,
    executor: Executor | None = None,
    **streams: Any,
) -> Completed[Any]:
    """`repo.git`, awaited, with its keywords: `stdin`, `input`, `text`, `check`, `timeout` …"""
    return await work(
        lambda cancelled, report: repo.git(argv, cancelled=cancelled, progress=report, **streams),
        progress=progress,
        executor=executor,
    )
