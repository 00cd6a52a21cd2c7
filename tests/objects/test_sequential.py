"""Readers for whole histories give what the object database gives, for commits of every shape."""

from typing import Any

import pytest

from gitglass.errors import Corrupt
from gitglass.limits import Limits
from gitglass.memories import ByOid, Facts
from gitglass.objects.parsed import commit_parents, commit_time
from gitglass.objects.sequential import COMMIT_ROW, commit_facts, kept_reader

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
    assert odb.rows_reader(keep=False)(second) == (6, (first,), other)


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
