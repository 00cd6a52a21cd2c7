"""Objects fetched from another repository, in memory: checked and connected, as a database that engines read.

Nothing of it is on disk. If a repository of the host has most of the objects (`near`), these are not fetched: they are
offered as common, and read from there.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...limits import Context, Limits
from ...mutate.grant import Moment, WriteGrant
from ...mutate.objects import NewObjects
from ...mutate.remote.addresses import Address
from ...mutate.remote.http import HttpSource
from ...mutate.remote.listing import Listing
from ...mutate.view import View
from ...objects.database import Odb
from ...records import lazy
from ...refs.refs import Refs
from ...repo.store import Store
from ..layers import LayeredStore, WorkspaceStore


class HeldStore(WorkspaceStore):
    """Objects in memory, and those of a repository of the host, whose refs it has."""

    def __init__(self, layered: LayeredStore, hash_name: str, near: Store | None = None) -> None:
        super().__init__(layered, hash_name, lambda _: None)
        self._near = near
        if near is not None:
            layered.add_layer(near.odb)

    @lazy
    def refs(self) -> Refs:
        """The refs of the host's repository, with which fetched objects have to be connected; none without one."""
        if self._near is not None:
            return self._near.refs
        none: Refs = WorkspaceStore.refs._make(self)
        return none


class HeldView(View):
    """The view that moves objects in and out of memory, without files."""

    def __init__(self, store: Store, new: NewObjects, grant: WriteGrant, ctx: Context) -> None:
        self.store, self.new, self.grant, self.ctx = store, new, grant, ctx
        self.moment = Moment(0, 0)
        self.packs, self.notes, self.exchange = [], [], {}


class Held:
    """The objects that were fetched from one address, and the source of more."""

    def __init__(self, address: Address, grant: WriteGrant, near: Store | None = None) -> None:
        self._layered = LayeredStore("sha1")
        self._grant, self._near = grant, near
        self._source = HttpSource(address, grant)
        self.store = HeldStore(self._layered, "sha1", near)

    @property
    def odb(self) -> Odb:
        """The database."""
        return self.store.odb

    def listing(self) -> Listing:
        """The present refs at the address. Raises as `HttpSource.listing` does."""
        with self._context():
            return self._source.listing()

    def _context(self) -> Context:
        return Context(Limits(timeout=self._grant.limits.network_timeout))

    def bring(self, oid: bytes) -> None:
        """Fetch a commit and all of its history. Raises as `HttpSource.bring` does."""
        if self.odb.has(oid):
            return
        with self._context() as ctx:
            if self._near is not None:
                self._near.refresh()
                self.odb.refresh()
            view = HeldView(self.store, self._layered.new, self._grant, ctx)
            self._source.bring(view, [oid])

    def is_of_there(self, oid: bytes) -> bool:
        """Whether an object was fetched from the address, so that it certainly exists there."""
        return self._layered.new.has(oid)

    def sending(self, objects: Mapping[bytes, tuple[bytes, bytes]], ctx: Context) -> HeldView:
        """A view that has these objects, to be sent."""
        layered = LayeredStore("sha1")
        layered.new.held.update(objects)
        return HeldView(HeldStore(layered, "sha1"), layered.new, self._grant, ctx)
