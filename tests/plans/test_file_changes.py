"""plans/file_changes.py: changes as typed rows."""

from typing import Any

import pytest

from gitglass.diff.changes import Change, Contents, Filespec
from gitglass.diff.combined import CombinedPath, Side
from gitglass.diff.spec import DiffSpec, Formats
from gitglass.limits import Context
from gitglass.plans.file_changes import combined_changes, file_changes
from gitglass.request.rows.diff import FileChange, HunkRow

PLAIN = 0o100644


@pytest.fixture
def side(odb: Any) -> Any:
    """side(path, data): a file of that content."""
    return lambda path, data, mode=PLAIN: Filespec(path, mode, odb.add(b"blob", data))


@pytest.fixture
def row(contents: Contents, ctx: Context) -> Any:
    """row(status, old, new, **formats): the row of one change."""

    def make(status: str, old: Filespec, new: Filespec, score: int = 0, **formats: bool) -> FileChange:
        spec = DiffSpec(formats=Formats(**formats))
        (made,) = file_changes([Change(status, old, new, score)], contents, spec, ctx=ctx)
        return made

    return make


def test_a_file_that_changed(row: Any, side: Any) -> None:
    old, new = side(b"a", b"1\n2\n3\n"), side(b"a", b"1\nx\ny\n3\n", 0o100755)
    assert row("M", old, new) == FileChange(
        "M", "a", old_mode="100644", new_mode="100755", old_oid=old.oid.hex(), new_oid=new.oid.hex(), added=2, deleted=1
    )
    made = row("M", old, new, patch=True)
    assert made.hunks == [HunkRow(1, 3, 1, 4, "", [" 1", "-2", "+x", "+y", " 3"])]
    assert (made.added, made.deleted) == (2, 1)


def test_lines_are_counted_unless_only_names_were_asked_for(row: Any, side: Any) -> None:
    old, new = side(b"a", b"1\n"), side(b"a", b"2\n")
    assert (row("M", old, new, numstat=True).added, row("M", old, new, name_only=True).added) == (1, None)
    assert row("U", old, new).added is None
    assert row("M", side(b"a", b"\0"), new, patch=True).binary
    assert row("M", side(b"a", b"\0"), new).added is None


def test_files_that_come_go_and_move(row: Any, side: Any) -> None:
    here, nothing = side(b"a", b"1\n2\n"), Filespec(b"a")
    come, gone = row("A", nothing, here, patch=True), row("D", here, nothing, patch=True)
    assert (come.path, come.old_path, come.old_mode, come.old_oid, come.added) == ("a", None, "000000", None, 2)
    assert come.hunks is not None and (come.hunks[0].old_start, come.hunks[0].new_start) == (0, 1)
    assert (gone.path, gone.new_oid, gone.deleted) == ("a", None, 2)
    moved = row("R", here, side(b"b\xff", b"1\n2\n"), 90)
    assert (moved.path, moved.old_path, moved.score) == ("b\ufffd", "a", 90)


def test_a_tree_has_no_lines(row: Any, odb: Any) -> None:
    made = row("A", Filespec(b"d"), Filespec(b"d", 0o040000, odb.add(b"tree", b"")))
    assert (made.new_mode, made.added, made.deleted) == ("040000", None, None)


def test_a_merge_is_against_its_first_parent(contents: Contents, odb: Any, ctx: Context) -> None:
    one, two, both = (odb.add(b"blob", data) for data in (b"1\n", b"2\n", b"1\n2\n"))
    sides = [Side(PLAIN, one, b"old", "R"), Side(PLAIN, two, b"a", "M")]
    paths = [
        CombinedPath(b"a", PLAIN, both, sides),
        CombinedPath(b"b", 0, None, [Side(PLAIN, one, b"b")] * 2, in_work_tree=True),
    ]
    merged, conflict = combined_changes(paths, contents, DiffSpec(formats=Formats(patch=True)), ctx=ctx)
    assert (merged.status, merged.old_path, merged.path, merged.added, merged.deleted) == ("RM", "old", "a", 1, 0)
    assert merged.hunks is None and merged.old_oid == one.hex()
    assert (conflict.status, conflict.old_path, conflict.added, conflict.deleted) == ("U", None, 0, 1)
