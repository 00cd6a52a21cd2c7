"""Branches of a bare repository, whose current branch may be given another place."""

from pathlib import Path

import pytest
from tests.support.peers import read, said
from tests.support.writing import copy_of

pytestmark = pytest.mark.writes


@pytest.mark.parametrize("option, gone", [("-M", True), ("-C", False)])
def test_the_log_of_head_tells_of_what_took_the_current_branch_s_place(tmp_path: Path, option: str, gone: bool) -> None:
    repo = copy_of("bare", tmp_path / "bare.git")
    old, new = (read(repo, "rev-parse", name) for name in ("main", "topic"))
    log = repo / "logs/HEAD"
    log.parent.mkdir(exist_ok=True)
    log.write_bytes(b"")
    assert said(repo, "branch", option, "topic", "main") == (0, "", "")
    line = log.read_text()
    if gone:
        assert line.startswith(f"{old} {'0' * 40} ") and line.endswith(" +0000\n")
    else:
        assert line.startswith(f"{new} {new} ")
        assert line.endswith("\tBranch: copied refs/heads/topic to refs/heads/main\n")


def test_a_log_that_no_setting_asks_for_is_named(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    assert said(repo, "branch", "--create-reflog", "a")[0] == 0 and (repo / ".git/logs/refs/heads/a").exists()
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tlogAllRefUpdates = false\n")
    status, _, err = said(repo, "branch", "--create-reflog", "b")
    assert status and err.endswith("gitglass does not take --create-reflog\n")
    assert said(repo, "branch", "--no-create-reflog", "b") == (0, "", "")
