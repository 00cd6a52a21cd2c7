"""agent/native/patches.py: what is left out of diffs, always named with its counts; rows of combined patches."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.agent import Budget, Roots, ToolAnswer, ToolContext, tools

TOOLS = {tool.name: tool for tool in tools()}
LEFT = re.compile(r"^\[gitglass: (lock file|generated) left out, \+([\d,]+) -([\d,]+) lines; name it in paths", re.M)


def ask(top: Any, name: str, arguments: dict[str, Any], **host: Any) -> ToolAnswer:
    answer = TOOLS[name].call(arguments, ToolContext(Roots(top), budget=Budget(10**9), **host))
    assert not answer.is_error, answer.text
    return answer


def numstat(top: Any, *argv: str) -> dict[str, tuple[int, int]]:
    """git's counts of text files, by path."""
    lines = gitglass.git([*argv], cwd=top).stdout.decode().splitlines()
    found = [line.split("\t") for line in lines if line.count("\t") == 2]
    return {path: (int(added), int(deleted)) for added, deleted, path in found if added != "-"}


def files(text: str) -> dict[str, str]:
    parts = re.split(r"^(?=diff --)", text, flags=re.M)
    return {re.match(r"diff --(?:git a/|cc )(\S+)", part)[1]: part for part in parts if part.startswith("diff --")}  # type: ignore[index]


HIDDEN = {"uv.lock": "lock file", "gen/api.txt": "generated", "dist/app.min.js": "generated"}


@pytest.mark.parametrize(
    ("name", "arguments", "argv"),
    [
        ("git_diff", {"from_ref": "v1.0", "to_ref": "v1.1"}, ["diff", "--numstat", "v1.0", "v1.1"]),
        ("git_diff", {"from_ref": "v1.1", "to_ref": "v1.0"}, ["diff", "--numstat", "v1.1", "v1.0"]),
        ("git_show", {"rev": "other"}, ["show", "--numstat", "other"]),
        ("git_show", {"rev": "v1.0"}, ["show", "--numstat", "v1.0"]),
        ("git_log", {"rev": "v1.0", "mode": "patch"}, ["log", "--numstat", "v1.0"]),
    ],
)
def test_every_file_is_named_and_counted_as_git_counts(unpack: Any, name: str, arguments: Any, argv: list[str]) -> None:
    top = unpack("releases")
    shown = files(ask(top, name, arguments).text)
    counts = numstat(top, *argv)
    assert counts.keys() <= shown.keys()
    for path, (added, deleted) in counts.items():
        left = LEFT.search(shown[path])
        assert (left and left[1]) == HIDDEN.get(path), path
        if left:
            assert (int(left[2]), int(left[3])) == (added, deleted)
            assert "\n@@" not in shown[path] and "\n+++" not in shown[path]
        else:
            assert shown[path].count("\n+") - shown[path].count("\n+++ ") == added


def test_the_attribute_decides_either_way(unpack: Any) -> None:
    shown = files(ask(unpack("releases"), "git_diff", {"from_ref": "v1.0", "to_ref": "v1.1"}).text)
    assert "left out" in shown["gen/api.txt"]  # linguist-generated
    assert "+a = 2" in shown["gen/hand.py"]  # -linguist-generated, below gen/
    assert "+k(2)" in shown["dist/keep.min.js"]  # linguist-generated=false, though its name says so
    assert "left out" in shown["dist/app.min.js"]  # by its name alone


@pytest.mark.parametrize("paths", [["gen/api.txt"], ["gen/api.txt", "uv.lock", "dist/app.min.js"]])
def test_what_is_named_is_shown(unpack: Any, paths: list[str]) -> None:
    top = unpack("releases")
    for name, arguments in (
        ("git_diff", {"rev": "v1.0..v1.1"}),
        ("git_show", {"rev": "other^"}),
        ("git_log", {"mode": "patch"}),
    ):
        assert "left out" not in ask(top, name, {**arguments, "paths": paths}).text
    assert "left out" in ask(top, "git_diff", {"rev": "v1.0..v1.1", "paths": ["gen"]}).text  # a directory is no name
    assert "left out" not in ask(top, "git_log", {"lines": "1,2:gen/api.txt"}).text


def test_typed_rows_leave_the_same_out_and_say_so(unpack: Any) -> None:
    answer = ask(unpack("releases"), "git_diff", {"rev": "v1.0..v1.1"}, structured=True)
    assert answer.result is not None
    rows = {row["path"]: row for row in answer.result["files"]}
    for path, row in rows.items():
        assert row.get("left_out") == HIDDEN.get(path)
        assert (row["hunks"] is None) == (path in HIDDEN) and row["added"] is not None
    (commit,) = ask(
        unpack("releases"), "git_log", {"rev": "other", "mode": "patch", "max_count": 1}, structured=True
    ).result["commits"]  # type: ignore[index]
    assert {row["path"]: row.get("left_out") for row in commit["files"]}["uv.lock"] == "lock file"


def test_the_repository_s_prefixes_do_not_hide_a_path(unpack: Any, tmp_path: Path) -> None:
    place = tmp_path / "prefixed"
    shutil.copytree(unpack("releases"), place, symlinks=True)
    for setting in ("noprefix = true", "mnemonicPrefix = true"):
        with (place / ".git/config").open("a") as file:
            file.write(f"[diff]\n\t{setting}\n")
        text = ask(place, "git_diff", {"rev": "v1.0..v1.1"}).text
        assert text == ask(unpack("releases"), "git_diff", {"rev": "v1.0..v1.1"}).text


def test_quoted_paths(unpack: Any, tmp_path: Path) -> None:
    place = tmp_path / "quoted"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    (place / ".gitattributes").write_text("na*ve* linguist-generated\n")
    text = ask(place, "git_show", {"rev": "v2.0"}).text
    part = next(part for part in re.split(r"^(?=diff --)", text, flags=re.M) if "303" in part.split("\n")[0])
    assert LEFT.search(part) and part.startswith('diff --git "a/na\\303\\257ve file.txt"')


# ------------------------------------------------------------------------------------------------------ combined patches
def test_a_merge_has_typed_rows(unpack: Any) -> None:
    top = unpack("releases")
    answer = ask(top, "git_show", {"rev": ":/Merge"}, structured=True)
    assert answer.result is not None
    rows = {row["path"]: row for row in answer.result["files"]}
    names = gitglass.git(["show", "--cc", "--name-status", "--format=", ":/Merge"], cwd=top).stdout.decode()
    assert {path: row["status"] for path, row in rows.items()} == dict(
        reversed(line.split("\t"))
        for line in names.splitlines()  # type: ignore[misc]
    )
    counts = numstat(top, "show", "--cc", "--numstat", "--format=", ":/Merge")
    assert {path: (row["added"], row["deleted"]) for path, row in rows.items()} == {path: counts[path] for path in rows}
    assert rows["uv.lock"]["left_out"] == "lock file" and rows["src/app.py"]["new_oid"]
    assert "+40 -80 lines" in answer.text  # what either side lacked, or had


def test_a_conflict_has_typed_rows(unpack: Any) -> None:
    answer = ask(unpack("conflict"), "git_diff", {}, structured=True)
    assert answer.result is not None
    rows = answer.result["files"]
    assert len(rows) == answer.text.count("diff --cc ") > 0
    assert {row["status"] for row in rows} == {"U"}


def test_commits_of_the_library_have_them_too(unpack: Any) -> None:
    (commit,) = gitglass.open(unpack("releases")).show(":/Merge").commits
    assert [(file.status, file.path) for file in commit.files] == [("MM", "src/app.py"), ("MM", "uv.lock")]
