"""What is said with another repository while one operation is planned: asked once, however often the plan is made.

A plan is made again under the locks; what the other repository answered then is part of what was approved, and is not
asked for a second time. The way to a repository is chosen here: through a jail, over http, or by the program for ssh.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...deferred import deferred
from ..view import View
from .addresses import Address, need_granted
from .listing import Destination, Listing, Source
from .local import LocalSource
from .local_push import LocalDestination

if TYPE_CHECKING:
    from .http import HttpDestination, HttpSource
    from .ssh import ssh_asker
else:  # loads dulwich's client and urllib3
    HttpDestination, HttpSource = deferred(__name__, ".http", "HttpDestination", "HttpSource")
    ssh_asker = deferred(__name__, ".ssh", "ssh_asker")


class Conversation:
    """One repository that is read, for one view."""

    def __init__(self, view: View, address: Address) -> None:
        self._view, self.address = view, address
        if address.kind == "ssh":
            need_granted(address, view.grant)
            view.services.uses_ssh(address.machine)
        self._source: Source | None = None

    @property
    def source(self) -> Source:
        """The way to it, opened when it is first needed. Raises NotGranted."""
        if self._source is None:
            if self.address.kind == "local":
                self._source = LocalSource(self.address, self._view.grant)
            else:
                asker = ssh_asker(self.address, self._view) if self.address.kind == "ssh" else None
                self._source = HttpSource(self.address, self._view.grant, asker)
        return self._source

    def listing(self) -> Listing:
        """Its refs."""
        key = "listing", self.address
        if key not in self._view.exchange:
            self._view.exchange[key] = self.source.listing()
        answer: Listing = self._view.exchange[key]
        return answer

    def bring(self, wants: list[bytes]) -> None:
        """Have these objects, with all they need, in the view's quarantine."""
        new, key = self._view.new, ("objects", self.address, tuple(wants))
        if key not in self._view.exchange:
            held, sources, packs = set(new.held), len(new.packs), len(self._view.packs)
            self.source.bring(self._view, wants)
            brought = {oid: row for oid, row in new.held.items() if oid not in held}
            self._view.exchange[key] = brought, new.packs[sources:], self._view.packs[packs:]
            return
        brought, sources, packs = self._view.exchange[key]
        new.held.update(brought)
        new.packs += sources
        self._view.packs += packs
        self._view.odb.refresh()


def destination_of(view: View, address: Address) -> Destination:
    """A repository that is pushed to. Raises NotGranted."""
    if address.kind == "local":
        return LocalDestination(address, view)
    if address.kind == "ssh":
        need_granted(address, view.grant)
        view.services.uses_ssh(address.machine)
    return HttpDestination(address, view, ssh_asker(address, view) if address.kind == "ssh" else None)
