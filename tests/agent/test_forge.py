"""Document 3's rows that need no mutation; each test is named by its id."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass import git
from gitglass.agent import Roots, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles import base
from gitglass.agent.profiles.forge import MARKER, truncated
from gitglass.errors import Timeout
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


def test_output_dir_is_refused(unpack: Any) -> None:
    answer = run(unpack("plain"), "diff", from_ref="HEAD~1", to_ref="HEAD", output_dir="out")
    assert kind(answer) == "ExecutionFailed" and not (unpack("plain") / "out").exists()
    assert answer.text == "output_dir is not available: gitglass writes no files"
    answer = run(unpack("plain"), "diff", output_dir="out")
    assert kind(answer) == "BadArgs" and answer.text == "output_dir requires both from_ref and to_ref"


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
    listed = run(unpack("dirty"), "stash", action="list").text.splitlines()
    assert [line.partition(":")[0] for line in listed] == ["stash@{0}", "stash@{1}"]
    assert "README.md" in same(unpack("dirty"), "stash", "stash show stash@{1}", action="show", index=1)
    assert "only has 2 entries" in run(unpack("dirty"), "stash", action="show", index=7).text


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
    assert (kind(answer), answer.text) == ("Timeout", "git command timed out after 100ms")
    assert answer.error is not None and answer.error["partial"] is False


@pytest.mark.parametrize("most", [200_000, 300])
def test_t_git_err_03_timeout_02_partial_output(unpack: Any, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """What was there when the time was over is in the answer; the clock is a count of pieces."""
    whole = run(unpack("plain"), "log", format="%H").text
    monkeypatch.setattr(base, "Style", lambda store, ctx: None)
    monkeypatch.setattr(base, "execute", lambda *_: None)
    pieces = [line + "\n" for line in whole.splitlines()]

    def some(*_: object) -> Iterator[bytes]:
        for piece in pieces[:3]:
            yield piece.encode()
        raise Timeout("the time limit has passed")

    asked = SimpleNamespace(command=SimpleNamespace(render=some), request=None, named=None)
    monkeypatch.setattr(base, "parse_command", lambda *_: asked)
    answer = run(unpack("plain"), "log", format="%H", timeout_ms=5000, max_bytes=most)
    assert kind(answer) == "Timeout", answer.text
    assert answer.error is not None and answer.error["partial"] is True
    assert answer.truncated and answer.body == "".join(pieces[:3])
    assert answer.text == "git command timed out after 5000ms\n" + "".join(pieces[:3])


def test_t_git_err_04(unpack: Any) -> None:
    answer = run(unpack("plain"), "show", commit="nowhere")
    assert kind(answer) == "ExecutionFailed" and answer.text == "fatal: bad revision 'nowhere'"
    assert answer.error is not None and answer.error["code"] == "not_found"
    answer = run(unpack("plain"), "diff", from_ref="main", to_ref="nowhere")
    assert kind(answer) == "ExecutionFailed" and answer.error is not None and answer.error["code"] == "not_found"


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
    tagged = same(top, "diff", "diff v1.0..v2.0", from_ref="v1.0", to_ref="v2.0")
    assert tagged.startswith("diff --git ") and tagged != run(top, "diff", from_ref="v2.0", to_ref="v1.0").text
    whole = run(top, "log", format="%h").text.split()
    dates = {"since": "2023-11-15T04:00:00+0200", "until": "2023-11-15T08:00:00+0200"}
    words = f"log --format=%h --author=Ann --since={dates['since']} --until={dates['until']}"
    some = same(top, "log", words, format="%h", author="Ann", **dates).split()
    later = run(top, "log", format="%h", author="Ann", since=dates["since"]).text.split()
    earlier = run(top, "log", format="%h", author="Ann", until=dates["until"]).text.split()
    assert 0 < len(some) < min(len(later), len(earlier)) and max(len(later), len(earlier)) < len(whole)
    old = same(top, "blame", "blame v1.0 -- src/app.py", path="src/app.py", commit="v1.0")
    assert old != run(top, "blame", path="src/app.py").text
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


# ------------------------------------------------------------------------------------ what asks for a mutation, modelled
def ask(top: Any, name: str, *, level: str | None = "trusted", **arguments: Any) -> ToolAnswer:
    tool = next(tool for tool in tools("forge", mutating=True) if tool.name == f"git_{name}")
    return tool.call(arguments, ToolContext(Roots([top]), level=level))


def approval(top: Any, name: str, summary: str, risk: str, **arguments: Any) -> None:
    """It asks for an approval in the document's words; and it is not available at any level."""
    answer = ask(top, name, **arguments)
    assert (kind(answer), answer.text) == ("ApprovalRequired", summary), answer.text
    assert answer.error is not None and answer.error["details"]["risk"] == risk
    assert kind(ask(top, name, level="sandboxed", **arguments)) == "ExecutionFailed"
    for level in ("yolo", None):
        last = ask(top, name, level=level, **arguments)
        assert kind(last) == "ExecutionFailed" and last.text.startswith("gitglass only reads: "), last.text


def bad(top: Any, name: str, words: str, /, **arguments: Any) -> None:
    answer = ask(top, name, **arguments)
    assert (kind(answer), answer.text) == ("BadArgs", words)


def test_t_git_restore_03(unpack: Any) -> None:
    top = unpack("plain")
    bad(top, "restore", "At least one of staged or worktree must be true", paths=["a"], worktree=False)
    bad(top, "restore", "paths must contain at least one element", paths=[])
    bad(top, "restore", "paths is required")
    approval(top, "restore", "Restore 1 file(s) to worktree", "High", paths=["a"])
    approval(top, "restore", "Unstage 2 file(s)", "High", paths=["a", "b"], staged=True, worktree=False)
    approval(top, "restore", "Restore and unstage 1 file(s)", "High", paths=["a"], staged=True)


def test_t_git_add_03(unpack: Any) -> None:
    top = unpack("plain")
    bad(top, "add", "all and update are mutually exclusive", all=True, update=True)
    bad(top, "add", "At least one of paths, all, or update must be specified")
    approval(top, "add", "Stage all changes", "Medium", all=True, paths=["a"])
    approval(top, "add", "Stage modified/deleted files", "Medium", update=True)
    approval(top, "add", "Stage 3 file(s): a, b...", "Medium", paths=["a", "b", "c"])


def test_t_git_commit_01_02_edge_15(unpack: Any) -> None:
    top = unpack("plain")
    approval(top, "commit", "Commit: fix: a thing", "Medium", type="fix", message="a thing")
    approval(top, "commit", f"Commit: feat(core): {'x' * 50}", "Medium", type="feat", scope="core", message="x" * 60)
    approval(top, "commit", "Commit: fix: one two", "Medium", type="fix", message="one\ntwo")
    bad(top, "commit", "type must be lowercase letters only (e.g., feat, fix, docs)", type="Fix", message="x")
    bad(top, "commit", "type must be lowercase letters only (e.g., feat, fix, docs)", type="fix\n", message="x")
    bad(
        top, "commit", "scope must be lowercase alphanumeric, underscore, or hyphen", type="fix", scope="A", message="x"
    )
    bad(top, "commit", "message must not be empty", type="fix", message=" ")


def test_t_git_checkout_04_edge_09_22(unpack: Any) -> None:
    top = unpack("releases")  # `topic` is a file and a branch
    bad(top, "checkout", "At least one of branch, create_branch, commit, or paths must be specified")
    approval(top, "checkout", "Restore 1 file(s) from HEAD", "High", paths=["topic"])
    approval(top, "checkout", "Restore 1 file(s) from v1.0", "High", paths=["topic"], commit="v1.0")
    approval(top, "checkout", "Switch to branch 'topic'", "Medium", branch="topic")
    approval(
        top, "checkout", "Create and switch to branch 'zweig-ß'", "Medium", create_branch="zweig-ß", branch="topic"
    )
    approval(top, "checkout", "Checkout commit 'v1.0'", "Medium", commit="v1.0")
    assert kind(ask(top, "checkout", branch="topic", paths=["a"])) == "BadArgs"


def test_t_git_edge_14_and_what_stash_and_restore_ask(unpack: Any) -> None:
    top = unpack("plain")
    approval(top, "stash", "Stash changes", "Medium")
    approval(top, "stash", "Stash changes: later", "Medium", message="later", include_untracked=True)
    approval(top, "restore", "Restore 1 file(s) to worktree", "High", paths=["src/*.py"])
    approval(top, "add", "Stage 1 file(s): a name with spaces.txt", "Medium", paths=["a name with spaces.txt"])


def test_t_git_sec_09(unpack: Any, watched: Any) -> None:
    top = unpack("plain")
    watched(top)
    message = '$(touch /tmp/x); `id` && "quoted" | rm -rf *'
    approval(top, "commit", f"Commit: fix: {message}", "Medium", type="fix", message=message)


def test_t_git_sec_02_of_what_would_write(unpack: Any) -> None:
    top = unpack("plain")
    for name in ("restore", "add", "checkout"):
        for path in ("../x", "/etc/passwd", "a/../../b"):
            assert kind(ask(top, name, paths=[path])) == "SandboxViolation"
    for ref in ("-x", "--orphan", "a\nb"):
        assert kind(ask(top, "checkout", branch=ref)) == kind(ask(top, "checkout", create_branch=ref)) == "BadArgs"


def test_all_eleven_are_listed_on_request() -> None:
    assert [tool.name for tool in tools("forge", mutating=True)] == [
        "git_status", "git_diff", "git_log", "git_show", "git_blame", "git_branch", "git_stash", "git_restore",
        "git_add", "git_commit", "git_checkout",
    ]  # fmt: skip
    made = {tool.name: tool for tool in tools("forge", mutating=True)}
    assert not made["git_restore"].hints.read_only and made["git_restore"].hints.destructive
    schema = made["git_commit"].input_schema()
    assert schema["properties"]["type"] == {
        "type": "string", "pattern": "^[a-z]+$",
        "description": "Commit type: feat, fix, docs, style, refactor, test, chore, etc.",
    }  # fmt: skip
    assert schema["properties"]["scope"]["pattern"] == "^[a-z0-9_-]+$"
    assert schema["properties"]["message"]["minLength"] == 1 and schema["required"] == ["type", "message"]
    assert made["git_restore"].input_schema()["properties"]["paths"]["minItems"] == 1


# ---------------------------------------------------------------------------------------------------- the other readers
def test_t_git_edge_05(unpack: Any) -> None:
    assert same(unpack("submodule"), "log", "log").count("commit ") == 1


def test_t_git_edge_07_08(unpack: Any) -> None:
    top = unpack("releases")
    listed = run(top, "branch").text
    assert "zweig-ü" in listed and "feature/foo" in listed
    same(top, "show", "show zweig-ü", commit="zweig-ü")
    same(top, "diff", "diff --stat feature/foo..zweig-ü --", from_ref="feature/foo", to_ref="zweig-ü", stat=True)


def test_t_git_edge_11(unpack: Any) -> None:
    top = unpack("releases")
    text = run(top, "blame", host={"raw": True}, path="windows.txt").text
    assert text.encode() == git(["blame", "windows.txt"], cwd=top).stdout and text.count("\r\n") == 2
    assert run(top, "blame", path="windows.txt").text.count("\\x0d\n") == 2


def test_t_git_edge_12(unpack: Any) -> None:
    top = unpack("releases")
    added = run(top, "blame", path="new.py")
    assert not added.is_error and "(Not Committed Yet" in added.text
    loose = run(top, "blame", path="loose.py")
    assert kind(loose) == "ExecutionFailed" and "no such path 'loose.py' in HEAD" in loose.text


def test_t_git_edge_19(unpack: Any) -> None:
    text = same(unpack("releases"), "blame", "blame model.bin", path="model.bin")
    assert "oid sha256:" in text and "size 23456" in text


def test_t_git_edge_20(unpack: Any) -> None:
    top = unpack("submodule")
    assert same(top, "log", "log -- libs/changed", path="libs/changed")
    assert run(top, "log", path="libs/nosuch").text == ""
    inside = run(top, "log", working_dir="libs/changed")  # a repository of its own, within the sandbox
    assert inside.text == git(["log"], cwd=top / "libs/changed").stdout.decode() and "In the submodule" in inside.text
    assert kind(run(top, "status", working_dir="libs/absent")) == "ExecutionFailed"  # an empty directory of top's
    for path in ("libs/changed", "libs/changed/l.txt"):
        answer = run(top, "blame", path=path)
        assert kind(answer) == "ExecutionFailed"
        assert answer.text.encode() == git(["blame", "--", path], cwd=top).stderr.strip()


def test_t_git_sec_05(unpack: Any, watched: Any) -> None:
    top = unpack("releases")  # `outside` is a symlink to /etc, `inside` one to src
    watched(top)
    for place in ("outside", "inside/../outside"):
        answer = run(top, "status", working_dir=place)
        assert kind(answer) in ("SandboxViolation", "ExecutionFailed") and "root:" not in answer.text
    for path in ("outside/passwd", "inside/app.py"):
        answer = run(top, "blame", path=path)
        assert kind(answer) == "ExecutionFailed" and "root:" not in answer.text
    shown = run(top, "diff", from_ref="v1.0", to_ref="HEAD", paths=["outside"])
    assert "root:" not in shown.text


def test_t_git_sec_07_timeout_04(unpack: Any, watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment is read and no process started: there is nothing to filter, and no group to end."""
    top = unpack("plain")
    before = run(top, "log", max_count=1).text
    for name, value in {
        "GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "log.date",
        "GIT_CONFIG_VALUE_0": "raw", "GIT_EXTERNAL_DIFF": "/bin/false", "AWS_SECRET_KEY": "s3cr3t", "HOME": "/nowhere",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    watched(top)
    assert run(top, "log", max_count=1).text == before
    assert "s3cr3t" not in run(top, "diff", from_ref="v1.0", to_ref="HEAD").text


def test_t_git_sec_08(unpack: Any) -> None:
    top = unpack("releases")
    escaped = git(["rev-list", "-n1", "HEAD", "--", "odd.txt"], cwd=top).stdout.decode().strip()
    for answer in (
        run(top, "log"), run(top, "log", format="%an %s"), run(top, "show", commit=escaped),
        run(top, "blame", path="odd.txt"), run(top, "diff", from_ref="v1.0", to_ref="HEAD"), run(top, "branch"),
    ):  # fmt: skip
        assert not answer.is_error
        assert not set(answer.text) & {"\x1b", "\x07", "\u202e", "\u200b"}
    assert "\\x1b[31mtext" in run(top, "show", commit=escaped).text
    assert "Eve \\x1b]0;title" in run(top, "log").text
    assert not set(run(top, "show", commit="\u202ex").text) & {"\u202e"}  # an error repeats what was asked


def test_t_git_common_01(unpack: Any, tmp_path: Path) -> None:
    """git's warnings stand behind the output, as document 3 has it."""
    place = tmp_path / "warned"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    (place / ".git/refs/heads/v1.0").write_text((place / ".git/refs/heads/main").read_text())
    answer = run(place, "show", commit="v1.0")
    done = git(["show", "v1.0"], cwd=place)
    assert done.stderr and not answer.is_error
    assert answer.text == f"{done.stdout.decode()}\n\n[stderr]\n{done.stderr.decode()}"


def test_t_git_common_04(unpack: Any) -> None:
    """Text and typed form of one answer say the same, and are JSON."""
    answer = run(unpack("plain"), "log", max_count=1)
    assert json.loads(json.dumps(answer.result)) == {"output": answer.text, "truncated": False}
    failed = run(unpack("plain"), "show", commit="nowhere")
    assert json.loads(json.dumps(failed.error))["type"] == "ExecutionFailed"


def test_words_of_appendix_b(unpack: Any) -> None:
    top = unpack("plain")
    assert run(top, "blame").text == "path is required"
    assert run(top, "log", max_count="many").text.startswith("Invalid arguments: max_count: ")
    assert run(top, "log", nonsense=1).text.startswith("Invalid arguments: unknown argument 'nonsense'")
    assert run(top, "log", timeout_ms=700_000).text == "timeout_ms cannot exceed 600000"
