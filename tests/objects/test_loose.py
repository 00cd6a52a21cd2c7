"""Loose objects: a file's header, its content against its claim and its name, and the names in a directory."""

import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.disk.jail import Jail
from gitglass.errors import Corrupt, TooLarge
from gitglass.objects.loose import Loose


@pytest.fixture
def loose(builder: Any) -> Loose:
    return Loose(Jail(str(builder.top).encode()), str(builder.objects).encode(), "sha1", 1 << 20)


def test_what_was_written_is_read(builder: Any, loose: Loose) -> None:
    oid = builder.loose(b"blob", b"some text\n")
    assert loose.read(oid) == (b"blob", b"some text\n")
    assert loose.head(oid) == (b"blob", 10)
    assert loose.file(oid) == b"%s/%s/%s" % (loose.path, oid.hex()[:2].encode(), oid.hex()[2:].encode())
    assert loose.has(oid) and loose.delta_base(oid) == bytes(20)
    assert loose.disk_size(oid) == len(zlib.compress(b"blob 10\0some text\n"))
    gone = bytes([255]) * 20
    assert (loose.read(gone), loose.head(gone), loose.has(gone), loose.delta_base(gone)) == (None, None, False, None)


def test_a_large_one_is_read_in_steps(builder: Any, loose: Loose) -> None:
    data = b"".join(b"%d\n" % (n * 7919) for n in range(100_000))
    oid = builder.loose(b"blob", data)
    assert loose.read(oid) == (b"blob", data)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (zlib.compress(b"blob 3\0abcd"), "its size is not what its header says"),
        (zlib.compress(b"blob 5\0abcd"), "its size is not what its header says"),
        (zlib.compress(b"blob 4\0abcd")[:-3], "its size is not what its header says"),
        (zlib.compress(b"blob 4\0abcd") + b"x", "garbage at its end"),
        (zlib.compress(b"blob 04\0abcd"), "unable to parse its header"),
        (zlib.compress(b"blob -4\0abcd"), "unable to parse its header"),
        (zlib.compress(b"blob " + b"4" * 80), "unable to parse its header"),
    ],
)
def test_a_file_that_is_no_object_is_corrupt(builder: Any, loose: Loose, raw: bytes, reason: str) -> None:
    oid = builder.loose(b"blob", b"abcd", raw=raw)
    with pytest.raises(Corrupt, match=f"loose object {oid.hex()} .* is corrupt") as caught:
        loose.read(oid)
    assert caught.value.data["reason"] == reason


def test_a_name_that_promises_other_content_is_refused(builder: Any, loose: Loose) -> None:
    oid = builder.loose(b"blob", b"other", oid=bytes([7]) * 20)
    with pytest.raises(Corrupt, match=f"hash mismatch {oid.hex()}"):
        loose.read(oid)
    assert loose.head(oid) == (b"blob", 5)


def test_an_object_above_the_limit_is_not_inflated(builder: Any) -> None:
    small = Loose(Jail(str(builder.top).encode()), str(builder.objects).encode(), "sha1", 10)
    assert small.read(builder.loose(b"blob", b"x" * 10)) == (b"blob", b"x" * 10)
    with pytest.raises(TooLarge, match="is too large: 11 bytes"):
        small.read(builder.loose(b"blob", b"x" * 11))


def test_names_of_a_directory_are_objects_or_strays(builder: Any, loose: Loose) -> None:
    folder = builder.objects / "0a"
    folder.mkdir()
    good = ["f" * 38, "0" * 38]
    odd = ["0" * 37, "F" * 38, "tmp_obj_x", "0" * 39]
    for name in good + odd:
        (folder / name).touch()
    oids = [bytes.fromhex("0a" + name) for name in sorted(good)]
    assert loose.listed(10) == oids and sorted(loose.unsorted(10)) == oids
    assert loose.strays(10) == [loose.path + b"/0a/" + name.encode() for name in sorted(odd)]


def test_listings_are_kept_until_refresh(builder: Any, loose: Loose) -> None:
    for first in range(4):  # from the fourth on it is asked which directories there are
        assert loose.listed(first) == []
    oid = builder.loose(b"blob", b"", oid=bytes([9]) * 20)
    late = builder.loose(b"blob", b"", oid=bytes([3]) * 20)
    assert loose.listed(3) == [] and loose.listed(9) == []
    loose.refresh()
    assert loose.listed(3) == [late] and loose.listed(9) == [oid]


@given(st.binary(max_size=80))
def test_any_header_is_parsed_or_refused(start: bytes) -> None:
    reader = Loose(Jail(b"/nowhere"), b"/nowhere", "sha1", 10)
    try:
        kind, size, at = reader._header(start, bytes(20))
    except Corrupt:
        return
    assert start[:at] == b"%s %d\0" % (kind, size)
