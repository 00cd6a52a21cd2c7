"""merging/octopus.py: several commits at once, in git's words; nothing at all where a hand would be needed."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, everything, planned, read, run, said

from gitglass.errors import Unsupported
from gitglass.mutate.merging.octopus import joined_title

pytestmark = pytest.mark.writes
TEXT = "".join(f"{number}\n" for number in range(12))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = empty(tmp_path / "repo", bare=False)
    commit(made, "base", text=TEXT)
    for name, text in (("x", TEXT.replace("0\n", "X\n", 1)), ("y", TEXT), ("z", TEXT.replace("11\n", "Z\n"))):
        run(made, "checkout", "-q", "-b", name, "main")
        (made / name).write_text(name)
        run(made, "add", name)
        (made / "f").write_text(text)
        run(made, "commit", "-q", "-a", "-m", name)
    run(made, "checkout", "-q", "main")
    return made


def oids(repo: Path, *names: str) -> str:
    return " ".join(read(repo, "rev-parse", name) for name in names)


def test_three_branches(repo: Path) -> None:
    """The first is a fast-forward, and HEAD is no parent then; the last changes a file that was changed before."""
    status, out, err = said(repo, "merge", "x", "y", "z")
    assert (status, err) == (0, "")
    assert out == (
        "Fast-forwarding to: x\nTrying simple merge with y\nTrying simple merge with z\n"
        "Simple merge did not work, trying automatic merge.\nAuto-merging f\n"
        "Merge made by the 'octopus' strategy.\n f | 4 ++--\n x | 1 +\n y | 1 +\n z | 1 +\n"
        " 4 files changed, 5 insertions(+), 2 deletions(-)\n create mode 100644 x\n create mode 100644 y\n"
        " create mode 100644 z\n"
    )
    assert read(repo, "log", "-1", "--format=%s|%P") == f"Merge branches 'x', 'y' and 'z'|{oids(repo, 'x', 'y', 'z')}"
    assert (repo / "f").read_text() == TEXT.replace("0\n", "X\n", 1).replace("11\n", "Z\n")
    assert read(repo, "status", "--porcelain") == "" and "error" not in read(repo, "fsck")
    assert said(repo, "merge", "z", "y")[1] == "Already up to date.\n"


def test_head_is_a_parent_where_it_has_something_of_its_own(repo: Path) -> None:
    head = commit(repo, "mine", name="m")
    run(repo, "tag", "t", "y")
    assert said(repo, "merge", "-q", "x", "t")[1] == "Trying simple merge with x\nTrying simple merge with t\n"
    assert read(repo, "log", "-1", "--format=%s|%P") == f"Merge branch 'x', tag 't'|{head} {oids(repo, 'x', 'y')}"
    assert read(repo, "reflog", "-1", "--format=%gs") == "merge x t: Merge made by the 'octopus' strategy."


def test_what_comes_to_one_commit_is_a_merge_of_one(repo: Path) -> None:
    run(repo, "branch", "old", "x~1")
    assert "Fast-forward\n" in said(repo, "merge", "old", "x")[1] and oids(repo, "HEAD") == oids(repo, "x")


def test_nothing_happens_where_a_hand_is_needed(repo: Path) -> None:
    run(repo, "checkout", "-q", "-b", "w", "y")
    commit(repo, "w", text=TEXT.replace("0\n", "W\n", 1))
    run(repo, "checkout", "-q", "main")
    before = everything(repo)
    for argv in (["x", "y", "w"], ["--squash", "x", "y"], ["--no-commit", "x", "y"], ["-X", "ours", "x", "y"]):
        with pytest.raises(Unsupported) as error:
            planned(repo, "merge", *argv)
        assert error.value.data["option"] == "octopus" and "one after the other" in str(error.value.hint)
    assert said(repo, "merge", "--ff-only", "x", "y")[2] == "fatal: Not possible to fast-forward, aborting.\n"
    assert everything(repo) == before


def test_it_stops_at_the_first_commit_that_something_is_in_the_way_of(repo: Path) -> None:
    commit(repo, "mine", name="m")
    (repo / "z").write_text("mine")
    before = everything(repo)
    words = "Trying simple merge with x\nTrying simple merge with y\n"
    ends = "Merge with strategy octopus failed.\n"
    untracked = "error: Untracked working tree file 'z' would be overwritten by merge.\n"
    assert said(repo, "merge", "x", "y", "z") == (2, words + "Trying simple merge with z\n", untracked + ends)
    assert everything(repo) == before
    (repo / "f").write_text("dirty")
    changed = "error: Entry 'f' not uptodate. Cannot merge.\n"
    assert said(repo, "merge", "y", "x", "z") == (
        2,
        "Trying simple merge with y\nTrying simple merge with x\n",
        changed + ends,
    )
    assert (repo / "f").read_text() == "dirty" and not (repo / "y").exists()


def test_titles() -> None:
    assert joined_title([b"branch 'a'", b"tag 'v'", b"branch 'b'", b"commit 'c'", b"remote-tracking branch 'o/x'"]) == (
        b"branches 'a' and 'b', remote-tracking branch 'o/x', tag 'v', commit 'c'"
    )
