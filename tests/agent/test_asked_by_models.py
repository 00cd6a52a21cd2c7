"""Arguments and patterns in the forms that models write: answered by what is meant, or with the remedy in the error."""

from typing import Any

import pytest


@pytest.mark.parametrize("name", ["n", "-n", "line_number", "showLineNumbers"])
def test_a_switch_for_line_numbers_is_no_limit(ask: Any, name: str) -> None:
    plain = ask("git_grep", {"pattern": "return"})
    assert len(plain.body.splitlines()) > 1
    assert ask("git_grep", {"pattern": "return", name: True}).text == plain.text


def test_true_is_no_number(ask: Any) -> None:
    answer = ask("git_log", {"max_count": True})
    assert answer.error["message"] == "max_count: a number is expected, not true or false"


@pytest.mark.parametrize(
    ("sort", "same"),
    [
        ("-creatordate", "newest"),
        ("committerdate", "oldest"),
        ("taggerdate", "oldest"),
        ("-version:refname", "version"),
    ],
)
def test_sort_keys_of_git(ask: Any, sort: str, same: str) -> None:
    wanted = ask("git_refs", {"kind": "tags", "sort": same})
    assert not wanted.is_error and ask("git_refs", {"kind": "tags", "sort": sort}).text == wanted.text


def test_letters_of_git_options(ask: Any) -> None:
    assert ask("git_log", {"S": "value"}).text == ask("git_log", {"search": "value"}).text
    changed = ask("git_log", {"search": "val.e", "search_kind": "regex"})
    assert changed.shown and ask("git_log", {"G": "val.e"}).text == changed.text
    around = ask("git_grep", {"pattern": "value", "context_lines": 1})
    assert around.shown and ask("git_grep", {"pattern": "value", "C": 1}).text == around.text


def test_an_unknown_argument_lists_the_known_ones_once(ask: Any) -> None:
    text = ask("git_log", {"topo_order": True}).text
    assert text.startswith("invalid_args: unknown argument 'topo_order'\nhint: git_log takes repo, ")
    assert text.count("first_parent") == 1
    assert "cursor is its next_cursor" in ask("git_log", {"skip": 5}).text


@pytest.mark.parametrize("line", ["7", 7, "L7", "7-7", [7, 7]])
def test_one_line_is_that_line(ask: Any, line: Any) -> None:
    blamed = ask("git_blame", {"path": "src/app.py", "lines": "7,7"})
    assert len(blamed.body.splitlines()) == 2
    assert ask("git_blame", {"path": "src/app.py", "lines": line}).text == blamed.text
    history = ask("git_log", {"paths": ["src/app.py"], "lines": "7,7", "mode": "patch"})
    assert history.shown
    assert ask("git_log", {"paths": ["src/app.py"], "lines": line, "mode": "patch"}).text == history.text
    file = ask("git_show", {"rev": "HEAD:src/app.py", "lines": "7,7"})
    assert ask("git_show", {"rev": "HEAD:src/app.py", "lines": line}).text == file.text
