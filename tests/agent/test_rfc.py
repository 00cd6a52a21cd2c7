"""Document 0's acceptance criteria, by number."""

import json
from pathlib import Path
from typing import Any

import pytest

from gitglass import git
from gitglass.agent import Roots, Tool, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles import rfc
from gitglass.agent.profiles.rfc import register_git_tool
from gitglass.commands.policy import Policy
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
     ["-n"], ["-n", "--all"], ["--author=" + "x" * 1016], ["-x"], ["-5x"], ["-U3"], ["-"], ["--oneline=1"], ["--since=a;b"], ["--since=a\nb"], ["--author=$(x)"], ["--author=a;b"], ["--author=a\nb"], ["--no-index"], ["--"]],
)  # fmt: skip
def test_criterion_5_args(call: Call, args: list[str]) -> None:
    assert call.fails("log", args=args) == "invalid_args"


def test_criterion_5_a_refused_word_is_named(call: Call) -> None:
    answer = call("log", args=["--frobnicate"])
    assert answer.text == "invalid_args: args: '--frobnicate' is not allowed for log"
    answer = call("log", args=["x" * 100])
    assert answer.text == f"invalid_args: args: '{'x' * 80}' is not allowed for log"
    answer = call("log", args=["a;" + "x" * 100])
    assert answer.text == f"invalid_args: args: 'a;{'x' * 78}' holds characters that are not allowed"
    assert not call("log", args=["--author=" + "x" * 1015]).is_error


def test_criterion_5_values_stick_to_their_options(call: Call) -> None:
    for op, args, words in (("log", ["-2"], "log -2"), ("blame", ["-L2,3"], "blame -L2,3 -- src/app.py"),
                            ("diff", ["-U1"], "diff -U1 --")):  # fmt: skip
        more = {"path": "src/app.py"} if op == "blame" else {}
        answer = call(op, args=args, **more)
        assert answer.body.encode() == git(words.split(), cwd=call.top).stdout
    assert call.fails("diff", args=["-2"]) == call.fails("show", ref="HEAD", args=["-5"]) == "invalid_args"


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


@pytest.mark.parametrize("op", ["status", "branch", "ls_files"])
def test_criterion_3_ops_that_take_no_ref(call: Call, op: str) -> None:
    assert call(op, ref="HEAD").text == f"invalid_args: ref: {op} takes none"


@pytest.mark.parametrize("op", ["branch", "rev_parse"])
def test_criterion_4_ops_that_take_no_path(call: Call, op: str) -> None:
    assert call(op, path="src").text == f"invalid_args: path: {op} takes none"


def test_criterion_7_what_was_left_out_is_said(call: Call, unpack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = git(["log", "--oneline"], cwd=call.top).stdout
    monkeypatch.setattr(rfc, "MAX_STDOUT", len(whole))
    answer = call("log", args=["--oneline"])
    assert answer.result is not None and not answer.truncated
    assert (answer.result["stdout"].encode(), answer.result["stdout_truncated"]) == (whole, False)
    monkeypatch.setattr(rfc, "MAX_STDOUT", len(whole) - 1)
    answer = call("log", args=["--oneline"])
    assert answer.result is not None and answer.truncated
    assert (answer.result["stdout"].encode(), answer.result["stdout_truncated"]) == (whole[:-1], True)
    monkeypatch.setattr(rfc, "MAX_STDERR", 7)
    answer = call("log", ref="nowhere")
    assert answer.result is not None and not answer.truncated
    assert (answer.result["stderr"], answer.result["stderr_truncated"]) == ("fatal: ", True)
    assert 0 < answer.result["duration_s"] < 60 and answer.result["duration_s"] == round(answer.result["duration_s"], 6)


def test_criterion_7_bytes_are_counted_as_they_are_shown(unpack: Any) -> None:
    host = ToolContext(Roots([unpack("plain")]))
    for raw, most, shown in ((b"a" * 9, 9, ("a" * 9, False)), (b"a" * 9, 8, ("a" * 8, True)),
                             ("\u00e9".encode() * 3, 5, ("\u00e9" * 2, True)), (b"\xff" * 4, 8, None)):  # fmt: skip
        text, cut = rfc._capped(raw, most, host)
        assert len(text.encode()) <= most and (shown is None or (text, cut) == shown)
        assert cut or len(raw) <= most


def test_criterion_8_grants(call: Call, unpack: Any) -> None:
    other = unpack("dirty")
    assert call.fails("log", repo=str(other)) == "fs_denied"
    assert call.fails("log", repo="/") == "fs_denied"


def test_criterion_9_timeout(unpack: Any) -> None:
    answer = Call(unpack("plain"), limits=Limits(timeout=0.0))("log")
    assert answer.result is not None and answer.result["timed_out"] is True and not answer.is_error
    assert answer.truncated and answer.result["stdout_truncated"] is False
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
    assert call("blame").text == "invalid_args: path: blame needs one"
    denied = ToolContext(Roots([call.top]), policy=Policy(denied=("git log*",)))
    refused = call.tool.call({"op": "log", "repo": str(call.top)}, denied)
    assert refused.error is not None and refused.error["code"] == "fs_denied"
    assert call.fails("rev_parse", ref="HEAD", path=None, args=["--verify", "--exec-path"]) == "invalid_args"
    assert call.fails("log", repo="relative") == "invalid_args"
    assert call.fails("log", repo=str(call.top / "src")) == "invalid_args"
    found = call("log", ref="nowhere").result
    assert found is not None and found["exit_code"] == 128 and found["stderr"].startswith("fatal: ")
    found = call("rev_parse").result
    assert found is not None and len(found["stdout"].strip()) >= 7
