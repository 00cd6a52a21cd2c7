"""A third of the zoo, another one for each `GITGLASS_SEED`, asked a sample of everything in this process, under the guard.

`GITGLASS_ZOO=all` takes all members; `python -m tests.hostile.whole` asks everything, as a command line under strace
too. What is asked here moves along the list from member to member, so that each command meets members of every family.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from gitglass.limits import Limits

from .observer import CALLS, COMMANDS, TRUTH, ask, ask_library, ask_truth, prepare, snapshot
from .zoo import FAMILIES, ZOO

LIMITS = Limits(timeout=0.5)
ALLOWED = 6.0  # seconds: on a busy machine, modules still to be loaded; the deadline itself is measured by `whole`
EACH = 7
THIRD = int(os.environ.get("GITGLASS_SEED", "0")) % 3  # the same in every run of a commit, unless asked for
CHOSEN = [at for at in range(len(ZOO)) if os.environ.get("GITGLASS_ZOO") == "all" or at % 3 == THIRD]


def test_the_zoo_is_complete() -> None:
    assert len(ZOO) == sum(len(module.FAMILY.members) for module in FAMILIES) >= 250


@pytest.mark.parametrize("number", CHOSEN, ids=list(ZOO).__getitem__)
def test_member(number: int, unpack: Any, tmp_path: Path, watched: Any) -> None:
    member = list(ZOO.values())[number]
    clean = unpack("plain")
    repo, outside = prepare(member, clean, tmp_path)
    before = snapshot(repo)
    watched(os.path.realpath(tmp_path / "jail"))
    found: list[str] = []
    for at in range(EACH):
        found += ask(repo, COMMANDS[(number * EACH + at) % len(COMMANDS)], LIMITS, ALLOWED)
    found += ask_library(repo, LIMITS, ALLOWED, [number % len(CALLS), (number * 5 + 3) % len(CALLS)])
    if member.intact:
        watched(os.path.commonpath([os.path.realpath(clean), os.path.realpath(tmp_path)]))
        found += ask_truth(repo, clean, Limits(timeout=10), TRUTH[number % len(TRUTH)])
    assert not found
    assert snapshot(repo) == before
    assert not (outside / "ran").exists()
