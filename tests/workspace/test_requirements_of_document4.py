"""tests/workspace/REQUIREMENTS.md names tests that exist, and no requirement of document 4 is left out."""

import ast
import re
from pathlib import Path

from ..mutants.table import rows_of_document4

HERE = Path(__file__).resolve().parent
PAGE = (HERE / "REQUIREMENTS.md").read_text(encoding="utf-8")


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`([\w./]+\.py)::(\w+)`", PAGE)
    assert len(named) >= 50
    for file, name in named:
        functions = {
            node.name
            for node in ast.parse((HERE / file).read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef)
        }
        assert name in functions, f"{file}::{name}"


def test_every_requirement_has_a_row() -> None:
    rows = [line.split("|") for line in PAGE.splitlines() if line.startswith("| W")]
    ids = {row[1].split()[0] for row in rows}
    assert ids == {f"W4.{number}" for number in range(1, 19)} | {f"WX.{number}" for number in range(1, 10)}
    assert all("::" in row[2] or row[2].strip().startswith("open: ") for row in rows)
    assert sum(row[2].strip().startswith("open: ") for row in rows) <= 4


def test_of_every_row_a_test_was_seen_to_fail() -> None:
    """tests/mutants breaks what each row is about, and at least one of the row's tests notices (CI runs it)."""
    shown = rows_of_document4()
    tests = {test for named in shown.values() for test in named}
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) > 40
    for row in rows:
        words = row.split("|")[1].split()
        assert words[0] in shown, row
        named = {match.removeprefix("tests/") for match in re.findall(r"`([\w./]+\.py::\w+)`", row)}
        named |= (
            {"test_examples.py::test_the_story_of_a_workspace"} if "test_the_story_of_a_workspace" in row else set()
        )
        assert {name.removeprefix("../") for name in named} & tests, row
