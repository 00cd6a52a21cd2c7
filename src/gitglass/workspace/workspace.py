"""Workspace: made by a host, over a commit of a repository that it opened, or over nothing.

    workspace = Workspace.over(gitglass.open("/srv/project"), "main", identity=Identities(Identity("A", "a@b")))
    workspace.write("docs/new.md", b"text")
    commit = workspace.stage(["docs/new.md"], "Say it")

Objects of the base are read when they are needed.
"""

from __future__ import annotations

from typing import Any

from ..objects.hashes import FACTS
from ..records import replace
from .incoming import Pulling
from .model import Base, StagedCommit
from .sources import Handle, incoming_of, opened_store
from .targets.protocol import Target


class Workspace(Pulling):
    """Files in memory over a base commit."""

    @classmethod
    def over(cls, repo: Handle, rev: str = "HEAD", *, target: str = "", **options: Any) -> Workspace:
        """A workspace over the commit that a revision names. `target` is the host's name of the repository. Raises
        NotFound."""
        store = opened_store(repo)
        start = incoming_of(store, rev, target=target)
        return cls(Base(start.commit, start.tree, store.hash_name, target, start.ref), [start.odb], **options)

    @classmethod
    def over_target(cls, target: Target, branch: str | None = None, **options: Any) -> Workspace:
        """A workspace over the head of a target's branch (None: the target's own). Raises NotFound, and as the target
        does if it cannot be read."""
        start = target.incoming(branch)
        base = Base(start.commit, start.tree, target.hash_name, target.name, start.ref)
        return cls(base, [start.odb], **options)

    @classmethod
    def empty(cls, hash_name: str = "sha1", **options: Any) -> Workspace:
        """A workspace over nothing: its first staged commit has no parent."""
        return cls(Base(None, FACTS[hash_name][3].hex(), hash_name), **options)

    def forget_pushed(self, commits: tuple[StagedCommit, ...], base: Base) -> None:
        """Record that these commits of the stack are at a target now: the last one becomes the base, and the log is
        cleared, since operations before that cannot be undone."""
        with self.working():
            ids = {one.id for one in commits}
            self.pushed = (*self.pushed, *(replace(one, state="pushed") for one in self.staged if one.id in ids))
            self.staged = tuple(one for one in self.staged if one.id not in ids)
            self.base, self.seen = base, {}
            self._log.clear()
