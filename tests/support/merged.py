"""A merge by gitglass, as `git merge-tree -z` prints one."""

from __future__ import annotations

import gitglass


def merged(repo: gitglass.Repository, one: str, two: str) -> bytes | str:
    """The merge of two commits; a string says why it is refused."""
    done = repo.git(["merge-tree", "--write-tree", "-z", "--allow-unrelated-histories", one, two])
    if done.returncode > 1:
        return done.stderr.decode()
    return done.stdout
