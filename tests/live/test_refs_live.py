"""Random ref commands through the installed git and through us."""

import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import gitglass

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]

FIELDS = [
    "refname",
    "refname:short",
    "refname:lstrip=-1",
    "objecttype",
    "objectname:short",
    "objectsize",
    "*objecttype",
    "*subject",
    "subject:sanitize",
    "contents:lines=2",
    "contents:body",
    "taggername",
    "authoremail:localpart",
    "creatordate:iso",
    "committerdate:short",
    "upstream:short",
    "upstream:track",
    "push",
    "HEAD",
    "symref",
    "worktreepath",
    "parent:short",
    "tree",
    "flag",
    "*refname:short",
    "color:red",
]
KEYS = [
    "refname",
    "-version:refname",
    "creatordate",
    "-committerdate",
    "objectsize",
    "-*committerdate",
    "upstream",
    "contents:size",
    "taggerdate",
]


def commands(seed: int) -> list[list[str]]:
    pick = random.Random(seed)
    made = []
    for _ in range(40):
        form = "".join(f"%({pick.choice(FIELDS)})" + pick.choice(["|", " ", ""]) for _ in range(pick.randint(1, 4)))
        name = pick.choice(["for-each-ref", "branch", "tag"])
        argv = [name, f"--format={form}", f"--sort={pick.choice(KEYS)}"]
        argv += (
            pick.sample([["--contains", "v1.0"], ["--merged", "main"], ["--points-at", "HEAD"], ["--color=always"]], 1)[
                0
            ]
            if pick.random() < 0.4
            else []
        )
        made.append(argv)
    plain = ("branch -avv", "branch -r", "tag -n2", "show-ref -d", "remote -v", "config -l --local")
    return made + [line.split() for line in plain]


@pytest.mark.parametrize("fixture", ["plain", "packed", "detached"])
def test_as_git(fixture: str, unpack: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cwd = unpack(fixture)
    env = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    monkeypatch.setenv("TZ", "UTC")
    for argv in commands(len(fixture)):
        theirs = subprocess.run(["git", *argv], cwd=cwd, env=env, capture_output=True, check=False)
        ours = gitglass.git(argv, cwd=cwd)
        assert (ours.stdout, ours.returncode) == (theirs.stdout, theirs.returncode), argv
