"""Packs and their indexes: every version and kind of delta, against dulwich's own reader, and broken in every way."""

import gc
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.disk.jail import Jail
from gitglass.disk.opened import FileView
from gitglass.errors import Corrupt, GitError, MissingObject, TooLarge
from gitglass.memories import ObjectCache
from gitglass.objects import pack as packs
from gitglass.objects.database import Odb
from gitglass.objects.delta import apply_delta

SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def blobs(builder: Any, count: int) -> list[tuple[bytes, int, bytes, bytes]]:
    return [builder.whole(b"blob", b"content %d\n" % number * (number % 7 + 1)) for number in range(count)]


@pytest.mark.parametrize("version, large", [(1, False), (2, False), (2, True)])
@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
def test_every_object_is_found(request: pytest.FixtureRequest, version: int, large: bool, hash_name: str) -> None:
    builder = request.getfixturevalue("builder" if hash_name == "sha1" else "builder256")
    entries = blobs(builder, 700)  # enough for guesses within a bucket, and for buckets that become tuples
    builder.pack(entries, version=version, large=large)
    odb = builder.odb()
    for _ in range(3):
        for oid, _, _, content in entries:
            assert odb.read(oid) == (b"blob", content)
            assert odb.kind_size(oid) == (b"blob", len(content))
    for number in range(700):
        oid = builder.oid(b"blob", b"absent %d" % number)
        assert not odb.has(oid)
    assert odb.names.all() == sorted(entry[0] for entry in entries)
    assert odb.names.count_estimate() == 700


def test_a_crowded_bucket(builder: Any) -> None:
    """Names that are not spread evenly: the guess is wrong, the answer is not."""
    rows = []
    body = bytearray(b"PACK" + struct.pack(">II", 2, 300))
    for number in range(300):
        oid = b"\x42" + (number * 7 if number < 200 else 0xFFFF00 + number).to_bytes(4, "big") + bytes(15)
        rows.append((oid, 0, len(body)))
        body += bytes([0x31]) + zlib.compress(bytes([number & 255]))
    builder.raw_pack(bytes(body), rows)
    odb = builder.odb()
    for number, (oid, _, _) in enumerate(rows):
        assert odb.read(oid)[1] == bytes([number & 255])
        assert not odb.has(oid[:-1] + b"\1")


def sizes_read(monkeypatch: pytest.MonkeyPatch, suffix: bytes) -> list[int]:
    """How many bytes each reading asks for, of files whose names end so, from here to the end of the test."""
    sizes: list[int] = []
    read = FileView.read

    def counted(view: FileView, offset: int, size: int) -> bytes:
        if view.path.endswith(suffix):
            sizes.append(size)
        return read(view, offset, size)

    monkeypatch.setattr(FileView, "read", counted)
    return sizes


def test_a_large_bucket_is_read_around_what_is_asked_for(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []
    body = bytearray(b"PACK" + struct.pack(">II", 2, 1500))
    for number in range(1500):
        rows.append((b"\x42" + builder.digest(b"%d" % (number // 2))[:3] + bytes([number & 1] * 16), 0, len(body)))
        body += bytes([0x31]) + zlib.compress(bytes([number & 255]))
    builder.raw_pack(bytes(body), rows)
    oids = [row[0] for row in rows]
    one = builder.odb()
    assert all(one.read(oid)[1] == bytes([number & 255]) for number, oid in enumerate(oids))
    asked = sizes_read(monkeypatch, b".idx")
    for number in range(0, 1500, 97):
        odb = builder.odb()
        assert odb.kind(oids[number]) == b"blob"
        asked.clear()
        assert odb.read(oids[number])[1] == bytes([number & 255])
        assert not asked or max(asked) < 1500 * 20 // 3  # what was read of the index is enough
        assert not odb.has(oids[number][:-1] + b"\7")
        for oid in oids[number % 50 :: 50]:
            for size in (2, 4, 8):
                fresh = builder.odb().names
                assert fresh.beside(oid, size) is not True or fresh.unique_length(oid) <= 2 * size


@given(sizes=st.lists(st.integers(0, 30_000), min_size=1, max_size=30), random=st.randoms(use_true_random=False))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_few_objects_or_all_wherever_they_lie(
    tmp_path_factory: pytest.TempPathFactory, builder: Any, sizes: list[int], random: Random
) -> None:
    """What compresses badly spans the pieces that are read; what compresses well lies with many others in one."""
    builder = type(builder)(tmp_path_factory.mktemp("pack"))
    contents = [random.randbytes(size) if number % 2 else b"%d" % number * size for number, size in enumerate(sizes)]
    wanted = {entry[0]: entry[3] for entry in (builder.whole(b"blob", content) for content in contents)}
    builder.pack([(oid, 3, b"", content) for oid, content in wanted.items()])
    oids = list(wanted)
    random.shuffle(oids)
    odb = builder.odb()
    for oid in oids:
        assert builder.odb().read(oid) == odb.read(oid) == (b"blob", wanted[oid])
        assert odb.kind_size(oid) == (b"blob", len(wanted[oid]))
        assert builder.odb().packs.size_at_hand(oid) is None  # no pack is open
        assert odb.packs.size_at_hand(oid) == len(wanted[oid]) and odb.packs.size_at_hand(bytes(20)) is None
        assert odb.packs.at_hand(oid, lambda pack, offset: pack.oid_at(offset)) == oid


@contextmanager
def lengths_read() -> Iterator[list[int]]:
    """How many bytes are read from files, each time."""
    read: list[int] = []
    whole = FileView.read

    def counted(view: FileView, offset: int, length: int) -> bytes:
        read.append(length)
        return whole(view, offset, length)

    with mock.patch.object(FileView, "read", counted):
        yield read


def test_the_size_of_an_object_takes_its_first_bytes_alone(builder: Any) -> None:
    """No window of the pack is read around each of many objects that are far apart."""
    random = Random(7)
    entries = [builder.whole(b"blob", random.randbytes(50_000 + number)) for number in range(6)]
    builder.pack(entries)
    odb = builder.odb()
    for _ in range(2):  # the pack is open from then on
        assert odb.kind_size(entries[0][0]) == (b"blob", 50_000)
    with lengths_read() as read:
        sizes = [odb.packs.size_at_hand(entry[0]) for entry in entries[1:]]
    assert sizes == [len(entry[3]) for entry in entries[1:]]
    assert sum(read) < 5 * 2000


def test_the_sizes_of_many_objects_are_read_in_windows(builder: Any) -> None:
    entries = [builder.whole(b"blob", Random(number).randbytes(200 + number)) for number in range(400)]
    builder.pack(entries)
    odb = builder.odb()
    for entry in entries[:2]:  # the pack is open from then on
        odb.read(entry[0])
    odb.packs.last.windows.clear()
    with lengths_read() as read:
        assert [odb.packs.size_at_hand(entry[0]) for entry in entries] == [len(entry[3]) for entry in entries]
    size = sum(len(entry[3]) for entry in entries)
    assert size // 4096 <= read.count(packs._GLANCE) <= size // 2048
    assert 0 < len([length for length in read if length > 32768]) <= size // 32768 + 2


def test_offset_and_reference_deltas(builder: Any, packing: Any) -> None:
    first, second, third = b"a" * 500, b"a" * 400 + b"b" * 300, b"a" * 400 + b"b" * 200 + b"c"
    one = builder.whole(b"blob", first)
    two = (builder.oid(b"blob", second), 7, one[0], packing.delta(first, second))
    reach = len(packing.head(7, len(two[3])) + two[2] + zlib.compress(two[3]))
    three = (builder.oid(b"blob", third), 6, packing.back(reach), packing.delta(second, third))
    builder.pack([one, two, three])
    odb = builder.odb()
    assert odb.kind_size(three[0]) == (b"blob", len(third))
    assert odb.read(three[0]) == (b"blob", third)
    assert odb.read(two[0]) == (b"blob", second)
    assert odb.packs.size_at_hand(three[0]) == len(third) and odb.packs.size_at_hand(one[0]) == len(first)
    assert odb.delta_base(three[0]) == two[0]
    assert odb.delta_base(two[0]) == one[0]
    assert odb.delta_base(one[0]) == bytes(20)
    for entry in (one, two, three):
        odb.verify(entry[0])
    (pack,) = (builder.objects / "pack").glob("*.pack")
    assert sum(odb.disk_size(entry[0]) for entry in (one, two, three)) == pack.stat().st_size - 12 - 20


def test_a_long_chain_needs_no_stack(builder: Any, packing: Any) -> None:
    content = b"0" * 50
    entries = [builder.whole(b"blob", content)]
    for number in range(3000):
        new = b"%04d" % number + b"x" * 40
        entries.append((builder.oid(b"blob", new), 7, entries[-1][0], packing.delta(content, new)))
        content = new
    builder.pack(entries)
    assert builder.odb().read(entries[-1][0]) == (b"blob", content)


@pytest.mark.parametrize("most", [1 << 16, 40])
def test_of_a_chain_each_delta_is_looked_at_once(
    builder: Any, packing: Any, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """The kinds of many objects take no more looks than there are objects, however long the chains are."""
    monkeypatch.setattr(packs, "_MOST_KINDS", most)
    content, base = b"0" * 50, builder.whole(b"tree", b"")
    entries = [builder.whole(b"blob", content), base]
    for number in range(30):
        new = b"%04d" % number + b"x" * 40
        below = entries[-1][0] if number else entries[0][0]
        entries.append((builder.oid(b"blob", new), 7, below, packing.delta(content, new)))
        content = new
    builder.pack(entries)
    odb = builder.odb()
    looks: list[packs.Pack] = []
    glance = packs.Pack.glance
    monkeypatch.setattr(packs.Pack, "glance", lambda pack, offset: looks.append(pack) or glance(pack, offset))
    for oid, *_ in reversed(entries):
        assert odb.kind(oid) == (b"tree" if oid == base[0] else b"blob")
    assert len(looks) <= 2 * len(entries)
    assert 0 < len(looks[0]._kinds) <= most


def edited(packing: Any, content: bytes, number: int, places: int) -> tuple[bytes, bytes]:
    """(what becomes of the content by so many edits that keep its length, the delta that makes it)."""
    out, delta, at = bytearray(content), packing.varint(len(content)) * 2, 0

    def copy(start: int, end: int) -> bytes:
        return bytes([0xFF]) + start.to_bytes(4, "little") + (end - start).to_bytes(3, "little")

    for nth in range(places):
        place = (nth * len(content) // places + 96 * number) // 8 * 8
        piece = b"%07d\n" % (number * 1000 + nth)
        delta += copy(at, place) + bytes([8]) + piece
        out[place : place + 8], at = piece, place + 8
    return bytes(out), delta + copy(at, len(content))


@pytest.mark.parametrize("places, calls", [(1, [8, 8, 4]), (40, [])])
def test_a_long_chain_of_a_large_object_is_put_together_now_and_then(
    builder: Any, packing: Any, places: int, calls: list[int]
) -> None:
    """Several deltas at once where little changes; where much does, looking at each byte of them takes longer than to
    copy the object for each."""
    content = b"".join(b"%07d\n" % number for number in range(12_000))
    entries, contents = [builder.whole(b"blob", content)], [content]
    for number in range(1, 21):
        content, delta = edited(packing, content, number, places)
        contents.append(content)
        entries.append((builder.oid(b"blob", content), 7, entries[-1][0], delta))
    builder.pack(entries)
    with mock.patch.object(packs, "apply_deltas", side_effect=packs.apply_deltas) as several:
        assert builder.odb().read(entries[-1][0]) == (b"blob", contents[-1])
    assert [len(call.args[1]) for call in several.call_args_list] == calls
    assert builder.odb().read(entries[5][0]) == (b"blob", contents[5])


def test_a_cycle_of_reference_deltas_ends(builder: Any, packing: Any) -> None:
    one, two = b"\x11" * 20, b"\x22" * 20
    body = packing.delta(b"x" * 10, b"x" * 12)
    builder.pack([(one, 7, two, body), (two, 7, one, body)])
    odb = builder.odb()
    with pytest.raises(Corrupt):
        odb.read(one)
    with pytest.raises(Corrupt):
        odb.kind_size(one)


@pytest.mark.parametrize("distance", [1, 5, 100, 1 << 40])
def test_offset_deltas_out_of_the_pack(builder: Any, packing: Any, distance: int) -> None:
    oid = b"\x11" * 20
    builder.pack([(oid, 6, packing.back(distance), packing.delta(b"", b"abc"))])
    with pytest.raises(Corrupt):
        builder.odb().read(oid)


def test_sizes_are_claims(builder: Any, packing: Any) -> None:
    """A bomb of zeros under a small claim, a large claim over little, a delta that claims a terabyte."""
    bomb, claim, grown, base = (bytes([number]) * 20 for number in (1, 2, 3, 4))
    rows, body = [], bytearray(b"PACK" + struct.pack(">II", 2, 4))
    zeros = zlib.compress(bytes(50 << 20))
    swollen = packing.varint(10) + packing.varint(1 << 40) + b"\x90\x0a"
    for oid, raw in (
        (bomb, packing.head(3, 100) + zeros),
        (claim, packing.head(3, 1 << 33) + zlib.compress(b"little")),
        (base, packing.head(3, 10) + zlib.compress(b"0123456789")),
        (grown, packing.head(7, len(swollen)) + base + zlib.compress(swollen)),
    ):
        rows.append((oid, 0, len(body)))
        body += raw
    builder.raw_pack(bytes(body), rows)
    odb = builder.odb()
    with pytest.raises(Corrupt):
        odb.read(bomb)
    with pytest.raises(TooLarge):
        odb.read(claim)
    with pytest.raises(Corrupt):
        odb.read(grown)
    assert odb.read(base)[1] == b"0123456789"


def test_objects_larger_than_a_window(builder: Any) -> None:
    sizes = (8063, 8064, 8065, 32768, 100_000, 3 << 20)
    entries = [builder.whole(b"blob", os.urandom(size)) for size in sizes]
    entries += [builder.whole(b"blob", b"z" * size) for size in sizes]
    builder.pack(entries)
    odb = builder.odb()
    for oid, _, _, content in entries:
        assert odb.read(oid)[1] == content


@pytest.mark.parametrize(("memory", "kept"), [(96 << 20, 1024), (8 << 20, 204), (1 << 20, 25), (0, 16)])
def test_windows_within_the_memory_of_a_handle(builder: Any, memory: int, kept: int) -> None:
    entries = [builder.whole(b"blob", os.urandom(30_000)) for _ in range(40)]
    builder.pack(entries)
    odb = builder.odb(cache_bytes=memory)
    assert [odb.read(oid)[1] == content for oid, _, _, content in entries] == [True] * 40
    (pack,) = odb._opened._packs.values()
    assert pack.windows_kept == kept and len(pack.windows) <= kept


def test_deflate_blocks_that_are_larger_than_they_need_be(builder: Any, packing: Any) -> None:
    """Another writer's stream may be longer than its content by far; it is still the content."""
    deflater = zlib.compressobj(0)
    raw = b"".join(deflater.compress(b"x") + deflater.flush(zlib.Z_FULL_FLUSH) for _ in range(200)) + deflater.flush()
    oid = builder.oid(b"blob", b"x" * 200)
    builder.raw_pack(b"PACK" + struct.pack(">II", 2, 1) + packing.head(3, 200) + raw, [(oid, 0, 12)])
    assert builder.odb().read(oid)[1] == b"x" * 200


def test_truncation_while_open(builder: Any) -> None:
    """A pack cut short under an open handle is an error, not a SIGBUS."""
    entries = [builder.whole(b"blob", os.urandom(60_000)) for _ in range(10)]
    base = builder.pack(entries)
    odb = builder.odb()
    assert odb.has(entries[0][0])
    odb.read(entries[0][0])
    for suffix in (".pack", ".idx"):
        os.truncate(base.with_suffix(suffix), 1100)
    for oid, _, _, _ in entries[1:]:
        with pytest.raises(GitError):
            odb.read(oid)


def test_a_repack_under_an_open_handle(builder: Any) -> None:
    old = builder.pack(blobs(builder, 5))
    odb = builder.odb()
    assert odb.has(builder.oid(b"blob", b"content 1\n" * 2))
    new = [*blobs(builder, 5), builder.whole(b"blob", b"new")]
    builder.pack(new)
    for suffix in (".pack", ".idx"):
        old.with_suffix(suffix).unlink()
    assert odb.read(new[-1][0]) == (b"blob", b"new")
    with pytest.raises(MissingObject):
        odb.read(b"\x99" * 20)
    odb.refresh()
    for entry in new:
        assert odb.read(entry[0])[1] == entry[3]


def test_a_broken_copy_is_read_elsewhere(builder: Any) -> None:
    entry = builder.whole(b"blob", b"twice here" * 20)
    base = builder.pack([entry])
    data = bytearray(base.with_suffix(".pack").read_bytes())
    data[16:24] = b"\xff" * 8
    base.with_suffix(".pack").write_bytes(data)
    with pytest.raises(Corrupt, match=r"packed object .* is corrupt"):
        builder.odb().read(entry[0])
    builder.loose(b"blob", entry[3])
    assert builder.odb().read(entry[0]) == (b"blob", entry[3])


@pytest.mark.parametrize("where", ["loose", "pack", "alternate", "middle", "nowhere"])
def test_a_delta_is_put_on_another_copy_of_a_base_that_is_broken(
    builder: Any, new_builder: Any, packing: Any, tmp_path: Path, where: str
) -> None:
    first, second, third = (b"a line of the text\n" * 40 + b"end %d\n" % number for number in range(3))
    one = builder.whole(b"blob", first)
    two = (builder.oid(b"blob", second), 7, one[0], packing.delta(first, second))
    three = (builder.oid(b"blob", third), 7, two[0], packing.delta(second, third))
    base = builder.pack([one, two, three])
    data = bytearray(base.with_suffix(".pack").read_bytes())
    data[16:24] = b"\xff" * 8
    base.with_suffix(".pack").write_bytes(data)
    if where == "pack":
        builder.pack([one])
    elif where == "alternate":
        other = new_builder(tmp_path / "repo/other")
        other.loose(b"blob", first)
        (builder.objects / "info" / "alternates").write_bytes(os.fsencode(other.objects) + b"\n")
    elif where != "nowhere":
        builder.loose(b"blob", first if where == "loose" else second)
    complaints: list[str] = []
    odb = builder.odb(shown=b".git/objects", complain=complaints.append)
    if where == "nowhere":
        with pytest.raises(Corrupt, match=f"packed object {three[0].hex()} .* is corrupt"):
            odb.read(three[0])
    else:
        assert odb.read(three[0]) == (b"blob", third)
    words = (
        f"error: failed to read delta base object {one[0].hex()} at offset 12 from .git/objects/pack/{base.name}.pack"
    )
    assert complaints[0].startswith("error: ") and complaints[1] == words
    lower = [line for line in complaints if line.startswith(f"error: failed to read delta base object {two[0].hex()} ")]
    assert len(lower) == (where in ("middle", "nowhere"))


def test_a_broken_pack_is_named_as_messages_show_its_directory(builder: Any) -> None:
    entry = builder.whole(b"blob", b"broken here" * 20)
    base = builder.pack([entry])
    data = bytearray(base.with_suffix(".pack").read_bytes())
    data[16:24] = b"\xff" * 8
    base.with_suffix(".pack").write_bytes(data)
    with pytest.raises(Corrupt) as raised:
        builder.odb(shown=b".git/objects").read(entry[0])
    assert f" (stored in .git/objects/pack/{base.name}.pack) is corrupt" in raised.value.message
    base.with_suffix(".idx").write_bytes(b"short")
    complaints: list[str] = []
    with pytest.raises(MissingObject):
        builder.odb(shown=b".git/objects", complain=complaints.append).read(entry[0])
    assert complaints == [f"error: index file .git/objects/pack/{base.name}.idx is too small"]
    (base.parent / "multi-pack-index").write_bytes(b"short")
    with pytest.raises(MissingObject):
        builder.odb(shown=b".git/objects", complain=complaints.append).read(entry[0])
    assert "error: multi-pack-index file .git/objects/pack/multi-pack-index is too small" in complaints


@pytest.mark.parametrize("name", ["packed", "bare", "sha256"])
def test_the_fixtures_read_as_dulwich_reads_them(unpack: Any, name: str) -> None:
    from dulwich.repo import Repo

    top = Path(unpack(name))
    git = top / ".git" if (top / ".git").exists() else top
    hash_name = "sha256" if name == "sha256" else "sha1"
    odb = Odb(Jail(b"/"), str(git / "objects").encode(), hash_name)
    oids = odb.names.all()
    assert oids
    with Repo(str(top)) as repo:
        for oid in oids:
            kind, data = odb.read_raw(oid)
            number, other = repo.object_store.get_raw(oid.hex().encode())
            assert ({1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}[number], other) == (kind, data)
            assert odb.kind_size(oid) == (kind, len(data))
            odb.verify(oid)


@SLOW
@given(data=st.data())
def test_a_mutated_pack_answers_or_raises(builder_once: Any, data: st.DataObject) -> None:
    builder, base, oids, packs = builder_once
    suffix = data.draw(st.sampled_from([".pack", ".idx"]))
    raw = bytearray(packs[suffix])
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = raw[: data.draw(st.sampled_from([len(raw), len(raw) // 2, data.draw(st.integers(0, len(raw)))]))]
    for name, content in packs.items():
        base.with_suffix(name).write_bytes(raw if name == suffix else content)
    odb = builder.odb()
    for oid in oids:
        for ask in (odb.read, odb.kind_size, odb.disk_size, odb.delta_base, odb.has):
            try:
                ask(oid)
            except GitError:
                pass
    try:
        assert (
            odb.names.beginning("4") is not None
            and odb.names.unique_length(oids[0])
            and odb.names.count_estimate() is not None
        )
    except GitError:
        pass


@pytest.fixture(scope="module")
def builder_once(tmp_path_factory: pytest.TempPathFactory, new_builder: Any, packing: Any) -> Any:
    builder = new_builder(tmp_path_factory.mktemp("mutated"))
    content = [b"line %d\n" % number * 9 for number in range(12)]
    entries = [builder.whole(b"blob", content[0])]
    for before, after in pairwise(content):
        entries.append((builder.oid(b"blob", after), 7, entries[-1][0], packing.delta(before, after)))
    entries.append(builder.whole(b"commit", builder.commit()))
    base = builder.pack(entries)
    packs = {suffix: base.with_suffix(suffix).read_bytes() for suffix in (".pack", ".idx")}
    return builder, base, [entry[0] for entry in entries], packs


def test_the_cache_is_bounded() -> None:
    cache = ObjectCache(100_000)
    for number in range(1000):
        cache.put(number, (3, bytes(1000)))
    assert cache.get(999) == (3, bytes(1000))
    assert cache.get(0) is None
    assert len(cache.young) + len(cache.old) < 100


def test_versions_of_a_large_directory_are_made_once(
    builder: Any, packing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a delta against the one before."""
    made: list[int] = []

    def counting(base: bytes, delta: bytes, limit: int) -> bytes:
        made.append(len(base))
        return apply_delta(base, delta, limit)

    monkeypatch.setattr(packs, "apply_delta", counting)
    content = b"".join(b"100644 f%05d\0" % n + bytes(20) for n in range(9000))
    entries = [builder.whole(b"tree", content)]
    for number in range(20):
        new = content[:-1] + bytes([number + 1])
        entries.append((builder.oid(b"tree", new), 7, entries[-1][0], packing.delta(content, new)))
        content = new
    builder.pack(entries)
    odb = builder.odb()
    for entry in reversed(entries):
        assert len(odb.read(entry[0])[1]) == len(content)
    assert len(made) == 20


def test_what_is_kept_of_each_kind() -> None:
    cache = ObjectCache(96 << 20)
    assert cache.most(packs.TREE) == 6 << 20 and cache.most(packs.BLOB) == 256 << 10
    assert ObjectCache(1 << 20).most(packs.TREE) == 256 << 10


def test_very_many_packs(builder: Any) -> None:
    """More packs than a process may have open files."""
    resource = pytest.importorskip("resource")
    entries = [builder.whole(b"blob", b"pack %d" % number) for number in range(400)]
    for entry in entries:
        builder.pack([entry])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    gc.collect()  # handles of other tests
    free = [os.open(os.devnull, os.O_RDONLY) for _ in range(200)]  # the lowest that are free, gaps and all
    for descriptor in free:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(free[-1] + 1, soft), hard))
    try:
        odb = builder.odb()
        for oid, _, _, content in entries:
            assert odb.read(oid)[1] == content
        assert len(odb.names.all()) == odb.names.count_estimate() == 400
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_kind_is_read_without_what_stands_around(builder: Any, packing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of objects far from each other only the beginnings are read; where a second one is near, all that is there."""
    random = Random(7)
    entries = [builder.whole(b"blob", random.randbytes(20_000)) for _ in range(12)]
    base = entries[0][3]
    entries.append((builder.oid(b"blob", base + b"!"), 7, entries[0][0], packing.delta(base, base + b"!")))
    builder.pack(entries)
    odb = builder.odb()
    odb.has(entries[0][0])
    read = sizes_read(monkeypatch, b".pack")
    for oid, _, _, content in (entries[0], entries[4], entries[8]):
        assert odb.kind_size(oid) == (b"blob", len(content)) and odb.kind(oid) == b"blob"
    assert [length for length in read if length > 20] == [packs._GLANCE] * 3  # the second question reads nothing
    del read[:]
    assert builder.odb().kind(entries[4][0]) == b"blob"
    assert sum(read) < 200 + packs._GLANCE  # header and trailer of the pack, and the beginning of the object
    odb = builder.odb()
    assert odb.read(entries[2][0]) and odb.read(entries[5][0])
    del read[:]
    assert odb.packs.size_at_hand(entries[12][0]) == len(base) + 1
    assert sum(read) < 2 * packs._PIECE  # and nothing of the base
    for oid, kind, _, content in entries:
        fresh = builder.odb()
        size = len(content) if kind < 6 else len(base) + 1
        assert fresh.kind_size(oid) == fresh.kind_size(oid) == (b"blob", size) == (fresh.kind(oid), size)
        assert fresh.read(oid) == (b"blob", content if kind < 6 else base + b"!")


def test_a_small_object_whose_kind_was_asked_for_is_at_hand(
    builder: Any, packing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read for its kind holds the whole of it; of a neighbour the window is read, as before."""
    small = [builder.whole(b"tag", b"tag %d" % number) for number in range(2)]
    far = builder.whole(b"blob", Random(7).randbytes(3 * packs.WINDOW_BYTES))
    last = builder.whole(b"commit", b"far away")
    builder.pack([*small, far, last])
    odb = builder.odb()
    assert (odb.kind(small[0][0]), odb.kind(last[0])) == (b"tag", b"commit")
    read = sizes_read(monkeypatch, b".pack")
    assert odb.read(small[0][0]) == (b"tag", b"tag 0") and odb.read(last[0]) == (b"commit", b"far away")
    assert read == []
    assert odb.read(small[1][0]) == (b"tag", b"tag 1")
    assert read == [packs.WINDOW_BYTES]


def test_beginnings_of_objects_are_kept_in_bounded_number(builder: Any) -> None:
    random = Random(7)
    entries = [builder.whole(b"blob", random.randbytes(packs.WINDOW_BYTES)) for _ in range(6)]
    builder.pack(entries)
    odb = builder.odb()
    odb.has(entries[0][0])
    (pack,) = odb.dirs[0].packs.values()
    pack.windows_kept = 2
    for oid, _, _, content in entries:
        assert odb.kind(oid) == b"blob" and len(pack.glanced) <= 2
        assert odb.read(oid) == (b"blob", content)
