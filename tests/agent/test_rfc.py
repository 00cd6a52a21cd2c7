"""Document 0's acceptance criteria, by number."""

import json
from pathlib import Path
from typing import Any

import pytest

from gitglass import git
from gitglass.agent import Roots, Tool, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles.rfc import register_git_tool
from gitglass.limits import Limits


class Call:
    def __init__(self, top: Path, **more: Any) -> None:
        self.top = top
        self.tool = tools("rfc")[0]
        self.ctx = ToolContext(Roots([top]), **more)

    def __call__(self, op: str, **arguments: Any) -> ToolAnswer:
        return self.tool.call({"op": op, "repo": str(self.top), **arguments}, self.ctx)

    def fails(self, op: str, **arguments: Any) -> str:
        answer = self(op, **arguments)
        assert answer.is_error and answer.error is not None, answer.text
        return str(answer.error["code"])


@pytest.fixture
def call(unpack: Any) -> Call:
    return Call(unpack("plain"))


def test_criterion_1_registration() -> None:
    class Registry:
        def __init__(self) -> None:
            self.tools: dict[str, Tool] = {}

        def register(self, tool: Tool) -> None:
            self.tools[tool.name] = tool

    registry = Registry()
    register_git_tool(registry)
    assert list(registry.tools) == ["Git"] and tools("rfc")[0].name == "Git"
    register_git_tool(registry, "git")
    assert list(registry.tools) == ["Git", "git"] and tools("rfc", name="git")[0].name == "git"


@pytest.mark.parametrize("op", ["push", "commit", "fetch", "clone", "Log", ""])
def test_criterion_2_ops(call: Call, op: str) -> None:
    assert call.fails(op) == "invalid_args"


@pytest.mark.parametrize("ref", ["a;b", "a b", "a\n", "$(x)", "`x`", "-x", "--all", "", "x" * 201, "a:b", "a{0}"])
def test_criterion_3_refs(call: Call, ref: str) -> None:
    assert call.fails("log", ref=ref) == "invalid_args"


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../b", "..", "", "a\nb"])
def test_criterion_4_paths(call: Call, path: str) -> None:
    assert call.fails("log", path=path) == "invalid_args"


@pytest.mark.parametrize(
    "args",
    [["--exec-path=/tmp"], ["--exec-path"], ["-c", "core.fsmonitor=x"], ["--output=/tmp/x"], ["--ext-diff"], ["HEAD"],
     ["-n"], ["-n", "--all"], ["--since=a;b"], ["--since=a\nb"], ["--author=$(x)"], ["--author=a;b"], ["--author=a\nb"], ["--no-index"], ["--"]],
)  # fmt: skip
def test_criterion_5_args(call: Call, args: list[str]) -> None:
    assert call.fails("log", args=args) == "invalid_args"


def test_criterion_5_args_are_allowed_by_op(call: Call) -> None:
    assert call.fails("status", args=["--oneline"]) == "invalid_args"
    assert not call("log", args=["--oneline", "-n", "2"]).is_error
    assert not call("log", args=["-n2", "--since=2001-01-01", "--author=A"]).is_error


def test_criterion_6_status(call: Call, unpack: Any) -> None:
    found = call("status").result
    assert found is not None and found["exit_code"] == 0
    found = Call(unpack("dirty"))("status").result
    assert found is not None and all(line[2] == " " for line in found["stdout"].splitlines())


def test_criterion_7_log(call: Call) -> None:
    answer = call("log", args=["-n", "1"])
    found = json.loads(answer.text)
    assert found == answer.result
    assert found["stdout"].encode() == git(["log", "-n", "1"], cwd=call.top).stdout
    assert found["stdout"].startswith("commit 790a245") and found["stdout"].count("\ncommit ") == 0
    assert (found["op"], found["exit_code"], found["stderr"]) == ("log", 0, "")
    assert found["timed_out"] is found["stdout_truncated"] is found["stderr_truncated"] is False
    assert found["cmd"][1:] == ["-C", str(call.top), "log", "-n", "1", "--"]
    assert set(found) == {
        "op", "exit_code", "stdout", "stderr", "duration_s", "timed_out", "cmd", "stdout_truncated", "stderr_truncated",
    }  # fmt: skip


def test_criterion_8_grants(call: Call, unpack: Any) -> None:
    other = unpack("dirty")
    assert call.fails("log", repo=str(other)) == "fs_denied"
    assert call.fails("log", repo="/") == "fs_denied"


def test_criterion_9_timeout(unpack: Any) -> None:
    answer = Call(unpack("plain"), limits=Limits(timeout=0.0))("log")
    assert answer.result is not None and answer.result["timed_out"] is True and not answer.is_error
    assert Call(unpack("plain")).fails("log", timeout_s=0) == "invalid_args"
    assert Call(unpack("plain")).fails("log", timeout_s=121) == "invalid_args"


def test_criterion_10_reads_only(call: Call, watched: Any) -> None:
    watched(call.top)
    for op, more, words in (
        ("status", {}, "status --porcelain"), ("log", {}, "log"), ("diff", {}, "diff"),
        ("show", {"ref": "HEAD"}, "show HEAD"), ("branch", {}, "branch -a"), ("ls_files", {}, "ls-files"),
        ("rev_parse", {}, "rev-parse --short HEAD"), ("blame", {"path": "src/app.py"}, "blame -- src/app.py"),
    ):  # fmt: skip
        answer = call(op, **more)
        assert answer.result is not None and answer.result["exit_code"] == 0, answer.text
        assert answer.result["stdout"].encode() == git(words.split(), cwd=call.top).stdout


def test_what_is_needed_and_what_git_says(call: Call) -> None:
    assert call.fails("show") == "invalid_args"
    assert call.fails("blame") == "invalid_args"
    assert call.fails("log", repo="relative") == "invalid_args"
    assert call.fails("log", repo=str(call.top / "src")) == "invalid_args"
    found = call("log", ref="nowhere").result
    assert found is not None and found["exit_code"] == 128 and found["stderr"].startswith("fatal: ")
    found = call("rev_parse").result
    assert found is not None and len(found["stdout"].strip()) >= 7
