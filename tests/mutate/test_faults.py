"""A call that fails, at every call: a typed error, and everything as before; or done, or recoverable."""

import errno
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import Counted, Failing, copy_of, state_of, writer_of

from gitglass.errors import GitError
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, Mutation, ResetRequest

pytestmark = pytest.mark.writes
OPERATIONS: dict[str, Mutation] = {
    "add": AddRequest(paths=["README.md", "fresh.txt"]),
    "commit": CommitRequest(message=["m"], all=True),
    "reset": ResetRequest(mode="hard", commit="HEAD~1"),
}


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EMFILE])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_fault_at_every_call(name: str, error: int, tmp_path: Path) -> None:
    source = copy_of("plain", tmp_path / "source")
    (source / "README.md").write_bytes(b"changed\n")
    (source / "fresh.txt").write_bytes(b"fresh\n")
    before, counted = state_of(source), Counted()
    last = Path(shutil.copytree(source, tmp_path / "last", symlinks=True))
    apply(last, OPERATIONS[name], counted)
    after = state_of(last)
    for number in range(1, counted.count + 1):
        repo = Path(shutil.copytree(source, tmp_path / str(number), symlinks=True))
        try:
            apply(repo, OPERATIONS[name], Failing(number, error))
        except GitError as failed:
            assert failed.message
        now = state_of(repo)
        if any(one.state == "open" for one in writer_of(repo).operations()):
            continue  # what could not be put back either: the kill matrix holds what `recover` makes of it
        assert now in (before, after), number
        assert not list((repo / ".git").rglob("*.lock")), number
        assert not list(repo.glob(".gitglass-*"))
        shutil.rmtree(repo)


def apply(repo: Path, request: Mutation, calls: Any) -> None:
    writer = writer_of(repo, calls)
    plan = writer.plan(request)
    writer.apply(plan, approve(plan, "test"))
