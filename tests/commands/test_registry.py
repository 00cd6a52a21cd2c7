"""Commands are found by name; their modules are imported once, whoever asks first."""

import sys
import threading
from pathlib import Path

import pytest

from gitglass import commands
from gitglass.commands import registry


def test_a_module_is_not_handed_out_before_its_import_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slowly.py").write_text("import time\ntime.sleep(0.2)\nCOMMAND = 1\n")
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.setitem(registry.NAMES, "slow-ly", "slowly")
    found: list[bool] = []

    def ask() -> None:
        found.append(hasattr(registry.load("slow-ly"), "COMMAND"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    registry._LOADED.pop("slow-ly")
    sys.modules.pop("gitglass.commands.slowly")
    assert found == [True] * 4


def test_no_such_command() -> None:
    assert registry.load("nosuch") is None and registry.load("am") is None


@pytest.mark.parametrize(
    ("line", "about", "left"),
    [
        ("reflog show -n 1", "reflog", "-n 1"), ("reflog -n 1 show", "reflog", "-n 1 show"),
        ("reflog exists HEAD", "reflog exists", "HEAD"), ("reflog --oneline exists HEAD", "reflog", "--oneline exists HEAD"),
        ("worktree list -v", "worktree list", "-v"), ("worktree -v list", "worktree", "-v list"),
        ("submodule --quiet --cached status s", "submodule status", "--quiet --cached s"),
        ("submodule --recursive status", "submodule", "--recursive status"),
        ("remote -v get-url origin", "remote get-url", "-v origin"), ("stash -p list", "stash", "-p list"),
    ],
)  # fmt: skip
def test_a_subcommand_comes_first_or_behind_options_that_may_be_there(line: str, about: str, left: str) -> None:
    name, *words = line.split()
    found = registry.find(name, words)
    assert found is not None
    command, rest = found
    assert (command.name, " ".join(rest)) == (about, left)
