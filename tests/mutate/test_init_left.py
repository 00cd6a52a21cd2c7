"""`init` is killed at every call; the next one there makes the repository, and takes away or finishes what was left."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.init_kills import GRANT, fresh, init, judge_init

from gitglass.errors import Conflict
from gitglass.mutate.calls import Calls, process_start
from gitglass.mutate.init import plan_init, young_name
from gitglass.request.init import InitRequest

pytestmark = pytest.mark.writes


@pytest.mark.parametrize("bare", [False, True])
def test_a_kill_at_every_call(bare: bool, tmp_path: Path, guarded: Any) -> None:
    judged = judge_init(tmp_path, bare=bare)
    assert judged.faults == [] and judged.killed == judged.calls + 1
    assert judged.back > 5 and judged.forward
    guarded.seen.clear()  # children are forked by the test


def test_what_a_living_process_makes_is_left_alone(tmp_path: Path) -> None:
    place = fresh(tmp_path)
    own = place / "top" / os.fsdecode(young_name())
    others = [own, place / "top/.git.gitglass-words", place / "top/.git.gitglass-1-1-1-0123456789ab"]
    for one in others:
        one.mkdir()
    plan = plan_init(place, InitRequest(directory="top"), GRANT, default_branch="main")
    assert plan.left == () and not any("removed" in line for line in plan.preview.lines)
    init(place, False, Calls())
    assert all(one.exists() for one in others)


def test_the_plan_names_what_goes(tmp_path: Path) -> None:
    place = fresh(tmp_path)
    name = os.fsdecode(young_name()).replace(process_start(os.getpid()), "1")
    (place / "top" / name).mkdir()
    plan = plan_init(place, InitRequest(directory="top"), GRANT, default_branch="main")
    assert plan.left == (os.fsencode(name),)
    assert f"removed {name}: an interrupted init left it" in plan.preview.lines


@pytest.mark.parametrize("foreign", ["objects/info/alternates", "refs/heads/main", "objects/ab/cd", "config"])
def test_what_init_did_not_make_is_no_beginning(foreign: str, tmp_path: Path) -> None:
    """A part of somebody's repository is not made whole over their heads."""
    place = fresh(tmp_path)
    path = place / "top" / foreign
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"theirs\n")
    (place / "top/objects").mkdir(exist_ok=True)
    with pytest.raises(Conflict, match="a part of a repository"):
        plan_init(place, InitRequest(bare=True, directory="top"), GRANT, default_branch="main")
    assert path.read_bytes() == b"theirs\n"
