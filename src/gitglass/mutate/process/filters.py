"""Conversions with granted filters: what `worktree/convert` does, and programs where the host granted them.

Put into the store that plans, so that everything that compares, stages or checks out a file there agrees on what a
filter makes of it. Mirrors gitattributes(5), "filter".
"""

from __future__ import annotations

from ...limits import Context
from ...repo.store import Store
from ...worktree.convert import Converter
from .services import Services


def convert_for(store: Store, services: Services) -> None:
    """Have everything that reads through this store see files as the granted filters make them."""
    if services.has_filters:
        store.conversions = lambda one: GrantedFilters(one, services)


class GrantedFilters(Converter):
    """The conversions of one work tree, with the services of one plan."""

    __slots__ = ("_services",)

    def __init__(self, store: Store, services: Services) -> None:
        super().__init__(store)
        self._services = services

    def cleans(self, driver: bytes) -> bool:
        """Whether a program is granted for content on its way in."""
        granted = self._services.filter(driver)
        return granted is not None and granted.clean is not None

    def smudges(self, driver: bytes) -> bool:
        """Whether a program is granted for content on its way out."""
        granted = self._services.filter(driver)
        return granted is not None and granted.smudge is not None

    def smudged(self, path: bytes, data: bytes, driver: bytes, ctx: Context) -> bytes:
        """Content as it is checked out."""
        del ctx  # the services have their own
        return self._services.filtered("smudge", driver, path, data, required=self._is_required(driver))

    def _filtered(self, path: bytes, data: bytes, driver: bytes, ctx: Context) -> bytes:
        if not self.cleans(driver):
            return super()._filtered(path, data, driver, ctx)
        return self._services.filtered("clean", driver, path, data, required=self._is_required(driver))

    def _is_required(self, driver: bytes) -> bool:
        return bool(self._store.config.get_bool(b"filter." + driver + b".required", False))
