"""What a call may spend, and the context that keeps count.

`Limits` is the caller's wish and travels in pickles; `Context` lives for one call: it holds the moment "now", the
deadline, the cancel flag, the progress callback, and gathers what is to be said beside the answer. Engines call
`ctx.tick()` in every loop over repository data; the clock is looked at every `_STRIDE` ticks only, so that a tick
costs some forty nanoseconds.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .errors import Cancelled, Timeout, TooLarge

_STRIDE = 32

#: How often, in seconds, a caller's progress callback hears of a long call; nothing is said before the first of them.
REPORT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings of one call; None means none.

    `timeout` is in seconds; the sizes are in bytes. The defaults suit an agent's host; `Limits.generous()` suits a
    person at a terminal.
    """

    timeout: float | None = 30.0
    max_object_bytes: int = 512 << 20
    max_memory_bytes: int = 1 << 30
    max_output_bytes: int | None = 256 << 20
    max_cache_bytes: int = 96 << 20

    @classmethod
    def generous(cls) -> "Limits":
        """No deadline and no bound on the output: what the command line uses."""
        return cls(timeout=None, max_object_bytes=4 << 30, max_memory_bytes=8 << 30, max_output_bytes=None)


class Context:
    """One call's budget and voice.

    `now` is the moment the call began, in epoch seconds; whatever needs "now" takes it from here. `exit_status` is what
    the command line ends with when no error is raised (`git diff --exit-code` sets 1). `stderr` gathers git's warnings
    as whole lines, beside the lists of a handle's own complaints in `voices`; `notes` gathers what the typed result
    should mention (a setting that was not honoured, say). `progress` is told (what is counted, how many, of how many or
    None) every half second of a long call.
    """

    __slots__ = (
        "_count",
        "_deadline",
        "_next_report",
        "cancelled",
        "exit_status",
        "limits",
        "notes",
        "now",
        "policy",
        "progress",
        "stderr",
        "voices",
    )

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        now: float | None = None,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.now = int(time.time() if now is None else now)
        self.cancelled = cancelled
        self.progress = progress
        self.policy: Any = None
        self.exit_status = 0
        self.stderr: list[bytes] = []
        self.notes: list[str] = []
        self.voices: list[list[str]] = []
        self._count = 0
        timeout = self.limits.timeout
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._next_report = time.monotonic() + REPORT_SECONDS if progress is not None else 0.0

    def tick(self) -> None:
        """One step of work. Raises `Timeout` or `Cancelled`."""
        self._count += 1
        if not self._count % _STRIDE:
            self.check()

    def check(self) -> None:
        """Look at the clock and the cancel flag now; for steps that are long in themselves."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise Timeout(f"the time limit of {self.limits.timeout:g} seconds has passed", limit=self.limits.timeout)
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("cancelled")
        if self.progress is not None:
            self._report(self.progress)

    def _report(self, progress: Callable[[str, int, int | None], None]) -> None:
        now = time.monotonic()
        if now >= self._next_report:
            self._next_report = now + REPORT_SECONDS
            progress("steps", self._count, None)

    def remaining(self) -> float | None:
        """Seconds until the deadline (never below a millisecond), or None where there is none."""
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0.001)

    def admit(self, size: int, what: str) -> None:
        """Refuse an object larger than the limit, by name."""
        if size > self.limits.max_object_bytes:
            raise TooLarge(f"{what} is too large: {size} bytes", limit=self.limits.max_object_bytes, size=size)

    def warn(self, message: str) -> None:
        """A line `warning: …` on stderr."""
        self.say(b"warning: " + message.encode("utf-8", "surrogateescape") + b"\n")

    def say(self, line: bytes) -> None:
        """A raw line (with its newline) on stderr."""
        self.stderr.append(line)

    def spoken(self) -> list[bytes]:
        """All lines that are due on stderr, each once: what handles complain of (`voices`), then the warnings."""
        lines = [
            line.encode("utf-8", "surrogateescape") + b"\n" for voice in self.voices for line in voice
        ] + self.stderr
        for voice in self.voices:
            voice.clear()
        self.stderr = []
        return lines

    def note(self, message: str) -> None:
        """Something a typed result should mention; said once."""
        if message not in self.notes:
            self.notes.append(message)
