"""Servers of the remote tests are on this machine."""

from tests.support.servers import looks_soon  # noqa: F401
