"""An operation is ended at calls that change something: nothing is lost, and `recover` arrives both ways.

A sixteenth of the operations with three kills each (another one with each GITGLASS_SEED), a few with every kill, and
some kills of `recover` itself. All kills of all operations, with git's fsck: `python -m tests.live.kills`.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.all_cases import ALL
from tests.support.kill_cases import CASES, after, edits, undo_last
from tests.support.kills import Judged, Source, differing, judge, judge_recovery, seen, was_killed
from tests.support.writing import Killed, copy_of, writer_of

import gitglass
from gitglass.errors import Conflict
from gitglass.mutate.journal import SETTLED

pytestmark = pytest.mark.writes
SEED = int(os.environ.get("GITGLASS_SEED", "0"))
PARTS = 16
#: without those that ask a server
NAMES = [name for name, case in ALL.items() if not case.served]


@pytest.mark.parametrize("name", NAMES[SEED % PARTS :: PARTS])
def test_kills_here_and_there(name: str, tmp_path: Path, guarded: Any) -> None:
    judged = judge(name, tmp_path, few=SEED // PARTS)
    assert judged.faults == [] and judged.killed >= 3
    guarded.seen.clear()  # the test copies repositories and forks


@pytest.mark.parametrize("name", ["tag -a", "update-ref -d, packed", "cherry-pick --quit"])
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
    judged = judge_recovery(name, tmp_path, every=every, first=8, step=2)
    assert judged.faults == [] and judged.killed > 9 and judged.back and judged.forward
    guarded.seen.clear()


@pytest.mark.parametrize(("name", "last", "step"), [("commit", 0, 3), ("restore", 0, 2), ("rm", 3, 4)])
def test_what_was_taken_back_in_part_is_finished(name: str, last: int, step: int, tmp_path: Path, guarded: Any) -> None:
    """`recover` is killed while it takes back what had come to its end, then sent forward: log lines that it had taken
    off are written again, files that it had put back or moved aside are the new ones again, and nothing is left."""
    source, judged = Source(CASES[name], tmp_path, git=False), Judged(0, faults=[])
    source.judge_recovery(source.calls - last, judged, step)
    assert judged.faults == [] and judged.killed >= 6 and judged.forward
    guarded.seen.clear()


@pytest.mark.parametrize("forward", [False, True])
def test_what_an_interrupted_removal_moved_aside_is_somebody_s(forward: bool, tmp_path: Path, guarded: Any) -> None:
    """It goes back to its name, unless that is taken: then it stays among the operation's own files. A file that was
    kept and holds something else now stays there too."""
    source = Source(CASES["restore"], tmp_path, git=False)
    repo = source.copy("killed")
    assert was_killed(lambda: source.carry_out(repo, Killed(source.calls, afterwards=False)))
    folder = repo / ".git" / os.fsdecode(writer_of(repo).interrupted()[0].folder)
    (folder / "kept-0").write_bytes(b"written to by who had it open\n")
    (folder / "gone-0-123456").write_bytes(b"somebody's\n")
    (folder / "gone-77-123456").write_bytes(b"of no change\n")
    (repo / "README.md").unlink()
    writer_of(repo).recover(forward=forward)
    assert (repo / "README.md").read_bytes() == b"somebody's\n"
    assert not (folder / "gone-0-123456").exists() and (folder / "gone-77-123456").exists()
    assert (folder / "kept-0").read_bytes() == b"written to by who had it open\n"
    guarded.seen.clear()


@pytest.mark.parametrize("kept", [b"before", b"something else\n"])
def test_a_file_is_moved_aside_again_where_one_is_kept(kept: bytes, tmp_path: Path, guarded: Any) -> None:
    source = Source(CASES["restore"], tmp_path, git=False)
    repo = source.copy("killed")
    was = (repo / "README.md").read_bytes()
    assert was_killed(lambda: source.carry_out(repo, Killed(source.calls, afterwards=False)))
    folder = repo / ".git" / os.fsdecode(writer_of(repo).interrupted()[0].folder)
    (folder / "kept-0").write_bytes(was if kept == b"before" else kept)
    (repo / "README.md").write_bytes(was)
    writer_of(repo).recover(forward=True)
    assert differing(seen(repo), source.after) == []
    assert (folder / "kept-0").read_bytes() == was
    others = [path.read_bytes() for path in folder.glob("kept-0-*")]
    assert others == ([] if kept == b"before" else [kept])
    guarded.seen.clear()


def test_a_log_is_left_alone_where_somebody_else_moved_the_ref(tmp_path: Path, guarded: Any) -> None:
    source = Source(CASES["commit"], tmp_path, git=False)
    repo = source.copy("killed")
    assert was_killed(lambda: source.carry_out(repo, Killed(source.calls, afterwards=False)))
    logs = [repo / ".git/logs/HEAD", repo / ".git/logs/refs/heads/main"]
    for log in logs:
        log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    was = [log.read_bytes() for log in logs]
    (repo / ".git/refs/heads/main").write_bytes((repo / ".git/refs/tags/light").read_bytes())
    assert len(writer_of(repo).recover(forward=True)) == 1
    assert [log.read_bytes() for log in logs] == was
    guarded.seen.clear()


@pytest.mark.parametrize(
    ("name", "every", "first"), [("push", 9, 8), ("push that is refused in part", 11, 20), ("fetch", 20, 12)]
)
def test_another_repository_is_whole_too(name: str, every: int, first: int, tmp_path: Path, guarded: Any) -> None:
    """What it has not taken is not said to be there, whoever was killed; and what it has begun to take, it takes."""
    judged = judge(name, tmp_path, every=every, first=first)
    assert judged.faults == [] and judged.killed >= 4 and judged.back and judged.forward and judged.refused
    guarded.seen.clear()


@pytest.mark.parametrize("name", ["push", "push that is refused in part"])
def test_what_another_repository_took_is_written_down(name: str, tmp_path: Path, guarded: Any) -> None:
    """A push that came so far that it moves refs here is finished, with what was taken and nothing else."""
    source = Source(ALL[name], tmp_path, git=False)
    repo = source.copy("killed")
    assert was_killed(lambda: source.carry_out(repo, Killed(source.calls - 3, afterwards=False)))
    assert [one.errand for one in writer_of(repo).interrupted()] == [SETTLED]
    assert len(writer_of(repo).recover(forward=True)) == 1
    assert differing(seen(repo), source.after) == []
    guarded.seen.clear()


def test_what_no_ref_names_has_to_be_there_too(tmp_path: Path, guarded: Any) -> None:
    source = Source(ALL["fetch of no ref"], tmp_path, git=False)
    repo = source.copy("killed")
    assert was_killed(lambda: source.carry_out(repo, Killed(8, afterwards=False)))
    with pytest.raises(Conflict, match="objects are missing"):
        writer_of(repo).recover(forward=True)
    guarded.seen.clear()


@pytest.mark.loopback
def test_a_server_is_not_guessed_at(tmp_path: Path, guarded: Any) -> None:
    judged = judge("push -u, http", tmp_path, every=9, first=4)
    assert judged.faults == [] and judged.killed >= 3
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
