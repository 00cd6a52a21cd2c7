"""The command line over members of the zoo under `strace -f`: what the kernel saw, where the audit hook sees Python only.

By default one member of each family and three commands each; `GITGLASS_ZOO=all` takes every member with ten commands.
`python -m tests.hostile.whole --who gitglass` asks the same with figures in place of dots (SECURITY.md).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .observer import COMMANDS, may_end, prepare
from .whole import Judged, judge_said, judge_trace, run_process, traced
from .zoo import FAMILIES, ZOO

SEED = int(os.environ.get("GITGLASS_SEED", "0"))
EVERYTHING = os.environ.get("GITGLASS_ZOO") == "all"
EACH = 10 if EVERYTHING else 3
SAMPLE = [(group := module.FAMILY.members)[SEED % len(group)].name for module in FAMILIES]


def can_trace() -> bool:
    """Whether there is a strace, and a kernel that lets it look."""
    try:
        return bool(shutil.which("strace")) and subprocess.run(["strace", "-o", os.devnull, "true"]).returncode == 0
    except OSError:
        return False


pytestmark = [pytest.mark.strace, pytest.mark.skipif(not can_trace(), reason="no strace here, or it may not look")]


@pytest.mark.parametrize("name", list(ZOO) if EVERYTHING else SAMPLE)
def test_member(name: str, unpack: Any, tmp_path: Path) -> None:
    repo, outside = prepare(ZOO[name], unpack("plain"), tmp_path)
    judged = run_process("gitglass", ZOO[name], repo, outside, tmp_path, {"gitglass": sys.executable}, EACH)
    assert not judged.faults, judged.examples


@pytest.mark.parametrize("argv", [COMMANDS[SEED % len(COMMANDS)], ["log", "-p", "--all"], ["no-such-command"]], ids=str)
def test_a_whole_process_from_its_start(argv: list[str], unpack: Any, tmp_path: Path) -> None:
    repo, _ = prepare(ZOO[SAMPLE[0]], unpack("plain"), tmp_path)
    command = [sys.executable, "-B", "-m", "gitglass", "--jail", *argv]
    status, out, err, lines, took, memory = traced(command, repo, tmp_path, 60)
    judged = Judged()
    judge_trace(lines, os.path.realpath(repo), os.path.realpath(tmp_path), judged, marked=False, spawns=False)
    judge_said(status, out, err, took, memory, 60, judged)
    assert not judged.faults, judged.examples
    assert may_end(argv, os.waitstatus_to_exitcode(status))


@pytest.mark.parametrize(
    "what, deed",
    [
        ("writes", "open('made', 'w')"),
        ("runs a program", "import subprocess; subprocess.run(['/bin/true'])"),
        ("opens a socket", "import socket; socket.socket()"),
        ("opens outside", "open('/etc/passwd')"),
        ("dies of a signal", "import os; os.kill(os.getpid(), 11)"),
    ],
)
def test_the_observer_sees(what: str, deed: str, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    status, out, err, lines, took, memory = traced([sys.executable, "-B", "-c", deed], repo, tmp_path, 60)
    judged = Judged()
    judge_trace(lines, os.path.realpath(repo), os.path.realpath(tmp_path), judged, marked=False, spawns=False)
    judge_said(status, out, err, took, memory, 60, judged)
    assert what in judged.faults
