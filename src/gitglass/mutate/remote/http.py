"""Repositories over http: refused by name until the client is here."""

from __future__ import annotations

from ...errors import Unsupported
from ..grant import WriteGrant
from ..view import View
from .addresses import Address
from .listing import Listing


class HttpSource:
    """See `Source`."""

    def __init__(self, address: Address, grant: WriteGrant) -> None:
        raise Unsupported("not available yet: http")

    def listing(self) -> Listing:
        """See `Source`."""
        raise AssertionError

    def bring(self, view: View, wants: list[bytes]) -> None:
        """See `Source`."""
