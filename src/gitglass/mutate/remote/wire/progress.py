"""How far a transfer is, told to whoever asked (`Writer.plan`, `Writer.apply`): what is counted, how many, of how many.

A transfer is told of at its beginning, a few times a second, and at its end.
"""

from __future__ import annotations

import time

from ....limits import Context

_SECONDS = 0.1


class Counter:
    """One count of a call: bytes received, objects taken in, objects sent."""

    def __init__(self, ctx: Context, what: str, total: int | None = None) -> None:
        self._ctx, self._what, self._total = ctx, what, total
        self._done, self._due = 0, 0.0

    def add(self, count: int = 1) -> None:
        """So many more. Raises Timeout and Cancelled as a step of work does."""
        self._ctx.tick()
        self._done += count
        if self._ctx.progress is not None and (now := time.monotonic()) >= self._due:
            self._due = now + _SECONDS
            self._ctx.progress(self._what, self._done, self._total)

    def finish(self) -> None:
        """All of it is done."""
        if self._ctx.progress is not None and self._done:
            self._ctx.progress(self._what, self._done, self._total or self._done)
