"""Work trees with an index for the tests of grep."""

from ..support.worktrees import ctx, repo

__all__ = ["ctx", "repo"]
