"""diff/lines/common_ends.py: against a comparison byte by byte, and at the sizes where the steps change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.lines.common_ends import common_head, common_tail, cut_common_tail, equal_ends


@pytest.mark.parametrize("at", [0, 1, 255, 256, 257, 4351, 4352, 4353, 9000])
def test_the_first_and_the_last_difference_wherever_it_is(at: int) -> None:
    same = bytes(range(1, 101)) * 91
    other = same[:at] + b"\0" + same[at + 1 :]
    assert common_head(same, other) == at
    assert common_head(same, other, min(at, 10)) == at
    assert common_tail(same, other, len(same)) == len(same) - at - 1
    assert common_tail(same, other, 5) == min(5, len(same) - at - 1)


def test_a_text_that_begins_another_is_common_to_its_end() -> None:
    assert common_head(b"ab" * 3000, b"ab" * 3000 + b"x") == 6000
    assert common_tail(b"x" + b"ab" * 3000, b"ab" * 3000, 6000) == 6000
    assert common_head(b"", b"x") == common_tail(b"", b"x", 0) == 0


@given(st.binary(max_size=40), st.binary(max_size=10), st.binary(max_size=10), st.binary(max_size=40))
def test_any_bytes(head: bytes, old: bytes, new: bytes, tail: bytes) -> None:
    a, b = head + old + tail, head + new + tail
    size = min(len(a), len(b))
    assert common_head(a, b) == next((i for i in range(size) if a[i] != b[i]), size)
    assert common_tail(a, b, size) == next((i for i in range(size) if a[-1 - i] != b[-1 - i]), size)


@pytest.mark.parametrize(
    ("old", "new", "ends"),
    [
        (b"a\nb\nc\n", b"a\nX\nc\n", (2, 2)),
        (b"a\nbxd\nc\n", b"a\nbyd\nc\n", (2, 2)),  # parts of lines do not count
        (b"a\nb\n", b"a\nb\n", (4, 0)),
        (b"a\n", b"a\na\n", (2, 0)),
        (b"xc\nd", b"c\nd", (0, 1)),
        (b"c\nd", b"xc\nd", (0, 1)),
        (b"one", b"two", (0, 0)),
        (b"b\nc\n", b"a\nb\nc\n", (0, 4)),
    ],
)
def test_whole_lines_at_both_ends(old: bytes, new: bytes, ends: tuple[int, int]) -> None:
    assert equal_ends(old, new) == ends


def test_equal_blocks_are_cut_but_for_the_line_they_begin_in() -> None:
    tail = b"end of a line\n" + b"z" * 2034
    assert cut_common_tail(b"old" + tail, b"new!" + tail) == (b"old" + tail[:14], b"new!" + tail[:14])
    assert cut_common_tail(b"old" + tail[:1000], b"new" + tail[:1000]) == (b"old" + tail[:1000], b"new" + tail[:1000])
    flat = b"z" * 2048
    assert cut_common_tail(b"old" + flat, b"new" + flat) == (b"old" + flat, b"new" + flat)
    short = b"x" * 500 + b"\n" + b"x" * 522 + b"end\n" + b"z" * 1020  # less than two blocks: one is cut
    assert cut_common_tail(b"old" + short, b"new!" + short) == (b"old" + short[:1027], b"new!" + short[:1027])
