"""WriteAccess: policy twice, a token that approves one plan once, an approver, nothing from a model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import CLOCK, copy_of

import gitglass
from gitglass.agent.roots import Roots
from gitglass.commands.policy import ApprovalDenied, ApprovalRequired, Level, Policy, request_digest
from gitglass.errors import PermissionDenied
from gitglass.limits import Context
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.mutate.plan import Plan
from gitglass.request.mutations import (
    AddRequest,
    CheckoutRequest,
    Mutation,
    RecoverRequest,
    ResetRequest,
    RestoreRequest,
    UndoRequest,
)
from gitglass.request.ref_mutations import BranchChange

pytestmark = pytest.mark.writes

NONE: frozenset[str] = frozenset()
ASKS = Policy(level=Level.TRUSTED)
FREE = Policy(level=Level.TRUSTED, medium="free", high="approve")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


class Host:
    """A host with a clock of its own."""

    def __init__(self, repo: Path, **options: Any) -> None:
        self.now = float(CLOCK)
        grant = WriteGrant(identity=Identity("A", "a@b"), clock=lambda: self.now, zone=0)
        self.access = WriteAccess(grant, **options)
        self.repo = repo

    def ask(
        self, request: Mutation, approved: frozenset[str] = NONE, policy: Policy = ASKS, dry_run: bool = False
    ) -> Any:
        store = gitglass.open(self.repo).store
        with Context(store.limits) as ctx:
            ctx.policy = policy
            return self.access.carry_out(request, store, ctx, approved=approved, dry_run=dry_run)


BRANCH = BranchChange(action="create", names=["made"])


def token_of(host: Host, request: Mutation) -> str:
    with pytest.raises(ApprovalRequired) as error:
        host.ask(request)
    assert str(error.value.data["preview"]).startswith(request.summary())
    return str(error.value.data["plan"])


def test_a_token_approves_its_plan_once(repo: Path) -> None:
    host, made = Host(repo), repo / ".git/refs/heads/made"
    token = token_of(host, BRANCH)
    assert not made.exists()
    host.now += 60
    done = host.ask(BRANCH, frozenset({token}))
    head = (repo / ".git/refs/heads/main").read_text().strip()
    assert done.refs == (("refs/heads/made", "", head),) and done.operation and done.verified
    assert made.read_text().strip() == head
    made.unlink()
    with pytest.raises(ApprovalRequired):
        host.ask(BRANCH, frozenset({token}))
    assert not made.exists()


def test_a_token_that_another_process_has_used_is_used(repo: Path) -> None:
    first, second = Host(repo), Host(repo)
    token = token_of(first, BRANCH)
    done = first.ask(BRANCH, frozenset({token}))
    first.ask(UndoRequest(operation=done.operation), policy=Policy(level=Level.YOLO))
    assert not (repo / ".git/refs/heads/made").exists()
    with pytest.raises(ApprovalRequired):
        second.ask(BRANCH, frozenset({token}))
    assert not (repo / ".git/refs/heads/made").exists()


def test_a_token_is_for_no_other_plan_and_expires(repo: Path) -> None:
    host = Host(repo)
    token = frozenset({token_of(host, BRANCH)})
    with pytest.raises(ApprovalRequired):
        host.ask(BranchChange(action="create", names=["other"]), token)
    host.now += 901
    with pytest.raises(ApprovalRequired):
        host.ask(BRANCH, token)
    host.now = CLOCK - 1  # a token from the future is none
    with pytest.raises(ApprovalRequired):
        host.ask(BRANCH, token)


def test_what_has_moved_since_needs_a_new_token(repo: Path) -> None:
    host = Host(repo)
    (repo / "new.txt").write_text("one\n")
    add = AddRequest(paths=["new.txt"])
    token = frozenset({token_of(host, add)})
    (repo / "new.txt").write_text("two\n")
    with pytest.raises(ApprovalRequired):
        host.ask(add, token)
    (repo / "new.txt").write_text("one\n")
    assert host.ask(add, token).index == ("new.txt",)


def test_the_approver_sees_the_plan(repo: Path) -> None:
    seen: list[Plan] = []
    host = Host(repo, approver=lambda plan: bool(seen.append(plan)) or len(seen) > 1)
    with pytest.raises(ApprovalDenied):
        host.ask(BRANCH)
    assert host.ask(BRANCH).changed and seen[0].digest == seen[1].digest


def test_a_dry_run_and_a_refusal_change_nothing(repo: Path) -> None:
    host = Host(repo)
    planned = host.ask(BRANCH, dry_run=True)
    assert planned.refs[0][0] == "refs/heads/made" and not planned.changed and not planned.operation
    for policy in (Policy(), replace(FREE, medium="refuse"), replace(FREE, denied=("git branch*",))):
        for dry_run in (False, True):
            with pytest.raises(PermissionDenied):
                host.ask(BRANCH, policy=policy, dry_run=dry_run)
    assert not (repo / ".git/refs/heads/made").exists()


def test_the_plans_risk_is_judged_as_well(repo: Path) -> None:
    """`reset --soft` is Medium; that it takes commits from a protected branch, only the plan shows."""
    host, reset = Host(repo), ResetRequest(mode="soft", commit="HEAD~1")
    assert reset.risk == "Medium"
    with pytest.raises(ApprovalRequired) as error:
        host.ask(reset, policy=FREE)
    assert error.value.data["risk"] == "High"
    with pytest.raises(PermissionDenied):
        host.ask(reset, policy=replace(FREE, high="refuse"))
    assert host.ask(BRANCH, policy=FREE).risk == "Medium"


def test_a_requests_digest_approves_only_what_is_harmless(repo: Path) -> None:
    approved = frozenset({request_digest(BRANCH)})
    with pytest.raises(ApprovalRequired):
        Host(repo).ask(BRANCH, approved)
    host = Host(repo, approve_by="request")
    assert host.ask(BRANCH, approved).changed
    (repo / "README.md").write_text("unsaved\n")
    restore = RestoreRequest(paths=["README.md"])
    with pytest.raises(ApprovalRequired) as error:
        host.ask(restore, frozenset({request_digest(restore)}))
    assert error.value.data["risk"] == "High"


def test_the_log_of_operations(repo: Path) -> None:
    host = Host(repo)
    done = host.ask(BRANCH, policy=FREE)
    store = gitglass.open(repo).store
    with Context(store.limits) as ctx:
        (one,) = host.access.operations(store, ctx)
    summary = "Create branch 'made'"
    assert one == {"id": done.operation, "state": "done", "summary": summary, "time": CLOCK, "undoes": ""}


def test_nothing_to_do_needs_no_yes(repo: Path) -> None:
    host, add = Host(repo), AddRequest(paths=["README.md"])
    os.utime(repo / "README.md", (CLOCK, CLOCK))
    host.ask(add, policy=FREE)  # the index learns the file's time
    done = host.ask(add)
    assert (done.exit_code, done.changed, done.operation) == (0, False, "")


def test_a_handle_that_lives_on_sees_what_was_changed_through_it(repo: Path) -> None:
    """A server keeps its opened repository: the second plan begins where the first one ended."""
    host = Host(repo)
    roots, git = Roots([str(repo)]), repo / ".git"

    def ask(request: Mutation) -> None:
        store = roots.store(str(repo))
        assert store.refs.head()[0]
        with Context(store.limits) as ctx:
            ctx.policy = FREE
            host.access.carry_out(request, store, ctx, approved=NONE)

    ask(BRANCH)
    ask(CheckoutRequest(branch="made"))
    assert (git / "HEAD").read_text() == "ref: refs/heads/made\n"
    ask(CheckoutRequest(branch="main"))
    assert (git / "HEAD").read_text() == "ref: refs/heads/main\n"
    ask(BranchChange(action="delete", names=["made"]))
    assert not (git / "refs/heads/made").exists()


def test_a_recovery_is_approved_like_a_plan(repo: Path) -> None:
    host = Host(repo)
    request = RecoverRequest()
    assert host.ask(request).changed is False  # nothing was interrupted: there is nothing to say yes to
    host.ask(BRANCH, policy=FREE)
    (path,) = (repo / ".git").rglob("operation.json")  # as a process leaves it that ends in the midst
    path.write_text(path.read_text().replace('"state":"done"', '"state":"open"'))
    token = token_of(host, request)
    with pytest.raises(PermissionDenied):
        host.ask(request, frozenset({token}), Policy())
    with pytest.raises(ApprovalRequired):
        host.ask(RecoverRequest(forward=True), frozenset({token}))
    assert (repo / ".git/refs/heads/made").exists() and not host.ask(request, dry_run=True).changed
    done = host.ask(request, frozenset({token}))
    assert done.changed and done.stdout.decode().strip() == done.operation
    assert not (repo / ".git/refs/heads/made").exists()
