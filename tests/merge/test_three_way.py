"""Merging two texts again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import TooLarge
from gitglass.limits import Context, Limits
from gitglass.merge.three_way import Sides, merge_texts

SIDES = Sides((b"ours", b"theirs", b"base"))
BASE = b"".join(b"%d\n" % number for number in range(20))


def merged(ours: bytes, theirs: bytes, base: bytes = BASE) -> bytes | None:
    found = merge_texts(base, ours, theirs, SIDES, ctx=Context())
    return found.text if found.clean else None


def marked(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    return merge_texts(base, ours, theirs, SIDES, ctx=Context()).text


def test_changes_that_lie_apart_go_together() -> None:
    ours, theirs = BASE.replace(b"3\n", b"three\n", 1), BASE.replace(b"12\n", b"")
    assert merged(ours, theirs) == ours.replace(b"12\n", b"")


def test_the_same_change_counts_once() -> None:
    ours = BASE.replace(b"7\n", b"seven\n", 1)
    assert merged(ours, ours) == ours


@pytest.mark.parametrize("line", [b"7\n", b"8\n"])
def test_changes_that_meet_are_a_conflict(line: bytes) -> None:
    """Neighbouring lines too: git wants an unchanged line between."""
    assert merged(BASE.replace(b"7\n", b"x\n", 1), BASE.replace(line, b"y\n", 1)) is None


def test_an_end_without_newline_survives() -> None:
    assert merged(BASE + b"end", BASE.replace(b"0\n", b"zero\n", 1)) == BASE.replace(b"0\n", b"zero\n", 1) + b"end"


Text = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=12).map(b"".join)


@given(Text, Text)
def test_one_side_alone_wins(base: bytes, changed: bytes) -> None:
    assert merged(changed, base, base) == changed
    assert merged(base, changed, base) == changed


def test_marks_stand_about_what_differs_only() -> None:
    ours, theirs = b"0\nx\nmine\ny\n2\n", b"0\nx\nyours\ny\n2\n"
    conflict = b"<<<<<<< ours\nmine\n=======\nyours\n>>>>>>> theirs\n"
    assert marked(b"0\n1\n2\n", ours, theirs) == b"0\nx\n" + conflict + b"y\n2\n"


def test_marks_end_as_the_lines_about_them() -> None:
    told = marked(b"0\r\n1\r\n", b"0\r\nmine\r\n", b"0\r\nyours\r\n")
    assert told == b"0\r\n<<<<<<< ours\r\nmine\r\n=======\r\nyours\r\n>>>>>>> theirs\r\n"


def test_a_side_without_newline_gets_one_in_front_of_the_mark() -> None:
    assert marked(b"", b"mine", b"yours") == b"<<<<<<< ours\nmine\n=======\nyours\n>>>>>>> theirs\n"


@given(Text, Text, Text)
def test_both_texts_are_in_what_is_marked(base: bytes, ours: bytes, theirs: bytes) -> None:
    found = merge_texts(base, ours, theirs, SIDES, ctx=Context())
    lines = found.text.splitlines()
    assert found.clean == (b"<<<<<<< ours" not in lines)
    assert lines.count(b"<<<<<<< ours") == lines.count(b"=======") == lines.count(b">>>>>>> theirs")


@pytest.mark.parametrize(("size", "conflicts"), [(999_999_999, 1), (200_000, 300)])
def test_long_markers_are_announced(size: int, conflicts: int) -> None:
    """`conflict-marker-size` and `--marker-size` say how long, a repository's file how many."""
    base, ours, theirs = (
        b"".join(b"%b%d\n\n\n\nx%d\n" % (side, n, n) for n in range(conflicts)) for side in (b"", b"a", b"b")
    )
    sides = Sides((b"ours", b"theirs", b"base"), size=size)
    with pytest.raises(TooLarge):
        merge_texts(base, ours, theirs, sides, ctx=Context(Limits(max_memory_bytes=64 << 20)))
