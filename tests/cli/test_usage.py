"""The usage of a command: on stdout for `-h`, on stderr behind an unknown option."""

from typing import Any

import pytest

import gitglass
from gitglass.commands.registry import NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_first_line_names_the_command_once(name: str, unpack: Any) -> None:
    done = gitglass.git([name, "-h"], cwd=unpack("plain"))
    if name in ("rev-parse", "stash"):  # their first word decides
        return
    first = (done.stdout + done.stderr).decode().splitlines()[0]
    name = "log" if name in ("show", "whatchanged") else name  # which have the usage of log
    assert first.startswith(f"usage: git {name}") and first.count("usage:") == 1 and first.count(f"git {name}") == 1


@pytest.mark.parametrize("name", ["status", "branch", "cat-file", "ls-files", "diff"])
def test_an_unknown_option_is_followed_by_the_usage(name: str, unpack: Any) -> None:
    done = gitglass.git([name, "--nosuch"], cwd=unpack("plain"))
    alone = gitglass.git([name, "-h"], cwd=unpack("plain"))
    usage = alone.stdout + alone.stderr
    if name == "diff":  # which reads options as the revision walk does
        assert done.stderr.startswith(b"error: invalid option: --nosuch\n")
    else:
        assert (done.returncode, done.stderr) == (129, b"error: unknown option `nosuch'\n" + usage + b"\n")


def test_options_are_listed_with_their_values(unpack: Any) -> None:
    lines = gitglass.git(["count-objects", "-h"], cwd=unpack("plain")).stdout.decode().splitlines()
    assert any(line.startswith("    -v, --verbose ") for line in lines)
