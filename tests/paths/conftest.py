"""Work trees with an index for the tests of paths."""

from ..support.worktrees import Repo, ctx, repo

__all__ = ["Repo", "ctx", "repo"]
