"""The operating system's limits for `gitglass --jail`: a deadline and a memory ceiling behind the engines' own.

Engines look at the clock in their loops and announce what is large. A loop that does not look is ended here by an
alarm, and an allocation that was not announced fails. Only the command line does this: the signals and limits of a host
are the host's.
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

#: Seconds after the deadline: the engines' own look at the clock comes first. Also how long the last output may take.
GRACE = 0.25
#: Bytes that an interpreter with everything loaded maps without using them.
ROOM = 256 << 20


class Alarm:
    """Ends the process after the deadline: what was answered so far goes out, then one line on stderr, status 124.

    Nothing is raised. A signal's handler runs between any two steps of the program: an exception from it may come up in
    a destructor, where Python prints it as a traceback and goes on, or where another error is being reported already.
    The process only reads, so that leaving it at once loses nothing.
    """

    def __init__(self, out: BinaryIO, *, before: bytes = b"") -> None:
        """`out` is where the answer goes; `before` is written in front of the line (what clears a terminal's line)."""
        self._out = out
        self._before = before
        self._limit = 0.0
        self._stopped = False
        self._stage = 0
        self._space: tuple[int, int] | None = None
        self._hook = sys.unraisablehook

    def start(self, limits: Limits) -> None:
        """Set the alarm, and the ceiling of the address space, until `end`."""
        if limits.timeout is not None and hasattr(signal, "setitimer"):
            self._limit = limits.timeout
            signal.signal(signal.SIGALRM, self._ring)
            # more than once: what is written in `_ring` may have to wait for a reader that does not come
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
        """The answer is complete, or the error that ended it is being reported.

        The handler stays: a signal on its way would find none, which Python reports on stderr as well.
        """
        if not self._stopped:
            self._stopped = True
            if self._limit:
                signal.setitimer(signal.ITIMER_REAL, 0)

    def end(self) -> None:
        """Leave the process as it was: `main` may be called by a program that goes on."""
        self.stop()
        sys.unraisablehook = self._hook
        if self._space is not None:
            resource.setrlimit(resource.RLIMIT_AS, self._space)
            self._space = None

    def _ring(self, number: int, frame: FrameType | None) -> None:
        """The handler. Where a step waits for a reader that does not come, the next alarm goes on to the next step."""
        if self._stopped:
            return
        error = Timeout(f"the time limit of {self._limit:g} seconds has passed", limit=self._limit)
        if self._stage == 0:
            self._stage = 1
            try:
                self._out.flush()
            except (OSError, RuntimeError, ValueError):
                pass  # the reader went away, or the alarm came within a write, whose rest is lost
        if self._stage == 1:
            self._stage = 2
            try:
                os.write(2, self._before + error.words())
            except OSError:
                pass
        os._exit(error.status)


def _ignore(unraisable: object) -> None:
    """Replaces Python's report of an exception in a destructor, which here is nearly always a MemoryError."""
