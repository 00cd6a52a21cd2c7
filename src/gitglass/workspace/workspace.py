"""Workspace: what a host makes, over a commit of a repository that it opened, or over nothing.

workspace = Workspace.over(gitglass.open("/srv/project"), "main", identity=Identities(Identity("A", "a@b")))
workspace.write("docs/new.md", b"text")
"""

from __future__ import annotations

from typing import Any, Protocol

from ..errors import NotFound
from ..limits import Context, Limits
from ..objects.hashes import FACTS
from ..repo.store import Store
from ..revs.resolve import Resolver
from .model import Base
from .staging import Staging

#: what is remembered of the base's objects
_CACHE = 8 << 20


class Handle(Protocol):
    """What is needed of a repository's handle: its opened files."""

    @property
    def store(self) -> Store: ...


class Workspace(Staging):
    """Files in memory over a base commit."""

    @classmethod
    def over(cls, repo: Handle, rev: str = "HEAD", *, target: str = "", **options: Any) -> Workspace:
        """One over a commit that a revision names. `target` is what the host calls the repository. Raises NotFound."""
        store = repo.store.sibling(Limits(max_cache_bytes=_CACHE))
        with Context(store.limits) as ctx:
            resolver = Resolver(store, ctx=ctx)
            start = resolver.find(rev.encode("utf-8", "surrogateescape"))
            commit = None if start is None else resolver.commit_of(start.oid)
            if start is None or commit is None:
                raise NotFound(f"no commit is called '{rev}'", rev=rev)
            tree = store.odb.commit_facts(commit)[2]
        ref = None if start.ref is None else start.ref.decode("utf-8", "surrogateescape")
        base = Base(commit.hex(), tree.hex(), store.hash_name, target, ref)
        return cls(base, [store.odb], **options)

    @classmethod
    def empty(cls, hash_name: str = "sha1", **options: Any) -> Workspace:
        """One over nothing: its first staged commit has no parent."""
        return cls(Base(None, FACTS[hash_name][3].hex(), hash_name), **options)
