"""Arguments and patterns in the forms that models write: answered by what is meant, or with the remedy in the error."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from gitglass.agent import Roots, ToolContext, tools


@pytest.mark.parametrize("name", ["n", "-n", "line_number", "showLineNumbers"])
def test_a_switch_for_line_numbers_is_no_limit(ask: Any, name: str) -> None:
    plain = ask("git_grep", {"pattern": "return"})
    assert len(plain.body.splitlines()) > 1
    assert ask("git_grep", {"pattern": "return", name: True}).text == plain.text


def test_true_is_no_number(ask: Any) -> None:
    answer = ask("git_log", {"max_count": True})
    assert answer.error["message"] == "max_count: a number is expected, not true or false"


@pytest.mark.parametrize(
    ("sort", "same"),
    [
        ("-creatordate", "newest"),
        ("committerdate", "oldest"),
        ("taggerdate", "oldest"),
        ("-version:refname", "version"),
    ],
)
def test_sort_keys_of_git(ask: Any, sort: str, same: str) -> None:
    wanted = ask("git_refs", {"kind": "tags", "sort": same})
    assert not wanted.is_error and ask("git_refs", {"kind": "tags", "sort": sort}).text == wanted.text


def test_letters_of_git_options(ask: Any) -> None:
    assert ask("git_log", {"S": "value"}).text == ask("git_log", {"search": "value"}).text
    changed = ask("git_log", {"search": "val.e", "search_kind": "regex"})
    assert changed.shown and ask("git_log", {"G": "val.e"}).text == changed.text
    around = ask("git_grep", {"pattern": "value", "context_lines": 1})
    assert around.shown and ask("git_grep", {"pattern": "value", "C": 1}).text == around.text


def test_two_branches(ask: Any) -> None:
    named = ask("git_compare", {"from_ref": "topic", "to_ref": "main"})
    assert named.shown and ask("git_compare", {"branch1": "topic", "branch2": "main"}).text == named.text


def test_an_unknown_argument_lists_the_known_ones_once(ask: Any) -> None:
    text = ask("git_log", {"topo_order": True}).text
    assert text.startswith("invalid_args: unknown argument 'topo_order'; known: repo, ")
    assert text.count("first_parent") == 1
    assert "cursor is its next_cursor" in ask("git_log", {"skip": 5}).text


@pytest.mark.parametrize("line", ["7", 7, "L7", "7-7", [7, 7]])
def test_one_line_is_that_line(ask: Any, line: Any) -> None:
    blamed = ask("git_blame", {"path": "src/app.py", "lines": "7,7"})
    assert len(blamed.body.splitlines()) == 2
    assert ask("git_blame", {"path": "src/app.py", "lines": line}).text == blamed.text
    history = ask("git_log", {"paths": ["src/app.py"], "lines": "7,7", "mode": "patch"})
    assert history.shown
    assert ask("git_log", {"paths": ["src/app.py"], "lines": line, "mode": "patch"}).text == history.text
    file = ask("git_show", {"rev": "HEAD:src/app.py", "lines": "7,7"})
    assert ask("git_show", {"rev": "HEAD:src/app.py", "lines": line}).text == file.text


# ---------------------------------------------------------------------------------------- what git answers with nothing
def test_a_directory_is_no_commit(ask: Any) -> None:
    for mode in ("none", "count", "authors"):
        answer = ask("git_log", {"rev": "HEAD~1:src", "mode": mode})
        assert answer.error["message"] == "rev: 'HEAD~1:src' is no commit"
        assert answer.error["hint"] == "rev=HEAD~1, paths=src is the history of the path."
    assert ask("git_log", {"rev": "HEAD^{tree}"}).error["code"] == "invalid_args"
    assert not ask("git_log", {"rev": "v1.0^@"}).is_error and not ask("git_log", {"rev": "HEAD..HEAD"}).is_error


def test_a_stash_shows_what_it_holds(ask: Any) -> None:
    for name in ("stash", "stash@{0}", "refs/stash"):
        shown = ask("git_show", {"rev": name}, "dirty")
        assert shown.shown == 1 and "diff --git a/README.md b/README.md\n" in shown.text
    assert "untracked" not in shown.text


def test_a_merge_names_the_question_for_the_rest(ask: Any) -> None:
    words = (
        "note: a merge: shown is only what differs from all its parents; git_diff rev=08fbf3e^1..08fbf3e{} is what it"
    )
    merge = ask("git_show", {"rev": "08fbf3e"})
    assert "topic.py" not in merge.body and words.format("") in merge.text
    assert "topic.py" in ask("git_diff", {"rev": "08fbf3e^1..08fbf3e"}).body
    assert words.format(" paths=README.md") in ask("git_show", {"rev": "08fbf3e", "paths": ["README.md"]}).text
    assert "a merge" not in ask("git_show", {"rev": "08fbf3e^1"}).text
    assert (
        ask("git_show", {"rev": "v2.0^..v2.0", "paths": ["src"]}).text == "v2.0^..v2.0 changes nothing in those paths\n"
    )
    assert "a merge" not in ask("git_show", {"rev": "08fbf3e", "mode": "stat"}).text


# -------------------------------------------------------------------------------------------------------------- remedies
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("git_log", {"paths": ["libs/changed/a.txt"]}),
        ("git_blame", {"path": "libs/changed/a.txt"}),
        ("git_show", {"rev": "HEAD:libs/changed/a.txt"}),
        ("git_show", {"rev": "HEAD:libs/changed"}),
        ("git_grep", {"pattern": "no such words", "paths": ["libs/changed"]}),
        ("git_diff", {"paths": ["libs/changed/nowhere"]}),
    ],
)
def test_a_path_in_a_submodule(ask: Any, unpack: Any, tool: str, arguments: dict[str, Any]) -> None:
    place = unpack("submodule") / "libs" / "changed"
    assert (
        f"'libs/changed' is a submodule, a repository of its own: repo={place}"
        in ask(tool, arguments, "submodule").text
    )
    assert not ask("git_log", {"repo": str(place)}, "submodule").is_error


def test_a_path_in_a_submodule_that_is_absent(ask: Any) -> None:
    text = ask("git_blame", {"path": "libs/absent/a.txt"}, "submodule").text
    assert "'libs/absent' is a submodule, and not checked out here." in text


def test_further_than_the_history(ask: Any) -> None:
    assert ask("git_show", {"rev": "v1.0~99"}).error["hint"] == "along first parents, v1.0 has so many ancestors: 1."
    assert ask("git_show", {"rev": "v1.0^2"}).error["hint"] == "v1.0 has so many parents: 1."
    assert ask("git_diff", {"rev": "light^..light"}).error["hint"] == "light has so many parents: 0."
    assert "where a shallow clone ends" in ask("git_log", {"rev": "HEAD~50..HEAD"}, "shallow").error["hint"]
    assert "all=true" in ask("git_log", {"rev": "--all"}).error["message"]


def test_other_letters(ask: Any) -> None:
    answer = ask("git_log", {"author": "ANN", "grep": "change"})
    assert answer.text.endswith("; author, grep in any letters: ignore_case=true\n")
    assert ask("git_log", {"author": "ANN", "grep": "change", "ignore_case": True}).shown
    assert "ignore_case" not in ask("git_log", {"author": "nobody", "ignore_case": True}).text
    assert "ignore_case" not in ask("git_log", {"paths": ["nowhere"]}).text


def test_a_linked_work_tree_without_its_repository(unpack: Any) -> None:
    """The remedy is the host's: a model cannot grant a root."""
    place = unpack("linked").parent / "wt"
    answer = tools(only=["git_status"])[0].call({}, ToolContext(Roots(place)))
    assert answer.error["code"] == "sandbox_violation"
    assert answer.error["hint"] == f"{place}/.git names a git directory elsewhere: a root has to contain both."
    both = tools(only=["git_status"])[0].call({"repo": str(place)}, ToolContext(Roots(place.parent)))
    assert not both.is_error


def test_a_function_in_a_class(unpack: Any, tmp_path: Path) -> None:
    place = tmp_path / "repo"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    blamed, logged = (tools(only=[name])[0] for name in ("git_blame", "git_log"))
    ctx = ToolContext(Roots(place))
    words = (
        "git takes unindented lines for functions, unless an attribute diff= says more; e.g. lines='/def method/,+20'"
    )
    answer = logged.call({"paths": ["src/app.py"], "lines": ":method"}, ctx)
    assert (answer.error["code"], answer.error["hint"]) == ("not_found", words)
    (place / "src" / "app.py").unlink()
    gone = blamed.call({"path": "src/app.py"}, ctx)
    assert gone.error["hint"] == "The file is not in the work tree: rev=HEAD is the committed one."
    assert not blamed.call({"path": "src/app.py", "rev": "HEAD"}, ctx).is_error
