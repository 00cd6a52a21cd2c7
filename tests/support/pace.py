"""How much slower this machine is at the moment than the one that bounds of time are for.

Processor time depends on the neighbours too: they share the caches and the memory, and a virtual machine gets its pages
from a busy host. A test that holds a bound of time measures a fixed piece of work just before, or just after, and
stretches the bound by as much as that took longer than it takes on a machine that is left alone.
"""

import time
import zlib
from collections.abc import Callable

#: Seconds of `fixed_work` on two idle cores, at which the bounds are set.
USUAL_SECONDS = 0.008


def fixed_work() -> None:
    """Some of everything: pages touched for the first time, byte code, objects, and a loop in C."""
    pages = bytearray(8 << 20)
    for at in range(0, len(pages), 4096):
        pages[at] = 1
    zlib.crc32(pages)
    zlib.compress(bytes(pages[: 1 << 20]), 1)
    table = {str(number): [number] for number in range(10_000)}
    sorted(table, key=table.__getitem__, reverse=True)


def slowness(clock: Callable[[], float] = time.process_time, times: int = 3) -> float:
    """At least 1.0: how many times longer than usual fixed work takes by a clock, the worst of a few times."""
    worst = USUAL_SECONDS
    for _ in range(times):
        began = clock()
        fixed_work()
        worst = max(worst, clock() - began)
    return worst / USUAL_SECONDS


def is_too_long(seconds: float, bound: float, clock: Callable[[], float] = time.process_time) -> bool:
    """Whether what took so long by a clock broke its bound, stretched by how slow the machine is now."""
    return seconds > bound and seconds > bound * slowness(clock)


def best_of(tries: int, once: Callable[[], float], bound: float) -> float:
    """Seconds by the clock on the wall, in those of an idle machine: of the first try within the bound, or the best.

    Another process may have the machine for as long as a short bound, whatever the pace is.
    """
    best = float("inf")
    for _ in range(tries):
        best = min(best, once() / slowness(time.monotonic))
        if best < bound:
            break
    return best
