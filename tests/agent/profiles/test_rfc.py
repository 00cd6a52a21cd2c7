"""The profile `rfc` never writes, even where the host's access could."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.writing import copy_of, state_of

from gitglass.agent import Roots, ToolContext, tools
from gitglass.commands.policy import Level, Policy
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant

pytestmark = pytest.mark.writes


@pytest.mark.parametrize("op", ["push", "commit", "fetch", "clone", "add", "stash", "checkout", "reset", "branch"])
def test_it_never_writes(tmp_path: Path, op: str) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "README.md").write_text("unsaved\n")
    before = state_of(repo)
    write = WriteAccess(WriteGrant(identity=Identity("A", "a@b")))
    host = ToolContext(Roots([str(repo)]), policy=Policy(level=Level.YOLO), write=write)
    for args in ({}, {"args": ["made"]}, {"args": ["-m", "x"]}):
        tools("rfc")[0].call({"op": op, "repo": str(repo), **args}, host)
    assert state_of(repo) == before
