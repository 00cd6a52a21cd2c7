"""The documents keep their word: generated tables and pages are current, links lead somewhere, examples run."""

import importlib.util
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROSE = "".join(
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/guide.md", "docs/changing.md", "docs/agents.md")
)


def test_the_table_is_up_to_date() -> None:
    made = runpy.run_path(str(ROOT / "fixtures/scripts/compatibility.py"))["table"]()
    assert made in (ROOT / "README.md").read_text(encoding="utf-8"), "run fixtures/scripts/compatibility.py --write"


def test_ci_finds_the_test_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "<!-- test command -->\n```sh\n" in text


def test_the_tables_of_tools_and_profiles_are_up_to_date() -> None:
    text = (ROOT / "docs/agents.md").read_text(encoding="utf-8")
    for made in runpy.run_path(str(ROOT / "fixtures/scripts/agents.py"))["TABLES"].values():
        assert made() in text, "run fixtures/scripts/agents.py --write"


def test_the_generated_pages_are_up_to_date() -> None:
    for name, made in runpy.run_path(str(ROOT / "fixtures/scripts/reference.py"))["pages"]().items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == made, "run fixtures/scripts/reference.py --write"


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_what_the_examples_import_is_there() -> None:
    """The lines of the Python examples that import from gitglass."""
    text = PROSE
    lines = re.findall(r"^from (gitglass\S*) import ([\w, ]+)", text, re.MULTILINE)
    assert len(lines) >= 4
    for module, names in lines:
        needed = {
            "gitglass.agent.adapters.pydantic_ai": "pydantic_ai",
            "gitglass.agent.adapters.langchain": "langchain_core",
        }
        if importlib.util.find_spec(needed.get(module, "gitglass")) is not None:
            found = importlib.import_module(module)
            for name in names.split(","):
                importlib.import_module(f"{module}.{name.strip()}") if name.strip() == "aio" else getattr(
                    found, name.strip()
                )


#: the Python examples that stand by themselves; those of frameworks need their models
BLOCKS = [block for block in re.findall(r"```python\n(.*?)```", PROSE, re.DOTALL) if "adapters" not in block]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_runs_as_it_stands(block: str, tmp_path: Path, unpack: Any) -> None:
    """As a user would: copied to a file, with the name of a repository of his own in it, run by a fresh Python."""
    project = tmp_path / "project"
    shutil.copytree(unpack("releases"), project, symlinks=True)
    script = tmp_path / "script.py"
    script.write_text(block.replace("/workspace/project", str(project)))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_there_are_examples_that_run() -> None:
    assert len(BLOCKS) == 10
