"""objects/names.py: which objects there are, and how few digits tell one."""

import os
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.objects import names


def test_loose_objects_are_listed_anew_by_every_command(builder: Any) -> None:
    made = [builder.loose(b"blob", b"%d" % n) for n in range(40)]
    odb = builder.odb()
    assert [odb.names.beginning(oid.hex()[:12]) for oid in made] == [[oid] for oid in made]
    late = builder.loose(b"blob", b"late")
    assert odb.names.beginning("ffffffffffff") == []
    odb.refresh()
    assert odb.names.beginning(late.hex()[:12]) == [late] and odb.names.all() == sorted([*made, late])


@pytest.mark.parametrize("loose", [False, True])
def test_prefixes_and_unique_lengths(builder: Any, loose: bool) -> None:
    oids = [bytes.fromhex(start.ljust(40, "1")) for start in ("12345a", "123456", "1235", "2", "23", "ff", "123467")]
    if loose:
        for oid in oids:
            builder.loose(b"blob", b"", oid=oid)
    else:
        builder.pack([(oid, 3, b"", b"") for oid in oids])
    odb = builder.odb()
    for length in range(41):
        for oid in oids:
            start = oid.hex()[:length]
            assert odb.names.beginning(start) == sorted(other for other in oids if other.hex().startswith(start))
    for oid in oids:
        length = odb.names.unique_length(oid, 1)
        others = [other.hex() for other in oids if other != oid]
        if length > 2:  # what is shared within a first byte is what abbreviations ask for
            assert not any(other.startswith(oid.hex()[:length]) for other in others)
            assert any(other.startswith(oid.hex()[: length - 1]) for other in others)
        assert odb.names.unique_length(oid, 7) >= 7
    assert odb.names.beginning("xyz") == [] and odb.names.beginning("12" * 21) == []
    assert odb.names.beginning("123", limit=1) == [oids[1]]


@pytest.mark.parametrize("packs", [1, 2])
@pytest.mark.parametrize("version", [1, 2])
def test_crowded_names_are_all_that_stand_for_two(builder: Any, packs: int, version: int) -> None:
    oids = [bytes([number % 3, number % 5, number * 37 & 255, number]) + bytes([number]) * 16 for number in range(250)]
    for part in range(packs):
        builder.pack([(oid, 3, b"", b"%d" % part) for oid in oids[part::packs]], version=version)
    loose = bytes([1, 1, 1, 1]) + bytes(16)
    builder.loose(b"blob", b"", oid=loose)
    names = builder.odb().names
    for nibbles in range(2, 9):
        starts = Counter(oid.hex()[:nibbles].encode() for oid in oids)
        crowded = names.crowded(nibbles)
        several = {name for name, count in starts.items() if count > 1}
        strange = {loose.hex()[:nibbles].encode()}
        if packs == 1:
            assert crowded == several | strange
        else:  # what is outside of the largest index is looked at one by one
            assert crowded >= several | strange


def test_without_packs_no_names_are_crowded_beforehand(builder: Any) -> None:
    builder.loose(b"blob", b"")
    assert builder.odb().names.crowded(7) is None


def test_the_order_in_which_objects_are_stored(builder: Any) -> None:
    """Loose ones first, then the packs, the youngest first and each from its beginning; every object once."""
    blobs = [builder.whole(b"blob", b"%d" % number) for number in range(9)]
    bases = [builder.pack(blobs[start : start + 3]) for start in (0, 3, 5)]
    for base, written in zip(bases, (50, 70, 60), strict=True):
        os.utime(base.with_suffix(".pack"), (written, written))
    loose = {builder.loose(b"blob", b"8"), builder.loose(b"blob", b"loose")}
    names = builder.odb().names
    parts = list(names.stored())
    oids = [oid for part, _ in parts for oid in part]
    assert set(oids[:2]) == loose
    assert oids[2:] == [blobs[number][0] for number in (3, 4, 5, 6, 7, 0, 1, 2)]
    assert all(not kind for _, (kinds, _) in parts for kind in kinds)
    told = {oid: head for part, heads in names.stored(heads=True) for oid, *head in zip(part, *heads, strict=True)}
    assert told == {oid: [b"", 0] for oid in loose} | {blob[0]: [b"blob", 1] for blob in blobs[:8]}


def test_packs_of_a_multi_pack_index_come_from_the_last_to_the_first(builder: Any) -> None:
    blobs = [builder.whole(b"blob", b"%d" % number) for number in range(4)]
    bases = [builder.pack([blob]) for blob in blobs]
    for base, written in zip(bases, (50, 60, 70, 80), strict=True):
        os.utime(base.with_suffix(".pack"), (written, written))
    odb = builder.odb()
    directory = odb.dirs[0]
    inside = sorted(base.name.encode() for base in bases)[:2]
    directory.midx = SimpleNamespace(names=inside)
    by_name = {base.name.encode(): blob[0] for base, blob in zip(bases, blobs, strict=True)}
    beside = [blob[0] for base, blob in zip(bases, blobs, strict=True) if base.name.encode() not in inside]
    assert [oid for packs in [odb.names._in_git_order()] for pack in packs for oid in pack.index.oids()] == [
        by_name[inside[1]],
        by_name[inside[0]],
        *reversed(beside),
    ]


@pytest.mark.parametrize("part", [1, 3, 8192])
def test_positions_by_offset(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "_PART", part)
    offsets = [12, 1 << 40, 500, 13, 1 << 33, 499, 14]
    assert names._by_offset(offsets) == sorted(range(len(offsets)), key=offsets.__getitem__)
    assert names._by_offset([]) == []
