"""What a commit records: its message, and what the logs get of it."""

from pathlib import Path

import pytest
from tests.support.peers import CLOCK, commit, empty, read, run, said

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


@pytest.mark.parametrize(
    ("mark", "switches", "message"),
    [
        (None, [], "s\n\n;b\n"), (None, ["--no-edit"], "s\n\n#12\n;b\n"), (None, ["-C", "HEAD"], "s\n\n#12\n;b\n"),
        (None, ["--cleanup=whitespace"], "s\n\n#12\n;b\n"), (";", [], "s\n\n#12\n"), ("auto", [], "s\n\n#12\n;b\n"),
    ],
)  # fmt: skip
def test_an_amended_message_is_cleaned_as_behind_an_editor_that_changes_nothing(
    repo: Path, mark: str | None, switches: list[str], message: str
) -> None:
    """So lines that look like comments go, unless nobody would edit it, or `auto` finds another sign."""
    run(repo, "commit", "-q", "--allow-empty", "-m", "s\n\n#12\n;b")
    with (repo / ".git/config").open("a") as config:
        config.write("" if mark is None else f'[core]\n\tcommentChar = "{mark}"\n')
    run(repo, "commit", "-q", "--amend", "--allow-empty", *switches)
    assert message_of(repo) == message


def test_no_sign_is_left_for_comments(repo: Path) -> None:
    run(repo, "commit", "-q", "--allow-empty", "-m", "s\n\n" + "\n".join("#;@!$%^&|:"))
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tcommentChar = auto\n")
    words = "unable to select a comment character that is not used\nin the current commit message"
    assert said(repo, "commit", "-q", "--amend", "--allow-empty") == (128, "", f"fatal: {words}\n")
