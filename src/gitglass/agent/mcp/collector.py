"""Python's collector of circular garbage, kept away from calls: while it goes through everything, and of a big answer
there are a million objects, no other client is answered."""

from __future__ import annotations

import gc
import time

__all__ = ["Collector"]


class Collector:
    """Off while calls are under way (a `with` block each, in the thread of the event loop). Calls that overlap without
    an end do not keep it away for ever: after some seconds it runs between two of them."""

    #: seconds after which it runs all the same
    patience = 10.0

    def __init__(self) -> None:
        self._calls = 0
        self._since = 0.0
        self._usual = False

    def __enter__(self) -> None:
        if not self._calls:
            self._usual, self._since = gc.isenabled(), time.monotonic()
            gc.disable()
        self._calls += 1

    def __exit__(self, *_: object) -> None:
        self._calls -= 1
        if not self._usual:
            return
        if not self._calls:
            gc.enable()
        elif time.monotonic() - self._since > self.patience:
            gc.collect()
            self._since = time.monotonic()
