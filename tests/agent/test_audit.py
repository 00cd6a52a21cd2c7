"""agent/audit.py: one record for every call of every tool of every profile, whatever its outcome."""

import json
from typing import Any

import pytest

from gitglass.agent import AuditRecord, Roots, Tool, ToolContext, tools
from gitglass.agent.profiles import PROFILES
from gitglass.limits import Limits

ALL = [(profile, tool) for profile in PROFILES for tool in tools(profile)]
ASKED: dict[str, dict[str, Any]] = {
    "git_blame": {"path": "src/app.py"}, "git_grep": {"pattern": "e"}, "git_compare": {"from_ref": "v1.0"},
    "git_stash": {"action": "list"}, "git_restore": {"paths": ["a"]}, "git_add": {"paths": ["a"]},
    "git_commit": {"type": "fix", "message": "x"}, "git_checkout": {"branch": "main"},
}  # fmt: skip


def arguments(profile: str, tool: Tool, top: Any) -> dict[str, Any]:
    one = {"rfc": {"op": "log", "repo": str(top)}, "openharness": {"operation": "log"}, "nexus": {"command": "log"}}
    if profile == "mcp-server-git":
        return {"repo_path": str(top), **({"target": "HEAD"} if tool.name == "git_diff" else {})}
    return one.get(profile) or ASKED.get(tool.name, {})


@pytest.mark.parametrize(("profile", "tool"), ALL, ids=lambda value: value if isinstance(value, str) else value.name)
def test_every_tool_of_every_profile_is_recorded(profile: str, tool: Tool, unpack: Any) -> None:
    seen: list[AuditRecord] = []
    top = unpack("plain")
    ctx = ToolContext(Roots(top), audit=seen.append, caller_id="agent-7")
    asked = arguments(profile, tool, top)
    answer = tool.call(asked, ctx)
    assert len(seen) == 1
    record = seen[0]
    assert (record.caller_id, record.tool) == ("agent-7", tool.name)
    assert record.bytes == len(answer.text.encode())
    assert record.duration_ms > 0
    assert record.outcome == ("ok" if answer.error is None else answer.error["code"])
    assert json.loads(json.dumps(record.as_dict()))["request"] == record.request
    tool.call({} if profile == "mcp-server-git" else {**asked, "nonsense": 1}, ctx)  # the original ignores the unknown
    assert seen[1].outcome == "invalid_args" and seen[1].request != record.request
    assert len(seen) == 2


def test_the_digest_is_of_the_request(unpack: Any) -> None:
    seen: list[AuditRecord] = []
    ctx = ToolContext(Roots(unpack("plain")), audit=seen.append)
    log, show = (tool for tool in tools(only=["git_log", "git_show"]))
    for one in ({"max_count": 1, "rev": "HEAD"}, {"rev": "HEAD", "max_count": 1, "grep": None}, {"rev": "HEAD"}):
        log.call(one, ctx)
    show.call({"rev": "HEAD"}, ctx)
    digests = [record.request for record in seen]
    assert digests[0] == digests[1] and len(set(digests)) == 3
    assert all(len(digest) == 64 for digest in digests)


def test_refusals_timeouts_cancellations_and_odd_arguments_are_recorded(unpack: Any) -> None:
    seen: list[AuditRecord] = []
    roots = Roots(unpack("plain"))
    (log,) = tools(only=["git_log"])
    (nexus,) = tools("nexus")
    log.call({}, ToolContext(roots, audit=seen.append, limits=Limits(timeout=0.0)))
    log.call({}, ToolContext(roots, audit=seen.append, cancelled=lambda: True))
    log.call({"repo": "/etc"}, ToolContext(roots, audit=seen.append))
    log.call([1], ToolContext(roots, audit=seen.append))  # type: ignore[arg-type]
    log.call({1: object()}, ToolContext(roots, audit=seen.append))  # type: ignore[dict-item]
    nexus.call({"command": "reset --hard"}, ToolContext(roots, audit=seen.append, level="sandboxed"))
    assert [record.outcome for record in seen] == [
        "timeout", "cancelled", "sandbox_violation", "invalid_args", "invalid_args", "permission_denied",
    ]  # fmt: skip


def test_text_of_the_repository_is_not_in_the_record(unpack: Any) -> None:
    seen: list[AuditRecord] = []
    (grep,) = tools(only=["git_grep"])
    grep.call({"pattern": "a-secret-word"}, ToolContext(Roots(unpack("plain")), audit=seen.append))
    assert "a-secret-word" not in json.dumps(seen[0].as_dict())


def test_arguments_that_are_no_json_are_recorded_too(unpack: Any) -> None:
    seen: list[AuditRecord] = []
    (log,) = tools(only=["git_log"])
    ctx = ToolContext(Roots(unpack("plain")), audit=seen.append)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    round_about: dict[str, Any] = {}
    round_about["rev"] = round_about
    for odd in ({"rev": deep}, round_about, {"rev": "\ud800"}, {"paths": ["a", "\udfff"]}, {"\ud800": 1}):
        answer = log.call(odd, ctx)
        assert answer.is_error and answer.text.encode()
    assert len(seen) == 5 and {record.outcome for record in seen} <= {"invalid_args", "corrupt"}
