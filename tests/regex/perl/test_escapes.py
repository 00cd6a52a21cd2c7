"""regex/perl/escapes.py: what a backslash and a bracket stand for."""

import pytest

from gitglass.regex.matcher import BadPattern, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        (b"\\Qa.b\\E.", b"axb a.bc", (4, 8)),
        (b"\\Qa.b", b"a.b", (0, 3)),
        (b"\\x41\\x{42}\\103", b"xABC", (1, 4)),
        (b"\\x{e9}", "é".encode(), (0, 2)),
        (b"\\t\\n\\e\\cA", b"\t\n\x1b\x01", (0, 4)),
        (b"\\.", b"a.", (1, 2)),
        (b"a\\Kb", b"ab", (1, 2)),
        (b"\\bcat\\b", b"concat cat", (7, 10)),
        (b"\\Bcat", b"cat concat", (7, 10)),
        (b"\\Aa\\z", b"a", (0, 1)),
        (b"\\R", b"a\r\n", (1, 3)),
        (b"a\\N", b"a\nab", (2, 4)),
        (b"\\p{Lu}\\P{Lu}", "aÉb".encode(), (1, 4)),
        (b"\\p{^Lu}", b"Ab", (1, 2)),
        (b"\\pLx", b"1ax", (1, 3)),
        (b"(a)\\g1\\g{-1}", b"aaa", (0, 3)),
        (b"(?<n>a)\\k<n>\\k{n}\\k'n'", b"aaaa", (0, 4)),
        (b"\\h\\v", b"x\t\x0b", (1, 3)),
        (b"\\W", "é".encode(), None),
        (b"[\\W]", "é".encode(), (0, 2)),
        (b"[]a]+", b"x]a", (1, 3)),
        (b"[^]a]+", b"]ab", (2, 3)),
        (b"[a\\]b]+", b"x]ab", (1, 4)),
        (b"[\\b]", b"\x08", (0, 1)),
        (b"[[:^digit:]]", b"1a", (1, 2)),
        (b"[[:digit:]x-z]+", b"a1y", (1, 3)),
        (b"[a-]+", b"b-a", (1, 3)),
        (b"(?i)[[:upper:]]", b"a", (0, 1)),
        (b"[\\Qa-z\\E]+", b"bza-", (1, 4)),
    ],
)
def test_what_escapes_match(pattern: bytes, text: bytes, span: tuple[int, int] | None) -> None:
    assert compile_pattern(pattern, "perl").search(text) == span


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"a\\", "\\ at end of pattern"),
        (b"[a\\", "\\ at end of pattern"),
        (b"[a", "missing terminating ] for character class"),
        (b"[z-a]", "range out of order in character class"),
        (b"[\\w-a]", "invalid range in character class"),
        (b"[[.a.]]", "POSIX collating elements are not supported"),
        (b"[[:foo:]]", "unknown POSIX class name"),
        (b"[\\N]", "\\N is not supported in a class"),
        (b"[\\R]", "escape sequence is invalid in character class"),
        (b"\\k", "\\k is not followed by a braced, angle-bracketed, or quoted name"),
        (b"\\C", "gitglass does not support \\C in Perl patterns"),
        (b"(?=\\K)", "\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)"),
        (b"\\p{Letter}", "unknown property after \\P or \\p"),
    ],
)
def test_what_is_refused(pattern: bytes, reason: str) -> None:
    with pytest.raises(BadPattern) as caught:
        compile_pattern(pattern, "perl")
    assert caught.value.reason == reason
