"""The profile mcp-server-git against the released package itself, where that is installed (group `compare`) and git is."""

import os
import random
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.skipif(find_spec("mcp_server_git") is None, reason="mcp-server-git is not installed"),
]

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("plain", "dirty", "conflict", "rebase", "detached", "bare", "packed", "empty", "unborn", "shallow", "linked",
         "submodule", "index", "sparse", "attributes")  # fmt: skip


def test_both_answer_alike(unpack: Any, tmp_path: Path) -> None:
    words = [word for name in NAMES for word in ("--repo", str(unpack(name)))]
    seed = str(random.randrange(1_000_000))
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC", "PYTHONPATH": str(ROOT / "src")}  # fmt: skip
    script = ROOT / "fixtures" / "scripts" / "compare_mcp_server_git.py"
    done = subprocess.run(
        [sys.executable, str(script), "-n", "20", "--seed", seed, *words], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "tools/list of the readers: equal" in done.stdout and "'equal'" in done.stdout
