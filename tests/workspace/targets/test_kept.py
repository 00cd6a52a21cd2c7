"""A workspace in a file: it survives a restart of its host, and a write that fails leaves the one before."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.agent import Roots, ToolContext, tools
from gitglass.errors import InvalidArgs, NotFound
from gitglass.mutate.calls import Calls
from gitglass.workspace.desk import Desk
from gitglass.workspace.targets.kept import KeptFile
from gitglass.workspace.workspace import Workspace

from ...support.kills import behind_every_door, was_killed
from ...support.workspaces import bare_repository
from ...support.writing import Counted, Killed
from ..conftest import PEOPLE
from .test_local import PLAIN

pytestmark = pytest.mark.writes


def test_autosave_and_restart(tmp_path: Path) -> None:
    bare_repository(tmp_path / "bare.git", PLAIN)
    repo = gitglass.open(tmp_path / "bare.git")
    kept = KeptFile(tmp_path / "agent.bundle")
    workspace = Workspace.over(repo, "main", identity=PEOPLE)
    ctx = ToolContext(Roots(()), desk=Desk(workspace, changed=kept.save))
    listed = {tool.name: tool for tool in tools("ws")}
    listed["ws_write"].call({"path": "a", "content": "a"}, ctx)
    assert not kept.exists
    with pytest.raises(NotFound):
        kept.load(repo)
    assert not listed["ws_stage"].call({"files": ["a"], "message": "A"}, ctx).is_error
    again = KeptFile(tmp_path / "agent.bundle").load(gitglass.open(tmp_path / "bare.git"), identity=PEOPLE)
    assert again.staged == workspace.staged and again.id == workspace.id
    assert {path.name for path in tmp_path.iterdir()} == {"agent.bundle", "bare.git"}
    assert (tmp_path / "agent.bundle").stat().st_mode & 0o777 == 0o600


def test_a_write_that_fails(tmp_path: Path, monkeypatch: Any) -> None:
    kept = KeptFile(tmp_path / "w")
    workspace = Workspace.empty(identity=PEOPLE)
    kept.save(workspace)
    before = (tmp_path / "w").read_bytes()
    workspace.write("a", b"a")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Calls, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        kept.save(workspace)
    assert (tmp_path / "w").read_bytes() == before and [path.name for path in tmp_path.iterdir()] == ["w"]


def test_a_kill_at_every_call(tmp_path: Path, guarded: Any) -> None:
    """The file is the one before or the one after, whole; and the next write goes on from there."""
    kept, workspace = KeptFile(tmp_path / "w"), Workspace.empty(identity=PEOPLE)
    kept.save(workspace)
    before = (tmp_path / "w").read_bytes()
    workspace.write("a", b"a")
    counted = Counted()
    with behind_every_door(counted):
        kept.save(workspace)
    after = (tmp_path / "w").read_bytes()
    assert before != after and counted.count > 3
    seen = []
    for number in range(1, counted.count + 1):
        for afterwards in (False, True):
            (tmp_path / "w").write_bytes(before)
            with behind_every_door(Killed(number, afterwards=afterwards)):
                assert was_killed(lambda: kept.save(workspace))
            seen.append((tmp_path / "w").read_bytes())
    assert {*seen} == {before, after}
    kept.save(workspace)
    assert (tmp_path / "w").read_bytes() == after
    guarded.seen.clear()


def test_names_that_are_none(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere" / "w", str(tmp_path) + "/"):
        with pytest.raises(InvalidArgs):
            KeptFile(path)
