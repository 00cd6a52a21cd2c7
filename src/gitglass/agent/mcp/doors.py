"""Checks in front of the SDK's HTTP: who may connect, how long a request may take to arrive, and how many connections
are allowed.

The SDK compares only the beginning of a Host or Origin header with a name, and goes on working when the client has
disconnected.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from typing import Any

import anyio
import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .settings import GONE, Http

__all__ = ["LOOPBACK", "Connection", "Doors"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_PORT = re.compile(r"(?::[0-9]{1,5})?")


class Doors:
    """The ASGI application, for requests whose Host and Origin headers are exactly accepted values.

    A Host is one of the names with an optional numeric port; an Origin, if there is one, is a scheme, a name and an
    optional port.
    """

    def __init__(self, app: Any, http: Http) -> None:
        self._app = app
        self._hosts = {name.lower() for name in (*LOOPBACK, http.netloc, *http.hosts)}
        loopback = {f"{scheme}://{name}" for scheme in ("http", "https") for name in LOOPBACK}
        self._origins = loopback | {name.removesuffix(":*").lower() for name in http.origins if name.endswith(":*")}
        self._exact = {name.lower() for name in http.origins}

    def refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[int, bytes] | None:
        """(status, message) for a refused request, or None; `headers` have lower-case names."""
        rows = list(headers)
        hosts = [value.decode("latin-1").lower() for name, value in rows if name == b"host"]
        if len(hosts) != 1 or not (hosts[0] in self._hosts or _is_one_of(hosts[0], self._hosts)):
            return 421, b"Invalid Host header"
        origins = [value.decode("latin-1").lower() for name, value in rows if name == b"origin"]
        if len(origins) > 1 or not all(one in self._exact or _is_one_of(one, self._origins) for one in origins):
            return 403, b"Invalid Origin header"
        return None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self.refusal(scope["headers"])
        if refused is not None:
            status, words = refused
            await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": words})
            return
        await self._watched(scope, receive, send)

    async def _watched(self, scope: Any, receive: Any, send: Any) -> None:
        """The application, with an event in the scope that is set as soon as the client disconnects."""
        gone = scope[GONE] = anyio.Event()
        put, get = anyio.create_memory_object_stream[Any](1)

        async def pump() -> None:
            while not gone.is_set():
                message = await receive()
                if message["type"] == "http.disconnect":
                    gone.set()
                await put.send(message)

        async def receive_next() -> Any:
            if gone.is_set() and not get.statistics().current_buffer_used:
                return {"type": "http.disconnect"}
            return await get.receive()

        with put, get:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(pump)
                await self._app(scope, receive_next, send)
                tasks.cancel_scope.cancel()


def _is_one_of(value: str, names: set[str]) -> bool:
    """Whether a header is one of the names, followed by nothing except a port."""
    return any(value.startswith(name) and _PORT.fullmatch(value, len(name)) for name in names)


class Connection(H11Protocol):
    """A connection with a time limit for its request, and a limit to the number of connections."""

    #: seconds from the first byte of a request (or from connecting) to its last
    patience = 10.0
    #: most simultaneous connections; a client of the older protocol holds two
    most = 128

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._end(b"503 Service Unavailable")
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._wait()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.patience, self._end, b"408 Request Timeout")

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _end(self, status: bytes) -> None:
        """Close the connection, with an answer if none has begun."""
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()
