"""Packs from elsewhere: what is made of good ones, and that broken, endless and lying ones are refused."""

import hashlib
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.object_files import delta

from gitglass.disk.opened import BytesView
from gitglass.errors import Corrupt, GitError, TooLarge
from gitglass.mutate.remote.packs.unpacking import Unpacked, entry_of, index_of, unpack
from gitglass.objects.pack_index import PackIndex

BLOB, OFS, REF = 3, 6, 7


def oid_of(content: bytes, kind: bytes = b"blob") -> bytes:
    return hashlib.sha1(b"%b %d\0%b" % (kind, len(content), content)).digest()


def entry(kind: int, data: bytes, base: bytes = b"") -> bytes:
    return entry_of(kind, len(data)) + base + zlib.compress(data)


def pack(*entries: bytes, count: int | None = None) -> bytes:
    body = b"PACK" + struct.pack(">II", 2, len(entries) if count is None else count) + b"".join(entries)
    return body + hashlib.sha1(body).digest()


def back(distance: int) -> bytes:
    out = [distance & 127]
    while distance := (distance >> 7):
        distance -= 1
        out.insert(0, 128 | distance & 127)
    return bytes(out)


def taken(
    data: bytes, bases: dict[bytes, bytes] | None = None, limit: int = 1 << 20
) -> tuple[Unpacked, dict[bytes, bytes]]:
    judged: dict[bytes, bytes] = {}
    held = bases or {}
    made = unpack(
        data, "sha1", limit=limit, judge=lambda oid, _, content: judged.__setitem__(oid, content),
        base_of=lambda oid: (b"blob", held[oid]) if oid in held else None,
    )  # fmt: skip
    return made, judged


ONE, TWO, THREE = b"one\n" * 20, b"one\n" * 20 + b"two\n", b"three" + b"one\n" * 20


@given(st.lists(st.binary(max_size=300), unique=True, max_size=12))
def test_whole_objects(contents: list[bytes]) -> None:
    data = pack(*(entry(BLOB, content) for content in contents))
    made, judged = taken(data)
    assert judged == {oid_of(content): content for content in contents} and made.oids == sorted(judged)
    assert made.data == data and made.name == data[-20:].hex().encode()
    if contents:
        index = PackIndex(BytesView(made.index), 20)
        assert all(data[index.offset(index.find(oid)) :].startswith(entry(BLOB, judged[oid])) for oid in judged)


def test_deltas_in_any_order() -> None:
    first, second = entry(BLOB, ONE), entry(REF, delta(ONE, TWO), oid_of(ONE))
    third = entry(REF, delta(TWO, THREE), oid_of(TWO))
    for entries in ((first, second, third), (third, second, first), (second, first, third)):
        assert set(taken(pack(*entries))[1].values()) == {ONE, TWO, THREE}
    near = entry(OFS, delta(ONE, TWO), back(len(first)))
    assert set(taken(pack(first, near))[1].values()) == {ONE, TWO}


def test_a_thin_pack_is_completed() -> None:
    made, judged = taken(pack(entry(REF, delta(ONE, TWO), oid_of(ONE))), {oid_of(ONE): ONE})
    assert judged == {oid_of(TWO): TWO} and made.oids == sorted([oid_of(ONE), oid_of(TWO)])
    again, whole = taken(made.data)
    assert set(whole.values()) == {ONE, TWO} and again.index == made.index


def test_far_offsets_have_a_table_of_their_own() -> None:
    rows = [(bytes([number]) * 20, number << 31 | 5, 7) for number in range(3)]
    index = PackIndex(BytesView(index_of(rows, bytes(20), "sha1")), 20)
    assert [index.offset(index.find(oid)) for oid, _, _ in rows] == [row[1] for row in rows]


GOOD = pack(entry(BLOB, ONE), entry(BLOB, TWO))


@pytest.mark.parametrize(
    "data",
    [
        b"", b"PACK", GOOD[:-1], GOOD[:30] + GOOD[-20:], b"PACX" + GOOD[4:], pack(entry(BLOB, ONE), count=2),
        pack(entry(BLOB, ONE), entry(BLOB, ONE)), pack(count=0xFFFFFFFF), pack(entry(BLOB, ONE), b"junk", count=1),
        pack(entry_of(BLOB, 5) + zlib.compress(ONE)), pack(entry_of(BLOB, 500) + zlib.compress(ONE)),
        pack(entry_of(BLOB, 5) + b"no zlib at all"), pack(entry(5, ONE)), pack(entry(0, ONE)),
        pack(entry(REF, delta(ONE, TWO), oid_of(ONE))), pack(entry(OFS, delta(ONE, TWO), back(1))),
        pack(entry(BLOB, ONE), entry(OFS, delta(ONE, TWO), back(1000))), pack(bytes([255]) * 40),
        pack(entry(BLOB, ONE), entry(REF, b"\x50\x01\x90", oid_of(ONE))),
        pack(entry(REF, delta(ONE, TWO), oid_of(THREE)), entry(REF, delta(TWO, THREE), oid_of(TWO))),
    ],
)  # fmt: skip
def test_broken_packs_are_refused(data: bytes) -> None:
    with pytest.raises(Corrupt):
        taken(data)


def test_what_is_too_large() -> None:
    with pytest.raises(TooLarge):
        taken(pack(entry(BLOB, bytes(2 << 20))))
    with pytest.raises(TooLarge):
        taken(pack(entry(BLOB, ONE), entry(REF, delta(ONE, ONE * 100), oid_of(ONE))), limit=1000)
    bomb = pack(entry_of(BLOB, 10) + zlib.compress(bytes(50 << 20)))
    with pytest.raises(Corrupt):
        taken(bomb)


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_changed_byte_is_noticed(at: int, change: int) -> None:
    data = bytearray(GOOD)
    data[at] ^= change
    with pytest.raises(Corrupt):
        taken(bytes(data))


@given(st.binary(max_size=120), st.integers(0, 4))
def test_any_bytes_are_a_pack_or_refused(body: bytes, count: int) -> None:
    try:
        taken(pack(body, count=count))
    except GitError:
        pass
