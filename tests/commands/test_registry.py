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
