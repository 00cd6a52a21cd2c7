"""What is said with another repository while one operation is planned: asked once, however often the plan is made.

A plan is made again under the locks; what the other repository answered then is part of what was approved, and is not
asked for a second time. The way to a repository is chosen here: through a jail, or over http.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...deferred import deferred
from ..view import View
from .addresses import Address
from .listing import Destination, Listing, Source
from .local import LocalSource
from .local_push import LocalDestination

if TYPE_CHECKING:
    from .http import HttpDestination, HttpSource
else:  # loads dulwich's client and urllib3
    HttpDestination, HttpSource = deferred(__name__, ".http", "HttpDestination", "HttpSource")


class Conversation:
    """One repository that is read, for one view."""

    def __init__(self, view: View, address: Address) -> None:
        self._view, self.address = view, address
        self._source: Source | None = None

    @property
    def source(self) -> Source:
        """The way to it, opened when it is first needed. Raises NotGranted."""
        if self._source is None:
            local = self.address.kind == "local"
            self._source = (LocalSource if local else HttpSource)(self.address, self._view.grant)
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
    return (LocalDestination if address.kind == "local" else HttpDestination)(address, view)
