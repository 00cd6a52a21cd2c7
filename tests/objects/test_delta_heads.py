"""Headers of many deltas in columns, against the one that decodes each by itself."""

import random
import zlib
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Corrupt
from gitglass.objects.heads import _ROOM as ROOM
from gitglass.objects.heads import small_deltas
from gitglass.objects.pack import OFS_DELTA, Pack

FAR = 1 << 30  # where the bytes are said to begin, so that no distance leads beyond the beginning of the pack
NUMBER = st.one_of(st.integers(1, 200), st.integers(1, 1 << 29))


def decoded(pack: Pack, data: bytes, start: int) -> tuple[int, int]:
    """The length of a header, and the distance of the base; (0, 0) if it is no delta against an offset."""
    try:
        kind, _, at, base = pack._header(FAR, data, start)
    except Corrupt:
        return 0, 0
    return (at - FAR, FAR - base) if kind == OFS_DELTA and isinstance(base, int) else (0, 0)


def check(pack: Pack, rows: list[bytes]) -> int:
    """Compare all; the number of headers that were decoded in columns."""
    data, starts = b"", list[int]()
    for row in rows:
        starts.append(len(data))
        data += row
    told = 0
    lengths, distances, made = small_deltas(data + bytes(ROOM), starts)
    assert len(lengths) == len(distances) == len(made) == len(rows)
    for start, length, distance, size in zip(starts, lengths, distances, made, strict=True):
        assert not size or distance
        if distance:
            assert (length, distance) == decoded(pack, data + bytes(ROOM), start)
            told += 1
        if size:
            stream = zlib.decompressobj().decompress(data[start + length :], 2)
            assert stream[0] < 128 and stream[1] == size
    return told


@pytest.fixture(scope="module")
def pack(new_builder: Any, tmp_path_factory: pytest.TempPathFactory) -> Pack:
    builder = new_builder(tmp_path_factory.mktemp("heads") / "repo")
    builder.pack([builder.whole(b"blob", b"x")])
    return next(iter(builder.odb().dirs[0].indexed()))  # type: ignore[no-any-return]


@given(st.lists(st.tuples(st.integers(1, 7), NUMBER, NUMBER, st.binary(min_size=2, max_size=9)), max_size=20))
def test_as_one_by_one(packing: Any, pack: Pack, rows: list[tuple[int, int, int, bytes]]) -> None:
    """Headers of all kinds and lengths, before streams of any delta."""
    heads = [
        packing.head(kind, size) + packing.back(far) + zlib.compress(delta, len(delta) % 10)
        for kind, size, far, delta in rows
    ]
    usual = sum(kind == OFS_DELTA and size < 1 << 18 and far < 1 << 28 for kind, size, far, _ in rows)
    assert usual - 1 <= check(pack, heads)  # the last distances that take four bytes are a few more than that


@given(st.lists(st.binary(min_size=ROOM, max_size=ROOM), max_size=30))
def test_any_bytes(pack: Pack, rows: list[bytes]) -> None:
    check(pack, rows)


def test_all_beginnings(pack: Pack) -> None:
    """Every continuation of every byte that is looked at."""
    draw = random.Random(3)
    rows = [
        bytes([0x60 | draw.randrange(16) | more[0], *(draw.randrange(1, 128) | bit for bit in more[1:])]) + bytes(6)
        for more in product((0, 128), repeat=8)
    ]
    usual = [1 << 8 - size - distance for size, distance in product((1, 2, 3), (1, 2, 3, 4))]
    assert check(pack, rows) == sum(usual)


def test_small_deltas_are_not_inflated(packing: Any, pack: Pack) -> None:
    """What the tables say of two sizes is what zlib says; they tell of all but empty results and sizes of two bytes."""
    streams = [zlib.compress(bytes(pair) + b"\x90\x05\x03abc") for pair in product(range(256), repeat=2)]
    rows = [packing.head(OFS_DELTA, 9) + packing.back(77) + stream for stream in streams]
    assert check(pack, rows) == 1 << 16
    starts, data = [sum(map(len, rows[:at])) for at in range(300)], b"".join(rows)
    assert list(small_deltas(data, starts)[2]) == [0, *range(1, 128), *[0] * 128, *[0], *range(1, 44)]
