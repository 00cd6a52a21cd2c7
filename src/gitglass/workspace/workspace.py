"""Workspace: what a host makes, over a commit of a repository that it opened, or over nothing.

    workspace = Workspace.over(gitglass.open("/srv/project"), "main", identity=Identities(Identity("A", "a@b")))
    workspace.write("docs/new.md", b"text")
    commit = workspace.stage(["docs/new.md"], "Say it")

What it reads of the base it reads as it is needed.
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
        """One over a commit that a revision names. `target` is what the host calls the repository. Raises NotFound."""
        store = opened_store(repo)
        start = incoming_of(store, rev, target=target)
        return cls(Base(start.commit, start.tree, store.hash_name, target, start.ref), [start.odb], **options)

    @classmethod
    def over_target(cls, target: Target, branch: str | None = None, **options: Any) -> Workspace:
        """One over what a target has now at a branch (None: the target's own). Raises NotFound, and what the target
        does where it cannot be asked."""
        start = target.incoming(branch)
        base = Base(start.commit, start.tree, target.hash_name, target.name, start.ref)
        return cls(base, [start.odb], **options)

    @classmethod
    def empty(cls, hash_name: str = "sha1", **options: Any) -> Workspace:
        """One over nothing: its first staged commit has no parent."""
        return cls(Base(None, FACTS[hash_name][3].hex(), hash_name), **options)

    def forget_pushed(self, commits: tuple[StagedCommit, ...], base: Base) -> None:
        """These commits of the stack are at a target now: they are the base, and nothing leads back behind that."""
        with self.working():
            ids = {one.id for one in commits}
            self.pushed = (*self.pushed, *(replace(one, state="pushed") for one in self.staged if one.id in ids))
            self.staged = tuple(one for one in self.staged if one.id not in ids)
            self.base, self.seen = base, {}
            self._log.clear()
