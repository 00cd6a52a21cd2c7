"""A repository on this machine, read through a jail of its own: a path or `file://`.

The other repository is opened by our reader, below its own directory and nowhere else, under the host's grant of that
directory (and of the git directory of a linked work tree); nothing of its configuration runs a program. Mirrors
git-upload-pack(1) as far as a fetch needs it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ...errors import GitError, NotARepository, NotFound, SandboxViolation, Unsupported, text
from ...graph.merge_base import is_ancestor_of_any
from ...limits import Context, pause
from ...repo.discover import Where
from ...repo.store import Store, open_store
from ...revs.exclusions import hidden_patterns, is_hidden
from ..grant import WriteGrant
from ..view import View
from .addresses import Address, need_granted
from .listing import Listing
from .packs.packing import packed
from .packs.quarantine import take_in, take_objects
from .packs.reached import reached
from .settings import no_such_repository

_ONE_BY_ONE = 100


def open_other(address: Address, grant: WriteGrant) -> Store:
    """The repository at a path. Raises NotGranted, CommandFailed in git's words where there is none, Unsupported for a
    bundle."""
    need_granted(address, grant)
    for path in (address.path, address.path + b".git"):
        try:
            store = _opened(path)
        except (NotARepository, NotFound):
            continue
        except SandboxViolation:
            raise
        except GitError as error:
            if "not a directory" in error.message.lower():
                raise Unsupported(f"'{text(address.shown)}' is a file: bundles are not fetched from") from None
            raise
        for real in store.jail.real_roots:
            need_granted(address, grant, real)
        return store
    raise no_such_repository(address.shown)


def _opened(path: bytes) -> Store:
    """The repository in a directory. Where its git directory lies elsewhere, that has to name the directory in turn, as
    those of linked work trees and submodules do. Raises SandboxViolation where it does not."""
    try:
        return open_store(Where(cwd=path), root=path)
    except SandboxViolation:
        return open_store(Where(cwd=path, ceilings=(os.path.dirname(path),)), root=None)


def listing_of(store: Store, section: bytes = b"uploadpack") -> Listing:
    """The refs of a repository as it advertises them to whoever fetches, or pushes (`receive`): but for those that it
    hides (git-config(1), `transfer.hideRefs`)."""
    hidden = hidden_patterns(store, section)
    listing = Listing({})
    target, head = store.refs.head()
    if head is not None:
        listing.refs[b"HEAD"] = head
        if target is not None:
            listing.symrefs[b"HEAD"] = target
    symbolic = {ref.name: ref.target for ref in store.refs.entries() if ref.target is not None}
    for name, oid in store.refs.iterate(b"refs/"):
        if not store.odb.has(oid) or is_hidden(name, hidden):
            continue
        listing.refs[name] = oid
        if name in symbolic:
            listing.symrefs[name] = symbolic[name]
        peeled = store.odb.peel(oid) if store.odb.kind(oid) == b"tag" else oid
        if peeled != oid:
            listing.peeled[name] = peeled
    return listing


def lacking(store: Store, wants: Sequence[bytes], haves: Sequence[bytes], ctx: Context) -> list[bytes]:
    """The objects of `store` that whoever has `haves` needs for `wants`: commits first, each object once."""
    if not wants:
        return []
    return reached(store, wants, haves, ctx.limits)


def common(mine: Store, other: Store, ctx: Context) -> list[bytes]:
    """Objects of `mine`'s history that `other` has: its refs, and where they are unknown there the first of their
    ancestors that are not."""
    seen: set[bytes] = set()
    there: list[bytes] = []
    stack = [oid for ref in mine.refs.entries() if (oid := mine.refs.read(ref.name)) is not None]
    head = mine.refs.head()[1]
    stack += [head] if head is not None else []
    parents_of = mine.odb.parents_reader()
    while stack:
        ctx.tick()
        oid = stack.pop()
        if oid in seen:
            continue
        seen.add(oid)
        if other.odb.has(oid):
            there.append(oid)
        elif mine.odb.has(oid):
            kind = mine.odb.kind(oid)
            if kind == b"tag":
                stack.append(mine.odb.peel(oid))
            elif kind == b"commit":
                stack.extend(parents_of(oid))
    return there


class LocalSource:
    """Another repository on this machine that is read."""

    def __init__(self, address: Address, grant: WriteGrant) -> None:
        self.address = address
        self.store = open_other(address, grant)
        self._brought: list[bytes] = []

    def listing(self) -> Listing:
        """See `Source`."""
        return listing_of(self.store)

    def bring(self, view: View, wants: list[bytes]) -> None:
        """See `Source`. What the two share is not looked at again, but for what no ref here reaches."""
        need_same_format(view, self.store)
        haves = common(view.store, self.store, view.ctx) + self._brought
        oids = lacking(self.store, wants, haves, view.ctx)
        self._brought += wants
        if len(oids) < _ONE_BY_ONE:
            take_objects(view, self._objects(oids), wants, action="fetch")
        else:
            take_in(view, b"".join(packed(self.store.odb, oids, self.store.hash_name)), wants)

    def _objects(self, oids: list[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
        for oid in oids:
            pause()
            yield oid, *self.store.odb.read_raw(oid)


def need_same_format(view: View, other: Store) -> None:
    """Raise Unsupported where the two name objects by different hashes."""
    if view.store.hash_name != other.hash_name:
        raise Unsupported(f"mismatched algorithms: client {view.store.hash_name}; server {other.hash_name}")


def is_forward(store: Store, old: bytes, new: bytes, ctx: Context) -> bool:
    """Whether a move only adds commits."""
    return is_ancestor_of_any(store, old, [new], ctx=ctx)
