"""What the index keeps of resolved conflicts (REUC) comes and goes with operations, their undo and their redo."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.kill_cases import after, undo_last
from tests.support.writing import copy_of

import gitglass

pytestmark = pytest.mark.writes


@pytest.mark.parametrize(
    ("first", "line", "kept"),
    [
        ((), "add both.txt", {"both.txt"}),
        ((), "reset --hard", set()),
        (("add both.txt src/app.py",), "reset --hard", set()),
        (("add both.txt src/app.py",), "rm -f src/tools.py", {"both.txt", "src/app.py", "src/tools.py"}),
        (("add both.txt src/app.py", "rm -f src/tools.py"), "commit -m m", {"both.txt", "src/app.py", "src/tools.py"}),
    ],
)
def test_there_and_back(first: tuple[str, ...], line: str, kept: set[str], tmp_path: Path) -> None:
    repo = copy_of("conflict", tmp_path / "repo")
    if first:
        after(*first)(repo)
    before = listed(repo)
    after(line)(repo)
    done = listed(repo)
    assert {row.split(b"\t")[1].decode() for row in done} == kept
    for wanted in (before, done, before):
        undo_last(repo)
        assert listed(repo) == wanted


def listed(repo: Path) -> list[bytes]:
    return gitglass.git(["ls-files", "--resolve-undo"], cwd=repo).stdout.splitlines()
