"""An operation is ended at calls that change something: nothing is lost, and `recover` arrives both ways.

An eighth of the operations with three kills each (another eighth with each GITGLASS_SEED), a few with every kill, and
kills of `recover` itself. All kills of all operations, with git's fsck: `python -m tests.live.kills`.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.kill_cases import CASES, after, edits, undo_last
from tests.support.kills import Source, judge, judge_recovery
from tests.support.writing import copy_of

import gitglass

pytestmark = pytest.mark.writes
SEED = int(os.environ.get("GITGLASS_SEED", "0"))
PARTS = 8


@pytest.mark.parametrize("name", list(CASES)[SEED % PARTS :: PARTS])
def test_kills_here_and_there(name: str, tmp_path: Path, guarded: Any) -> None:
    calls = judge(name, tmp_path / "count", every=1000, first=1000).calls
    judged = judge(name, tmp_path / "kills", every=calls // 2, first=1 + SEED // PARTS % (calls // 2))
    assert judged.faults == [] and judged.killed >= 3
    guarded.seen.clear()  # copies of repositories are made by `cp`, forked children by the test


@pytest.mark.parametrize("name", ["tag -a", "update-ref -d, packed"])
def test_a_kill_at_every_call_loses_nothing(name: str, tmp_path: Path, guarded: Any) -> None:
    judged = judge(name, tmp_path)
    assert judged.faults == []
    assert judged.killed == judged.calls + 1 and judged.back and judged.forward
    guarded.seen.clear()


def test_a_log_that_was_not_there_goes_again(tmp_path: Path, guarded: Any) -> None:
    """HEAD's, of the first commit, once its line was written and no ref has moved."""
    judged = judge("commit, the first", tmp_path, every=3, first=52)
    assert judged.faults == [] and judged.back
    guarded.seen.clear()


@pytest.mark.parametrize(("name", "every"), [("branch -u", 15), ("restore --staged", 19)])
def test_recover_is_killed_too(name: str, every: int, tmp_path: Path, guarded: Any) -> None:
    judged = judge_recovery(name, tmp_path, every=every, first=8)
    assert judged.faults == [] and judged.killed > 9 and judged.back and judged.forward
    guarded.seen.clear()


def test_the_judge_sees(tmp_path: Path, guarded: Any) -> None:
    """Bytes that are gone, lines of a log, and a ref of a third value are named."""
    source = Source(CASES["restore"], tmp_path, git=False)
    repo = source.copy("spoilt")
    (repo / "README.md").write_bytes(b"something else\n")
    (repo / ".git/logs/HEAD").write_bytes(b"")
    (repo / ".git/refs/heads/topic").write_bytes((repo / ".git/refs/tags/light").read_bytes())
    named = {fault.partition(":")[0] for fault in source.faults(repo)}
    assert named == {"lost", "lost of a log", "ref b'refs/heads/topic'"}
    guarded.seen.clear()


@pytest.mark.parametrize(("name", "first"), [("switch F/D", 16), ("switch D/F", 11)])
def test_a_file_and_a_directory_change_places_again(name: str, first: int, tmp_path: Path, guarded: Any) -> None:
    judged = judge(name, tmp_path, every=12, first=first)
    assert judged.faults == [] and judged.killed >= 3
    guarded.seen.clear()


def test_an_undo_hides_no_change(tmp_path: Path) -> None:
    """The entry of a file that an undo brings back must not have its status: the file is another one."""
    repo = copy_of("plain", tmp_path / "repo")
    after("restore README.md", first=edits)(repo)
    undo_last(repo)
    entry = gitglass.git(["ls-files", "--debug", "README.md"], cwd=repo).stdout
    assert b"size: %d" % (repo / "README.md").stat().st_size not in entry
    os.utime(repo / ".git/index", (2_000_000_000, 2_000_000_000))  # so that no reader takes it for racy
    assert gitglass.git(["status", "-s", "README.md"], cwd=repo).stdout == b" M README.md\n"
