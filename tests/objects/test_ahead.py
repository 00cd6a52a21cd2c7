"""Commits that are read ahead are those that single look-ups give, in whatever order a walk asks for them."""

import random
import zlib
from typing import Any

import pytest

from gitglass.errors import GitError
from gitglass.objects import ahead as module
from gitglass.objects import sequential
from gitglass.objects.ahead import Ahead
from gitglass.objects.sequential import Waiting, commit_facts, facts_of_many, parents_of_many

COUNT = 1200


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many commits were read ahead, each time; it begins soon, and in small portions."""
    monkeypatch.setattr(sequential, "FIRST", 20)
    monkeypatch.setattr(module, "_LEAST", 16)
    monkeypatch.setattr(module, "_FAR_OFF", 100)
    monkeypatch.setattr(module, "_NEAR", 1 << 10)
    counts: list[int] = []
    real = Ahead._fill

    def fill(self: Ahead, waiting: Waiting[Any], *about: Any) -> None:
        before = len(waiting.values)
        real(self, waiting, *about)
        counts.append(len(waiting.values) - before)

    monkeypatch.setattr(Ahead, "_fill", fill)
    return counts


def commits(builder: Any) -> dict[bytes, bytes]:
    """By oid: usual ones, merges, an octopus, and such as are not in the usual form (short, long, odd)."""
    raws: dict[bytes, bytes] = {}
    last: list[bytes] = []
    for number in range(COUNT):
        parents = last[-3:] if number % 200 == 150 else last[-2:] if number % 9 == 1 else last[-1:]
        message = b"message %d\n" % number * (400 if number % 100 == 3 else 1)
        raw = builder.commit(*parents, time=999_999_999 + number, message=message)
        if number % 150 == 5:
            raw = raw.replace(b"author A", b"author " + b"A" * 300)
        if number % 170 == 5:
            raw = raw.replace(b"message", b"mess\0tree")
        oid = builder.oid(b"commit", raw)
        raws[oid] = raw
        last.append(oid)
    return raws


def orders(oids: list[bytes]) -> dict[str, list[bytes]]:
    """As they are packed, nearly so, backwards, at random, and two parts in turns."""
    pick = random.Random(5)
    nearly = sorted(oids, key=lambda oid: oids.index(oid) + pick.randrange(6))
    half = len(oids) // 2
    turns = [oid for pair in zip(oids[:half], oids[half:], strict=True) for oid in pair]
    return {
        "packed": oids,
        "nearly": nearly,
        "backwards": oids[::-1],
        "random": pick.sample(oids, len(oids)),
        "turns": turns,
    }


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
@pytest.mark.parametrize("order", ["packed", "nearly", "backwards", "random", "turns"])
def test_what_is_read_ahead_is_what_is_read_one_by_one(
    request: pytest.FixtureRequest, filled: list[int], hash_name: str, order: str
) -> None:
    builder = request.getfixturevalue("builder" if hash_name == "sha1" else "builder256")
    raws = commits(builder)
    oids = list(raws)
    # a blob after every tenth commit: other objects are passed over
    blobs = [builder.whole(b"blob", b"blob %d\n" % number) for number in range(COUNT // 10)]
    packed = [builder.whole(b"commit", raws[oid]) for oid in oids]
    builder.pack([each for at, one in enumerate(packed) for each in ([one] if at % 10 else [one, blobs[at // 10]])])
    wanted = {oid: commit_facts(raw, oid) for oid, raw in raws.items()}
    for kind in ("facts", "parents", "raw"):
        filled.clear()
        odb = builder.odb()
        assert odb.has(oids[0])
        read = {"facts": odb.facts_reader, "parents": odb.parents_reader, "raw": odb.raw_reader}[kind]()
        parents = {oid: row[0] for oid, row in wanted.items()}
        answers: dict[str, dict[bytes, Any]] = {"facts": wanted, "parents": parents, "raw": raws}
        for oid in orders(oids)[order]:
            assert read(oid) == answers[kind][oid]
        if order in ("packed", "nearly"):
            assert sum(filled) > COUNT * (3 if order == "packed" else 2) // 5, filled
        if order in ("backwards", "random"):
            assert sum(filled) < COUNT, filled  # it was given up again and again


def test_each_time_it_is_given_up_for_longer(builder: Any, filled: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk to every fourth commit of a pack."""
    raws = {builder.oid(b"commit", raw): raw for raw in (builder.commit(time=number) for number in range(4 * 2400))}
    builder.pack([builder.whole(b"commit", raw) for raw in raws.values()])
    singles: list[int] = []
    real = Ahead._single
    monkeypatch.setattr(Ahead, "_single", lambda self, count: (singles.append(count), real(self, count))[1])
    odb = builder.odb()
    odb.has(next(iter(raws)))
    facts = odb.facts_reader()
    for oid in list(raws)[::4]:
        assert facts(oid) == commit_facts(raws[oid], oid)
    assert singles == [100, 400, 1600, 6400] and sum(filled) < 200


def test_commits_read_for_their_facts_are_kept_whole(
    builder: Any, filled: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first ones, as far as there is room, or with `keep` all; but none of which only a part was read."""
    raws = commits(builder)
    builder.pack([builder.whole(b"commit", raw) for raw in raws.values()])
    for room, keep in ((0, False), (20_000, False), (1 << 22, False), (0, True)):
        monkeypatch.setattr(sequential, "_KEPT", room)
        odb = builder.odb()
        assert odb.has(next(iter(raws)))
        facts = odb.facts_reader(keep=keep)
        for oid, raw in raws.items():
            assert facts(oid) == commit_facts(raw, oid)
        kept = odb._commits.rows
        assert all(raws[oid] == raw for oid, raw in kept.items())
        long = sum(len(raw) >= 320 for raw in raws.values())
        assert long > 10
        least, most = {0: (0, 0), 20_000: (40, 200), 1 << 22: (COUNT - long,) * 2}[room or keep << 22]
        assert least <= len(kept) <= most
        read = odb.raw_reader()
        assert all(read(oid) == raw for oid, raw in raws.items())
    assert filled


def test_commits_passed_by_do_not_end_it(builder: Any, filled: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that leaves some commits out still goes along the pack: of each portion only its own are judged."""
    monkeypatch.setattr(module, "_REGIONS", ((1 << 20, 16),))  # portions end with a region, some are short
    monkeypatch.setattr(sequential, "_MOST_WAITING", 40)
    raws: dict[bytes, bytes] = {}
    for number in range(COUNT):
        raw = builder.commit(*list(raws)[-1:], time=999_999_999 + number, message=b"message %d\n" % number)
        raws[builder.oid(b"commit", raw)] = raw
    builder.pack([builder.whole(b"commit", raw) for raw in raws.values()])
    odb = builder.odb()
    assert odb.has(next(iter(raws)))
    read = odb.facts_reader()
    for number, (oid, raw) in enumerate(raws.items()):
        if number % 12:
            assert read(oid) == commit_facts(raw, oid)
    assert sum(filled) > COUNT * 9 // 10, filled
    filled.clear()
    read = builder.odb().facts_reader()
    for number, (oid, raw) in enumerate(raws.items()):
        if number % 5 < 3:  # as along first parents: to read the rest as well takes longer than to read one by one
            assert read(oid) == commit_facts(raw, oid)
    assert 0 < sum(filled) < COUNT // 2, filled


def test_a_portion_without_a_usual_commit(builder: Any, filled: list[int]) -> None:
    """It is passed by; what the walk asks for of it is read one by one."""
    raws: dict[bytes, bytes] = {}
    for number in range(400):
        raw = builder.commit(*list(raws)[-1:], time=number, message=b"m" * (3000 if 30 < number < 90 else 30))
        raws[builder.oid(b"commit", raw)] = raw
    builder.pack([builder.whole(b"commit", raw) for raw in raws.values()])
    for kind in ("facts", "parents", "raw"):
        odb = builder.odb()
        assert odb.has(next(iter(raws)))
        read = {"facts": odb.facts_reader, "parents": odb.parents_reader, "raw": odb.raw_reader}[kind]()
        for oid, raw in raws.items():
            facts = commit_facts(raw, oid)
            assert read(oid) == {"facts": facts, "parents": facts[0], "raw": raw}[kind]
        assert filled and 0 in filled
        filled.clear()


def test_a_broken_commit_among_those_read_ahead(builder: Any, filled: list[int]) -> None:
    """All others are read, and it gives its error when it is asked for."""
    raws = commits(builder)
    oids = list(raws)
    packed = [builder.whole(b"commit", raws[oid]) for oid in oids]
    broken = 600
    path = builder.pack(packed)
    odb = builder.odb()
    pack = next(iter(odb.packs.dirs[0].indexed()))
    offset = pack.find(oids[broken])
    where = path.with_name(path.name + ".pack")
    data = bytearray(where.read_bytes())
    assert zlib.decompress(data[offset + 2 : offset + 2000]) == raws[oids[broken]]
    data[offset + 2 : offset + 6] = b"\xff\xff\xff\xff"
    where.chmod(0o600)
    where.write_bytes(data)
    odb = builder.odb()
    read = odb.facts_reader()
    for at, oid in enumerate(oids):
        if at == broken:
            with pytest.raises(GitError):
                read(oid)
        else:
            assert read(oid) == commit_facts(raws[oid], oid)
    assert filled


@pytest.mark.parametrize("head", [0, 150, 300])
def test_facts_of_many_are_those_of_each(builder: Any, head: int) -> None:
    raws = commits(builder)
    some = list(raws.items())
    for low in range(0, COUNT, 50):
        part = some[low : low + 50]
        oids, texts = [oid for oid, _ in part], [raw[: head or None] for _, raw in part]
        facts, parents = (dict(zip(*many(oids, texts, 20), strict=True)) for many in (facts_of_many, parents_of_many))
        for oid, raw in part:
            wanted = commit_facts(raw, oid)
            assert facts.get(oid) in (wanted, None)
            assert parents.get(oid) in (wanted[0], None)
    usual = [pair for number, pair in enumerate(some) if number % 170 != 5]
    oids, texts = [oid for oid, _ in usual], [raw for _, raw in usual]
    assert facts_of_many(oids[100:140], texts[100:140], 20)[0] == oids[100:140]
    heads = [raw[:160] for raw in texts[110:140]]
    assert parents_of_many(oids[110:140], heads, 20)[0] == oids[110:140]
