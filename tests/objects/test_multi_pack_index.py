"""The multi-pack-index, built byte by byte: where objects are, and which files are refused."""

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.disk.opened import BytesView
from gitglass.errors import Corrupt
from gitglass.objects.multi_pack_index import MultiPackIndex, read_chunks, read_fan

PACKS = b"pack-a.idx\0pack-b.idx\0"
#: oid → (number of its pack, offset)
PLACES = {
    bytes([0]) * 20: (0, 12),
    bytes([5, 1]) * 10: (1, 300),
    bytes([5, 2]) * 10: (0, 5 << 32),
    bytes([255]) * 20: (1, 12),
}


def chunk_file(head: bytes, chunks: list[tuple[bytes, bytes]]) -> bytes:
    """A file of chunks: a table of contents, the chunks, and room for a checksum."""
    at = len(head) + 12 * (len(chunks) + 1)
    table = b""
    for name, data in chunks:
        table += struct.pack(">4sQ", name, at)
        at += len(data)
    return head + table + struct.pack(">4sQ", b"", at) + b"".join(data for _, data in chunks) + bytes(20)


def fan_of(oids: list[bytes]) -> bytes:
    return struct.pack(">256I", *(sum(oid[0] <= first for oid in oids) for first in range(256)))


def midx(places: dict[bytes, tuple[int, int]] = PLACES, **other: bytes) -> bytes:
    """The bytes of an index; `other`: chunks by name that stand in the place of the right ones, and `head`."""
    oids = sorted(places)
    long = [places[oid][1] for oid in oids if places[oid][1] >= 1 << 31]
    rows = [(pack, 1 << 31 | long.index(at) if at in long else at) for pack, at in (places[oid] for oid in oids)]
    chunks = {
        "PNAM": PACKS,
        "OIDF": fan_of(oids),
        "OIDL": b"".join(oids),
        "OOFF": b"".join(struct.pack(">II", *row) for row in rows),
        "LOFF": b"".join(struct.pack(">Q", at) for at in long),
    }
    head = other.pop("head", b"MIDX\1\1%c\0" % 5 + struct.pack(">I", 2))
    return chunk_file(head, [(name.encode(), other.get(name, data)) for name, data in chunks.items()])


def opened(data: bytes) -> MultiPackIndex:
    return MultiPackIndex(BytesView(data, b"multi-pack-index"), 20)


def test_it_says_in_which_pack_and_where() -> None:
    index = opened(midx())
    names = [b"pack-a", b"pack-b"]
    expected = [(oid, (names[pack], at)) for oid, (pack, at) in PLACES.items()]
    assert (index.names, index.count) == (names, 4)
    assert [(oid, index.find(oid)) for oid in PLACES] == expected == list(index.rows())
    assert index.find(bytes([5]) * 20) is None and index.find(bytes([6]) * 20) is None


def test_a_number_of_base_files_says_nothing() -> None:
    index = opened(midx(head=b"MIDX\1\1\5\7\0\0\0\2"))
    assert [oid for oid, _ in index.rows()] == list(PLACES)


def test_an_oid_across_two_others_is_not_there() -> None:
    across = b"\5" * 19 + b"\6"
    places = {b"\5" * 10 + across[:10]: (0, 1), b"\5" * 9 + b"\6" + b"\7" * 10: (0, 2)}
    index = opened(midx(places))
    assert b"".join(places).find(across) == 10
    assert index.find(across) is None
    assert [index.find(oid) for oid in places] == [(b"pack-a", 1), (b"pack-a", 2)]


def test_a_place_that_makes_no_sense_is_none() -> None:
    oids = list(PLACES)
    index = opened(midx(OOFF=struct.pack(">8I", 2, 12, 1, 300, 0, 1 << 31 | 1, 1, 12)))
    assert [index.find(oid) for oid in oids] == [None, (b"pack-b", 300), None, (b"pack-b", 12)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"MIDX\1\1\4\0\0\0", "multi-pack-index file multi-pack-index is too small"),
        (midx(head=b"XIDM\1\1\5\0\0\0\0\2"), "multi-pack-index signature 0x5849444d does not match signature 0x4d494458"),
        (midx(head=b"MIDX\2\1\5\0\0\0\0\2"), "multi-pack-index version 2 not recognized"),
        (midx(head=b"MIDX\1\2\5\0\0\0\0\2"), "multi-pack-index hash version 2 does not match version 1"),
        (midx(head=b"MIDX\1\1\5\0\0\0\0\3"), "multi-pack-index pack names are broken"),
        (midx(PNAM=b"pack-a.idx\0a/../b.idx\0"), "multi-pack-index pack names are broken"),
        (midx(PNAM=b"pack-a.idx\0.b.idx\0"), "multi-pack-index pack names are broken"),
        (midx(OIDF=b"\0\0\0\2" + fan_of(sorted(PLACES))[4:]), "fan-out is not in order"),
        (midx(OIDF=bytes(1020)), "the fan-out has the wrong size"),
        (midx(OIDL=bytes(79)), "multi-pack-index chunks are too short"),
        (midx(OOFF=bytes(31)), "multi-pack-index chunks are too short"),
        (midx()[:-30], "improper chunk offset"),
        (midx().replace(b"OOFF", b"ZZZZ", 1), "required chunk b'OOFF' missing or corrupted"),
        (midx().replace(b"LOFF", bytes(4), 1), "improper chunk offset"),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(Corrupt, match=words):
        opened(data)


def test_chunks_and_fan_out_as_they_stand() -> None:
    data = chunk_file(b"head", [(b"AAAA", b"12345"), (b"OIDF", fan_of([b"\1", b"\xff"]))])
    chunks = read_chunks(BytesView(data), 4, 2, 20, "a file")
    assert chunks == {b"AAAA": (40, 5), b"OIDF": (45, 1024)}
    assert read_fan(BytesView(data), chunks) == [0] + [1] * 254 + [2]
    with pytest.raises(KeyError):
        read_fan(BytesView(data), {b"AAAA": (40, 5)})
    with pytest.raises(Corrupt, match="a file file is too small to hold 99 chunks"):
        read_chunks(BytesView(data), 4, 99, 20, "a file")


@given(st.lists(st.tuples(st.integers(0, 1200), st.binary(min_size=1, max_size=8)), max_size=4))
def test_a_spoilt_file_is_refused_or_answers(spoils: list[tuple[int, bytes]]) -> None:
    data: Any = bytearray(midx())
    for at, other in spoils:
        data[at : at + len(other)] = other[: max(len(data) - at, 0)]
    try:
        index = opened(bytes(data))
    except Corrupt:
        return
    for oid in PLACES:
        found = index.find(oid)
        assert found is None or found[0] in index.names
