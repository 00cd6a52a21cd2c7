"""A push: planned, shown, approved, sent by compare-and-swap; and what came of it, without a doubt left unsaid.

    head = target.head(ref)
    the commit is there already            → success, `already_there`: a push may be repeated
    head is not what the plan expects      → conflict: the target has moved, is gone, or is there already
    objects, then the ref: expected → commit
    the answer is lost                     → read the ref again: success, once more, conflict, or unknown

Mirrors git-push(1) with `--force-with-lease=<ref>:<expected>`; a push never rewinds.
"""

from __future__ import annotations

import hashlib
import json
from typing import Literal

from ..errors import InvalidArgs, text
from ..graph.merge_base import ahead_behind, is_ancestor
from ..records import record, replace
from .model import Base, StagedCommit
from .outgoing import missing_objects
from .overlay import tree_changes
from .targets.named import branch_ref
from .targets.protocol import LostAnswer, Outgoing, RefMoved, Rejected, Target
from .workspace import Workspace

Status = Literal["success", "conflict", "rejected", "unknown"]
Reason = Literal["non-fast-forward", "gone", "exists", "other"]

MOVED = "Target has new commits since your base"
_TRIES = 3


@record(frozen=True)
class PushPlan:
    """What a person says yes to: these commits, this ref there, from what it names now. `digest` is over all of it."""

    commits: tuple[StagedCommit, ...]
    target: str
    address: str
    branch: str
    expected: str | None
    commit: str
    protected: bool
    behind: int = 0
    moved: bool = False  # the ref names what the commits do not build on: the push would be in conflict
    notes: tuple[str, ...] = ()
    digest: str = ""

    @property
    def ref(self) -> str:
        """The branch's full name."""
        return f"refs/heads/{self.branch}"

    @property
    def is_new(self) -> bool:
        """Whether the push makes the branch."""
        return self.expected is None

    @property
    def risk(self) -> Literal["Medium", "High"]:
        """How bad it can be."""
        return "High" if self.protected else "Medium"

    @property
    def summary(self) -> str:
        """One line of it."""
        new = ", new branch" if self.is_new else ""
        return f"Push {self.commits[-1].id[:6]} to {self.address} (branch: {self.branch}{new})"


@record(frozen=True)
class PushConflict:
    """Why a push is in conflict, and what to do about it: `target_head` is what the ref names, `behind` how many
    commits the target is ahead, `touched_both` the paths that both sides changed."""

    reason: Reason
    message: str
    target_head: str | None = None
    behind: int | None = None
    touched_both: tuple[str, ...] = ()


@record(frozen=True)
class PushResult:
    """What came of a push."""

    status: Status
    ref: str
    commit: str | None = None
    created: bool = False
    already_there: bool = False
    conflict: PushConflict | None = None
    server: tuple[str, ...] = ()


# --- plan -----------------------------------------------------------------------------------------------------------


def address_of(target: Target) -> str:
    """How a person is told of a target: `local:/srv/project`."""
    return f"{target.kind}:{target.where or target.name}"


def plan_push(workspace: Workspace, word: str, target: Target, branch: str) -> PushPlan:
    """The plan of pushing a staged commit, and those below it, to a branch. Nothing is sent.

    Raises NotFound for a commit that is not staged, InvalidArgs for a name that is none.
    """
    last = workspace.find(word)
    if target.hash_name != workspace.base.hash_name:
        raise InvalidArgs(f"'{target.name}' names its objects by {target.hash_name}")
    ref = branch_ref(branch)
    expected = target.head(ref)
    commits = workspace.staged[: workspace.staged.index(last) + 1]
    plan = PushPlan(
        commits, target.name, address_of(target), branch, expected, last.commit, target.is_protected(branch),
        _behind(workspace, target, expected, last), _moved(workspace, target, expected, last), target.notes(ref),
    )  # fmt: skip
    return replace(plan, digest=_digest(plan))


def _digest(plan: PushPlan) -> str:
    value = [
        [one.commit for one in plan.commits], plan.target, plan.address, plan.branch, plan.expected, plan.protected,
        list(plan.notes),
    ]  # fmt: skip
    body = json.dumps(value, separators=(",", ":"))
    return hashlib.sha256(b"gitglass-push-1\0" + body.encode("utf-8", "surrogatepass")).hexdigest()


def _reading(workspace: Workspace, target: Target) -> None:
    """Have the objects of the target at hand, where it can be read here."""
    branches = target.branches()
    if branches.names:
        workspace.layered.add_layer(target.incoming(branches.names[0]).odb)


def _reaches(workspace: Workspace, target: Target, commit: str, other: str) -> bool:
    """Whether a commit's history has another one, where that can be seen."""
    one, two = bytes.fromhex(commit), bytes.fromhex(other)
    with workspace.working() as ctx:
        if not workspace.store.odb.has(two):
            _reading(workspace, target)
        if not (workspace.store.odb.has(one) and workspace.store.odb.has(two)):
            return False
        return is_ancestor(workspace.store, two, one, ctx=ctx)


def _moved(workspace: Workspace, target: Target, head: str | None, last: StagedCommit) -> bool:
    return head is not None and not _reaches(workspace, target, last.commit, head)


def _behind(workspace: Workspace, target: Target, head: str | None, last: StagedCommit) -> int:
    if head is None:
        return 0
    one, two = bytes.fromhex(last.commit), bytes.fromhex(head)
    with workspace.working() as ctx:
        if not workspace.store.odb.has(two):
            _reading(workspace, target)
        return ahead_behind(workspace.store, one, two, ctx=ctx)[1] if workspace.store.odb.has(two) else 0


# --- push -----------------------------------------------------------------------------------------------------------


def push(workspace: Workspace, plan: PushPlan, target: Target, *, approver: str = "host") -> PushResult:
    """Carry out a plan that was approved. Whatever comes of it is in the result; nothing is done twice."""
    last = plan.commits[-1]
    if workspace.find(last.id).commit != plan.commit:
        raise InvalidArgs("the staged commits have changed since the plan was made")
    expected: str | None = plan.expected
    for _ in range(_TRIES):
        try:
            head = target.head(plan.ref)
        except LostAnswer as error:
            return _in_doubt(workspace, plan, (error.message,))
        if head is not None and (head == plan.commit or _reaches(workspace, target, head, plan.commit)):
            return _done(workspace, plan, created=False, already_there=True)
        conflict = _conflict(workspace, target, plan, head, expected)
        if conflict is not None:
            return PushResult("conflict", plan.ref, conflict=conflict)
        try:
            sent = target.send(_outgoing(workspace, target, plan, approver))
        except RefMoved:
            continue
        except LostAnswer:
            continue  # the ref says what came of it
        except Rejected as error:
            words = error.data.get("server")
            return PushResult("rejected", plan.ref, plan.commit, server=words if isinstance(words, tuple) else ())
        return _done(workspace, plan, created=plan.is_new, server=sent.server)
    return _last_look(workspace, target, plan)


def _last_look(workspace: Workspace, target: Target, plan: PushPlan) -> PushResult:
    """After the last try: what the ref says."""
    try:
        head = target.head(plan.ref)
    except LostAnswer as error:
        return _in_doubt(workspace, plan, (error.message,))
    if head == plan.commit:
        return _done(workspace, plan, created=plan.is_new, already_there=True)
    conflict = _conflict(workspace, target, plan, head, plan.expected)
    if conflict is not None:
        return PushResult("conflict", plan.ref, conflict=conflict)
    return _in_doubt(workspace, plan, ("the answer was lost each time, and the ref is as it was",))


def _in_doubt(workspace: Workspace, plan: PushPlan, words: tuple[str, ...]) -> PushResult:
    """Nobody knows: the commits stay staged, and the next push begins by reading the ref."""
    return PushResult("unknown", plan.ref, plan.commit, server=words)


def _outgoing(workspace: Workspace, target: Target, plan: PushPlan, approver: str) -> Outgoing:
    with workspace.working() as ctx:
        objects = missing_objects(
            workspace.store, bytes.fromhex(plan.commit), target.holds(),
            most_bytes=workspace.limits.total_bytes + workspace.limits.pull_bytes, ctx=ctx,
        )  # fmt: skip
    return Outgoing(plan.ref, plan.expected, plan.commit, objects, approver)


def _conflict(
    workspace: Workspace, target: Target, plan: PushPlan, head: str | None, expected: str | None
) -> PushConflict | None:
    """Why the ref cannot be moved as planned; None where it can."""
    if head is None and expected is not None:
        return PushConflict("gone", f"'{plan.branch}' does not exist any more")
    if head is not None and expected is None:
        return PushConflict("exists", f"'{plan.branch}' exists by now", head, *_both(workspace, target, plan, head))
    if head is None or (head == expected and _reaches(workspace, target, plan.commit, head)):
        return None
    return PushConflict("non-fast-forward", MOVED, head, *_both(workspace, target, plan, head))


def _both(workspace: Workspace, target: Target, plan: PushPlan, head: str) -> tuple[int | None, tuple[str, ...]]:
    """(how many commits the target is ahead, the paths that it and the staged commits changed)."""
    with workspace.working() as ctx:
        oid = bytes.fromhex(head)
        if not workspace.store.odb.has(oid):
            _reading(workspace, target)
        if not workspace.store.odb.has(oid):
            return None, ()
        behind = ahead_behind(workspace.store, bytes.fromhex(plan.commit), oid, ctx=ctx)[1]
        tree = workspace.store.odb.commit_facts(oid)[2]
        theirs = tree_changes(workspace.store, bytes.fromhex(workspace.base.tree), tree, ctx)
    ours = {file.path for one in plan.commits for file in one.files}
    return behind, tuple(sorted(ours & {text(path) for path in theirs}))


def _done(
    workspace: Workspace, plan: PushPlan, *, created: bool, already_there: bool = False, server: tuple[str, ...] = ()
) -> PushResult:
    """The commits are there: they leave the stack, and the base is the last of them."""
    tree, hash_name = plan.commits[-1].tree, workspace.base.hash_name
    workspace.forget_pushed(plan.commits, Base(plan.commit, tree, hash_name, plan.target, plan.ref))
    return PushResult("success", plan.ref, plan.commit, created, already_there, server=server)
