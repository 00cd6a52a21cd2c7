"""Five seconds beside a git that never rests; `python -m tests.live.churn --minutes 10` goes on longer."""

import shutil
from pathlib import Path

import pytest

from .__main__ import churn

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]


def test_readers_beside_a_git_that_never_rests(tmp_path: Path) -> None:
    report, world = churn(tmp_path, 5, readers=8, seed=11, processes=1)
    assert not report.faults, report.faults[:5]
    assert sum(report.reads.values()) > 100 and len(world.steps) > 10
