"""request/pretty.py: the options of "Commit Formatting", from words to values."""

from typing import Any

import pytest

from gitglass.cli.argv import parse
from gitglass.commands.log import COMMAND
from gitglass.errors import BadRequest, InvalidArgs
from gitglass.request.pretty import CommitFormat, PrettyOptions, ScriptFormat


def values(*words: str) -> dict[str, Any]:
    return parse(COMMAND, list(words))[0]


@pytest.mark.parametrize(
    ("words", "held"),
    [
        (["--pretty"], {"pretty": "medium"}),
        (["--format=%h"], {"pretty": "%h"}),
        (["--oneline"], {"pretty": "oneline", "abbrev_commit": True, "by_oneline": True}),
        (["--abbrev-commit", "--oneline"], {"pretty": "oneline", "abbrev_commit": True, "by_oneline": False}),
        (["--relative-date"], {"date": "relative"}),
        (["--notes", "--notes=x", "--show-notes=y", "--no-notes", "--standard-notes"],
         {"notes": ["+", "+x", "&y", "-", "!"]}),
        (["--expand-tabs"], {"expand_tabs": 8}),
        (["--expand-tabs=3"], {"expand_tabs": 3}),
        (["--no-expand-tabs"], {"expand_tabs": 0}),
        (["--no-decorate"], {"decorate": "no"}),
        (["--decorate-refs=x", "--clear-decorations"],
         {"decorate_refs": [], "decorate_refs_exclude": [], "clear_decorations": True}),
        (["--no-mailmap"], {"mailmap": False}),
    ],
)  # fmt: skip
def test_words_and_their_values(words: list[str], held: dict[str, Any]) -> None:
    assert values(*words) == held


@pytest.mark.parametrize(
    ("given", "kept"),
    [("short", "short"), ("full", "full"), ("auto", "auto"), ("no", "no"), ("true", "short"), ("Yes", "short"),
     ("1", "short"), ("off", "no"), ("0", "no"), ("", "no")],
)  # fmt: skip
def test_decorate_is_a_word_or_a_truth(given: str, kept: str) -> None:
    assert values(f"--decorate={given}") == {"decorate": kept}


@pytest.mark.parametrize(
    "date", ["iso", "iso-strict-local", "auto:human", "auto:anything", "format:%Y\n%m", "format-local:", "unix"]
)
def test_formats_of_dates(date: str) -> None:
    assert values(f"--date={date}") == {"date": date}


@pytest.mark.parametrize(
    ("word", "error", "text"),
    [
        ("--date=isoo", BadRequest, "unknown date format isoo"),
        ("--date=local-local", BadRequest, "unknown date format local-local"),
        ("--decorate=maybe", BadRequest, "invalid --decorate option: maybe"),
        ("--expand-tabs=-1", BadRequest, "'-1': not a non-negative integer"),
        ("--expand-tabs=٣", BadRequest, "not a non-negative integer"),
        ("--color=never-ever", InvalidArgs, 'expects "always", "auto", or "never"'),
    ],
)
def test_values_that_are_none(word: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        values(word)


def test_scripts_see_no_names_of_refs_and_people_as_they_are() -> None:
    plain = ScriptFormat()
    assert (plain.decorate, plain.decorate_refs, plain.decorate_refs_exclude) == ("no", [], [])
    assert (plain.clear_decorations, plain.mailmap) == (False, False)
    assert PrettyOptions().mailmap is None and PrettyOptions().decorate is None
    assert not hasattr(CommitFormat(), "decorate")
