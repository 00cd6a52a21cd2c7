"""What the tests of plans share: a repository with a work tree, and objects in memory."""

from ..support.memory_odb import contents, odb
from ..support.worktrees import ctx, repo

__all__ = ["contents", "ctx", "odb", "repo"]
