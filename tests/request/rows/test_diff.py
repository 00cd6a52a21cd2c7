"""request/rows/diff.py: rows of a diff, what they hold when little is known."""

import pytest
from pydantic import TypeAdapter, ValidationError

from gitglass.request.rows.diff import DiffTotals, FileChange, HunkRow


def test_a_change_of_which_only_the_name_is_known() -> None:
    row = FileChange("M", "a")
    assert TypeAdapter(FileChange).dump_python(row) == {
        "status": "M", "path": "a", "old_path": None, "score": None, "old_mode": "000000", "new_mode": "000000",
        "old_oid": None, "new_oid": None, "added": None, "deleted": None, "binary": False, "hunks": None,
    }  # fmt: skip


def test_rows_come_back_from_json_as_they_went() -> None:
    row = FileChange("R", "b", old_path="a", score=90, hunks=[HunkRow(1, 2, 3, 4, "f()", ["-x", "+y"])])
    adapter = TypeAdapter(FileChange)
    again = adapter.validate_json(adapter.dump_json(row))
    assert again == row and again.hunks is not None and again.hunks[0].lines == ["-x", "+y"]
    assert (again.hunks[0].old_start, again.hunks[0].new_count, again.hunks[0].section) == (1, 4, "f()")


def test_sums_begin_at_nothing() -> None:
    assert DiffTotals() == DiffTotals(files=0, added=0, deleted=0) != DiffTotals(added=1)


def test_a_hunk_has_all_its_numbers() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(HunkRow).validate_python({"old_start": 1, "lines": []})
