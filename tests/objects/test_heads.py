"""Kinds and sizes of all objects of a pack, against asking for each."""

import random
import zlib
from itertools import groupby, product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from gitglass.errors import Corrupt, MissingObject
from gitglass.limits import Context, Limits
from gitglass.objects import heads
from gitglass.objects.hashes import EMPTY_TREES
from gitglass.objects.heads import pack_heads
from gitglass.objects.pack import KIND_NAMES
from gitglass.objects.pack_index import PackIndex


def entries(builder: Any, packing: Any) -> list[Any]:
    """Objects of all kinds and lengths, deltas of deltas, and deltas that name their base."""
    draw = random.Random(7)
    out = [
        builder.whole(b"blob", draw.randbytes(size)) for size in (0, 1, 15, 16, 17, 2047, 2048, 2049, 300_000, 70_000)
    ]
    out += [builder.whole(b"commit", builder.commit(message=b"%d\n" % number)) for number in range(40)]
    text = b"line\n" * 900
    out.append(builder.whole(b"tree", b"100644 a\0" + bytes(20)))
    out.append(builder.whole(b"blob", text))
    base = out[-1][0]
    for number in range(20):
        longer = text + b"%d\n" % number * (number + 1)
        out.append((builder.oid(b"blob", longer), 7, base, packing.delta(text, longer)))
        base, text = out[-1][0], longer
    return out


def read(odb: Any) -> dict[bytes, tuple[bytes, int]]:
    """What is known of every object."""
    reader, told = odb.heads(), dict[bytes, tuple[bytes, int]]()
    for _, oids in groupby(odb.names.all(), itemgetter(0)):
        some = list(oids)
        told.update(zip(some, zip(*reader(some), strict=True), strict=True))
    return told


@pytest.mark.parametrize("version, large", [(1, False), (2, False), (2, True)])
def test_equals_asking_for_each(builder: Any, packing: Any, version: int, large: bool) -> None:
    listed = entries(builder, packing)
    builder.pack(listed, version=version, large=large)
    odb = builder.odb()
    pack = next(iter(odb.dirs[0].indexed()))
    found = pack_heads(pack)
    assert found is not None
    for position, oid in enumerate(pack.index.oids()):
        kind, size = pack.kind_size(pack.index.offset(position))
        if found.kinds[position]:
            assert (found.kinds[position], found.sizes[position]) == (kind, size), oid.hex()
    # what is stored as a delta by name is left to those who ask for the object
    assert found.kinds.count(0) == 20
    whole = {oid: (KIND_NAMES[number], len(content)) for oid, number, _, content in listed if number < 5}
    assert {oid: head for oid, head in read(odb).items() if head[0]} == whole


def test_deltas_by_place(builder: Any, packing: Any) -> None:
    one, two = b"x" * 3000, b"x" * 3000 + b"y"
    entry = builder.whole(b"blob", one)
    # the base begins at 12, right behind the pack's head, and the delta behind it
    size = len(packing.head(3, len(one))) + len(zlib.compress(one))
    builder.pack([entry, (builder.oid(b"blob", two), 6, packing.back(size), packing.delta(one, two))])
    assert read(builder.odb()) == {entry[0]: (b"blob", 3000), builder.oid(b"blob", two): (b"blob", 3001)}


def test_chains_end_in_the_kind_of_their_base(builder: Any, packing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deltas of deltas of a blob and of a tree, small and large, and in portions of the pack that are read apart."""
    listed, begins, at = list[Any](), list[int](), 12
    contents = [
        (b"blob", b"line\n" * 900),
        (b"tree", b"".join(b"100644 %03d\0" % nth + bytes(20) for nth in range(300))),
    ]
    for kind, content in contents:
        listed.append(builder.whole(kind, content))
        begins.append(at)
        at += len(packing.head(listed[-1][1], len(content))) + len(zlib.compress(content))
    for number in range(40):
        nth = number % 2
        kind, before = contents[nth]
        after = before + random.Random(number).randbytes(3 if number < 36 else 3000)
        delta = packing.delta(before, after)
        listed.append((builder.oid(kind, after), 6, packing.back(at - begins[nth]), delta))
        contents[nth], begins[nth] = (kind, after), at
        at += len(packing.head(6, len(delta))) + len(listed[-1][2]) + len(zlib.compress(delta))
    builder.pack(listed)
    expected = {
        oid: (b"blob" if nth % 2 == 0 else b"tree", builder.odb().kind_size(oid)[1])
        for nth, (oid, *_) in enumerate(listed)
    }
    assert read(builder.odb()) == expected
    monkeypatch.setattr(heads, "_PORTION", 4096)
    assert read(builder.odb()) == expected


def test_several_packs_and_loose_objects(builder: Any) -> None:
    """Objects of two packs, one of them in both, and one that is loose: that one has to be asked for."""
    blobs = [builder.whole(b"blob", b"%d" % number) for number in range(600)]
    builder.pack(blobs[:400])
    builder.pack(blobs[399:599])
    builder.loose(b"blob", b"599")
    odb = builder.odb()
    expected = {oid: (b"blob", len(content)) for oid, _, _, content in blobs[:599]}
    assert read(odb) == expected | {blobs[599][0]: (b"", 0)}


def test_sizes_of_many_are_read_together(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten are asked for alone, then the sixth part of the pack; from there on the table has them."""
    monkeypatch.setattr(heads, "_FEW", 10)
    monkeypatch.setattr(heads, "_PART", 6)
    blobs = [builder.whole(b"blob", b"%d" % number) for number in range(120)]
    builder.pack(blobs)
    builder.loose(b"blob", b"loose")
    odb = builder.odb()
    asked = list[bytes]()

    def kind_size(oid: bytes) -> tuple[bytes, int]:
        asked.append(oid)
        return odb.kind_size(oid)  # type: ignore[no-any-return]

    size_of = heads.ManyHeads(odb._packs.indexed, kind_size).size
    assert [size_of(blob[0]) for blob in blobs] == [len(blob[3]) for blob in blobs]
    assert asked == [blob[0] for blob in blobs[:20]]
    loose = builder.whole(b"blob", b"loose")[0]
    assert size_of(loose) == 5 and asked[-1] == loose
    with pytest.raises(MissingObject):
        size_of(bytes(20))


@pytest.mark.parametrize(("expected", "alone"), [(0, 20), (5, 20), (39, 120), (41, 0)])
def test_who_says_how_many_will_be_asked_for_gets_the_table_at_once_or_never(
    builder: Any, monkeypatch: pytest.MonkeyPatch, expected: int, alone: int
) -> None:
    """A third of the pack is forty objects."""
    monkeypatch.setattr(heads, "_FEW", 10)
    monkeypatch.setattr(heads, "_PART", 6)
    monkeypatch.setattr(heads, "_THIRD", 3)
    blobs = [builder.whole(b"blob", b"%d" % number) for number in range(120)]
    builder.pack(blobs)
    odb = builder.odb()
    asked = list[bytes]()

    def kind_size(oid: bytes) -> tuple[bytes, int]:
        asked.append(oid)
        return odb.kind_size(oid)  # type: ignore[no-any-return]

    many = heads.ManyHeads(odb._packs.indexed, kind_size)
    many.expect(expected)
    assert [many.size(blob[0]) for blob in blobs] == [len(blob[3]) for blob in blobs]
    assert len(asked) == alone


def test_heads_of_many_by_name(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of none until a part of all was asked for; then of those in packs, whether there is a table of names or not."""
    blobs = [builder.whole(b"blob", b"%d" % number) for number in range(90)]
    builder.pack(blobs[:60])
    builder.pack([*blobs[50:], builder.whole(b"commit", builder.commit())])
    builder.loose(b"blob", b"loose")
    odb = builder.odb()
    names = [blob[0] for blob in blobs] + [builder.oid(b"commit", builder.commit()), builder.oid(b"blob", b"loose")]
    want = [odb.kind_size(name) for name in names[:-1]] + [(b"", 0)]
    assert list(zip(*odb.many_heads().heads(names), strict=True)) == [(b"", 0)] * len(names)
    monkeypatch.setattr(heads, "_FEW", 10)
    for most in (1 << 19, 20):
        monkeypatch.setattr(heads, "_MOST_NAMED", most)
        many = odb.many_heads()
        assert list(zip(*many.heads(names), strict=True)) == want
        assert many.heads([]) == ([], []) and many.size(names[-1]) == 5


def test_sizes_without_packs_are_asked_for_one_by_one() -> None:
    asked = list[bytes]()
    size_of = heads.ManyHeads(lambda: (), lambda oid: (b"blob", len(asked.append(oid) or asked))).size  # type: ignore[func-returns-value]
    assert [size_of(b"%d" % number) for number in range(1200)] == list(range(1, 1201))


def test_a_replaced_object_has_the_size_of_its_replacement(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "_FEW", 0)
    monkeypatch.setattr(heads, "_PART", 1000)
    one, two = builder.whole(b"blob", b"1"), builder.whole(b"blob", b"two")
    builder.pack([one, two])
    odb = builder.odb()
    monkeypatch.setattr(type(odb), "replaced", {one[0]: two[0]})
    assert [odb.many_heads().size(one[0]) for _ in range(3)] == [3, 3, 3]


def test_a_cut_or_large_pack_is_left_alone(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    base: Path = builder.pack([builder.whole(b"blob", b"%d" % number) for number in range(5)])
    odb = builder.odb()
    pack = next(iter(odb.dirs[0].indexed()))
    monkeypatch.setattr(heads, "_MOST", 4)
    assert pack_heads(pack) is None
    monkeypatch.undo()
    assert pack_heads(pack) is not None
    whole = base.with_suffix(".pack").read_bytes()
    base.with_suffix(".pack").chmod(0o644)
    base.with_suffix(".pack").write_bytes(whole[:-30])
    again = builder.odb()
    assert pack_heads(next(iter(again.dirs[0].indexed()))) is None


def test_memory_is_announced(builder: Any) -> None:
    builder.pack([builder.whole(b"blob", b"%d" % number) for number in range(12_000)])
    context = Context(Limits(timeout=None))
    with context:
        pack_heads(next(iter(builder.odb().dirs[0].indexed())))
    assert context._announced >= 12_000 * heads._ENTRY_BYTES


def test_sizes_of_all_pairs_of_bytes() -> None:
    firsts, seconds = (bytes(pair[side] for pair in product(range(256), repeat=2)) for side in (0, 1))
    expected = [one & 15 | ((two & 127) << 4 if one > 127 else 0) for one, two in zip(firsts, seconds)]
    assert list(heads.small_sizes(firsts, seconds)) == expected
    assert list(heads.small_sizes(b"", b"")) == []


@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_first_bytes_of_few_and_of_many(count: int) -> None:
    data = random.Random(count).randbytes(1000)
    starts = [at * 3 % 999 for at in range(count)]
    expected = bytes(data[at] for at in starts), bytes(data[at + 1] for at in starts)
    assert heads.two_bytes(data, starts) == expected


@pytest.mark.parametrize("at, byte", [(0, 0x79), (1, 0x9D), (2, 0)])
def test_a_broken_stream_of_a_delta_is_left_to_those_who_read_it(
    builder: Any, packing: Any, at: int, byte: int
) -> None:
    """Its first bytes are looked at: a size that could be read behind them does not count."""
    one, two = b"x" * 100, b"x" * 100 + b"y"
    entry = builder.whole(b"blob", one)
    size = len(packing.head(3, len(one))) + len(zlib.compress(one))
    delta = packing.delta(one, two)
    base: Path = builder.pack([entry, (builder.oid(b"blob", two), 6, packing.back(size), delta)])
    assert read(builder.odb())[builder.oid(b"blob", two)] == (b"blob", 101)
    path = base.with_suffix(".pack")
    content = bytearray(path.read_bytes())
    begin = len(content) - 20 - len(zlib.compress(delta))
    assert content[begin : begin + 2] == zlib.compress(b"")[:2]
    content[begin + at] = byte
    path.chmod(0o644)
    path.write_bytes(content)
    assert read(builder.odb())[builder.oid(b"blob", two)] == (b"", 0)


def all_of(odb: Any) -> list[bytes]:
    return sorted(odb.names.all())


def test_disk_sizes_are_those_of_each_object(builder: Any, packing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    builder.pack(entries(builder, packing))
    builder.loose(b"blob", b"beside\n")
    builder.pack([builder.whole(b"blob", b"in another pack\n")])
    odb = builder.odb()
    oids = all_of(odb)
    expected = list(map(odb.disk_size, oids))
    assert len(set(expected)) > 10 and 0 not in expected
    asked: list[bytes] = []
    single = odb.disk_size
    monkeypatch.setattr(odb, "disk_size", lambda oid: asked.append(oid) or single(oid))
    assert list(odb.disk_sizes(oids)) == expected
    assert len(asked) <= 3  # the first, the loose one, and that of the other pack


def test_disk_sizes_of_a_few_are_asked_for_one_by_one(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    builder.pack([builder.whole(b"blob", b"%d" % nth * nth) for nth in range(100)])
    odb = builder.odb()
    oids = all_of(odb)[:10]
    expected = list(map(odb.disk_size, oids))
    monkeypatch.setattr(PackIndex, "starting", lambda self, first: pytest.fail("all names are listed"))
    assert list(odb.disk_sizes(oids)) == expected
    assert list(odb.disk_sizes([])) == []


def test_an_empty_tree_takes_no_bytes_though_it_is_stored(builder: Any) -> None:
    builder.pack([builder.whole(b"tree", b""), builder.whole(b"blob", b"1")])
    odb = builder.odb()
    empty = EMPTY_TREES["sha1"]
    assert dict(zip(all_of(odb), odb.disk_sizes(all_of(odb)), strict=True))[empty] == 0


def test_disk_sizes_of_a_broken_pack_are_asked_for_one_by_one(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    builder.pack([builder.whole(b"blob", b"%d" % nth) for nth in range(9)])
    odb = builder.odb()
    oids = all_of(odb)
    expected = list(map(odb.disk_size, oids))

    def broken(self: Any) -> list[int]:
        raise Corrupt("no offsets")

    monkeypatch.setattr(PackIndex, "offsets", broken)
    assert list(odb.disk_sizes(oids)) == expected
