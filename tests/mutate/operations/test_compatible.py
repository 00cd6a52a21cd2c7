"""operations/compatible.py, and what else ends in the usage of a command: status 129, and nothing has changed.

What git says of options that go against each other is in the recorded twins; its usage texts are its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.twins import START, attempt, picture
from tests.support.writing import copy_of

from gitglass.errors import BadRequest
from gitglass.mutate.operations.compatible import need_one

pytestmark = pytest.mark.writes

LINES = [
    ("branch -d -m topic", "branch"), ("branch -c -D topic x", "branch"), ("branch -m --unset-upstream", "branch"),
    ("branch -l -D topic", "branch"), ("branch -u main -m x", "branch"), ("branch --show-current -d topic", "branch"),
    ("branch --contains main -d topic", "branch"), ("branch x main topic", "branch"), ("tag -a", "tag"), ("tag -f", "tag"),
    ("tag -m x", "tag"), ("tag -d -f v1.0", "tag"), ("tag -d -m x v1.0", "tag"), ("tag -n1 -m x y", "tag"),
    ("tag -l -f v1.0", "tag"), ("tag --merged main -m x y", "tag"), ("mv README.md", "mv"), ("update-ref a b c d", "update-ref"),
    ("update-ref --no-deref", "update-ref"), ("rebase --onto topic --abort", "rebase"), ("rebase -f --continue", "rebase"),
    ("rebase main topic v1.0", "rebase"), ("rebase --root --onto main topic v1.0", "rebase"), ("rebase --quit main", "rebase"),
    ("cherry-pick", "cherry-pick"), ("revert --abort HEAD", "revert"),
]  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


@pytest.mark.parametrize(("line", "name"), LINES, ids=[line for line, _ in LINES])
def test_ends_in_the_usage(repo: Path, line: str, name: str) -> None:
    before = picture(repo, str(repo).encode())
    status, out, err = attempt(repo, line.split(), START)  # type: ignore[misc]
    assert (status, out) == (129, b"")
    assert err.startswith(b"usage: git %b " % name.encode())
    assert picture(repo, str(repo).encode()) == before


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tag -d -l v1.0", "error: switch `l' is incompatible with --delete\n"),
        ("tag --list -d v1.0", "error: switch `d' is incompatible with --list\n"),
        ("tag -l --delete v1.0", "error: option `delete' is incompatible with --list\n"),
        ("stash pop -u none", "error: unknown switch `u'\n"),
        ("stash branch --index x", "error: unknown option `index'\n"),
        ("stash drop -m x", "error: unknown switch `m'\n"),
        ("merge -m x --abort", "fatal: --abort expects no arguments\n"),
        ("merge --continue --quit", "fatal: --quit expects no arguments\n"),
        ("merge -X ours --continue", "fatal: --continue expects no arguments\n"),
    ],
)
def test_the_error_stands_before_the_usage(repo: Path, line: str, words: str) -> None:
    assert attempt(repo, line.split(), START) == (129, b"", words.encode())


def test_options_are_listed_as_git_lists_them() -> None:
    need_one(("-a", True), ("-b", False))
    with pytest.raises(BadRequest, match=r"^options '-a' and '-c' cannot be used together$"):
        need_one(("-a", True), ("-b", False), ("-c", True))
    with pytest.raises(BadRequest, match=r"^options '-a', '-b', and '-c' cannot be used together$"):
        need_one(("-a", True), ("-b", True), ("-c", True))


def test_a_switch_to_a_new_branch_keeps_changes_though_it_is_forced(repo: Path) -> None:
    """`switch -c NAME -f` without a start touches no file (seen: git 2.39)."""
    (repo / "README.md").write_text("mine\n")
    assert attempt(repo, ["switch", "-c", "x", "-f"], START)[0] == 0  # type: ignore[index]
    assert (repo / "README.md").read_text() == "mine\n"
