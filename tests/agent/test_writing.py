"""What tools do with a change: handed on, or refused as not available; through argv too."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.writing import copy_of

import gitglass
from gitglass.agent.profiles.base import run_argv
from gitglass.agent.roots import Roots
from gitglass.agent.tool import ToolContext
from gitglass.agent.writing import carry_out
from gitglass.commands.policy import Level, Policy
from gitglass.errors import PermissionDenied, Unsupported
from gitglass.limits import Context
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.request.ref_mutations import BranchChange

pytestmark = pytest.mark.writes


def test_without_an_access_nothing_is_carried_out(tmp_path: Path) -> None:
    store = gitglass.open(copy_of("plain", tmp_path / "repo")).store
    with Context(store.limits) as ctx:
        with pytest.raises(Unsupported, match="gitglass only reads: branch"):
            carry_out(BranchChange(action="create", names=["made"]), store, ctx, None)
        ctx.policy = Policy()
        with pytest.raises(PermissionDenied):
            carry_out(BranchChange(action="create", names=["made"]), store, ctx, None)


def test_an_argv_is_carried_out_where_the_host_can_write(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    host = ToolContext(Roots([str(repo)]))
    store = gitglass.open(repo).store

    def run(*argv: str) -> tuple[int, bytes, bytes]:
        ctx = Context(store.limits)
        ctx.policy = Policy(level=Level.YOLO)
        outcome = run_argv(list(argv), store, ctx, host=host)
        return outcome.exit_code, outcome.stdout, outcome.stderr

    with pytest.raises(Unsupported):
        run("branch", "made")
    host.write = WriteAccess(WriteGrant(identity=Identity("A", "a@b")))
    assert run("branch", "made") == (0, b"", b"")
    assert run("branch", "made") == (128, b"", b"fatal: a branch named 'made' already exists\n")
    assert run("log", "-1", "--format=%D") == (0, b"HEAD -> main, tag: v2.0, made\n", b"")
    assert run("commit", "-m", "x")[0::2] == (1, b"")
