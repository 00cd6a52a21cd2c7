"""regex/posix.py: POSIX patterns in Python's syntax, and glibc's words for bad ones."""

import re
from typing import Any

import pytest

from gitglass.errors import BadRequest
from gitglass.regex.posix import BadPattern, Posix


def posix(pattern: bytes, *, extended: bool = True, **how: Any) -> Posix:
    return Posix(pattern, **{"extended": extended, "newline": False, "icase": False, "wide": False, **how})


def span(pattern: bytes, text: bytes, **how: Any) -> tuple[int, int] | None:
    found = re.compile(posix(pattern, **how).translate().encode("latin-1")).search(text)
    return None if found is None else found.span()


@pytest.mark.parametrize(
    ("pattern", "text", "basic", "extended"),
    [
        (b"a+", b"aa+", (1, 3), (0, 2)),
        (b"a\\+", b"aa+", (0, 2), (1, 3)),
        (b"a\\{2\\}", b"aa{2}", (0, 2), (1, 5)),
        (b"\\(a\\)\\1", b"aa", (0, 2), "Invalid back reference"),
        (b"(a)\\1", b"xaa", "Invalid back reference", (1, 3)),
        (b"a\\|b", b"b", (0, 1), None),
        (b"*a", b"x*a", (1, 3), "Invalid preceding regular expression"),
        (b"\\+a", b"x+a", (1, 3), (1, 3)),
        (b"a)", b"a)", (0, 2), (0, 2)),
        (b"a^b$c", b"a^b$c", (0, 5), None),
        (b"a**", b"aa", "Invalid preceding regular expression", (0, 2)),
        (b"a\\)", b"a)", "Unmatched ( or \\(", (0, 2)),
    ],
)
def test_the_two_dialects(
    pattern: bytes, text: bytes, basic: tuple[int, int] | str | None, extended: tuple[int, int] | str | None
) -> None:
    for how, expected in ((False, basic), (True, extended)):
        if isinstance(expected, str):
            with pytest.raises(BadPattern) as caught:
                span(pattern, text, extended=how)
            assert caught.value.reason == expected
        else:
            assert span(pattern, text, extended=how) == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"a\\", "Trailing backslash"),
        (b"(a", "Unmatched ( or \\("),
        (b"[a", "Unmatched [, [^, [:, [., or [="),
        (b"[", "Invalid regular expression"),
        (b"[^", "Invalid regular expression"),
        (b"[[:foo:]]", "Invalid character class name"),
        (b"[[:alpha:]-z]", "Invalid range end"),
        (b"[z-a]", "Invalid range end"),
        (b"[a-c-e]", "Invalid range end"),
        ("[a-é]".encode(), "Invalid collation character"),
        (b"[\xff-\xc0]", "Invalid range end"),
        (b"[[.ab.]]", "Invalid collation character"),
        (b"a{2,1}", "Invalid content of \\{\\}"),
        (b"a{x}", "Invalid content of \\{\\}"),
        (b"a{1", "Unmatched \\{"),
        (b"a{32768}", "Regular expression too big"),
        (b"(a)|\\1", "Invalid back reference"),
    ],
)
def test_the_words_for_bad_patterns(pattern: bytes, reason: str) -> None:
    with pytest.raises(BadPattern) as caught:
        posix(pattern).translate()
    assert caught.value.reason == reason
    shown = pattern.decode("utf-8", "surrogateescape")
    assert caught.value.message == f"command line, '{shown}': {reason}"
    assert caught.value.at("x.c:1").message == f"x.c:1, '{shown}': {reason}" and caught.value.code == "invalid_args"
    assert type(caught.value.at("x")) is BadRequest


@pytest.mark.parametrize(
    ("pattern", "members"),
    [(b"[]x]", b"]x"), (b"[a-]", b"-a"), (b"[^]a]", b"-bx"), (b"[[.-.]a]", b"-a"), (b"[[:digit:]x]", b"1x"),
     (b"[\\a]", b"\\a"), (b"[[=a=]b]", b"ab")],
)  # fmt: skip
def test_brackets(pattern: bytes, members: bytes) -> None:
    matched = {char for char in b"-1]abx\\" if span(pattern, bytes([char]))}
    assert matched == set(members) or (pattern == b"[^]a]" and matched == set(b"-1bx\\"))


def test_lines_and_characters() -> None:
    assert span(b"^b$", b"a\nb\nc", newline=True) == (2, 3) and span(b"^b$", b"a\nb\nc") is None
    assert (
        span(b"a.b", b"a\nb") == (0, 3)
        and span(b"a.b", b"a\nb", newline=True) is None
        and span(b"a.b", b"a\0b") is None
    )
    assert span(b"a[^x]b", b"a\nb", newline=True) is None
    assert re.fullmatch(posix("é{2}".encode(), wide=True).translate(), "éé")
    assert span("é{2}".encode(), "éé".encode()) == (0, 4)
    assert re.fullmatch(posix(b"[[:upper:]]", icase=True).translate(), "a")


def test_what_the_translation_finds_out() -> None:
    def nature(pattern: bytes, **how: Any) -> tuple[bool, bool, bool]:
        made = posix(pattern, **how)
        made.translate()
        return made.nature.ascii_only, made.nature.needs_regex, made.nature.needs_longest

    assert nature(b"abc") == (True, False, False)
    assert nature(b"abc", icase=True)[0] is False and nature(b"a.c")[0] is False
    assert nature(b"a|ab") == (True, False, True) and nature(b"(a)*")[2]
    assert nature(b"\\`a")[1] and nature(b"[[:alpha:]]", wide=True)[1]


@pytest.mark.parametrize(
    ("pattern", "text", "matched"),
    [
        (b"[\xc0-\xff]", "caf\xe9", True),
        (b"[\xc0-\xff]", "caf\udcc3", False),
        (b"[a-\xff]", "\xe9", True),
        (b"[\xe9]", "\xe9", False),
        (b"[^\xe9]", "\xe9", True),
    ],
)
def test_bytes_of_no_character_in_sets(pattern: bytes, text: str, matched: bool) -> None:
    """At the end of a range they stand for the character with their number, alone for nothing."""
    assert bool(re.search(posix(pattern, wide=True).translate(), text)) == matched
