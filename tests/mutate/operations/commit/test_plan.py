"""What a commit records: its message, and what the logs get of it."""

from pathlib import Path

import pytest
from tests.support.peers import CLOCK, commit, empty, read, run

import gitglass

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = empty(tmp_path / "repo", bare=False)
    commit(place, "one")
    return place


def message_of(repo: Path) -> str:
    return gitglass.git(["cat-file", "commit", "HEAD"], cwd=repo, text=True).stdout.partition("\n\n")[2]


def test_a_branch_that_an_amended_commit_does_not_move_has_no_line_of_it(repo: Path) -> None:
    """git writes no ref that has its value already, and no log of it; HEAD's log tells of the commit all the same."""
    before = read(repo, "rev-parse", "HEAD")
    logs = [repo / ".git/logs" / name for name in ("HEAD", "refs/heads/main")]
    lines = [len(log.read_text().splitlines()) for log in logs]
    run(repo, "commit", "-q", "--amend", "--no-edit", moment=CLOCK)
    assert read(repo, "rev-parse", "HEAD") == before
    assert [len(log.read_text().splitlines()) for log in logs] == [lines[0] + 1, lines[1]]
    assert logs[0].read_text().splitlines()[-1].startswith(f"{before} {before} ")


@pytest.mark.parametrize(
    "words, message",
    [
        (["a\n\n\n"], "a\n\n\n"),
        (["\n# a\n\n"], "\n# a\n\n"),
        (["a\n\n", "b\n\n", "c"], "a\n\n\nb\n\n\nc\n"),
        (["a", "", "c"], "a\n\n\nc\n"),
        (["", "c"], "c\n"),
    ],
    ids=repr,
)
def test_a_verbatim_message_keeps_its_empty_lines(repo: Path, words: list[str], message: str) -> None:
    options = [part for word in words for part in ("-m", word)]
    run(repo, "commit", "-q", "--allow-empty", "--cleanup=verbatim", *options)
    assert message_of(repo) == message


@pytest.mark.parametrize("trailer, gap", [("Myfooter", ""), ("Other", "\n")])
def test_a_sign_off_joins_trailers_that_the_settings_name(repo: Path, trailer: str, gap: str) -> None:
    """One trailer in four lines makes a block where the configuration names it (git-interpret-trailers(1))."""
    with (repo / ".git/config").open("a") as config:
        config.write('[trailer "Myfooter"]\n\tifexists = add\n')
    body = f"subject\n\nno trailer\n{trailer}: x\n"
    line = "Signed-off-by: A <a@b>\n"
    run(repo, "commit", "-q", "--allow-empty", "-s", "-m", body)
    assert message_of(repo) == f"{body}{gap}{line}"
    run(repo, "commit", "-q", "--allow-empty", "-m", body)
    run(repo, "cherry-pick", "--allow-empty", "-s", "HEAD")
    assert message_of(repo) == f"{body}{gap}{line}"
