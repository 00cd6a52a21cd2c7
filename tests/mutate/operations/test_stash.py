"""What an entry of the stash is made of and by whom, and which commits may be taken for one."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, read, run, said
from tests.support.twins import skip

import gitglass

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = empty(tmp_path / "repo", bare=False)
    commit(place, "one")
    commit(place, "two", name="g")
    (place / "f").write_text("changed")
    return place


def test_an_entry_is_by_git_stash_where_nobody_is_named(repo: Path) -> None:
    """So that changes can be put away, which a commit could not be made of."""
    (repo / "f").write_text("changed")
    run(repo, "stash", identity=None)
    who = "git stash <git@stash>"
    line = gitglass.git(["log", "-g", "-1", "--format=%an <%ae>|%cn <%ce>|%gn <%ge>", "stash"], cwd=repo, text=True)
    assert line.stdout == f"{who}|{who}|{who}\n"
    (repo / "f").write_text("changed")
    status, _, err = said(repo, "commit", "-a", "-m", "x", identity=None)
    assert status == 128 and "unable to auto-detect the author identity" in err


def test_what_is_believed_of_a_file_stays(repo: Path) -> None:
    (repo / "g").write_text("staged")
    run(repo, "add", "g")
    skip(repo / ".git/index", b"g")
    (repo / "g").unlink()
    run(repo, "stash")
    assert read(repo, "ls-files", "-v") == "H f\nS g" and read(repo, "status", "--porcelain", "-uno") == ""


def test_an_entry_that_was_dropped_is_applied_by_its_id(repo: Path) -> None:
    run(repo, "stash")
    dropped = read(repo, "rev-parse", "stash")
    run(repo, "stash", "drop")
    assert said(repo, "stash", "pop", dropped)[::2] == (1, f"error: '{dropped}' is not a stash reference\n")
    assert said(repo, "stash", "apply", "main")[::2] == (128, "fatal: 'main' is not a stash-like commit\n")
    run(repo, "stash", "apply", dropped)
    assert (repo / "f").read_text() == "changed"
    run(repo, "reset", "-q", "--hard")
    (repo / "g").write_text("another")
    run(repo, "stash")
    entry = read(repo, "rev-parse", "stash")
    run(repo, "stash", "branch", "new", dropped)
    assert (repo / "f").read_text() == "changed" and read(repo, "symbolic-ref", "HEAD") == "refs/heads/new"
    assert read(repo, "rev-parse", "stash") == entry  # which git drops only where it was the one that was named
