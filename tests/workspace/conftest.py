"""Workspaces over a base in memory: no file of the system is behind them."""

from itertools import count

import pytest
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.mutate.grant import Identity
from gitglass.workspace.model import Clock, Identities
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, add_commit

PEOPLE = Identities(Identity("Ann Author", "ann@example.com"), Identity("Agent", "agent@example.com"))


def clock() -> Clock:
    """Seconds that go on by one, and ids that are counted."""
    seconds, ids, changes = count(1_700_000_000), count(1), count(1)
    return Clock(lambda: next(seconds), 60, lambda: f"{next(ids):032x}", lambda: f"I{next(changes):040x}")


@pytest.fixture
def base() -> MemoryRepo:
    repo = MemoryRepo()
    add_commit(repo, FILES, message=b"Base\n")
    repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
    return repo


@pytest.fixture
def workspace(base: MemoryRepo) -> Workspace:
    return Workspace.over(gitglass.open(base), clock=clock(), identity=PEOPLE)
