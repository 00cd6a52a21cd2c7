"""The stores of one handle that many threads use."""

from _thread import allocate_lock as Lock
from _thread import get_ident

from .store import Store

_MOST_THREADS = 64


class Shared:
    """The stores of one handle, which many threads may use. `first` is the one it was opened with.

    A Store's data of HEAD, index, configuration and warnings belongs to one command, and the next command reads it
    again; two simultaneous commands on one Store would disturb each other. So each has its own. They share data that
    stays valid: open packs, and what is remembered of objects (`memories.ByOid`).
    """

    __slots__ = ("_idle", "_lock", "_mine", "first")

    def __init__(self, first: Store) -> None:
        self.first = first
        self._idle = [first]
        self._lock = Lock()
        self._mine: dict[int, Store] = {}

    def take(self) -> Store:
        """A store that is not in use; if there are several, the one used last."""
        try:
            return self._idle.pop()
        except IndexError:
            return self.first.sibling()

    def give(self, store: Store) -> None:
        """Return a store to the pool after its call."""
        self._idle.append(store)

    def mine(self) -> Store:
        """The store of the calling thread, for callers that do not report when they are done."""
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
        """Close the stores that are not in use."""
        for store in self._idle:
            store.close()
