"""merge: what is put away while it is made, and comes back with whatever concludes it."""

from pathlib import Path

import pytest
from tests.support.writing import copy_of, done, state_of

import gitglass
from gitglass.request.mutations import AddRequest, CommitRequest, Mutation, ResetRequest, SwitchRequest
from gitglass.request.ref_mutations import MergeRequest

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A branch `side` that conflicts with `main` in README.md, and a change beside it."""
    place = copy_of("plain", tmp_path / "repo")
    done(place, SwitchRequest(create_branch="side"))
    (place / "README.md").write_text("theirs\n")
    done(place, CommitRequest(message=["theirs"], all=True))
    done(place, SwitchRequest(branch="main"))
    (place / "README.md").write_text("ours\n")
    done(place, CommitRequest(message=["ours"], all=True))
    (place / "docs/nonl.txt").write_text("dirty\n")
    return place


def said(place: Path, *argv: str) -> str:
    return gitglass.git(list(argv), cwd=place, text=True).stdout


def solved(place: Path) -> None:
    (place / "README.md").write_text("both\n")
    done(place, AddRequest(paths=["README.md"]))


@pytest.mark.parametrize("conclusion", [CommitRequest(message=["m"]), MergeRequest(switches=["--continue"])], ids=str)
def test_it_comes_back_when_the_merge_is_committed(repo: Path, conclusion: Mutation) -> None:
    result = done(repo, MergeRequest(commits=["side"], switches=["--autostash"]))
    assert result.answer.out.startswith(b"Created autostash: ") and result.answer.status == 1
    assert (repo / ".git/MERGE_AUTOSTASH").exists() and (repo / "docs/nonl.txt").read_text() != "dirty\n"
    solved(repo)
    assert done(repo, conclusion).answer.err == b"Applied autostash.\n"
    assert (repo / "docs/nonl.txt").read_text() == "dirty\n" and not (repo / ".git/MERGE_AUTOSTASH").exists()
    assert said(repo, "log", "-1", "--format=%p").count(" ") == 1


def test_it_comes_back_when_the_merge_is_aborted(repo: Path) -> None:
    before = state_of(repo)
    done(repo, MergeRequest(commits=["side"], switches=["--autostash"]))
    assert done(repo, MergeRequest(switches=["--abort"])).answer.err == b"Applied autostash.\n"
    assert state_of(repo) == before


@pytest.mark.parametrize(
    "end",
    [ResetRequest(mode="hard"), MergeRequest(switches=["--quit"]), SwitchRequest(branch="side", force=True)],
    ids=lambda one: str(one.git),
)
def test_it_is_an_entry_of_the_stash_where_the_merge_is_forgotten(repo: Path, end: Mutation) -> None:
    if isinstance(end, SwitchRequest):  # `switch` goes nowhere amid a merge, `checkout -f` does
        end = gitglass.request.mutations.CheckoutRequest(branch="side", force=True)
    done(repo, MergeRequest(commits=["side"], switches=["--autostash"]))
    assert b"Autostash exists; creating a new stash entry.\n" in done(repo, end).answer.err
    assert said(repo, "stash", "list") == "stash@{0}: autostash\n"
    assert said(repo, "show", "stash:docs/nonl.txt") == "dirty\n"
    assert not (repo / ".git/MERGE_AUTOSTASH").exists()


def test_it_comes_back_at_once_where_nothing_stops_the_merge(repo: Path) -> None:
    result = done(repo, MergeRequest(commits=["side"], options=["theirs"], switches=["--autostash"]))
    assert result.answer.status == 0 and result.answer.err == b"Applied autostash.\n"
    assert (repo / "docs/nonl.txt").read_text() == "dirty\n"
    assert said(repo, "status", "--short") == " M docs/nonl.txt\n"
