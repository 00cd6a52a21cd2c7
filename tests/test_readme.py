"""The README keeps its word: the compatibility table is the one the commands make, and the test command is there."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_table_is_up_to_date() -> None:
    made = runpy.run_path(str(ROOT / "fixtures/scripts/compatibility.py"))["table"]()
    assert made in (ROOT / "README.md").read_text(encoding="utf-8"), "run fixtures/scripts/compatibility.py --write"


def test_ci_finds_the_test_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "<!-- test command -->\n```sh\n" in text
