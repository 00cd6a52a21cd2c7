"""The `ws_*` tools: a story from an empty desk to a push, through the frame that all tools have."""

import json
from base64 import b64decode
from typing import Any

import pytest
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.agent import Roots, ToolContext, tools
from gitglass.agent.audit import AuditRecord
from gitglass.agent.budget import Budget
from gitglass.errors import InvalidArgs
from gitglass.workspace.desk import Desk, PushPolicy
from gitglass.workspace.review.model import Review
from gitglass.workspace.targets.named import Targets
from gitglass.workspace.workspace import Workspace

from ...support.workspaces import FILES, TEXT, add_commit
from ..conftest import PEOPLE, clock
from ..test_push import MemoryTarget

WS = {tool.name: tool for tool in tools("ws")}


class Agent:
    """A host's side of a desk over the base, and calls by name."""

    def __init__(self, base: MemoryRepo, profile: str = "ws", **options: Any) -> None:
        self.tools = {tool.name: tool for tool in tools(profile)}
        self.workspace = Workspace.over(gitglass.open(base), "main", target="m", identity=PEOPLE, clock=clock())
        self.target = MemoryTarget(base)
        self.desk = Desk(
            self.workspace, Targets([self.target]), clock=lambda: 1_700_000_000, worker="Writer", **options
        )
        self.ctx = ToolContext(Roots(()), desk=self.desk, structured=True)

    def answer(self, tool: str, **arguments: Any) -> Any:
        return self.tools[tool].call(arguments, self.ctx)

    def ask(self, tool: str, **arguments: Any) -> Any:
        answer = self.answer(tool, **arguments)
        assert not answer.is_error, answer.text
        return answer.result

    def fail(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self.answer(tool, **arguments)
        assert answer.is_error, answer.text
        return answer.error


@pytest.fixture
def agent(base: MemoryRepo) -> Agent:
    return Agent(base)


def test_the_lists_are_small() -> None:
    for profile, most in (("ws", 7 << 10), ("workspace", 3500)):
        listed = json.dumps({"tools": [tool.as_mcp() for tool in tools(profile)]}, separators=(",", ":"))
        assert len(listed) <= most, len(listed)
    assert [tool.name for tool in tools("ws", files=False)] == [
        name for name in WS if name not in ("ws_files", "ws_read", "ws_write", "ws_edit", "ws_delete", "ws_move")
    ]
    with pytest.raises(InvalidArgs, match="unknown option"):
        tools("ws", write=True)


def test_only_a_push_leaves() -> None:
    assert [name for name, tool in WS.items() if tool.hints.open_world or tool.hints.destructive] == ["ws_push"]
    reading = {name for name, tool in WS.items() if tool.hints.read_only}
    assert reading == {"ws_files", "ws_read", "ws_status", "ws_diff", "ws_merge", "ws_branches", "ws_review"}


def test_without_a_desk_nothing_is_done() -> None:
    for name, arguments in (("ws_status", {}), ("ws_write", {"path": "a", "content": ""})):
        answer = WS[name].call(arguments, ToolContext(Roots(())))
        assert answer.error["code"] == "unsupported"


def test_files(agent: Agent) -> None:
    assert agent.ask("ws_write", path="/workspace/new.txt", content="one\n")["path"] == "new.txt"
    assert agent.ask("ws_write", path="bin", content_base64="AAEC")["size"] == 3
    assert agent.ask("ws_edit", path="new.txt", old="one", new="two")["size"] == 4
    assert agent.ask("ws_edit", path="new.txt", patch="@@ -1 +1,2 @@\n two\n+three\n")["mode"] == "100644"
    assert agent.answer("ws_read", path="new.txt").text == "two\nthree\n"
    assert (
        agent.ask("ws_read", path="bin")["encoding"] == "base64" and agent.answer("ws_read", path="bin").text == "AAEC"
    )
    agent.ask("ws_move", path="new.txt", to="moved.txt")
    agent.ask("ws_delete", path="bin")
    assert [row["path"] for row in agent.ask("ws_files", changed_only=True)["files"]] == ["moved.txt"]
    assert agent.answer("ws_files").text.splitlines()[0] == "README.md"
    agent.ask("ws_undo")
    assert agent.ask("ws_read", path="bin")["size"] == 3
    for tool, arguments, code in (
        ("ws_write", {"path": ".git/config", "content": ""}, "sandbox_violation"), ("ws_write", {"path": "a"}, "invalid_args"),
        ("ws_write", {"path": "a", "content_base64": "!"}, "invalid_args"), ("ws_read", {"path": "nowhere"}, "not_found"),
        ("ws_edit", {"path": "moved.txt", "old": "x"}, "invalid_args"), ("ws_edit", {"path": "moved.txt"}, "invalid_args"),
        ("ws_write", {"path": "README.md", "content": "", "if_oid": ""}, "conflict"), ("ws_read", {"path": "x", "force": True}, "invalid_args"),
        ("ws_status", {"workspace": "other"}, "not_found"),
    ):  # fmt: skip
        assert agent.fail(tool, **arguments)["code"] == code
    assert agent.ask("ws_write", path="large", content="x" * 200_000)["size"] == 200_000


def test_a_text_that_is_not_shown_as_it_is(agent: Agent) -> None:
    """An agent that reads lines with CR LF and writes what it read would write other bytes: it is told, and can have
    them."""
    data = b"one\r\ntwo\xff\r\n"
    agent.workspace.write("dos.txt", data)
    answer = agent.answer("ws_read", path="dos.txt")
    assert answer.body == "one\\x0d\ntwo\\xff\\x0d\n" and "base64=true has the bytes" in answer.text
    exact = agent.ask("ws_read", path="dos.txt", base64=True)
    assert (
        exact["encoding"] == "base64" and b64decode(agent.answer("ws_read", path="dos.txt", base64=True).body) == data
    )
    assert "base64=true" not in agent.answer("ws_read", path="README.md").text
    agent.ctx.raw = True
    assert "base64=true" not in agent.answer("ws_read", path="dos.txt").text


def test_a_long_file_is_read_in_pages(agent: Agent) -> None:
    agent.ask("ws_write", path="long", content="".join(f"line {number}\n" for number in range(1000)))
    agent.ctx.budget = Budget(2000)
    agent.ctx.structured = False
    text, cursor = "", None
    for _ in range(30):
        answer = agent.answer("ws_read", path="long", **({"cursor": cursor} if cursor else {}))
        text += answer.body
        cursor = answer.next_cursor
        if cursor is None:
            break
    assert text == "".join(f"line {number}\n" for number in range(1000))


def test_the_story(agent: Agent) -> None:
    """Write, stage, review with one rejected hunk, push; the target moves; rebase, push."""
    changed = TEXT.replace(b"line 3\n", b"three\n").replace(b"line 30\n", b"thirty\n")
    agent.ask("ws_write", path="src/a.py", content=changed.decode())
    agent.ask("ws_write", path="docs/new.md", content="new\n")
    staged = agent.ask("ws_stage", files=["src/a.py", "docs/new.md"], message="Change two lines")
    assert "+three" in agent.answer("ws_diff", commit=staged["id"]).text
    error = agent.fail("ws_push", commit=staged["id"])
    assert error["code"] == "approval_required" and "git_push" in error["details"]["preview"]

    def reviewer(review: Review) -> None:
        hunks = next(file.hunks for file in review.files if file.path == "src/a.py")
        review.decide(hunks[1].id, "reject", "keep line 30")
        review.approve("ann", 1)

    agent.desk.approver = reviewer
    records: list[AuditRecord] = []
    agent.ctx.audit = records.append
    pushed = agent.ask("ws_push", commit=staged["id"])
    assert pushed["status"] == "success" and pushed["review"]["partial"]
    assert [(change.effects, len(change.plan)) for change in records[0].changes] == [(("push success",), 64)]
    head = gitglass.open(agent.target.repo).git(["show", "main:src/a.py"]).stdout
    assert head == TEXT.replace(b"line 3\n", b"three\n")
    assert agent.answer("ws_review").text == (
        f"accepted in part by ann\n  src/a.py {pushed['review']['rejected'][0]['hunk']}: keep line 30\n"
    )
    assert [row["path"] for row in agent.ask("ws_files", changed_only=True)["files"]] == ["src/a.py"]
    again = agent.ask("ws_stage", files=["src/a.py"], message="Line 30 after all")
    add_commit(
        agent.target.repo,
        {**FILES, b"src/a.py": head, b"docs/new.md": b"new\n", b"theirs": b"t\n"},
        message=b"Moved\n",
        when=99,
    )
    agent.desk.approver = lambda review: True
    moved = agent.ask("ws_push", commit=again["id"])
    assert moved["conflict"]["reason"] == "non-fast-forward" and moved["conflict"]["behind"] == 1
    done = agent.ask("ws_push", commit=again["id"], on_moved="rebase")
    assert done["status"] == "success" and list(done["rebased"]) == [again["commit"]]
    assert gitglass.open(agent.target.repo).git(["show", "main:src/a.py"]).stdout == changed
    assert "Nothing is changed" in agent.answer("ws_status").text


def test_approvals(base: MemoryRepo) -> None:
    agent = Agent(base)
    agent.ask("ws_write", path="a", content="a")
    word = agent.ask("ws_stage", files=["a"], message="A")["id"]
    plan = agent.ask("ws_push", commit=word, dry_run=True)
    assert plan["protected"] and plan["risk"] == "High" and agent.target.moves == []
    answer = agent.answer("ws_push", commit=word)
    assert answer.error["details"]["plan"] == plan["plan"] and f"plan {plan['plan']}]" in answer.text
    agent.ctx.approved = frozenset({"0" * 64})
    assert agent.fail("ws_push", commit=word)["code"] == "approval_required"
    agent.desk.approver = lambda review: False
    assert agent.fail("ws_push", commit=word)["code"] == "approval_denied"
    agent.desk.approver = lambda review: review.reject("not now", "ann")
    assert agent.fail("ws_push", commit=word)["message"] == "rejected: not now"
    assert "rejected by ann: not now" in agent.answer("ws_review").text and agent.target.moves == []
    agent.desk.approver = None
    agent.ctx.approved = frozenset({plan["plan"]})
    assert agent.ask("ws_push", commit=word)["status"] == "success"


def test_what_needs_nobody(base: MemoryRepo) -> None:
    agent = Agent(base, policy=PushPolicy(auto_approve=("worker-*", "main"), sensitive=("*.env", "secrets/*")))
    agent.target.branch = "worker-{timestamp}"  # type: ignore[assignment]
    agent.ask("ws_write", path="a", content="a")
    word = agent.ask("ws_stage", files=["a"], message="A")["id"]
    assert agent.ask("ws_push", commit=word)["created"]
    assert agent.target.branches().names == ("main", "worker-20231114-221320")
    agent.ask("ws_write", path="a", content="b")
    word = agent.ask("ws_stage", files=["a"], message="B")["id"]
    for branch in ("main", "worker-20231114-221320", "other"):
        assert agent.fail("ws_push", commit=word, branch=branch)["code"] == "approval_required"
    add_commit(base, {**FILES, b"prod.env": b"x", b"secrets/key": b"x"}, message=b"S\n")
    for paths in (["prod.env"], ["secrets"], [""]):
        assert agent.fail("ws_pull", source="m", paths=paths)["code"] == "permission_denied"


def test_pull_merge_resolve(agent: Agent, base: MemoryRepo) -> None:
    agent.ask("ws_write", path="README.md", content="# Ours\n")
    add_commit(base, {**FILES, b"README.md": b"# Theirs\n"}, message=b"Moved\n")
    pulled = agent.answer("ws_pull")
    assert pulled.result["conflicts"] == ["README.md"] and "CONFLICT (content) README.md: both sides" in pulled.text
    assert agent.ask("ws_status")["conflicts"][0]["kind"] == "content"
    assert agent.fail("ws_stage", files=["README.md"], message="M")["code"] == "conflict"
    assert agent.ask("ws_resolve", path="README.md", take="content", content="# Both\n")["conflicts"] == []
    merged = agent.answer("ws_merge", path="x", base="a\n", ours="b\n", theirs="a\n")
    assert merged.result["status"] == "clean" and merged.text == "b\n"
    assert agent.ask("ws_branches")["branches"] == [{"name": "main", "current": False, "protected": False}]
    agent.ask("ws_discard", paths=["README.md"])
    assert agent.fail("ws_discard")["code"] == "invalid_args"


def test_where_the_rebase_does_not_follow(agent: Agent, base: MemoryRepo) -> None:
    agent.ask("ws_write", path="README.md", content="# Ours\n")
    word = agent.ask("ws_stage", files=["README.md"], message="Ours")["id"]
    add_commit(base, {**FILES, b"README.md": b"# Theirs\n"}, message=b"Moved\n")
    assert agent.fail("ws_push", commit=word, on_moved="merge")["code"] == "conflict"
    assert agent.ask("ws_status")["conflicts"] == []
    assert agent.fail("ws_push", commit=word, on_moved="rebase")["code"] == "not_found"
    assert agent.ask("ws_status")["conflicts"][0]["path"] == "README.md" and agent.target.moves == []


def test_auto_pull(agent: Agent) -> None:
    rows = [{"path": "templates/", "source": {"type": "local-bare", "path": "memory", "branch": "main"}, "dest": "in"}]
    assert agent.desk.auto_pull(agent.workspace, rows)[0].pulled == ("in/templates/one.txt",)
    for row in ({"source": "m"}, {"path": "x", "force": True}):
        with pytest.raises(InvalidArgs, match="auto_pull"):
            agent.desk.auto_pull(agent.workspace, [row])
