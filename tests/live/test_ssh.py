"""Fetch, push and ls-remote behind ssh against git's own services, which a stub in ssh's place starts."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.peers import commit, empty, planned, read, refs, run, said
from tests.support.programs import program

from gitglass.mutate.process.granted import Programs
from gitglass.mutate.writer import approve

pytestmark = [
    pytest.mark.live, pytest.mark.writes, pytest.mark.runs,
    pytest.mark.skipif(shutil.which("git") is None, reason="no git installed"),
]  # fmt: skip
SERVES = "import os, sys\nos.execv('/bin/sh', ['sh', '-c', sys.argv[-1]])"


@pytest.fixture
def up(tmp_path: Path) -> Path:
    made = tmp_path / "u'p!.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(made)], check=True)
    return made


@pytest.fixture
def granted(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "rooms").mkdir()
    return {"programs": Programs(ssh=program(tmp_path / "bin", "ssh", SERVES), rooms=str(tmp_path / "rooms"))}


def sound(repo: Path) -> bool:
    done = subprocess.run(["git", "fsck", "--strict"], cwd=repo, capture_output=True, text=True, check=False)
    return done.returncode == 0 and "error" not in done.stdout + done.stderr


def test_there_and_back(tmp_path: Path, up: Path, granted: dict[str, Any]) -> None:
    me = empty(tmp_path / "me", bare=False, origin=f"me@there:{up}")
    for number in range(130):
        (me / f"n{number}").write_text(f"{number}\n" * 500)
    run(me, "add", "-A")
    run(me, "commit", "-q", "-m", "many")
    run(me, "tag", "-a", "-m", "x", "v1")
    assert said(me, "push", "-q", "origin", "main", "v1", **granted) == (0, "", "") and sound(up)
    listed = subprocess.run(["git", "ls-remote", str(up)], capture_output=True, text=True, check=True).stdout
    assert said(me, "ls-remote", "origin", **granted)[1] == listed
    other = empty(tmp_path / "other", bare=False, origin=f"ssh://me@there:2222{up}")
    run(other, "pull", "-q", "origin", "main", **granted)
    two = commit(other, "two", name="g")
    assert said(other, "push", "-q", "origin", "main", **granted)[0] == 0 and refs(up)["refs/heads/main"] == two
    commit(me, "mine")
    assert "fetch first" in said(me, "push", "origin", "main", **granted)[2]
    assert said(me, "pull", "--rebase", "origin", "main", **granted)[0] == 0
    assert said(me, "push", "-q", "origin", "main", **granted)[0] == 0 and sound(up) and sound(me)
    hook = up / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho no thanks >&2\nexit 1\n")
    hook.chmod(0o755)
    three = commit(me, "three")
    status, _, err = said(me, "push", "origin", "main", **granted)
    assert status == 1 and "remote: no thanks" in err and "(pre-receive hook declined)" in err
    assert refs(up)["refs/heads/main"] != three


def test_four_at_once(tmp_path: Path, up: Path, granted: dict[str, Any]) -> None:
    me = empty(tmp_path / "me", bare=False, origin=f"there:{up}")
    commit(me, "one")
    run(me, "push", "-q", "origin", "main", **granted)
    plans = []
    for number in range(4):
        one = empty(tmp_path / f"c{number}", bare=False, origin=f"there:{up}")
        run(one, "pull", "-q", "origin", "main", **granted)
        plans.append((commit(one, f"by {number}"), one, *planned(one, "push", "origin", "main", **granted)))
    told: dict[str, int] = {}
    start = threading.Barrier(4)

    def push(oid: str, writer: Any, plan: Any) -> None:
        start.wait()
        told[oid] = writer.apply(plan, approve(plan, "t")).answer.status

    threads = [threading.Thread(target=push, args=(oid, writer, plan)) for oid, _, writer, plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winner = refs(up)["refs/heads/main"]
    assert sorted(told.values()) == [0, 1, 1, 1] and told[winner] == 0 and sound(up)
    assert all((read(one, "rev-parse", "origin/main") == oid) == (oid == winner) for oid, one, _, _ in plans)
