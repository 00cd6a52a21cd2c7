"""What git-count-objects counts: loose objects, packs, and the files that are neither."""

import os
from typing import Any

import pytest

from gitglass.disk.jail import Jail
from gitglass.limits import Context
from gitglass.objects.statistics import Census, count_loose, count_packs, find_garbage

CTX = Context()


class Counted:
    """An object directory, the jail it is reached through, and what was told."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self.jail = Jail(os.fsencode(builder.top))
        self.told: list[tuple[str, str]] = []

    @property
    def place(self) -> Any:
        return self.builder.odb().dirs[0]

    def tell(self, why: str, path: bytes) -> None:
        self.told.append((why, os.path.relpath(os.fsdecode(path), self.builder.objects)))


@pytest.fixture
def counted(builder: Any) -> Counted:
    return Counted(builder)


def test_loose_objects_and_what_is_packed_as_well(counted: Counted) -> None:
    oids = [counted.builder.loose(b"blob", b"%d" % n) for n in range(3)]
    files = [counted.builder.objects / oid.hex()[:2] / oid.hex()[2:] for oid in oids]
    found = count_loose(counted.place, counted.jail, {oids[1]}.__contains__, counted.tell, ctx=CTX)
    assert (found.count, found.prune_packable) == (3, 1)
    assert found.size == sum(path.stat().st_blocks for path in files) * 512 > 0
    assert count_loose(counted.place, counted.jail, None, counted.tell, ctx=CTX).prune_packable == 0
    assert counted.told == []


def test_what_is_no_object_among_them(counted: Counted) -> None:
    folder = counted.builder.objects / "ab"
    folder.mkdir()
    (folder / "tmp_obj_1").write_bytes(b"12345")
    (folder / ("c" * 38)).mkdir()
    found = count_loose(counted.place, counted.jail, None, counted.tell, ctx=CTX)
    size = 5 + (folder / ("c" * 38)).stat().st_size
    assert found == Census(garbage=2, size_garbage=size)
    assert sorted(counted.told) == [("garbage found", "ab/" + "c" * 38), ("garbage found", "ab/tmp_obj_1")]


def test_packs_are_counted_with_their_indexes(counted: Counted) -> None:
    builder, found = counted.builder, Census()
    bases = [builder.pack([builder.whole(b"blob", b"%d %d" % (size, n)) for n in range(size)]) for size in (1, 3)]
    count_packs(counted.place, counted.jail, found, ctx=CTX)
    size = sum(base.with_suffix(suffix).stat().st_size for base in bases for suffix in (".pack", ".idx"))
    assert found == Census(packs=2, in_pack=4, size_pack=size)


def test_garbage_between_the_packs(counted: Counted) -> None:
    counted.builder.pack([counted.builder.whole(b"blob", b"x")])
    folder = counted.builder.objects / "pack"
    for name in ("a.pack", "b.idx", "b.keep", "c.rev", "notes", "multi-pack-index", "multi-pack-index-1.bitmap"):
        (folder / name).write_bytes(b"12")
    found = Census()
    find_garbage(counted.place, counted.jail, found, counted.tell, ctx=CTX)
    assert (found.garbage, found.size_garbage) == (5, 10)
    assert counted.told == [
        ("garbage found", "pack/notes"),
        ("no corresponding .idx", "pack/a.pack"),
        ("no corresponding .pack", "pack/b.idx"),
        ("no corresponding .pack", "pack/b.keep"),
        ("no corresponding .idx or .pack", "pack/c.rev"),
    ]
