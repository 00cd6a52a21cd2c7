"""merging/recreated.py: the sides of conflicts merged again into files, also of those that were resolved."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, planned, read, run, said

from gitglass.errors import Unsupported

pytestmark = pytest.mark.writes
MARKED = "<<<<<<< ours\nmain\n=======\nside\n>>>>>>> theirs\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A merge that stopped: `f` is in conflict, `gone` was removed on one side."""
    made = empty(tmp_path / "repo", bare=False)
    commit(made, "base", text="base\n")
    (made / "gone").write_text("base\n")
    run(made, "add", "gone")
    run(made, "commit", "-q", "-m", "gone")
    run(made, "checkout", "-q", "-b", "side")
    for name in ("f", "gone"):
        (made / name).write_text("side\n")
    run(made, "commit", "-q", "-a", "-m", "side")
    run(made, "checkout", "-q", "main")
    (made / "f").write_text("main\n")
    run(made, "rm", "-q", "gone")
    run(made, "commit", "-q", "-a", "-m", "main")
    assert said(made, "merge", "side")[0] == 1
    return made


def test_a_conflict_is_shown_again_in_each_style(repo: Path) -> None:
    (repo / "f").write_text("spoilt\n")
    assert said(repo, "checkout", "-m", "f") == (0, "", "Recreated 1 merge conflict\n")
    assert (repo / "f").read_text() == MARKED
    assert said(repo, "restore", "--conflict=diff3", "f") == (0, "", "")
    assert (repo / "f").read_text() == MARKED.replace("=======", "||||||| base\nbase\n=======")


def test_a_conflict_that_was_resolved_comes_back(repo: Path) -> None:
    stages = read(repo, "ls-files", "-u", "f")
    (repo / "f").write_text("resolved\n")
    run(repo, "add", "f")
    assert said(repo, "checkout", "-m", "f") == (0, "", "Recreated 1 merge conflict\n")
    assert read(repo, "ls-files", "-u", "f") == stages
    assert (repo / "f").read_text() == MARKED
    assert read(repo, "ls-files", "--resolve-undo") == ""


def test_what_only_one_side_has_is_named_and_no_file_changes(repo: Path) -> None:
    (repo / "f").write_text("spoilt\n")
    words = "error: path 'gone' does not have all necessary versions\n"
    assert said(repo, "checkout", "-m", ".") == (1, "", words)
    assert (repo / "f").read_text() == "spoilt\n"


def test_a_binary_file_has_our_side_and_a_warning(repo: Path) -> None:
    for name, content in (("ours", b"\0ours"), ("theirs", b"\0theirs")):
        (repo / name).write_bytes(content)
        run(repo, "add", name)
    run(repo, "commit", "-q", "-a", "-m", "both")
    run(repo, "checkout", "-q", "-b", "one")
    (repo / "ours").write_bytes(b"\0one")
    run(repo, "commit", "-q", "-a", "-m", "one")
    run(repo, "checkout", "-q", "main")
    (repo / "ours").write_bytes(b"\0two")
    run(repo, "commit", "-q", "-a", "-m", "two")
    run(repo, "merge", "one")
    (repo / "ours").write_bytes(b"spoilt")
    warned = "warning: Cannot merge binary files: ours (ours vs. theirs)\n"
    assert said(repo, "checkout", "-m", "ours") == (0, "", warned + "Recreated 1 merge conflict\n")
    assert (repo / "ours").read_bytes() == b"\0two"


def test_a_tree_does_not_go_with_it(repo: Path) -> None:
    with pytest.raises(Unsupported, match="does not take --merge with a tree"):
        planned(repo, "restore", "-m", "-s", "HEAD", "f")
