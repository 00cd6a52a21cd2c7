"""The object database as a whole: alternates, names, kinds, what stands in for history."""

import os
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gitglass.disk.jail import Jail
from gitglass.errors import Corrupt, MissingObject, NotFetched, TooLarge
from gitglass.objects.database import Odb
from gitglass.repo.replace import parse_grafts, parse_shallow, replacements


def test_loose(builder: Any) -> None:
    oid = builder.loose(b"blob", b"hello\n")
    odb = builder.odb()
    assert odb.read(oid) == (b"blob", b"hello\n")
    assert odb.kind_size(oid) == (b"blob", 6) and odb.has(oid) and odb.disk_size(oid) > 10
    empty = builder.loose(b"tree", b"")
    assert odb.disk_size(empty) == 0  # git has it by itself, whatever is stored
    assert odb.names.beginning(oid.hex()[:5]) == [oid]
    assert odb.names.count_estimate() == 0  # git counts packed objects only
    with pytest.raises(MissingObject, match="unable to read"):
        odb.read(b"\1" * 20)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"garbage",
        zlib.compress(b"blob 5\0hello")[:-6],
        zlib.compress(b"blob 5\0hello world"),
        zlib.compress(b"blob 50\0hello"),
        zlib.compress(b"blob hello"),
        zlib.compress(b"blob -1\0"),
        zlib.compress(b"blob 05\0hello"),
        zlib.compress(b"blub 5\0hello"),
        zlib.compress(b"x" * 1000),
        zlib.compress(b"blob 5\0hello") + b"garbage",
        zlib.compress(b"blob 5\0") + zlib.compress(b"hello"),
        zlib.compress(b"blob 99999999999999999999\0hello"),
    ],
)
def test_broken_loose_objects(builder: Any, raw: bytes) -> None:
    oid = builder.loose(b"blob", b"hello", raw=raw)
    with pytest.raises(Corrupt, match=oid.hex()):
        builder.odb().read(oid)


def test_a_loose_object_under_another_name(builder: Any) -> None:
    oid = builder.loose(b"blob", b"hello", oid=b"\x42" * 20)
    with pytest.raises(Corrupt, match="hash mismatch"):
        builder.odb().read(oid)


def test_a_loose_bomb(builder: Any) -> None:
    oid = builder.loose(b"blob", b"x", raw=zlib.compress(b"blob 9\0" + bytes(20 << 20)))
    with pytest.raises(Corrupt):
        builder.odb().read(oid)
    oid = builder.loose(b"blob", b"y", raw=zlib.compress(b"blob 20971520\0" + bytes(20 << 20)))
    with pytest.raises(TooLarge):
        builder.odb(limit=1 << 20).read(oid)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(raw=st.binary(max_size=60), at=st.integers(0, 40), byte=st.integers(0, 255))
@example(raw=b"tree 0\0", at=0, byte=0)  # another object under this name: its header is told, as git cat-file -t does
def test_any_bytes_as_a_loose_object(builder: Any, raw: bytes, at: int, byte: int) -> None:
    whole = bytearray(zlib.compress(b"blob 11\0hello world"))
    whole[min(at, len(whole) - 1)] = byte
    for content in (raw, bytes(whole), bytes(whole[:at]), zlib.compress(raw)):
        oid = builder.loose(b"blob", b"hello world", raw=content)
        odb = builder.odb()
        for ask in (odb.read, odb.kind_size):
            try:
                assert ask(oid) in ((b"blob", b"hello world"), (b"blob", 11)) or ask == odb.kind_size
            except Corrupt:
                pass


def test_alternates_nested_relative_and_round(tmp_path: Path, new_builder: Any) -> None:
    one, two, three = (new_builder(tmp_path / name) for name in ("one", "two", "three"))
    oid = three.loose(b"blob", b"far away")
    near = two.pack([two.whole(b"blob", b"near")])
    (one.objects / "info" / "alternates").write_bytes(b"# a comment\n\n" + os.fsencode(two.objects) + b"\n/no/where\n")
    (two.objects / "info" / "alternates").write_bytes(b"../../../three/.git/objects\n")
    (three.objects / "info" / "alternates").write_bytes(os.fsencode(one.objects) + b"\n")
    odb = Odb(Jail(b"/"), os.fsencode(one.objects), "sha1")
    assert odb.read(oid) == (b"blob", b"far away") and near
    assert odb.names.count_estimate() == 1 and len(odb.dirs) == 3
    assert odb.complaints == ["error: unable to normalize alternate object path: /no/where"]
    jailed = one.odb()
    with pytest.raises(MissingObject) as caught:
        jailed.read(oid)
    assert "outside" in str(caught.value.hint)
    assert all("outside the root" in line for line in jailed.complaints)


def test_an_alternate_that_names_itself(builder: Any) -> None:
    (builder.objects / "info" / "alternates").write_bytes(os.fsencode(builder.objects) + b"\n.\n../objects\n")
    assert len(builder.odb().dirs) == 1


def test_kinds_and_peeling(builder: Any, tmp_path: Path) -> None:
    tree = builder.loose(b"tree", b"")
    commit = builder.loose(b"commit", builder.commit(tree=tree))
    tag = builder.loose(b"tag", b"object " + commit.hex().encode() + b"\ntype commit\ntag v\n\nm\n")
    outer = builder.loose(b"tag", b"object " + tag.hex().encode() + b"\ntype tag\ntag w\n\nm\n")
    odb = builder.odb()
    assert odb.peel(outer) == odb.peel(outer, b"commit") == commit == odb.peel(commit)
    assert odb.peel(outer, b"tree") == tree and odb.peel(outer, b"tag") == outer
    assert odb.tag(outer).object == tag and odb.commit(commit).tree == tree and odb.tree(tree) == b""
    for ask in (
        lambda: odb.peel(outer, b"blob"),
        lambda: odb.commit(tree),
        lambda: odb.blob(commit),
        lambda: odb.tag(tree),
    ):
        with pytest.raises(Corrupt, match="is a"):
            ask()
    with pytest.raises(Corrupt):
        odb.commit_facts(tree)
    assert Odb(Jail(b"/"), os.fsencode(tmp_path / "nowhere"), "sha1").read(odb.empty_tree) == (b"tree", b"")


def test_entries(builder: Any) -> None:
    blob = builder.loose(b"blob", b"x")
    inner = builder.loose(b"tree", b"100644 file\0" + blob)
    tree = builder.loose(b"tree", b"40000 dir\0" + inner + b"160000 sub\0" + b"\x07" * 20)
    odb = builder.odb()
    assert odb.entry(tree, b"") == (0o040000, tree)
    assert odb.entry(tree, b"dir") == (0o040000, inner)
    assert odb.entry(tree, b"dir/file") == (0o100644, blob)
    for path in (b"dir/none", b"dir/file/x", b"sub/x", b"none", b"dir/", b"/dir", b"dir//file"):
        assert odb.entry(tree, path) is None


@pytest.mark.parametrize("packed", [False, True])
def test_history_that_is_not_what_commits_say(builder: Any, packed: bool) -> None:
    raws = [builder.commit(time=number) for number in (1, 2)]
    one, two = (builder.oid(b"commit", raw) for raw in raws)
    raw = builder.commit(one, two, time=3, message=b"long " * 200)
    top = builder.oid(b"commit", raw)
    if packed:
        builder.pack([builder.whole(b"commit", body) for body in (*raws, raw)])
    else:
        for body in (*raws, raw):
            builder.loose(b"commit", body)
    tree = builder.odb().empty_tree
    for _ in range(2):
        odb = builder.odb()
        assert odb.read(one)[0] == b"commit"
        assert odb.commit_facts(top) == ((one, two), 3, tree)
        assert odb.commit(top).parents == (one, two)
    odb = builder.odb(grafts=lambda: {top: (two,), one: ()})
    assert odb.read(top)[0] == b"commit"
    assert odb.commit_facts(top) == ((two,), 3, tree)
    assert odb.commit(top).parents == (two,)
    odb = builder.odb(replaced=lambda: {top: one})
    assert odb.read(two)[0] == b"commit"
    assert odb.commit_facts(top) == ((), 1, tree)
    assert odb.commit(top).commit_time == 1 and odb.commit(top).oid == top
    assert odb.read_raw(top)[1] == raw


def test_missing_objects_of_a_partial_clone(builder: Any) -> None:
    odb = builder.odb(partial=lambda: True)
    with pytest.raises(NotFetched) as caught:
        odb.read(b"\1" * 20)
    assert "01" * 20 in caught.value.message and "fetches nothing" in caught.value.message
    assert caught.value.data == {"oid": "01" * 20}
    odb.fetch_if_missing = False
    with pytest.raises(MissingObject):
        odb.read(b"\1" * 20)
    odb.refresh()
    with pytest.raises(NotFetched):
        odb.read(b"\1" * 20)


def test_replacements() -> None:
    a, b, c = (bytes([number]) * 20 for number in (1, 2, 3))
    refs = [
        (b"refs/replace/" + a.hex().encode(), b),
        (b"refs/replace/" + b.hex().encode(), c),
        (b"refs/replace/odd", a),
    ]
    complaints: list[str] = []
    assert replacements(refs, 20, complaints.append) == {a: c, b: c}
    assert complaints == ["warning: bad replace ref name: refs/replace/odd"]
    with pytest.raises(Corrupt, match="duplicate replace ref: x/" + a.hex()):
        replacements([(a.hex().encode(), b), (b"x/" + a.hex().encode(), c)], 20, complaints.append)
    round_and_round = [(b"refs/replace/" + a.hex().encode(), b), (b"refs/replace/" + b.hex().encode(), a)]
    assert replacements(round_and_round, 20, complaints.append) == {a: b"", b: b""}  # told to whoever asks


@given(data=st.binary(max_size=200))
def test_any_bytes_as_grafts_or_shallow(data: bytes) -> None:
    assert isinstance(parse_grafts(data, 20, lambda complaint: None), dict)
    try:
        assert isinstance(parse_shallow(data, 20), frozenset)
    except Corrupt:
        pass


def test_grafts() -> None:
    a, b = b"\x01" * 20, b"\x02" * 20
    one, two = a.hex().encode(), b.hex().encode()
    complaints: list[str] = []
    data = b"# no\n\n" + one + b"\t" + two + b"  \r\n" + two + b"\n" + one + b"\n"
    assert parse_grafts(data, 20, complaints.append) == {a: (b,), b: ()}
    assert complaints == [f"error: duplicate graft data: {a.hex()}"]


@pytest.mark.parametrize(
    "front, middle, end", [(b"", b"", b""), (b"", b"  ", b""), (b" ", b" ", b""), (b"", b" ", b" x")]
)
def test_a_graft_is_names_with_one_blank_between(front: bytes, middle: bytes, end: bytes) -> None:
    line = front + b"01" * 20 + middle + b"02" * 20 + end
    complaints: list[str] = []
    assert parse_grafts(b"xyz\n" + line + b"\n" + b"01" * 19, 20, complaints.append) == {}
    assert complaints == [f"error: bad graft data: {bad.decode()}" for bad in (b"xyz", line, b"01" * 19)]


@pytest.mark.parametrize("end, words", [(b"\n", "\n"), (b"x\n", "x\n"), (b"x", "x"), (b"\n" + b"01" * 20, "\n")])
def test_a_bad_shallow_line_is_shown_with_its_end(end: bytes, words: str) -> None:
    assert parse_shallow(b"01" * 20 + b" and more", 20) == {b"\x01" * 20}
    with pytest.raises(Corrupt) as raised:
        parse_shallow(b"01" * 20 + b"\n" + end, 20)
    assert raised.value.message == f"bad shallow line: {words}"


def test_accelerators_that_lead_out_or_are_no_files_are_ignored(builder: Any, tmp_path: Path) -> None:
    entry = builder.whole(b"blob", b"still here")
    base = builder.pack([entry])
    commit = builder.loose(b"commit", builder.commit())
    (tmp_path / "secret").write_bytes(b"CGPH")
    (builder.objects / "info" / "commit-graph").symlink_to(tmp_path / "secret")
    (builder.objects / "pack" / "multi-pack-index").symlink_to(tmp_path / "secret")
    for suffix in (".idx", ".pack"):
        (builder.objects / "pack" / f"pack-out{suffix}").symlink_to(tmp_path / "secret")
    odb = builder.odb()
    assert odb.read(entry[0])[1] == b"still here" and odb.commit_facts(commit)[1] == 1_700_000_000
    assert len(odb.complaints) == 3 and all("outside the root" in line for line in odb.complaints)
    for path in (builder.objects / "info" / "commit-graph", builder.objects / "pack" / "multi-pack-index"):
        path.unlink()
        os.mkfifo(path)
    (builder.objects / "pack" / "pack-out.idx").unlink()
    os.mkfifo(builder.objects / "pack" / "pack-out.idx")
    odb = builder.odb()
    assert odb.read(entry[0])[1] == b"still here" and odb.commit_facts(commit)[1] == 1_700_000_000
    assert len(odb.complaints) == 3 and base.exists() is False


def test_whether_a_pack_has_an_object(builder: Any) -> None:
    """Asked of every pack; one whose index is broken is put aside with a complaint, and the others are asked."""
    one, two = builder.whole(b"blob", b"one"), builder.whole(b"blob", b"two")
    for entry in (one, two):
        builder.pack([entry])
    assert all(builder.odb().packed(entry[0]) for entry in (one, two)) and not builder.odb().packed(b"\1" * 20)
    first = sorted((builder.objects / "pack").glob("*.idx"))[0]
    first.chmod(0o644)
    first.write_bytes(b"broken")
    odb = builder.odb()
    assert sorted(odb.packed(entry[0]) for entry in (one, two)) == [False, True]
    assert len(odb.dirs[0].packs) == 1 and ["is too small" in words for words in odb.complaints] == [True]


def test_whether_a_multi_pack_index_has_an_object(builder: Any) -> None:
    one, two = builder.whole(b"blob", b"one"), builder.whole(b"blob", b"two")
    builder.pack([one])
    odb = builder.odb()
    (directory,) = odb.dirs
    (base,) = directory.packs
    directory.midx, directory.unindexed = SimpleNamespace(find={one[0]: (base, 12)}.get), []
    assert directory.has(one[0]) and not directory.has(two[0])
