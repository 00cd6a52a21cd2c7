"""request/format_patch.py: the options of git format-patch, from words to values."""

from typing import Any

import pytest

from gitglass.cli.argv import parse
from gitglass.commands.format_patch import COMMAND
from gitglass.errors import BadRequest, GitError, InvalidArgs, Unsupported
from gitglass.request.flag import spellings
from gitglass.request.format_patch import (
    OWN,
    REFUSED_FORMS,
    REFUSED_WRITES,
    FormatPatchRequest,
    cover_mode,
)


def values(*words: str) -> dict[str, Any]:
    found = parse(COMMAND, ["--stdout", *words])[0]
    del found["stdout"]
    return found


@pytest.mark.parametrize(
    ("words", "held"),
    [
        (["-3"], {"max_count": 3, "no_walk": None}),
        (["-n"], {"numbered": True}),
        (["-N"], {"numbered": False}),
        (["--rfc"], {"subject_prefix": "RFC PATCH"}),
        (["-v2"], {"version": "2"}),
        (["-v2", "--no-reroll-count"], {"version": None}),
        (["--no-start-number"], {"start_number": 0}),
        (["--to=a", "--cc=b", "--no-to", "--add-header=X: y", "--no-add-header", "--no-cc"],
         {"headers": ["To: a", "Cc: b", "-to", "X: y", "-", "-cc"]}),
        (["--from"], {"sender": "@"}),
        (["--no-from"], {"sender": ""}),
        (["--thread"], {"thread": "shallow"}),
        (["--thread=deep"], {"thread": "deep"}),
        (["--no-thread"], {"thread": ""}),
        (["--inline=b"], {"attach": "b", "inline": True}),
        (["--inline", "--attach"], {"attach": "@", "inline": False}),
        (["--no-signature"], {"signature": ""}),
        (["--no-max-parents"], {"max_parents": -1}),
        (["--format=mboxrd"], {"pretty": "mboxrd"}),
    ],
)  # fmt: skip
def test_words_and_their_values(words: list[str], held: dict[str, Any]) -> None:
    assert values(*words) == held


@pytest.mark.parametrize(
    ("word", "error", "text"),
    [
        ("--format=oneline", Unsupported, "does not take the format 'oneline': only mails are written"),
        ("--cover-from-description=x", BadRequest, "x: invalid cover from description mode"),
        ("--start-number=x", InvalidArgs, "option `start-number' expects a numerical value"),
        ("--filename-max-length=x", InvalidArgs, "option `filename-max-length' expects a numerical value"),
    ],
)
def test_values_that_are_none(word: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        values(word)


def test_what_writes_or_reads_elsewhere_is_refused() -> None:
    assert {"-o", "--output-directory", "--signature-file", "--interdiff", "--range-diff"} <= REFUSED_WRITES.keys()
    assert {"--graph", "--follow", "-L", "-g", "--stdin"} <= REFUSED_FORMS.keys()


@pytest.mark.parametrize("option", [*REFUSED_FORMS, *REFUSED_WRITES])
def test_options_that_are_not_taken_are_refused_with_the_reason(option: str) -> None:
    reason = {**REFUSED_FORMS, **REFUSED_WRITES}[option]
    with pytest.raises(GitError, match=reason):
        positional = parse(COMMAND, ["--stdout", option, "x"])[1]
        if positional.unknown is not None:
            raise positional.unknown


def test_another_way_to_bind_mails_is_answered_with_the_usage() -> None:
    with pytest.raises(InvalidArgs) as caught:
        values("--thread=long")
    assert caught.value.message == ""


def test_modes_of_a_cover_letter() -> None:
    modes = ["default", "message", "none", "subject", "auto"]
    assert [cover_mode(mode) for mode in modes] == modes


def test_merges_are_left_out_and_the_first_mail_is_number_one_by_default() -> None:
    request = FormatPatchRequest()
    assert (request.max_parents, request.start_number, request.stdout, request.decorate) == (1, 1, False, "no")
    assert {name for name, _ in spellings(FormatPatchRequest).values()} >= OWN
