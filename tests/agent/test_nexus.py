"""Document 2: levels, blocked forms, structured fields, safety, edge cases."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of

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
    assert [row["sha"] for row in found["commits"]] == git(
        ["rev-list", "-n", "3", "HEAD"], cwd=unpack("plain"), text=True
    ).stdout.split()
    count = int(git(["rev-list", "--count", "HEAD"], cwd=unpack("plain")).stdout)
    assert len(fields(unpack("plain"), "log")["commits"]) == count > 3
    none = fields(unpack("plain"), "log -n 0")
    assert (none["commits"], none["output"]) == ([], "")


@pytest.mark.requirement("Fields of branch: branches[name, current, tracking, ahead, behind]")
def test_branch_fields(unpack: Any) -> None:
    found = fields(unpack("plain"), "branch -v")
    assert found["branches"] == [
        {"name": "main", "current": True, "tracking": "origin/main", "ahead": 2, "behind": 0},
        {"name": "topic", "current": False, "tracking": None, "ahead": 0, "behind": 0},
    ]
    assert found["output"].encode() == git(["branch", "-v"], cwd=unpack("plain")).stdout
    assert fields(unpack("plain"), "branch --color=always --column=always")["branches"] == found["branches"]
    assert fields(unpack("plain"), "branch --list topic")["branches"] == found["branches"][1:]


@pytest.mark.requirement("Fields of show: sha, author, date, message, diff")
def test_show_fields(unpack: Any) -> None:
    found = fields(unpack("plain"), "show HEAD~1")
    shown = git(["show", "HEAD~1"], cwd=unpack("plain")).stdout.decode()
    said = git(["show", "-s", "--format=%H%x00%aN <%aE>%x00%aI%x00%s", "HEAD~1"], cwd=unpack("plain")).stdout.decode()
    assert [found[name] for name in ("sha", "author", "date", "message")] == said.strip().split("\0")
    assert found["diff"] == shown[shown.index("diff --git ") :] and found["output"] == shown
    several = fields(unpack("plain"), "show HEAD~1 HEAD")
    assert several["sha"] == found["sha"]
    blob = fields(unpack("plain"), "show HEAD:README.md")
    assert set(blob) == {"success", "command", "output", "diff"} and blob["diff"] == ""
    assert blob["output"].encode() == git(["show", "HEAD:README.md"], cwd=unpack("plain")).stdout


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
    for nothing in ("", "  ", "git", " git ", "''"):
        answer = run(top, nothing)
        assert answer.is_error and answer.error is not None and answer.error["code"] == "invalid_args", nothing
        assert answer.text == "No git command provided" or nothing == "''"
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


@pytest.mark.requirement("The result: success, command, git's own output and what it said, its status")
def test_what_every_answer_says(unpack: Any, tmp_path: Path) -> None:
    top = unpack("plain")
    plain = run(top, "ls-files")
    assert plain.result == {"success": True, "command": "ls-files", "output": plain.body} and not plain.truncated
    assert plain.text == json.dumps(plain.result, ensure_ascii=False)
    assert plain.body.encode() == git(["ls-files"], cwd=top).stdout
    differing = fields(top, "diff --exit-code v1.0 v2.0")
    assert differing["exit_code"] == 1 and "stderr" not in differing and "truncated" not in differing
    repo = copy_of("plain", tmp_path / "repo")
    (repo / ".git" / "refs" / "tags" / "topic").write_bytes(git(["rev-parse", "HEAD~2"], cwd=repo).stdout)
    done = git(["log", "-1", "topic"], cwd=repo)
    assert done.stderr == b"warning: refname 'topic' is ambiguous.\n"
    ambiguous = fields(repo, "log -1 topic")
    assert (ambiguous["output"].encode(), ambiguous["stderr"].encode()) == (done.stdout, done.stderr)
    short = run(repo, "log -1 topic", budget=Budget(max_stderr_bytes=12))
    assert short.result is not None and short.result["stderr"] == "warning: ref"


@pytest.mark.requirement("A command may begin with the word git; cwd is where it runs")
def test_the_word_git_and_the_directory(unpack: Any) -> None:
    top = unpack("plain")
    assert run(top, "git log -2").text == run(top, "log -2").text
    assert run(top, "git git log").is_error
    tool = tools("nexus")[0]
    inside = tool.call({"command": "ls-files", "cwd": "src"}, ToolContext(Roots([top])))
    assert inside.body.encode() == git(["ls-files"], cwd=top / "src").stdout != git(["ls-files"], cwd=top).stdout
    for here in (".", ""):
        there = tool.call({"command": "ls-files", "cwd": here}, ToolContext(Roots([top]), cwd=str(top / "src")))
        assert there.body == inside.body


def test_a_cancelled_call_has_no_answer(unpack: Any) -> None:
    answer = run(unpack("plain"), "log", cancelled=lambda: True)
    assert answer.error is not None and answer.error["code"] == "cancelled"


def test_hosts_are_told_whether_it_may_change_something() -> None:
    reads, writes = tools("nexus")[0], tools("nexus", write=True)[0]
    assert reads.hints.read_only and not reads.hints.destructive
    assert not writes.hints.read_only and writes.hints.destructive and not writes.hints.idempotent
    assert "commit" in writes.description and "read-only" in reads.description


def test_output_beyond_half_of_the_room_is_cut(unpack: Any) -> None:
    top = unpack("plain")
    size = len(git(["ls-tree", "-r", "HEAD"], cwd=top).stdout)
    whole = run(top, "ls-tree -r HEAD", budget=Budget(max_bytes=2 * size))
    assert not whole.truncated and len(whole.body.encode()) == size
    cut = run(top, "ls-tree -r HEAD", budget=Budget(max_bytes=2 * size - 2))
    assert cut.truncated and cut.result is not None and cut.result["truncated"] is True
    assert len(cut.body.encode()) < size and cut.body.endswith("\n")


def test_fields_beyond_the_room_are_cut_and_it_is_said(unpack: Any) -> None:
    top = unpack("plain")
    lines = git(["log", "--oneline"], cwd=top).stdout
    whole, room = run(top, "log --oneline"), 900
    assert len(whole.text.encode()) > room > 2 * len(lines)
    cut = run(top, "log --oneline", budget=Budget(max_bytes=room))
    assert cut.truncated and cut.result is not None and cut.result["truncated"] is True
    assert cut.result["output"].encode() == lines
    assert (
        len(cut.result["commits"]) > 0
        and cut.result["commits"] == whole.result["commits"][: len(cut.result["commits"])]
    )  # type: ignore[index]
    assert len(cut.text.encode()) <= room


def test_an_answer_fits_its_budget(unpack: Any) -> None:
    for size in (600, 2000, 8000):
        answer = run(unpack("plain"), "log -p", budget=Budget(max_bytes=size))
        assert len(answer.text.encode()) <= size and answer.truncated
        assert json.loads(answer.text)["truncated"] is True
