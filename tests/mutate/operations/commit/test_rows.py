"""What a commit of some paths holds: HEAD's files, and of those that are named what the work tree has."""

from pathlib import Path

import pytest
from tests.support.peers import empty, read, run

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = empty(tmp_path / "repo", bare=False)
    (place / "kept").write_text("kept\n")
    (place / "name").write_text("a file\n")
    run(place, "add", "kept", "name")
    run(place, "commit", "-q", "-m", "one")
    return place


def files(repo: Path) -> list[str]:
    return read(repo, "ls-tree", "-r", "--name-only", "HEAD").splitlines()


def test_what_is_staged_of_other_paths_stays_out_of_it(repo: Path) -> None:
    (repo / "kept").write_text("staged\n")
    run(repo, "add", "kept")
    (repo / "name").write_text("committed\n")
    run(repo, "commit", "-q", "-m", "two", "--", "name")
    assert (read(repo, "show", "HEAD:kept"), read(repo, "show", "HEAD:name")) == ("kept", "committed")
    assert read(repo, "diff", "--cached", "--name-only") == "kept"


def test_a_file_that_left_the_index_is_named_still(repo: Path) -> None:
    """Its deletion is committed; where the work tree has it, it is staged again."""
    run(repo, "rm", "-q", "--cached", "kept", "name")
    (repo / "name").unlink()
    run(repo, "commit", "-q", "-m", "two", "--", "kept", "name")
    assert files(repo) == ["kept"]
    assert read(repo, "ls-files") == "kept"


def test_a_directory_takes_the_place_of_a_file(repo: Path) -> None:
    (repo / "name").unlink()
    (repo / "name").mkdir()
    (repo / "name" / "below").write_text("below\n")
    run(repo, "add", "name/below")
    run(repo, "commit", "-q", "-m", "two", "--", "name/below")
    assert files(repo) == ["kept", "name/below"]


def test_a_file_takes_the_place_of_a_directory(repo: Path) -> None:
    (repo / "folder").mkdir()
    (repo / "folder" / "below").write_text("below\n")
    run(repo, "add", "folder/below")
    run(repo, "commit", "-q", "-m", "two")
    (repo / "folder" / "below").unlink()
    (repo / "folder").rmdir()
    (repo / "folder").write_text("a file\n")
    run(repo, "add", "folder")
    run(repo, "commit", "-q", "-m", "three", "--", "folder", ":(exclude)folder/below")  # which is not named, and goes
    assert files(repo) == ["folder", "kept", "name"]


def test_only_without_paths_commits_what_head_has(repo: Path) -> None:
    (repo / "kept").write_text("staged\n")
    run(repo, "add", "kept")
    run(repo, "commit", "-q", "--only", "--allow-empty", "-m", "two")
    assert read(repo, "show", "HEAD:kept") == "kept"


def test_the_mode_that_head_has_stays_where_modes_are_not_trusted(repo: Path) -> None:
    """git stages the file anew over what HEAD has, and `core.fileMode` keeps that mode, whatever the index has."""
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tfileMode = false\n")
    run(repo, "add", "--chmod=+x", "name")
    assert read(repo, "ls-files", "-s", "name").split()[0] == "100755"
    run(repo, "commit", "-q", "--allow-empty", "-m", "two", "--", "name")
    assert read(repo, "ls-tree", "HEAD", "name").split()[0] == "100644"
    assert read(repo, "ls-files", "-s", "name").split()[0] == "100755"


def test_an_entry_that_is_only_intended_is_no_part_of_the_commit(repo: Path) -> None:
    (repo / "intended").write_text("later\n")
    run(repo, "add", "-N", "intended")
    (repo / "kept").write_text("new\n")
    run(repo, "add", "kept")
    run(repo, "commit", "-q", "-m", "two")
    assert files(repo) == ["kept", "name"]
    assert read(repo, "show", "HEAD:kept") == "new"
