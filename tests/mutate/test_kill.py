"""An operation is ended at every call that changes something: nothing is lost, and `recover` arrives both ways.

After the kill each ref has its old value or its new one, and every byte that a file had is in place, in the operation
log, or in an object. Back is exactly the state before; forward exactly the state after, or refused before anything is
done where the objects had not all been written.
"""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import Counted, Killed, copy_of, state_of, writer_of

import gitglass
from gitglass.errors import Conflict
from gitglass.mutate.writer import approve
from gitglass.request.mutations import (
    AddRequest,
    CommitRequest,
    Mutation,
    ResetRequest,
    RestoreRequest,
    StashRequest,
    SwitchRequest,
)
from gitglass.request.ref_mutations import BranchChange, TagChange

pytestmark = pytest.mark.writes


def edits(repo: Path) -> None:
    (repo / "README.md").write_bytes(b"changed and nowhere else\n")
    (repo / "fresh.txt").write_bytes(b"fresh\n")


def nothing(repo: Path) -> None:
    """The repository as it is."""


OPERATIONS: dict[str, tuple[Any, Mutation]] = {
    "add": (edits, AddRequest(paths=["README.md", "fresh.txt"])),
    "commit all": (edits, CommitRequest(message=["m"], all=True)),
    "rename": (nothing, BranchChange(action="rename", names=["renamed"])),
    "tag": (nothing, TagChange(names=["t"], message="m")),
    "restore": (edits, RestoreRequest(paths=["README.md"])),
    "reset": (edits, ResetRequest(mode="hard", commit="HEAD~1")),
    "stash": (edits, StashRequest(include_untracked=True)),
    "switch": (nothing, SwitchRequest(create_branch="other", commit="HEAD~2")),
}


def killed(repo: Path, request: Mutation, number: int, afterwards: bool) -> bool:
    """Carry a request out in a process that ends at a call; whether it did."""
    child = os.fork()
    if child == 0:
        try:
            writer = writer_of(repo, Killed(number, afterwards=afterwards))
            plan = writer.plan(request)
            writer.apply(plan, approve(plan, "test"))
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def whole(repo: Path) -> None:
    """The reader finds no damage."""
    assert [one for one in gitglass.open(repo).verify() if one.is_error] == []


def bytes_kept(repo: Path, content: bytes) -> bool:
    """Whether a file's bytes are somewhere: in the work tree, in the operation log, or in an object."""
    name = gitglass.git(["hash-object", "--stdin"], cwd=repo, stdin=content).stdout.strip().decode()
    if gitglass.git(["cat-file", "-e", name], cwd=repo).returncode == 0:
        return True
    places = [*repo.glob("**/*"), *repo.glob(".git/gitglass/ops/*/kept-*")]
    return any(path.is_file() and path.read_bytes() == content for path in places)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_kill_at_every_call_loses_nothing(name: str, tmp_path: Path, guarded: Any) -> None:
    prepare, request = OPERATIONS[name]
    source = copy_of("plain", tmp_path / "source")
    gitglass.git(["status"], cwd=source)
    prepare(source)
    last = copied(source, tmp_path / "last")
    before = state_of(last)
    counted = Counted()
    writer = writer_of(last, counted)
    plan = writer.plan(request)
    assert writer.apply(plan, approve(plan, "test")).unexpected == []
    after = state_of(last)
    assert before != after and counted.count > 4
    back = forward = 0
    for number in range(1, counted.count + 1):
        for afterwards in (False, True)[: 1 + (number == counted.count)]:  # after a call is before the next one
            repo = copied(source, tmp_path / f"{number}{afterwards}")
            assert killed(repo, request, number, afterwards), number
            whole(repo)
            assert bytes_kept(repo, b"changed and nowhere else\n") or prepare is nothing
            for direction in (False, True):
                one = copied(repo, tmp_path / f"{number}{afterwards}{direction}")
                mended = writer_of(one)
                try:
                    mended.recover(forward=direction)
                except Conflict:
                    assert direction, "back is always possible"
                    continue
                assert mended.recover(forward=direction) == []
                state = state_of(one)
                assert state in (before, after), (number, afterwards, direction)
                if state != after:
                    assert not direction or not was_open(repo), (number, afterwards, direction)
                    back += 1
                else:
                    forward += 1
                whole(one)
                assert not list((one / ".git").rglob("*.lock")), (number, afterwards, direction)
    assert back and forward
    guarded.seen.clear()  # copies of repositories are made by `cp`, forked children by the test


def was_open(repo: Path) -> bool:
    """Whether an operation was written down as begun."""
    return any(one.state == "open" for one in writer_of(repo).operations())


def copied(source: Path, place: Path) -> Path:
    subprocess.run(["/bin/cp", "-a", str(source), str(place)], check=True)
    return place
