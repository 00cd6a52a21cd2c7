"""examples/: all of them run, without a network, and their answers are what the repository says."""

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of

import gitglass

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
#: what an example imports that may not be installed
_NEEDS = {"with_pydantic_ai": ["pydantic_ai"], "with_langchain": ["langchain", "langgraph"], "over_mcp": ["mcp"]}
NEEDS = _NEEDS | {f"change_{name}": needed for name, needed in _NEEDS.items()}
STEMS = sorted(path.stem for path in EXAMPLES.glob("*.py") if not path.stem.startswith("scripted"))
CHANGES = [name for name in STEMS if name.startswith("change_")]
STORIES = ["workspace_story"]
NAMES = [name for name in STEMS if name not in CHANGES + STORIES]


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


@pytest.mark.writes
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_staged_committed_with_a_yes_and_taken_back(name: str, example: Any, tmp_path: Path) -> None:
    top = copy_of("releases", tmp_path / "repo")
    refs, index = git(top, "for-each-ref"), git(top, "ls-files", "-s")
    answer, shown = example(name).main(str(top))
    commit = git(top, "rev-parse", "--short", "HEAD@{1}")
    assert answer == f"Committed {commit} (Add notes). Undid Commit: Add notes. Undid Stage 1 file(s): NOTES.txt."
    staged, committed, *undone = [preview.splitlines() for preview in shown]
    assert staged[0] == "Stage 1 file(s): NOTES.txt   risk Medium" and "index NOTES.txt: nothing" in staged[1]
    assert committed[0] == "Commit: Add notes   risk Medium"
    made = committed.index(f"  new commit {git(top, 'rev-parse', commit)}")
    assert committed[made - 1] == "    1 commit more" and committed[made + 2] == "      Add notes"
    assert [lines[1].strip() for lines in undone] == ["undoes: Commit: Add notes", "undoes: Stage 1 file(s): NOTES.txt"]
    assert (git(top, "for-each-ref"), git(top, "ls-files", "-s")) == (refs, index)
    assert git(top, "show", "-s", "--format=%an <%ae>", commit) == "Example Agent <agent@example.org>"
    with pytest.raises(SystemExit):  # the file is there, and might be somebody's
        example(name).main(str(top))


@pytest.mark.writes
@pytest.mark.parametrize("name", CHANGES)
def test_nothing_is_done_where_the_person_says_no(
    name: str, example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = copy_of("releases", tmp_path / "repo")
    before = git(top, "for-each-ref"), git(top, "ls-files", "-s")
    module = example(name)
    monkeypatch.setattr(sys.modules["scripted_change"].Person, "agrees", lambda *_: False)
    answer, shown = module.main(str(top))
    assert answer.startswith("I could not commit: ") and shown == []
    assert (git(top, "for-each-ref"), git(top, "ls-files", "-s")) == before
    assert not (top / ".git/gitglass/ops").exists()


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_starts_as_a_user_starts_it(name: str, tmp_path: Path) -> None:
    for needed in NEEDS.get(name, ()):
        pytest.importorskip(needed)
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, "") and "Undid Stage 1 file(s): NOTES.txt." in done.stdout


@pytest.mark.writes
@pytest.mark.loopback
def test_the_story_of_a_workspace(example: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was accepted is in the repositories, what was rejected is in none of them, and each step is told."""
    pushed = example("workspace_story").main(tmp_path)
    out = capsys.readouterr().out
    project, backup = pushed["project"], pushed["backup"]
    served = importlib.util.find_spec("gitglass.workspace.targets.remote") is not None
    assert ("server" in pushed, "skipped: " in out) == (served, not served)
    assert git(project, "log", "--format=%an: %s", "reports").splitlines() == [
        "Report Agent: Add quarterly report", "Olive Owner: Begin main",
    ]  # fmt: skip
    last = pushed.get("server", backup)
    subjects = git(last, "log", "--format=%an: %s", "reports").splitlines()
    assert subjects[:2] == ["Report Agent: Say which revenue", "Carl: Point to the reports"]
    assert "Report Agent: Say whom it is for, and what comes" in git(backup, "log", "--format=%an: %s", "reports")
    figures, report = git(last, "show", "reports:analysis.json"), git(last, "show", "reports:reports/q4.md")
    assert '"status": "final"' in figures and '"metrics": {}' in figures
    assert "Prepared for the board." in report and "Outlook" not in report and "Net revenue" in report
    for path in pushed.values():
        assert gitglass.git(["fsck", "--full", "--strict"], cwd=path).returncode == 0
        history = git(path, "log", "-p", "--all")
        assert "1500000" not in history and "still" not in history  # what was rejected never left
    steps = [
        "pulled 1 file", "comment: not audited yet: take the number out", "approval_denied: rejected: see my words",
        "not audited yet: take the number out\n", "(branch: reports, new branch)", "the branch is new",
        "comment: no forecasts, please", "a part was rejected", "accepted in part by olive", "over https",
        "conflict (non-fast-forward): Target has new commits since your base", "on_moved='rebase'", "What is where now",
    ]  # fmt: skip
    at = -1
    for step in steps:
        at = out.find(step, at + 1)
        assert at >= 0, step


@pytest.mark.writes
@pytest.mark.parametrize("name", STORIES)
def test_a_story_starts_as_a_user_starts_it(name: str, tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and "What is where now:" in done.stdout
    assert list(tmp_path.iterdir()) == []  # nothing is left behind


def test_each_is_in_the_readme_and_none_is_left_untested() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    assert {"plain_loop", "awaited", "with_pydantic_ai", "with_langchain"} <= set(NAMES)
    assert {"change_plain", "change_with_pydantic_ai", "change_with_langchain", "change_over_mcp"} == set(CHANGES)
    assert [name for name in STEMS if f"`{name}.py`" not in readme] == []


@pytest.mark.parametrize("name", STEMS)
def test_the_script_says_nothing_of_its_own(name: str) -> None:
    """Answers come from the tools: no object name, no commit's words stand in an example."""
    for node in ast.walk(ast.parse((EXAMPLES / f"{name}.py").read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert "Thirteen" not in node.value and "Ann Author" not in node.value
