"""Histories of paths by a commit-graph's positions and Bloom filters: what they are without the graph."""

import random
import struct
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from gitglass.graph.bloom import BloomQuery, make_bloom_query
from gitglass.graph.positions import NONE
from gitglass.history.numbered_paths import along_paths
from gitglass.history.pipeline import walk
from gitglass.history.spec import Tip, WalkSpec
from gitglass.objects import commit_graph as commitgraph
from gitglass.paths.pathspec import Pathspecs

CHUNKS = (b"OIDF", b"OIDL", b"CDAT", b"EDGE", b"BIDX", b"BDAT", b"BASE")
HASHES = 7


def filter_of(changed: set[str], spare: int) -> bytes:
    """A Bloom filter of so many bytes more than are needed; none where nothing is to be in it."""
    bits = bytearray(len(changed) + spare)
    query = BloomQuery(SimpleNamespace(filters_read=((), b"")), [path.encode() for path in changed], HASHES)  # type: ignore[arg-type]
    for keys in query.keys:
        for byte, bit in keys:
            bits[byte % len(bits)] |= bit
    return bytes(bits)


def layer(
    oids: list[bytes], places: dict[bytes, int], history: Any, levels: dict[bytes, int], below: list[bytes]
) -> bytes:
    """A file of the commit-graph, with a filter of what each commit changed, above files with these checksums."""
    fan = b"".join(struct.pack(">I", sum(oid[0] <= first for oid in oids)) for first in range(256))
    rows, edges, ends, filters = b"", b"", b"", b""
    for oid in oids:
        parents, time, tree = history.facts[oid]
        above = [places[parent] for parent in parents]
        first, second = [*above, NONE, NONE][:2]
        if len(above) > 2:
            second = 0x80000000 | len(edges) // 4
            edges += b"".join(struct.pack(">I", place) for place in above[1:-1])
            edges += struct.pack(">I", above[-1] | 0x80000000)
        rows += tree + struct.pack(">IIQ", first, second, levels[oid] << 34 | time)
        old = history.files[parents[0]] if parents else {}
        new = history.files[oid]
        changed = {name for name in old | new if old.get(name) != new.get(name)}
        filters += filter_of(changed, 1) if oid[0] % 5 else b""  # some were not computed
        ends += struct.pack(">I", len(filters))
    parts = [fan, b"".join(oids), rows, edges, ends, struct.pack(">III", 1, HASHES, 10) + filters, b"".join(below)]
    data = b"CGPH\1\1" + bytes([len(CHUNKS), len(below)])
    at = len(data) + (len(CHUNKS) + 1) * 12
    for name, part in zip(CHUNKS, parts, strict=True):
        data += name + struct.pack(">Q", at)
        at += len(part)
    return data + bytes(4) + struct.pack(">Q", at) + b"".join(parts) + bytes([len(below)]) * 20


def name(word: str) -> bytes:
    return word.encode().ljust(20, b"\0")


def view(data: bytes) -> Any:
    return SimpleNamespace(path=b"", size=len(data), read=lambda at, length: data[at : at + length])


def graph_of(history: Any, layers: list[list[bytes]], spoil: Any = bytes) -> Any:
    """The commit-graph of some of the commits, parents first, as a chain."""
    places: dict[bytes, int] = {}
    levels: dict[bytes, int] = {}
    files: dict[bytes, Any] = {}
    names = []
    for number, oids in enumerate(layers):
        for oid in oids:
            levels[oid] = 1 + max((levels[parent] for parent in history.facts[oid][0]), default=0)
        for oid in sorted(oids):
            places[oid] = len(places)
        names.append(b"%02x" % number * 20)
        made = layer(sorted(oids), places, history, levels, [bytes([below]) * 20 for below in range(number)])
        files[b"/info/commit-graphs/graph-" + names[-1] + b".graph"] = view(spoil(made))
    jail: Any = SimpleNamespace(view=files.get, read_optional=lambda path, limit: b"\n".join(names))
    return commitgraph.load_commit_graph(jail, b"", 20)


@pytest.fixture
def make_known(make_history: Any) -> Any:
    """A history that remembers its files, and can be given a graph."""

    class Known(make_history):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.files: dict[bytes, dict[str, str]] = {}
            self.complaints: list[str] = []
            self.store.odb.distrust_graph = self.distrust

        def add(self, name: str, parents: Any = (), time: int = 0, message: str = "", **files: str) -> bytes:
            commit: bytes = super().add(name, parents, time, message, **files)
            self.files[commit] = files
            return commit

        def distrust(self, error: Any) -> None:
            self.complaints.append(error.message)
            self.store.odb.graph = None

        def shown(self, tips: list[bytes], graph: Any, **options: Any) -> list[Any]:
            self.store.odb.graph = graph
            paths = Pathspecs.parse([path.encode() for path in options.pop("paths")])
            spec = WalkSpec(paths=paths, prune=True, **options)
            return [(entry.oid, entry.parents) for entry in walk(self.store, list(map(Tip, tips)), spec, ctx=self.ctx)]

    return Known


CHOICES: list[tuple[str, Any]] = [
    ("first_parent", True), ("max_age", 2), ("skip", 1), ("max_count", 2), ("min_parents", 2), ("raw", False)
]  # fmt: skip


@pytest.mark.parametrize("part", range(4))
def test_as_without_the_graph(make_known: Any, part: int) -> None:
    for seed in range(part * 250, part * 250 + 250):
        agree(make_known, seed)


def agree(make_known: Any, seed: int) -> None:
    """One random history, asked with a graph of some of it and without."""
    pick = random.Random(seed)
    history, oids = make_known(), list[bytes]()
    size, change, clock = pick.randrange(1, 30), pick.choice([0.1, 0.2, 0.4]), pick.choice([0, 1, 2])
    for number in range(size):
        near = [chr(65 + parent) for parent in range(max(0, number - 5), number)]
        parents = pick.sample(near, min(len(near), pick.choice([0, 1, 1, 1, 1, 2, 2, 3])))
        files = dict(history.files[name(parents[0])]) if parents else {}
        for path in "xyz":
            if pick.random() < change:
                files[path] = pick.choice("012")
        time = (number * clock // 2) + pick.randrange(3)
        oids.append(history.add(chr(65 + number), parents, time, **files))
    ends = sorted(pick.sample(range(size + 1), min(size, pick.randrange(1, 4))))
    layers = [oids[low:high] for low, high in zip([0, *ends], ends, strict=False) if low < high]
    tips = pick.choices(oids[-6:], k=pick.randrange(1, 4))
    options = {key: value for key, value in CHOICES if pick.random() < 0.2}
    options["paths"] = pick.choice([["x"], ["x"], ["x", "y"], ["x*"], ["none"]])
    expected = history.shown(tips, None, **dict(options))
    with mock.patch.object(commitgraph, "_PROMOTE", pick.choice([0, 1, 5, 64])):  # single look-ups before tables
        assert history.shown(tips, graph_of(history, layers), **dict(options)) == expected
    assert not history.complaints


def line(history: Any, length: int) -> list[bytes]:
    """Commits one after the other: every tenth changes x, all change y."""
    return [history.add(chr(300 + n), [chr(299 + n)] if n else [], n, x=str(n // 10), y=str(n)) for n in range(length)]


def test_the_filters_save_the_trees(make_known: Any) -> None:
    history = make_known()
    oids = line(history, 100)
    graph = graph_of(history, [oids])
    read: list[bytes] = []
    look = history.trees.__getitem__
    history.store.odb.tree_reader = lambda: lambda tree: (read.append(tree), look(tree))[1]
    assert len(history.shown(oids[-1:], graph, paths=["x"])) == 10
    with_filters = len(read)
    history.store.odb.by_oid.clear()
    assert len(history.shown(oids[-1:], None, paths=["x"])) == 10
    assert with_filters < (len(read) - with_filters) / 2


@pytest.mark.parametrize("broken", [55, 97])
def test_a_graph_that_breaks_on_the_way_is_left(make_known: Any, broken: int) -> None:
    history = make_known()
    oids = line(history, 100)
    expected = history.shown(oids[-1:], None, paths=["x"], max_count=9, skip=1)
    tree = history.facts[oids[broken]][2]

    def spoiled(data: bytes) -> bytes:
        at = data.index(tree) + 20
        return data[:at] + struct.pack(">I", 5000) + data[at + 4 :]

    graph = graph_of(history, [oids], spoiled)
    assert history.shown(oids[-1:], graph, paths=["x"], max_count=9, skip=1) == expected
    assert history.complaints == ["invalid parent position 5000 in commit-graph"]


@pytest.mark.parametrize(("first", "last"), [(1 << 31, None), (None, 1 << 31), (None, 3)])
def test_filters_that_are_not_where_the_index_says_rule_nothing_out(
    make_known: Any, first: int | None, last: int | None
) -> None:
    history = make_known()
    oids = line(history, 100)
    expected = history.shown(oids[-1:], None, paths=["x"])

    def spoiled(data: bytes) -> bytes:
        at, end = (struct.unpack_from(">Q", data, 8 + 12 * number + 4)[0] for number in (4, 5))
        out = bytearray(data)
        if first is not None:
            struct.pack_into(">I", out, at, first)
        if last is not None:
            struct.pack_into(">I", out, end - 4, last)
        return bytes(out)

    assert history.shown(oids[-1:], graph_of(history, [oids], spoiled), paths=["x"]) == expected


def test_absurd_settings_are_no_filters(make_known: Any) -> None:
    history = make_known()
    oids = line(history, 3)

    def spoiled(data: bytes) -> bytes:
        return data.replace(struct.pack(">III", 1, HASHES, 10), struct.pack(">III", 1, 1 << 31, 10))

    history.store.odb.graph = graph_of(history, [oids], spoiled)
    assert make_bloom_query(history.store, [b"x"]) is None


def test_what_no_graph_knows_is_walked_by_name(make_known: Any) -> None:
    history = make_known()
    oids = line(history, 20)
    graph = graph_of(history, [oids[:5]])
    history.store.odb.graph = graph
    with mock.patch("gitglass.graph.positions._MOST_OUTSIDE", 3):
        spec = WalkSpec(paths=Pathspecs.parse([b"x"]), prune=True)
        found = list(along_paths(history.store, [Tip(oids[-1])], spec, history.ctx))
    assert [row[0] for row in found] == [oids[10], oids[0]]


@pytest.mark.parametrize("raw", [False, True])
def test_commits_that_will_be_shown_are_kept_as_the_walk_reads_them(make_known: Any, raw: bool) -> None:
    history, asked = make_known(), []
    history.add("a", x="1")
    history.add("b", ["a"], 1, x="2")
    real = history.store.odb.facts_reader
    history.store.odb.facts_reader = lambda keep=False: (asked.append(keep), real())[1]
    assert len(history.shown([*history.facts][-1:], None, paths=["x"], raw=raw)) == 2
    assert asked[0] is raw
