"""docs/review.md: its keys, options, pictures and names are those that there are."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from gitglass.workspace.review.script import main
from gitglass.workspace.review.terminal import HELP

from ...support.browser import size_of

DOCS = Path(__file__).resolve().parents[3] / "docs"
GUIDE = (DOCS / "review.md").read_text(encoding="utf-8")


def keys(heading: str) -> set[str]:
    """The keys in the table below a heading."""
    part = GUIDE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {key for row in rows for key in re.findall(r"`([^`]+)`", row)}


def test_the_keys_of_the_terminal() -> None:
    assert keys("In the terminal") == set(re.findall(r"(?:^|  )([a-z?])  ", HELP, re.MULTILINE))


def test_the_keys_of_the_app() -> None:
    pytest.importorskip("textual")
    from gitglass.workspace.review.app.review_app import ReviewApp

    bound = {key for binding in ReviewApp.BINDINGS for key in binding.key.split(",")}  # type: ignore[union-attr]
    names = {"↓": "down", "↑": "up", "?": "question_mark"}
    assert {names.get(key, key) for key in keys("Side by side")} - {"tab"} <= bound
    assert bound - {"shift+y", "shift+n", "pagedown", "pageup"} <= {names.get(key, key) for key in keys("Side by side")}


def test_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    there = set(re.findall(r"--[a-z-]+|-C", capsys.readouterr().out))
    named = {
        word
        for line in re.findall(r"^gitglass-review .*", GUIDE, re.MULTILINE)
        for word in re.findall(r"(?<= )--?[A-Za-z-]+", line)
    }
    assert named <= there and {"--app", "--page", "--branch", "--by"} <= named


def test_the_pictures_are_there_and_small() -> None:
    pictures = set(re.findall(r"\]\((pictures/[^)]+\.png)\)", GUIDE))
    assert pictures == {f"pictures/{path.name}" for path in (DOCS / "pictures").iterdir()}
    for name in pictures:
        data = (DOCS / name).read_bytes()
        assert len(data) < 250_000 and 800 <= size_of(data)[0] <= 1400


def test_what_the_example_names() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.ImportFrom):
            assert all(hasattr(importlib.import_module(node.module or ""), alias.name) for alias in node.names)
