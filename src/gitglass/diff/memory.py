"""What comparisons of objects came to, kept as long as the object database is open.

Objects never change, so what two of them came to holds for good: a second question on one handle reads no file again
only to count the same lines. Each kind of fact has a bound of its own; what is full starts anew.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from ..objects.database import Odb

__all__ = ["Facts", "Memory", "memory_of"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Facts(Generic[K, V]):
    """A bounded dictionary. `weight` says how much an entry counts; safe for threads."""

    __slots__ = ("_held", "_known", "_most", "get")

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._known: dict[K, V] = {}
        self.get = self._known.get

    def put(self, key: K, value: V, weight: int = 1) -> V:
        """Keep a fact, and hand it back."""
        self._held += weight
        if self._held > self._most:
            self._known.clear()
            self._held = weight
        self._known[key] = value
        return value


class Memory:
    """The facts of one object database.

    `sizes` and `binary` are of blobs by oid; `counts` (lines added, lines deleted), `scripts` (`lines.Pair.saved`) and
    `scores` (similarity) of pairs of blobs and whatever of the question bears on the answer.
    """

    __slots__ = ("binary", "counts", "scores", "scripts", "sizes")

    def __init__(self) -> None:
        self.sizes: Facts[bytes, int] = Facts(40_000)
        self.binary: Facts[bytes, bool] = Facts(40_000)
        self.counts: Facts[tuple[Hashable, ...], tuple[int, int]] = Facts(20_000)
        self.scores: Facts[tuple[bytes, bytes, int], int] = Facts(40_000)
        self.scripts: Facts[tuple[Hashable, ...], tuple[object, ...]] = Facts(60_000)


def memory_of(odb: Odb) -> Memory:
    """The one Memory of an object database."""
    memory: Memory | None = odb.memo.get("comparisons")
    if memory is None:
        memory = odb.memo["comparisons"] = Memory()
    return memory
