"""regex/perl/syntax.py: groups, options and verbs of Perl patterns."""

import pytest

from gitglass.regex.matcher import BadPattern, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        (b"(?i)AB(?-i)c", b"abC abc", (4, 7)),
        (b"(?i:a)b", b"AB Ab", (3, 5)),
        (b"(?x) a b # said\n c", b"abc", (0, 3)),
        (b"(?s)a.b", b"a\nb", (0, 3)),
        (b"(?U)a+", b"aaa", (0, 1)),
        (b"(?U)a+?", b"aaa", (0, 3)),
        (b"(?|(a)|(b))\\1", b"abb", (1, 3)),
        (b"(?P<n>a)(?P=n)", b"xaa", (1, 3)),
        (b"(a)?(?(1)b|c)", b"c", (0, 1)),
        (b"(?>a+)b", b"aab", (0, 3)),
        (b"(*pla:a)[ab]", b"ba", (1, 2)),
        (b"(*negative_lookbehind:a)b", b"abb", (2, 3)),
        (b"(*NO_JIT)a", b"a", (0, 1)),
        (b"(?#said)a", b"a", (0, 1)),
        (b"\\((?:[^()]|(?R))*\\)", b"x(a(b)c)", (1, 8)),
        (b"a{,2}", b"a{,2}", (0, 5)),
        (b"^b", b"ab", None),
    ],
)
def test_what_patterns_match(pattern: bytes, text: bytes, span: tuple[int, int] | None) -> None:
    assert compile_pattern(pattern, "perl").search(text) == span


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"(a", "missing closing parenthesis"),
        (b"a)", "unmatched closing parenthesis"),
        (b"(*UCP)a", "gitglass does not support (*UCP) in Perl patterns"),
        (b"(*LIMIT_MATCH=3)a", "gitglass does not support (*LIMIT_MATCH=3) in Perl patterns"),
        (b"(?2)(a)", "reference to non-existent subpattern"),
        (b"(?&n)", "reference to non-existent subpattern"),
        (b"(a|(?1))", "recursion that matches no character before it calls itself"),
        (b"(?<!a+)b", "lookbehind assertion is not fixed length"),
        (b"(?:(?:ab){1000}c){1000}", "regular expression is too large"),
    ],
)
def test_what_is_refused(pattern: bytes, reason: str) -> None:
    with pytest.raises(BadPattern) as caught:
        compile_pattern(pattern, "perl")
    assert caught.value.reason == reason
