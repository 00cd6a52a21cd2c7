"""Pushes to repositories of this machine: what git would read there afterwards, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from dulwich.repo import Repo

import gitglass
from gitglass.errors import NotFound
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.workspace.push import MOVED, plan_push, push
from gitglass.workspace.targets.local import LocalTarget
from gitglass.workspace.workspace import Workspace

from ...support.workspaces import FILES, add_commit, bare_repository, checked_out
from ..conftest import PEOPLE, clock

pytestmark = pytest.mark.writes

PLAIN = {path: value for path, value in FILES.items() if path not in (b"sub", b"link")}
GRANT = WriteGrant(identity=Identity("Host", "host@example.com"), clock=lambda: 1_700_000_000, zone=0)


def target_of(path: Path, **options: Any) -> LocalTarget:
    grant = options.pop("grant", GRANT)
    return LocalTarget("here", gitglass.open(path), grant, where=str(path), **options)


def workspace_of(path: Path, rev: str = "main") -> Workspace:
    return Workspace.over(gitglass.open(path), rev, target="here", identity=PEOPLE, clock=clock())


def staged(workspace: Workspace, path: str = "docs/new.md", content: bytes = b"new\n") -> str:
    workspace.write(path, content)
    return workspace.stage([path], f"Write {path}").id


def test_a_push_to_a_bare_repository(tmp_path: Path) -> None:
    bare = bare_repository(tmp_path / "bare.git", PLAIN)
    target, workspace = target_of(tmp_path / "bare.git"), workspace_of(tmp_path / "bare.git")
    staged(workspace)
    word = staged(workspace, "README.md", b"# Other\n")
    plan = plan_push(workspace, word, target, "main")
    assert (plan.is_new, plan.protected, plan.risk, plan.behind, plan.moved) == (False, True, "High", 0, False)
    assert target.kind == "local-bare" and plan.address == f"local-bare:{tmp_path}/bare.git"
    result = push(workspace, plan, target)
    assert (result.status, result.commit, result.created, result.already_there) == (
        "success",
        plan.commit,
        False,
        False,
    )
    assert bare.refs[b"refs/heads/main"].decode() == plan.commit
    history = [one.commit.message for one in bare.get_walker()]
    assert history == [b"Write README.md\n", b"Write docs/new.md\n", b"Base\n"]
    assert gitglass.open(tmp_path / "bare.git").git(["fsck", "--full", "--strict"]).returncode == 0
    assert (
        workspace.staged == ()
        and workspace.base.commit == plan.commit
        and [one.state for one in workspace.pushed] == ["pushed"] * 2
    )
    again = staged(workspace, "more", b"more\n")
    assert push(workspace, plan_push(workspace, again, target, "main"), target).status == "success"


def test_a_new_branch_with_the_first_of_two(tmp_path: Path) -> None:
    bare = bare_repository(tmp_path / "bare.git", PLAIN)
    target, workspace = target_of(tmp_path / "bare.git"), workspace_of(tmp_path / "bare.git")
    first = staged(workspace)
    staged(workspace, "second", b"2\n")
    plan = plan_push(workspace, first, target, "worker-1")
    assert plan.is_new and plan.risk == "Medium" and "new branch" in plan.summary
    result = push(workspace, plan, target)
    assert result.created and bare.refs[b"refs/heads/worker-1"].decode() == plan.commit
    assert [one.subject for one in workspace.staged] == ["Write second"]
    assert workspace.staged[0].parent == workspace.base.commit == plan.commit
    assert target.branches().names == ("main", "worker-1") and target.branches().current == "main"


def test_a_push_may_be_repeated(tmp_path: Path) -> None:
    bare_repository(tmp_path / "bare.git", PLAIN)
    target, workspace = target_of(tmp_path / "bare.git"), workspace_of(tmp_path / "bare.git")
    other = workspace_of(tmp_path / "bare.git")
    plan = plan_push(workspace, staged(workspace), target, "main")
    assert plan.commit == plan_push(other, staged(other), target, "main").commit
    late = plan_push(other, other.staged[0].id, target, "main")
    assert push(workspace, plan, target).already_there is False
    again = push(other, late, target)
    assert (again.status, again.already_there) == ("success", True)


def test_a_target_that_moved_is_a_conflict(tmp_path: Path) -> None:
    bare = bare_repository(tmp_path / "bare.git", PLAIN)
    target, workspace = target_of(tmp_path / "bare.git"), workspace_of(tmp_path / "bare.git")
    plan = plan_push(workspace, staged(workspace, "README.md", b"# Ours\n"), target, "main")
    head = add_commit(bare, {**PLAIN, b"README.md": b"# Theirs\n", b"x": b"x"}, message=b"Moved\n", when=9).decode()
    conflict = push(workspace, plan, target).conflict
    assert conflict is not None
    assert (conflict.reason, conflict.message, conflict.target_head) == ("non-fast-forward", MOVED, head)
    assert (conflict.behind, conflict.touched_both) == (1, ("README.md",))
    assert bare.refs[b"refs/heads/main"].decode() == head and [one.id for one in workspace.staged] == [
        plan.commits[0].id
    ]
    moved = plan_push(workspace, plan.commits[0].id, target, "main")
    assert moved.moved and moved.behind == 1
    assert push(workspace, moved, target).status == "conflict"
    result = workspace.pull(target.incoming("main"))
    assert result.conflicts == ("README.md",) and workspace.staged == ()
    workspace.resolve("README.md", "ours")
    word = workspace.stage(["README.md"], "Ours again").id
    assert push(workspace, plan_push(workspace, word, target, "main"), target).status == "success"


def test_one_that_moves_at_the_last_moment(tmp_path: Path) -> None:
    """After the ref was read, before it is written: what is there then is not overwritten."""
    bare = bare_repository(tmp_path / "bare.git", PLAIN)
    moved: list[str] = []

    def move() -> None:
        moved.append(add_commit(bare, {**PLAIN, b"x": b"x"}, message=b"Meanwhile\n", when=9).decode())

    class Busy(LocalTarget):
        def holds(self) -> Any:
            if not moved:
                with ThreadPoolExecutor(1) as somebody_else:
                    somebody_else.submit(move).result()
            return super().holds()

    target = Busy("here", gitglass.open(tmp_path / "bare.git"), GRANT)
    workspace = workspace_of(tmp_path / "bare.git")
    result = push(workspace, plan_push(workspace, staged(workspace), target, "main"), target)
    assert result.conflict is not None and result.conflict.target_head == moved[0] and len(workspace.staged) == 1
    assert bare.refs[b"refs/heads/main"].decode() == moved[0]


def test_branches_that_come_and_go(tmp_path: Path) -> None:
    bare = bare_repository(tmp_path / "bare.git", PLAIN)
    target, workspace = target_of(tmp_path / "bare.git"), workspace_of(tmp_path / "bare.git")
    word = staged(workspace)
    fresh = plan_push(workspace, word, target, "topic")
    add_commit(bare, {b"a": b"a"}, message=b"Other\n", ref=b"refs/heads/topic")
    conflict = push(workspace, fresh, target).conflict
    assert conflict is not None and conflict.reason == "exists"
    bare.refs[b"refs/heads/short"] = bare.refs[b"refs/heads/main"]
    gone = plan_push(workspace, word, target, "short")
    del bare.refs[b"refs/heads/short"]
    conflict = push(workspace, gone, target).conflict
    assert conflict is not None and conflict.reason == "gone"
    with pytest.raises(NotFound):
        target.incoming("short")


def test_a_branch_below_a_branch_is_rejected(tmp_path: Path) -> None:
    bare_repository(tmp_path / "bare.git", PLAIN)
    target, workspace = target_of(tmp_path / "bare.git"), workspace_of(tmp_path / "bare.git")
    result = push(workspace, plan_push(workspace, staged(workspace), target, "main/below"), target)
    assert result.status == "rejected" and "'refs/heads/main' exists" in result.server[0]


def test_a_branch_that_is_checked_out(tmp_path: Path) -> None:
    repo = checked_out(tmp_path / "repo", PLAIN)
    target, workspace = target_of(tmp_path / "repo"), workspace_of(tmp_path / "repo")
    word = staged(workspace, "README.md", b"# Pushed\n")
    before = repo.refs[b"refs/heads/main"]
    result = push(workspace, plan_push(workspace, word, target, "main"), target)
    assert result.status == "rejected" and repo.refs[b"refs/heads/main"] == before
    following = target_of(tmp_path / "repo", update_worktree=True)
    (tmp_path / "repo/README.md").write_bytes(b"local change\n")
    plan = plan_push(workspace, word, following, "main")
    assert plan.notes and "checked out" in plan.notes[0]
    blocked = push(workspace, plan, following)
    assert blocked.status == "rejected" and "local changes" in " ".join(blocked.server)
    assert (tmp_path / "repo/README.md").read_bytes() == b"local change\n" and repo.refs[b"refs/heads/main"] == before
    (tmp_path / "repo/README.md").write_bytes(PLAIN[b"README.md"])
    assert push(workspace, plan, following).status == "success"
    assert (tmp_path / "repo/README.md").read_bytes() == b"# Pushed\n"
    assert gitglass.open(tmp_path / "repo").git(["status", "--porcelain"]).stdout == b""
    other = staged(workspace)
    assert push(workspace, plan_push(workspace, other, target, "side"), target).created
    assert not (tmp_path / "repo/docs").exists()


def test_hooks_are_the_grants_affair(tmp_path: Path) -> None:
    bare_repository(tmp_path / "bare.git", PLAIN)
    hook = tmp_path / "bare.git/hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    workspace = workspace_of(tmp_path / "bare.git")
    word = staged(workspace)
    target = target_of(tmp_path / "bare.git")
    result = push(workspace, plan_push(workspace, word, target, "main"), target)
    assert result.status == "rejected" and "'pre-receive' is installed" in result.server[0]
    skipping = target_of(tmp_path / "bare.git", grant=WriteGrant(identity=GRANT.identity, hooks="skip"))
    result = push(workspace, plan_push(workspace, word, skipping, "main"), skipping)
    assert result.status == "success" and "hook pre-receive was not run" in result.server


def test_what_the_grant_does_not_cover(tmp_path: Path) -> None:
    bare_repository(tmp_path / "bare.git", PLAIN)
    narrow = target_of(tmp_path / "bare.git", grant=WriteGrant(identity=GRANT.identity, refs=("refs/heads/worker-*",)))
    workspace = workspace_of(tmp_path / "bare.git")
    word = staged(workspace)
    assert push(workspace, plan_push(workspace, word, narrow, "main"), narrow).status == "rejected"
    assert push(workspace, plan_push(workspace, word, narrow, "worker-7"), narrow).status == "success"


def test_many_objects_are_a_pack(tmp_path: Path) -> None:
    bare = bare_repository(tmp_path / "bare.git", PLAIN)
    target, workspace = target_of(tmp_path / "bare.git"), workspace_of(tmp_path / "bare.git")
    loose = len(list((tmp_path / "bare.git/objects").glob("??/*")))
    names = [f"many/{number}.txt" for number in range(120)]
    for name in names:
        workspace.write(name, name.encode() * 20)
    word = workspace.stage(names, "Many").id
    plan = plan_push(workspace, word, target, "main")
    assert push(workspace, plan, target).status == "success" and bare.refs[b"refs/heads/main"].decode() == plan.commit
    objects = tmp_path / "bare.git/objects"
    assert len(list(objects.glob("??/*"))) == loose and len(list(objects.glob("pack/*.idx"))) == 1
    assert gitglass.open(tmp_path / "bare.git").git(["fsck", "--full", "--strict"]).returncode == 0


def test_objects_that_are_refused(tmp_path: Path) -> None:
    """The repository's own rules for what it takes in hold for a workspace as well."""
    bare_repository(tmp_path / "bare.git", PLAIN)
    with (tmp_path / "bare.git/config").open("a") as config:
        config.write("[receive]\n\tfsckObjects = true\n")
    target, workspace = target_of(tmp_path / "bare.git"), workspace_of(tmp_path / "bare.git")
    workspace.write(".gitmodules", b'[submodule "x"]\n\tpath = x\n\turl = -u./run\n')
    word = workspace.stage([".gitmodules"], "Bad").id
    result = push(workspace, plan_push(workspace, word, target, "main"), target)
    assert result.status == "rejected" and "disallowed submodule url" in " ".join(result.server), result


def test_into_an_empty_repository_goes_everything(tmp_path: Path) -> None:
    bare_repository(tmp_path / "bare.git", PLAIN)
    (tmp_path / "empty.git").mkdir()
    empty: Any = Repo.init_bare(str(tmp_path / "empty.git"))
    target, workspace = target_of(tmp_path / "empty.git"), workspace_of(tmp_path / "bare.git")
    result = push(workspace, plan_push(workspace, staged(workspace), target, "main"), target)
    assert result.status == "success" and len(list(empty.get_walker([empty.refs[b"refs/heads/main"]]))) == 2
    assert gitglass.open(tmp_path / "empty.git").git(["fsck", "--full"]).returncode == 0
