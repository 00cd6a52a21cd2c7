"""agent/tool.py and native/: arguments, answers, pages, errors, threads; on the fixtures' repositories."""

import json
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.agent import Budget, Roots, ToolAnswer, ToolContext, tools
from gitglass.agent.native.patches import LeftOut
from gitglass.errors import InvalidArgs
from gitglass.limits import Limits

TOOLS = {tool.name: tool for tool in tools()}


@pytest.fixture
def ask(unpack: Any) -> Any:
    """ask(fixture, tool, arguments, **of the context)"""

    def call(fixture: str, name: str, arguments: dict[str, Any] | None = None, **host: Any) -> ToolAnswer:
        return TOOLS[name].call(arguments or {}, ToolContext(Roots(unpack(fixture)), **host))

    return call


# ---------------------------------------------------------------------------------------------------------- arguments
def test_an_unknown_argument_names_the_closest(ask: Any) -> None:
    answer = ask("plain", "git_log", {"max_counts": 3})
    assert answer.is_error and answer.error["code"] == "invalid_args"
    assert "did you mean 'max_count'?" in answer.text
    assert answer.text.count("\n") == 1


def test_null_is_the_same_as_omitted(ask: Any) -> None:
    nulls = dict.fromkeys(TOOLS["git_log"].parameters.model_fields)
    assert ask("plain", "git_log", nulls).text == ask("plain", "git_log").text


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("git_show", {"rev": "--output=x"}, "invalid_args"),
        ("git_show", {"rev": "a\nb"}, "invalid_args"),
        ("git_show", {"rev": "x" * 2000}, "invalid_args"),
        ("git_show", {"rev": "nonesuch"}, "not_found"),
        ("git_show", {"rev": ["HEAD"]}, "invalid_args"),
        ("git_log", {"max_count": 0}, "invalid_args"),
        ("git_log", {"since": "whenever it rained"}, "invalid_args"),
        ("git_log", {"format": "json"}, "invalid_args"),
        ("git_log", {"rev": "HEAD", "from_ref": "v1.0"}, "invalid_args"),
        ("git_log", {"max_bytes": 10}, "invalid_args"),
        ("git_log", {"cursor": "nonsense"}, "invalid_args"),
        ("git_status", {"repo": "/etc"}, "sandbox_violation"),
        ("git_status", {"repo": "../.."}, "sandbox_violation"),
        ("git_status", {"paths": [""]}, "invalid_args"),
        ("git_blame", {}, "invalid_args"),
        ("git_blame", {"path": "nonesuch"}, "not_found"),
        ("git_diff", {"to_ref": "HEAD"}, "invalid_args"),
        ("git_files", {"kind": "untracked", "rev": "HEAD"}, "invalid_args"),
    ],
)
def test_errors_are_answers(ask: Any, name: str, arguments: dict[str, Any], code: str) -> None:
    answer = ask("plain", name, arguments)
    assert answer.is_error
    assert answer.error["code"] == code, answer.text
    assert answer.text.count("\n") <= 1


def test_no_repository(tmp_path: Path) -> None:
    answer = TOOLS["git_log"].call({}, ToolContext(Roots(tmp_path)))
    assert answer.error is not None and answer.error["code"] == "not_a_repository"


# ------------------------------------------------------------------------------------------------------------ answers
def test_status_is_a_branch_line_and_porcelain(ask: Any) -> None:
    lines = ask("dirty", "git_status").text.splitlines()
    assert lines[0].startswith("## ")
    assert any(line.startswith("?? ") for line in lines)
    assert "# merge in progress" in ask("conflict", "git_status").text


def test_log_of_one_line_is_git_s(ask: Any, unpack: Any) -> None:
    import gitglass

    text = ask("plain", "git_log", {"format": "oneline", "max_count": 1000}).text
    assert text.encode() == gitglass.open(unpack("plain")).git(["log", "--oneline"]).stdout


def test_diff_is_git_s_patch(ask: Any, unpack: Any) -> None:
    import gitglass

    text = ask("dirty", "git_diff", {"scope": "all"}, raw=True).text
    assert text.encode("utf-8", "surrogateescape") == gitglass.open(unpack("dirty")).git(["diff", "HEAD"]).stdout


def test_compare_counts_both_sides(ask: Any) -> None:
    answer = ask("plain", "git_compare", {"from_ref": "v1.0"}, structured=True)
    assert answer.text.startswith("base v1.0 ")
    ahead = [row for row in answer.result["entries"] if row["kind"] == "ahead"]
    assert len(ahead) == answer.result["ahead"] == answer.text.count("\n> ")
    same = ask("plain", "git_compare", {"from_ref": "HEAD"})
    assert "both are the same commit" in same.text


def test_commits_of_a_ring_are_not_called_the_same(unpack: Any, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    shutil.copytree(unpack("plain"), repo, symlinks=True)
    older, newer = gitglass.open(repo).git(["rev-parse", "HEAD~1", "HEAD"], text=True).stdout.split()
    (repo / ".git/info/grafts").write_text(f"{older} {newer}\n")
    answer = TOOLS["git_compare"].call({"from_ref": older, "to_ref": newer}, ToolContext(Roots(repo)))
    assert "ahead 0, behind 0: each reaches the other\n" in answer.text


def test_grep_is_git_s(ask: Any, unpack: Any) -> None:
    import gitglass

    text = ask("plain", "git_grep", {"pattern": "e"}, raw=True, structured=True).text
    assert text.encode() == gitglass.open(unpack("plain")).git(["grep", "-n", "-E", "e"]).stdout
    assert ask("plain", "git_grep", {"pattern": "no such words"}).text.startswith("no matches; ")


def test_show_of_each_kind(ask: Any) -> None:
    commit = ask("plain", "git_show", {"rev": "HEAD"}, structured=True)
    assert commit.result["shown"] == len(commit.result["files"]) == commit.text.count("diff --git ")
    tree = ask("plain", "git_show", {"rev": "HEAD:src"}, structured=True)
    assert "app.py" in tree.result["entries"]
    file = ask("plain", "git_show", {"rev": "HEAD:src/app.py", "lines": "2,+1"}, structured=True)
    assert file.result["first_line"] == 2 and file.result["lines"] == [file.text.rstrip("\n")]


def test_blame_is_grouped(ask: Any) -> None:
    answer = ask("plain", "git_blame", {"path": "src/app.py"}, structured=True)
    heads = [line for line in answer.text.splitlines() if "\t" not in line]
    assert len(heads) == len(answer.result["commits"]) == answer.total
    numbered = [int(line.split("\t")[0]) for line in answer.text.splitlines() if "\t" in line]
    assert sorted(numbered) == list(range(1, len(numbered) + 1))


@pytest.mark.parametrize("name", ["git_status", "git_log", "git_diff", "git_show", "git_refs", "git_files", "git_info"])
@pytest.mark.parametrize(
    "fixture", ["plain", "dirty", "conflict", "bare", "packed", "sha256", "empty", "unborn", "shallow", "detached"]
)
def test_every_tool_on_every_state(ask: Any, name: str, fixture: str) -> None:
    answer = ask(fixture, name, structured=True)
    if answer.is_error:
        assert answer.error["code"] != "internal", answer.text
        assert "gitglass:" not in answer.text and "Traceback" not in answer.text
    else:
        assert answer.text.strip()
        assert json.dumps(answer.result)
        assert answer.result["untrusted"] is True


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("git_log", {"grep": "no such words"}, "no commits match; "),
        ("git_log", {"rev": "HEAD..HEAD"}, "no commits in that range"),
        ("git_diff", {"rev": "HEAD..HEAD"}, "no differences"),
        ("git_refs", {"pattern": "refs/none/*"}, "no refs match; "),
        ("git_files", {"kind": "conflicts"}, "no conflicts files"),
        ("git_files", {"rev": "HEAD", "paths": ["none"]}, "no files in those paths"),
    ],
)
def test_empty_answers_say_why(ask: Any, name: str, arguments: dict[str, Any], why: str) -> None:
    answer = ask("plain", name, arguments)
    assert not answer.is_error
    assert answer.text.startswith(why)
    assert (answer.body, answer.shown, answer.total) == ("", 0, 0)


def test_no_commits_yet(ask: Any) -> None:
    assert ask("unborn", "git_log").text.startswith("no commits yet on ")


# -------------------------------------------------------------------------------------------------------------- pages
REVS = ["HEAD", "HEAD~1", "v1.0", "v1.0..HEAD"]


def random_request(rng: random.Random) -> tuple[str, dict[str, Any]]:
    name = rng.choice(sorted(TOOLS))
    modes = ["patch", "stat", "name_status", "name_only"]
    asked: dict[str, dict[str, Any]] = {
        "git_log": {
            "rev": rng.choice(REVS),
            "mode": rng.choice([*modes, "none"]),
            "format": rng.choice(["line", "oneline", "medium", "full"]),
            "max_count": rng.choice([1, 3, 1000]),
        },
        "git_diff": {
            "from_ref": "v1.0",
            "to_ref": "HEAD",
            "mode": rng.choice(modes),
            "context_lines": rng.choice([0, 3]),
        },
        "git_show": {
            "rev": rng.choice(["HEAD", "HEAD~2", "v1.0", "HEAD:", "HEAD:src/app.py"]),
            "mode": rng.choice(modes),
        },
        "git_blame": {"path": "src/app.py", "rev": rng.choice([None, "HEAD", "HEAD~1"])},
        "git_refs": {"sort": rng.choice(["name", "newest"]), "max_count": rng.choice([None, 2])},
        "git_files": {"rev": rng.choice([None, "HEAD"]), "format": rng.choice(["name", "long"])},
        "git_grep": {"pattern": rng.choice(["a", "def", "return"])},
        "git_compare": {"from_ref": "v1.0", "to_ref": "HEAD"},
    }
    return name, asked.get(name, {})


def pages(name: str, asked: dict[str, Any], ctx: ToolContext) -> list[ToolAnswer]:
    found: list[ToolAnswer] = []
    cursor = None
    while True:
        answer = TOOLS[name].call({**asked, "cursor": cursor}, ctx)
        assert not answer.is_error, answer.text
        assert len(answer.text.encode()) <= ctx.budget.max_bytes
        assert answer.truncated == (answer.next_cursor is not None)
        found.append(answer)
        cursor = answer.next_cursor
        if cursor is None:
            return found
        assert f"next_cursor={cursor}]" in answer.text.splitlines()[-1]


@pytest.mark.parametrize("fixture", ["plain", "dirty", "sha256"])
def test_following_cursors_gives_the_uncut_answer(fixture: str, unpack: Any) -> None:
    rng = random.Random(fixture)
    roots = Roots(unpack(fixture))
    for _ in range(70):
        name, asked = random_request(rng)
        uncut = {**asked, "max_count": 1000} if "max_count" in asked else asked
        whole = "".join(page.body for page in pages(name, uncut, ToolContext(roots, budget=Budget(10**9))))
        budget = Budget(int(10 ** rng.uniform(2.302, 6)))
        cut = pages(name, asked, ToolContext(Roots(unpack(fixture)), budget=budget))
        assert "".join(page.body for page in cut) == whole, (name, asked, budget)
        if len(cut) > 1 and cut[0].total is not None:
            assert cut[0].total == cut[-1].total


def test_a_cursor_belongs_to_its_request(ask: Any) -> None:
    first = ask("plain", "git_log", {"max_count": 1})
    answer = ask("plain", "git_log", {"cursor": first.next_cursor, "rev": "v1.0"})
    assert answer.error["code"] == "invalid_args"
    other = ask("packed", "git_log", {"cursor": first.next_cursor})
    assert other.error["code"] in ("invalid_args", "stale_cursor")


def test_a_cursor_is_stale_when_the_ref_has_moved(unpack: Any, tmp_path: Path) -> None:
    place = tmp_path / "moved"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    first = TOOLS["git_log"].call({"max_count": 2}, ToolContext(Roots(place)))
    again = TOOLS["git_log"].call({"max_count": 2, "cursor": first.next_cursor}, ToolContext(Roots(place)))
    assert not again.is_error
    head = place / ".git" / (place / ".git" / "HEAD").read_text().split()[1]
    old = TOOLS["git_log"].call({"rev": "HEAD~1", "format": "full", "max_count": 1}, ToolContext(Roots(place)))
    head.write_text(old.text.split()[1] + "\n")
    stale = TOOLS["git_log"].call({"max_count": 2, "cursor": first.next_cursor}, ToolContext(Roots(place)))
    assert stale.error is not None and stale.error["code"] == "stale_cursor"


def test_a_typed_result_keeps_to_the_budget_and_says_what_is_missing(ask: Any) -> None:
    answer = ask("plain", "git_log", {"mode": "patch", "max_count": 1000}, structured=True, budget=Budget(3000))
    assert answer.result["truncated"] is True and answer.result["next_cursor"] == answer.next_cursor
    assert len(json.dumps(answer.result["commits"], separators=(",", ":"))) <= 3000
    assert answer.result["shown"] == len(answer.result["commits"])


def test_lock_files_are_named_with_their_counts() -> None:
    patch = "diff --git a/a/uv.lock b/a/uv.lock\nindex 1..2 100644\n--- a/a/uv.lock\n+++ b/a/uv.lock\n@@ -1 +1,2 @@\n-x\n+y\n+z\n"
    other = patch.replace("uv.lock", "uv.py")
    left = LeftOut(()).shortened("head\n" + patch + other)
    assert left == (
        "head\ndiff --git a/a/uv.lock b/a/uv.lock\nindex 1..2 100644\n"
        "[gitglass: lock file left out, +2 -1 lines; name it in paths to see it]\n" + other
    )
    assert LeftOut(["a/uv.lock"]).shortened(patch) == patch


# ---------------------------------------------------------------------------------------- deadlines, threads, auditing
def test_deadline_and_cancellation(ask: Any) -> None:
    late = ask("plain", "git_log", {"mode": "patch"}, limits=Limits(timeout=0.0))
    assert late.is_error and late.error["code"] == "timeout" and late.truncated
    stopped = ask("plain", "git_log", {}, cancelled=lambda: True)
    assert stopped.error["code"] == "cancelled"


def test_a_deadline_keeps_what_was_found(ask: Any) -> None:
    question, looks = {"mode": "patch", "max_count": 1000}, count()
    whole = ask("plain", "git_log", question, cancelled=lambda: next(looks) < 0)
    late, again = next(looks) - 2, count()  # nearly at its end
    answer = ask("plain", "git_log", question, cancelled=lambda: next(again) > late)
    assert answer.error["partial"] is True
    assert answer.body and whole.body.startswith(answer.body)
    assert answer.text.splitlines()[-1].startswith("[gitglass: cancelled; ")
    rest = ask("plain", "git_log", {"mode": "patch", "max_count": 1000, "cursor": answer.next_cursor})
    assert answer.body + rest.body == whole.body


def test_threads_get_the_same_answers(unpack: Any) -> None:
    ctx = ToolContext(Roots(unpack("dirty")))
    rng = random.Random(5)
    asked = [random_request(rng) for _ in range(40)]
    alone = [TOOLS[name].call(arguments, ToolContext(Roots(unpack("dirty")))).body for name, arguments in asked]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda one: TOOLS[one[0]].call(one[1], ctx).body, asked))
    assert together == alone


def test_the_host_hears_of_progress(ask: Any) -> None:
    heard: list[tuple[str, int, int | None]] = []
    ask("plain", "git_files", progress=lambda what, done, total: heard.append((what, done, total)))
    assert heard[0] == ("steps", 0, None) and heard[-1] == ("paths", 9, 9)


def test_short_names(unpack: Any) -> None:
    roots = Roots({"one": str(unpack("plain")), "two": str(unpack("sha256"))})
    ctx = ToolContext(roots)
    assert TOOLS["git_log"].call({"repo": "two"}, ctx).body != TOOLS["git_log"].call({}, ctx).body
    assert TOOLS["git_info"].call({"repo": "two"}, ctx).text.startswith("repositories: one, two\nrepository: two\n")


def test_nothing_is_opened_outside(unpack: Any, watched: Any) -> None:
    place = unpack("dirty")
    ctx = ToolContext(Roots(place))
    for name in TOOLS:
        TOOLS[name].call({"path": "src/app.py"} if name == "git_blame" else {}, ctx)
    watched(place)
    for name in TOOLS:
        TOOLS[name].call({"path": "src/app.py"} if name == "git_blame" else {}, ToolContext(Roots(place)))


# ------------------------------------------------------------------------------------------------------- tools(profile)
def test_only_takes_tools_of_any_profile() -> None:
    assert [tool.name for tool in tools(only=["git_log", "git_status"])] == ["git_status", "git_log"]
    for profile, name in {
        "mcp-server-git": "git_show",
        "forge": "git_blame",
        "openharness": "git",
        "rfc": "Git",
    }.items():
        assert [tool.name for tool in tools(profile, only=[name])] == [name]
        assert tools(profile, only=[]) == []
    assert [tool.name for tool in tools("forge", only=("git_commit",), mutating=True)] == ["git_commit"]
    assert [tool.name for tool in tools("forge", only="git_log")] == ["git_log"]


@pytest.mark.parametrize(
    ("profile", "more", "words"),
    [
        ("mcp-server-git", {"only": ["git_push"]}, "unknown tool 'git_push'"),
        ("native", {"only": ["git"]}, "unknown tool 'git'"),
        ("openharness", {"only": ["git_log"]}, "unknown tool 'git_log'"),
        ("native", {"mutating": True}, "unknown option 'mutating'"),
        ("nexus", {"mutating": True}, "unknown option 'mutating'"),
        ("base", {}, "unknown profile 'base'"),
        ("nosuch", {}, "unknown profile 'nosuch'"),
    ],
)
def test_unknown_names_are_refused(profile: str, more: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgs) as caught:
        tools(profile, **more)
    assert caught.value.message == words
