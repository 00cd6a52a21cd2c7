"""agent/arguments.py, native/paths.py, cursors and counts: nothing is guessed, and nothing that is not so is said."""

import base64
import hashlib
from typing import Any

import pytest

import gitglass
from gitglass.agent import DIALECTS, Budget, tool_schemas, tools
from gitglass.agent.cursor import depends_on_time
from gitglass.errors import InvalidArgs

TOOLS = {tool.name: tool for tool in tools()}


@pytest.mark.parametrize("dialect", [one for one in DIALECTS if one != "openai-strict"])
def test_an_optional_array_is_listed_as_an_array(dialect: str) -> None:
    for tool in tool_schemas(dialect):
        schema = tool.get("function", tool)
        schema = schema.get("inputSchema") or schema.get("parameters") or schema["input_schema"]
        paths = schema["properties"].get("paths")
        assert paths is None or (paths["type"] == "array" and "nullable" not in paths and paths["description"])


def test_two_names_with_one_value_and_with_two(ask: Any) -> None:
    assert not ask("git_log", {"n": 2, "limit": 2}).is_error
    answer = ask("git_log", {"n": 2, "limit": 3})
    assert answer.text.startswith("invalid_args: max_count: 'n' and 'limit' both name it, with different values")


def test_a_word_of_which_only_a_part_is_there_is_one_path(ask: Any) -> None:
    answer = ask("git_diff", {"rev": "HEAD~1..HEAD", "paths": "src/app.py,src/none.py"})
    assert answer.error["code"] == "not_found" and "'src/app.py,src/none.py'" in answer.text


def test_one_path_of_two_that_is_nowhere_is_noted(ask: Any) -> None:
    answer = ask("git_status", {"paths": ["src/app.py", "src/ap.py"]})
    assert not answer.is_error and "[gitglass: note: no such path in" in answer.text and "'src/ap.py'" in answer.text


def test_a_file_with_a_space_in_its_name_is_one_path(ask: Any) -> None:
    assert "na\\303\\257ve file.txt" in ask("git_files", {"paths": "naïve file.txt"}).text


def test_equal_calls_get_equal_cursors_and_dates_are_kept() -> None:
    assert not depends_on_time({"rev": "HEAD"})
    assert depends_on_time({"since": "2 weeks ago"}) and depends_on_time({"rev": "main@{yesterday}"})


def test_a_forged_place_cannot_forge_a_count(ask: Any) -> None:
    first = ask("git_files", {"max_count": 2})
    raw = base64.urlsafe_b64decode(first.next_cursor + "=" * (-len(first.next_cursor) % 4))[:-3]
    forged = raw[:-2] + bytes([5, 0])
    word = base64.urlsafe_b64encode(forged + hashlib.sha256(forged).digest()[:3]).rstrip(b"=").decode()
    answer = ask("git_files", {"max_count": 2, "cursor": word})
    assert (answer.total, answer.text.count("7 of 9 paths")) == (9, 1)
    longer = forged + bytes([99])  # the total that cursors once held
    word = base64.urlsafe_b64encode(longer + hashlib.sha256(longer).digest()[:3]).rstrip(b"=").decode()
    assert ask("git_files", {"max_count": 2, "cursor": word}).error["code"] == "invalid_args"


def test_truncated_is_true_only_where_more_follows(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    every = len(repo.log("HEAD").commits)
    exact, fewer = repo.log("HEAD", max_count=every), repo.log("HEAD", max_count=every - 1)
    assert (exact.truncated, exact.reason, fewer.truncated, fewer.reason) == (False, None, True, "max_count")
    backwards = repo.log("HEAD", max_count=every, reverse=True)
    assert (len(backwards.commits), backwards.truncated) == (every, False)


def test_a_date_in_no_words_of_dates_is_refused(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    with pytest.raises(InvalidArgs, match="since: 'gibberish' is no word of a date"):
        repo.log(since="gibberish")
    assert repo.git(["log", "--since=gibberish"]).returncode == 0  # git's own answer


def test_compare_bounds_its_files(ask: Any) -> None:
    answer = ask("git_compare", {"from_ref": "HEAD~3", "max_count": 1})
    files = [line for line in answer.text.splitlines() if "\t" in line]
    assert len(files) == 1 and "more files: git_diff lists them" in answer.text


@pytest.mark.parametrize("size", [40, 100, 161, 200])
def test_an_empty_answer_keeps_to_its_budget(ask: Any, size: int) -> None:
    answer = ask("git_diff", {"rev": "HEAD..HEAD", "paths": ["*." + "x" * 300]}, budget=Budget(size))
    assert len(answer.text.encode()) <= size


def test_a_comparison_that_was_cut_says_how_much(ask: Any) -> None:
    """With paths, too: the counts of both sides are those of the paths."""
    answer = ask(
        "git_compare", {"from_ref": "v1.0", "to_ref": "main", "paths": ["src"], "max_count": 1}, structured=True
    )
    ahead, behind = (int(ask("git_log", {"rev": side, "paths": ["src"], "mode": "count"}).body or 0) for side in (
        "v1.0..main", "main..v1.0",
    ))  # fmt: skip
    files = len(ask("git_diff", {"rev": "v1.0...main", "paths": ["src"], "mode": "name_only"}).body.splitlines())
    assert ahead > 1 and f"; of these in the paths {ahead} and {behind}\n" in answer.text
    assert f"> {ahead - 1} more: git_log lists them\n" in answer.text
    assert (answer.total, answer.truncated, answer.reason, answer.next_cursor) == (
        ahead + files,
        True,
        "max_count",
        None,
    )
    whole = ask("git_compare", {"from_ref": "v1.0", "to_ref": "main", "paths": ["src"]})
    assert (whole.shown, whole.total, whole.truncated) == (ahead + files, ahead + files, False)


def test_context_is_no_match(ask: Any) -> None:
    """Only matches count, in the total and against max_count; the context of the last one is shown with it."""
    every = ask("git_grep", {"pattern": "return", "rev": "HEAD", "paths": ["src/app.py"]})
    near = ask(
        "git_grep", {"pattern": "return", "rev": "HEAD", "paths": ["src/app.py"], "context_lines": 1, "max_count": 2}
    )
    assert near.shown == 2 and near.total == every.total and near.body.count("return") == 2
    assert sum(line.startswith("HEAD:src/app.py-") for line in near.body.splitlines()) >= 2


def test_a_host_bounds_the_commits_of_a_page(ask: Any) -> None:
    assert ask("git_log", {}, budget=Budget(max_items=2)).shown == 2
    assert ask("git_log", {"max_count": 1}, budget=Budget(max_items=2)).shown == 1


def test_the_number_of_the_first_line_of_a_page(ask: Any) -> None:
    first = ask("git_show", {"rev": "HEAD:src/app.py", "max_bytes": 200}, structured=True)
    second = ask("git_show", {"rev": "HEAD:src/app.py", "max_bytes": 200, "cursor": first.next_cursor}, structured=True)
    shown = len(first.result["lines"])
    assert (first.result["first_line"], second.result["first_line"]) == (1, shown + 1)
    lines = ask("git_show", {"rev": "HEAD:src/app.py"}).body.splitlines()
    assert second.result["lines"][0] == lines[shown]


def test_the_day_of_a_line_is_that_of_its_author(ask: Any) -> None:
    blame, log = ask("git_blame", {"path": "README.md"}), ask("git_log", {"paths": ["README.md"]})
    days = {line.split()[0].lstrip("^"): line.split()[1] for line in log.body.splitlines()}
    heads = [line.split() for line in blame.body.splitlines() if "\t" not in line]
    assert heads and all(days[words[0].lstrip("^")] == words[1] for words in heads)


def test_the_shares_of_directories_are_rows(ask: Any) -> None:
    for name, arguments in (("git_diff", {"rev": "v1.0..v2.0"}), ("git_show", {"rev": "HEAD~1"})):
        answer = ask(name, {**arguments, "mode": "dirstat"}, structured=True)
        lines = [line for line in answer.body.splitlines() if "% " in line]
        assert [f"{row['percent']:6.1f}% {row['path']}" for row in answer.result["directories"]] == lines


def test_quoted_names_are_taken_back(ask: Any) -> None:
    name = next(line for line in ask("git_files", {}).body.splitlines() if line.startswith('"'))
    assert ask("git_files", {"paths": [name]}).body == f"{name}\n"
    assert ask("git_blame", {"path": f"`{'src/app.py'}`"}).body == ask("git_blame", {"path": "src/app.py"}).body
