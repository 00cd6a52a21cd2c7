"""Columns, cutting and wrapping; expectations observed from git 2.39.5."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Timeout
from gitglass.limits import Context, Limits
from gitglass.render.width import display_width, replace_columns, tab_width, wrap


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
