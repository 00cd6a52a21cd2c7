"""The commit-graph: parents, tree, time, generation and changed paths of a commit, without reading the commit.

It is one file (`objects/info/commit-graph`) or a chain of layers (`objects/info/commit-graphs/`), version 1. It only
makes reading faster. A broken one is ignored, and it must not be used at all where grafts, replacements or a shallow
boundary change history (`Odb.graph` sees to that). A few look-ups read a few bytes each; after many the whole tables
are read.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..disk.jail import Jail
from ..disk.opened import FileView, read_table
from ..errors import Corrupt, text
from ..limits import need, paced, step
from .hashes import HASH_VERSIONS
from .pack_index import bisect_oids, spread

if TYPE_CHECKING:
    from ..memories import Table
    from .multi_pack_index import read_chunks
    from .sequential import CommitFacts
else:
    read_chunks = deferred(__name__, ".multi_pack_index", "read_chunks")

NO_PARENT = 0x70000000
UNREAD = 0xFFFFFFFF  # in columns that are filled as commits are read: this one is not yet (no value of a commit-graph)
_TIME = (1 << 34) - 1
_EXTRA_EDGES = 0x80000000
_PROMOTE = 64  # least number of single look-ups before a whole table is read
_PROMOTE_BITS = 10  # and one look-up for 2**10 commits: these take as long as reading the table
_TABLE_LIMIT = 128 << 20
_EDGE, _READ = struct.Struct(">I"), 1024  # so many bytes of them are read at once
_NARROW = 1024  # number of oid look-ups from which on whole buckets are kept
_PLACES = 1 << 14  # number of oids whose positions are remembered
_MAX_LAYERS = 64
_LEAST = 8 + 4 * 12 + 1024  # size of a header, the table of three chunks, the fan-out
_FEW_TREES = 1000  # trees (at least an eighth of all) that are read one by one before a table of all is made
_MOST_STARTS, _START_BYTES = 1 << 19, 160  # most commits in such a table, and bytes for each
_TRIES = 12  # how often a chain is read again while it keeps changing


class BrokenGraph(Corrupt):
    """The commit-graph is corrupt: callers read the commits themselves."""

    prefix = "error"


#: a stored row: tree, first parent, second parent, level and time
Stored = tuple[bytes, int, int, int]


class _Layer:
    """One file of the chain; its positions start at `first`."""

    __slots__ = (
        "_asked", "_bases", "_bloom_at", "_bloom_data", "_bloom_index", "_buckets", "_edges", "_fan", "_oids",
        "_overflow", "_rows", "_spread", "_times", "_view", "bases", "bloom", "count", "first", "hash_len",
    )  # fmt: skip

    def __init__(self, view: FileView, hash_len: int, first: int) -> None:
        self._view = view
        self.hash_len = hash_len
        self.first = first
        head = view.read(0, 8)
        if len(head) < 8 or view.size < _LEAST + hash_len:
            raise BrokenGraph("commit-graph file is too small")
        if head[:4] != b"CGPH":
            signature = int.from_bytes(head[:4], "big")
            raise BrokenGraph(f"commit-graph signature {signature:X} does not match signature 43475048")
        if head[4] != 1:
            raise BrokenGraph(f"commit-graph version {head[4]:X} does not match version 1")
        if head[5] != HASH_VERSIONS[hash_len]:
            raise BrokenGraph(f"commit-graph hash version {head[5]:X} does not match version {HASH_VERSIONS[hash_len]}")
        self.bases = head[7]
        chunks = read_chunks(view, 8, head[6], hash_len, "commit-graph")
        fan = chunks.get(b"OIDF", (0, 0))
        table = view.read(fan[0], 1024)
        self._fan = [0, *struct.unpack(">256I", table)] if fan[1] == 1024 and len(table) == 1024 else []
        if not self._fan or self._fan != sorted(self._fan):
            raise BrokenGraph("commit-graph fanout values out of order")
        self.count: int = self._fan[256]
        self._spread = spread(self.count)
        none = (0, 0)
        self._oids = chunks.get(b"OIDL", none)
        self._rows = chunks.get(b"CDAT", none)
        if self._oids[1] != self.count * hash_len or self._rows[1] != self.count * (hash_len + 16):
            raise BrokenGraph("commit-graph chunks have the wrong size")
        self._bases = chunks.get(b"BASE", none)
        self._edges = chunks.get(b"EDGE", none)
        self._times = chunks.get(b"GDA2", none)
        self._overflow = chunks.get(b"GDO2", none)
        if self._times[1] != self.count * 4:
            self._times = none
        self._buckets: dict[int, bytes] = {}
        self._asked = 0
        self._open_bloom(chunks.get(b"BIDX", none), chunks.get(b"BDAT", none))

    def is_above(self, names: list[bytes], layers: list[_Layer]) -> bool:
        """Whether this file was written for these files below it: it holds their names, which are their checksums."""
        sums = b"".join(layer.checksum() for layer in layers)
        at, size = self._bases
        return sums.hex().encode() == b"".join(names) and self._view.read(at, min(size, len(sums))) == sums

    def checksum(self) -> bytes:
        """What the file ends with."""
        return self._view.read(self._view.size - self.hash_len, self.hash_len)

    def _open_bloom(self, index: tuple[int, int], data: tuple[int, int]) -> None:
        self.bloom: tuple[int, int, int] | None = None
        self._bloom_index, self._bloom_at, self._bloom_data = index[0], data[0] + 12, data[1] - 12
        if index[1] == self.count * 4 and data[1] >= 12:
            settings = struct.unpack(">III", self._view.read(data[0], 12))
            if settings[0] in (1, 2):
                self.bloom = settings

    def find(self, oid: bytes) -> int:
        """The index of a commit within the layer; -1 if the layer does not have it."""
        first, width, distance, fan = oid[0], self.hash_len, self._spread, self._fan
        low: int = fan[first]
        count = fan[first + 1] - low
        # look around the expected index, since oids are evenly spread; if it is not there, in the whole bucket
        guess: int = (oid[1] << 8 | oid[2]) * count >> 16
        near, far = guess - distance if guess > distance else 0, guess + distance
        data = self._buckets.get(first)
        if data is None:
            self._asked += 1
            if self._asked < _NARROW:
                length = (far if far < count else count) - near
                data = self._view.read(self._oids[0] + (low + near) * width, length * width)
                at = data.find(oid)
                if at >= 0 and not at % width:
                    return low + near + at // width
            data = self._buckets[first] = self._view.read(self._oids[0] + low * width, count * width)
        at = data.find(oid, near * width, far * width)
        if at < 0 or at % width:
            at = bisect_oids(data, oid, width, len(data) // width) * width
            if not data.startswith(oid, at):
                return -1
        return low + at // width

    @property
    def view(self) -> FileView:
        """The file of the layer."""
        return self._view

    def names(self) -> bytes:
        """All oids, one after the other."""
        return self._view.read(*self._oids)

    def rows(self) -> tuple[FileView, int, int]:
        """(file, offset, length) of all rows, which are one after the other."""
        return self._view, *self._rows

    def oid(self, index: int) -> bytes:
        return self._view.read(self._oids[0] + index * self.hash_len, self.hash_len)

    def row(self, index: int) -> Stored:
        """(tree, first parent, second parent, generation and time) as stored."""
        size = self.hash_len + 16
        row = self._view.read(self._rows[0] + index * size, size)
        if len(row) != size:
            raise BrokenGraph("commit-graph is truncated")
        return row[: self.hash_len], *_ROW.unpack_from(row, self.hash_len)

    def edges(self, at: int) -> list[int]:
        """The parents of an octopus merge from the second on."""
        start, length = self._edges
        parents: list[int] = []
        for first in range(at * 4, length & -4, _READ):
            step()
            data = self._view.read(start + first, min(length - first, _READ))
            for (value,) in _EDGE.iter_unpack(data[: len(data) & -4]):
                parents.append(value & 0x7FFFFFFF)
                if value & 0x80000000:
                    return parents
        raise BrokenGraph("commit-graph edges run out of their chunk")

    def corrected(self, index: int, commit_time: int) -> int | None:
        """The corrected commit date (generation version 2); None if the layer has none."""
        start, length = self._times
        if not length:
            return None
        offset = int.from_bytes(self._view.read(start + index * 4, 4), "big")
        if offset & 0x80000000:
            at = (offset & 0x7FFFFFFF) * 8
            if at + 8 > self._overflow[1]:
                raise BrokenGraph("commit-graph overflow generation data is too small")
            offset = int.from_bytes(self._view.read(self._overflow[0] + at, 8), "big")
        return commit_time + offset

    def differences(self) -> bytes:
        """How much the corrected dates are above the commit dates, as stored."""
        return self._view.read(*self._times)

    def filters(self) -> tuple[bytes, tuple[FileView, int, int]]:
        """(the ends of the Bloom filters of all commits, (file, offset, length) of the filters one after the other)."""
        if self.bloom is None:
            return bytes(self.count * 4), (self._view, 0, 0)
        return self._view.read(self._bloom_index, self.count * 4), (self._view, self._bloom_at, self._bloom_data)

    def changed_paths(self, index: int) -> bytes | None:
        """The bytes of a Bloom filter: b"" if none was computed, None if the layer has none."""
        if self.bloom is None:
            return None
        if index:
            pair = self._view.read(self._bloom_index + index * 4 - 4, 8)
            start, end = struct.unpack(">II", pair)
        else:
            start, end = 0, int.from_bytes(self._view.read(self._bloom_index, 4), "big")
        if not start <= end <= self._bloom_data:
            return None
        return self._view.read(self._bloom_at + start, end - start)


_ROW = struct.Struct(">IIQ")

#: (where each commit's Bloom filter starts and the last one ends, all filters one after the other)
Filters = tuple[Sequence[int], bytes | memoryview]
_NO_FILTERS: Filters = ((), b"")


class CommitGraph:
    """The layers as one graph. Positions count through all layers, base first."""

    __slots__ = (
        "_asked",
        "_filters",
        "_layers",
        "_named",
        "_names",
        "_oids",
        "_positions",
        "_rows",
        "_single_rows",
        "bloom",
        "count",
        "has_corrected",
        "hash_len",
    )

    def __init__(self, layers: list[_Layer], hash_len: int) -> None:
        self._layers = layers
        self.hash_len = hash_len
        self.count = sum(layer.count for layer in layers)
        self._oids: dict[int, bytes] = {}
        self._positions: dict[bytes, int] = {}
        self._single_rows: dict[int, Stored] = {}  # rows read one by one: a walk reads most of them again
        self._rows: bytes | memoryview | None = None
        self._names: bytes | None = None
        self._filters: Filters | None = None
        self._named = self._asked = 0
        settings = {layer.bloom for layer in layers if layer.bloom}
        self.bloom = settings.pop() if len(settings) == 1 else None
        self.has_corrected = all(layer._times[1] for layer in layers)

    @property
    def starts(self) -> list[int]:
        """The position at which each layer begins."""
        return [layer.first for layer in self._layers]

    @property
    def files(self) -> list[FileView]:
        """The files of the layers, base first."""
        return [layer.view for layer in self._layers]

    def position(self, oid: bytes) -> int | None:
        """The position of a commit in the graph, or None if the graph does not have it."""
        position = self._positions.get(oid)
        if position is not None:
            return position
        for layer in reversed(self._layers):
            index = layer.find(oid)
            if index >= 0:
                return self._placed(oid, layer.first + index)
        return None

    def _placed(self, oid: bytes, position: int) -> int:
        if len(self._positions) < _PLACES:
            self._positions[oid] = position
        return position

    def _layer(self, position: int) -> _Layer:
        layers = self._layers
        if len(layers) == 1:
            return layers[0]
        for layer in reversed(layers):
            if position >= layer.first:
                return layer
        return layers[0]

    def oid(self, position: int) -> bytes:
        """The oid of the commit at a position. Raises BrokenGraph for an invalid position."""
        oid = self._oids.get(position)
        if oid is None:
            if not 0 <= position < self.count:
                raise BrokenGraph(f"invalid parent position {position} in commit-graph")
            names, width = self._names, self.hash_len
            if names is None:
                self._named += 1
                names = self.names() if self._many(self._named) else None
            if names is not None:
                return names[position * width : (position + 1) * width]
            layer = self._layer(position)
            oid = layer.oid(position - layer.first)
            if len(oid) != self.hash_len:
                raise BrokenGraph("commit-graph is truncated")
            self._oids[position] = oid
            self._placed(oid, position)  # after the name of a parent, a walk asks for the parent itself
        return oid

    def _many(self, hits: int) -> bool:
        """Whether there were enough single look-ups to read a whole table."""
        return hits > max(_PROMOTE, self.count >> _PROMOTE_BITS)

    def expect(self, count: int) -> None:
        """Prepare for `count` single look-ups of commits: the table of rows is read now if these justify it."""
        if self._many(count):
            self.rows()

    def rows(self) -> bytes | memoryview | None:
        """The rows of all commits by position, in memory; None if they are too large."""
        if self._rows is None and self.count * (self.hash_len + 16) <= _TABLE_LIMIT:
            rows = read_table([layer.rows() for layer in self._layers])
            if len(rows) != self.count * (self.hash_len + 16):
                raise BrokenGraph("commit-graph is truncated")
            self._rows = rows
            self._single_rows.clear()
        return self._rows

    def names(self) -> bytes | None:
        """The oids of all commits by position, in memory; None if they are too large."""
        if self._names is None and self.count * self.hash_len <= _TABLE_LIMIT:
            names = b"".join([layer.names() for layer in self._layers])
            if len(names) != self.count * self.hash_len:
                raise BrokenGraph("commit-graph is truncated")
            self._names = names
        return self._names

    @property
    def rows_read(self) -> bytes | memoryview:
        """The table of rows if it has been read, otherwise b""."""
        return b"" if self._rows is None else self._rows

    @property
    def names_read(self) -> bytes:
        """The oids by position if they have been read, otherwise b""."""
        return self._names or b""

    def row(self, position: int) -> tuple[int, int, int]:
        """(first parent, second parent, level and time) as stored; many calls make the whole table be read."""
        return self._row(position)[1:]

    def _row(self, position: int) -> Stored:
        rows, width = self._rows, self.hash_len
        if rows is not None and 0 <= position < self.count:
            at = position * (width + 16)
            return bytes(rows[at : at + width]), *_ROW.unpack_from(rows, at + width)
        row = self._single_rows.get(position)
        if row is None:
            many = self._many(len(self._single_rows) + 1)
            if many:
                self.rows()
            layer = self._layer(position)
            row = layer.row(position - layer.first)
            if not many:
                self._single_rows[position] = row
        return row

    def facts(self, position: int) -> tuple[tuple[bytes, ...], int, bytes]:
        """(parents, commit time, tree) of the commit at a position."""
        rows, names, width = self._rows, self._names, self.hash_len
        if rows is None:
            tree, first, second, packed = self._row(position)
            if self._rows is not None:  # the table was just read: more commits will follow, and their parents
                self.names()
        else:
            at = position * (width + 16)
            tree = bytes(rows[at : at + width])
            first, second, packed = _ROW.unpack_from(rows, at + width)
            if names is not None and second == NO_PARENT and first < self.count:
                at = first * width
                parent = names[at : at + width]
                self._placed(parent, first)  # which a walk asks for next
                return (parent,), packed & 0x3FFFFFFFF, tree
        if first == NO_PARENT:
            parents: tuple[bytes, ...] = ()
        elif second == NO_PARENT:
            parents = (self.oid(first),)
        elif second & _EXTRA_EDGES:
            parents = (self.oid(first), *map(self.oid, paced(self.further_parents(position, second))))
        else:
            parents = (self.oid(first), self.oid(second))
        return parents, packed & 0x3FFFFFFFF, tree

    def further_parents(self, position: int, second: int) -> list[int]:
        """The parents of an octopus merge from the second on; `second`, from its row, says where they are listed."""
        return self._layer(position).edges(second & 0x7FFFFFFF)

    def generation(self, oid: bytes) -> int | None:
        """The topological level (version 1), above the levels of all parents. None if the graph does not have it."""
        position = self.position(oid)
        if position is None:
            return None
        return self._row(position)[3] >> 34 or None

    def corrected_date(self, oid: bytes) -> int | None:
        """The corrected commit date (version 2); None unless every layer has such dates."""
        position = self.position(oid) if self.has_corrected else None
        if position is None:
            return None
        layer = self._layer(position)
        return layer.corrected(position - layer.first, self._row(position)[3] & 0x3FFFFFFFF)

    def differences(self) -> bytes:
        """How much the corrected dates are above the commit dates, by position, as stored."""
        return b"".join([layer.differences() for layer in self._layers])

    def tree(self, position: int) -> bytes:
        """The tree of the commit at a position."""
        rows, width = self._rows, self.hash_len
        if rows is None:
            return self._row(position)[0]
        at = position * (width + 16)
        return bytes(rows[at : at + width])

    def changed_paths(self, position: int) -> bytes | None:
        """The bytes of a commit's Bloom filter; None or b"" if there is none (any path may have changed). Many calls
        make all filters be read."""
        if self.bloom is None or position >= self.count:
            return None
        if self._filters is None:
            self._asked += 1
            if self._many(self._asked):
                self._filters = self._all_filters()
        layer = self._layer(position)
        return layer.changed_paths(position - layer.first) if layer.bloom == self.bloom else None

    @property
    def filters_read(self) -> Filters:
        """All Bloom filters if they have been read, otherwise empty tables."""
        return self._filters or _NO_FILTERS

    def _all_filters(self) -> Filters:
        """All Bloom filters; empty tables if they are too large, or if one is outside of its chunk."""
        ends, chunks, size = array("I", [0]), [], 0
        for layer in self._layers:
            index, chunk = layer.filters()
            if len(index) != layer.count * 4:
                return _NO_FILTERS
            layer_ends = array("I", index)
            if sys.byteorder == "little":
                layer_ends.byteswap()
            if max(layer_ends, default=0) > chunk[2] or size + chunk[2] > _TABLE_LIMIT:
                return _NO_FILTERS
            ends.extend(array("I", [size + end for end in layer_ends]) if size else layer_ends)
            chunks.append(chunk)
            size += chunk[2]
        data = read_table(chunks)
        return (ends, data) if len(data) == size else _NO_FILTERS


def load_commit_graph(jail: Jail, objects: bytes, hash_len: int) -> CommitGraph | None:
    """The commit-graph of an object directory: the single file, otherwise the chain. `Corrupt` if it is broken."""
    view = jail.view(objects + b"/info/commit-graph")
    if view is not None:
        return CommitGraph([_Layer(view, hash_len, 0)], hash_len)
    chain = _chain(jail, objects)
    for _ in range(_TRIES):
        if not chain:
            return None
        try:
            return _chained(jail, objects, chain.split(), hash_len)
        except _Unfound:
            previous, chain = chain, _chain(jail, objects)
            if chain == previous:
                raise
    return None


class _Unfound(BrokenGraph):
    """A layer of the chain is missing: the chain is broken, or git has merged the layer into another one meanwhile."""


def _chain(jail: Jail, objects: bytes) -> bytes | None:
    return jail.read_optional(objects + b"/info/commit-graphs/commit-graph-chain", 1 << 16)


def _chained(jail: Jail, objects: bytes, names: list[bytes], hash_len: int) -> CommitGraph | None:
    layers: list[_Layer] = []
    first = 0
    for name in names:
        if len(name) != 2 * hash_len or name.strip(b"0123456789abcdef") or len(layers) >= _MAX_LAYERS:
            raise BrokenGraph(f"invalid commit-graph chain: line '{text(name[:80])}' not a hash")
        view = jail.view(objects + b"/info/commit-graphs/graph-" + name + b".graph")
        if view is None:
            raise _Unfound("unable to find all commit-graph files")
        layer = _Layer(view, hash_len, first)
        if layer.bases != len(layers) or not layer.is_above(names[: len(layers)], layers):
            raise BrokenGraph("commit-graph chain does not match")
        layers.append(layer)
        first += layer.count
    return CommitGraph(layers, hash_len) if layers else None


def graph_facts_reader(
    graph: CommitGraph,
    table: Table[bytes, CommitFacts],
    trusted: Callable[[], CommitGraph | None],
    otherwise: Callable[[bytes], CommitFacts],
) -> Callable[[bytes], CommitFacts]:
    """A function that reads (parents, time, tree) of commits from the tables of a commit-graph, once these are in
    memory. `otherwise` reads commits that are not in the graph, octopus merges, and broken rows.

    A row has the positions of the parents. They are remembered until the parents are read, so that hardly any commit
    has to be looked up by its oid.
    """
    cached, most = table.rows, table.most
    positions: dict[bytes, int] = {}
    width, count, take, look = graph.hash_len, graph.count, positions.pop, graph.position
    rows: bytes | memoryview = b""
    names = b""
    size, unpack = width + 16, _ROW.unpack_from

    def facts(oid: bytes) -> CommitFacts:
        nonlocal rows, names
        row = cached.get(oid)
        if row is not None:
            return row
        if not rows or not names:
            rows, names = graph.rows_read, graph.names_read
        position = take(oid, None)
        if position is None and names:
            position = look(oid)
        if position is None or not rows or not names or trusted() is not graph:
            return otherwise(oid)
        at = position * size
        first, second, packed = unpack(rows, at + width)
        if first < count:
            start = first * width
            first_parent = names[start : start + width]
            if first_parent not in cached:
                positions[first_parent] = first
            if second == NO_PARENT:
                parents: tuple[bytes, ...] = (first_parent,)
            elif second < count:
                start = second * width
                second_parent = names[start : start + width]
                if second_parent not in cached:
                    positions[second_parent] = second
                parents = first_parent, second_parent
            else:
                return otherwise(oid)
        elif first == NO_PARENT:
            parents = ()
        else:
            return otherwise(oid)
        if len(cached) >= most:
            table.make_room()
        row = cached[oid] = parents, packed & _TIME, bytes(rows[at : at + width])
        return row

    return facts


def graph_tree_reader(
    graph: CommitGraph, trusted: Callable[[], CommitGraph | None], otherwise: Callable[[bytes], CommitFacts]
) -> Callable[[bytes], bytes]:
    """A function that reads only the trees of commits, from the rows of a commit-graph once these are in memory.
    `otherwise` reads commits that are not in the graph, and broken rows. After many calls, one table with the oids of
    all commits in the graph is made."""
    width, count, look, rows = graph.hash_len, graph.count, graph.position, graph.rows_read
    size, left = width + 16, max(_FEW_TREES, count >> 3)
    starts: dict[bytes, int] = {}  # offsets of the rows of all commits, after many calls

    def tree(oid: bytes) -> bytes:
        nonlocal rows, left
        at = starts.get(oid)
        if at is None:
            left -= 1
            if not left and count <= _MOST_STARTS and (names := graph.names_read):
                need(count * _START_BYTES)
                starts.update(
                    zip([names[at : at + width] for at in range(0, len(names), width)], range(0, count * size, size))
                )
            rows = rows or graph.rows_read
            position = look(oid) if rows else None
            if position is None:
                return otherwise(oid)[2]
            at = position * size
        return bytes(rows[at : at + width]) if trusted() is graph else otherwise(oid)[2]

    return tree
