"""The commit-graph and the multi-pack-index against what they repeat."""

from __future__ import annotations

from typing import Any

import pytest

from gitglass.fsck.derived import check_derived
from gitglass.fsck.files import Files
from gitglass.fsck.judge import Rules
from gitglass.fsck.objects import GRAPH, MIDX, Findings, Objects
from gitglass.limits import Context
from gitglass.repo.discover import Where
from gitglass.repo.store import open_store

from ..hostile import craft

NONE = 0x70000000  # in the place of a parent


def said(builder: Any) -> list[tuple[str, int]]:
    """What is said of the derived files, and by nobody else."""
    store = open_store(Where(cwd=str(builder.top).encode()), root=None)
    objects = Objects(store, Findings(store), Context())
    Files(objects, Rules(store, objects)).check()
    list(objects.findings.drain())
    check_derived(store, objects)
    return [(damage.words, damage.status) for damage in objects.findings.drain()]


class Graph:
    """A first commit and its child of one tree, and a commit-graph that says so, but for what is changed of it."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        tree = builder.loose(b"tree", b"")
        one = builder.loose(b"commit", builder.commit(tree=tree, time=100))
        two = builder.loose(b"commit", builder.commit(one, tree=tree, time=200))
        self.tree, self.one, self.two = tree.hex(), one.hex(), two.hex()

    def bytes_of(self, **changed: Any) -> bytes:
        """The file; what may be changed is the tree, the time, the level and the parent of the child."""
        place = sorted([self.one, self.two]).index
        parent = changed.get("parent", place(self.one))
        child = (self.two, changed.get("tree", self.tree), parent, NONE)
        rows = [
            (self.one, self.tree, changed.get("root", NONE), NONE, 1, 100),
            (*child, changed.get("level", 2), changed.get("time", 200)),
        ]
        return craft.graph(sorted(rows))

    def said(self, data: bytes) -> list[tuple[str, int]]:
        (self.builder.objects / "info" / "commit-graph").write_bytes(data)
        return said(self.builder)


@pytest.fixture
def graph(builder: Any) -> Graph:
    return Graph(builder)


def test_of_a_right_graph_nothing_is_said(graph: Graph) -> None:
    assert graph.said(graph.bytes_of()) == []


def test_a_graph_that_contradicts_the_commits(graph: Graph) -> None:
    name, other = graph.two, "12" * 20
    of_time = f"commit date for commit {name} in commit-graph is 201 != 200"
    of_tree = f"root tree OID for commit {name} in commit-graph is {other} != {graph.tree}"
    of_level = f"commit-graph generation for commit {name} is 1 < 2"
    of_parent = f"commit-graph parent list for commit {name} terminates early"
    assert graph.said(graph.bytes_of(time=201)) == [(of_time, GRAPH)]
    assert graph.said(graph.bytes_of(tree=other)) == [(of_tree, GRAPH)]
    assert graph.said(graph.bytes_of(level=1)) == [(of_level, GRAPH)]
    assert graph.said(graph.bytes_of(parent=NONE)) == [(of_parent, GRAPH)]


def test_a_parent_that_is_another_or_too_many(graph: Graph) -> None:
    itself = sorted([graph.one, graph.two]).index(graph.two)
    words = [words for words, _ in graph.said(graph.bytes_of(parent=itself))]
    assert words[0] == f"commit-graph parent for {graph.two} is {graph.two} != {graph.one}"
    words = [words for words, _ in graph.said(graph.bytes_of(root=itself))]
    assert words[0] == f"commit-graph parent list for commit {graph.one} is too long"


def test_a_graph_that_is_not_sealed(graph: Graph) -> None:
    data = graph.bytes_of()
    words = "the commit-graph file has incorrect checksum and is likely corrupt"
    assert graph.said(data[:-1] + bytes([data[-1] ^ 1])) == [(words, GRAPH)]


def test_a_graph_is_not_looked_at_where_it_is_not_used(graph: Graph) -> None:
    with (graph.builder.top / ".git" / "config").open("a") as config:
        config.write("[core]\n\tcommitGraph = false\n")
    assert graph.said(graph.bytes_of(time=201)) == []


def test_a_commit_that_is_not_here(graph: Graph) -> None:
    craft.object_path(graph.builder.top, graph.two).unlink()
    assert graph.said(graph.bytes_of()) == [
        (f"error: Could not read {graph.two}", GRAPH),
        (f"failed to parse commit {graph.two} from object database for commit-graph", GRAPH),
    ]


def midx_said(builder: Any, shift: int, *names: bytes) -> tuple[str, list[tuple[str, int]]]:
    """The object in a pack, and what is said of an index that has it so many bytes further on."""
    blob = builder.whole(b"blob", b"x")
    base = builder.pack([blob])
    packs = [base.name.encode() + b".idx", *names]
    data = craft.midx([(blob[0].hex(), len(packs) - 1, 12 + shift)], packs)
    (builder.objects / "pack" / "multi-pack-index").write_bytes(data)
    return blob[0].hex(), said(builder)


def test_of_a_right_multi_pack_index_nothing_is_said(builder: Any) -> None:
    assert midx_said(builder, 0)[1] == []


def test_an_offset_that_is_another(builder: Any) -> None:
    oid, found = midx_said(builder, 4)
    assert found == [(f"incorrect object offset for oid[0] = {oid}: 10 != c", MIDX)]


def test_a_pack_that_is_not_here(builder: Any) -> None:
    oid, found = midx_said(builder, 0, b"pack-zz.idx")
    assert found == [
        ("failed to load pack in position 1", MIDX),
        (f"failed to load pack entry for oid[0] = {oid}", MIDX),
    ]
