"""native/grep.py: of a long line the part with the match."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from gitglass.agent import Roots, ToolContext, tools

GREP = tools(only=["git_grep"])[0]
NOTE = "[gitglass: note: of lines longer than 1,000 bytes the part with the match is shown, between …]\n"


@pytest.fixture
def asked(unpack: Any, tmp_path: Path) -> Any:
    """asked(content, **arguments): a search in an untracked file of that content."""
    place = tmp_path / "repo"
    shutil.copytree(unpack("plain"), place, symlinks=True)

    def ask(content: str, structured: bool = False, **arguments: Any) -> Any:
        (place / "long.js").write_text(content, encoding="utf-8")
        ctx = ToolContext(Roots(place), structured=structured)
        return GREP.call({"paths": ["long.js"], "untracked": True, **arguments}, ctx)

    return ask


def test_the_middle_of_a_long_line(asked: Any) -> None:
    line = "é" * 1000 + "needle" + "ü" * 1000
    answer = asked(f"first\n{line}\nlast needle\n", pattern="needle")
    shown = "é" * 100 + "needle" + "ü" * 197
    assert answer.text == f"long.js:2:…{shown}…\nlong.js:3:last needle\n{NOTE}"
    rows = asked(f"first\n{line}\nlast needle\n", structured=True, pattern="needle").result["matches"]
    assert (rows[0]["text"], rows[0]["offset"], rows[0]["bytes"]) == (shown, 1800, 4006)
    assert rows[1]["text"] == "last needle" and "bytes" not in rows[1]


def test_the_ends_of_a_long_line(asked: Any) -> None:
    assert asked("needle" + "y" * 1000, pattern="needle").body == "long.js:1:needle" + "y" * 594 + "…\n"
    assert asked("x" * 1000 + "needle", pattern="needle").body == "long.js:1:…" + "x" * 200 + "needle\n"
    assert asked("x" * 994 + "needle", pattern="needle").text == "long.js:1:" + "x" * 994 + "needle\n"
    assert asked("x" * 994 + "needle", pattern="needle", ignore_case=True).text.endswith("xneedle\n")


def test_a_long_line_beside_a_match(asked: Any) -> None:
    answer = asked("a" * 1001 + "\nneedle\n\nb\nneedle\n", pattern="needle", context_lines=1)
    lines = answer.body.splitlines()
    assert lines == [
        "long.js-1-" + "a" * 600 + "…",
        "long.js:2:needle",
        "long.js-3-",
        "long.js-4-b",
        "long.js:5:needle",
    ]
    assert (answer.shown, answer.total) == (2, 2)
    apart = asked("needle\n" + "a\n" * 4 + "x" * 2000 + "needle\n", pattern="needle", context_lines=1)
    assert apart.body.splitlines()[2:] == ["--", "long.js-5-a", "long.js:6:…" + "x" * 200 + "needle"]


def test_only_the_names(asked: Any) -> None:
    assert asked("needle" * 1000, pattern="needle", mode="files").text == "long.js\n"
    assert asked("needle" * 1000, pattern="needle", mode="count").text == "long.js:1\n"
