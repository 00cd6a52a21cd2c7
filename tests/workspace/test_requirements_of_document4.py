"""tests/workspace/REQUIREMENTS.md names tests that exist, and no requirement of document 4 is left out."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = (HERE / "REQUIREMENTS.md").read_text(encoding="utf-8")


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)
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
