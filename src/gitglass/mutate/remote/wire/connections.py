"""Connections that never wait longer than a moment without asking whether they still should.

urllib3's own timeout is for one read of a socket: a server that sends a byte now and then would hold a call for as long
as it likes, and nobody could cancel one that waits. Here every piece that is read or sent asks first (`look`), and so
does every moment of waiting.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

_MOMENT = 0.2  # seconds between two looks
_PIECE = 1 << 16

#: raises what ends a conversation: Timeout, Cancelled
Look = Callable[[], object]


class _Stream(io.RawIOBase):
    """What comes in, as the reader of an answer has it."""

    def __init__(self, watched: Watched, held: Any) -> None:
        self._watched, self._held = watched, held

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._watched.recv_into(buffer)

    def close(self) -> None:
        self._held.close()
        super().close()


class Watched:
    """A connected socket, plain or encrypted, that looks before each piece and while it waits for one."""

    def __init__(self, sock: Any, look: Look) -> None:
        self._sock, self._look = sock, look
        sock.settimeout(_MOMENT)

    def recv_into(self, buffer: Any) -> int:
        """Read what is there into a buffer; how many bytes, 0 at the end."""
        while True:
            self._look()
            try:
                return int(self._sock.recv_into(buffer))
            except TimeoutError:
                continue

    def sendall(self, data: Any) -> None:
        """Send all of it."""
        left = memoryview(data).cast("B")
        while left:
            self._look()
            try:
                left = left[self._sock.send(left[:_PIECE]) :]
            except TimeoutError:
                continue

    def makefile(self, mode: str = "rb", *_: Any, **__: Any) -> io.BufferedReader:
        """The reader of one answer; the connection stays open until that is closed too."""
        return io.BufferedReader(_Stream(self, self._sock.makefile(mode, buffering=0)))

    def settimeout(self, _: float | None) -> None:
        """How long is waited is this class's affair."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


def pools(look: Look) -> dict[str, Any]:
    """The classes of a PoolManager's pools whose connections look."""

    class Plain(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            self.sock: Any = Watched(self.sock, look)

    class Encrypted(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            self.sock: Any = Watched(self.sock, look)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class EncryptedPool(HTTPSConnectionPool):
        ConnectionCls = Encrypted

    return {"http": PlainPool, "https": EncryptedPool}
