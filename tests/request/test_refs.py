"""request/refs.py: the options that branch, tag and for-each-ref share."""

from typing import Any

import pytest

from gitglass.cli.argv import parse
from gitglass.commands.for_each_ref import COMMAND
from gitglass.errors import InvalidArgs
from gitglass.request.flag import parse_when
from gitglass.request.refs import RefRow, RefsResult


def values(*words: str) -> dict[str, Any]:
    return parse(COMMAND, list(words))[0]


@pytest.mark.parametrize(
    ("words", "held"),
    [
        (["--contains"], {"contains": ["HEAD"]}),
        (["--contains", "a", "--with", "b"], {"contains": ["a", "b"]}),
        (["--without", "a"], {"no_contains": ["a"]}),
        (["--merged", "a", "--no-merged"], {"merged": ["a"], "no_merged": ["HEAD"]}),
        (["--sort=a", "--sort", "-b"], {"sort": ["a", "-b"]}),
        (["--sort=a", "--no-sort"], {"sort": [], "configured_sort": False}),
        (["--color"], {"color": "always"}),
        (["--no-color"], {"color": "never"}),
        (["--ignore-case"], {"ignore_case": True}),
    ],
)
def test_words_and_their_values(words: list[str], held: dict[str, Any]) -> None:
    assert values(*words) == held


def test_when_to_colour() -> None:
    assert [parse_when(word) for word in ("always", "NEVER", "Auto")] == ["always", "never", "auto"]
    with pytest.raises(InvalidArgs, match='option `color\' expects "always", "auto", or "never"'):
        parse_when("true")


def test_rows_and_results_as_data() -> None:
    result = RefsResult(refs=[RefRow("refs/heads/x", "00" * 20)], total=1)
    assert result.model_dump() == {
        "notes": [],
        "truncated": False,
        "reason": None,
        "total": 1,
        "refs": [
            {"name": "refs/heads/x", "oid": "00" * 20, "target": None, "kind": None, "time": None, "subject": None,
             "upstream": None, "ahead": None, "behind": None}
        ],
    }  # fmt: skip
