"""The stores and the budget with which all parts of a jailed repository read: a store for each thread.

dulwich's tools read one object after the other and never say when they begin or end. So a `Reading` stands for one
piece of work: its deadline and its memory count from the moment it was made (or `renew`ed), and each thread that
reads gets a store and a context of its own.
"""

from threading import local
from time import monotonic
from typing import cast

from ..limits import Context, Limits
from ..repo.store import Shared, Store


class Reading:
    """The stores and contexts of one jailed repository; safe for threads."""

    def __init__(self, first: Store, limits: Limits) -> None:
        self.limits = limits
        self._shared = Shared(first)
        self._local = local()
        self._turn: object = None
        self.renew()

    def renew(self) -> None:
        """Begin another piece of work: deadline and memory count from now, and settings are read again."""
        self._turn = object()
        timeout = self.limits.timeout
        self._deadline = None if timeout is None else monotonic() + timeout

    def own(self) -> tuple[Store, Context]:
        """The store and the context of the calling thread. The caller enters the context before it reads."""
        mine = self._local.__dict__
        if mine.get("turn") is not self._turn:
            store: Store = mine.get("store") or self._shared.mine()
            limits = self.limits
            if self._deadline is not None:
                limits = limits.replace(timeout=max(self._deadline - monotonic(), 0.0))
            ctx = Context(limits)
            with ctx:
                store.refresh()
            mine.update(store=store, both=(store, ctx), turn=self._turn)
        return cast(tuple[Store, Context], mine["both"])

    def close(self) -> None:
        """Close the opened files that no thread is reading."""
        self._shared.close()
        self._local = local()
        self._turn = object()
