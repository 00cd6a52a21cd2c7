"""Texts put into fields of some width."""

import pytest

from gitglass.render.log.padding import Padding, pad

RED = b"\x1b[31m"


def put(padding: Padding, text: bytes, before: bytes = b"", graph_width: int = 0) -> bytes:
    out = bytearray(before)
    pad(padding, text, out, graph_width)
    return bytes(out)


@pytest.mark.parametrize(
    ("flush", "expected"), [("left", b"ab   "), ("right", b"   ab"), ("both", b" ab  "), ("steal", b"   ab")]
)
def test_alignment(flush: str, expected: bytes) -> None:
    assert put(Padding(flush, 5), b"ab") == expected
    assert put(Padding(flush, 2), b"ab") == b"ab"


def test_width_is_that_of_the_terminal() -> None:
    assert put(Padding("left", 4), "漢".encode()) == "漢  ".encode()
    assert put(Padding("left", 3), RED + b"a") == RED + b"a  "


@pytest.mark.parametrize(
    ("cut", "expected"), [("", b"abcdefgh"), ("right", b"abcd.."), ("left", b"..efgh"), ("middle", b"ab..gh")]
)
def test_cutting(cut: str, expected: bytes) -> None:
    assert put(Padding("left", 6, cut), b"abcdefgh") == expected


def test_up_to_a_column_of_the_line() -> None:
    assert put(Padding("left", -6), b"ab", b"x\nyyy") == b"x\nyyyab "
    assert put(Padding("left", -6), b"ab", b"yy", graph_width=1) == b"yyab "
    assert put(Padding("left", -3, "right"), b"abcd", b"y", graph_width=0) == b"y.."


def test_blanks_are_taken_from_what_was_written() -> None:
    assert put(Padding("steal", 2), b"abcd", b"x   ") == b"x abcd"
    assert put(Padding("steal", 2), b"abcd", b"xy ") == b"xyabcd"
    assert put(Padding("steal", 2), b"abcd", b"x  " + RED) == b"x" + RED + b"abcd"
    assert put(Padding("right", 2), b"abcd", b"x   ") == b"x   abcd"
