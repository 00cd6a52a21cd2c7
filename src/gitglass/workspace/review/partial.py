"""Pushes a part of the staged changes; the rest goes back into the files, and the agent is told.

Each commit of the plan is made again with its accepted part, under its own change id; a commit without any accepted
part leaves the stack. The files do not change: rejected changes are simply unstaged.
"""

from __future__ import annotations

from ...errors import Conflict, InvalidArgs
from ...limits import Context
from ..commits import message_of
from ..model import Identities, StagedCommit
from ..overlay import Changed, WsEntry, build_tree
from ..workspace import Workspace
from .hunks import with_hunks
from .model import Review, ReviewFile


def apply_decisions(workspace: Workspace, review: Review) -> tuple[StagedCommit, ...]:
    """Replace the plan's commits in the stack by their accepted parts; returns these commits.

    Raises InvalidArgs if the commits are not those that were reviewed, Conflict if a later commit cannot be picked.
    """
    with workspace.working() as ctx:
        count = len(review.plan.commits)
        if tuple(one.commit for one in workspace.staged[:count]) != tuple(one.commit for one in review.plan.commits):
            raise InvalidArgs("the staged commits have changed since they were looked at")
        if not review.is_partial and review.message is None:
            return review.plan.commits
        made: list[StagedCommit] = []
        for at, one in enumerate(review.plan.commits):
            again = _again(workspace, review, at, one, made[-1] if made else None, ctx)
            made += [again] if again is not None else []
        last = bytes.fromhex(review.plan.commits[-1].tree)
        above = workspace.picked(workspace.staged[count:], last, made[-1] if made else None, ctx)
        workspace.restack("review", (*made, *above), ctx, workspace.conflicts)
        return tuple(made)


def _again(
    workspace: Workspace, review: Review, at: int, one: StagedCommit, parent: StagedCommit | None, ctx: Context
) -> StagedCommit | None:
    """A commit with the accepted part of its changes; None if there is none."""
    before = workspace.tree_before(at)
    files = [file for file in review.files if file.commit == one.commit]
    tree = build_tree(workspace.store, bytes.fromhex(one.tree), _taken_back(workspace, review, files, before), ctx)
    base = bytes.fromhex(parent.tree if parent is not None else workspace.base.tree)
    result = workspace.merged(before, base, tree, ctx)
    if not result.clean:
        raise Conflict(f"what was accepted of '{one.subject}' does not fit without what was rejected before it",
                       commit=one.commit, hint="Reject the later hunk too, or the commits as a whole.")  # fmt: skip
    if result.tree == base and tree != bytes.fromhex(one.tree):
        return None
    words = one.message
    if review.message is not None and at == len(review.plan.commits) - 1 and workspace.identity is not None:
        people = Identities(workspace.identity.author)
        words = message_of(workspace, review.message, people, workspace.limits).decode("utf-8", "surrogateescape")
    above = parent.commit if parent is not None else workspace.base.commit
    if (result.tree.hex(), above, words) == (one.tree, one.parent, one.message):
        return one  # unchanged: the commit that the reviewer saw
    parents = [bytes.fromhex(name) for name in (above, one.merged) if name is not None]
    return workspace.commit_again(result.tree, parents, words, one, ctx)


def _taken_back(workspace: Workspace, review: Review, files: list[ReviewFile], before: bytes) -> Changed:
    """The files of a commit without the rejected changes, where there are any."""
    changes: Changed = {}
    for file in files:
        accepted = review.accepts(file)
        if accepted is None:
            continue
        path = file.path.encode("utf-8", "surrogateescape")
        entry = workspace.store.odb.entry(before, path)
        old = None if entry is None else WsEntry(*entry)
        if not accepted or old is None:
            changes[path] = old
            continue
        new = bytes.fromhex(file.file.blob)
        content = with_hunks(workspace.blob(old.oid), workspace.blob(new), list(file.hunks), accepted)
        changes[path] = WsEntry(old.mode, workspace.keep(content))
    return changes
