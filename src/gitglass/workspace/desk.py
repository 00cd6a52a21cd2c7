"""Desk: a host puts it into a tool's context so that agents can work in workspaces and push approved commits.

    desk = Desk(workspace, Targets([LocalTarget("project", repo, grant, where=".")]), approver=show_and_ask)
    ToolContext(Roots(()), desk=desk)

An approver is given the review of a push plan and decides in it. Without one a push ends with ApprovalRequired; the
push is approved when the context's `approved` holds the plan's digest, which approves that plan and no other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

from ..commands.policy import ApprovalDenied, ApprovalRequired
from ..errors import InvalidArgs, NotFound, PermissionDenied, text
from ..records import record
from .incoming import Incoming, PullResult, Strategy
from .push import PushPlan, PushResult, moved_since, plan_push, push
from .ranges import RangeRow, kept, ranged
from .review.box import box
from .review.model import Review
from .review.partial import apply_decisions
from .targets.named import Meant, Targets, expanded
from .targets.protocol import Target
from .workspace import Workspace

_MOVES = 3  # how often a push is planned again because the target has moved

Approver = Callable[[Review], object]


@record(frozen=True)
class PushPolicy:
    """Which pushes need no person's approval: those that make a branch of these patterns, if it is not protected.
    `sensitive` are patterns of paths that cannot be pulled.

    `scope` says what an approval covers: "commit" for exactly these commits on the target's present head; "paths" for
    the state of each path before and after, so that it stays valid when the commits are rebased onto others that touch
    none of these paths.
    """

    auto_approve: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    scope: Literal["commit", "paths"] = "commit"

    def token(self, plan: PushPlan) -> str:
        """The digest of a plan by which it is approved."""
        return plan.content if self.scope == "paths" else plan.digest

    def approves(self, plan: PushPlan) -> bool:
        """Whether a plan needs no person's approval."""
        return plan.is_new and not plan.protected and any(fnmatchcase(plan.branch, name) for name in self.auto_approve)


@record(frozen=True)
class Pushed:
    """The result of a push, and the review that preceded it, if there was one."""

    plan: PushPlan
    result: PushResult | None
    review: Review | None = None
    rebased: dict[str, str] | None = None  # commit names before and after, if the target had moved


class Desk:
    """The workspaces and targets of one agent."""

    def __init__(
        self,
        workspaces: Workspace | Mapping[str, Workspace],
        targets: Targets | None = None,
        *,
        approver: Approver | None = None,
        policy: PushPolicy | None = None,
        worker: str = "worker",
        clock: Callable[[], float] = time.time,
        changed: Callable[[Workspace], object] | None = None,
    ) -> None:
        self._workspaces = dict(workspaces) if isinstance(workspaces, Mapping) else {"default": workspaces}
        self.targets = targets or Targets()
        self.approver, self.policy, self.worker = approver, policy or PushPolicy(), worker
        self._started, self._changed = clock(), changed

    def workspace(self, name: str | None = None) -> Workspace:
        """A workspace by its handle; the first one is the default. Raises NotFound."""
        if name is None:
            name = next(iter(self._workspaces), None)
        workspace = None if name is None else self._workspaces.get(name)
        if workspace is None:
            raise NotFound(f"no workspace is called '{name}'", hint=f"There are: {', '.join(self._workspaces)}.")
        return workspace

    def saved(self, workspace: Workspace) -> None:
        """Tell the host that something was staged or pushed, so that it can save the workspace."""
        if self._changed is not None:
            self._changed(workspace)

    # --- targets ----------------------------------------------------------------------------------------------------

    def meant(self, spec: str | Mapping[str, Any] | None, workspace: Workspace) -> tuple[Meant, str]:
        """A target, and the branch to push to: the named one, the target's own (a template), that of the base, or the
        one that is checked out."""
        meant = self.targets.of(spec)
        target = meant.target
        if meant.branch is not None or target.branch is not None:
            template = meant.branch or target.branch or ""
            return meant, expanded(template, worker=self.worker, id=workspace.id, seconds=self._started)
        base = workspace.base
        if base.target == target.name and base.ref is not None and base.ref.startswith("refs/heads/"):
            return meant, base.ref.removeprefix("refs/heads/")
        current = target.branches().current
        if current is None:
            raise InvalidArgs(f"target: name a branch of '{target.name}'")
        return meant, current

    def source(self, spec: str | Mapping[str, Any] | None, workspace: Workspace) -> Incoming:
        """The head of the branch that a target and the workspace stand for. Raises NotFound."""
        meant = self.targets.of(spec)
        if meant.branch is None and spec is None and workspace.base.target == meant.target.name:
            return meant.target.incoming(self.meant(None, workspace)[1])
        return meant.target.incoming(meant.branch)

    def pull(
        self,
        workspace: Workspace,
        spec: str | Mapping[str, Any] | None,
        paths: list[str],
        dest: str = "",
        strategy: Strategy = "merge",
    ) -> PullResult:
        """Pull files from a target. Raises PermissionDenied for paths that the policy excludes."""
        source = self.source(spec, workspace)
        if self.policy.sensitive and paths:
            self._check_sensitive(workspace, source, paths)
        result = workspace.pull(source, paths, dest=dest, strategy=strategy)
        self.saved(workspace)
        return result

    def auto_pull(self, workspace: Workspace, rows: Iterable[Mapping[str, Any]]) -> list[PullResult]:
        """Pull what a worker's configuration lists before it starts: rows of `path`, and a `source` (none: the default
        target). Raises as `pull` does, and InvalidArgs for a malformed row."""
        results = []
        for row in rows:
            path, source = row.get("path"), row.get("source")
            if not isinstance(path, str) or set(row) - {"path", "source", "dest"}:
                raise InvalidArgs(f"auto_pull: {dict(row)} is not {{path, source, dest}}")
            results.append(self.pull(workspace, source, [path], str(row.get("dest") or "")))
        return results

    def _check_sensitive(self, workspace: Workspace, source: Incoming, paths: list[str]) -> None:
        for path in workspace.listed(source, paths):
            name = text(path)
            if any(fnmatchcase(part, one) for one in self.policy.sensitive for part in (name, name.rpartition("/")[2])):
                raise PermissionDenied(f"'{name}' is not to be pulled", path=name)

    # --- push -------------------------------------------------------------------------------------------------------

    def plan(self, workspace: Workspace, word: str, spec: str | Mapping[str, Any] | None) -> PushPlan:
        """The plan of a push: nothing is sent."""
        meant, branch = self.meant(spec, workspace)
        return plan_push(workspace, word, meant.target, branch)

    def push(
        self,
        workspace: Workspace,
        word: str,
        spec: str | Mapping[str, Any] | None,
        *,
        approved: frozenset[str] = frozenset(),
        on_moved: str = "report",
    ) -> Pushed:
        """Plan a push, ask the approver, push the accepted part.

        Raises ApprovalRequired (its data: `plan`, the digest; `preview`, `risk`) if there is no approver, and
        ApprovalDenied after a rejection.
        """
        rebased: dict[str, str] | None = None
        review: Review | None = None
        since: tuple[RangeRow, ...] = ()
        target = self.targets.of(spec).target
        for _ in range(_MOVES):
            plan = self.plan(workspace, word, spec)
            result = _unasked(workspace, plan, target)
            if result is not None and result.conflict is not None and on_moved != "report":
                word, rebased, since = self._brought_up(workspace, plan, spec, rebased, merge=on_moved == "merge")
                plan = self.plan(workspace, word, spec)
                result = _unasked(workspace, plan, target)
            if result is None:
                if not self.policy.approves(plan) and self.policy.token(plan) not in approved:
                    plan, review = self._accepted(workspace, moved_since(plan, since) if since else plan, spec)
                    word, approved = plan.commits[-1].id, approved | {self.policy.token(plan)}
                result = push(workspace, plan, target, approver=(review.by if review is not None else "") or "host")
            has_moved = result.conflict is not None and result.conflict.reason == "non-fast-forward"
            if not has_moved or on_moved == "report":
                break
        self.saved(workspace)
        return Pushed(plan, result, review, rebased)

    def _accepted(
        self, workspace: Workspace, plan: PushPlan, spec: str | Mapping[str, Any] | None
    ) -> tuple[PushPlan, Review]:
        """(the plan of what a person has accepted, the review). Raises ApprovalRequired, ApprovalDenied."""
        review = self._reviewed(workspace, plan)
        commits = apply_decisions(workspace, review)
        if not commits:
            raise ApprovalDenied("nothing of it was accepted", plan=self.policy.token(plan), review=review.data())
        if tuple(one.commit for one in commits) != tuple(one.commit for one in plan.commits):
            plan = self.plan(workspace, commits[-1].id, spec)
        return plan, review

    def _brought_up(
        self,
        workspace: Workspace,
        plan: PushPlan,
        spec: str | Mapping[str, Any] | None,
        rebased: dict[str, str] | None,
        *,
        merge: bool,
    ) -> tuple[str, dict[str, str], tuple[RangeRow, ...]]:
        """Rebase or merge the stack onto the target's present head.

        Returns (the commit to push, {commit before: commit after}, a comparison of each commit). Raises Conflict or
        NotFound if that fails: after a rebase the files hold both sides, after a merge nothing has changed.
        """
        source = self.targets.of(spec).target.incoming(plan.branch)
        if merge:
            return workspace.merge(source).id, {}, ()
        old = kept(workspace, plan.commits)
        before = {one.id: one.commit for one in plan.commits}
        first = {now: name for name, now in (rebased or {}).items()}
        workspace.rebase(source)
        after = {one.id: one.commit for one in workspace.staged}
        if plan.commits[-1].id not in after:
            raise NotFound(
                f"'{plan.commits[-1].subject}' does not follow the target's new commits: it is in the files now",
                hint="ws_status shows conflicts; settle them, stage again, push again.",
            )
        names = {first.get(before[id], before[id]): after[id] for id in before if id in after}
        return plan.commits[-1].id, names, ranged(workspace, old, workspace.staged)

    def _reviewed(self, workspace: Workspace, plan: PushPlan) -> Review:
        """The review of a person who accepted at least a part. Raises ApprovalRequired, ApprovalDenied."""
        review = Review.of(workspace, plan)
        if self.approver is None:
            raise ApprovalRequired(
                plan.summary, hint="The host has to approve it.", risk=plan.risk, request=self.policy.token(plan),
                plan=self.policy.token(plan), preview=box(plan),
            )  # fmt: skip
        word = self.approver(review)
        if not review.verdict:
            if word:
                review.approve()
            else:
                review.reject()
        workspace.reviews.append(review.data())
        if review.verdict == "reject":
            words = f": {review.comment}" if review.comment else ""
            raise ApprovalDenied(f"rejected{words}", plan=self.policy.token(plan), review=review.data())
        return review


def _unasked(workspace: Workspace, plan: PushPlan, target: Target) -> PushResult | None:
    """The result of a plan whose target has moved, for which nobody has to be asked: the commits are there already, or
    it is in conflict. None if the target has not moved."""
    return push(workspace, plan, target) if plan.moved else None
