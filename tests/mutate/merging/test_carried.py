"""merging/carried.py: local changes merged into the tree that HEAD goes to, and what is in the way of that. git's own
words and repositories are in tests/mutate/test_twins.py ("checkout --merge …")."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, read, run, said

pytestmark = pytest.mark.writes
TEXT = "".join(f"{number}\n" for number in range(12))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """main, and `side` with another first line and a new file."""
    made = empty(tmp_path / "repo", bare=False)
    commit(made, "base", text=TEXT)
    run(made, "checkout", "-q", "-b", "side")
    (made / "f").write_text(TEXT.replace("0\n", "zero\n", 1))
    (made / "new").write_text("new\n")
    run(made, "add", "new", "f")
    run(made, "commit", "-q", "-m", "side")
    run(made, "checkout", "-q", "main")
    return made


def test_changes_elsewhere_in_the_file_are_carried_over(repo: Path) -> None:
    (repo / "f").write_text(TEXT.replace("11\n", "eleven\n"))
    assert said(repo, "checkout", "-m", "side") == (0, "M\tf\n", "Switched to branch 'side'\n")
    assert (repo / "f").read_text() == TEXT.replace("0\n", "zero\n", 1).replace("11\n", "eleven\n")
    assert read(repo, "status", "--porcelain") == " M f"  # nothing of it is staged
    assert (repo / "new").read_text() == "new\n"


def test_the_same_lines_are_a_conflict_under_git_s_names(repo: Path) -> None:
    (repo / "f").write_text(TEXT.replace("0\n", "null\n", 1))
    assert said(repo, "switch", "--conflict=diff3", "side")[0] == 0
    conflict = "<<<<<<< side\nzero\n||||||| main\n0\n=======\nnull\n>>>>>>> local\n"
    assert (repo / "f").read_text() == conflict + TEXT.removeprefix("0\n")
    assert read(repo, "status", "--porcelain") == "UU f"
    assert read(repo, "symbolic-ref", "HEAD") == "refs/heads/side"


def test_what_is_staged_is_named_and_nothing_moves(repo: Path) -> None:
    (repo / "f").write_text("staged\n")
    run(repo, "add", "f")
    words = "fatal: cannot continue with staged changes in the following files:\nf\n"
    assert said(repo, "checkout", "-m", "side") == (128, "", words)
    assert (repo / "f").read_text() == "staged\n"
    assert read(repo, "symbolic-ref", "HEAD") == "refs/heads/main"


def test_an_untracked_file_in_the_way_is_named_and_nothing_moves(repo: Path) -> None:
    (repo / "f").write_text("mine\n")
    (repo / "new").write_text("mine as well\n")
    words = "error: Untracked working tree file 'new' would be overwritten by merge.\n"
    assert said(repo, "checkout", "-m", "side") == (128, "", words)
    assert [(repo / name).read_text() for name in ("f", "new")] == ["mine\n", "mine as well\n"]


def test_a_file_that_was_moved_there_and_removed_here_has_no_base(repo: Path) -> None:
    """git's merge notes its name of now, under which the base had nothing."""
    commit(repo, "other", name="other")
    run(repo, "checkout", "-q", "-b", "moved")
    run(repo, "mv", "f", "g")
    commit(repo, "moved", name="other")
    run(repo, "checkout", "-q", "main")
    (repo / "f").unlink()
    (repo / "other").write_text("changed")
    assert said(repo, "checkout", "-m", "moved")[0] == 0
    assert [line.split()[2:] for line in read(repo, "ls-files", "-u", "g").splitlines()] == [["2", "g"]]
    assert (repo / "g").read_text() == TEXT


def test_the_attributes_are_those_of_where_head_goes(repo: Path) -> None:
    run(repo, "checkout", "-q", "side")
    commit(repo, "attributes", name=".gitattributes", text="f merge=union\n")
    run(repo, "checkout", "-q", "main")
    (repo / "f").write_text(TEXT.replace("0\n", "null\n", 1))
    assert said(repo, "checkout", "-m", "side")[0] == 0
    assert (repo / "f").read_text() == "zero\nnull\n" + TEXT.removeprefix("0\n")


def test_a_new_file_comes_from_the_most_similar_one_changed_here_or_not(repo: Path) -> None:
    """The ort strategy would take it from the one that was changed here, since the other does not matter to it."""
    (repo / "one").mkdir()
    commit(repo, "one", name="one/m", text=TEXT)
    (repo / "two").mkdir()
    commit(repo, "two", name="two/n", text=TEXT.replace("5\n6\n7\n", "five\n"))
    run(repo, "checkout", "-q", "-b", "moved")
    run(repo, "rm", "-q", "one/m", "two/n")
    commit(repo, "moved", name="z", text=TEXT + "more\n")
    run(repo, "checkout", "-q", "main")
    (repo / "two/n").write_text("first\n" + TEXT.replace("5\n6\n7\n", "five\n"))
    assert said(repo, "checkout", "-m", "moved")[0] == 0
    assert read(repo, "status", "--porcelain") == "DU two/n"
    assert (repo / "z").read_text() == TEXT + "more\n"
