"""Columns, cutting and wrapping; expectations observed from git 2.39.5."""

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.paced import assert_paced

from gitglass.errors import Timeout, TooLarge
from gitglass.limits import Context, Limits
from gitglass.render import width as widths
from gitglass.render.width import char_width, display_width, expand_tabs, replace_columns, tab_width, wrap


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("日本", 4), ("e\u0301", 1), ("\x01a", 1), ("\xad", 1), ("\u1160", 0), ("\U0002fffd", 2), ("", 0)],
)
def test_width(text: str, width: int) -> None:
    assert display_width(text.encode()) == width


def test_width_of_other_bytes() -> None:
    assert display_width(b"caf\xe9 x") == 6
    assert display_width(b"\xef\xbf\xbf") == 3, "git does not take U+FFFF"
    assert display_width(b"\x1b[31mred\x1b[m", ansi=True) == 3
    assert tab_width(b"a\x01") is None and tab_width(b"\xff") is None


def test_replace() -> None:
    assert replace_columns("a日本b".encode(), 1, 4, b"..") == b"a..b"
    assert replace_columns(b"\x1b[1mabcdef\x1b[m", 2, 4, b"..") == b"\x1b[1mab..\x1b[m"
    assert replace_columns(b"ab\xff", 0, 1, b"..") == b"ab\xff"


@pytest.mark.parametrize(
    ("text", "layout", "shown"),
    [
        (b"one two three", (8, 0, 2), b"one two\n  three"),
        (b"one\ntwo\n\nthree", (20, 1, 1), b" one two\n\n three"),
        (b"one\n- two", (20, 0, 2), b"one\n  - two"),
        (b"longlonglong x", (4, 2, 0), b"  longlonglong\nx"),
        (b"a\nb", (0, 2, 4), b"  a\n    b"),
        (b"one two", (20, -17, 1), b"one\n two"),
    ],
)
def test_wrap(text: bytes, layout: tuple[int, int, int], shown: bytes) -> None:
    assert wrap(text, *layout) == shown


@given(
    st.binary(max_size=80) | st.text(max_size=60).map(str.encode),
    st.integers(-2, 30),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_wrap_any(text: bytes, width: int, first: int, rest: int) -> None:
    kept = bytes.maketrans(b"\n\t\r", b"   ")
    shown = wrap(text, width, first, rest)
    assert shown.translate(kept).replace(b" ", b"") == text.translate(kept).replace(b" ", b"")


def test_filling_lines_looks_at_the_clock() -> None:
    with Context(Limits(timeout=-1)), pytest.raises(Timeout):
        wrap(b"word " * 1000, 70, 1, 2)


PIECES = st.lists(st.sampled_from(["ab", "\x1b[1m", "\x1b[", "\u4e00", "\u0301", "\t", " ", "\n"]), max_size=12).map(
    "".join
)


@given(PIECES, st.integers(-3, 9), st.integers(-2, 9))
def test_columns_are_replaced_character_by_character(text: str, start: int, width: int) -> None:
    out, column, mark = "", 0, ".."
    for part in re.split("(\x1b\\[[0-9;]*m)", text):
        for char in [part] if re.fullmatch("\x1b\\[[0-9;]*m", part) else part:
            columns = max(char_width(char), 0) if len(char) == 1 else 0
            if columns and start <= column < start + width:
                out, mark = out + mark, ""
            else:
                out += char
            column += columns
    assert replace_columns(text.encode(), start, width, b"..") == out.encode()


@given(PIECES, st.integers(1, 9), st.integers(-3, 3))
def test_what_is_filled_is_put_together_now_and_then(text: str, width: int, first: int) -> None:
    whole = wrap(text.encode(), width, first, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widths, "_WORDS", 1)
        assert wrap(text.encode(), width, first, 1) == whole


@pytest.mark.parametrize(
    "text", [b"word " * 600_000, "e\u0301\u4e00".encode() * 300_000, b"\x1b[m" * 600_000, b"\x01" * 2_000_000]
)
def test_columns_of_a_long_text_with_looks_at_the_clock(text: bytes) -> None:
    assert_paced(lambda: replace_columns(text, 3, 3_000_000, b".."))
    assert_paced(lambda: display_width(text, ansi=True))


def test_tabs_are_expanded_in_one_pass() -> None:
    assert expand_tabs(b"a\tbc\t\td\xff\te", 8) == b"a       bc              d\xff\te"
    assert_paced(lambda: expand_tabs(b"a\t" * 300_000, 8))


def test_filling_is_refused_where_it_needs_too_much() -> None:
    with Context(Limits(max_memory_bytes=100 << 20)), pytest.raises(TooLarge):
        wrap(b"word " * (6 << 20), 20, 0, 0)


@pytest.mark.parametrize("layout", [(0, 40 << 20, 40 << 20), (60 << 20, 40 << 20, 50 << 20), (60 << 20, 1, 59 << 20)])
def test_margins_are_announced(layout: tuple[int, int, int]) -> None:
    tracemalloc.start()
    try:
        with Context(Limits(max_memory_bytes=100 << 20)), pytest.raises(TooLarge):
            wrap(b"word\n\nword " * 20, *layout)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
