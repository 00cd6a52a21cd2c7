"""Work trees with an index for the tests of this room."""

from ..support.worktrees import ctx, repo

__all__ = ["ctx", "repo"]
