"""Granted filters: content goes through them on its way in and out, exactly as planned, and nothing else is run."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.kills import was_killed
from tests.support.programs import INPUT, filter_program, program
from tests.support.writing import Counted, Killed, copy_of, done, state_of, writer_of

import gitglass
from gitglass.errors import CommandFailed, NotGranted, StaleApproval, Timeout, TooLarge, Unsupported
from gitglass.mutate.process.granted import Filter, Program, Programs
from gitglass.mutate.writer import approve
from gitglass.request.mutations import (
    AddRequest,
    CommitRequest,
    ResetRequest,
    RestoreRequest,
    StashRequest,
    SwitchRequest,
)
from gitglass.request.ref_mutations import BranchChange

pytestmark = [pytest.mark.writes, pytest.mark.runs]
TRAPS = """[filter "x"]
\tclean = touch {ran}
\tsmudge = touch {ran}
\tprocess = touch {ran}
[filter "other"]
\tclean = touch {ran}
\tsmudge = touch {ran}
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write(TRAPS.format(ran=tmp_path / "ran"))
    (repo / ".git/info/attributes").write_text("*.up filter=x\nother filter=other\n")
    return repo


@pytest.fixture
def upper(tmp_path: Path) -> Programs:
    """Content is upper case in the repository, lower case in the work tree."""
    clean = filter_program(tmp_path / "bin", "clean", "data.upper()", "%f")
    smudge = filter_program(tmp_path / "bin", "smudge", "data.lower()", "%f")
    return Programs(filters={"x": Filter(clean, smudge)}, rooms=str(rooms(tmp_path)))


def rooms(tmp_path: Path) -> Path:
    (tmp_path / "rooms").mkdir(exist_ok=True)
    return tmp_path / "rooms"


def git(repo: Path, *argv: str) -> bytes:
    return gitglass.git(list(argv), cwd=repo).stdout


def test_in_and_out(repo: Path, upper: Programs, tmp_path: Path, guarded: Any) -> None:
    (repo / "a.up").write_text("content\n")
    os.utime(
        repo / "a.up", (1_600_000_000, 1_600_000_000)
    )  # a young file is read again by `status`, without the filter
    plan = writer_of(repo, programs=upper).plan(AddRequest(paths=["a.up"]))
    assert "runs clean x for a.up: " in plan.preview.render() and "programs" in plan.preview.effects
    assert state_of(repo)["index"].count(b"a.up") == 0
    done(repo, AddRequest(paths=["a.up"]), programs=upper)
    assert git(repo, "show", ":a.up") == b"CONTENT\n"
    assert git(repo, "status", "--short", "--", "a.up") == b"A  a.up\n"
    done(repo, CommitRequest(message=["m"]), programs=upper)
    (repo / "a.up").unlink()
    result = done(repo, RestoreRequest(paths=["a.up"]), programs=upper)
    assert result.verified and (repo / "a.up").read_text() == "content\n"
    assert not (tmp_path / "ran").exists() and list(rooms(tmp_path).iterdir()) == []
    assert {Path(one).name for one in guarded.started} == {"clean", "smudge"}


def test_a_program_runs_once_for_a_plan(repo: Path, upper: Programs, guarded: Any) -> None:
    (repo / "a.up").write_text("content\n")
    writer = writer_of(repo, programs=upper)
    plan = writer.plan(AddRequest(paths=["a.up"]))
    again = writer.plan(AddRequest(paths=["a.up"]), moment=plan.moment)
    writer.apply(plan, approve(plan, "test"))
    assert plan.digest == again.digest and len(guarded.started) == 1


def test_the_digest_is_over_what_runs(repo: Path, tmp_path: Path) -> None:
    (repo / "a.up").write_text("content\n")
    digests = set()
    for name in ("one", "two"):
        clean = filter_program(tmp_path / name, "clean", "b'same'")
        given = Programs(filters={"x": Filter(clean)}, rooms=str(rooms(tmp_path)))
        digests.add(writer_of(repo, programs=given).plan(AddRequest(paths=["a.up"])).digest)
    assert len(digests) == 2


def test_a_commit_and_a_switch_and_a_stash(repo: Path, upper: Programs) -> None:
    (repo / "a.up").write_text("one\n")
    done(repo, AddRequest(paths=["a.up"]), programs=upper)
    done(repo, CommitRequest(message=["one"]), programs=upper)
    done(repo, BranchChange(action="create", names=["side"]), programs=upper)
    (repo / "a.up").write_text("two\n")
    done(repo, CommitRequest(message=["two"], all=True), programs=upper)
    assert git(repo, "show", "HEAD:a.up") == b"TWO\n"
    done(repo, SwitchRequest(branch="side"), programs=upper)
    assert (repo / "a.up").read_text() == "one\n"
    (repo / "a.up").write_text("three\n")
    done(repo, StashRequest(action="push"), programs=upper)
    assert (repo / "a.up").read_text() == "one\n" and git(repo, "show", "stash:a.up") == b"THREE\n"
    done(repo, StashRequest(action="pop"), programs=upper)
    assert (repo / "a.up").read_text() == "three\n"
    done(repo, ResetRequest(mode="hard", commit="HEAD"), programs=upper)
    assert (repo / "a.up").read_text() == "one\n"


def test_undo_and_redo(repo: Path, upper: Programs) -> None:
    (repo / "a.up").write_text("one\n")
    done(repo, AddRequest(paths=["a.up"]), programs=upper)
    (repo / "a.up").write_text("mine\n")
    result = done(repo, RestoreRequest(paths=["a.up"]), programs=upper)
    assert (repo / "a.up").read_text() == "one\n"
    writer = writer_of(repo, programs=upper)
    plan = writer.undo(result.operation)
    undone = writer.apply(plan, approve(plan, "test"))
    assert (repo / "a.up").read_text() == "mine\n"
    plan = writer.undo(undone.operation)
    writer.apply(plan, approve(plan, "test"))
    assert (repo / "a.up").read_text() == "one\n"


@pytest.mark.parametrize("granted", [{}, {"y": Filter(Program(("/bin/cat",)))}, {"x": Filter(None, None)}])
def test_what_is_not_granted_is_refused_by_name(repo: Path, tmp_path: Path, granted: Any, guarded: Any) -> None:
    (repo / "a.up").write_text("one\n")
    with pytest.raises(Unsupported, match="filter 'x'") as refused:
        done(repo, AddRequest(paths=["a.up"]), programs=Programs(filters=granted, rooms=str(rooms(tmp_path))))
    assert "Programs.filters" in str(refused.value.hint)
    assert guarded.started == [] and not (tmp_path / "ran").exists()


def test_a_grant_alone_runs_nothing(repo: Path, upper: Programs, guarded: Any) -> None:
    """No attribute names the filter for these paths, and for the other no setting does."""
    (repo / "plain.txt").write_text("x\n")
    done(repo, AddRequest(paths=["plain.txt"]), programs=upper)
    (repo / ".git/config").write_text((repo / ".git/config").read_text().replace('filter "x"', 'filter "z"'))
    (repo / "a.up").write_text("low\n")
    done(repo, AddRequest(paths=["a.up"]), programs=upper)
    assert git(repo, "show", ":a.up") == b"low\n" and guarded.started == []


@pytest.mark.parametrize("required", [True, False])
def test_a_filter_that_fails(repo: Path, tmp_path: Path, required: bool) -> None:
    clean = program(tmp_path / "bin", "clean", INPUT + "sys.stderr.write('no key\\n'); sys.exit(4)")
    given = Programs(filters={"x": Filter(clean, required=required)}, rooms=str(rooms(tmp_path)))
    (repo / "a.up").write_text("secret\n")
    if required:
        before = state_of(repo)
        with pytest.raises(CommandFailed, match=r"a.up: clean filter 'x' failed") as failed:
            done(repo, AddRequest(paths=["a.up"]), programs=given)
        assert b"no key\nerror: external filter" in failed.value.streams()[1]
        assert state_of(repo) == before
        return
    result = done(repo, AddRequest(paths=["a.up"]), programs=given)
    assert git(repo, "show", ":a.up") == b"secret\n" and b"failed 4" in result.answer.err


def test_the_repository_may_require_more(repo: Path, tmp_path: Path) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write('[filter "x"]\n\trequired\n')
    clean = program(tmp_path / "bin", "clean", "import sys; sys.exit(1)")
    given = Programs(filters={"x": Filter(clean, required=False)}, rooms=str(rooms(tmp_path)))
    (repo / "a.up").write_text("secret\n")
    with pytest.raises(CommandFailed):
        done(repo, AddRequest(paths=["a.up"]), programs=given)


def test_a_required_filter_without_a_program(repo: Path) -> None:
    """git fails such a path as well: `required` says that content without the filter is of no use."""
    (repo / ".git/config").write_text((repo / ".git/config").read_text() + '[filter "nothing"]\n\trequired = true\n')
    (repo / ".git/info/attributes").write_text("a.up filter=nothing\n")
    (repo / "a.up").write_text("secret\n")
    with pytest.raises(Exception, match=r"a\.up: clean filter 'nothing' failed"):
        done(repo, AddRequest(paths=["a.up"]))


def test_too_much_and_too_long(repo: Path, tmp_path: Path) -> None:
    (repo / "a.up").write_text("x\n")
    before = state_of(repo)
    loud = filter_program(tmp_path / "bin", "loud", "b'x' * 5000")
    given = Programs(filters={"x": Filter(loud)}, rooms=str(rooms(tmp_path)), output=4096)
    with pytest.raises(TooLarge):
        done(repo, AddRequest(paths=["a.up"]), programs=given)
    slow = program(tmp_path / "bin", "slow", "import time; time.sleep(60)")
    given = Programs(filters={"x": Filter(slow)}, rooms=str(rooms(tmp_path)), seconds=0.5)
    with pytest.raises(Timeout):
        done(repo, AddRequest(paths=["a.up"]), programs=given)
    assert state_of(repo) == before and list(rooms(tmp_path).iterdir()) == []
    assert not list((repo / ".git").rglob("*.lock"))


def test_a_program_of_the_repository_is_never_run(repo: Path, tmp_path: Path, guarded: Any) -> None:
    clean = filter_program(repo / "tools", "clean", "data")
    given = Programs(filters={"x": Filter(clean)}, rooms=str(rooms(tmp_path)))
    (repo / "a.up").write_text("x\n")
    with pytest.raises(NotGranted):
        done(repo, AddRequest(paths=["a.up"]), programs=given)
    assert guarded.started == []


def test_content_that_changes_meanwhile_makes_a_new_plan(repo: Path, upper: Programs) -> None:
    (repo / "a.up").write_text("one\n")
    writer = writer_of(repo, programs=upper)
    plan = writer.plan(AddRequest(paths=["a.up"]))
    (repo / "a.up").write_text("other\n")
    with pytest.raises(StaleApproval):
        writer.apply(plan, approve(plan, "test"))


def test_filters_and_line_endings_in_gits_order(repo: Path, upper: Programs) -> None:
    """On the way in the filter comes first, on the way out last (gitattributes(5), "Interaction")."""
    (repo / ".git/info/attributes").write_text("*.up filter=x ident eol=crlf\n")
    (repo / "a.up").write_bytes(b"$id$ a\r\n")
    done(repo, AddRequest(paths=["a.up"]), programs=upper)
    assert git(repo, "show", ":a.up") == b"$ID$ A\n"
    os.unlink(repo / "a.up")
    done(repo, RestoreRequest(paths=["a.up"]), programs=upper)
    assert (repo / "a.up").read_bytes() == b"$id$ a\r\n"


def test_a_kill_at_every_call(repo: Path, upper: Programs, tmp_path: Path) -> None:
    """What a filter made is in the operation log: `recover` arrives both ways, without the grant and without a run."""
    (repo / "a.up").write_text("one\n")
    done(repo, AddRequest(paths=["a.up"]), programs=upper)
    (repo / "a.up").write_text("two\n")
    before = state_of(repo)
    counted = Counted()
    shutil.copytree(repo, tmp_path / "last", symlinks=True)
    done(tmp_path / "last", RestoreRequest(paths=["a.up"]), counted, programs=upper)
    after = state_of(tmp_path / "last")
    assert after["files"] != before["files"] and counted.count > 5
    ended = []
    for number in range(1, counted.count + 1, 2):
        for forward in (False, True):
            copy = tmp_path / f"{number}{forward}"
            shutil.copytree(repo, copy, symlinks=True)
            killed = Killed(number, afterwards=False)
            assert was_killed(lambda: done(copy, RestoreRequest(paths=["a.up"]), killed, programs=upper))
            writer = writer_of(copy)
            if writer.interrupted():
                writer.recover(forward=forward)
                ended.append(state_of(copy) == (after if forward else before))
            shutil.rmtree(copy)
    assert len(ended) > 4 and all(ended)
