"""Repositories behind ssh: git's smart protocol, talked through the program that the host granted (`Programs.ssh`).

What that program is told is the other machine and one of git's two services on a path there; keys and hosts that are
known are its own business. Mirrors gitprotocol-pack(5), "SSH Transport".
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, Any

from dulwich.client import TraditionalGitClient, read_pkt_refs_v1
from dulwich.protocol import Protocol

from ..process.run import Talk
from ..view import View
from .addresses import Address
from .http import Asker

__all__ = ["ssh_asker"]


def ssh_asker(address: Address, view: View) -> Asker:
    """What makes clients for an address of ssh, each for one request."""
    return lambda: _Client(address, view)


class _Client(TraditionalGitClient):
    """dulwich's client, its connection a program's two ends."""

    def __init__(self, address: Address, view: View) -> None:
        super().__init__(thin_packs=True, quiet=True, include_tags=False)
        self._address, self._services, self._limits = address, view.services, view.grant.limits
        self.posted = False  # whether anything was sent that changes something

    def _connect(
        self, cmd: bytes, path: str | bytes, protocol_version: int | None = None
    ) -> tuple[Protocol, Callable[[], bool], IO[bytes] | None]:
        """One talk with a service. Raises NotGranted, Timeout, TooLarge."""
        address, limits = self._address, self._limits
        talk = self._services.talk(
            address.machine, address.port, cmd, address.path, seconds=limits.network_timeout, most=limits.total_bytes
        )

        def write(data: bytes) -> int:
            self.posted = self.posted or (cmd == b"receive-pack" and data != b"0000")
            return talk.write(data)

        protocol = Protocol(talk.read, write, close=talk.close, shutdown_write=talk.hush)
        return protocol, talk.is_ready, _Words(talk)

    def refs_for_push(self) -> tuple[Any, Any, Any]:
        """(refs, symbolic ones, what tags stand for), as it says them to who wants to push."""
        protocol, _, _ = self._connect(b"receive-pack", b"")
        with protocol:
            refs, _ = read_pkt_refs_v1(protocol.read_pkt_seq())
            protocol.write_pkt_line(None)
        return refs, {}, {}


class _Words(io.BytesIO):
    """What the program wrote to stderr, when somebody asks."""

    def __init__(self, talk: Talk) -> None:
        super().__init__()
        self._talk = talk

    def readlines(self, hint: int | None = -1, /) -> list[bytes]:
        """Its lines, once it has ended."""
        self._talk.close()
        return self._talk.words.splitlines(keepends=True)
