"""Repositories with a work tree for the tests of the native tools."""

from ...support.worktrees import ctx, repo

__all__ = ["ctx", "repo"]
