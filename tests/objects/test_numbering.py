"""What is known of commits by number is what reading them one by one gives, in whatever order a walk asks for them."""

import random
from typing import Any

import pytest

from gitglass.errors import GitError
from gitglass.objects import ahead, numbering, sequential
from gitglass.objects.commit_graph import UNREAD
from gitglass.objects.numbering import ONE, Numbering
from gitglass.objects.parsed import Commit
from gitglass.objects.sequential import commit_facts
from gitglass.objects.source import LongHistory, Unnumbered

from .test_ahead import COUNT, commits, orders


def along(odb: Any, oid: bytes) -> Numbering:
    """Numbers for the pack that has a commit."""
    pack, _ = odb.dirs[0].find(oid)
    pack.index.expect(COUNT)
    return Numbering(pack, odb.commit_facts, odb.hash_len)


def filled(builder: Any, raws: dict[bytes, bytes]) -> None:
    """The commits in a pack, with a blob after every tenth."""
    blobs = [builder.whole(b"blob", b"blob %d\n" % number) for number in range(COUNT // 10)]
    packed = [builder.whole(b"commit", raw) for raw in raws.values()]
    builder.pack([each for at, one in enumerate(packed) for each in ([one] if at % 10 else [one, blobs[at // 10]])])


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
@pytest.mark.parametrize("order", ["packed", "nearly", "backwards", "random", "turns"])
def test_by_number_is_as_by_oid(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, hash_name: str, order: str
) -> None:
    monkeypatch.setattr(ahead, "_REGIONS", ((1 << 20, 16),))  # several, each larger than the one before
    builder = request.getfixturevalue("builder" if hash_name == "sha1" else "builder256")
    raws = commits(builder)
    filled(builder, raws)
    odb = builder.odb()
    numbers = along(odb, next(iter(raws)))
    parents_of, tree_of = numbers.parents_reader(), numbers.tree_reader()
    for nth, oid in enumerate(orders(list(raws))[order]):
        if nth == COUNT // 2:
            numbers.read_authors()  # of those that are read from now on
        number = numbers.number(oid)
        assert numbers.oid(number) == oid and numbers.number(oid) == number < numbers.capacity
        parents, time, tree = commit_facts(raws[oid], oid)
        assert numbers.facts(number) == (tuple(map(numbers.number, parents)), time)
        assert numbers.tree(number) == tree == tree_of(number) and numbers.times[number] == time
        assert parents_of(number) == tuple(map(numbers.number, parents))
        assert numbers.parents_reader(oldest=time + 1)(number) == ()
        assert (numbers.second[number] == ONE) == (len(parents) == 1)
        assert numbers.author_time(number) in (0, Commit(oid, raws[oid]).author_time)
    assert len(set(map(numbers.number, raws))) == COUNT
    if order == "packed":
        assert sum(numbers.author_time(numbers.number(oid)) > 0 for oid in raws) > COUNT // 4


def test_many_are_read_together_along_the_pack_and_few_elsewhere(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    raws: dict[bytes, bytes] = {}
    for number in range(1000):
        raw = builder.commit(*list(raws)[-1:], time=999_999_999 + number, message=b"message %d\n" % number)
        raws[builder.oid(b"commit", raw)] = raw
    filled(builder, raws)
    oids, portions = list(raws), list[int]()
    real = numbering.usual_commits
    monkeypatch.setattr(
        numbering,
        "usual_commits",
        lambda data, starts, *about: (portions.append(len(starts)), real(data, starts, *about))[1],
    )
    odb = builder.odb()
    numbers = along(odb, oids[0])
    monkeypatch.setattr(odb, "_raw_commit", lambda oid: pytest.fail("read by itself"))
    for oid in oids:
        assert numbers.facts(numbers.number(oid))[1] == commit_facts(raws[oid], oid)[1]
    assert sum(portions) == numbers.count and max(portions) == 512 and portions[:3] == [64, 128, 256]
    portions.clear()
    numbers = along(odb, oids[0])
    for oid in random.Random(3).sample(oids, 5):
        numbers.read(numbers.number(oid))
    assert 2 <= len(portions) <= 5 and set(portions) <= {64, numbers.count % 64}
    unread = sum(second == UNREAD for second in numbers.second)
    assert unread > 500  # what nobody asked for


def test_commits_that_are_elsewhere_have_numbers_too(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = builder.commit(time=5), builder.commit(time=6)
    packed = [builder.oid(b"commit", raw) for raw in (first, second)]
    builder.pack([builder.whole(b"commit", raw) for raw in (first, second)])
    above = builder.commit(*packed, packed[0], time=7)
    loose = builder.loose(b"commit", above)
    odb = builder.odb()
    numbers = along(odb, packed[0])
    number = numbers.number(loose)
    assert numbers.facts(number) == ((*map(numbers.number, packed), numbers.number(packed[0])), 7)
    assert numbers.chunk(number) == (number, number + 1)
    monkeypatch.setattr(numbering, "_OUTSIDE", 1)
    numbers = along(odb, packed[0])
    numbers.number(packed[0])
    numbers.number(b"\1" * 20)
    with pytest.raises(Unnumbered):
        numbers.number(b"\2" * 20)


def test_a_broken_commit_is_reported_to_whom_asks_for_it(builder: Any) -> None:
    raws = [builder.commit(time=number, message=b"m%d" % number) for number in range(100)]
    rows = [builder.whole(b"commit", raw) for raw in raws]
    builder.pack([*rows[:50], builder.whole(b"commit", b"no commit at all"), *rows[51:]])
    odb = builder.odb()
    broken = builder.oid(b"commit", b"no commit at all")
    numbers = along(odb, broken)
    for raw in raws[:50] + raws[51:]:
        oid = builder.oid(b"commit", raw)
        assert numbers.facts(numbers.number(oid)) == ((), commit_facts(raw, oid)[1])
    with pytest.raises(GitError, match="commit"):
        numbers.facts(numbers.number(broken))


def test_the_same_oid_twice_is_not_numbered(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = builder.commit(time=5)
    oid = builder.oid(b"commit", raw)
    builder.pack([builder.whole(b"commit", raw)])
    numbers = along(builder.odb(), oid)
    region = ahead.Region(0, 1 << 20, [12, 200], [oid, oid])
    monkeypatch.setattr(numbering, "find_region", lambda *about: region)
    with pytest.raises(Unnumbered):
        numbers.number(oid)


def test_a_reader_that_ends_says_which_pack_it_read(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequential, "FIRST", 20)
    raws = commits(builder)
    filled(builder, raws)
    odb = builder.odb()
    assert odb.has(next(iter(raws)))
    facts, read = odb.facts_reader(ends=True), 0
    with pytest.raises(LongHistory) as long:
        for oid, raw in raws.items():
            assert facts(oid) == commit_facts(raw, oid)
            read += 1
    assert 19 <= read < 40 and long.value.pack is odb.dirs[0].find(oid)[0]
