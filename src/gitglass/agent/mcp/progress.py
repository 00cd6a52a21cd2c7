"""A call's progress as MCP reports it: at the start, now and then, and at the end, as a number that only grows.

A call counts several things one after the other (steps of a walk, commits of the answer); the protocol has one number
per request, and requires that it rises with each notification. So all counts are added up, and the message says what
was counted last.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

__all__ = ["Progress"]

#: seconds between two progress notifications of a long call
TELL_SECONDS = 0.25

#: (progress, total, message) → a notification
Notify = Callable[[float, float | None, str], Awaitable[None]]


class Progress:
    """One call's progress: an `AsyncProgress` (agent/aio.py) that passes some of the reports on to `notify`."""

    __slots__ = ("_counts", "_due", "_notify", "_reported")

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._counts: dict[str, int] = {}
        self._reported = 0
        self._due = time.monotonic() + TELL_SECONDS

    async def __call__(self, what: str, done: int, total: int | None) -> None:
        """Take a report: `done` of `total` have been done."""
        self._counts[what] = max(done, self._counts.get(what, 0))
        counted = sum(self._counts.values())
        now = time.monotonic()
        if now < self._due or counted <= self._reported:
            return
        self._due, self._reported = now + TELL_SECONDS, counted
        of = "" if total is None else f" of {total:,}"
        end = float(total) if total is not None and len(self._counts) == 1 else None
        await self._notify(float(counted), end, f"{done:,}{of} {what}")

    async def begin(self) -> None:
        """Notify that the call has started."""
        await self._notify(0.0, None, "begun")

    async def finish(self, message: str) -> None:
        """Notify that the answer is complete."""
        self._reported = max(sum(self._counts.values()), self._reported + 1)
        await self._notify(float(self._reported), float(self._reported), message)
