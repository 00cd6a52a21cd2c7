"""Document 2: levels, blocked forms, structured fields, safety, edge cases."""

import json
from typing import Any

import pytest

from gitglass import git
from gitglass.agent import AuditRecord, Budget, Roots, ToolAnswer, ToolContext, tools
from gitglass.limits import Limits

READS = [
    "status", "diff HEAD~1", "log -5", "log --oneline -10", "show", "branch -v", "remote", "blame src/app.py",
    "rev-parse HEAD", "describe --always", "ls-files", "ls-tree HEAD", "stash list",
]  # fmt: skip
BLOCKED = [
    "reset --hard HEAD~1", "push --force", "push -f", "push origin +main", "push origin +topic", "clean -f", "clean -fd", "rebase -i HEAD~2",
    "checkout --orphan x", "branch -D x", "checkout -- src/app.py", "restore src/app.py", "stash clear",
]  # fmt: skip


def run(top: Any, command: str, **more: Any) -> ToolAnswer:
    return tools("nexus")[0].call({"command": command}, ToolContext(Roots([top]), **more))


def fields(top: Any, command: str, **more: Any) -> dict[str, Any]:
    answer = run(top, command, **more)
    assert not answer.is_error, answer.text
    found: dict[str, Any] = json.loads(answer.text)
    assert found["success"] is True and found["command"] == command.split()[0]
    return found


@pytest.mark.requirement(
    "SANDBOXED: status, diff, log, show, branch, remote, blame, rev-parse, describe, ls-files, ls-tree are answered"
)
@pytest.mark.parametrize("command", READS)
def test_sandboxed_reads(unpack: Any, watched: Any, command: str) -> None:
    top = unpack("plain")
    watched(top)
    assert fields(top, command, level="sandboxed")["output"] or command in ("stash list", "status")


@pytest.mark.requirement("SANDBOXED: everything else is refused, in the document's words")
@pytest.mark.parametrize("command", ["add .", "commit -m x", "push", "fetch", "branch x", "tag v9", "stash", *BLOCKED])
def test_sandboxed_blocks_writes(unpack: Any, command: str) -> None:
    answer = run(unpack("plain"), command, level="sandboxed")
    assert answer.is_error and answer.text == "Only read-only git commands allowed in SANDBOXED mode"


@pytest.mark.requirement(
    "Blocked at all levels but YOLO: reset --hard, push --force, clean, rebase -i, checkout --orphan"
)
@pytest.mark.parametrize("command", BLOCKED)
def test_blocked_unless_yolo(unpack: Any, command: str) -> None:
    answer = run(unpack("plain"), command)
    assert answer.is_error and answer.text == f"Command blocked for safety: {command}"
    answer = run(unpack("plain"), command, level="yolo")
    assert answer.is_error and answer.error is not None and answer.error["code"] == "unsupported"


@pytest.mark.requirement("TRUSTED: push, pull, merge, rebase, tag --delete need a confirmation")
@pytest.mark.parametrize("command", ["push origin topic", "pull", "merge topic", "rebase topic", "tag --delete v1"])
def test_trusted_confirms(unpack: Any, command: str) -> None:
    answer = run(unpack("plain"), command, level="trusted")
    assert answer.error is not None and answer.error["code"] == "approval_required"


@pytest.mark.requirement("TRUSTED: add, commit, checkout, stash, fetch are allowed (and not available)")
@pytest.mark.parametrize("command", ["add src", "commit -m 'never reset --hard'", "checkout -b x", "stash", "fetch"])
def test_trusted_allows_but_nothing_writes(unpack: Any, command: str) -> None:
    answer = run(unpack("plain"), command, level="trusted")
    assert answer.error is not None and answer.error["code"] == "unsupported" and "not available" in answer.text


@pytest.mark.requirement("Fields of status: branch, ahead, behind, staged, unstaged, untracked")
def test_status_fields(unpack: Any) -> None:
    found = fields(unpack("dirty"), "status")
    assert found["output"].encode() == git(["status"], cwd=unpack("dirty")).stdout
    assert found["branch"] == "main"
    assert found["staged"] == ["docs/nonl.txt", "new.txt", "src/app.py", "src/moved.py"]
    assert found["unstaged"] == ["README.md", "logo.bin", "new.txt", "src/app.py", "src/tools.py", "wish.txt"]
    assert found["untracked"] == [".gitignore", "scratch/", "untracked ü.txt"] and found["conflicts"] == []
    found = fields(unpack("plain"), "status")
    assert (found["ahead"], found["behind"], found["staged"], found["untracked"]) == (2, 0, [], [])


@pytest.mark.requirement("Fields of diff: files_changed, insertions, deletions, raw_diff")
def test_diff_fields(unpack: Any) -> None:
    found = fields(unpack("plain"), "diff v1.0 v2.0")
    rows = [
        line.split() for line in git(["diff", "--numstat", "v1.0", "v2.0"], cwd=unpack("plain")).stdout.splitlines()
    ]
    added, deleted = (sum(int(row[at]) for row in rows if row[at] != b"-") for at in (0, 1))
    assert (found["files_changed"], found["insertions"], found["deletions"]) == (len(rows), added, deleted)
    assert len({len(rows), added, deleted}) == 3 and deleted
    assert found["raw_diff"].encode() == git(["diff", "v1.0", "v2.0"], cwd=unpack("plain")).stdout


@pytest.mark.requirement("Fields of log: commits[sha, author, date, message]")
def test_log_fields(unpack: Any) -> None:
    found = fields(unpack("plain"), "log -3")
    assert found["output"].encode() == git(["log", "-3"], cwd=unpack("plain")).stdout
    said = git(["log", "-3", "--format=%H%x00%aN <%aE>%x00%aI%x00%B%x01"], cwd=unpack("plain")).stdout.decode()
    rows = [row.strip().split("\0") for row in said.split("\x01")[:3]]
    assert [list(row.values()) for row in found["commits"]] == rows
    assert set(found["commits"][0]) == {"sha", "author", "date", "message"}


@pytest.mark.requirement("Fields of branch: branches[name, current, tracking, ahead, behind]")
def test_branch_fields(unpack: Any) -> None:
    found = fields(unpack("plain"), "branch -v")
    assert found["branches"] == [
        {"name": "main", "current": True, "tracking": "origin/main", "ahead": 2, "behind": 0},
        {"name": "topic", "current": False, "tracking": None, "ahead": 0, "behind": 0},
    ]


@pytest.mark.requirement("Fields of show: sha, author, date, message, diff")
def test_show_fields(unpack: Any) -> None:
    found = fields(unpack("plain"), "show HEAD~1")
    shown = git(["show", "HEAD~1"], cwd=unpack("plain")).stdout.decode()
    said = git(["show", "-s", "--format=%H%x00%aN <%aE>%x00%aI%x00%s", "HEAD~1"], cwd=unpack("plain")).stdout.decode()
    assert [found[name] for name in ("sha", "author", "date", "message")] == said.strip().split("\0")
    assert found["diff"] == shown[shown.index("diff --git ") :] and found["output"] == shown


@pytest.mark.requirement("Edge cases: detached HEAD, merge conflicts, empty repository")
def test_edge_cases(unpack: Any) -> None:
    assert fields(unpack("detached"), "status")["branch"] == "HEAD (detached)"
    conflicted = fields(unpack("conflict"), "status")
    assert conflicted["conflicts"] and not set(conflicted["conflicts"]) & set(conflicted["staged"])
    assert fields(unpack("unborn"), "status")["ahead"] == 0
    answer = run(unpack("unborn"), "log")
    assert answer.is_error and answer.text.startswith("Git error: fatal: ")


@pytest.mark.requirement("Safety: command allow list, arguments, cwd within the roots, timeout, no shell")
def test_safety(unpack: Any) -> None:
    top = unpack("plain")
    assert run(top, "").text == "No git command provided"
    assert run(top, "log 'x").is_error
    assert run(top, "-c core.pager=x log").is_error
    assert run(top, "log; rm -rf /").is_error
    assert run(top, "frobnicate").is_error
    tool = tools("nexus")[0]
    outside = tool.call({"command": "log", "cwd": "/"}, ToolContext(Roots([top])))
    assert outside.error is not None and outside.error["code"] == "sandbox_violation"
    answer = run(top, "log", limits=Limits(timeout=0.0))
    assert answer.text == "Git command timed out (30s limit)"


@pytest.mark.requirement("Audit: every command is recorded with the agent's id")
def test_audit_names_the_caller(unpack: Any) -> None:
    seen: list[AuditRecord] = []
    run(unpack("plain"), "push", audit=seen.append, caller_id="agent-7")
    run(unpack("plain"), "log -1", audit=seen.append, caller_id="agent-7")
    assert [(row.caller_id, row.outcome) for row in seen] == [("agent-7", "approval_required"), ("agent-7", "ok")]


def test_an_answer_fits_its_budget(unpack: Any) -> None:
    for size in (600, 2000, 8000):
        answer = run(unpack("plain"), "log -p", budget=Budget(max_bytes=size))
        assert len(answer.text.encode()) <= size and answer.truncated
        assert json.loads(answer.text)["truncated"] is True
