"""Revisions, trees, descriptions and blame against the installed git: every line is a command."""

import os
import shlex
import shutil
import subprocess
from typing import Any

import pytest

import gitglass

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]

COMMANDS = """
rev-parse HEAD v1.0 v1.0^{} v1.0^{tree} HEAD~2^2 :/Change @ @{0}
rev-parse --symbolic --all
rev-parse --abbrev-ref --branches
rev-parse --symbolic-full-name main v1.0 topic
rev-parse main...topic
rev-parse --not v1.0..topic
rev-parse --symbolic HEAD^! HEAD^@ HEAD^-
rev-parse --short=4 --all
rev-parse --revs-only HEAD -n5 foo --all
rev-parse --flags HEAD -n 5 --foo app.py
rev-parse --sq HEAD topic
rev-parse --git-path index --git-path objects --git-common-dir --git-dir --show-toplevel --show-cdup
rev-parse HEAD:src/app.py :src/app.py HEAD:src
rev-parse --verify nosuch
rev-parse nosuch
rev-parse HEAD:nosuch
rev-parse :1:src/app.py
rev-parse HEAD^{blob}
rev-parse HEAD@{999}
rev-parse nosuch@{u}
rev-parse --disambiguate=1234
ls-tree -rt HEAD
ls-tree -l HEAD src/
ls-tree -d HEAD src
ls-tree -z --name-only HEAD
ls-tree --format=%(objectmode)|%(objectsize:padded)|%(path) -r HEAD
ls-tree --abbrev=4 HEAD nosuch src/app.py
cat-file -p HEAD
cat-file -p HEAD^{tree}
cat-file tag v1.0
cat-file commit v1.0
cat-file -s HEAD:README.md
describe
describe --tags --long HEAD~1
describe --all HEAD
describe --contains HEAD~2
describe --candidates=1 --tags HEAD
describe --match nosuch* --always
describe --exact-match
name-rev HEAD HEAD~2 v1.0
name-rev --tags --name-only HEAD~3
blame src/app.py
blame -w -M -C -C --porcelain src/app.py
blame --incremental src/tools.py
blame -c -e --date=short src/tools.py
blame --reverse v1.0..HEAD src/app.py
blame --ignore-rev HEAD~1 src/app.py
blame v1.0..topic -- src/app.py
blame --since=2023-11-15 src/app.py
blame -L /def/,+2 -L 1,1 src/app.py
blame -f -n -s --score-debug src/app.py
blame --color-lines src/app.py
blame nosuch
""".strip().splitlines()


@pytest.mark.parametrize("line", COMMANDS)
def test_as_git(line: str, unpack: Any) -> None:
    cwd = unpack("plain")
    argv = shlex.split(line)
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    want = subprocess.run(
        ["git", *argv], cwd=cwd, env={**env, "TZ": "UTC", "GIT_OPTIONAL_LOCKS": "0"}, capture_output=True
    )
    got = gitglass.git(argv, cwd=cwd)
    assert (got.stdout, got.returncode, bool(got.stderr)) == (want.stdout, want.returncode, bool(want.stderr))
