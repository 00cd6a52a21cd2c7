"""What a commit concludes: what git says of it, and what the commit is made of."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, read, run, said

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A branch and main, which both change one file."""
    place = empty(tmp_path / "repo", bare=False)
    commit(place, "one")
    run(place, "switch", "-q", "-c", "side")
    commit(place, "theirs")
    run(place, "tag", "-a", "-m", "a tag", "v1")
    run(place, "switch", "-q", "main")
    commit(place, "ours")
    return place


@pytest.mark.parametrize("name", ["merge", "cherry-pick", "rebase"])
def test_no_part_of_what_is_concluded_is_committed_alone(repo: Path, name: str) -> None:
    assert said(repo, "merge" if name == "merge" else "cherry-pick", "side")[0] == 1
    if name == "rebase":  # which leaves a commit that became empty in both files
        (repo / ".git/rebase-merge").mkdir()
        (repo / ".git/REBASE_HEAD").write_bytes((repo / ".git/CHERRY_PICK_HEAD").read_bytes())
    (repo / "f").write_text("settled\n")
    status, out, err = said(repo, "commit", "-m", "x", "--", "f")
    assert (status, out, err) == (128, "", f"fatal: cannot do a partial commit during a {name}.\n")


def test_a_revert_is_none_of_these(repo: Path) -> None:
    """git names no partial commit of a revert: the file is committed."""
    commit(repo, "more")
    assert said(repo, "revert", "HEAD~1")[0] == 1
    (repo / "f").write_text("settled\n")
    assert said(repo, "commit", "-q", "-m", "x", "--", "f")[0] == 0
    assert not (repo / ".git/REVERT_HEAD").exists()


def test_a_merge_that_is_concluded_has_both_parents(repo: Path) -> None:
    assert said(repo, "merge", "v1")[0] == 1
    assert (repo / ".git/MERGE_HEAD").read_text().strip() == read(repo, "rev-parse", "v1")  # the tag itself
    (repo / "f").write_text("settled\n")
    run(repo, "commit", "-q", "-a", "-m", "merged")
    raw = read(repo, "cat-file", "commit", "HEAD")
    heads = [read(repo, "rev-parse", name) for name in ("main^1", "side")]
    assert [line for line in raw.splitlines() if line.startswith("parent ")] == [f"parent {oid}" for oid in heads]
    assert not list((repo / ".git").glob("MERGE_*"))
