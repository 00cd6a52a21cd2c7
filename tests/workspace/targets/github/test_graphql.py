"""GitHub by GraphQL: one commit of plain files at a time, made by GitHub; a branch that was only begun."""

import time

import pytest

from gitglass.workspace.push import plan_push, push

from ....support.github import Hub
from .conftest import Make, head, messages, patience, staged, workspace_of

pytestmark = [pytest.mark.writes, pytest.mark.loopback]


def test_more_than_one_commit(hub: Hub, make: Make) -> None:
    target = make("graphql")
    workspace = workspace_of(target)
    first = staged(workspace)
    second = staged(workspace, "b", b"b\n")
    result = push(workspace, plan_push(workspace, second, target, "main"), target)
    assert result.status == "rejected" and "one commit at a time" in result.server[0] and messages(hub) == ["Base"]
    for word in (first, second):
        assert push(workspace, plan_push(workspace, word, target, "main"), target).status == "success"
    assert messages(hub) == ["Write b", "Write docs/new.md", "Base"] and workspace.base.commit == head(hub)


def test_modes_are_refused_before_anything_is_sent(hub: Hub, make: Make) -> None:
    target = make("graphql")
    for mode, path in (("100755", "tool"), ("100755", "README.md"), ("100644", "run.sh")):
        workspace = workspace_of(target)
        content = workspace.read(path).data if path != "tool" else b"x"
        workspace.write(path, content, mode=mode)
        plan = plan_push(workspace, workspace.stage([path], "Mode").id, target, "new")
        hub.asked.clear()
        result = push(workspace, plan, target)
        assert result.status == "rejected" and "mode" in result.server[0]
        assert not any(one.startswith(("POST", "PATCH")) for one in hub.asked)


def test_a_branch_that_was_only_begun(hub: Hub, make: Make) -> None:
    """It is made before its commit: where that is refused, the next push goes on with it."""
    target = make("graphql")
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "topic")
    hub.answers = [("graphql", 403, {}, {"message": "no"}, False)]
    assert push(workspace, plan, target).status == "rejected"
    assert head(hub, "topic") == head(hub) and target.head("refs/heads/topic") is None
    result = push(workspace, plan, target, patience=patience())
    assert result.status == "success" and result.created and messages(hub, "topic") == ["Write docs/new.md", "Base"]


def test_a_tree_that_was_not_approved(hub: Hub, make: Make) -> None:
    """GitHub keeps the mode of a file that is there: should it make another tree, it is not called a success."""
    target = make("graphql")
    workspace = workspace_of(target)
    workspace.delete("run.sh")
    workspace.stage(["run.sh"], "Gone")
    workspace.write("run.sh", b"other")
    word = workspace.stage(["run.sh"], "Plain now", amend=True).id
    result = push(workspace, plan_push(workspace, word, target, "main"), target, patience=patience())
    assert result.status != "success" and workspace.staged


def test_a_limit_in_the_answer(hub: Hub, make: Make) -> None:
    """GraphQL's own limit comes with the status 200: it is waited for, and nothing is sent twice."""
    target = make("graphql")
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    limited = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 20)}
    hub.answers = [("graphql", 200, headers, limited, False)]
    waits: list[float] = []
    assert push(workspace, plan, target, patience=patience(waits)).status == "success"
    assert len(waits) == 1 and 15 < waits[0] <= 20 and messages(hub) == ["Write docs/new.md", "Base"]
    again = plan_push(workspace, staged(workspace, "b"), target, "main")
    hub.answers = [("graphql", 200, {}, limited, False)]
    result = push(workspace, again, target, patience=patience(waits))
    assert result.status == "rejected" and "rate limit" in result.server[0] and len(waits) == 1  # a minute is too long
