"""Formats, dates and decorations against the installed git, over the fixture with history."""

import os
import shutil
import subprocess
from typing import Any

import pytest

import gitglass

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]
COMMANDS = [
    ["log", "--decorate", "--pretty=fuller", "--date=iso"],
    ["log", "--format=%h%d|%an|%aE|%ad|%s|%f|%b|%(trailers:only)|%+d|%-b|%<(20,trunc)%s|%w(30,2,4)%b%w()"],
    ["log", "--format=%C(auto)%h%d %C(bold blue)%an%Creset %>>(30)%s", "--color=always"],
    ["log", "--pretty=email"],
    ["log", "--pretty=raw", "--notes"],
    ["log", "--pretty=reference", "--date=raw"],
    ["log", "--date=format:%a_%b_%e_%j_%U_%%_%z_%Z"],
    ["log", "--since=2 weeks ago", "--oneline"],
    ["shortlog", "-nw40", "HEAD"],
    ["shortlog", "-sne", "--all"],
    ["show", "v2.0", "HEAD^{tree}", "HEAD"],
]


@pytest.mark.parametrize("argv", COMMANDS, ids=lambda argv: " ".join(argv)[:40])
def test_as_git(argv: list[str], unpack: Any) -> None:
    cwd = unpack("plain")
    env = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    env["GIT_OPTIONAL_LOCKS"] = "0"
    want = subprocess.run(["git", *argv], cwd=cwd, env=env, capture_output=True)
    got = gitglass.git(argv, cwd=cwd)
    assert (got.stdout, got.returncode) == (want.stdout, want.returncode)
