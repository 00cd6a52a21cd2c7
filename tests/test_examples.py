"""examples/: all of them run, without a network, and their answers are what the repository says."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gitglass

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
#: what an example imports that may not be installed
NEEDS = {"with_pydantic_ai": ["pydantic_ai"], "with_langchain": ["langchain", "langchain_core"], "over_mcp": ["mcp"]}
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "scripted")


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name: str) -> Any:
        for needed in NEEDS.get(name, ()):
            pytest.importorskip(needed)
        sys.modules.pop(name, None)
        return importlib.import_module(name)

    return load


def git(top: Any, *argv: str) -> str:
    return gitglass.git(argv, cwd=top).stdout.decode().strip()


@pytest.mark.parametrize("name", NAMES)
def test_an_example_answers_from_the_repository(name: str, example: Any, unpack: Any) -> None:
    top = unpack("releases")
    since, line, commit = example(name).main(str(top))
    subjects = git(top, "log", "--format=%h %an  %s", "v1.1..HEAD").splitlines()
    files = git(top, "diff", "--name-only", "v1.1", "HEAD").splitlines()
    assert since == f"Since v1.1: {len(subjects)} commits ({'; '.join(subjects)}) in {', '.join(files)}."
    assert line == git(top, "log", "-1", "--format=%an, on %as, in %h.", "-S13", "--", "src/app.py")
    changed = len(git(top, "show", "--name-only", "--format=", "HEAD~2").splitlines())
    assert commit == git(top, "show", "-s", "--format=%h: %s", "HEAD~2") + f" ({changed} files)"


@pytest.mark.parametrize("name", NAMES)
def test_an_example_starts_as_a_user_starts_it(name: str, tmp_path: Path) -> None:
    """From any directory and without arguments: it unpacks a repository of its own."""
    for needed in NEEDS.get(name, ()):
        pytest.importorskip(needed)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Since v1.1: " in done.stdout and "HEAD~2" in done.stdout


def test_each_is_in_the_readme_and_none_is_left_untested() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    assert {"plain_loop", "awaited", "with_pydantic_ai", "with_langchain"} <= set(NAMES)
    assert [name for name in NAMES if f"`{name}.py`" not in readme] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_script_says_nothing_of_its_own(name: str) -> None:
    """Answers come from the tools: no object name, no commit's words stand in an example."""
    for node in ast.walk(ast.parse((EXAMPLES / f"{name}.py").read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert "Thirteen" not in node.value and "Ann Author" not in node.value
