"""Bloom filters of changed paths, as a commit-graph may carry them: "this commit certainly does not touch that path".

A filter holds which paths, and which directories above them, differ between a commit and its first parent. Each path
sets a few bits, chosen by two Murmur3 hashes of the path. If a filter lacks a bit of a path, the commit certainly does
not change that path; otherwise, or without a filter, the trees have to be compared.
"""

from __future__ import annotations

from ..objects.commit_graph import CommitGraph
from ..repo.store import Store

SEEDS = (0x293AE76F, 0x7E646E2C)
MASK = 0xFFFFFFFF
MAX_PATHS, MAX_HASHES = 64, 64


def murmur3(data: bytes, seed: int) -> int:
    """32-bit Murmur3 as version 1 of the filters computes it: bytes above 0x7f count as negative numbers."""
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
    """The bits of some paths, computed once to be tested in many filters."""

    __slots__ = ("_graph", "filters", "keys")

    def __init__(self, graph: CommitGraph, paths: list[bytes], hashes: int) -> None:
        self._graph = graph
        self.filters = graph.filters_read
        self.keys: list[list[tuple[int, int]]] = []  # for each path: the bits of it and of all directories above it
        for path in paths:
            names = path.rstrip(b"/").split(b"/")
            prefixes = [b"/".join(names[:depth]) for depth in range(len(names), 0, -1)]
            self.keys.append([bit for directory in prefixes for bit in _bits(directory, hashes)])

    def maybe(self, oid: bytes) -> bool:
        """False if the commit certainly has the same content in all the paths as its first parent."""
        position = self._graph.position(oid)
        return position is None or self.maybe_at(position)

    def maybe_at(self, position: int) -> bool:
        """`maybe` by the commit's position in the graph; True for a position outside of it."""
        ends, data = self.filters
        try:
            start = ends[position]
            size = ends[position + 1] - start
        except IndexError:
            data, start = self._graph.changed_paths(position) or b"", 0
            size = len(data)
            self.filters = self._graph.filters_read
        if size <= 0:
            return True
        for bits in self.keys:
            for byte, bit in bits:
                if not data[start + byte % size] & bit:
                    break
            else:
                return True
        return False


def _bits(path: bytes, hashes: int) -> list[tuple[int, int]]:
    """(byte, bit within it) for each hash of a path; the byte is taken modulo the size of a filter."""
    first, second = murmur3(path, SEEDS[0]), murmur3(path, SEEDS[1])
    numbers = [(first + nth * second) & MASK for nth in range(hashes)]
    return [(number >> 3, 1 << (number & 7)) for number in numbers]


def make_bloom_query(store: Store, paths: list[bytes]) -> BloomQuery | None:
    """A query for plain paths, or None if there are no usable filters."""
    graph = store.odb.graph
    if graph is None or graph.bloom is None or len(paths) > MAX_PATHS or not all(paths):
        return None
    version, hashes, _ = graph.bloom
    if version != 1 or hashes > MAX_HASHES or not store.config.get_bool("core.commitGraph", True):
        return None
    return BloomQuery(graph, paths, hashes)
