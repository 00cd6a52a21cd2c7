"""What a commit concludes: a merge, a commit that is picked or reverted, a step of a rebase.

The files of the git directory that say so are those of git-merge(1), git-cherry-pick(1) and git-rebase(1).
"""

from __future__ import annotations

from ....errors import BadRequest, MissingObject, text
from ....objects.parsed import Tag
from ....revs.resolve import named_commit, resolve
from ...view import View
from ..common import has_state

__all__ = ["EMPTY_PICK", "STATE", "concluded", "merged_commits", "tags_merged"]

#: what goes with a commit of what it concludes
STATE = (b"MERGE_HEAD", b"MERGE_MSG", b"MERGE_MODE", b"CHERRY_PICK_HEAD", b"REVERT_HEAD", b"SQUASH_MSG", b"AUTO_MERGE")
#: what git says where nothing is left of a commit that is picked
EMPTY_PICK = b"""\
The previous cherry-pick is now empty, possibly due to conflict resolution.
If you wish to commit it anyway, use:

    git commit --allow-empty

Otherwise, please use 'git %b --skip'
"""


def concluded(view: View) -> str:
    """What the next commit would conclude: a "merge", a "cherry-pick", a step of a "rebase", or ""."""
    if has_state(view, b"MERGE_HEAD"):
        return "merge"
    picked = view.git_file(b"CHERRY_PICK_HEAD")
    if picked is None:
        return ""
    rebases = has_state(view, b"rebase-merge") and view.git_file(b"REBASE_HEAD") == picked
    return "rebase" if rebases else "cherry-pick"


def _merge_heads(view: View) -> list[bytes]:
    return (view.git_file(b"MERGE_HEAD") or b"").splitlines()


def tags_merged(view: View) -> list[Tag]:
    """The tags among what MERGE_HEAD names, which is known to name commits."""
    oids = [resolve(view.store, text(line), ctx=view.ctx) for line in _merge_heads(view)]
    return [view.odb.tag(oid) for oid in oids if view.odb.kind(oid) == b"tag"]


def merged_commits(view: View) -> list[bytes]:
    """The commits of the merge that the next commit concludes. Raises BadRequest where MERGE_HEAD names none."""
    commits = []
    for line in _merge_heads(view):
        try:
            commit = named_commit(view.store, text(line), ctx=view.ctx)
        except MissingObject:
            commit = None
        if commit is None:
            raise BadRequest(f"Corrupt MERGE_HEAD file ({text(line)})")
        commits.append(commit)
    return commits
