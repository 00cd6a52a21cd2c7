"""regex.utf8: patterns that are not UTF-8, in PCRE2's words; expectations recorded with git 2.39.5 and PCRE2 10.42."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.regex.matcher import BadPattern, compile_pattern
from gitglass.regex.utf8 import decode_pattern

FAULTS = [
    (b"a\x80", "isolated byte with 0x80 bit set"),
    (b"\xfex", "illegal byte (0xfe or 0xff)"),
    (b"\xe9t\xe9", "byte 2 top bits not 0x80"),
    (b"\xe2\x82(", "byte 3 top bits not 0x80"),
    (b"\xc3", "1 byte missing at end"),
    (b"x\xf0\x9f", "2 bytes missing at end"),
    (b"\xf8\x88\x80", "2 bytes missing at end"),
    (b"\xc0\x80", "overlong 2-byte sequence"),
    (b"\xe0\x80\x80", "overlong 3-byte sequence"),
    (b"\xf0\x80\x80\x80", "overlong 4-byte sequence"),
    (b"\xf8\x80\x80\x80\x80", "overlong 5-byte sequence"),
    (b"\xfc\x80\x80\x80\x80\x80", "overlong 6-byte sequence"),
    (b"\xed\xa0\x80", "code points 0xd800-0xdfff are not defined"),
    (b"\xf4\x90\x80\x80", "code points greater than 0x10ffff are not defined"),
    (b"\xf8\x88\x80\x80\x80", "5-byte character is not allowed (RFC 3629)"),
    (b"\xfc\x84\x80\x80\x80\x80", "6-byte character is not allowed (RFC 3629)"),
]


@pytest.mark.parametrize(("pattern", "reason"), FAULTS)
def test_faults(pattern: bytes, reason: str) -> None:
    with pytest.raises(BadPattern) as caught:
        decode_pattern(pattern)
    assert caught.value.reason == f"UTF-8 error: {reason}"


@pytest.mark.parametrize("kind", ["basic", "extended", "perl", "fixed"])
def test_plain_text_in_any_case_has_to_be_utf8(kind: str) -> None:
    with pytest.raises(BadPattern, match="UTF-8 error"):
        compile_pattern(b"x\xe9]", kind, ignore_case=True)
    assert compile_pattern(b"x\xe9]", kind).search(b"ax\xe9]") == (1, 4)
    assert compile_pattern(b"x\xe9]", kind, ignore_case=True, octets=True).search(b"aX\xe9]") == (1, 4)


def test_what_is_quoted_is_shown_so() -> None:
    with pytest.raises(BadPattern) as caught:
        compile_pattern(b"(\xe9)", "fixed", ignore_case=True)
    assert caught.value.message == "command line, '\\Q(\udce9)\\E': UTF-8 error: byte 2 top bits not 0x80"


@given(st.binary(max_size=12))
def test_every_fault_has_words(pattern: bytes) -> None:
    try:
        assert decode_pattern(pattern) == pattern.decode()
    except BadPattern as error:
        assert error.reason.startswith("UTF-8 error: ")
