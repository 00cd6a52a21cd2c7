"""A call that fails: a typed error, and everything as before; or done although; or recoverable. Nothing is lost.

A thirtieth of the operations with some faults each (another one with each GITGLASS_SEED), and every kind of fault at
some calls of two. All of them: `python -m tests.live.faults`.
"""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.all_cases import ALL
from tests.support.faults import KINDS, Faulty, suffer
from tests.support.kill_cases import CASES
from tests.support.kills import Source
from tests.support.writing import copy_of, done

from gitglass.errors import GitError, Unreadable
from gitglass.request.mutations import AddRequest

pytestmark = pytest.mark.writes
SEED = int(os.environ.get("GITGLASS_SEED", "0"))
PARTS = 30
#: without those that ask a server
NAMES = [name for name, case in ALL.items() if not case.served]


@pytest.mark.parametrize("name", NAMES[SEED % PARTS :: PARTS])
def test_faults_here_and_there(name: str, tmp_path: Path, guarded: Any) -> None:
    suffered = suffer(name, tmp_path, every=11, first=1 + SEED // PARTS % 11)
    assert suffered.faults == [] and suffered.faulted > 1
    guarded.seen.clear()  # the test copies repositories


@pytest.mark.parametrize(("name", "every"), [("restore", 11), ("commit -a", 23)])
def test_every_kind_of_fault(name: str, every: int, tmp_path: Path, guarded: Any) -> None:
    suffered = suffer(name, tmp_path, every=every, first=4, kinds=len(KINDS))
    assert suffered.faults == []
    assert suffered.done and suffered.back and suffered.recovered
    guarded.seen.clear()


def test_short_writes_are_no_fault(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "large").write_bytes(os.urandom(3 << 20))
    calls = Faulty(1, KINDS["short writes"])
    assert done(repo, AddRequest(paths=["large"]), calls).verified and calls.count > 20


def test_the_error_names_what_the_system_said(tmp_path: Path, guarded: Any) -> None:
    source = Source(CASES["add"], tmp_path, git=False)
    words = set()
    for number in range(1, source.calls, 5):
        try:
            source.carry_out(source.copy(f"{number}"), Faulty(number, KINDS["EROFS"]))
        except GitError as error:
            assert isinstance(error, Unreadable)
            words.add(error.message.rpartition(": ")[2])
    assert words == {os.strerror(errno.EROFS)}
    guarded.seen.clear()
