"""What is wrong with a loose object's file, in git's words."""

import hashlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.disk.opened import BytesView
from gitglass.objects.loose_check import LooseCheck, check_loose

OID = bytes(range(20))
NAME = OID.hex()


def looked(raw: bytes, limit: int = 1000) -> LooseCheck:
    return check_loose(BytesView(raw), OID, "sha1", limit)


def name_of(raw: bytes) -> bytes:
    return hashlib.sha1(raw).digest()


def test_a_file_that_can_be_read_says_what_it_holds() -> None:
    whole = b"blob 4\0abcd"
    assert looked(zlib.compress(whole)) == LooseCheck(b"blob", 4, b"abcd", name_of(whole), "", [])


def test_a_kind_that_git_does_not_know_is_read_all_the_same() -> None:
    found = looked(zlib.compress(b"strange 1\0x"))
    assert (found.kind, found.content, found.oid, found.trouble) == (b"strange", b"x", name_of(b"strange 1\0x"), "")


def test_of_what_is_too_large_the_name_is_made_and_nothing_kept() -> None:
    whole = b"blob 11\0" + b"x" * 11
    found = looked(zlib.compress(whole), limit=10)
    assert (found.size, found.content, found.oid, found.trouble) == (11, None, name_of(whole), "")


@pytest.mark.parametrize(
    ("raw", "trouble", "lines"),
    [
        (b"", "empty", []),
        (b"no zlib at all", "unpack", ["inflate: data stream error (incorrect header check)"]),
        (zlib.compress(b"blob 1234567890123456789012345678\0"), "long", []),
        (zlib.compress(b"blob 04\0abcd"), "parse", []),
        (zlib.compress(b"blob x\0abcd"), "parse", []),
        (zlib.compress(b"blob 4\0abcd") + b"!", "contents", [f"garbage at end of loose object '{NAME}'"]),
        (zlib.compress(b"blob 3\0abcd" + b"x" * 40), "contents", [f"corrupt loose object '{NAME}'"]),
        (zlib.compress(b"blob 4\0abcd")[:-6], "contents", [f"corrupt loose object '{NAME}'"]),
    ],
)
def test_where_reading_ends(raw: bytes, trouble: str, lines: list[str]) -> None:
    found = looked(raw)
    assert (found.trouble, found.lines, found.content) == (trouble, lines, None)


def test_what_is_missing_counts_as_zeros() -> None:
    found = looked(zlib.compress(b"blob 6\0abcd"))
    assert (found.content, found.oid) == (b"abcd\0\0", name_of(b"blob 6\0abcd\0\0"))


def test_lines_name_the_file() -> None:
    def lines(trouble: str) -> list[str]:
        return LooseCheck(b"", 0, None, b"", trouble, ["before"]).as_file("a/b")

    assert lines("") == ["before"]
    assert lines("empty") == ["before", "object file a/b is empty", "unable to mmap a/b: No such file or directory"]
    assert lines("parse") == ["before", "unable to parse header of a/b"]
    assert lines("contents") == ["before", "unable to unpack contents of a/b"]
    assert lines("long") == lines("unpack") == ["before", "unable to unpack header of a/b"]


@given(st.binary(max_size=300), st.integers(0, 12))
def test_every_object_passes_and_every_cut_does_not(data: bytes, cut: int) -> None:
    whole = b"tree %d\0" % len(data) + data
    raw = zlib.compress(whole)
    found = looked(raw[: len(raw) - cut])
    assert (found.trouble == "") == (cut == 0)
    if not cut:
        assert (found.content, found.oid) == (data, name_of(whole))
