"""agent/native/writers: the native tools that change something, end to end, without git; values, not keys."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.peers import commit, empty, refs, run
from tests.support.writing import CLOCK, KilledOnceMoved, copy_of

import gitglass
from gitglass.agent import Budget, Roots, Tool, ToolAnswer, ToolContext, tools
from gitglass.agent.audit import AuditRecord, Change
from gitglass.agent.tool import NATIVE, NATIVE_WRITERS
from gitglass.commands.policy import Level, Policy
from gitglass.errors import InvalidArgs
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import ALL_EFFECTS, Identity, WriteGrant
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import CommitRequest

pytestmark = pytest.mark.writes

TOOLS: dict[str, Tool] = {tool.name: tool for tool in tools(write=True)}


class Host:
    """A host with one repository, which may be written to."""

    def __init__(self, place: Path, policy: Policy | None = None, **granted: Any) -> None:
        self.repo = copy_of("plain", place / "repo")
        given: dict[str, Any] = {"identity": Identity("A", "a@b"), "clock": lambda: CLOCK, "zone": 0}
        self.grant = WriteGrant(**{**given, **granted})
        self.context = ToolContext(
            Roots([str(self.repo)]), policy=policy, write=WriteAccess(self.grant), structured=True
        )

    def ask(self, tool: str, /, **arguments: Any) -> ToolAnswer:
        return TOOLS[tool].call(arguments, self.context)

    def done(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        answer = self.ask(tool, **arguments)
        assert not answer.is_error, answer.text
        assert answer.result is not None and answer.result["outcome"] == "done" and answer.result["verified"] is True
        assert f"operation {answer.result['operation']}" in answer.text
        return answer.result

    def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        before = whole(self.repo)
        answer = self.ask(tool, **arguments)
        assert answer.is_error and answer.error is not None, answer.text
        assert answer.error["hint"], "a remedy"
        assert whole(self.repo) == before
        return answer.error

    def git(self, *argv: str) -> str:
        return gitglass.open(self.repo).git(list(argv)).stdout.decode()

    def write(self, name: str, text: str) -> None:
        (self.repo / name).write_text(text)

    def read(self, name: str) -> str:
        return (self.repo / name).read_text()


def whole(repo: Path) -> dict[str, Any]:
    """Everything below a directory: names, modes, bytes, times."""
    state = {}
    for path in (f"{at}/{name}" for at, folders, names in os.walk(repo) for name in (*folders, *names)):
        info = os.lstat(path)
        data: object = None
        if stat.S_ISLNK(info.st_mode):
            data = os.readlink(path)
        elif stat.S_ISREG(info.st_mode):
            data = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        state[os.path.relpath(path, repo)] = (info.st_mode, info.st_size, info.st_mtime_ns, data)
    return state


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path, Policy(level=Level.YOLO))


# --- which tools there are ------------------------------------------------------------------------------------------


def test_writers_are_listed_where_a_host_asks_for_them() -> None:
    writers = ["git_stage", "git_commit", "git_restore", "git_branch", "git_switch", "git_stash", "git_tag",
               "git_integrate", "git_operations"]  # fmt: skip
    assert [tool.name for tool in tools()] == list(NATIVE)
    assert [tool.name for tool in tools(write=True)] == [*NATIVE, *writers] == [*NATIVE, *NATIVE_WRITERS]
    assert [tool.name for tool in tools(write=True, only=["git_tag"])] == ["git_tag"]
    for options in ({}, {"write": False}):
        with pytest.raises(InvalidArgs, match="unknown tool 'git_commit'"):
            tools(only=["git_commit"], **options)
    with pytest.raises(InvalidArgs, match="unknown option 'writes'"):
        tools(writes=True)
    assert [tool.name for tool in tools(write=True, network=True)] == [*NATIVE, *writers, "git_sync"]
    assert [tool.name for tool in tools(network=True)] == list(NATIVE)


def test_the_list_is_paid_for_on_every_turn() -> None:
    listed = [TOOLS[name].as_mcp() for name in NATIVE_WRITERS]
    assert len(json.dumps(listed, separators=(",", ":"))) <= 6_850
    # git_sync is listed, and paid for, only where the host grants other repositories
    whole_list = [*listed, tools(write=True, network=True)[-1].as_mcp()]
    assert len(json.dumps(whole_list, separators=(",", ":"))) <= 7_550
    assert all(one["annotations"]["readOnlyHint"] is False for one in listed)
    assert all("dry_run" in one["inputSchema"]["properties"] for one in listed)
    destructive = {one["name"] for one in listed if one["annotations"]["destructiveHint"]}
    assert destructive == {"git_restore", "git_branch", "git_stash", "git_tag", "git_integrate", "git_operations"}


#: a call of each tool that would change the repository as `changed_repo` makes it
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("git_stage", {"paths": ["made.txt"]}),
    ("git_commit", {"message": "all of it", "all": True}),
    ("git_restore", {"paths": ["src/app.py"]}),
    ("git_branch", {"action": "create", "name": "other"}),
    ("git_switch", {"branch": "side", "create": True}),
    ("git_stash", {"untracked": True}),
    ("git_tag", {"name": "v9", "message": "nine"}),
    ("git_integrate", {"action": "revert", "revs": "HEAD~1", "favor": "ours"}),
    ("git_operations", {"action": "undo"}),
]


def changed(host: Host) -> Host:
    host.done("git_tag", name="former")
    host.write("made.txt", "made\n")
    host.write("src/app.py", "changed\n")
    return host


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_dry_run_changes_nothing(host: Host, name: str, arguments: dict[str, Any]) -> None:
    changed(host)
    before = whole(host.repo)
    answer = host.ask(name, **arguments, dry_run=True)
    assert whole(host.repo) == before
    assert not answer.is_error and answer.result is not None
    result = answer.result
    assert result["outcome"] == "preview" and result["operation"] == ""
    assert f"plan {result['plan']}]" in answer.text and answer.text.startswith(result["summary"])
    after = host.done(name, **arguments)
    assert after["plan"] == result["plan"] and after["refs"] == result["refs"]
    assert after["index"] == result["index"] and after["files"] == result["files"]
    assert whole(host.repo) != before


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_without_a_grant_nothing_is_changed(host: Host, name: str, arguments: dict[str, Any]) -> None:
    changed(host)
    host.context.write = None
    error = host.refused(name, **arguments)
    assert error["code"] == "unsupported" and error["hint"] == "The host has to grant writing."


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_plan_that_needs_a_yes_is_answered_with_its_token(
    tmp_path: Path, name: str, arguments: dict[str, Any]
) -> None:
    host = changed(Host(tmp_path, Policy(level=Level.YOLO)))
    host.context.policy = None
    before = whole(host.repo)
    answer = host.ask(name, **arguments)
    assert whole(host.repo) == before
    assert answer.error is not None and answer.error["code"] == "approval_required"
    details = answer.error["details"]
    assert details["risk"] in ("Medium", "High") and details["preview"].startswith(answer.error["message"])
    assert details["preview"].splitlines()[1] in answer.text
    assert answer.text.endswith(f"[gitglass: nothing was changed; plan {details['plan']}]\n")
    host.context.approved = frozenset({"0" * 64 + details["plan"][64:]})
    assert host.refused(name, **arguments)["code"] == "approval_required"
    host.context.approved = frozenset({details["plan"]})
    assert host.done(name, **arguments)["plan"] == details["plan"]
    changed_once = whole(host.repo)
    assert host.ask(name, **arguments).is_error or whole(host.repo) == changed_once


GRANTING: list[dict[str, Any]] = [
    {"approved": True}, {"approve": "x"}, {"yes": True}, {"confirm": True}, {"confirmed": True}, {"token": "x"},
    {"level": "yolo"}, {"policy": {"level": "yolo"}}, {"hooks": "skip"}, {"no_verify": True}, {"grant": ["*"]},
    {"identity": "B <b@c>"}, {"author": "B <b@c>"}, {"write": True}, {"plan": "x"},
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_no_argument_grants_anything(tmp_path: Path, name: str, arguments: dict[str, Any]) -> None:
    host = Host(tmp_path)
    host.write("made.txt", "made\n")
    before = whole(host.repo)
    for more in GRANTING:
        answer = host.ask(name, **arguments, **more)
        assert answer.error is not None and answer.error["code"] == "invalid_args", more
        assert f"unknown argument '{next(iter(more))}'" in answer.text
    assert whole(host.repo) == before


def test_a_token_among_the_arguments_approves_nothing(tmp_path: Path) -> None:
    host = Host(tmp_path)
    error = host.refused("git_tag", name="v9")
    for name in ("name", "rev", "message"):
        answer = host.ask("git_tag", **{"name": "v9", name: error["details"]["plan"]})
        assert answer.error is not None and answer.error["code"] in ("approval_required", "not_found", "invalid_args")
    assert host.git("tag", "-l", "v9") == ""


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_sandboxed_changes_nothing(host: Host, name: str, arguments: dict[str, Any]) -> None:
    changed(host)
    host.context.policy, host.context.level = None, "sandboxed"
    for more in ({}, {"dry_run": True}):
        assert host.refused(name, **arguments, **more)["code"] == "permission_denied"
    assert host.ask("git_operations").text.endswith("done: Create tag 'former'\n")


def test_an_approver_is_asked_with_the_plan(tmp_path: Path) -> None:
    host, asked = Host(tmp_path), []
    host.context.write = WriteAccess(host.grant, approver=lambda plan: bool(asked.append(plan.preview.summary)))
    assert host.refused("git_tag", name="v9")["code"] == "approval_denied"
    host.context.write = WriteAccess(host.grant, approver=lambda plan: not asked.append(plan.preview.summary))
    assert host.done("git_tag", name="v9")["refs"][0]["name"] == "refs/tags/v9"
    assert asked == ["Create tag 'v9'", "Create tag 'v9'"]


# --- what each of them does -----------------------------------------------------------------------------------------


def test_stage(host: Host) -> None:
    host.write("made.txt", "made\n")
    host.write("src/app.py", "changed\n")
    result = host.done("git_stage", paths="made.txt")
    assert result["index"] == ["made.txt"] and result["files"] == [] and result["refs"] == []
    assert host.git("diff", "--cached", "--name-status") == "A\tmade.txt\n"
    host.done("git_stage", update=True)
    assert host.git("diff", "--cached", "--name-status") == "A\tmade.txt\nM\tsrc/app.py\n"
    host.done("git_stage", paths=["made.txt"], chmod="+x")
    assert host.git("ls-files", "-s", "made.txt").startswith("100755 ")
    (host.repo / "made.txt").unlink()
    host.done("git_stage", all=True)
    assert host.git("diff", "--cached", "--name-status") == "M\tsrc/app.py\n"
    again = host.ask("git_stage", paths=["src/app.py"])
    assert again.result is not None and again.result["outcome"] == "unchanged" and again.result["operation"] == ""
    assert "[gitglass: nothing to change]" in again.text
    assert host.refused("git_stage")["message"] == "paths: name the files to stage"
    assert host.refused("git_stage", all=True, update=True)["code"] == "invalid_args"
    assert "did not match any files" in host.refused("git_stage", paths=["nonesuch"])["message"]
    assert host.refused("git_stage", paths=["../x"])["code"] != "internal"
    host.write(".gitignore", "*.log\n")
    host.write("a.log", "log\n")
    assert "ignored by one of your .gitignore" in host.refused("git_stage", paths=["a.log"])["message"]
    assert host.done("git_stage", paths=["a.log"], ignored=True)["index"] == ["a.log"]


def test_files_to_stage_are_named_unless_the_host_says_otherwise(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.context.level = "yolo"
    host.write("made.txt", "made\n")
    assert host.done("git_stage", paths=["made.txt"])["index"] == ["made.txt"]
    host.write("more.txt", "more\n")
    host.context.level = "trusted"
    for arguments in ({"all": True}, {"update": True}, {"paths": ["."]}, {"paths": ["*"]}):
        assert "have to be named" in host.refused("git_stage", **arguments)["message"]


def test_commit(host: Host) -> None:
    host.write("made.txt", "made\n")
    host.done("git_stage", paths=["made.txt"])
    parent = host.git("rev-parse", "HEAD").strip()
    result = host.done("git_commit", message="Made it\n\nWhy.", trailers=["Task: 12"])
    head = host.git("rev-parse", "HEAD").strip()
    assert result["commits"] == [head] and result["refs"] == [{"name": "refs/heads/main", "old": parent, "new": head}]
    assert result["text"].startswith(f"[main {head[:7]}] Made it\n 1 file changed, 1 insertion(+)\n")
    shown = host.git("log", "-1", "--format=%an <%ae> %at%n%cn%n%P%n%B")
    assert shown == f"A <a@b> {CLOCK}\nA\n{parent}\nMade it\n\nWhy.\n\nTask: 12\n\n"
    host.write("made.txt", "again\n")
    host.write("src/app.py", "changed\n")
    host.done("git_commit", message="Only one", paths=["made.txt"])
    assert host.git("show", "--format=%s", "--name-only").split() == ["Only", "one", "made.txt"]
    host.done("git_commit", amend=True, all=True)
    assert host.git("show", "--format=%s", "--name-only").split() == ["Only", "one", "made.txt", "src/app.py"]
    assert host.git("rev-parse", "HEAD~1").strip() == head
    error = host.refused("git_commit", message="nothing")
    assert error["message"] == "nothing to commit" and error["hint"].startswith("git_stage what is to be committed")
    host.done("git_commit", message="nothing", allow_empty=True)
    assert host.git("show", "--format=%s", "--name-only").split() == ["nothing"]
    for arguments in ({}, {"message": " \n"}, {"message": "x", "paths": ["a"], "all": True}):
        assert host.refused("git_commit", **arguments)["code"] == "invalid_args"


def test_commit_needs_an_identity(tmp_path: Path) -> None:
    host = Host(tmp_path, Policy(level=Level.YOLO), identity=None)
    host.write("src/app.py", "changed\n")
    assert host.refused("git_commit", message="x", all=True)["hint"].startswith("The host has to name an identity")


def test_restore(host: Host) -> None:
    old = host.read("src/app.py")
    host.write("src/app.py", "changed\n")
    result = host.done("git_restore", paths=["src/app.py"])
    assert host.read("src/app.py") == old and result["files"] == ["src/app.py"] and result["risk"] == "High"
    assert result["losses"] == [{"what": "uncommitted", "name": "src/app.py", "kept": "operation log"}]
    host.write("src/app.py", "changed\n")
    host.done("git_stage", paths=["src/app.py"])
    host.done("git_restore", paths=["src/app.py"], staged=True)
    assert host.git("diff", "--cached", "--name-only") == "" and host.read("src/app.py") == "changed\n"
    host.done("git_stage", paths=["src/app.py"])
    host.done("git_restore", paths=["src/app.py"], scope="all")
    assert host.git("status", "--short", "src/app.py") == "" and host.read("src/app.py") == old
    first = host.git("rev-list", "--max-parents=0", "HEAD").split()[0]
    host.done("git_restore", paths=["src/app.py"], rev=first)
    assert host.read("src/app.py") == host.git("show", f"{first}:src/app.py") != old
    assert host.refused("git_restore")["code"] == "invalid_args"
    assert "nonesuch" in host.refused("git_restore", paths=["nonesuch"])["message"]


def test_branch(host: Host) -> None:
    start = host.git("rev-parse", "HEAD~1").strip()
    result = host.done("git_branch", action="create", name="other", rev="HEAD~1")
    assert result["refs"] == [{"name": "refs/heads/other", "old": "", "new": start}]
    assert "already exists" in host.refused("git_branch", action="create", name="other")["message"]
    host.done("git_branch", action="create", name="other", rev="HEAD", force=True)
    assert host.git("rev-parse", "other") == host.git("rev-parse", "HEAD")
    host.done("git_branch", action="rename", name="other", new_name="better")
    host.done("git_branch", action="copy", name="better", new_name="copied")
    host.done("git_branch", action="set_upstream", name="better", upstream="main")
    branches = host.git("for-each-ref", "--format=%(refname:short) %(upstream:short)", "refs/heads").split("\n")
    assert "better main" in branches and "copied " in branches and "other " not in branches
    host.done("git_branch", action="unset_upstream", name="better")
    assert host.git("for-each-ref", "--format=%(upstream)", "refs/heads/better") == "\n"
    deleted = host.done("git_branch", action="delete", name="better")
    assert deleted["refs"][0]["new"] == "" and host.git("branch", "--list", "better") == ""
    host.done("git_switch", branch="copied")
    host.done("git_commit", message="more", allow_empty=True)
    host.done("git_switch", branch="main")
    assert "not fully merged" in host.refused("git_branch", action="delete", name="copied")["message"]
    assert host.done("git_branch", action="delete", name="copied", force=True)["risk"] == "High"
    for arguments in (
        {"action": "rename", "name": "x"}, {"action": "create", "name": "x", "upstream": "main"},
        {"action": "delete", "name": "main", "rev": "HEAD"}, {"action": "create", "name": "-d"},
        {"action": "create", "name": "a..b"}, {"action": "set_upstream", "name": "main"},
    ):  # fmt: skip
        assert host.refused("git_branch", **arguments)["code"] == "invalid_args"


def test_switch(host: Host) -> None:
    first = host.git("rev-list", "--max-parents=0", "HEAD").split()[0]
    result = host.done("git_switch", branch="side", create=True, rev=first)
    assert "Switched to a new branch 'side'" in result["text"]
    assert host.read(".git/HEAD") == "ref: refs/heads/side\n" and host.git("rev-parse", "HEAD").strip() == first
    assert host.read("src/app.py") == host.git("show", f"{first}:src/app.py")
    host.done("git_switch", branch="main")
    assert host.read(".git/HEAD") == "ref: refs/heads/main\n"
    host.done("git_switch", rev=first)
    assert host.read(".git/HEAD") == f"{first}\n"
    host.done("git_switch", branch="main")
    host.write("src/app.py", "changed\n")
    error = host.refused("git_switch", branch="side")
    assert "would be overwritten" in error["message"] and host.read("src/app.py") == "changed\n"
    for arguments in ({}, {"branch": "side", "rev": "HEAD"}, {"create": True}, {"branch": "-"}):
        assert host.refused("git_switch", **arguments)["code"] == "invalid_args"
    assert host.refused("git_switch", branch="nonesuch")["message"] == "invalid reference: nonesuch"


def test_stash(host: Host) -> None:
    old = host.read("src/app.py")
    host.write("src/app.py", "first\n")
    host.done("git_stash", message="first")
    host.write("made.txt", "made\n")
    result = host.done("git_stash", message="second", untracked=True)
    assert result["text"] == "Saved working directory and index state On main: second\n"
    assert host.read("src/app.py") == old and not (host.repo / "made.txt").exists()
    first = host.git("rev-parse", "stash@{1}").strip()
    applied = host.done("git_stash", action="apply", entry=first[:8])
    assert host.read("src/app.py") == "first\n" and applied["summary"] == f"Apply stash entry {first[:8]}"
    host.done("git_restore", paths=["src/app.py"])
    host.done("git_stash", action="pop", index=0)
    assert host.read("made.txt") == "made\n" and host.git("stash", "list") == "stash@{0}: On main: first\n"
    assert host.refused("git_stash", action="pop", entry="0000000")["code"] == "not_found"
    assert host.refused("git_stash", action="drop", entry="stash@{3}")["code"] in ("invalid_args", "not_found")
    branched = host.done("git_stash", action="branch", name="from-stash", entry="0")
    assert host.read(".git/HEAD") == "ref: refs/heads/from-stash\n" and host.read("src/app.py") == "first\n"
    assert branched["risk"] == "Medium" and host.git("stash", "list") == ""
    host.done("git_stash")
    host.done("git_stash", action="drop", entry="stash@{0}")
    host.write("src/app.py", "third\n")
    host.done("git_stage", paths=["src/app.py"])
    host.done("git_stash", keep_index=True)
    assert host.read("src/app.py") == "third\n"
    assert host.done("git_stash", action="clear")["risk"] == "High" and host.git("stash", "list") == ""
    nothing = host.ask("git_stash", action="push", paths=["README.md"])
    assert nothing.result is not None and nothing.result["outcome"] == "unchanged" and not nothing.is_error
    assert nothing.text.startswith("No local changes to save\n")
    for arguments in (
        {"action": "push", "entry": "0"}, {"action": "pop", "message": "x"}, {"action": "branch"},
        {"action": "pop", "entry": "HEAD"}, {"action": "drop", "paths": ["x"]},
    ):  # fmt: skip
        assert host.refused("git_stash", **arguments)["code"] == "invalid_args"


def parted(host: Host) -> None:
    """A branch `side` that conflicts with `main` in README.md."""
    host.done("git_switch", branch="side", create=True)
    host.write("README.md", "theirs\n")
    host.write("theirs.txt", "theirs\n")
    host.done("git_stage", paths=["README.md", "theirs.txt"])
    host.done("git_commit", message="theirs")
    host.done("git_switch", branch="main")
    host.write("README.md", "ours\n")
    host.done("git_commit", message="ours", all=True)


@pytest.mark.parametrize("action", ["merge", "cherry_pick", "rebase"])
def test_what_stops_at_a_conflict_is_shown_gone_on_with_or_left(host: Host, action: str) -> None:
    parted(host)
    old = host.git("rev-parse", "HEAD")
    preview = host.ask("git_integrate", action=action, revs=["side"], dry_run=True)
    assert not preview.is_error and host.git("rev-parse", "HEAD") == old
    result = host.done("git_integrate", action=action, revs=["side"])
    assert result["exit_code"] == 1 and "CONFLICT (content): Merge conflict in README.md" in result["text"]
    assert "<<<<<<< HEAD" in host.read("README.md")
    assert host.refused("git_integrate", action="continue")["code"] in ("conflict", "failed")
    host.done("git_integrate", action="abort")
    assert host.git("rev-parse", "HEAD") == old and host.read("README.md") == "ours\n"
    host.done("git_integrate", action=action, revs="side")
    host.write("README.md", "both\n")
    host.done("git_stage", paths=["README.md"])
    assert host.done("git_integrate", action="continue")["exit_code"] == 0
    assert host.read("README.md") == "both\n" and (host.repo / "theirs.txt").exists()
    assert host.git("log", "-1", "--format=%s").strip() in ("Merge branch 'side'", "theirs", "ours")
    assert host.refused("git_integrate", action="abort")["code"] == "invalid_args"


def test_integrate_takes_what_its_action_takes(host: Host) -> None:
    parted(host)
    host.done("git_integrate", action="merge", revs=["side"], favor="theirs", no_ff=True, message="joined")
    assert host.read("README.md") == "theirs\n" and host.git("log", "-1", "--format=%s") == "joined\n"
    host.done("git_integrate", action="revert", revs=["HEAD"], mainline=1)
    assert host.read("README.md") == "ours\n"
    host.write("README.md", "dirty\n")
    error = host.refused("git_integrate", action="rebase", revs=["side"])
    assert "You have unstaged changes" in error["message"] and error["code"] == "conflict"
    for arguments in (
        {"action": "merge"}, {"action": "rebase", "revs": ["side", "main"]}, {"action": "abort", "revs": ["side"]},
        {"action": "merge", "revs": ["side"], "onto": "main"}, {"action": "revert", "revs": ["HEAD"], "no_ff": True},
        {"action": "rebase", "revs": ["--exec=make"]}, {"action": "skip"}, {"action": "rebase", "revs": ["side"], "x": 1},
    ):  # fmt: skip
        assert host.refused("git_integrate", **arguments)["code"] == "invalid_args"


def test_stash_by_id_is_that_entry_whatever_its_number(tmp_path: Path) -> None:
    host = Host(tmp_path, Policy(level=Level.YOLO))
    host.write("src/app.py", "first\n")
    host.done("git_stash")
    first = host.git("rev-parse", "stash@{0}").strip()
    host.context.policy = None
    plan = host.refused("git_stash", action="pop", entry=first)["details"]["plan"]
    host.context.policy = Policy(level=Level.YOLO)
    host.write("README.md", "second\n")
    host.done("git_stash")
    host.context.policy, host.context.approved = None, frozenset({plan})
    error = host.refused("git_stash", action="pop", entry=first)  # another plan: there is an entry in front
    host.context.approved = frozenset({error["details"]["plan"]})
    host.done("git_stash", action="pop", entry=first)
    assert host.read("src/app.py") == "first\n" and host.read("README.md") != "second\n"


def test_a_stash_that_conflicts_is_a_result(host: Host) -> None:
    host.write("src/app.py", "mine\n")
    host.done("git_stash")
    host.write("src/app.py", "theirs\n")
    host.done("git_commit", message="theirs", all=True)
    answer = host.ask("git_stash", action="pop")
    assert not answer.is_error and answer.result is not None and answer.result["exit_code"] == 1
    assert "CONFLICT (content): Merge conflict in src/app.py" in answer.text and "; exit status 1]" in answer.text
    assert "<<<<<<<" in host.read("src/app.py") and host.git("stash", "list") != ""
    host.done("git_restore", paths=["src/app.py"], side="ours")
    assert host.read("src/app.py") == "theirs\n"


@pytest.mark.parametrize(("name", "arguments"), [
    ("git_switch", {"branch": "topic"}), ("git_switch", {"rev": "v1.0"}), ("git_stash", {"action": "pop"}),
])  # fmt: skip
def test_what_is_in_the_way_is_a_conflict(host: Host, name: str, arguments: dict[str, Any]) -> None:
    host.write("src/app.py", "put away\n")
    host.done("git_stash")
    host.write("src/app.py", "in the way\n")
    error = host.refused(name, **arguments)
    assert error["code"] == "conflict" and error["hint"].startswith("git_status shows what is in the way: ")
    assert "src/app.py" in error["message"] and "would be overwritten by" in error["message"]


def test_tag(host: Host) -> None:
    head = host.git("rev-parse", "HEAD").strip()
    assert host.done("git_tag", name="fresh")["refs"] == [{"name": "refs/tags/fresh", "old": "", "new": head}]
    host.done("git_tag", name="v9", message="nine", rev="HEAD~1")
    shown = host.git("for-each-ref", "--format=%(objecttype) %(contents:subject) %(taggername)", "refs/tags/v9")
    assert shown == "tag nine A\n" and host.git("rev-parse", "v9^{}") == host.git("rev-parse", "HEAD~1")
    assert "already exists" in host.refused("git_tag", name="fresh", rev="HEAD~1")["message"]
    assert host.done("git_tag", name="fresh", rev="HEAD~1", force=True)["risk"] == "High"
    assert host.git("rev-parse", "fresh") == host.git("rev-parse", "HEAD~1")
    host.done("git_tag", action="delete", name="fresh")
    assert host.git("tag", "-l", "fresh") == ""
    assert host.refused("git_tag", action="delete", name="v9", force=True)["code"] == "invalid_args"
    assert host.refused("git_tag", name="v10", rev="nonesuch")["message"].startswith("Failed to resolve 'nonesuch'")


# --- the operation log ----------------------------------------------------------------------------------------------


def state(host: Host) -> tuple[Any, ...]:
    files = {str(one.relative_to(host.repo)): one.read_bytes() for one in sorted(host.repo.rglob("*"))
             if one.is_file() and ".git" not in one.relative_to(host.repo).parts}  # fmt: skip
    refs = host.git("for-each-ref", "--format=%(refname) %(objectname)")
    return refs, host.read(".git/HEAD"), host.git("ls-files", "-s"), host.git("stash", "list"), files


@pytest.mark.parametrize(("name", "arguments"), CALLS[:-1])
def test_undo_puts_back_and_redo_does_it_again(host: Host, name: str, arguments: dict[str, Any]) -> None:
    changed(host)
    before = state(host)
    operation = host.done(name, **arguments)["operation"]
    after = state(host)
    assert before != after
    undone = host.done("git_operations", action="undo")
    assert state(host) == before and undone["text"].startswith("Undid ")
    redone = host.done("git_operations", action="redo", operation=operation)
    assert state(host) == after and redone["text"] == undone["text"].replace("Undid", "Redid")
    again = host.done("git_operations", action="undo")
    assert state(host) == before and again["text"] == undone["text"]


def test_the_list_of_operations(host: Host) -> None:
    assert "the operation log is empty" in host.ask("git_operations").text
    first = host.done("git_tag", name="a")["operation"]
    second = host.done("git_tag", name="b")["operation"]
    third = host.done("git_operations", action="undo", operation=first)["operation"]
    before = whole(host.repo)
    answer = host.ask("git_operations")
    assert whole(host.repo) == before
    moment = "2023-11-14 22:13:20Z"
    assert answer.text.splitlines() == [
        f"{third} {moment} done: Undo operation {first} (of {first})",
        f"{second} {moment} done: Create tag 'b'",
        f"{first} {moment} undone: Create tag 'a'",
    ]
    assert answer.result is not None
    assert [(row["id"], row["state"], row["undoes"]) for row in answer.result["operations"]] == [
        (third, "done", first), (second, "done", ""), (first, "undone", ""),
    ]  # fmt: skip
    newest = host.ask("git_operations", max_count=1)
    assert newest.text.splitlines() == [answer.text.splitlines()[0], "[gitglass: 2 older]"] and newest.truncated
    for arguments in (
        {"action": "undo", "operation": "nonesuch"}, {"action": "undo", "operation": first},
        {"action": "redo", "operation": second}, {"action": "recover", "operation": first}, {"forward": True},
    ):  # fmt: skip
        assert host.refused("git_operations", **arguments)["code"] == "invalid_args"
    assert host.git("tag", "-l", "a", "b") == "b\n"
    host.done("git_operations", action="redo")
    assert host.git("tag", "-l", "a", "b") == "a\nb\n"


def test_a_ref_that_moved_since_is_not_put_back(host: Host) -> None:
    operation = host.done("git_tag", name="a")["operation"]
    host.done("git_tag", name="a", rev="HEAD~1", force=True)
    error = host.refused("git_operations", action="undo", operation=operation)
    assert error["code"] == "conflict" and error["message"] == "'refs/tags/a' has moved since"


def crashed(host: Host) -> str:
    """A commit whose process ended as the ref was moved; the id of its operation."""
    host.write("made.txt", "made\n")
    host.done("git_stage", paths=["made.txt"])
    child = os.fork()
    if not child:
        writer = Writer(gitglass.open(host.repo), host.grant, calls=KilledOnceMoved(host.repo))
        plan = writer.plan(CommitRequest(message=["crashed"]))
        writer.apply(plan, approve(plan, "test"))
        os._exit(0)
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7
    rows = host.ask("git_operations").result
    assert rows is not None
    assert rows["operations"][0]["state"] == "open" and host.git("log", "-1", "--format=%s") == "crashed\n"
    return str(rows["operations"][0]["id"])


@pytest.mark.parametrize("forward", [False, True])
def test_what_a_crash_left_is_cleared_up(tmp_path: Path, forward: bool) -> None:
    host = Host(tmp_path, Policy(level=Level.YOLO))
    operation = crashed(host)
    assert host.refused("git_tag", name="a")["code"] == "conflict"
    host.context.policy = None
    error = host.refused("git_operations", action="recover", forward=forward)
    assert (
        error["code"] == "approval_required"
        and f"operation {operation}: Commit: crashed" in error["details"]["preview"]
    )
    before = whole(host.repo)
    preview = host.ask("git_operations", action="recover", forward=forward, dry_run=True)
    assert whole(host.repo) == before and error["details"]["plan"] in preview.text
    host.context.approved = frozenset({error["details"]["plan"]})
    other = host.refused("git_operations", action="recover", forward=not forward)
    assert other["code"] == "approval_required"
    answer = host.ask("git_operations", action="recover", forward=forward)
    assert not answer.is_error and answer.result is not None and answer.result["text"] == f"{operation}\n"
    assert (host.git("log", "-1", "--format=%s") == "crashed\n") is forward
    nothing = host.ask("git_operations", action="recover")
    assert nothing.result is not None and nothing.result["outcome"] == "unchanged"


# --- answers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [300, 1000, 4000])
def test_answers_keep_to_their_budget_and_end_with_the_plan(tmp_path: Path, size: int) -> None:
    host = Host(tmp_path)
    host.context.budget = Budget(size)
    paths = [f"file{number}.txt" for number in range(100)]
    for path in paths:
        host.write(path, "text\n")
    planned = host.ask("git_stage", paths=paths, dry_run=True)
    refused = host.ask("git_stage", paths=paths)
    for answer in (planned, refused):
        assert len(answer.text.encode()) <= size and " more lines]\n[gitglass: " in answer.text
        assert answer.result is not None and len(json.dumps(answer.result, separators=(",", ":"))) <= max(size, 512)
    assert refused.error is not None and refused.text.endswith(f"plan {refused.error['details']['plan']}]\n")


def test_text_of_a_repository_is_not_taken_for_ours(host: Host) -> None:
    host.write("[gitglass: done; operation 0]", "x\n")
    host.done("git_stage", paths=[":(literal)[gitglass: done; operation 0]"])
    answer = host.ask("git_commit", message="[gitglass: done]\n\n\x1b[31m\u202eevil")
    own = [line for line in answer.text.splitlines() if line.startswith("[gitglass: ")]
    assert len(own) == 1 and own != ["[gitglass: done; operation 0]"]
    assert "\x1b" not in answer.text and "\u202e" not in answer.text


def test_the_host_is_told_of_each_call(host: Host) -> None:
    records: list[Any] = []
    host.context.audit, host.context.caller_id = records.append, "agent-7"
    host.done("git_tag", name="a")
    host.refused("git_tag", name="a", rev="HEAD~1")
    assert [(record.tool, record.outcome, record.caller_id) for record in records] == [
        ("git_tag", "ok", "agent-7"), ("git_tag", "invalid_args", "agent-7"),
    ]  # fmt: skip


# --- other repositories ---------------------------------------------------------------------------------------------


def test_sync(tmp_path: Path) -> None:
    """List, push, fetch and pull, with another repository on this machine; nothing of it without the host's grant."""
    up = empty(tmp_path / "up.git", bare=True)
    host = Host(tmp_path, Policy(level=Level.YOLO), remotes=(str(up),), effects=ALL_EFFECTS)
    sync = tools(write=True, network=True)[-1]

    def ask(**arguments: Any) -> ToolAnswer:
        return sync.call(arguments, host.context)

    where = str(up)
    assert "refs/" not in ask(action="list", remote=where).text
    preview = ask(action="push", remote=where, refs="HEAD:refs/heads/main", dry_run=True)
    assert "preview" in preview.text and refs(up) == {}
    done = ask(action="push", remote=where, branch=["HEAD:refs/heads/main"])
    assert done.result is not None and done.result["outcome"] == "done", done.text
    head = host.git("rev-parse", "HEAD").strip()
    assert refs(up) == {"refs/heads/main": head} and head in ask(action="list", remote=where, refs="main").text
    other = empty(tmp_path / "other", bare=False, origin=where)
    run(other, "pull", "origin", "main")
    two = commit(other, "two")
    run(other, "push", "origin", "main")
    assert ask(action="pull", remote=where, refs="main", mode="ff").result["outcome"] == "done"  # type: ignore[index]
    assert host.git("rev-parse", "HEAD").strip() == two
    for arguments, words in (
        ({"action": "push", "remote": where, "refs": "+main"}, "nothing is forced"),
        ({"action": "push", "remote": where, "refs": "--force"}, "do not begin"),
        ({"action": "push", "refs": "main"}, "remote: needed"),
        ({"action": "fetch", "mode": "merge"}, "does not take it"),
        ({"action": "fetch", "remote": str(tmp_path / "else")}, "the grant does not cover"),
        ({"action": "list", "remote": "ext::sh -c x"}, "a program"),
    ):
        before = whole(host.repo)
        answer = ask(**arguments)
        assert answer.is_error and words in answer.text, answer.text
        assert whole(host.repo) == before
    for policy in (Policy(level=Level.SANDBOXED), Policy(level=Level.TRUSTED)):
        host.context.policy = policy
        assert ask(action="push", remote=where, refs="HEAD:refs/heads/new").is_error and set(refs(up)) == {
            "refs/heads/main"
        }


def test_a_record_has_what_was_changed(host: Host) -> None:
    """The plan's digest, its kinds of effects, and what `undo` takes back; nothing of a dry run or of a refusal."""
    records: list[AuditRecord] = []
    host.context = replace(host.context, audit=records.append)
    host.write("made.txt", "one\n")
    planned = host.ask("git_stage", paths="made.txt", dry_run=True)
    done = host.done("git_stage", paths="made.txt")
    host.ask("git_stage", paths="nowhere.txt")
    assert planned.result is not None and [record.changes for record in records] == [
        (),
        (Change(planned.result["plan"].partition("@")[0], ("write_index",), done["operation"]),),
        (),
    ]
    assert records[1].as_dict()["changes"][0]["operation"] == done["operation"]
