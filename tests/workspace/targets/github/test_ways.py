"""What the three ways to GitHub have in common: pushes, new branches, moved heads, refusals, limits, lost answers."""

from typing import Any

import pytest

import gitglass
from gitglass.errors import InvalidArgs, NotFound, NotGranted, PermissionDenied
from gitglass.mutate.remote.credentials import GitAuthError
from gitglass.workspace.desk import Desk
from gitglass.workspace.push import MOVED, plan_push, push
from gitglass.workspace.targets.named import Targets

from ....support.github import NAME, Hub
from ....support.servers import Server, losing
from ....support.workspaces import add_commit
from .conftest import PLAIN, Make, head, messages, patience, staged, workspace_of

pytestmark = [pytest.mark.writes, pytest.mark.loopback]

WAYS = ["git", "rest", "graphql"]
LAST = {"git": "git-receive-pack", "rest": "/git/refs", "graphql": "/graphql"}  # the request that moves a ref


def fsck(hub: Hub) -> int:
    return gitglass.open(hub.path).git(["fsck", "--full", "--strict"]).returncode


@pytest.mark.parametrize("via", WAYS)
def test_stage_and_push(hub: Hub, make: Make, via: str) -> None:
    target = make(via)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    assert (plan.is_new, plan.protected, plan.moved, plan.address) == (False, True, False, f"github:{NAME}")
    result = push(workspace, plan, target)
    assert result.status == "success" and result.commit == head(hub) and fsck(hub) == 0, result
    assert messages(hub) == ["Write docs/new.md", "Base"] and workspace.staged == ()
    made = hub.repo[head(hub).encode()]
    assert made.tree.decode() == plan.commits[0].tree
    if via == "graphql":
        assert result.renamed == {plan.commit: head(hub)} and made.author == b"Owner <owner@example.com>"
        assert "token's owner" in plan.notes[0]
    else:
        assert result.renamed == {} and head(hub) == plan.commit
    assert workspace.base.commit == head(hub)
    again = staged(workspace, "more", b"more\n")
    assert push(workspace, plan_push(workspace, again, target, "main"), target).status == "success"
    assert messages(hub) == ["Write more", "Write docs/new.md", "Base"]


@pytest.mark.parametrize("via", WAYS)
def test_new_branches_by_a_template(hub: Hub, make: Make, via: str) -> None:
    target = make(via, branch="worker-{timestamp}")
    workspace = workspace_of(target)
    desk = Desk(workspace, Targets([target]), approver=lambda review: True, clock=lambda: 1_700_000_000)
    word = staged(workspace)
    staged(workspace, "second", b"2\n")
    assert desk.plan(workspace, word, {"type": "github", "repo": NAME}).is_new
    done = desk.push(workspace, word, None)
    assert done.result is not None and done.result.created
    assert head(hub, "worker-20231114-221320") == done.result.commit and messages(hub) == ["Base"]
    assert target.branches() == type(target.branches())(("main", "worker-20231114-221320"), "main", ("main",))
    assert [one.subject for one in workspace.staged] == ["Write second"]
    assert workspace.staged[0].parent == workspace.base.commit == done.result.commit
    done = desk.push(workspace, workspace.staged[0].id, None)
    assert messages(hub, "worker-20231114-221320") == ["Write second", "Write docs/new.md", "Base"]
    with pytest.raises(NotFound):
        target.incoming("none")


@pytest.mark.parametrize("via", WAYS)
def test_a_head_that_moved(hub: Hub, make: Make, via: str) -> None:
    target = make(via)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace, "README.md", b"# Ours\n"), target, "main")
    moved = {**PLAIN, b"README.md": b"# Theirs\n"}
    theirs = add_commit(hub.repo, moved, message=b"Moved\n", when=9).decode()
    conflict = push(workspace, plan, target).conflict
    assert conflict is not None and head(hub) == theirs
    assert (conflict.reason, conflict.message, conflict.target_head) == ("non-fast-forward", MOVED, theirs)
    assert (conflict.behind, conflict.touched_both) == (1, ("README.md",))


@pytest.mark.parametrize("via", ["rest", "graphql"])
@pytest.mark.parametrize("new", [False, True])
def test_one_that_moves_at_the_last_moment(hub: Hub, make: Make, via: str, new: bool) -> None:
    target = make(via)
    workspace = workspace_of(target)
    branch = "topic" if new else "main"
    plan = plan_push(workspace, staged(workspace), target, branch)
    theirs: list[str] = []

    def before(asked: str) -> None:
        if asked.startswith(("PATCH", "POST /git/refs", "POST /api/graphql")) and not theirs:
            parents = None if not new else [hub.repo.refs[b"refs/heads/main"]]
            ref = b"refs/heads/" + branch.encode()
            made = add_commit(hub.repo, {**PLAIN, b"x": b"x"}, message=b"Meanwhile\n", when=9, ref=ref, parents=parents)
            theirs.append(made.decode())

    hub.before = before
    result = push(workspace, plan, target, patience=patience())
    assert result.status == "conflict" and result.conflict is not None, result
    assert result.conflict.target_head == theirs[0] == head(hub, branch) and len(workspace.staged) == 1


@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("new", [False, True], ids=["there", "new"])
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done"])
def test_lost_answers_are_pushed_once(
    hub: Hub, server: Server, make: Make, via: str, done: bool, new: bool
) -> None:  # fmt: skip
    target = make(via)
    workspace = workspace_of(target)
    branch = "worker-1" if new else "main"
    plan = plan_push(workspace, staged(workspace), target, branch)
    if via == "git":
        server.around = losing(1, done=done)
    else:
        hub.answers = [(LAST[via], 502, {}, {"message": "oh"}, done)]
    result = push(workspace, plan, target, patience=patience())
    if via == "git" and not done:
        result = push(workspace, plan, target)
    assert result.status == "success" and result.commit == head(hub, branch), result
    assert messages(hub, branch) == ["Write docs/new.md", "Base"] and workspace.staged == ()


@pytest.mark.parametrize("via", ["rest", "graphql"])
def test_an_answer_that_nobody_gives_again(hub: Hub, make: Make, via: str) -> None:
    """Unknown; and the next push finds the commit there, under whatever name, with others on top of it."""
    target = make(via)
    hub.utc = True
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    hub.answers = [(LAST[via], 502, {}, {}, True)]

    def before(asked: str) -> None:
        if LAST[via] in asked:
            hub.answers += [("GET", 503, {}, {}, False)] * 8

    hub.before = before
    result = push(workspace, plan, target, patience=patience())
    assert result.status == "unknown" and len(workspace.staged) == 1
    hub.answers, hub.before = [], lambda _: None
    there = head(hub)
    add_commit(hub.repo, {**PLAIN, b"x": b"x"}, message=b"Above\n", when=9)
    later = push(workspace, plan, target)
    assert (later.status, later.already_there, later.renamed) == ("success", True, {plan.commit: there})
    assert messages(hub) == ["Above", "Write docs/new.md", "Base"] and workspace.staged == ()


@pytest.mark.parametrize("via", ["rest", "graphql"])
def test_a_protected_branch(hub: Hub, make: Make, via: str) -> None:
    hub.protected = {"release"}
    hub.repo.refs[b"refs/heads/release"] = hub.repo.refs[b"refs/heads/main"]
    target = make(via)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "release")
    assert plan.protected and plan.risk == "High" and target.branches().protected == ("main", "release")
    before = head(hub, "release")
    result = push(workspace, plan, target)
    assert result.status == "rejected" and "rotected" in result.server[0] and head(hub, "release") == before


CANNED: list[tuple[int, dict[str, str], Any, str]] = [
    (401, {}, {"message": "Bad credentials"}, "Bad credentials"),
    (403, {}, {"message": "Resource not accessible by integration"}, "not accessible"),
    (404, {}, {"message": "Not Found"}, "Not Found"),
    (409, {}, {"message": "Git Repository is empty."}, "empty"),
    (422, {}, {"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest",
               "errors": [{"resource": "Reference", "code": "custom", "message": "sha wrong"}]}, "sha wrong"),
    (429, {"Retry-After": "99"}, {"message": "slow down"}, "slow down"),
    (403, {}, {"message": "You have exceeded a secondary rate limit."}, "secondary rate"),
    (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}, {"message": "used up"}, "used up"),
]  # fmt: skip


@pytest.mark.parametrize("via", ["rest", "graphql"])
@pytest.mark.parametrize(("status", "headers", "value", "words"), CANNED, ids=[f"{row[0]}-{row[3]}" for row in CANNED])
def test_refusals(hub: Hub, make: Make, via: str, status: int, headers: Any, value: Any, words: str) -> None:
    target = make(via)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    before = head(hub)
    for part in ("POST", LAST[via]):
        hub.answers = [(part, status, headers, value, False)] * 3
        result = push(workspace, plan, target, patience=patience())
        assert result.status == "rejected" and words in " ".join(result.server), result
        assert head(hub) == before and len(workspace.staged) == 1
    hub.answers = []
    assert push(workspace, plan, target).status == "success"


@pytest.mark.parametrize("via", ["rest", "graphql"])
def test_limits_are_waited_for(hub: Hub, make: Make, via: str) -> None:
    target = make(via)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    limited = {"message": "You have exceeded a secondary rate limit"}
    hub.answers = [
        ("POST", 403, {"Retry-After": "3"}, limited, False),
        (LAST[via], 429, {"Retry-After": "4"}, {}, False),
    ]
    waits: list[float] = []
    assert push(workspace, plan, target, patience=patience(waits)).status == "success" and waits == [3.0, 4.0]
    assert messages(hub) == ["Write docs/new.md", "Base"]


@pytest.mark.parametrize("via", ["rest", "graphql"])
def test_who_asks(hub: Hub, server: Server, make: Make, via: str) -> None:
    target = make(via, token=None)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    with pytest.raises(GitAuthError, match="gh auth login"):
        push(workspace, plan, target)
    with pytest.raises(PermissionDenied, match="Bad credentials"):
        make(via, token="wrong").branches()
    assert push(workspace, plan, make(via)).status == "success"
    headers = [one.get("HTTP_AUTHORIZATION", "") for one in server.seen]
    assert set(headers[-3:]) <= {"Bearer t0ken", "Basic eC1hY2Nlc3MtdG9rZW46dDBrZW4="}
    assert not any("t0ken" in one["PATH_INFO"] + one.get("QUERY_STRING", "") for one in server.seen)


def test_what_a_host_may_name(make: Make) -> None:
    for repo in ("user", "user/../x", "-u/x", "user/..", "u ser/x", "user/x?y"):
        with pytest.raises(InvalidArgs):
            type(make())("x", repo, make().grant)
    with pytest.raises(NotGranted):
        make("rest", remotes=("*.git",))
    with pytest.raises(InvalidArgs, match="not git, rest or graphql"):
        make("soap")
    narrow = make("rest", refs=("refs/heads/worker-*",))
    workspace = workspace_of(narrow)
    assert push(workspace, plan_push(workspace, staged(workspace), narrow, "main"), narrow).status == "rejected"
