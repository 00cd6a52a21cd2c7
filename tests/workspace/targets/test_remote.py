"""Pushes over http(s) to dulwich's server on loopback: compare-and-swap, new branches, lost answers, refusals."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dulwich.repo import Repo

import gitglass
from gitglass.errors import NotFound, NotGranted, PermissionDenied, Unsupported
from gitglass.mutate.grant import ALL_EFFECTS, Credential, Identity, WriteGrant, WriteLimits
from gitglass.workspace.desk import Desk
from gitglass.workspace.push import MOVED, Patience, plan_push, push
from gitglass.workspace.targets.named import Targets
from gitglass.workspace.targets.protocol import Unreachable
from gitglass.workspace.targets.remote import RemoteTarget
from gitglass.workspace.workspace import Workspace

from ...support.servers import AUTHORITY, Server, answering, losing, serving, smart_app
from ...support.workspaces import FILES, add_commit, bare_repository
from ..conftest import PEOPLE, clock

pytestmark = [pytest.mark.writes, pytest.mark.loopback]

PLAIN = {path: value for path, value in FILES.items() if path != b"sub"}


def granted(**more: Any) -> WriteGrant:
    options: dict[str, Any] = {"remotes": ("*",), "effects": ALL_EFFECTS, "plain_http": True, **more}
    return WriteGrant(
        identity=Identity("Host", "host@example.com"), limits=WriteLimits(network_timeout=20.0), **options
    )


def target_of(url: str, *, branch: str | None = None, near: Any = None, **more: Any) -> RemoteTarget:
    return RemoteTarget("there", url, granted(**more), branch=branch, near=near)


def workspace_of(target: RemoteTarget, branch: str | None = None) -> Workspace:
    """A workspace over what the target has, and nothing else."""
    return Workspace.over_target(target, branch, identity=PEOPLE, clock=clock())


def staged(workspace: Workspace, path: str = "docs/new.md", content: bytes = b"new\n") -> str:
    workspace.write(path, content)
    return workspace.stage([path], f"Write {path}").id


def patience() -> Patience:
    return Patience(pause=lambda _: None)


@pytest.fixture
def bare(tmp_path: Path) -> Any:
    return bare_repository(tmp_path / "bare.git", PLAIN)


@pytest.fixture(params=[False, True], ids=["http", "https"])
def server(request: pytest.FixtureRequest, bare: Any) -> Iterator[Server]:
    with serving(smart_app(bare), tls=request.param) as made:
        yield made


@pytest.fixture
def plain(bare: Any) -> Iterator[Server]:
    with serving(smart_app(bare)) as made:
        yield made


def opened(bare: Any) -> Any:
    """The repository, read anew."""
    return Repo(bare.path)


def head(bare: Any, branch: str = "main") -> str:
    return str(opened(bare).refs[b"refs/heads/" + branch.encode()].decode())


def test_stage_and_push(server: Server, bare: Any, tmp_path: Path) -> None:
    target = target_of(server.url, authorities=AUTHORITY)
    workspace = workspace_of(target)
    assert workspace.read("README.md").data == PLAIN[b"README.md"] and workspace.base.ref == "refs/heads/main"
    staged(workspace)
    word = staged(workspace, "README.md", b"# Other\n")
    plan = plan_push(workspace, word, target, "main")
    assert (plan.is_new, plan.protected, plan.risk, plan.behind, plan.moved) == (False, True, "High", 0, False)
    assert plan.address == f"remote:{server.url}"
    result = push(workspace, plan, target)
    assert (result.status, result.commit, result.created, result.already_there) == (
        "success",
        plan.commit,
        False,
        False,
    )
    assert head(bare) == plan.commit and workspace.staged == ()
    history = [one.commit.message for one in opened(bare).get_walker()]
    assert history == [b"Write README.md\n", b"Write docs/new.md\n", b"Base\n"]
    assert gitglass.open(tmp_path / "bare.git").git(["fsck", "--full", "--strict"]).returncode == 0
    again = staged(workspace, "more", b"more\n")
    assert push(workspace, plan_push(workspace, again, target, "main"), target).status == "success"


def test_only_authorities_of_the_hosts_vouch(bare: Any) -> None:
    with serving(smart_app(bare), tls=True) as made:
        with pytest.raises(Unreachable, match="SSLError"):
            target_of(made.url, authorities=None).branches()
        assert target_of(made.url, authorities=AUTHORITY).branches().current == "main"


def test_new_branches_by_a_template(plain: Server, bare: Any) -> None:
    target = target_of(plain.url, branch="worker-{timestamp}")
    workspace = workspace_of(target, "main")
    desk = Desk(workspace, Targets([target]), approver=lambda review: True, clock=lambda: 1_700_000_000)
    first = staged(workspace)
    staged(workspace, "second", b"2\n")
    plan = desk.plan(workspace, first, None)
    assert plan.branch == "worker-20231114-221320" and plan.is_new and "new branch" in plan.summary
    done = desk.push(workspace, first, None)
    assert done.result is not None and done.result.created and head(bare, plan.branch) == plan.commit
    assert target.branches().names == ("main", plan.branch) and target.branches().protected == ("main",)
    assert [one.subject for one in workspace.staged] == ["Write second"]
    assert workspace.staged[0].parent == workspace.base.commit == plan.commit
    with pytest.raises(NotFound, match="no branch 'none'"):
        target.incoming("none")


def test_a_push_may_be_repeated(plain: Server, bare: Any) -> None:
    target = target_of(plain.url)
    workspace, other = workspace_of(target), workspace_of(target_of(plain.url))
    plan = plan_push(workspace, staged(workspace), target, "main")
    late = plan_push(other, staged(other), target, "main")
    assert plan.commit == late.commit
    assert push(workspace, plan, target).already_there is False
    above = add_commit(opened(bare), {**PLAIN, b"x": b"x"}, message=b"Above\n", when=9).decode()
    posts = sum(one["REQUEST_METHOD"] == "POST" and "receive" in one["PATH_INFO"] for one in plain.seen)
    again = push(other, late, target)
    assert (again.status, again.already_there, head(bare)) == ("success", True, above)
    assert sum(one["REQUEST_METHOD"] == "POST" and "receive" in one["PATH_INFO"] for one in plain.seen) == posts


def test_a_target_that_moved_is_a_conflict(plain: Server, bare: Any) -> None:
    target = target_of(plain.url)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace, "README.md", b"# Ours\n"), target, "main")
    moved = {**PLAIN, b"README.md": b"# Theirs\n", b"x": b"x"}
    theirs = add_commit(opened(bare), moved, message=b"Moved\n", when=9).decode()
    conflict = push(workspace, plan, target).conflict
    assert conflict is not None
    assert (conflict.reason, conflict.message, conflict.target_head) == ("non-fast-forward", MOVED, theirs)
    assert (conflict.behind, conflict.touched_both) == (1, ("README.md",)) and head(bare) == theirs
    result = workspace.pull(target.incoming("main"))
    assert result.conflicts == ("README.md",) and workspace.staged == ()
    workspace.resolve("README.md", "ours")
    word = workspace.stage(["README.md"], "Ours again").id
    assert push(workspace, plan_push(workspace, word, target, "main"), target).status == "success"


def test_one_that_moves_between_the_look_and_the_push(plain: Server, bare: Any) -> None:
    """The old value goes along with the push: what came meanwhile is not lost."""
    target = target_of(plain.url)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    seen: list[str] = []

    def around(inner: Any, environ: dict[str, Any], start: Any) -> Any:
        if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].endswith("git-receive-pack") and not seen:
            seen.append(add_commit(opened(bare), {**PLAIN, b"x": b"x"}, message=b"Meanwhile\n", when=9).decode())
        return inner(environ, start)

    plain.around = around
    result = push(workspace, plan, target, patience=patience())
    assert result.status == "conflict" and result.conflict is not None and [result.conflict.target_head] == seen
    assert head(bare) == seen[0] and len(workspace.staged) == 1


def test_a_server_whose_yes_is_none(plain: Server, bare: Any) -> None:
    """The ref is read after the push: a server that said yes, and where it names something else, has not done it."""
    target = target_of(plain.url)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    seen: list[str] = []

    def around(inner: Any, environ: dict[str, Any], start: Any) -> Any:
        answer = inner(environ, start)
        if environ["REQUEST_METHOD"] != "POST" or not environ["PATH_INFO"].endswith("git-receive-pack") or seen:
            return answer
        body = list(answer)
        repo, old = opened(bare), [bytes(plan.expected or "", "ascii")]
        made = add_commit(repo, {**PLAIN, b"x": b"x"}, message=b"Over it\n", when=9, parents=old)
        seen.append(made.decode())
        return body

    plain.around = around
    result = push(workspace, plan, target, patience=patience())
    assert result.status == "conflict" and result.conflict is not None and [result.conflict.target_head] == seen
    assert head(bare) == seen[0] and len(workspace.staged) == 1


def test_branches_that_come_and_go(plain: Server, bare: Any) -> None:
    target = target_of(plain.url)
    workspace = workspace_of(target)
    word = staged(workspace)
    fresh = plan_push(workspace, word, target, "topic")
    add_commit(opened(bare), {b"a": b"a"}, message=b"Other\n", ref=b"refs/heads/topic")
    conflict = push(workspace, fresh, target).conflict
    assert conflict is not None and conflict.reason == "exists"
    repo = opened(bare)
    repo.refs[b"refs/heads/short"] = repo.refs[b"refs/heads/main"]
    gone = plan_push(workspace, word, target, "short")
    del repo.refs[b"refs/heads/short"]
    conflict = push(workspace, gone, target).conflict
    assert conflict is not None and conflict.reason == "gone"


@pytest.mark.parametrize("done", [False, True], ids=["not done", "done"])
def test_lost_answers_are_read_back(plain: Server, bare: Any, done: bool) -> None:
    target = target_of(plain.url)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "worker-1")
    plain.around = losing(1, done=done)
    result = push(workspace, plan, target, patience=patience())
    if done:
        assert (result.status, result.created) == ("success", True)
    else:  # the ref says that nothing happened, and the server's word is handed on
        assert result.status == "rejected" and "502" in " ".join(result.server) and len(workspace.staged) == 1
        result = push(workspace, plan, target)
    assert result.status == "success" and head(bare, "worker-1") == plan.commit
    posts = [one for one in plain.seen if one["REQUEST_METHOD"] == "POST" and "receive" in one["PATH_INFO"]]
    assert len(posts) == (1 if done else 2)


def test_what_nobody_knows(plain: Server, bare: Any) -> None:
    target = target_of(plain.url)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    lost = losing(9, done=True)
    gone: list[int] = []

    def around(inner: Any, environ: dict[str, Any], start: Any) -> Any:
        if gone:
            return answering("503 away")(inner, environ, start)
        gone.extend([1] * (environ["REQUEST_METHOD"] == "POST" and "receive" in environ["PATH_INFO"]))
        return lost(inner, environ, start)

    plain.around = around
    result = push(workspace, plan, target, patience=patience())
    assert result.status == "unknown" and len(workspace.staged) == 1
    plain.around = None
    later = push(workspace, plan, target)
    assert (later.status, later.already_there, head(bare)) == ("success", True, plan.commit)


@pytest.mark.parametrize("word", ["401 no", "403 no", "404 gone"])
def test_what_a_server_refuses(plain: Server, bare: Any, word: str) -> None:
    target = target_of(plain.url)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    before = head(bare)

    def around(inner: Any, environ: dict[str, Any], start: Any) -> Any:
        refused = "receive" in environ["PATH_INFO"] + environ.get("QUERY_STRING", "")
        return answering(word, b"words of the server")(inner, environ, start) if refused else inner(environ, start)

    plain.around = around
    result = push(workspace, plan, target)
    assert result.status == "rejected" and head(bare) == before and len(workspace.staged) == 1
    plain.around = answering(word)
    with pytest.raises(NotFound if word.startswith("404") else PermissionDenied):
        target.branches()


def test_a_server_that_asks_to_be_left_alone(plain: Server, bare: Any) -> None:
    target = target_of(plain.url)
    workspace = workspace_of(target)
    plan = plan_push(workspace, staged(workspace), target, "main")
    left = [2]
    waits: list[float] = []

    def around(inner: Any, environ: dict[str, Any], start: Any) -> Any:
        if left[0]:
            left[0] -= 1
            return answering("429 slow", b"", ("Retry-After", "7"))(inner, environ, start)
        return inner(environ, start)

    plain.around = around
    assert push(workspace, plan, target, patience=Patience(pause=waits.append)).status == "success"
    assert waits == [7.0, 7.0]
    plan = plan_push(workspace, staged(workspace, "b"), target, "main")
    plain.around = answering("429 slow", b"", ("Retry-After", "60"))
    result = push(workspace, plan, target, patience=Patience(pause=waits.append))
    assert (result.status, waits) == ("rejected", [7.0, 7.0]) and "again after 60" in result.server[0]


def test_pauses_grow_and_end() -> None:
    waits: list[float] = []
    one = Patience(seconds=1.0, pause=waits.append, dice=lambda: 0.5)
    assert [one.waits() for _ in range(4)] == [True, True, False, False] and waits == [0.2, 0.4]
    jittered: list[float] = []
    for dice in (lambda: 0.0, lambda: 0.99):
        Patience(pause=jittered.append, dice=dice).waits()
    assert jittered[1] > 2 * jittered[0]


def test_grants_and_credentials(plain: Server, bare: Any) -> None:
    for refused in ({"remotes": ()}, {"plain_http": False}, {"effects": frozenset({"write_refs"})}):
        with pytest.raises(NotGranted):
            target_of(plain.url, **refused)
    with pytest.raises(NotGranted):
        target_of(bare.path)
    with pytest.raises(Unsupported):
        target_of("ssh://host/x")
    target = target_of(plain.url, credentials=lambda _: Credential("me", "s3cret"), refs=("refs/heads/worker-*",))
    workspace = workspace_of(target)
    word = staged(workspace)
    assert push(workspace, plan_push(workspace, word, target, "main"), target).status == "rejected"
    assert push(workspace, plan_push(workspace, word, target, "worker-7"), target).status == "success"
    assert all(one.get("HTTP_AUTHORIZATION") == "Basic bWU6czNjcmV0" for one in plain.seen)
    assert "s3cret" not in repr(target)


def test_what_is_near_is_not_brought_again(plain: Server, bare: Any, tmp_path: Path) -> None:
    near = gitglass.open(bare.path)
    target = target_of(plain.url, near=near)
    workspace = workspace_of(target)
    assert not any(one["REQUEST_METHOD"] == "POST" for one in plain.seen)
    word = staged(workspace)
    plan = plan_push(workspace, word, target, "main")
    assert push(workspace, plan, target).status == "success" and head(bare) == plan.commit
    sizes = [
        int(one["CONTENT_LENGTH"])
        for one in plain.seen
        if one["REQUEST_METHOD"] == "POST" and one.get("CONTENT_LENGTH")
    ]
    assert sizes and max(sizes) < 1500


def test_more_than_a_hundred_objects(plain: Server, bare: Any, tmp_path: Path) -> None:
    target = target_of(plain.url)
    workspace = workspace_of(target)
    for number in range(150):
        workspace.write(f"many/{number}.txt", b"%d\n" % number * 30)
    word = workspace.stage([f"many/{number}.txt" for number in range(150)], "Many").id
    plan = plan_push(workspace, word, target, "main")
    assert push(workspace, plan, target).status == "success" and head(bare) == plan.commit
    assert gitglass.open(tmp_path / "bare.git").git(["fsck", "--full"]).returncode == 0
