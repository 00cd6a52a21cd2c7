"""Capitals of one letter each, and what is compared by them."""

import sys
import unicodedata

import pytest

from gitglass.regex.capitals import upper_of
from gitglass.regex.matcher import compile_pattern

KELVIN, LONG_S = "\u212a", "\u017f"


def test_a_capital_is_one_character() -> None:
    text = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    capitals = upper_of(text)
    assert len(capitals) == len(text)
    assert all(small == large or small.upper()[:1] == large or small.title() == large
               for small, large in zip(text, capitals, strict=True))  # fmt: skip


@pytest.mark.parametrize(
    ("small", "large"),
    [
        ("straße", "STRAßE"),
        ("ıi", "II"),
        (LONG_S, "S"),
        ("\u1fb3", "\u1fbc"),
        ("ﬀ", "ﬀ"),
        ("ǆ", "Ǆ"),
        ("\udcff", "\udcff"),
    ],
)
def test_capitals_of_the_c_library(small: str, large: str) -> None:
    assert upper_of(small) == large


def test_letters_without_a_capital_of_one_letter_stay() -> None:
    assert unicodedata.name("ẞ") == "LATIN CAPITAL LETTER SHARP S"
    assert upper_of("ß") == "ß"


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("[k]", KELVIN, False),
        ("[s]", LONG_S, True),
        ("[ß]", "ẞ", False),
        ("[i]", "ı", True),
        ("[i]", "İ", False),
        ("(k)\\1", f"k{KELVIN}", False),
        ("(s)\\1", f"s{LONG_S}", True),
        (f"[{LONG_S}]", "s", True),
        ("[A-z]", "_", False),
        ("[+-a]", "B", False),
        ("[a-Z]", "q", True),
    ],
)
def test_case_is_that_of_the_c_library(pattern: str, text: str, matches: bool) -> None:
    matcher = compile_pattern(pattern.encode(), "extended", ignore_case=True, newline=True)
    assert matcher.test(text.encode()) is matches
    assert matcher.test(f"é {text}".encode()) is matches


def test_places_are_those_of_the_text_itself() -> None:
    matcher = compile_pattern(b"[s]", "extended", ignore_case=True, newline=True)
    assert matcher.all("ſßs".encode()) == [(0, 2), (4, 5)]
    scan = matcher.scanner("ıſßs".encode())
    assert scan(0) == (2, 4)
    assert scan(4) == (6, 7)


def test_plain_text_is_folded_by_who_looks_for_it() -> None:
    text = f"a {KELVIN}".encode()
    assert compile_pattern(b"k", "extended", ignore_case=True).test(text)
    assert not compile_pattern(b"k", "extended", ignore_case=True, library=True).test(text)
    assert not compile_pattern(b"k", "fixed", ignore_case=True, octets=True).test(text)


def test_a_byte_that_is_no_utf8_may_be_a_letter_of_a_word() -> None:
    matcher = compile_pattern(rb"a\b", "extended", newline=True)
    assert not matcher.test(b"\xc3\xa9 a\xff")
    assert matcher.test(b"\xc3\xa9 a\xd7")
    assert matcher.test("é a".encode())
