"""GitHub by REST: the very objects that were staged, and what is said where GitHub makes others of them."""

import pytest

import gitglass
from gitglass.workspace.limits import WsLimits
from gitglass.workspace.push import plan_push, push
from gitglass.workspace.workspace import Workspace

from ....support.github import Hub
from ....support.workspaces import add_commit
from ...conftest import PEOPLE, clock
from .conftest import PLAIN, Make, head, messages, patience, staged, workspace_of

pytestmark = [pytest.mark.writes, pytest.mark.loopback]


def everything(workspace: Workspace) -> str:
    """Two commits: modes, a symbolic link, bytes that are no text, a deletion, a directory that goes."""
    workspace.write("bin/tool", b"#!/bin/sh\n", mode="100755")
    workspace.write("bin/data", bytes(range(256)))
    workspace.write("src/deep/new/b.py", "b = 'ü'\r\n".encode())
    workspace.write("way", b"README.md", mode="120000")
    workspace.delete("templates/one.txt")
    workspace.stage(["bin/tool", "bin/data", "src/deep/new/b.py", "way", "templates/one.txt"], "All\n\nof it")
    workspace.write("bin/data", b"\xff" * 70_000)
    return workspace.stage(["bin/data"], "More").id


def test_the_very_objects(hub: Hub, make: Make) -> None:
    target = make("rest")
    workspace = Workspace.over_target(target, "main", identity=PEOPLE, clock=clock(), limits=WsLimits(symlinks=True))
    plan = plan_push(workspace, everything(workspace), target, "main")
    result = push(workspace, plan, target)
    assert (result.status, result.commit, result.renamed) == ("success", plan.commit, {}) and head(hub) == plan.commit
    assert gitglass.open(hub.path).git(["fsck", "--full", "--strict"]).returncode == 0
    assert [one for one in hub.asked if one == "POST /git/blobs"] == ["POST /git/blobs"] * 2  # the others are inline


def test_commits_under_other_names(hub: Hub, make: Make) -> None:
    """A server that forgets zones of dates: what it made is said, and what is staged above follows."""
    hub.utc = True
    target = make("rest")
    workspace = workspace_of(target)
    staged(workspace)
    second = staged(workspace, "b", b"b\n")
    third = staged(workspace, "c", b"c\n")
    plan = plan_push(workspace, second, target, "main")
    result = push(workspace, plan, target)
    assert result.status == "success" and set(result.renamed) == {one.commit for one in plan.commits}
    assert result.commit == head(hub) == result.renamed[plan.commit] != plan.commit
    made, wanted = hub.repo[head(hub).encode()], plan.commits[-1]
    assert made.tree.decode() == wanted.tree and made.message.decode() == wanted.message.rstrip("\n")
    assert made.parents == [result.renamed[plan.commits[0].commit].encode()]
    assert [one.id for one in workspace.staged] == [third] and workspace.staged[0].parent == head(hub)
    assert push(workspace, plan_push(workspace, third, target, "main"), target).status == "success"
    assert messages(hub) == ["Write c", "Write b", "Write docs/new.md", "Base"]


def test_a_set_back_branch_is_seen(hub: Hub, make: Make) -> None:
    """GitHub's own check, that commits are only added, would let it pass."""
    first = hub.repo.refs[b"refs/heads/main"]
    add_commit(hub.repo, {**PLAIN, b"x": b"x"}, message=b"Later withdrawn\n", when=9)
    target = make("rest")
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")

    def before(asked: str) -> None:
        if asked == "POST /git/commits":
            hub.repo.refs[b"refs/heads/main"] = first

    hub.before = before
    result = push(workspace, plan, target, patience=patience())
    assert result.status == "conflict" and head(hub) == first.decode()


def test_what_it_cannot_send(hub: Hub, make: Make) -> None:
    target = make("rest")
    other = Workspace.empty(identity=PEOPLE, clock=clock())
    other.write("a", b"a")
    result = push(other, plan_push(other, other.stage(["a"], "A").id, target, "fresh"), target)
    assert result.status == "success" and messages(hub, "fresh") == ["A"]  # no parent at all
    workspace = workspace_of(target)
    workspace.write("a", b"a")
    workspace.delete("README.md")
    word = workspace.stage(["a", "README.md"], "B").id
    assert push(workspace, plan_push(workspace, word, target, "main"), target).status == "success"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("POST /git/blobs", {"sha": "1" * 40, "url": "https://x/y"}),
        ("POST /git/trees", {"sha": "1" * 40, "url": "https://x/y", "truncated": False, "tree": []}),
    ],
)
def test_objects_that_were_not_staged(hub: Hub, make: Make, path: str, value: object) -> None:
    """Should GitHub make other objects of what it was sent, no ref is moved onto them."""
    target = make("rest")
    workspace = workspace_of(target)
    workspace.write("data", bytes(range(256)))
    word = workspace.stage(["data"], "Data").id
    before = head(hub)
    hub.answers = [(path, 201, {}, value, False)]
    result = push(workspace, plan_push(workspace, word, target, "main"), target, patience=patience())
    assert result.status == "rejected" and "1" * 40 in result.server[0]
    assert head(hub) == before and workspace.staged and not any(one.startswith("PATCH") for one in hub.asked)
