"""Document 3's rows that need no mutation; each test is named by its id."""

from pathlib import Path
from typing import Any

import pytest

from gitglass import git
from gitglass.agent import Roots, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles.forge import MARKER, truncated
from gitglass.limits import Limits


def run(top: Any, name: str, *, host: dict[str, Any] | None = None, **arguments: Any) -> ToolAnswer:
    tool = next(tool for tool in tools("forge") if tool.name == f"git_{name}")
    return tool.call(arguments, ToolContext(Roots([top]), **(host or {})))


def same(top: Any, name: str, argv: str, **arguments: Any) -> str:
    answer = run(top, name, **arguments)
    assert not answer.is_error, answer.text
    assert answer.text == git(argv.split(), cwd=top).stdout.decode()
    return answer.text


def kind(answer: ToolAnswer) -> str:
    assert answer.is_error and answer.error is not None
    return str(answer.error["type"])


def test_t_git_status_01(unpack: Any) -> None:
    assert same(unpack("dirty"), "status", "status --porcelain=1 -b").startswith("## main")
    same(unpack("dirty"), "status", "status --porcelain=1 -uno", branch=False, untracked=False)


def test_t_git_status_02(unpack: Any) -> None:
    assert same(unpack("dirty"), "status", "status", porcelain=False).startswith("On branch main")


def test_t_git_diff_01(unpack: Any) -> None:
    assert same(unpack("dirty"), "diff", "diff --cached", cached=True) != same(unpack("dirty"), "diff", "diff")


def test_t_git_diff_02_needs_a_write_grant(unpack: Any) -> None:
    answer = run(unpack("plain"), "diff", from_ref="HEAD~1", to_ref="HEAD", output_dir="out")
    assert kind(answer) == "ExecutionFailed" and not (unpack("plain") / "out").exists()
    assert kind(run(unpack("plain"), "diff", output_dir="out")) == "BadArgs"


def test_t_git_diff_03(unpack: Any) -> None:
    answer = run(unpack("plain"), "diff", cached=True, from_ref="HEAD")
    assert kind(answer) == "BadArgs" and answer.text == "cached cannot be used with from_ref/to_ref"


def test_t_git_diff_04(unpack: Any) -> None:
    same(unpack("dirty"), "diff", "diff --name-only", name_only=True, stat=True)


def test_t_git_log_01(unpack: Any) -> None:
    assert same(unpack("plain"), "log", "log -n 2", max_count=2).count("\ncommit ") == 1


def test_t_git_log_02(unpack: Any) -> None:
    same(unpack("plain"), "log", "log --author=Ann", author="Ann")


def test_t_git_log_03(unpack: Any) -> None:
    same(unpack("plain"), "log", "log --format=%h|%an", format="%h|%an", oneline=True)


def test_t_git_branch_01(unpack: Any) -> None:
    same(unpack("plain"), "branch", "branch -v")
    same(unpack("plain"), "branch", "branch -v -a", list_all=True, list_remote=True)


def test_t_git_branch_04(unpack: Any) -> None:
    answer = run(unpack("plain"), "branch", rename="main")
    assert kind(answer) == "BadArgs" and answer.text == "rename requires new_name"


def test_t_git_stash_03(unpack: Any) -> None:
    assert same(unpack("dirty"), "stash", "stash list", action="list").startswith("stash@{0}")
    same(unpack("dirty"), "stash", "stash show stash@{1}", action="show", index=1)


def test_t_git_show_01(unpack: Any) -> None:
    assert same(unpack("plain"), "show", "show").startswith("commit ")


def test_t_git_show_02(unpack: Any) -> None:
    same(unpack("plain"), "show", "show --name-only", name_only=True, stat=True)


def test_t_git_blame_01_02(unpack: Any) -> None:
    top = unpack("plain")
    same(top, "blame", "blame src/app.py", path="src/app.py")
    same(top, "blame", "blame -L1,2 src/app.py", path="src/app.py", end_line=2)
    same(top, "blame", "blame -L2, src/app.py", path="src/app.py", start_line=2)


def test_t_git_blame_03(unpack: Any) -> None:
    answer = run(unpack("plain"), "blame", path="src/app.py", start_line=3, end_line=2)
    assert kind(answer) == "BadArgs" and answer.text == "start_line must be <= end_line"


def test_t_git_err_01_02(unpack: Any, tmp_path: Path) -> None:
    assert kind(run(unpack("plain"), "status", working_dir="nowhere")) == "ExecutionFailed"
    assert run(tmp_path, "status").text == f"Not a git repository: {tmp_path}"


def test_t_git_err_03_timeout_01_02(unpack: Any) -> None:
    answer = run(unpack("plain"), "log", host={"limits": Limits(timeout=0.0)}, timeout_ms=100)
    assert kind(answer) == "Timeout" and answer.text.startswith("git command timed out after 100ms")


def test_t_git_err_04(unpack: Any) -> None:
    answer = run(unpack("plain"), "show", commit="nowhere")
    assert kind(answer) == "ExecutionFailed" and answer.text.startswith("fatal: ")


def test_t_git_timeout_03(unpack: Any) -> None:
    assert kind(run(unpack("plain"), "log", host={"cancelled": lambda: True})) == "Cancelled"


@pytest.mark.parametrize("ref", ["-x", "--delete", "--exec=malicious", "--output=/tmp/x"])
def test_t_git_sec_01_10(unpack: Any, watched: Any, ref: str) -> None:
    watched(unpack("plain"))
    assert kind(run(unpack("plain"), "show", commit=ref)) == "BadArgs"
    assert kind(run(unpack("plain"), "branch", delete=ref)) == "BadArgs"


def test_t_git_sec_02_03_04(unpack: Any) -> None:
    top = unpack("plain")
    for answer in (
        run(top, "log", path="../x"), run(top, "blame", path="/etc/passwd"), run(top, "status", working_dir="/"),
        run(top, "status", working_dir="../.."), run(top, "diff", from_ref="HEAD~1", to_ref="HEAD", output_dir="/tmp"),
    ):  # fmt: skip
        assert kind(answer) == "SandboxViolation" and answer.text.startswith("Path outside sandbox: ")


def test_t_git_common_02(unpack: Any) -> None:
    host = {"level": "trusted"}
    answer = run(unpack("plain"), "branch", host=host, force_delete="main", delete="x", create="y")
    assert kind(answer) == "ApprovalRequired" and answer.text == "Force delete branch 'main'"
    answer = run(unpack("plain"), "stash", host=host, action="clear")
    assert answer.text == "Clear ALL stashes (WARNING: destructive)"
    assert kind(run(unpack("plain"), "branch", create="y")) == "ExecutionFailed"


def test_t_git_common_03_edge_03_04(unpack: Any) -> None:
    whole = run(unpack("plain"), "log").text
    size = len(whole.encode())
    assert run(unpack("plain"), "log", max_bytes=size).text == whole
    cut = run(unpack("plain"), "log", max_bytes=size - 1)
    assert cut.truncated and cut.text.endswith(MARKER) and len(cut.text.encode()) <= size - 1
    assert cut.result == {"output": cut.text, "truncated": True}
    assert truncated("ä" * 30, 5) == ("ää", True)


def test_t_git_edge_01(unpack: Any) -> None:
    assert run(unpack("unborn"), "status").text.startswith("## No commits yet on main")


def test_t_git_edge_02(unpack: Any) -> None:
    assert run(unpack("plain"), "diff", from_ref="HEAD", to_ref="HEAD").text == ""


def test_t_git_edge_06(unpack: Any) -> None:
    assert kind(run(unpack("plain"), "log", max_count=0)) == "BadArgs"


def test_t_git_edge_16(unpack: Any) -> None:
    merge = git(["rev-list", "--merges", "-n1", "--all"], cwd=unpack("plain")).stdout.decode().strip()
    same(unpack("plain"), "show", f"show {merge}", commit=merge)


def test_t_git_edge_17(unpack: Any) -> None:
    assert run(unpack("detached"), "status").text.startswith("## HEAD (no branch)")


def test_t_git_edge_18(unpack: Any) -> None:
    same(unpack("shallow"), "log", "log")


def test_t_git_int_05_to_08(unpack: Any) -> None:
    top = unpack("plain")
    same(top, "diff", "diff HEAD~2..HEAD", from_ref="HEAD~2", to_ref="HEAD")
    same(top, "log", "log --author=A --since=2001-01-01 --until=2030-01-01", author="A", since="2001-01-01",
         until="2030-01-01")  # fmt: skip
    same(top, "show", "show --format=%H%n%B", format="%H%n%B")


def test_schemas_are_the_documents() -> None:
    made = {tool.name: tool.input_schema() for tool in tools("forge")}
    assert made["git_status"]["additionalProperties"] is False
    assert made["git_diff"]["properties"]["max_bytes"]["maximum"] == 5_000_000
    assert made["git_diff"]["properties"]["unified"] == {
        "type": "integer", "minimum": 0, "description": "Number of context lines (-U<N>)",
    }  # fmt: skip
    assert made["git_log"]["properties"]["oneline"]["default"] is False
    assert made["git_blame"]["required"] == ["path"]
    assert made["git_stash"]["properties"]["action"]["default"] == "push"
