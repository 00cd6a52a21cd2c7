"""The commit-graph and the multi-pack-index that git wrote: they say what the objects say, or are ignored."""

import os
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.hostile import craft
from tests.hostile.paced import assert_paced

from gitglass.disk.jail import Jail
from gitglass.disk.opened import FileView
from gitglass.errors import Corrupt, GitError
from gitglass.graph.bloom import BloomQuery
from gitglass.objects.commit_graph import BrokenGraph, load_commit_graph
from gitglass.objects.database import Odb
from gitglass.objects.sequential import commit_facts

SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(scope="module")
def objects(unpack: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packed fixture's objects, for tests to spoil."""
    place = tmp_path_factory.mktemp("graph") / "objects"
    shutil.copytree(Path(unpack("packed")) / ".git" / "objects", place)
    for path in place.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return place


def odb_of(objects: Path) -> Odb:
    return Odb(Jail(os.fsencode(objects)), os.fsencode(objects), "sha1")


def commits(odb: Odb) -> list[bytes]:
    return [oid for oid in odb.names.all() if odb.kind(oid) == b"commit"]


def all_filters(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The table that many questions make it read."""
    monkeypatch.setattr("gitglass.objects.commit_graph._PROMOTE", -1)
    graph.changed_paths(0)
    return graph.filters_read


def test_the_tree_alone_is_the_tree_among_the_facts(objects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before and after the graph's rows are in memory, and where the graph is put aside on the way."""
    odb = odb_of(objects)
    graph, oids = odb.graph, commits(odb)
    assert graph is not None
    tree_of, trees = odb.root_reader(), [odb.commit_facts(oid)[2] for oid in oids]
    for _ in range(2):
        assert list(map(tree_of, oids)) == trees
        graph.rows()
    graph.names()
    with monkeypatch.context() as patch:
        patch.setattr("gitglass.objects.commit_graph._FEW_TREES", 1)
        patch.setattr(Odb, "commit_facts", None)
        table_of = odb.root_reader()
        assert [table_of(graph.oid(at)) for at in range(graph.count)] == [graph.tree(at) for at in range(graph.count)]
    odb.distrust_graph(BrokenGraph("broken"))
    assert list(map(tree_of, oids)) == list(map(odb.root_reader(), oids)) == trees


def test_facts_of_the_commits_themselves(objects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the graph, which is not even asked, they are the same."""
    odb = odb_of(objects)
    by_graph = {oid: odb.facts_reader()(oid) for oid in commits(odb)}
    monkeypatch.setattr("gitglass.objects.database.graph_facts_reader", None)
    read = odb_of(objects).facts_reader(graph=False)
    assert {oid: read(oid) for oid in by_graph} == by_graph and len(by_graph) > 10


def test_the_graph_says_what_the_commits_say(objects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odb = odb_of(objects)
    graph = odb.graph
    assert graph is not None and graph.bloom == (1, 7, 10) and graph.count > 10
    known = 0
    levels: dict[bytes, int] = {}
    alone: dict[int, bytes | None] = {}
    for oid in commits(odb):
        facts = commit_facts(odb.read(oid)[1], oid)
        assert odb.commit_facts(oid) == facts
        position = graph.position(oid)
        if position is not None:
            known += 1
            assert graph.facts(position) == facts and graph.oid(position) == oid
            level = graph.generation(oid)
            corrected = graph.corrected_date(oid)
            assert level is not None and corrected is not None and corrected >= facts[1]
            assert struct.unpack_from(">I", graph.differences(), 4 * position)[0] == corrected - facts[1]
            assert graph.tree(position) == facts[2]
            assert graph.changed_paths(position)
            alone[position] = graph.changed_paths(position)
            levels[oid] = level
    assert known == graph.count
    for oid, level in levels.items():
        assert level == 1 + max((levels[parent] for parent in odb.commit_facts(oid)[0]), default=0)
    assert graph.position(b"\1" * 20) is None and graph.generation(b"\1" * 20) is None
    assert graph.changed_paths(graph.count) is None
    ends, filters = all_filters(graph, monkeypatch)
    assert {position: bytes(filters[ends[position] : ends[position + 1]]) for position in alone} == alone


def test_history_that_was_changed_makes_it_unused(objects: Path) -> None:
    oid = b"\1" * 20
    options: list[dict[str, Any]] = [
        {"grafts": lambda: {oid: ()}},
        {"replaced": lambda: {oid: oid}},
        {"graph": lambda: False},
    ]
    for option in options:
        assert Odb(Jail(os.fsencode(objects)), os.fsencode(objects), "sha1", **option).graph is None


def test_the_multi_pack_index_finds_every_packed_object(objects: Path) -> None:
    odb = odb_of(objects)
    place = odb.dirs[0]
    midx = place.midx
    assert midx is not None and midx.count and not midx.find(b"\1" * 20)
    for pack in place.indexed():
        for oid in pack.index.oids():
            found = midx.find(oid)
            assert found is not None and place.packs[found[0]].find(oid) == found[1]
    for oid in odb.names.all():
        odb.verify(oid)


def spoil(data: st.DataObject, path: Path, original: bytes) -> None:
    raw = bytearray(original)
    for _ in range(data.draw(st.integers(0, 4))):
        raw[data.draw(st.integers(0, min(len(raw) - 1, 1300)))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.sampled_from([len(raw), data.draw(st.integers(0, len(raw)))]))])


@SLOW
@given(data=st.data())
def test_a_spoiled_graph_is_ignored_or_answers(objects: Path, data: st.DataObject) -> None:
    paths = sorted((objects / "info").rglob("*graph*"))
    path = data.draw(st.sampled_from([path for path in paths if path.is_file()]))
    original = path.read_bytes()
    try:
        spoil(data, path, original)
        odb = odb_of(objects)
        for oid in commits(odb) * 4:  # often enough for tables to be read
            facts = odb.commit_facts(oid)
            assert len(facts) == 3
            try:
                odb.generation(oid)
                if odb.graph is not None:
                    BloomQuery(odb.graph, [b"a", b"src/app.py"], 7).maybe(oid)
                    odb.graph.corrected_date(oid)
            except Corrupt:
                pass
    finally:
        path.write_bytes(original)


@SLOW
@given(data=st.data())
def test_a_spoiled_multi_pack_index_is_ignored_or_answers(objects: Path, data: st.DataObject) -> None:
    path = objects / "pack" / "multi-pack-index"
    original = path.read_bytes()
    oids = odb_of(objects).names.all()
    try:
        spoil(data, path, original)
        odb = odb_of(objects)
        for oid in oids:
            try:
                odb.read(oid)
            except GitError:
                pass
    finally:
        path.write_bytes(original)


def test_chains_that_do_not_fit(objects: Path, tmp_path: Path) -> None:
    place = tmp_path / "objects"
    shutil.copytree(objects, place)
    chain = place / "info" / "commit-graphs" / "commit-graph-chain"
    lines = chain.read_bytes().split()
    for content in (b"\n".join(reversed(lines)), b"x" * 40, lines[0] + b"\n" + b"0" * 40, b"\n".join(lines[1:])):
        chain.write_bytes(content + b"\n")
        odb = odb_of(place)
        if content != lines[0]:
            with pytest.raises(Corrupt):
                load_commit_graph(Jail(b"/"), os.fsencode(place), 20)
            assert odb.graph is None and odb.complaints
        assert all(odb.commit_facts(oid) for oid in commits(odb))
    chain.write_bytes(b"")
    assert odb_of(place).graph is None


@pytest.mark.parametrize("spoilt", ["the sum of the lower file", "the name of it in the upper one"])
def test_a_layer_above_another_file_than_its_own(objects: Path, tmp_path: Path, spoilt: str) -> None:
    """Its numbers of parents would be those of other commits."""
    place = tmp_path / "objects"
    shutil.copytree(objects, place)
    layers = place / "info" / "commit-graphs"
    lower, *_, upper = (layers / f"graph-{name}.graph" for name in (layers / "commit-graph-chain").read_text().split())
    path = lower if spoilt.endswith("lower file") else upper
    raw = bytearray(path.read_bytes())
    rows = {bytes(raw[at : at + 4]): struct.unpack(">Q", raw[at + 4 : at + 12])[0] for at in range(8, 8 + 12 * raw[6], 12)}  # fmt: skip
    raw[-1 if path == lower else rows[b"BASE"]] ^= 1
    path.chmod(0o644)
    path.write_bytes(raw)
    with pytest.raises(Corrupt, match="chain does not match"):
        load_commit_graph(Jail(b"/"), os.fsencode(place), 20)
    odb = odb_of(place)
    assert odb.graph is None and all(odb.commit_facts(oid) for oid in commits(odb))


def test_a_graph_that_claims_too_much(tmp_path: Path) -> None:
    (tmp_path / "info").mkdir()
    path = tmp_path / "info" / "commit-graph"
    for raw in (b"", b"CGPH", b"CGPH\1\1\xff\0" + bytes(100), b"XXXX\1\1\0\0" + bytes(40), b"CGPH\2\1\0\0" + bytes(40),
                b"CGPH\1\2\0\0" + bytes(40), b"CGPH\1\1\1\0OIDF" + struct.pack(">Q", 1 << 60) + bytes(60)):  # fmt: skip
        path.write_bytes(raw)
        with pytest.raises(Corrupt):
            load_commit_graph(Jail(b"/"), os.fsencode(tmp_path), 20)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"CGPH\2\1\0\0", "commit-graph version 2 does not match version 1"),
        (b"CGPH\xff\2\0\0", "commit-graph version FF does not match version 1"),
        (b"CGPH\1\2\0\0", "commit-graph hash version 2 does not match version 1"),
    ],
)
def test_a_graph_of_another_version(tmp_path: Path, head: bytes, words: str) -> None:
    (tmp_path / "info").mkdir()
    (tmp_path / "info" / "commit-graph").write_bytes(head + bytes(2000))
    with pytest.raises(Corrupt, match=f"^{words}$"):
        load_commit_graph(Jail(b"/"), os.fsencode(tmp_path), 20)


def test_a_chain_that_git_merges_while_it_is_read(
    objects: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "info" / "commit-graphs"
    info.mkdir(parents=True)
    layers = objects / "info" / "commit-graphs"
    base = (layers / "commit-graph-chain").read_text().split()[0]
    raw = (layers / f"graph-{base}.graph").read_bytes()
    old, new = "1" * 40, "2" * 40
    (info / "commit-graph-chain").write_text(old + "\n")
    place = os.fsencode(tmp_path)
    with pytest.raises(Corrupt, match="unable to find all commit-graph files"):
        load_commit_graph(Jail(place), place, 20)
    (info / f"graph-{new}.graph").write_bytes(raw)
    real, read = Jail.read_optional, []

    def chain(jail: Jail, path: bytes, limit: int) -> bytes | None:
        read.append(path)
        return real(jail, path, limit) if len(read) == 1 else new.encode() + b"\n"  # the new chain is there by now

    monkeypatch.setattr(Jail, "read_optional", chain)
    graph = load_commit_graph(Jail(place), place, 20)
    assert graph is not None and graph.count and len(read) == 2


def test_a_row_is_read_once_and_a_parent_found_without_a_search(objects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = odb_of(objects).graph
    assert graph is not None
    position = next(at for at in range(graph.count) if graph.facts(at)[0])
    reads: list[tuple[int, int]] = []
    real = FileView.read

    def counted(view: FileView, offset: int, length: int) -> bytes:
        reads.append((offset, length))
        return real(view, offset, length)

    monkeypatch.setattr(FileView, "read", counted)
    parents, time, tree = graph.facts(position)
    graph.row(position)
    assert graph.tree(position) == tree and graph.facts(position) == (parents, time, tree)
    assert not reads  # the row was looked at above, and so were the names of the parents
    above = graph.position(parents[0])
    assert above is not None and graph.oid(above) == parents[0] and not reads
    fresh = odb_of(objects).graph
    assert fresh is not None and fresh.facts(position) == (parents, time, tree)
    assert fresh.position(parents[0]) == above
    del reads[:]
    fresh.row(position)
    fresh.generation(parents[0])
    assert len(reads) == 1  # the row of the parent


def test_the_table_is_read_after_many_single_rows(objects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitglass.objects.commit_graph._PROMOTE", 3)
    graph = odb_of(objects).graph
    assert graph is not None
    alone = [graph.row(at) for at in (0, 1, 0, 1, 2, 1)]
    assert not graph.rows_read  # three rows, however often
    alone.append(graph.row(3))
    assert graph.rows_read and [graph.row(at) for at in (0, 1, 0, 1, 2, 1, 3)] == alone
    assert graph.facts(3) == odb_of(objects).graph.facts(3)  # type: ignore[union-attr]


def test_the_table_is_read_before_many_single_rows_are(objects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitglass.objects.commit_graph._PROMOTE", 3)
    graph = odb_of(objects).graph
    assert graph is not None
    graph.expect(3)
    assert not graph.rows_read
    graph.expect(4)
    assert graph.rows_read == graph.rows()


@pytest.mark.parametrize("count", [2, 255, 256, 257, 40_000, 600_000])
def test_parents_of_an_octopus_merge(tmp_path: Path, count: int) -> None:
    """However many they are: some are read at once, with a look at the clock between."""
    edges = [0] * (count - 1) + [1 | 1 << 31]
    rows = [(f"{number:040x}", "11" * 20, 0, 1 << 31, 1, 5) for number in (1, 2)]
    (tmp_path / "info").mkdir()
    (tmp_path / "info/commit-graph").write_bytes(craft.graph(rows, edges))
    graph = odb_of(tmp_path).graph
    assert graph is not None
    one, two = (bytes.fromhex(row[0]) for row in rows)
    assert graph.further_parents(0, 1 << 31) == [0] * (count - 1) + [1]
    assert graph.facts(0)[0] == (one,) * count + (two,)
    assert_paced(lambda: graph.facts(0))
    (tmp_path / "info/commit-graph").write_bytes(craft.graph(rows, [0] * count))
    endless = odb_of(tmp_path).graph
    assert endless is not None
    assert_paced(lambda: endless.facts(0), error=BrokenGraph)
