"""What an entry of the stash is; recorded twins (tests/mutate/test_twins.py) have the rest."""

from pathlib import Path

import pytest
from tests.support.peers import read, said
from tests.support.writing import copy_of

pytestmark = pytest.mark.writes


def test_a_merge_that_is_grafted_to_one_parent_is_no_entry(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    merge, start = (read(repo, "rev-parse", name).strip() for name in ("HEAD~2", "HEAD~5"))
    assert said(repo, "stash", "store", merge) == (0, "", "")
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/grafts").write_text(f"{merge} {start}\n")
    for action in ("drop", "apply", "pop"):
        status, out, err = said(repo, "stash", action)
        assert (status, out) == (128, "") and err.endswith("fatal: 'refs/stash@{0}' is not a stash-like commit\n")
    (repo / ".git/info/grafts").unlink()
    assert said(repo, "stash", "drop")[0] == 0
