"""How long work goes on without a look at the clock, measured in this process: for tests of one loop.

`stretches.py` measures whole questions from another process; what is asked here is so small that it ends by itself.
"""

import time
from collections.abc import Callable
from functools import partial

import pytest
from tests.support.pace import is_too_long

from gitglass.limits import Context, Limits

#: Seconds of processor time between two looks.
BOUND = 0.25
TRIES = 3
FREE = Limits(timeout=None)


class _Clocked(Context):
    """Keeps the longest stretch between two looks."""

    __slots__ = ("last", "longest")

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self.longest, self.last = 0.0, time.process_time()

    def look(self) -> float:
        self.mark()
        return super().look()

    def mark(self) -> None:
        now = time.process_time()
        self.longest, self.last = max(self.longest, now - self.last), now


def longest_stretch(work: Callable[[], object], limits: Limits, error: type[Exception] | None) -> float:
    """Seconds of processor time; the work is to end with an error of this kind, if one is given."""
    ctx = _Clocked(limits)
    with ctx:
        if error is None:
            work()
        else:
            with pytest.raises(error):
                work()
    ctx.mark()
    return ctx.longest


def assert_paced(work: Callable[[], object], *, limits: Limits = FREE, error: type[Exception] | None = None) -> None:
    """The work looks at the clock often enough."""
    once = partial(longest_stretch, work, limits, error)
    best = min(once() for _ in range(TRIES)) if once() > BOUND else 0.0
    assert not is_too_long(best, BOUND), f"{best:.2f} s without a look at the clock"
