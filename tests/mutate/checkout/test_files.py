"""The work tree of a plan: each file is looked at once."""

from pathlib import Path

import pytest
from tests.support.writing import copy_of, done, writer_of

from gitglass.disk.worktree import WorkTree
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, SwitchRequest
from gitglass.worktree.stat_cache import Looker

pytestmark = pytest.mark.writes


def test_a_plan_looks_at_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    names = [b"many/f%02d" % number for number in range(12)]
    (repo / "many").mkdir()
    for number in range(2):
        for name in names:
            (repo / name.decode()).write_bytes(b"version %d\n" % number)
        done(repo, AddRequest(paths=["many"]))
        done(repo, CommitRequest(message=[f"number {number}"]))
    looked: list[bytes] = []
    compared: list[int] = []
    lstat, differs = WorkTree.lstat, Looker.differs

    def counted(files: WorkTree, path: bytes) -> object:
        looked.append(path)
        return lstat(files, path)

    def told(looker: Looker, position: int, status: object) -> bool:
        compared.append(position)
        return differs(looker, position, status)  # type: ignore[arg-type]

    writer = writer_of(repo)
    with monkeypatch.context() as patch:
        patch.setattr(WorkTree, "lstat", counted)
        patch.setattr(Looker, "differs", told)
        plan = writer.plan(SwitchRequest(detach=True, commit="HEAD~1"))
    assert sorted(change.path for change in plan.changes.files) == names
    assert [looked.count(name) for name in names] == [1] * 12
    assert len(compared) == len(set(compared)) >= 12
    (repo / "many/f03").write_bytes(b"somebody else's\n")  # what was seen is asked again when it counts
    with pytest.raises(Exception, match=r"changed since the plan|would be overwritten"):
        writer.apply(plan, approve(plan, "me"))
    assert (repo / "many/f03").read_bytes() == b"somebody else's\n"
