"""One handle for many threads: every call has a Store for itself.

What a Store has read of HEAD, index, configuration and complaints belongs to one command, and a command that begins
reads it again; two commands at once on one Store would take it from each other. So each has its own. They share what
stays true: open packs, and what is remembered of objects (`memories.ByOid`).
"""

from threading import Lock, get_ident

from .store import Store

_MOST_THREADS = 64


class Shared:
    """The stores of one handle. `first` is the one it was opened with."""

    __slots__ = ("_idle", "_lock", "_mine", "first")

    def __init__(self, first: Store) -> None:
        self.first = first
        self._idle = [first]
        self._lock = Lock()
        self._mine: dict[int, Store] = {}

    def take(self) -> Store:
        """A store that is not in use; of several the one that was used last."""
        try:
            return self._idle.pop()
        except IndexError:
            return self.first.sibling()

    def give(self, store: Store) -> None:
        """The call is over."""
        self._idle.append(store)

    def mine(self) -> Store:
        """The store of the calling thread, for callers that cannot say when they are done."""
        thread = get_ident()
        store = self._mine.get(thread)
        if store is None:
            store = self.take()
            with self._lock:
                while len(self._mine) >= _MOST_THREADS:  # not closed: its thread may be reading
                    del self._mine[next(iter(self._mine))]
                self._mine[thread] = store
        return store

    def close(self) -> None:
        """Let go of everything that no call uses."""
        for store in self._idle:
            store.close()
