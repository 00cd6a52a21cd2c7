"""native/compare.py: what a merge of two commits would conflict on, as git merge-tree has it."""

from typing import Any

BOTH = {"from_ref": "HEAD", "to_ref": "MERGE_HEAD", "mode": "conflicts"}


def test_conflicts_of_a_merge(ask: Any) -> None:
    answer = ask("git_compare", BOTH, "conflict", structured=True)
    assert answer.text == (
        "a merge of MERGE_HEAD into HEAD: 3 in conflict\n"
        "both.txt\n  CONFLICT (add/add): Merge conflict in both.txt\n"
        "src/app.py\n  CONFLICT (content): Merge conflict in src/app.py\n"
        "src/tools.py\n  CONFLICT (modify/delete): src/tools.py deleted in MERGE_HEAD and modified in HEAD.  "
        "Version HEAD of src/tools.py left in tree.\n"
    )
    assert (answer.shown, answer.total, answer.truncated) == (3, 3, False)
    rows = answer.result["entries"]
    assert [row["path"] for row in rows] == ["both.txt", "src/app.py", "src/tools.py"]
    assert rows[0]["messages"] == ["CONFLICT (add/add): Merge conflict in both.txt"]
    assert (answer.result["clean"], answer.result["tree"]) == (False, "e82407f720324838972a9507fb53028f97860c22")


def test_conflicts_in_pages(ask: Any) -> None:
    first = ask("git_compare", {**BOTH, "max_count": 2}, "conflict")
    assert (first.shown, first.total, first.truncated) == (2, 3, True)
    rest = ask("git_compare", {**BOTH, "max_count": 2, "cursor": first.next_cursor}, "conflict")
    assert rest.body.splitlines()[0] == "src/tools.py" and rest.next_cursor is None


def test_conflicts_in_some_paths(ask: Any) -> None:
    answer = ask("git_compare", {**BOTH, "paths": ["src"]}, "conflict")
    assert answer.text.startswith(
        "a merge of MERGE_HEAD into HEAD: 2 in conflict in those paths, 1 in others\nsrc/app.py\n"
    )


def test_no_conflicts(ask: Any) -> None:
    for asked in ({"mode": "conflicts"}, {"merge_conflicts": True}, {"mode": "merge-tree"}):
        answer = ask("git_compare", {"from_ref": "v1.0", "to_ref": "HEAD", **asked}, structured=True)
        assert answer.text == "a merge of HEAD into v1.0: no conflict\n" and answer.result["clean"] is True
