"""What a command line imports: the packages that take longer to import than it takes to answer stay out."""

import subprocess
import sys
from typing import Any

import pytest

HEAVY = ("pydantic", "pydantic_core", "inspect", "dataclasses", "email", "dulwich", "typing")

#: the thirty commonest, and their usual forms
COMMANDS = [
    ["rev-parse", "HEAD"],
    ["rev-parse", "--show-toplevel"],
    ["rev-parse", "--abbrev-ref", "HEAD"],
    ["status"],
    ["status", "-s"],
    ["status", "--porcelain=v2", "--branch"],
    ["log", "--oneline", "-n", "5"],
    ["log", "-p", "-n", "2"],
    ["log", "--graph", "--format=%h %an %s", "--since=2001-01-01"],
    ["log", "--stat", "--", "README.md"],
    ["diff"],
    ["diff", "--stat", "HEAD"],
    ["diff", "--cached", "--name-only"],
    ["show", "--stat", "HEAD"],
    ["show", "HEAD:README.md"],
    ["branch", "-a"],
    ["branch", "-vv"],
    ["branch", "--show-current"],
    ["tag", "-l"],
    ["ls-files"],
    ["ls-files", "--others", "--exclude-standard"],
    ["ls-tree", "-r", "HEAD"],
    ["blame", "-L1,2", "README.md"],
    ["rev-list", "--count", "HEAD"],
    ["merge-base", "HEAD", "HEAD"],
    ["describe", "--always"],
    ["cat-file", "-p", "HEAD"],
    ["config", "--get", "core.bare"],
    ["remote", "-v"],
    ["for-each-ref", "--format=%(refname)"],
    ["grep", "-n", "-e", "a"],
    ["shortlog", "-sn", "HEAD"],
    ["reflog"],
    ["stash", "list"],
    ["show-ref"],
    ["symbolic-ref", "HEAD"],
    ["check-ignore", "-v", "a"],
    ["--version"],
]
PROGRAM = f"""
import sys
from gitglass.cli.main import main
status = main(sys.argv[1:])
sys.stdout.flush()
print(status, *[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_common_command_imports_nothing_heavy(unpack: Any, command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command], cwd=unpack("packed"), capture_output=True, text=True
    )
    status, *heavy = done.stderr.splitlines()[-1].split()
    assert not heavy and status in ("0", "1"), done.stderr
