"""A commit of a repository that the host opened, as a workspace's base or as a source to pull from."""

from __future__ import annotations

from typing import Protocol

from ..errors import NotFound, text
from ..limits import Context, Limits
from ..repo.store import Store
from ..revs.resolve import Resolver
from .incoming import Incoming

#: bytes of a source's objects that are cached
_CACHE = 8 << 20


class Handle(Protocol):
    """The part of a repository's handle that is needed: its opened files."""

    @property
    def store(self) -> Store: ...


def opened_store(repo: Handle) -> Store:
    """The repository's files opened once more, for one workspace."""
    return repo.store.sibling(Limits(max_cache_bytes=_CACHE))


def incoming_of(store: Store, rev: str = "HEAD", *, target: str = "") -> Incoming:
    """The commit that a revision names now. `target` is the host's name of the repository. Raises NotFound."""
    with Context(store.limits) as ctx:
        store.refresh()
        resolver = Resolver(store, ctx=ctx)
        start = resolver.find(rev.encode("utf-8", "surrogateescape"))
        commit = None if start is None else resolver.commit_of(start.oid)
        if start is None or commit is None:
            raise NotFound(f"no commit is called '{rev}'", rev=rev)
        tree = store.odb.commit_facts(commit)[2]
    return Incoming(commit.hex(), tree.hex(), store.odb, target, None if start.ref is None else text(start.ref))
