"""The operating system's limits for `gitglass --jail`: a deadline and a memory limit in addition to those of the
engines.

Engines look at the clock in their loops and announce large allocations. Here, an alarm ends a loop that does not look
at the clock, and an allocation that was not announced fails. Only the command line does this: a host program controls
its own signals and limits.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from ..annotations import TYPE_CHECKING
from ..errors import Timeout
from ..limits import Limits

if TYPE_CHECKING:
    from typing import BinaryIO

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

#: Seconds after the deadline, so that the engines' own check comes first. Also the time limit of the last output.
GRACE = 0.25
#: Bytes of address space that an interpreter with all modules maps without using them.
ROOM = 256 << 20


class Alarm:
    """Ends the process after the deadline: the output so far is flushed, then one line goes to stderr, status 124.

    No exception is raised. A signal handler runs between any two steps of the program: an exception in it could occur
    in a destructor, where Python prints a traceback and goes on, or while another error is being reported. The process
    only reads, so that ending it at once loses nothing.
    """

    def __init__(self, out: BinaryIO, *, before: bytes = b"") -> None:
        """`out` is the stream of the answer; `before` is written before the line (it clears a progress line)."""
        self._out = out
        self._before = before
        self._limit = 0.0
        self._stopped = False
        self._stage = 0
        self._space: tuple[int, int] | None = None
        self._hook = sys.unraisablehook

    def start(self, limits: Limits) -> None:
        """Set the alarm, and the limit of the address space, until `end`."""
        if limits.timeout is not None and hasattr(signal, "setitimer"):
            self._limit = limits.timeout
            signal.signal(signal.SIGALRM, self._ring)
            # repeatedly: output in `_ring` may block on a reader that does not read
            signal.setitimer(signal.ITIMER_REAL, limits.timeout + GRACE, GRACE)
        if resource is not None and sys.platform != "darwin":
            most = limits.max_memory_bytes + ROOM
            soft, hard = resource.getrlimit(resource.RLIMIT_AS)
            if hard == resource.RLIM_INFINITY or hard >= most:
                self._space = soft, hard
                resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        if not sys.flags.dev_mode:
            sys.unraisablehook = _ignore

    def stop(self) -> None:
        """Stop the alarm when the answer is complete, or the error that ended it is being reported.

        The handler stays: without it, Python would report a pending signal on stderr as well.
        """
        if not self._stopped:
            self._stopped = True
            if self._limit:
                signal.setitimer(signal.ITIMER_REAL, 0)

    def end(self) -> None:
        """Restore the state of the process: the program that called `main` may go on."""
        self.stop()
        sys.unraisablehook = self._hook
        if self._space is not None:
            resource.setrlimit(resource.RLIMIT_AS, self._space)
            self._space = None

    def _ring(self, number: int, frame: FrameType | None) -> None:
        """The handler. If a step blocks on a reader that does not read, the next alarm continues with the next step."""
        if self._stopped:
            return
        error = Timeout(f"the time limit of {self._limit:g} seconds has passed", limit=self._limit)
        if self._stage == 0:
            self._stage = 1
            try:
                self._out.flush()
            except (OSError, RuntimeError, ValueError):
                pass  # the reader is gone, or the alarm interrupted a write, whose rest is lost
        if self._stage == 1:
            self._stage = 2
            try:
                os.write(2, self._before + error.words())
            except OSError:
                pass
        os._exit(error.status)


def _ignore(unraisable: object) -> None:
    """Replaces Python's report of an exception in a destructor, which here is nearly always a MemoryError."""
