"""A pack's index: places of oids and back, both versions, what several oids share, and files that are broken."""

import os
import struct
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.disk.opened import BytesView, FileView
from gitglass.errors import Corrupt
from gitglass.limits import Context
from gitglass.objects.pack_index import (
    PackIndex,
    bisect_oids,
    common_nibbles,
    index_of,
    shared_nibbles,
    spread,
)

#: so narrow that oids share long starts
OIDS = st.sets(
    st.tuples(st.integers(0, 3), st.integers(0, 255), st.integers(0, 2)).map(lambda t: bytes(t).ljust(20, b"\7"))
)
#: (oid, CRC-32, offset)
ROWS = [(bytes([first, n]).ljust(20, b"\1"), 1000 + n, 12 + 90 * n) for n, first in enumerate((0, 5, 5, 255))]


def written(builder: Any, **how: Any) -> bytes:
    """The bytes of an index over ROWS."""
    base: Path = builder.raw_pack(b"PACK", ROWS, **how)
    return base.with_suffix(".idx").read_bytes()


@pytest.mark.parametrize("how", [{"version": 1}, {"version": 2}, {"version": 2, "large": True}])
def test_positions_oids_and_offsets(builder: Any, how: dict[str, Any]) -> None:
    index = PackIndex(BytesView(written(builder, **how), b"x.idx"), 20)
    assert index.count == 4
    assert [index.find(oid) for oid, _, _ in ROWS] == [0, 1, 2, 3]
    assert [index.oid(position) for position in range(4)] == [oid for oid, _, _ in ROWS] == list(index.oids())
    assert [index.offset(position) for position in range(4)] == [12, 102, 192, 282] == index.offsets()
    assert [index.crc(position) for position in range(4)] == (
        [None] * 4 if how["version"] == 1 else [1000, 1001, 1002, 1003]
    )
    assert index.pack_checksum == builder.digest(b"PACK")
    assert index.find(bytes([5, 0]).ljust(20, b"\1")) == -1 == index.find(bytes([77]) * 20)
    with pytest.raises(Corrupt, match="no object at position 4"):
        index.oid(4)


def test_an_oid_across_two_others_is_not_there() -> None:
    across = b"\5" * 19 + b"\6"
    index = index_of([b"\5" * 10 + across[:10], across[10:] + b"\7" * 10, b"\5" * 20], 20)
    assert index.find(across) == -1
    assert index.find(b"\5" * 20) == 0


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda data: data[:1000], "index file x.idx is too small"),
        (lambda data: data[:4] + struct.pack(">I", 3) + data[8:], "index file x.idx is version 3 and is not supported"),
        (lambda data: data[:8] + b"\xff" * 4 + data[12:], "non-monotonic index x.idx"),
        (lambda data: data[:-1], "wrong index v2 file size in x.idx"),
        (lambda data: data + bytes(25), "wrong index v2 file size in x.idx"),
    ],
)
def test_a_broken_file_is_refused(builder: Any, spoil: Any, words: str) -> None:
    with pytest.raises(Corrupt, match=words):
        PackIndex(BytesView(spoil(written(builder)), b"x.idx"), 20)


def test_an_offset_beyond_the_long_ones_is_corrupt(builder: Any) -> None:
    data = bytearray(written(builder, large=True))
    at = 8 + 1024 + 4 * 24
    data[at : at + 4] = struct.pack(">I", 0x80000003)
    index = PackIndex(BytesView(bytes(data), b"x.idx"), 20)
    assert index.offset(1) == 102
    with pytest.raises(Corrupt, match=r"offset beyond end of pack index for x\.pack"):
        index.offset(0)


@given(OIDS, st.binary(min_size=2, max_size=2), st.integers(0, 6))
def test_what_begins_alike(oids: set[bytes], start: bytes, nibbles: int) -> None:
    index, ordered = index_of([*oids, *oids], 20), sorted(oids)
    assert [index.find(oid) for oid in ordered] == list(range(len(oids)))
    low = bytes.fromhex((bytes([start[0] & 3]) + start[1:]).hex().ljust(6, "0")[:nibbles].ljust(8, "0"))
    digits = low.hex()[:nibbles]
    assert index.prefixed(low, nibbles) == [oid for oid in ordered if oid.hex().startswith(digits)]
    assert index.starting(1) == [oid for oid in ordered if oid[0] == 1]
    for size in (2, 3, 4, 5):
        starts = [oid.hex()[:size].encode() for oid in ordered]
        assert index.crowded(size) == {one for one in starts if starts.count(one) > 1}


def test_a_prefix_may_end_within_a_byte() -> None:
    oids = [bytes([first, second]) * 10 for first, second in ((1, 0x0F), (1, 0x10), (1, 0x1F), (1, 0x20), (2, 0x1F))]
    index = index_of(oids, 20)
    assert index.prefixed(b"\1\x10", 3) == oids[1:3]
    assert index.prefixed(b"\1\x1f", 4) == oids[2:3]
    assert index.prefixed(b"\0", 1) == oids == index.prefixed(b"", 0)


@given(OIDS, st.binary(min_size=20, max_size=20))
def test_what_is_shared(oids: set[bytes], other: bytes) -> None:
    ordered = sorted(oids)
    index = index_of(ordered, 20)
    for oid in [*ordered[:5], bytes([other[0] & 3]) + other[1:]]:
        most = max((common_nibbles(oid, one) for one in ordered if one != oid), default=0)
        assert shared_nibbles(ordered, oid) == most
        same_byte = max((common_nibbles(oid, one) for one in ordered if one != oid and one[0] == oid[0]), default=0)
        assert index.shared(oid) == same_byte


def test_nibbles_are_counted_from_the_high_one() -> None:
    assert common_nibbles(b"\x12\x34", b"\x12\x35") == 3
    assert common_nibbles(b"\x12\x34", b"\x12\x44") == 2
    assert common_nibbles(b"\x12\x34", b"\x12\x34") == 4
    assert bisect_oids(b"abbd", b"b", 1, 4) == 1 and bisect_oids(b"abbd", b"e", 1, 4) == 4
    assert spread(0) == 12 and spread(25_600) == 28


def test_large_buckets_are_looked_into_near_the_guess() -> None:
    oids = sorted(zlib.crc32(b"%d" % n).to_bytes(4, "big") + n.to_bytes(16, "big") for n in range(70_000))
    index = index_of(oids, 20)
    for at in (0, 1, 35_000, 69_998, 69_999):
        assert index.find(oids[at]) == at
    assert not index.spots  # nothing but the neighbourhood was read
    lonely = next(
        oid for one, oid, two in zip(oids[34_999:], oids[35_000:], oids[35_001:]) if not {one[:4], two[:4]} & {oid[:4]}
    )
    assert index_of(oids, 20).alone(lonely, 4) is True
    assert index_of(oids, 20).alone(lonely, 1) is False
    for near in (5, 35_000, 69_998):
        index = index_of(oids, 20)
        assert index.find(oids[near][:4] + b"\xff" * 16) == -1
        assert not index.spots  # it would stand between two that were read
        assert index.find(oids[near]) == near
    for beside in (b"\x42\x00\x01" + bytes(17), b"\x42\xff\xfe" + b"\xff" * 17):  # first or last of what is read
        assert index_of(oids, 20).find(beside) == -1


def test_a_large_bucket_is_read_whole_after_some_parts() -> None:
    oids = sorted(zlib.crc32(b"%d" % n).to_bytes(4, "big") + n.to_bytes(16, "big") for n in range(200_000))
    low = next(at for at, oid in enumerate(oids) if oid[0] == 0x42)
    index = index_of(oids, 20)
    far = [low + 20 + 100 * nth for nth in range(7)]  # further from each other than a part is long
    for nth, at in enumerate(far):
        assert index.find(oids[at]) == at
        assert bool(index.spots) == (nth == 6)
        assert index.find(oids[at + 1]) == at + 1  # of the part that was just read
    assert [*index.spots] == [0x42]
    for at in (low, far[3], len(oids) - 1):
        assert index.find(oids[at]) == at and index.find(oids[at][:-1] + b"\xff") in (-1, at)


def test_offsets_are_read_at_once_where_enough_objects_are_expected() -> None:
    index = index_of([number.to_bytes(20, "big") for number in range(1 << 13)], 20)
    index.expect(1 << 4)
    assert index.offset_table is None
    index.expect((1 << 4) + 1)
    assert index.offset_table is not None
    assert len(index.offset_table) == 1 << 13


class _Counting(FileView):
    """A file that counts how often it is read."""

    __slots__ = ("asked",)

    def read(self, offset: int, length: int) -> bytes:
        self.asked += 1
        return super().read(offset, length)


def opened(path: Path) -> tuple[_Counting, PackIndex]:
    fd = os.open(path, os.O_RDONLY)
    view = _Counting(fd, os.fsencode(path), os.fstat(fd))
    view.asked = 0
    return view, PackIndex(view, 20)


def test_what_was_read_serves_whoever_opened_the_same_file(builder: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    path.write_bytes(written(builder))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    with Context(wall=time.time() + 60):  # its status will not change unnoticed from now on
        _, first = opened(path)
        assert [first.offset(first.find(oid)) for oid, _, _ in ROWS] == [12, 102, 192, 282]
        first.offsets()
        view, second = opened(path)
        assert [second.offset(second.find(oid)) for oid, _, _ in ROWS] == [12, 102, 192, 282]
        assert (second.count, second.pack_checksum) == (4, builder.digest(b"PACK"))
        assert view.asked == 0 and second.spots is first.spots
        path.write_bytes(written(builder))
        view, third = opened(path)
        assert view.asked and third.spots is not first.spots


def test_an_index_that_was_just_written_is_read_again(builder: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    path.write_bytes(written(builder))
    with Context():
        opened(path)
        view, _ = opened(path)
    assert view.asked
