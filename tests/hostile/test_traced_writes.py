"""Hostile repositories are written to under `strace -f`, with a grant that names no program; and the judge sees.

Two members by default, other ones with each GITGLASS_SEED; `python -m tests.hostile.writes` takes all.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from .test_traced import can_trace
from .whole import Judged
from .writes import MARK, ask, judge_writes
from .zoo import ZOO

SEED = int(os.environ.get("GITGLASS_SEED", "0"))
NAMES = list(ZOO)
PLAN = {
    "7": {"top": "/r", "git": "/r/.git", "common": "/r/.git", "files": ["a/b"], "refs": ["refs/heads/x"], "index": True}
}
FD, GIT = "AT_FDCWD</r>", "5</r/.git>"


@pytest.mark.strace
@pytest.mark.skipif(not can_trace(), reason="no strace here, or it may not look")
@pytest.mark.parametrize("name", [NAMES[SEED % len(NAMES)], NAMES[(SEED + len(NAMES) // 2) % len(NAMES)]])
def test_member(name: str, unpack: Any, tmp_path: Path) -> None:
    judged, ended = ask(ZOO[name], unpack("plain"), tmp_path / "member")
    assert not judged.faults, judged.examples
    assert ended.total() > 10


@pytest.mark.parametrize(
    ("section", "call", "fault"),
    [
        ("apply", f'openat({GIT}, "index.lock", O_WRONLY|O_CREAT|O_EXCL, 0666) = 9', False),
        ("apply", f'linkat({GIT}, "gitglass/ops/1/lock-1", 7</r/.git/refs/heads>, "x.lock", 0) = 0', False),
        ("apply", f'mkdirat({FD}, "a", 0777) = 0', False),
        ("apply", 'unlinkat(6</r/a>, "b", 0) = 0', False),
        ("apply", f'symlinkat("/etc/passwd", {FD}, "a/b") = 0', False),
        ("apply", f'unlinkat({FD}, "c", 0) = -1 ENOENT', False),
        ("edit", f'unlinkat({FD}, "c", 0) = 0', False),
        ("apply", f'unlinkat({FD}, "c", 0) = 0', True),
        ("apply", f'renameat({FD}, "a/b", 8</elsewhere>, "b") = 0', True),
        ("apply", f'linkat({GIT}, "gitglass/x", {GIT}, "config", 0) = 0', True),
        ("apply", f'openat({GIT}, "hooks/post-commit", O_WRONLY|O_CREAT, 0777) = 9', True),
        ("apply", "fchmod(4</etc/shadow>, 0777) = 0", True),
        ("plan", f'openat({GIT}, "index.lock", O_WRONLY|O_CREAT|O_EXCL, 0666) = 9', True),
    ],
)
def test_the_judge_sees(section: str, call: str, fault: bool) -> None:
    judged = Judged()
    judge_writes([f'1 newfstatat({FD}, "{MARK}/{section}-7", 0, 0) = -1 ENOENT', f"1 {call}"], PLAN, judged)
    assert bool(judged.faults) is fault, judged.examples
