"""request/text.py: bytes and the text of typed results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.request.text import base64_unless_text, exact_bytes, to_base64, to_bytes, to_text


def test_bytes_for_people() -> None:
    assert to_text("é".encode()) == "é"
    assert to_text(b"a\xffb") == "a\ufffdb"


def test_arguments_are_the_bytes_that_were_typed() -> None:
    assert to_bytes("é") == b"\xc3\xa9"
    assert to_bytes("a\udcffb") == b"a\xffb"


def test_base64_is_one_line_and_only_for_what_is_no_text() -> None:
    assert to_base64(b"\xff" * 60) == "/" * 80
    assert base64_unless_text(b"a\xff") == "Yf8="
    assert base64_unless_text("é\n".encode()) is None


@pytest.mark.parametrize(
    ("content", "encoded", "raw"),
    [("é", None, b"\xc3\xa9"), (None, None, b""), ("?", "Yf8=", b"a\xff"), ("x", "", b"")],
)
def test_the_exact_bytes_are_the_encoded_ones_where_there_are_such(
    content: str | None, encoded: str | None, raw: bytes
) -> None:
    assert exact_bytes(content, encoded) == raw


@given(st.binary())
def test_nothing_is_lost_between_the_two_forms(raw: bytes) -> None:
    assert exact_bytes(to_text(raw), base64_unless_text(raw)) == raw
