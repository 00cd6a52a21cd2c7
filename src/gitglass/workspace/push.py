"""A push: planned, shown, approved, sent by compare-and-swap; and its result, which says so if it is not known.

    head = target.head(ref)
    the commit is there already            → success, `already_there`: a push may be repeated
    head is not what the plan expects      → conflict: the target has moved, is gone, or exists already
    objects, then the ref: expected → commit
    the answer is lost                     → read the ref again: success, another try, conflict, or unknown

Mirrors git-push(1) with `--force-with-lease=<ref>:<expected>`; a push never rewinds.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Literal

from ..agent.audit import Change, note_change
from ..errors import GitError, InvalidArgs, NotFound, text
from ..graph.merge_base import ahead_behind, is_ancestor
from ..records import field, record, replace
from .model import Base, StagedCommit
from .outgoing import missing_objects
from .overlay import tree_changes
from .ranges import RangeRow, tree_before
from .targets.named import branch_ref
from .targets.protocol import LostAnswer, Outgoing, RefMoved, Rejected, Renaming, Target, Unreachable
from .workspace import Workspace

Status = Literal["success", "conflict", "rejected", "unknown"]
Reason = Literal["non-fast-forward", "gone", "exists", "other"]

MOVED = "Target has new commits since your base"
_TRIES = 3


@record(frozen=True)
class PushPlan:
    """The plan that a person approves: these commits, to this ref, from its present value.

    `digest` covers all of it. `content` covers the state of every path before and after, the messages and authors of
    the commits, and the ref: it stays the same when the commits are rebased onto others that touch none of these paths.
    `since` compares the commits with those of the previous plan, if they were rebased.
    """

    commits: tuple[StagedCommit, ...]
    target: str
    address: str
    branch: str
    expected: str | None
    commit: str
    protected: bool
    behind: int = 0
    moved: bool = False  # the commits are not based on the ref's present value: the push would be in conflict
    notes: tuple[str, ...] = ()
    digest: str = ""
    content: str = ""
    since: tuple[RangeRow, ...] = ()

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
        """How much harm the push could do."""
        return "High" if self.protected else "Medium"

    @property
    def summary(self) -> str:
        """One line about the push."""
        new = ", new branch" if self.is_new else ""
        return f"Push {self.commits[-1].id[:6]} to {self.address} (branch: {self.branch}{new})"


@record(frozen=True)
class PushConflict:
    """Why a push is in conflict: `target_head` is the ref's present value, `behind` the number of commits that the
    target is ahead, `touched_both` the paths that both sides changed."""

    reason: Reason
    message: str
    target_head: str | None = None
    behind: int | None = None
    touched_both: tuple[str, ...] = ()


@record(frozen=True)
class PushResult:
    """The result of a push. `commit` is its name at the target; `renamed` are the staged commits that have another name
    there."""

    status: Status
    ref: str
    commit: str | None = None
    created: bool = False
    already_there: bool = False
    conflict: PushConflict | None = None
    server: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)


@record
class Patience:
    """How long a push is tried again: with growing, random pauses, or with the pause that the target asks for, and no
    longer than `seconds` in all."""

    seconds: float = 30.0
    first: float = 0.1
    pause: Callable[[float], object] = time.sleep
    dice: Callable[[], float] = random.random

    def waits(self, asked: object = None) -> bool:
        """Wait; False, without waiting, if too little time is left."""
        self.first *= 2
        wait = float(asked) if isinstance(asked, int | float) else self.first * (0.5 + self.dice())
        if wait > self.seconds:
            return False
        self.seconds -= wait
        self.pause(wait)
        return True


# --- plan -----------------------------------------------------------------------------------------------------------


def address_of(target: Target) -> str:
    """How a person is told of a target: `local:/srv/project`."""
    return f"{target.kind}:{target.where or target.name}"


def plan_push(workspace: Workspace, word: str, target: Target, branch: str) -> PushPlan:
    """The plan of pushing a staged commit, and those below it, to a branch. Nothing is sent.

    Raises NotFound for a commit that is not staged, InvalidArgs for an invalid branch name.
    """
    last = workspace.find(word)
    if target.hash_name != workspace.base.hash_name:
        raise InvalidArgs(f"'{target.name}' names its objects by {target.hash_name}")
    ref = branch_ref(branch)
    expected = target.head(ref)
    commits = workspace.staged[: workspace.staged.index(last) + 1]
    plan = PushPlan(
        commits, target.name, address_of(target), branch, expected, last.commit, target.is_protected(branch),
        _behind(workspace, target, branch, expected, last),
        expected is not None and not _reaches(workspace, target, branch, last.commit, expected), target.notes(ref),
    )  # fmt: skip
    return replace(plan, digest=_digest(plan), content=_content(workspace, plan))


def moved_since(plan: PushPlan, rows: tuple[RangeRow, ...]) -> PushPlan:
    """A plan whose preview compares its commits with those of the previous plan; its digests are the same."""
    counts = Counter(row.became for row in rows)
    head = ", ".join(f"{counts[word]} {word}" for word in ("equal", "changed", "dropped") if counts[word])
    return replace(plan, since=rows, notes=(*plan.notes, f"the target had moved: {head}", *(row.line for row in rows)))


def _digest(plan: PushPlan) -> str:
    value = [
        [one.commit for one in plan.commits], plan.target, plan.address, plan.branch, plan.expected, plan.protected,
        list(plan.notes),
    ]  # fmt: skip
    body = json.dumps(value, separators=(",", ":"))
    return hashlib.sha256(b"gitglass-push-1\0" + body.encode("utf-8", "surrogatepass")).hexdigest()


def _content(workspace: Workspace, plan: PushPlan) -> str:
    """The digest of the changes, independent of the commits that they are based on."""
    last = bytes.fromhex(plan.commits[-1].tree)
    with workspace.working() as ctx:
        first = tree_before(workspace, plan.commits[0])
        changes = tree_changes(workspace.store, first, last, ctx)
        before = {path: workspace.store.odb.entry(first, path) for path in changes}
    files = [
        [text(path), *((entry.mode, entry.oid.hex()) if entry is not None else (0, "")),
         *((row[0], row[1].hex()) if (row := before[path]) is not None else (0, ""))]
        for path, entry in sorted(changes.items())
    ]  # fmt: skip
    words = [[one.change_id, one.message, one.author, one.merged] for one in plan.commits]
    value = [files, words, plan.target, plan.address, plan.branch, plan.is_new, plan.protected, list(plan.notes)]
    body = json.dumps(value, separators=(",", ":"))
    return hashlib.sha256(b"gitglass-push-content-1\0" + body.encode("utf-8", "surrogatepass")).hexdigest()


def _reading(workspace: Workspace, target: Target, branch: str, *oids: bytes) -> None:
    """Make these objects readable, if the target's branch contains them and can be read."""
    if all(workspace.store.odb.has(oid) for oid in oids):
        return
    try:
        workspace.layered.add_layer(target.incoming(branch).odb)
    except (NotFound, LostAnswer):
        return


def _reaches(workspace: Workspace, target: Target, branch: str, commit: str, other: str) -> bool:
    """Whether a commit's history contains another commit; False if either cannot be read."""
    one, two = bytes.fromhex(commit), bytes.fromhex(other)
    _reading(workspace, target, branch, one, two)
    with workspace.working() as ctx:
        if not (workspace.store.odb.has(one) and workspace.store.odb.has(two)):
            return False
        return is_ancestor(workspace.store, two, one, ctx=ctx)


def _behind(workspace: Workspace, target: Target, branch: str, head: str | None, last: StagedCommit) -> int:
    if head is None:
        return 0
    one, two = bytes.fromhex(last.commit), bytes.fromhex(head)
    _reading(workspace, target, branch, two)
    with workspace.working() as ctx:
        return ahead_behind(workspace.store, one, two, ctx=ctx)[1] if workspace.store.odb.has(two) else 0


# --- push -----------------------------------------------------------------------------------------------------------


def push(
    workspace: Workspace, plan: PushPlan, target: Target, *, approver: str = "host", patience: Patience | None = None
) -> PushResult:
    """Carry out an approved plan. The result tells how it ended; nothing is done twice."""
    result = _pushed(workspace, plan, target, approver, patience or Patience())
    note_change(Change(plan.digest, (f"push {result.status}",)))
    return result


def _pushed(workspace: Workspace, plan: PushPlan, target: Target, approver: str, patience: Patience) -> PushResult:
    last = plan.commits[-1]
    if workspace.find(last.id).commit != plan.commit:
        raise InvalidArgs("the staged commits have changed since the plan was made")
    doubt, words = False, ("the answer was lost each time, and the ref is as it was",)
    for _ in range(_TRIES):
        try:
            result = _settled(workspace, target, plan)
            if result is not None:
                return result
            sent = target.send(_outgoing(workspace, target, plan, approver))
        except RefMoved:
            continue
        except LostAnswer as error:
            doubt, words = doubt or not isinstance(error, Unreachable), (error.message,)
            if not patience.waits(error.data.get("wait")):
                break
        except Rejected as error:
            refusal = error.data.get("server")
            return PushResult("rejected", plan.ref, plan.commit, server=refusal if isinstance(refusal, tuple) else ())
        else:
            return _done(workspace, target, plan, plan.is_new, sent.renamed, server=sent.server)
    return _last_look(workspace, target, plan, doubt, words)


def _settled(workspace: Workspace, target: Target, plan: PushPlan) -> PushResult | None:
    """The result that the ref's value shows: done already, or in conflict; None if the ref can be moved. Raises
    LostAnswer."""
    head = target.head(plan.ref)
    if head is not None:
        if head == plan.commit or _reaches(workspace, target, plan.branch, head, plan.commit):
            return _done(workspace, target, plan, created=False, renamed={}, already_there=True)
        if isinstance(target, Renaming) and head != plan.expected:
            renamed = target.arrived(plan.commits, head)
            if plan.commit in renamed:
                return _done(workspace, target, plan, created=False, renamed=renamed, already_there=True)
    conflict = _conflict(workspace, target, plan, head)
    return None if conflict is None else PushResult("conflict", plan.ref, conflict=conflict)


def _last_look(
    workspace: Workspace, target: Target, plan: PushPlan, doubt: bool, words: tuple[str, ...]
) -> PushResult:  # fmt: skip
    """The result after the last try, from the ref's value. If it is not known, the commits stay staged, and the next
    push begins by reading the ref; if nothing was sent, the push counts as rejected."""
    try:
        result = _settled(workspace, target, plan)
    except LostAnswer as error:
        result, words = None, (error.message,)
    if result is not None:
        return result
    return PushResult("unknown" if doubt else "rejected", plan.ref, plan.commit, server=words)


def _outgoing(workspace: Workspace, target: Target, plan: PushPlan, approver: str) -> Outgoing:
    with workspace.working() as ctx:
        objects = missing_objects(
            workspace.store, bytes.fromhex(plan.commit), target.holds(),
            most_bytes=workspace.limits.total_bytes + workspace.limits.pull_bytes, ctx=ctx,
        )  # fmt: skip
    return Outgoing(
        plan.ref, plan.expected, plan.commit, objects, approver, plan.commits, workspace.store.odb.read_raw
    )  # fmt: skip


def _conflict(workspace: Workspace, target: Target, plan: PushPlan, head: str | None) -> PushConflict | None:
    """Why the ref cannot be moved as planned; None if it can."""
    expected = plan.expected
    if head is None and expected is not None:
        return PushConflict("gone", f"'{plan.branch}' does not exist any more")
    if head is not None and expected is None:
        return PushConflict("exists", f"'{plan.branch}' exists by now", head, *_both(workspace, target, plan, head))
    if head is None or (head == expected and _reaches(workspace, target, plan.branch, plan.commit, head)):
        return None
    return PushConflict("non-fast-forward", MOVED, head, *_both(workspace, target, plan, head))


def _both(workspace: Workspace, target: Target, plan: PushPlan, head: str) -> tuple[int | None, tuple[str, ...]]:
    """(how many commits the target is ahead, the paths that both the target and the staged commits changed)."""
    oid = bytes.fromhex(head)
    _reading(workspace, target, plan.branch, oid)
    with workspace.working() as ctx:
        if not workspace.store.odb.has(oid):
            return None, ()
        behind = ahead_behind(workspace.store, bytes.fromhex(plan.commit), oid, ctx=ctx)[1]
        tree = workspace.store.odb.commit_facts(oid)[2]
        theirs = tree_changes(workspace.store, bytes.fromhex(workspace.base.tree), tree, ctx)
    ours = {file.path for one in plan.commits for file in one.files}
    return behind, tuple(sorted(ours & {text(path) for path in theirs}))


def _done(
    workspace: Workspace,
    target: Target,
    plan: PushPlan,
    created: bool,
    renamed: dict[str, str],
    *,
    already_there: bool = False,
    server: tuple[str, ...] = (),
) -> PushResult:
    """Take the pushed commits off the stack: the base is the last of them, under its name at the target. If that name
    is another one, the commits staged above are rebased; if it cannot be read now, the next pull does so."""
    tree, hash_name = plan.commits[-1].tree, workspace.base.hash_name
    workspace.forget_pushed(plan.commits, Base(plan.commit, tree, hash_name, plan.target, plan.ref))
    last = renamed.get(plan.commit, plan.commit)
    if last != plan.commit:
        try:
            workspace.rebase(target.incoming(plan.branch))
        except GitError as error:
            server = (*server, f"the branch could not be read again: {error.message}")
    return PushResult("success", plan.ref, last, created, already_there, server=server, renamed=renamed)
