"""What is said of a review before its lines: the tree, the notes, what was decided, people and dates."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.workspace.review.model import Review
from gitglass.workspace.review.overview import moment, person, shown_file, state_of, tree_of

from ...support.reviewed import decided, staged


def files_of(*paths: str) -> Any:
    from gitglass.workspace.review.model import ReviewFile

    return [ReviewFile(path, "c", SimpleNamespace(path=path)) for path in paths]  # type: ignore[arg-type]


def test_the_tree() -> None:
    rows = tree_of(files_of("README.md", "src/deep/down/a.py", "src/deep/down/b.py", "x/a\x1b.py", "x/y/b.py"))
    assert [(row.depth, row.name, row.file is None) for row in rows] == [
        (0, "README.md", False), (0, "src/deep/down/", True), (1, "a.py", False), (1, "b.py", False),
        (0, "x/", True), (1, "a\\x1b.py", False), (1, "y/", True), (2, "b.py", False),
    ]  # fmt: skip


def test_notes_counts_and_folding() -> None:
    workspace, plan = staged()
    review = Review.of(workspace, plan)
    with workspace.working() as ctx:
        there = {file.path: shown_file(workspace, file, ctx, room=1000) for file in review.files}
        little = shown_file(workspace, review.files[1], ctx, room=5)
    assert (there["figures/total.py"].counts, there["docs/old-format.md"].counts) == ("+8 −7", "−3")
    assert there["scripts/run"].notes == ("mode", "38 bytes", "mode 100644 → 100755") and not there["scripts/run"].rows
    assert "Only the mode" in there["scripts/run"].nothing and there["logo.png"].notes[1] == "binary file, 4009 bytes"
    assert there["data/ledger.csv"].notes[-1] == "line endings changed: 3 lines"
    assert there["package-lock.json"].is_folded and there["package-lock.json"].notes[-1] == "generated"
    assert not there["figures/total.py"].is_folded and little.is_cut and len(little.rows) == 5


def test_lines_about_a_hunk_are_shown_once() -> None:
    """Hunks near each other share their lines: no number comes twice, none goes back."""
    workspace, plan = staged()
    review = Review.of(workspace, plan)
    with workspace.working() as ctx:
        for file in review.files:
            rows = shown_file(workspace, file, ctx, room=1000).rows
            for numbers in ([row.old for row in rows if row.old], [row.new for row in rows if row.new]):
                assert numbers == sorted(set(numbers)), file.path


def test_states() -> None:
    _, review = decided()
    states = {file.path: state_of(review, file) for file in review.files}
    assert states["figures/total.py"] == "part" and states["data/ledger.csv"] == "reject" and states["README.md"] == ""
    for file in review.files:
        review.decide(file.id, "accept")
        assert state_of(review, file) == "accept"


@pytest.mark.parametrize(("line", "name", "when"), [
    ("Ann <a@b> 1700000000 +0100", "Ann <a@b>", "2023-11-14 23:13 +0100"),
    ("Ann <a@b> 1700000000 -0330", "Ann <a@b>", "2023-11-14 18:43 -0330"),
    ("A\x1bnn <a@b> 1 +0000", "A\\x1bnn <a@b>", "1970-01-01 00:00 +0000"),
    ("Ann <a@b> 99999999999999999 +9999", "Ann <a@b>", "99999999999999999"),
    ("nobody", "nobody", ""),
])  # fmt: skip
def test_people(line: str, name: str, when: str) -> None:
    assert person(line) == (name, when)


def test_a_moment_of_no_calendar() -> None:
    assert moment(1 << 62) == str(1 << 62) and moment(0) == "1970-01-01 00:00 +0000"


def rows_of(old: bytes, new: bytes) -> list[Any]:
    """The rows of a file of one line that becomes another."""
    from gitglass.limits import Context
    from gitglass.workspace.review.hunks import hunks_between, lines_of
    from gitglass.workspace.review.lines import hunk_rows

    with Context() as ctx:
        hunks = tuple(hunks_between(b"f", old, new, ("1", "2"), ctx))
    return list(hunk_rows(lines_of(old), lines_of(new), hunks, 0))[1:]


@pytest.mark.parametrize("front", [0, 399, 401, 3_990, 4_010, 900_000])
def test_what_differs_in_a_long_line_is_seen(front: int) -> None:
    """Wherever in a line something changes, a person sees it before they say yes."""
    one, two = (b"x" * front + word + b"y" * 9_000 + b"\n" for word in (b"old", b"new"))
    gone, came = rows_of(one, two)
    assert "old" in gone.words and "new" in came.words and "what differs" not in gone.more + came.more
    assert (len(gone.words), len(came.words)) == (4_000, 4_000) and f"{front + 9_003} characters" in gone.more


def test_what_differs_beyond_what_is_shown_is_said() -> None:
    one, two = (b"a" + word * 2_000 + word[:1] + b"z" * 100 + b"\n" for word in (b"old", b"new"))
    gone, came = rows_of(one, two)
    assert gone.more == "… (6102 characters; what differs goes on to number 6002)" and gone.more == came.more
    short, long = rows_of(b"one\n", b"n" * 5_000)
    assert (short.words, short.more) == ("one", "") and len(long.words) == 4_000
    assert long.more == "… (5000 characters; what differs goes on to number 5000) (no newline at the end)"
    assert rows_of(b"same\n" + b"k" * 500 + b"\nx\n", b"same\n" + b"k" * 500 + b"\ny\n")[1].more == "… (500 characters)"


def test_long_lines_take_the_room_of_several() -> None:
    from gitglass.workspace.review.lines import Row
    from gitglass.workspace.review.overview import room_of

    assert [room_of(Row("+", 0, 1, "x" * size)) for size in (0, 199, 200, 4_000)] == [1, 1, 2, 21]
