"""Readers for whole histories give what the object database gives, for commits of every shape."""

import random
import zlib
from typing import Any

import pytest

from gitglass.errors import Corrupt, GitError
from gitglass.limits import Limits
from gitglass.memories import ByOid, Facts
from gitglass.objects.parsed import commit_parents, commit_time
from gitglass.objects.sequential import COMMIT_ROW, commit_facts, kept_reader, size_reader

from ..hostile.craft import entry_head

PLACES = 1500  # more than it takes for an index's buckets to become tuples


def history(builder: Any) -> dict[bytes, bytes]:
    """Commits by oid: usual, merges, octopus, roots, long messages, odd times, and a line too long for a head."""
    raws: dict[bytes, bytes] = {}
    last: list[bytes] = []
    for number in range(PLACES):
        parents = last[-3:] if number % 40 == 7 else last[-2:] if number % 9 == 1 else last[-1:]
        message = b"message %d\n" % number * (300 if number % 50 == 3 else 1)
        raw = builder.commit(*parents, time=999_999_999 + number, message=message)
        if number % 31 == 5:
            raw = raw.replace(b"author A", b"author " + b"A" * 300)
        if number % 37 == 5:
            raw = raw.replace(b"committer C <c@d> ", b"committer C <c@d> x> ")
        oid = builder.oid(b"commit", raw)
        raws[oid] = raw
        last.append(oid)
    return raws


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
@pytest.mark.parametrize("halves", [1, 2])
def test_readers(request: pytest.FixtureRequest, hash_name: str, halves: int) -> None:
    builder = request.getfixturevalue("builder" if hash_name == "sha1" else "builder256")
    raws = history(builder)
    oids = list(raws)
    for part in range(halves):
        builder.pack([builder.whole(b"commit", raws[oid]) for oid in oids[part::halves]])
    for kind in ("raw", "facts", "parents", "rows"):
        odb = builder.odb()
        readers = {"raw": odb.raw_reader(), "facts": odb.facts_reader(), "parents": odb.parents_reader()}
        readers |= {"rows": odb.rows_reader(keep=False), "kept": odb.rows_reader(keep=True)}
        for read in (readers[kind], *readers.values()):
            for oid in oids:
                wanted = {"raw": raws[oid], "facts": commit_facts(raws[oid], oid)}
                wanted["parents"] = commit_parents(raws[oid], oid)
                wanted["rows"] = wanted["kept"] = commit_time(raws[oid]), wanted["parents"], raws[oid]
                assert read(oid) == wanted[next(name for name, reader in readers.items() if reader is read)]


def test_a_value_of_the_offset_table_need_not_be_an_offset(builder: Any) -> None:
    """In a pack above 2 GiB (mostly a hole here) it can be the number of a 64-bit offset, with its highest bit set; what
    stands at the offset that this would be is another commit."""
    raws = [builder.commit(time=999_999_999 + number) for number in range(2000)]
    entries = [builder.whole(b"commit", raw) for raw in raws]
    base = builder.pack(entries, large=True)
    wrong = builder.commit(time=1)
    trailer = base.with_suffix(".pack").read_bytes()[-20:]
    with base.with_suffix(".pack").open("r+b") as pack:
        pack.seek(1 << 31)
        pack.write(entry_head(1, len(wrong)) + zlib.compress(wrong))
        pack.seek((1 << 31) + (1 << 20))
        pack.write(trailer)
    odb = builder.odb()
    oids = [entry[0] for entry in entries]
    assert odb.kind_size(oids[0])[0] == b"commit"  # this pack answers from now on
    for read in (odb.raw_reader(), odb.content_reader(), odb.raw_reader(), odb.content_reader()):
        assert [read(oid) for oid in oids] == raws
    facts = odb.facts_reader()
    assert [facts(oid) for oid in oids] == [commit_facts(raw, oid) for raw, oid in zip(raws, oids)]


@pytest.mark.parametrize("whole", [True, False])
def test_contents_are_those_of_the_objects(builder: Any, packing: Any, whole: bool) -> None:
    """Blobs and trees, whole and as deltas against the one before, short and long, a commit and a tag among them."""
    listed, begins, at = list[Any](), dict[bytes, int](), 12
    before: dict[bytes, bytes] = {}
    draw = random.Random(11)
    for number in range(600):
        kind = b"tree" if number % 3 == 1 else b"blob"
        content = b"%d\n" % number + b"line\n" * (4000 if number % 100 == 7 else 1 + number % 40)
        if number % 200 == 9:
            kind, content = b"commit", builder.commit(message=b"%d\n" % number)
        if whole or kind not in before or kind == b"commit":
            entry = builder.whole(kind, content)
        else:
            back = packing.back(at - begins[kind])
            entry = builder.oid(kind, content), 6, back, packing.delta(before[kind], content)
        if number % 50 == 8:
            entry = builder.whole(kind, content := draw.randbytes(9000))
        data = entry[3]
        listed.append((kind, content, entry))
        begins[kind], before[kind] = at, content
        at += len(packing.head(entry[1], len(data))) + len(entry[2]) + len(zlib.compress(data))
    builder.pack([entry for _, _, entry in listed])
    odb = builder.odb()
    read = odb.content_reader()
    for again in range(2):
        for kind, content, entry in listed if again else listed[::-1]:
            assert read(entry[0]) == content, (kind, len(content))
    trees = builder.odb().tree_reader()
    for kind, content, entry in listed * 2:
        if kind == b"tree":
            assert trees(entry[0]) == content
    for kind, _, entry in listed:
        if kind != b"tree":
            with pytest.raises(GitError):
                trees(entry[0])
    odb, asked = builder.odb(), list[bytes]()
    for number in range(2):  # the pack is open from then on
        odb.read(listed[number][2][0])
    size_of = size_reader(lambda oid: (asked.append(oid), odb.packs.size_at_hand(oid))[1], odb.packs.newest, 20)
    for _ in range(3):
        assert [size_of(entry[0]) for _, _, entry in listed] == [len(content) for _, content, _ in listed]
    assert len(asked) < 150 and size_of(bytes(20)) is None


def test_what_is_broken_is_said(builder: Any) -> None:
    raws = history(builder)
    oids = list(raws)
    base = builder.pack([builder.whole(b"commit", raw) for raw in raws.values()])
    odb = builder.odb()
    pack = base.with_suffix(".pack")
    broken = bytearray(pack.read_bytes())
    at = broken.index(b"x\x9c", len(broken) * 9 // 10)
    broken[at : at + 8] = bytes(8)
    pack.write_bytes(broken)
    odb = builder.odb()
    facts = odb.facts_reader()
    wrong = []
    for oid in oids:
        try:
            assert facts(oid) == commit_facts(raws[oid], oid)
        except Corrupt:
            wrong.append(oid)
    assert 0 < len(wrong) < 3


def test_replaced_and_grafted(builder: Any) -> None:
    one, other = builder.commit(time=5), builder.commit(time=6)
    first, second = builder.loose(b"commit", one), builder.loose(b"commit", other)
    odb = builder.odb(replaced=lambda: {first: second}, grafts=lambda: {second: (first,)})
    assert odb.raw_reader()(first) == other
    assert odb.facts_reader()(second)[:2] == ((first,), 6)
    assert odb.parents_reader()(second) == (first,)
    roots: dict[bytes, bytes] = {}
    assert odb.rows_reader(keep=False, roots=roots)(second) == (6, (first,), other)
    assert roots == {second: odb.commit(second).tree}


@pytest.mark.parametrize("size", [10, 1000, 100_000])
def test_kept_commits_weigh_no_more_than_was_reserved(size: int) -> None:
    table = ByOid(Limits().max_cache_bytes).table(Facts("bounded", most=1 << 19, each=1))
    asked: list[bytes] = []

    def read(oid: bytes) -> bytes:
        asked.append(oid)
        return oid * (size // 4)

    raw = kept_reader(table, read)
    for number in range(3000):
        oid = b"%04d" % number
        assert raw(oid) == raw(oid) == oid * (size // 4)
        weight = sum(len(row) + COMMIT_ROW for row in table.rows.values())
        assert weight <= table.held and weight <= 1 << 19
    assert asked == [b"%04d" % number for number in range(3000)]
