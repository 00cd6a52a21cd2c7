"""request/rows/blame.py: runs of lines, and the same by commit."""

from gitglass.request.rows.blame import BlameResult, BlameRun


def run(oid: str, line: int, count: int = 1) -> BlameRun:
    return BlameRun(oid, "A", "a@x", 0, 90, "s", "f", line, line, count, False, True, ["x"] * count)


def test_commits_in_the_order_of_their_first_line_with_all_their_runs() -> None:
    runs = [run("b", 1), run("a", 2, 2), run("b", 4), run("c", 5), run("a", 6)]
    groups = BlameResult(path="f", runs=runs).by_commit()
    assert list(groups) == ["b", "a", "c"]
    assert [[one.line for one in group] for group in groups.values()] == [[1, 4], [2, 6], [5]]


def test_a_file_without_lines() -> None:
    result = BlameResult(path="f", runs=[])
    assert result.by_commit() == {} and (result.truncated, result.total) == (False, None)


def test_an_answer_as_data() -> None:
    (row,) = BlameResult(path="f", runs=[run("a", 3, 2)]).model_dump()["runs"]
    assert row == {
        "oid": "a", "author": "A", "mail": "a@x", "time": 0, "zone": 90, "summary": "s", "path": "f", "line": 3,
        "original_line": 3, "count": 2, "boundary": False, "committed": True, "lines": ["x", "x"],
    }  # fmt: skip
