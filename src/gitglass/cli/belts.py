"""The second belt of `gitglass --jail`: the operating system holds what the engines promise to hold themselves.

Engines look at the clock in their loops and announce what is large; a loop that forgot is stopped here, by an alarm
that raises in Python's own thread, and an allocation that nobody announced fails. Only the command line does this: a
host's signals and limits are the host's.
"""

import signal
import sys
from types import FrameType

from ..errors import Timeout
from ..limits import Limits

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_GRACE = 0.25
#: What an interpreter with everything loaded maps without using it.
_ROOM = 256 << 20


def fasten(limits: Limits) -> None:
    """Put both on, for the rest of this process."""
    if limits.timeout is not None and hasattr(signal, "setitimer"):
        seconds = limits.timeout

        def late(number: int, frame: FrameType | None) -> None:
            raise Timeout(f"the time limit of {seconds:g} seconds has passed", limit=seconds)

        signal.signal(signal.SIGALRM, late)
        # again and again: the first may come where errors are not let through
        signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE, _GRACE)
    if resource is not None and sys.platform != "darwin":
        most = limits.max_memory_bytes + _ROOM
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or hard >= most:
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def loosen() -> None:
    """No alarm any more, one that is on its way included: the answer is out, or its error is being told."""
    if hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
