"""mutate/merging/unsaved.py: what a merge says of local changes that git would save, and where they end it."""

from pathlib import Path

import pytest
from tests.support.peers import read, said
from tests.support.writing import copy_of

pytestmark = pytest.mark.writes

LF = "in the working copy of 'README.md', LF will be replaced by CRLF the next time Git touches it\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """`side` and `main` have parted, README.md is changed, and line ends are converted."""
    place = copy_of("plain", tmp_path / "repo")
    assert said(place, "checkout", "-q", "-b", "side", "main~2")[0] == 0
    assert said(place, "commit", "-q", "--allow-empty", "-m", "side")[0] == 0
    configure(place, "autocrlf = true")
    place.joinpath("README.md").write_bytes(b"changed\n")
    return place


def configure(repo: Path, line: str) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write(f"[core]\n\t{line}\n")


def test_a_change_that_would_not_survive_is_warned_of(repo: Path) -> None:
    assert said(repo, "merge", "-q", "main") == (0, "", f"warning: {LF}")


def test_a_file_that_is_only_touched_is_not(repo: Path) -> None:
    assert said(repo, "checkout", "-q", "README.md")[0] == 0
    repo.joinpath("README.md").write_bytes(repo.joinpath("README.md").read_bytes())
    assert said(repo, "merge", "-q", "main") == (0, "", "")


def test_a_fast_forward_saves_nothing(repo: Path) -> None:
    assert said(repo, "reset", "-q", "--soft", "HEAD~1")[0] == 0
    assert said(repo, "merge", "-q", "main") == (0, "", "")


def test_what_is_not_stored_ends_the_merge(repo: Path) -> None:
    configure(repo, "safecrlf = true")
    before = read(repo, "rev-parse", "HEAD")
    assert said(repo, "merge", "-q", "main") == (
        128, "",
        "fatal: LF would be replaced by CRLF in README.md\nCannot save the current worktree state\nfatal: stash failed\n",
    )  # fmt: skip
    assert read(repo, "rev-parse", "HEAD") == before and repo.joinpath("README.md").read_bytes() == b"changed\n"


def test_what_is_put_away_is_warned_of_once(repo: Path) -> None:
    status, _, err = said(repo, "merge", "-q", "--autostash", "main")
    assert status == 0 and err.count("LF will be replaced by CRLF") == 1
