import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Cancelled
from gitglass.limits import Context
from gitglass.paths.wildmatch import (
    CASEFOLD,
    PATHNAME,
    any_of,
    compile_wildmatch,
    has_wildcards,
    literal_length,
    wildmatch,
)  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "text", "flags", "want"),
    [
        (b"foo/**/bar", b"foo/bar", PATHNAME, True),
        (b"foo/**/bar", b"foo/x/y/bar", PATHNAME, True),
        (b"foo/**", b"foo", PATHNAME, False),
        (b"foo/**", b"foo/a/b", PATHNAME, True),
        (b"**/foo", b"foo", PATHNAME, True),
        (b"**/a/**/b", b"x/a/a/y/b", PATHNAME, True),
        (b"a**b", b"a/b", PATHNAME, False),
        (b"a**b", b"a/b", 0, True),
        (b"*.c", b"src/x.c", PATHNAME, False),
        (b"*.c", b"src/x.c", 0, True),
        (b"?", b"/", PATHNAME, False),
        (b"[^a]", b"/", PATHNAME, False),
        (b"[]a]", b"]", 0, True),
        (b"[a-]", b"-", 0, True),
        (b"[!a-c]", b"d", 0, True),
        (b"[[:digit:][:upper:]]", b"7", 0, True),
        (b"[[:nonsense:]]", b"n", 0, False),
        (b"[a", b"[a", 0, False),
        (b"a\\", b"a\\", 0, False),
        (b"\\*", b"*", 0, True),
        (b"FOO*", b"foobar", CASEFOLD, True),
        (b"[A-C]x", b"bX", CASEFOLD, True),
        (b"[A]", b"a", CASEFOLD, False),  # a single letter in brackets does not fold: strange, but git's
        (b"[[:upper:]]", b"a", CASEFOLD, True),
        (b"", b"", 0, True),
        (b"***/x", b"a/b/x", PATHNAME, True),
    ],
)
def test_rules(pattern: bytes, text: bytes, flags: int, want: bool) -> None:
    assert wildmatch(pattern, text, flags) is want


def test_no_exponential_backtracking() -> None:
    text = b"a" * 5000
    assert not wildmatch(b"*a" * 40 + b"*b", text)
    assert not wildmatch(b"/".join([b"**"] * 30) + b"/b", b"/".join([b"a"] * 500), PATHNAME)
    assert not wildmatch(b"*[ab]*[ab]*[ab]*[ab]*c", text, PATHNAME)


def test_literal_prefix() -> None:
    assert literal_length(b"src/*.py") == 4
    assert literal_length(b"plain") == 5
    assert has_wildcards(b"a\\b")
    assert not has_wildcards(b"a]b")


def slow(pattern: bytes, text: bytes) -> bool:
    """`*` and `?` without slash rules, by a table: what the fast matcher has to agree with."""
    row = [True] + [False] * len(text)
    for char in pattern:
        if char == 42:
            fresh, any_before = [], False
            for cell in row:
                any_before = any_before or cell
                fresh.append(any_before)
        else:
            fresh = [False] + [row[i] and char in (63, text[i]) for i in range(len(text))]
        row = fresh
    return row[-1]


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=12))
def test_agrees_with_a_slow_matcher(pattern: str, text: str) -> None:
    assert wildmatch(pattern.encode(), text.encode()) is slow(pattern.encode(), text.encode())


@given(st.binary(max_size=30), st.binary(max_size=30), st.sampled_from([0, 1, 2, 3]))
def test_never_fails(pattern: bytes, text: bytes, flags: int) -> None:
    assert compile_wildmatch(pattern, flags)(text) in (True, False)


@given(st.binary(max_size=20))
def test_escaped_text_matches_itself(text: bytes) -> None:
    assert wildmatch(re.sub(rb"([*?\[\\])", rb"\\\1", text), text, PATHNAME)


def test_a_very_long_pattern_costs_nothing_where_it_cannot_match() -> None:
    """It used to be compiled piece by piece, for as long as that took."""
    for piece in (b"*[ab]", b"*a", b"?", b"*/", b"a?/"):
        assert not wildmatch(piece * 100_000, b"a/b" * 100, PATHNAME)
        assert not wildmatch(piece * 100_000, b"a/b" * 100)


@pytest.mark.parametrize("flags", [0, PATHNAME, PATHNAME | CASEFOLD])
def test_long_patterns_match_as_short_ones_do(flags: int) -> None:
    text = b"ab" * 2000
    for pattern in (
        b"?" * 4000,
        b"a?" * 2000,
        b"*" + b"[ab]b" * 1500 + b"*",
        b"*a*b" * 600,
        b"ab*" * 700 + b"?" * 1100,
    ):
        assert wildmatch(pattern, text, flags)
        assert not wildmatch(pattern + b"c", text, flags)
    assert wildmatch(b"**/" + b"a/" * 600 + b"**/b", b"a/" * 700 + b"b", PATHNAME)


def test_any_of_some_patterns() -> None:
    few, many = any_of([b"a*", b"*z"]), any_of([b"*%d" % number for number in range(500)], PATHNAME)
    assert [few(text) for text in (b"ab", b"xz", b"m")] == [True, True, False]
    assert [many(text) for text in (b"x499", b"x/499", b"x", b"7")] == [True, False, False, True]
    assert not any_of([])(b"")


def test_many_patterns_are_many_steps() -> None:
    """A call with 6,400 patterns is at least a hundred steps: the clock is looked at though it is one row."""
    fits, looks = any_of([b"*x%d" % number for number in range(6400)]), list[int]()
    with Context(cancelled=lambda: bool(looks.append(0)) or len(looks) > 2), pytest.raises(Cancelled):
        fits(b"nothing")
