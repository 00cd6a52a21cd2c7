"""mutate/merging/options.py: what the configuration gives a branch is in front of what is said."""

from pathlib import Path

import pytest
from tests.support.peers import read, said
from tests.support.writing import copy_of

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """`side` is three commits behind `main`."""
    place = copy_of("plain", tmp_path / "repo")
    assert said(place, "checkout", "-q", "-b", "side", "main~3")[0] == 0
    return place


def configure(repo: Path, options: str, branch: str = "side") -> None:
    with (repo / ".git/config").open("a") as config:
        config.write(f'[branch "{branch}"]\n\tmergeOptions = {options}\n')


def merged(repo: Path, *words: str) -> list[str]:
    """The parents of what a merge came to."""
    status, _, err = said(repo, "merge", "-q", *words, "main")
    assert (status, err) == (0, "")
    return read(repo, "log", "-1", "--format=%P").split()


def test_an_option_of_the_branch_is_taken(repo: Path) -> None:
    configure(repo, "--no-ff")
    assert merged(repo) == [read(repo, "rev-parse", "main~3"), read(repo, "rev-parse", "main")]


def test_what_is_said_comes_behind_it(repo: Path) -> None:
    configure(repo, "--no-ff")
    merged(repo, "--ff")
    assert read(repo, "rev-parse", "HEAD") == read(repo, "rev-parse", "main")


def test_options_of_another_branch_are_not(repo: Path) -> None:
    configure(repo, "--no-ff", "main")
    merged(repo)
    assert read(repo, "rev-parse", "HEAD") == read(repo, "rev-parse", "main")


def test_quotes_hold_words_together_and_words_that_are_no_options_are_passed_over(repo: Path) -> None:
    configure(repo, r"--no-ff words \"and more\" -m \"of the branch\"")
    assert len(merged(repo, "-m", "said")) == 2
    assert read(repo, "log", "-1", "--format=%B") == "of the branch\n\nsaid"


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (r"-m \"open", 128, "fatal: Bad branch.side.mergeoptions string: unclosed quote\n"),
        ("--bogus", 129, "error: unknown option `bogus'\n"),
        ("--edit", 129, "git merge: gitglass does not take --edit\n"),
        ("--no-ff --squash", 128, "fatal: options '--squash' and '--no-ff.' cannot be used together\n"),
    ],
)
def test_what_cannot_be_taken_ends_the_merge(repo: Path, options: str, status: int, words: str) -> None:
    configure(repo, options)
    before = read(repo, "rev-parse", "HEAD")
    answer = said(repo, "merge", "main")
    assert answer[0] == status and answer[2].endswith(words) and read(repo, "rev-parse", "HEAD") == before


@pytest.mark.parametrize("words", [["-s", "help"], ["-s", "ort", "-s", "help", "main"], ["--strategy=help", "--abort"]])
def test_a_strategy_that_git_does_not_have(repo: Path, words: list[str]) -> None:
    """A completion reads the names of strategies from what is said then."""
    have = "Available strategies are: octopus ours recursive resolve subtree.\n"
    assert said(repo, "merge", *words) == (1, "", f"Could not find merge strategy 'help'.\n{have}")


@pytest.mark.parametrize("option", ["-n", "--no-stat", "--no-summary"])
def test_a_merge_without_its_summary(repo: Path, option: str) -> None:
    out = said(repo, "merge", option, "main")[1]
    assert out.endswith("Fast-forward\n")
