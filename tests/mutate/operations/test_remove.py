"""operations/remove.py: what `mv` of a directory leaves. git's own words and repositories are in test_twins."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, run, said

pytestmark = pytest.mark.writes


def test_empty_directories_go_with_the_directory_that_moves(tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "src").mkdir()
    commit(repo, "one", name="src/one")
    (repo / "src/deep/er").mkdir(parents=True)
    run(repo, "mv", "src", "other")
    assert (repo / "other/one").read_text() == "one"
    assert not (repo / "src").exists()


def test_no_directory_moves_that_has_one_in_place_of_a_file(tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "d").mkdir()
    commit(repo, "one", name="d/g")
    (repo / "d/g").unlink()
    (repo / "d/g").mkdir()
    (repo / "d/g/leaf").write_text("")
    assert said(repo, "mv", "d", "q") == (128, "", "fatal: Directory d/g is in index and no submodule?\n")
    assert (repo / "d/g/leaf").exists()
