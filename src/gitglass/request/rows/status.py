"""Typed rows of git status: the branch, changed paths, the operation in progress."""

from ...records import typed_row
from ..declared import Field
from ..request import Result


@typed_row
class StatusBranch:
    """HEAD and its upstream. `head` is the branch's name, None when detached; `oid` None before the first commit.

    `ahead` and `behind` count commits; None if there is no upstream, or it is gone, or counting was disabled.
    """

    head: str | None
    oid: str | None
    upstream: str | None = None
    ahead: int | None = None
    behind: int | None = None
    gone: bool = False
    detached: bool = False
    detached_from: str | None = None


@typed_row
class StatusEntry:
    """A tracked path that differs from HEAD.

    `index` and `worktree` are git's letters (M A D R C T, "" for unchanged; "U" on both sides of a conflict).
    `original` is the path before a rename or copy, `score` its similarity in percent. `conflict` says what both sides
    did ("both modified", "deleted by us", …). `submodule` lists "new commits", "modified content", "untracked content".
    """

    path: str
    index: str
    worktree: str
    original: str | None = None
    score: int | None = None
    conflict: str | None = None
    submodule: list[str] | None = None


class StatusResult(Result):
    """The state of the work tree."""

    branch: StatusBranch = Field(description="HEAD, its branch and upstream.")
    entries: list[StatusEntry] = Field(description="Tracked paths that changed, sorted by path.")
    untracked: list[str] = Field(description="Untracked paths; directories end in a slash.")
    ignored: list[str] = Field(description="Ignored paths, where asked for.")
    operation: str | None = Field(
        None, description="What is under way: merge, rebase, am, cherry-pick, revert, bisect."
    )
    stashes: int | None = Field(None, description="How many stash entries there are, where asked for.")
    clean: bool = Field(description="Nothing is staged, changed, in conflict or untracked.")
