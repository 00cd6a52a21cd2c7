"""Bloom filters of changed paths, as a commit-graph may carry them: "this commit certainly does not touch that path".

A filter knows which paths, and which directories above them, differ between a commit and its first parent. Each path
sets a few bits, picked by two Murmur3 hashes of it. A filter without the bits of a path says no for certain;
otherwise, or where there is no filter, the trees have to be compared.
"""

from __future__ import annotations

from ..store.commitgraph import CommitGraph
from ..store.store import Store

SEEDS = (0x293AE76F, 0x7E646E2C)
MASK = 0xFFFFFFFF
MAX_PATHS = 64


def murmur3(data: bytes, seed: int) -> int:
    """Murmur3 of 32 bits, as version 1 of the filters has it: bytes above 0x7f count as negative numbers."""
    value = seed
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        value ^= _mix(_word(data[at : at + 4]))
        value = (_rotate(value, 13) * 5 + 0xE6546B64) & MASK
    if whole < len(data):
        value ^= _mix(_word(data[whole:], exclusive=True))
    value ^= len(data)
    value ^= value >> 16
    value = (value * 0x85EBCA6B) & MASK
    value ^= value >> 13
    value = (value * 0xC2B2AE35) & MASK
    return value ^ (value >> 16)


def _word(data: bytes, *, exclusive: bool = False) -> int:
    word = 0
    for nth, byte in enumerate(data):
        piece = (((byte - 256) if byte > 127 else byte) << (8 * nth)) & MASK
        word = word ^ piece if exclusive else word | piece
    return word


def _rotate(value: int, by: int) -> int:
    return ((value << by) | (value >> (32 - by))) & MASK


def _mix(chunk: int) -> int:
    return (_rotate((chunk * 0xCC9E2D51) & MASK, 15) * 0x1B873593) & MASK


class BloomQuery:
    """The bits of some paths, ready to be looked for in many filters."""

    __slots__ = ("graph", "hashes", "keys")

    def __init__(self, graph: CommitGraph, paths: list[bytes], hashes: int) -> None:
        self.graph = graph
        self.hashes = hashes
        self.keys: list[list[list[int]]] = []  # for each path, for each directory on it: the numbers before modulo
        for path in paths:
            names = path.rstrip(b"/").split(b"/")
            self.keys.append([self._numbers(b"/".join(names[:depth])) for depth in range(len(names), 0, -1)])

    def _numbers(self, path: bytes) -> list[int]:
        first, second = murmur3(path, SEEDS[0]), murmur3(path, SEEDS[1])
        return [(first + nth * second) & MASK for nth in range(self.hashes)]

    def maybe(self, oid: bytes) -> bool:
        """False when the commit certainly leaves all the paths as its first parent has them."""
        bits = self.graph.changed_paths(oid)
        if not bits:
            return True
        size = len(bits) * 8
        for levels in self.keys:
            if all(bits[(n % size) >> 3] >> ((n % size) & 7) & 1 for numbers in levels for n in numbers):
                return True
        return False


def make_bloom_query(store: Store, paths: list[bytes]) -> BloomQuery | None:
    """A query for plain paths, or None where there are no usable filters."""
    graph = store.odb.graph
    if graph is None or graph.bloom is None or len(paths) > MAX_PATHS or not all(paths):
        return None
    version, hashes, _ = graph.bloom
    if version != 1 or not store.config.get_bool("core.commitGraph", True):
        return None
    return BloomQuery(graph, paths, hashes)
