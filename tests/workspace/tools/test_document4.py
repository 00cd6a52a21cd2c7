"""The profile `workspace`: document 4's tools, its parameters and its result shapes."""

import json
from typing import Any

import pytest
from dulwich.objects import Blob
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.agent import tools

from ...support.workspaces import FILES, add_commit
from .test_ws import Agent


@pytest.fixture
def worker(base: MemoryRepo) -> Agent:
    return Agent(base, "workspace", approver=lambda review: True)


def shape(agent: Agent, tool: str, **arguments: Any) -> Any:
    answer = agent.answer(tool, **arguments)
    assert not answer.is_error, answer.text
    return json.loads(answer.text)


def test_names_and_parameters() -> None:
    listed = {tool.name: sorted(tool.input_schema()["properties"]) for tool in tools("workspace")}
    assert listed == {
        "git_status": [], "git_stage": ["files", "message"], "git_diff": ["commitId"], "git_push": ["commitId", "target"],
        "git_discard": ["commitId"], "git_pull": ["destZone", "paths", "source"],
        "git_merge": ["base", "ours", "path", "theirs"], "git_branches": ["target"],
    }  # fmt: skip
    required = {tool.name: tool.input_schema().get("required", []) for tool in tools("workspace")}
    assert {name: words for name, words in required.items() if words} == {
        "git_stage": ["files", "message"], "git_push": ["commitId"], "git_discard": ["commitId"],
        "git_merge": ["path", "ours", "theirs"],
    }  # fmt: skip


def test_stage_status_diff_discard(worker: Agent) -> None:
    worker.workspace.write("report.md", b"# Q4\n")
    worker.workspace.write("README.md", b"x\n")
    staged = shape(worker, "git_stage", files=["/workspace/report.md"], message="Add quarterly report")
    file = {
        "sandboxPath": "/workspace/report.md",
        "operation": "create",
        "contentHash": Blob.from_string(b"# Q4\n").id.decode(),
        "size": 5,
    }
    assert staged == {
        "id": staged["id"],
        "message": "Add quarterly report",
        "files": [file],
        "createdAt": "2023-11-14T22:13:22.000Z",
    }
    status = worker.answer("git_status")
    assert status.text.startswith("Sandbox Status:\n  Modified:\n    /workspace/README.md (0.0 KB)\n")
    assert status.result["staged"] == [staged]
    assert status.result["unstaged"] == [{"path": "/workspace/README.md", "status": "modified"}]
    assert worker.answer("git_diff", commitId=staged["id"]).text.startswith(
        'Staged commit: 000000 "Add quarterly report"\n\n--- /dev/null\n'
    )
    assert worker.answer("git_diff").text == worker.answer("git_diff", commitId=staged["id"]).text
    assert shape(worker, "git_discard", commitId=staged["id"]) == {}
    assert worker.answer("git_status").result["staged"] == []
    assert worker.workspace.read("report.md").data == b"# Q4\n"


def test_push_and_conflict(worker: Agent, base: MemoryRepo) -> None:
    worker.workspace.write("report.md", b"# Q4\n")
    first = shape(worker, "git_stage", files=["report.md"], message="One")
    result = shape(
        worker, "git_push", commitId=first["id"], target={"type": "local-bare", "path": "memory", "branch": "main"}
    )
    assert result == {"status": "success", "commitSha": base.refs[b"refs/heads/main"].decode()}
    head = add_commit(base, {**FILES, b"report.md": b"# Theirs\n"}, message=b"Moved\n", when=9).decode()
    worker.workspace.write("report.md", b"# Ours\n")
    second = shape(worker, "git_stage", files=["report.md"], message="Two")
    result = shape(worker, "git_push", commitId=second["id"])
    assert result == {"status": "conflict", "conflict": {
        "reason": "non-fast-forward", "message": "Target has new commits since your base", "targetHead": head}}  # fmt: skip
    pulled = shape(worker, "git_pull")
    assert pulled == {"pulled": ["report.md"], "conflicts": ["report.md"]}
    worker.workspace.write("report.md", b"# Both\n")
    third = shape(worker, "git_stage", files=["report.md"], message="Three")
    assert shape(worker, "git_push", commitId=third["id"])["status"] == "success"
    worker.workspace.write("x", b"x")
    fourth = shape(worker, "git_stage", files=["x"], message="Four")
    worker.target.faults = lambda deed: deed == "refuse"
    refused = shape(worker, "git_push", commitId=fourth["id"])
    assert refused == {"status": "conflict", "conflict": {"reason": "other", "message": "hook declined"}}


def test_pull_merge_branches(worker: Agent, base: MemoryRepo) -> None:
    base.refs[b"refs/heads/templates"] = base.refs[b"refs/heads/main"]
    pulled = shape(
        worker,
        "git_pull",
        source={"type": "local-bare", "path": "memory", "branch": "templates"},
        paths=["templates/"],
        destZone="in",
    )
    assert pulled == {"pulled": ["in/templates/one.txt"], "conflicts": []}
    assert shape(worker, "git_pull", paths=["templates/"], destZone="workspace") == {"pulled": [], "conflicts": []}
    assert shape(worker, "git_branches", target={"type": "local-bare", "path": "m"}) == {
        "branches": ["main", "templates"]
    }
    merged = shape(worker, "git_merge", path="r", base="a\n", ours="b\n", theirs="c\n")
    assert merged == {
        "status": "conflict",
        "content": "<<<<<<< ours (sandbox)\nb\n=======\nc\n>>>>>>> theirs (incoming)\n",
    }
    assert (
        gitglass.open(base).git(["rev-parse", "main"]).stdout
        == gitglass.open(base).git(["rev-parse", "templates"]).stdout
    )


def test_only_a_push_asks(base: MemoryRepo) -> None:
    nobody = Agent(base, "workspace")
    nobody.workspace.write("a", b"a")
    staged = shape(nobody, "git_stage", files=["a"], message="A")
    for tool, arguments in (("git_status", {}), ("git_diff", {}), ("git_branches", {}), ("git_pull", {})):
        assert not nobody.answer(tool, **arguments).is_error
    assert nobody.fail("git_push", commitId=staged["id"])["code"] == "approval_required"
