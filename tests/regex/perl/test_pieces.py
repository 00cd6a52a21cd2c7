"""regex/perl/pieces.py: lengths of what is matched, quantifiers, references."""

from typing import Any

import pytest

from gitglass.regex.matcher import BadPattern, compile_pattern
from gitglass.regex.perl.pieces import Group, Pieces


@pytest.mark.parametrize(
    ("alternatives", "length"),
    [([(2, 2)], (2, 2)), ([(2, 2), (2, 2)], (2, 2)), ([(2, 2), (3, 3)], (None, 2)), ([(None, 1), (0, 0)], (None, 0))],
)
def test_the_length_of_a_group(alternatives: list[tuple[int | None, int]], length: tuple[int | None, int]) -> None:
    group = Group("(", "", None, None)
    for group.fixed, group.least in alternatives:
        group.alternative()
    assert group.length == length and (group.fixed, group.least) == (0, 0)


def pieces(pattern: bytes, **how: Any) -> Pieces:
    return Pieces(pattern, **{"icase": False, "wide": True, **how})


@pytest.mark.parametrize(
    ("signs", "written", "length"),
    [
        (b"*", "a*", (None, 0)),
        (b"+?", "a+?", (None, 1)),
        (b"?+", "a?+", (None, 0)),
        (b"{3}", "a{3}", (3, 3)),
        (b"{2,}", "a{2,}", (None, 2)),
        (b"{2,3}", "a{2,3}", (None, 2)),
        (b"{0}", "a{0}", (0, 0)),
    ],
)
def test_quantifiers(signs: bytes, written: str, length: tuple[int | None, int]) -> None:
    made = pieces(signs)
    made._put("a")
    made._quantify()
    group = made.stack[0]
    assert (group.pieces, (group.fixed, group.least)) == ([written], length)
    assert made.nature.needs_regex == (signs == b"?+")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"*a", "quantifier does not follow a repeatable item"),
        (b"a**", "quantifier does not follow a repeatable item"),
        (b"a{65536}", "number too big in {} quantifier"),
        (b"a{3,2}", "numbers out of order in {} quantifier"),
        (b"\\2(a)", "reference to non-existent subpattern"),
        (b"\\1(a)", "gitglass does not support a reference to a group that follows, in Perl patterns"),
        (b"(a\\1)", "gitglass does not support a reference to a group from within it, in Perl patterns"),
        (b"(a)(?<=\\1)", "gitglass does not support a back-reference in a look-behind in Perl patterns"),
        (b"(?<1a>b)", "subpattern name must start with a non-digit"),
        (b"(?<" + b"a" * 33 + b">b)", "subpattern name is too long (maximum 32 code units)"),
        (b"(?<>b)", "subpattern name expected"),
        (b"(?<a b)", "syntax error in subpattern name (missing terminator?)"),
    ],
)
def test_the_words_for_bad_patterns(pattern: bytes, reason: str) -> None:
    with pytest.raises(BadPattern) as caught:
        compile_pattern(pattern, "perl")
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"a\xff", "UTF-8 error: illegal byte (0xfe or 0xff)"),
        (b"a\x80", "UTF-8 error: isolated byte with 0x80 bit set"),
        (b"\xe2\x82", "UTF-8 error: 1 byte missing at end"),
        (b"\xc3a", "UTF-8 error: byte 2 top bits not 0x80"),
    ],
)
def test_the_words_for_what_is_no_utf8(pattern: bytes, reason: str) -> None:
    with pytest.raises(BadPattern) as caught:
        pieces(pattern)
    assert caught.value.reason == reason
    assert pieces(pattern, octets=True).text == pattern.decode("latin-1")


def test_relative_numbers_of_groups() -> None:
    made = pieces(b"")
    made.groups = 3
    assert [made._relative(word) for word in ("R", "2", "-1", "-3", "+1")] == [0, 2, 3, 1, 4]
    with pytest.raises(BadPattern, match="reference to non-existent subpattern"):
        made._relative("-4")


def test_letters_fold_as_unicode_says() -> None:
    assert compile_pattern("(?i)é".encode(), "perl").search("É".encode()) == (0, 2)
    assert compile_pattern(b"(?i)k", "perl").search("\u212a".encode()) == (0, 3)
    assert compile_pattern(b"k", "perl").search(b"K") is None
