"""What is known of commits by number is what reading them one by one gives, in whatever order a walk asks for them."""

from array import array
from typing import Any

import pytest

from gitglass.errors import GitError
from gitglass.objects import numbering, sequential
from gitglass.objects.commit_graph import UNREAD
from gitglass.objects.numbering import ONE, OTHER, Numbering
from gitglass.objects.parsed import Commit
from gitglass.objects.sequential import commit_facts
from gitglass.objects.source import LongHistory, Unnumbered

from .test_ahead import COUNT, commits, orders


def along(odb: Any, oid: bytes) -> Numbering:
    """Numbers for the pack that has a commit."""
    pack, _ = odb.dirs[0].find(oid)
    pack.index.expect(COUNT)
    odb.read(oid)
    return Numbering(pack, odb.commit_facts, odb.head_reader)


def filled(builder: Any, raws: dict[bytes, bytes]) -> None:
    """The commits in a pack, with a blob after every tenth."""
    blobs = [builder.whole(b"blob", b"blob %d\n" % number) for number in range(COUNT // 10)]
    packed = [builder.whole(b"commit", raw) for raw in raws.values()]
    builder.pack([each for at, one in enumerate(packed) for each in ([one] if at % 10 else [one, blobs[at // 10]])])


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
@pytest.mark.parametrize("order", ["packed", "nearly", "backwards", "random", "turns"])
@pytest.mark.parametrize("along_the_pack", [False, True])
def test_by_number_is_as_by_oid(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, hash_name: str, order: str, along_the_pack: bool
) -> None:
    monkeypatch.setattr(sequential, "FIRST", 20)
    builder = request.getfixturevalue("builder" if hash_name == "sha1" else "builder256")
    raws = commits(builder)
    filled(builder, raws)
    odb = builder.odb()
    numbers = along(odb, next(iter(raws)))
    parents_of, tree_of, read = numbers.parents_reader(), numbers.tree_reader(), numbers.reader()
    for nth, oid in enumerate(orders(list(raws))[order]):
        if nth == COUNT // 2:
            numbers.read_authors()  # of those that are read from now on
            read = numbers.reader()
        number = numbers.number(oid)
        if along_the_pack:
            read(number)
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


def test_usual_commits_are_read_by_themselves_and_no_others(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    raws: dict[bytes, bytes] = {}
    for number in range(300):
        raw = builder.commit(
            *list(raws)[-1:], time=999_999_999 + number, message=b"message %d\n" % number * (number % 9)
        )
        raws[builder.oid(b"commit", raw)] = raw
    filled(builder, raws)
    oids = list(raws)
    odb = builder.odb()
    numbers = along(odb, oids[0])
    monkeypatch.setattr(odb, "_raw_commit", lambda oid: pytest.fail("left to the database"))
    for oid in oids[100:]:
        assert numbers.facts(numbers.number(oid))[1] == commit_facts(raws[oid], oid)[1]
    assert [numbers.second[numbers.number(oid)] == UNREAD for oid in oids] == [True] * 100 + [False] * 200


def test_a_walk_has_columns_of_its_own(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They get what is read, and what was read before, of commits with any number of parents."""
    monkeypatch.setattr(numbering, "_PORTION", 7)
    raws = commits(builder)
    filled(builder, raws)
    numbers = along(builder.odb(), next(iter(raws)))
    firsts, seconds = array("I", [0]) * numbers.capacity, array("I", [UNREAD]) * numbers.capacity
    read = numbers.reader(firsts, seconds)
    for nth, oid in enumerate(raws):
        number, parents = numbers.number(oid), commit_facts(raws[oid], oid)[0]
        if nth % 3:
            numbers.read(number)
            assert seconds[number] == UNREAD
        read(number)
        assert (firsts[number], seconds[number]) == (numbers.first[number], numbers.second[number])
        if len(parents) == 1:
            assert (firsts[number], seconds[number]) == (numbers.number(parents[0]), ONE)
        elif len(parents) == 2:
            assert (firsts[number], seconds[number]) == tuple(map(numbers.number, parents))
        else:
            assert seconds[number] == OTHER
        firsts[number] = seconds[number] = 7
        read(number)
        assert firsts[number] == seconds[number] == 7
        assert len(numbers.facts(number)[0]) == len(parents)


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
    assert list(map(numbers.number, [loose, *packed])) == [0, 1, 2] and numbers.oid(number) == loose


def test_there_are_no_more_numbers_than_walks_have_room_for(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, "_OUTSIDE", 1)
    monkeypatch.setattr(numbering, "_PORTION", 2)
    raw = builder.commit(time=5)
    oid = builder.oid(b"commit", raw)
    builder.pack([builder.whole(b"commit", raw)])
    numbers = along(builder.odb(), oid)
    assert [numbers.number(oid), numbers.number(b"\1" * 20), numbers.number(oid)] == [0, 1, 0]
    assert numbers.count == numbers.capacity == len(numbers.second) == 2
    for _ in range(2):
        with pytest.raises(Unnumbered):
            numbers.number(b"\2" * 20)
    assert numbers.count == 2 and numbers.oid_reader()(1) == b"\1" * 20


def test_a_broken_commit_is_reported_to_whom_asks_for_it(builder: Any) -> None:
    raws = [builder.commit(time=number, message=b"m%d" % number) for number in range(100)]
    odd = builder.commit(time=7).replace(b"tree ", b"tree x", 1)
    rows = [builder.whole(b"commit", raw) for raw in raws]
    builder.pack([*rows[:50], *(builder.whole(b"commit", each) for each in (b"no commit at all", odd)), *rows[52:]])
    odb = builder.odb()
    numbers = along(odb, builder.oid(b"commit", odd))
    for raw in raws[:50] + raws[52:]:
        oid = builder.oid(b"commit", raw)
        assert numbers.facts(numbers.number(oid)) == ((), commit_facts(raw, oid)[1])
    for broken in (b"no commit at all", odd):
        for _ in range(2):
            with pytest.raises(GitError, match=r"commit|tree"):
                numbers.facts(numbers.number(builder.oid(b"commit", broken)))


def test_a_reader_that_ends_says_which_pack_it_read(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequential, "FIRST_NUMBERED", 20)
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
