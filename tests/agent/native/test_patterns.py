"""native/patterns.py: shorthand of Perl's in expressions, written out or taken as Perl's."""

from typing import Any

import pytest
import regex  # noqa: F401  (loaded before the guard looks on: a pattern may need it)

from gitglass.agent.native.patterns import written_out


@pytest.mark.parametrize(
    ("pattern", "extended", "perl"),
    [
        (r"#\d+", "#[0-9]+", False),
        (r"\D\t\'x\`", "[^0-9]\t'x`", False),
        (r"[\w.-]+@[^\s\"]", r"[[:alnum:]_.-]+@[^[:space:]\"]", False),
        (r"(?:a|b)", "(a|b)", False),
        (r"(?:a|(b))\1", r"(?:a|(b))\1", True),
        (r"(?i)x|(?<=a)b", r"(?i)x|(?<=a)b", True),
        (r"\[[^\]]+\]", r"\[[^\]]+\]", True),
        (r"[\w-.]", r"[\w-.]", True),
        (r"[^\S]", r"[^\S]", True),
        (r"\\d[\\d]\(\<a\>\b[]\d][[:alpha:]\d]", r"\\d[\\d]\(\<a\>\b[]0-9][[:alpha:]0-9]", False),
        (r"[\] [a]", r"[\] [a]", False),
        (r"[a\d", r"[a[0-9]", False),
    ],
)
def test_shorthand_is_written_out(pattern: str, extended: str, perl: bool) -> None:
    assert written_out(pattern) == (extended, perl)


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        (r"def part_\d", "def part_[0-9]"),
        (r"[\w]+_1", "[a-z]+_1"),
        (r"(?:def|class) part", "(def|class) part"),
        (r"(?i)DEF part", "def part"),
        (r"part_1(?=\()", r"part_1\("),
    ],
)
def test_shorthand_finds_what_is_meant(ask: Any, asked: str, plain: str) -> None:
    wanted = ask("git_grep", {"pattern": plain})
    assert wanted.shown and ask("git_grep", {"pattern": asked}).text == wanted.text


def test_shorthand_in_messages_and_changes(ask: Any) -> None:
    subjects = ask("git_log", {"grep": "Change|Ch"})
    assert subjects.shown
    assert ask("git_log", {"grep": r"(?:Change|Ch)"}).text == subjects.text
    assert ask("git_log", {"grep": r"C(?=h)", "author": r"[\w]"}).text == subjects.text
    changes = ask("git_log", {"search": "part_[0-9]", "search_kind": "regex"})
    assert changes.shown
    assert ask("git_log", {"search": r"part_\d", "search_kind": "regex"}).text == changes.text
    literal = ask("git_log", {"search": r"part_\d"})  # no expression
    assert literal.shown == 0 and not literal.is_error
    assert "Perl's syntax" in ask("git_log", {"search": "(?i)a", "search_kind": "regex"}).error["message"]


def test_a_malformed_pattern_has_a_remedy(ask: Any) -> None:
    assert ask("git_grep", {"pattern": "part("}).error["hint"].startswith("syntax=fixed takes the text as it is; else")
    assert ask("git_log", {"grep": "part("}).error["hint"] == "[(] is the character ( itself, and so for others."


def test_a_long_pattern_is_left_as_it_is() -> None:
    assert written_out("[" * 100_000) == ("[" * 100_000, False)
