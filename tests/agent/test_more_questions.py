"""native/: questions beyond listing: counts, removals, old names, reflogs, equal patches, sizes; answered with git's values."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import regex  # noqa: F401  (loaded before the guard looks on: a pattern may need it)

from gitglass.agent import Budget, Roots, ToolContext, tools
from gitglass.agent.native import log
from gitglass.limits import Limits

TOOLS = {tool.name: tool for tool in tools()}


# ------------------------------------------------------------------------------------------------------ counted commits
def test_authors_are_counted_by_page(ask: Any) -> None:
    first = ask("git_log", {"mode": "authors", "max_count": 1}, structured=True)
    assert first.body == "     9\tAnn Proper <ann@proper.example>\n"
    assert (first.shown, first.total, first.noun, first.truncated) == (1, 2, "authors", True)
    assert first.result["authors"] == [{"name": "Ann Proper <ann@proper.example>", "commits": 9}]
    rest = ask("git_log", {"mode": "authors", "cursor": first.next_cursor})
    assert rest.body == "     1\tZoë Ünal <zoe@example.com>\n"


def test_authors_of_what_only_the_log_finds(ask: Any) -> None:
    """git's shortlog ignores -S; the log does not."""
    answer = ask("git_log", {"mode": "authors", "search": "value", "author": "Ann"})
    assert answer.body == "     2\tAnn Proper <ann@proper.example>\n"
    assert ask("git_log", {"mode": "authors", "search": "no such words"}).text.startswith("no commits match; ")


@pytest.mark.parametrize(
    ("arguments", "count"),
    [({}, 10), ({"merges": "exclude"}, 9), ({"search": "value"}, 3), ({"follow": True, "path": "src/tools.py"}, 3)],
)
def test_commits_are_counted(ask: Any, arguments: dict[str, Any], count: int) -> None:
    answer = ask("git_log", {"mode": "count", **arguments}, structured=True)
    assert (answer.text, answer.total, answer.truncated) == (f"{count}\n", count, False)
    assert answer.result["count"] == count


def test_a_count_of_nothing_says_why(ask: Any) -> None:
    answer = ask("git_log", {"mode": "count", "grep": "no such words"})
    assert (
        answer.text == "0: no commits match; 10 searched; grep in any letters: ignore_case=true\n" and answer.total == 0
    )
    assert "no path in HEAD matches '*.rs'" in ask("git_log", {"mode": "count", "paths": ["*.rs"]}).text


def test_counting_has_a_deadline(ask: Any) -> None:
    for mode in ("count", "authors"):
        answer = ask("git_log", {"mode": mode}, limits=Limits(timeout=0.0))
        assert answer.error["code"] == "timeout"


# ------------------------------------------------------------------------------------------------------- removed, renamed
def test_only_removals(ask: Any) -> None:
    both = ask("git_log", {"search": '"""Number 1."""'})
    assert [line.split()[0] for line in both.body.splitlines()] == ["0da9f27", "0be41cf", "27311ca"]
    removed = ask("git_log", {"search": '"""Number 1."""', "search_kind": "removed", "mode": "patch"})
    assert removed.body.startswith("0da9f27 ") and removed.total == 1
    assert '\n-    """Number 1."""\n' in removed.body
    never = ask("git_log", {"search": "A changed docstring.", "search_kind": "removed"})
    assert never.text.startswith("no commits match; ")


def test_what_is_said_of_search_kind(ask: Any) -> None:
    assert ask("git_log", {"search_kind": "regex"}).error["code"] == "invalid_args"
    with_lines = {"search": "x", "search_kind": "removed", "lines": "1,2", "path": "src/app.py"}
    assert "cannot be combined with lines" in ask("git_log", with_lines).text
    wrong = ask("git_log", {"search": "(", "search_kind": "regex"})
    assert wrong.is_error and wrong.error["code"] == "invalid_args"


def test_a_followed_file_is_named_as_it_was(ask: Any) -> None:
    lines = ask("git_log", {"follow": True, "path": "src/tools.py"}).body.splitlines()
    assert [line.split()[0] for line in lines] == ["94d6593", "0033b9e", "27311ca"]
    assert not lines[0].endswith("]")
    assert lines[1].endswith("  [src/util.py => src/tools.py]")
    assert lines[2].endswith("  [src/util.py]")
    medium = ask("git_log", {"follow": True, "path": "src/tools.py", "format": "medium"}).body
    assert medium.endswith("\n    [src/util.py]\n")


# ---------------------------------------------------------------------------------------------------------- lines, paths
def test_lines_of_the_one_path(ask: Any) -> None:
    inside = ask("git_log", {"lines": "8,13:src/app.py", "mode": "patch"})
    assert ask("git_log", {"lines": "8-13", "paths": ["src/app.py"], "mode": "patch"}).body == inside.body
    assert ask("git_log", {"lines": "8,13:src/app.py", "paths": "src/app.py", "mode": "patch"}).body == inside.body
    assert "@@ -8,6 +8,6 @@" in inside.body
    for wrong in (
        {"paths": ["src/app.py", "README.md"]},
        {"paths": "src/*.py"},
        {"mode": "stat", "path": "src/app.py"},
    ):
        assert ask("git_log", {"lines": "8,13", **wrong}).error["code"] == "invalid_args"


def test_lines_of_a_file_of_a_commit(ask: Any) -> None:
    answer = ask("git_show", {"rev": "HEAD", "paths": ["src/app.py"], "lines": "6-7"})
    assert answer.body == 'def part_2(value):\n    """Number 2."""\n'
    wide = ask("git_show", {"rev": "HEAD:src/app.py", "lines": "7", "context_lines": 1}, structured=True)
    assert wide.body == 'def part_2(value):\n    """Number 2."""\n    return value * 6\n'
    assert wide.result["first_line"] == 6
    assert ask("git_show", {"rev": "HEAD", "paths": ["src/app.py", "README.md"], "lines": "1"}).is_error


# --------------------------------------------------------------------------------------------------------- refs, reflogs
def test_reflogs(ask: Any) -> None:
    answer = ask("git_refs", {"kind": "reflog", "max_count": 2}, structured=True)
    assert answer.body == "790a245 HEAD@{0}: commit: Odd names\n10705f1 HEAD@{1}: commit: Delete the link, add a line\n"
    assert answer.result["refs"][1]["selector"] == "HEAD@{1}"
    assert answer.truncated and answer.noun == "entries"
    assert "main@{0}: " in ask("git_refs", {"kind": "reflog", "rev": "main"}).body
    assert ask("git_refs", {"kind": "reflog", "pattern": "nonesuch"}).error["code"] == "not_found"
    for wrong in (
        {"merged": "main"},
        {"sort": "newest"},
        {"pattern": "--all"},
        {"pattern": "main", "contains": "HEAD"},
    ):
        assert ask("git_refs", {"kind": "reflog", **wrong}).error["code"] == "invalid_args"


def test_stashes(ask: Any) -> None:
    lines = ask("git_refs", {"kind": "stash"}, "dirty").body.splitlines()
    assert len(lines) == 2 and lines[1].endswith(" stash@{1}: On main: An idea")
    nothing = ask("git_refs", {"kind": "stash"})
    assert (nothing.text, nothing.total, nothing.is_error) == ("nothing is stashed\n", 0, False)


def test_oldest_first_is_newest_first_turned_round(ask: Any) -> None:
    oldest = ask("git_refs", {"kind": "tags", "contains": "27311ca", "sort": "oldest"}).body.splitlines()
    assert len(oldest) == 3 and [line.split()[1] for line in oldest] == ["light", "v1.0", "v2.0"]


def test_a_commit_is_described(ask: Any) -> None:
    facts = dict(line.split(": ", 1) for line in ask("git_info", {"rev": "27311ca"}).body.splitlines())
    assert facts["commit"].startswith("27311ca ") and facts["describe"] == "light"
    assert facts["contained_in"] == "light"
    assert "\ncontained_in: no tag has it\n" in ask("git_info", {"rev": "HEAD"}, "rebase").body
    assert ask("git_info", {"rev": "nonesuch"}).error["code"] == "not_found"


# -------------------------------------------------------------------------------------------------------- equal patches
def test_equal_patches_are_marked_on_both_sides(ask: Any) -> None:
    answer = ask("git_compare", {"from_ref": "series", "cherry": True}, "rebase", structured=True)
    lines = answer.body.splitlines()
    assert lines[2] == "2 commits have a patch of the other side"
    assert [line for line in lines if line[1:3] == "= "] == [
        ">= f0d731a Ann Proper  One  (= 79a4d6e)",
        "<= 79a4d6e Ann Proper  One  (= f0d731a)",
    ]
    assert {one[:7]: other[:7] for one, other in answer.result["equal"].items()} == {
        "f0d731a": "79a4d6e",
        "79a4d6e": "f0d731a",
    }
    none = ask("git_compare", {"from_ref": "v1.0", "cherry": True})
    assert "\nno patch is on both sides\n" in none.body
    assert ">=" not in ask("git_compare", {"from_ref": "series"}, "rebase").body


# ---------------------------------------------------------------------------------------------------------------- sizes
def test_the_largest_changes_come_first_and_are_bounded(ask: Any) -> None:
    whole = ask("git_diff", {"rev": "0033b9e..HEAD", "mode": "largest"}, structured=True)
    lines = whole.body.splitlines()
    assert lines[0].startswith(f" {len(lines) - 1} files changed, ")
    sizes = [-1 if line[0] == "-" else sum(map(int, line.split("\t")[:2])) for line in lines[1:]]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[-2]
    assert [row["path"] for row in whole.result["files"]][:1] == [lines[1].split("\t")[2]]
    first = ask("git_diff", {"rev": "0033b9e..HEAD", "mode": "largest", "max_count": 2})
    assert first.body.splitlines() == lines[:3]
    assert (first.shown, first.total, first.truncated, first.reason) == (2, len(lines) - 1, True, "max_items")
    rest = ask("git_diff", {"rev": "0033b9e..HEAD", "mode": "largest", "cursor": first.next_cursor})
    assert rest.body.splitlines() == lines[3:]


@pytest.mark.parametrize("mode", ["patch", "stat", "name_status", "name_only", "largest"])
def test_max_count_bounds_the_files_of_each_mode(ask: Any, mode: str) -> None:
    for name in ("git_diff", "git_show"):
        rev = {"rev": "27311ca..HEAD"} if name == "git_diff" else {"rev": "27311ca"}
        answer = ask(name, {**rev, "mode": mode, "max_count": 2})
        assert (answer.shown, answer.truncated, answer.noun) == (2, True, "files"), name
        assert answer.total in (None, 6, 7, 8, 9, 10)
        rest = ask(name, {**rev, "mode": mode, "cursor": answer.next_cursor})
        assert answer.body + rest.body == ask(name, {**rev, "mode": mode}).body


def test_a_dirstat_without_lines_is_no_lack_of_changes(ask: Any) -> None:
    for name, rev in (("git_diff", "94d6593..HEAD"), ("git_show", "790a245")):
        answer = ask(name, {"rev": rev, "mode": "dirstat", "paths": ["odd*"]})
        assert "no directory has 3% of the changes; files changed: 1" in answer.text
    assert ask("git_diff", {"rev": "HEAD..HEAD", "mode": "dirstat"}).text.startswith("no differences")


# ------------------------------------------------------------------------------- patterns of nothing, hints, truncated
def test_a_pattern_of_nothing_is_not_sought_for_long(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ask("git_log", {"paths": ["*.rs"]})
    assert quick.text == "no commits match; 10 searched; no path in HEAD matches '*.rs'\n"
    monkeypatch.setattr(log, "_GUESSING", 0.0)
    given_up = ask("git_log", {"paths": ["*.rs"]})
    assert given_up.error["code"] == "timeout" and given_up.total is None
    assert "no path in HEAD matches '*.rs'; commits older than those searched" in given_up.text
    assert "no commits match" not in given_up.text
    assert ask("git_log", {"paths": ["*.py"]}).shown == 8, "a pattern that matches has the whole of the time"


def test_a_branch_of_a_remote_is_suggested_first(unpack: Any, tmp_path: Path) -> None:
    place = tmp_path / "repo"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    refs = place / ".git" / "refs"
    oid = (refs / "heads" / "main").read_text()
    for name in ("remotes/origin/7.2", "remotes/origin/7.2.1", "tags/7.0", "tags/7.3", "tags/2.7.2", "heads/7.1"):
        (refs / name).parent.mkdir(parents=True, exist_ok=True)
        (refs / name).write_text(oid)
    answer = TOOLS["git_show"].call({"rev": "7.2"}, ToolContext(Roots(place)))
    assert "did you mean origin/7.2, " in answer.text


def test_functions_are_suggested_and_not_what_is_called(unpack: Any, tmp_path: Path) -> None:
    place = tmp_path / "repo"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    source = (
        "/*\ncode (of the license)\n*/\n#if defined(X)\nDECLARE(x);\nint first(int a)\n{\n"
        "  DEBUGASSERT(a);\n  return second(a);\n}\nstatic void *third (void) {\n}\n"
    )
    from dulwich.objects import Blob
    from dulwich.repo import Repo

    blob = Blob.from_string(source.encode())
    with Repo(str(place)) as repo:
        repo.object_store.add_object(blob)
        tree = repo[repo[b"HEAD"].tree]
        tree.add(b"a.c", 0o100644, blob.id)
        repo.object_store.add_object(tree)
        commit = repo[b"HEAD"].copy()
        commit.tree = tree.id
        repo.object_store.add_object(commit)
        name = commit.id.decode()
    answer = TOOLS["git_blame"].call({"rev": name, "path": "a.c", "lines": "none"}, ToolContext(Roots(place)))
    assert answer.text.endswith("hint: functions there: first, third")


def test_show_says_when_more_follows(ask: Any) -> None:
    whole = ask("git_show", {"rev": "27311ca"})
    assert (whole.truncated, whole.reason, whole.next_cursor) == (False, None, None)
    exact = ask("git_show", {"rev": "27311ca", "max_count": whole.shown})
    assert (exact.truncated, exact.text) == (False, whole.text)
    fewer = ask("git_show", {"rev": "27311ca", "max_count": whole.shown - 1}, structured=True)
    assert (fewer.truncated, fewer.reason, fewer.total) == (True, "max_items", whole.shown)
    assert fewer.result["truncated"] is True
    short = ask("git_show", {"rev": "27311ca"}, budget=Budget(len(whole.text.encode()) - 1))
    assert (short.truncated, short.reason) == (True, "max_bytes")


# ------------------------------------------------------------------------------------------------------ what is listed
def test_titles_and_schemas_of_results(ask: Any) -> None:
    for tool in tools():
        plain, structured = tool.as_mcp(), tool.as_mcp(structured=True)
        assert plain["title"] and "outputSchema" not in plain
        properties = structured["outputSchema"]["properties"]
        assert structured["outputSchema"]["type"] == "object" and json.dumps(properties)
        arguments = {"git_blame": {"path": "src/app.py"}, "git_grep": {"pattern": "e"}}
        arguments["git_compare"] = {"from_ref": "v1.0"}
        result = ask(tool.name, arguments.get(tool.name, {}), structured=True).result
        kinds = {"array": list, "boolean": bool, "integer": int, "string": str, "object": dict, "null": type(None)}
        for name, part in properties.items():
            if name != "error":
                wanted = [part["type"]] if isinstance(part["type"], str) else part["type"]
                assert isinstance(result[name], tuple(kinds[kind] for kind in wanted)), (tool.name, name)
    assert len({tool.title for tool in tools()}) == 10
