"""What became of staged commits after a move, and for what a yes holds then."""

from typing import Any

import pytest
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.commands.policy import ApprovalRequired
from gitglass.workspace.desk import Desk, PushPolicy
from gitglass.workspace.push import plan_push
from gitglass.workspace.ranges import kept, ranged
from gitglass.workspace.targets.named import Targets
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, TEXT, add_commit
from .conftest import PEOPLE, clock
from .test_push import MemoryTarget


def three(base: MemoryRepo) -> Workspace:
    """Commits of a file of its own, of a line in the middle of another, and of a line that the target changes too."""
    workspace = Workspace.over(gitglass.open(base), "main", target="m", identity=PEOPLE, clock=clock())
    for path, content in (
        ("new", b"n\n"), ("src/a.py", TEXT.replace(b"line 30\n", b"thirty\n")),
        ("src/deep/b.py", b"b = 1\nc = 1\n"),
    ):  # fmt: skip
        workspace.write(path, content)
        workspace.stage([path], f"Change {path}")
    return workspace


def move(base: MemoryRepo, **files: bytes) -> None:
    changed = {path.replace("_", "/", 1).encode(): content for path, content in files.items()}
    add_commit(base, {**FILES, **changed}, message=b"Theirs\n", when=9)


def test_equal_changed_dropped(base: MemoryRepo) -> None:
    workspace = three(base)
    old = kept(workspace, workspace.staged)
    add_commit(base, {**FILES, b"src/a.py": b"first\n" + TEXT, b"new": b"n\n"}, message=b"Theirs\n", when=9)
    workspace.pull(MemoryTarget(base).incoming("main"))
    rows = ranged(workspace, old, workspace.staged)
    assert [row.became for row in rows] == [
        "changed",
        "equal",
        "equal",
    ]  # "new" is there already: nothing is left of it
    assert rows[1].new != rows[1].old and rows[1].line.endswith("Change src/a.py") and " = " in rows[1].line
    rows = ranged(workspace, old, workspace.staged[:1])
    assert [(row.became, row.new is None) for row in rows[1:]] == [("dropped", True), ("dropped", True)]
    assert " < ------- " in rows[2].line


def desk_of(base: MemoryRepo, scope: Any, approver: Any = None) -> tuple[Desk, MemoryTarget, Workspace]:
    workspace, target = three(base), MemoryTarget(base)
    return Desk(workspace, Targets([target]), approver=approver, policy=PushPolicy(scope=scope)), target, workspace


@pytest.mark.parametrize("scope", ["commit", "paths"])
def test_a_yes_after_a_move_of_other_files(base: MemoryRepo, scope: str) -> None:
    desk, target, workspace = desk_of(base, scope)
    word = workspace.staged[-1].id
    with pytest.raises(ApprovalRequired) as caught:
        desk.push(workspace, word, None)
    approved = frozenset({str(caught.value.data["plan"])})
    move(base, other=b"o\n")
    if scope == "commit":
        with pytest.raises(ApprovalRequired) as caught:
            desk.push(workspace, word, None, approved=approved, on_moved="rebase")
        preview = str(caught.value.data["preview"])
        assert "the target had moved: 3 equal" in preview and "= " in preview and target.moves == []
        approved = frozenset({str(caught.value.data["plan"])})  # of the plan that was shown
    done = desk.push(workspace, word, None, approved=approved, on_moved="rebase")
    assert done.result is not None and done.result.status == "success" and len(target.moves) == 1


def test_no_yes_survives_changed_content(base: MemoryRepo) -> None:
    desk, target, workspace = desk_of(base, "paths")
    word = workspace.staged[-1].id
    plan = plan_push(workspace, word, target, "main")
    move(base, src_a=b"x")
    add_commit(base, {**FILES, b"src/a.py": b"first\n" + TEXT}, message=b"Theirs too\n", when=10)
    with pytest.raises(ApprovalRequired):  # one of its files is another one now, though the change is the same
        desk.push(workspace, word, None, approved=frozenset({plan.content}), on_moved="rebase")
    contents = {plan.content, plan_push(workspace, word, target, "main").content}
    contents |= {plan_push(workspace, word, target, "topic").content}
    workspace.stage([], "Other words", amend=True)
    contents |= {plan_push(workspace, workspace.staged[-1].id, target, "main").content}
    workspace.write("more", b"m")
    workspace.stage(["more"], "Other words", amend=True)
    contents |= {plan_push(workspace, workspace.staged[-1].id, target, "main").content}
    assert len(contents) == 5 and target.moves == []


@pytest.mark.parametrize(("scope", "times"), [("commit", 2), ("paths", 1)])
def test_one_that_moves_while_a_person_looks(base: MemoryRepo, scope: str, times: int) -> None:
    shown: list[Any] = []

    def approver(review: Any) -> bool:
        shown.append(review.plan)
        if len(shown) == 1:
            move(base, other=b"o\n")
        return True

    desk, target, workspace = desk_of(base, scope, approver)
    first = [one.commit for one in workspace.staged]
    done = desk.push(workspace, workspace.staged[-1].id, None, on_moved="rebase")
    assert done.result is not None and done.result.status == "success" and len(target.moves) == 1
    assert len(shown) == times and done.rebased is not None and list(done.rebased) == first
    if times == 2:
        assert [row.became for row in shown[1].since] == ["equal"] * 3


@pytest.mark.parametrize("on_moved", ["rebase", "merge"])
def test_one_that_moves_while_the_commits_are_brought_up(base: MemoryRepo, on_moved: str) -> None:
    """And once more: they are brought up again, and nobody is asked about what cannot be pushed any more."""
    shown: list[Any] = []
    desk, target, workspace = desk_of(base, "commit", lambda review: shown.append(review.plan) or True)
    first, plain, moves = [one.commit for one in workspace.staged], target.incoming, [1, 2]
    move(base, other0=b"o\n")

    def incoming(branch: str | None) -> Any:
        made = plain(branch)
        if moves:
            add_commit(base, {**FILES, b"other%d" % moves[0]: b"o\n"}, message=b"Theirs\n", when=10 + moves.pop(0))
        return made

    target.incoming = incoming  # type: ignore[method-assign]
    done = desk.push(workspace, workspace.staged[-1].id, None, on_moved=on_moved)
    assert done.result is not None and done.result.status == "success", done.result
    assert len(shown) == 1 and len(target.moves) == 1 and workspace.staged == ()
    if on_moved == "rebase":
        assert done.rebased is not None and list(done.rebased) == first


def test_merging_what_moved(base: MemoryRepo) -> None:
    desk, target, workspace = desk_of(base, "commit", lambda review: True)
    move(base, other=b"o\n")
    done = desk.push(workspace, workspace.staged[-1].id, None, on_moved="merge")
    assert done.result is not None and done.result.status == "success" and len(target.moves) == 1


def test_a_new_branch_that_is_protected_needs_a_yes(base: MemoryRepo) -> None:
    desk, target, workspace = desk_of(base, "commit")
    desk.policy = PushPolicy(auto_approve=("*",))
    target.is_protected = lambda branch: branch == "release"  # type: ignore[method-assign]
    word = workspace.staged[-1].id
    for branch in ("release", "main"):  # the other is there already
        with pytest.raises(ApprovalRequired):
            desk.push(workspace, word, {"branch": branch})
    done = desk.push(workspace, word, {"branch": "worker-1"})
    assert done.result is not None and done.result.created


def test_what_a_path_was_is_part_of_the_yes(base: MemoryRepo) -> None:
    """Theirs is a part of ours already: what comes out is the same, and what it changes is not."""
    desk, target, workspace = desk_of(base, "paths")
    five = TEXT.replace(b"line 5\n", b"five\n")
    workspace.write("src/a.py", five.replace(b"line 30\n", b"thirty\n"))
    word = workspace.stage(["src/a.py"], "Both", amend=True).id
    plan = plan_push(workspace, word, target, "main")
    add_commit(base, {**FILES, b"src/a.py": five}, message=b"Theirs\n", when=9)
    with pytest.raises(ApprovalRequired):
        desk.push(workspace, word, None, approved=frozenset({plan.content}), on_moved="rebase")
    assert target.moves == []
