"""Hunks applied as `git apply --cached` does; the rows of cases were asked of git 2.39."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.paced import assert_paced

from gitglass.mutate.stash.patched import Hunk, applied, hunks_of

PATCH = b"""diff --git a/f b/f
index 1..2 100644
--- a/f
+++ b/f
@@ -2,7 +2,7 @@ one
 b
 c
 d
-e
+E
 f
 g
 h
"""
LINES = [b"%c\n" % byte for byte in b"abcdefghijklmno"]
AT_THE_TOP = b"@@ -1,2 +1,3 @@\n+0\n a\n b\n"
AT_THE_END = b"@@ -3,2 +3,3 @@\n c\n d\n+e\n\\ No newline at end of file\n"


def lines(words: str) -> list[bytes]:
    return [word.encode() + b"\n" for word in words]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("abcdefghijk", "abcdEfghijk"),
        ("xyzabcdefghijk", "xyzabcdEfghijk"),  # at another place
        ("bcdefgh", "bcdEfgh"),
        ("abcdefghbcdefgh", "abcdEfghbcdefgh"),  # at its own one
        ("xxxxxxbcdefghbcdefgh", "xxxxxxbcdEfghbcdefgh"),  # at the nearest one
        ("abcdefgh", "abcdEfgh"),
        ("aBcdefghijk", None),  # a line of context is another one
        ("abcdefgHijk", None),
        ("abcdEfghijk", None),  # it is so already
        ("abc", None),
        ("", None),
    ],
)
def test_a_hunk_is_found_with_all_its_context(before: str, after: str | None) -> None:
    assert applied(lines(before), hunks_of(PATCH)) == (0 if after is None else lines(after))


@pytest.mark.parametrize(
    ("patch", "before", "after"),
    [
        (AT_THE_TOP, lines("abc"), lines("0abc")),
        (AT_THE_TOP, lines("xabc"), None),
        (AT_THE_END, lines("abcd"), [*lines("abcd"), b"e"]),
        (AT_THE_END, lines("xxabcd"), [*lines("xxabcd"), b"e"]),
        (AT_THE_END, lines("abcdx"), None),
        (AT_THE_END, [*lines("abc"), b"d"], None),
        (b"@@ -1 +1,2 @@\n+0\n a\n", lines("a"), lines("0a")),
        (b"@@ -0,0 +1 @@\n+x\n", [], lines("x")),
        (b"@@ -0,0 +1 @@\n+x\n", lines("a"), None),
    ],
)
def test_the_first_and_the_last_lines_are_those_of_the_file(
    patch: bytes, before: list[bytes], after: list[bytes] | None
) -> None:
    assert applied(before, hunks_of(patch)) == (0 if after is None else after)


def test_two_hunks_do_not_share_lines() -> None:
    hunk = b"@@ -%d,3 +%d,3 @@\n a\n-b\n+a\n a\n"
    assert applied(lines("xababax"), hunks_of(hunk % (2, 2) + hunk % (4, 4))) == 1
    assert applied(lines("xabaabax"), hunks_of(hunk % (2, 2) + hunk % (5, 5))) == lines("xaaaaaax")


@given(st.lists(st.sampled_from(LINES)), st.lists(st.sampled_from(LINES), min_size=1), st.integers(0, 20))
def test_what_is_before_and_behind_does_not_matter(front: list[bytes], back: list[bytes], where: int) -> None:
    middle = [b"1\n", b"2\n", b"3\n"]
    patch = b"@@ -%d,3 +%d,3 @@\n 1\n-2\n+two\n 3\n" % (where + 2, where + 2)
    assert applied([*front, *middle, *back], hunks_of(patch)) == [*front, b"1\n", b"two\n", b"3\n", *back]


def test_a_binary_file_has_no_hunks() -> None:
    assert hunks_of(b"diff --git a/f b/f\nindex 1..2 100644\nBinary files a/f and b/f differ\n") == []


def test_a_hunk_is_searched_for_with_looks_at_the_clock() -> None:
    """Lines that are nearly all alike, and one that is not there."""
    lines = [b"a\n"] * 300_000
    hunk = Hunk(100, 100, [b"a\n"] * 20_000 + [b"b\n", b"a\n"], [b"c\n"], True)
    assert_paced(lambda: applied(lines, [hunk]))
    assert_paced(lambda: applied(lines, [Hunk(100, 100, [b"a\n", b"b\n"], [b"c\n"], True)]))
    nearest = applied([*lines, b"b\n"], [Hunk(100, 100, [b"a\n", b"b\n"], [b"c\n"], True)])
    assert nearest == [*lines[:-1], b"c\n"]
