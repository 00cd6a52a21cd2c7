"""tests/REQUIREMENTS.md is what the tests are, and nothing that documents 0 and 3 number is missing without a reason."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parent.parent / "fixtures" / "scripts" / "requirements.py"

sys.path.insert(0, str(SCRIPT.parents[2]))
try:
    from tests.mutants.table import mutants, rows_with_mutants
finally:
    del sys.path[0]


def script() -> Any:
    spec = importlib.util.spec_from_file_location("requirements", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_the_tests() -> None:
    made = script()
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "python fixtures/scripts/requirements.py --write"


def test_every_number_is_held_or_has_a_reason() -> None:
    made = script()
    found = made.held()
    assert set(found["0"]) == set(made.ZEROTH)
    assert len(made.THIRD) == 88
    assert set(found["3"]) | set(made.OPEN) == set(made.THIRD)
    assert not set(found["3"]) & set(made.OPEN)
    assert len(found["1"]) >= 8 and len(found["2"]) >= 12


def test_only_what_a_mutant_proves_counts() -> None:
    """Each requirement with a test has a mutant that `python -m tests.mutants` catches (CI runs it)."""
    made = script()
    assert {name for rows in made.named().values() for name in rows} == rows_with_mutants()


def test_the_mutants_apply() -> None:
    found = list(mutants())
    assert len(found) >= 200 and len({(one.file, one.old, one.new, one.tests) for one in found}) == len(found)
    assert [str(one) for one in found if not one.applies or not one.tests] == []  # that it is Python the check says
    assert sum(bool(one.survives) for one in found) <= 0.05 * len(found)


def test_ids_are_read_from_names() -> None:
    numbered = script().numbered
    assert numbered("test_t_git_err_03_timeout_01_02") == ["T-GIT-ERR-03", "T-GIT-TIMEOUT-01", "T-GIT-TIMEOUT-02"]
    assert numbered("test_t_git_int_05_to_08") == [f"T-GIT-INT-{number:02}" for number in (5, 6, 7, 8)]
    assert numbered("test_t_git_diff_02_needs_a_write_grant") == ["T-GIT-DIFF-02"]
    assert numbered("test_t_git_sec_02_of_what_would_write") == ["T-GIT-SEC-02"]
