"""How many sessions and streams the server keeps for clients of the older protocol, whoever they are.

A session costs memory until its client ends it, and most never do: beyond a number, the one that was asked last the
longest ago is ended. Its client gets a 404 and opens another one, as the protocol has it. A stream (GET) has a
connection for itself for as long as its client likes: they are never so many that there is none left for requests.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Sessions"]

_HEADER = b"mcp-session-id"


class Sessions:
    """The ASGI application behind bounds."""

    #: most sessions that nobody is asking at the moment
    most = 256
    #: most streams at once: half of the connections (`doors.Connection.most`)
    most_streams = 64

    def __init__(self, app: Any) -> None:
        self._app = app
        self._streams = 0
        self._open: dict[bytes, int] = {}  # by name, how many requests there are; the one asked last is the last

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] != "GET":
            await self._asked(scope, receive, send)
        elif self._streams >= self.most_streams:
            headers = [(b"content-type", b"text/plain"), (b"retry-after", b"60")]
            await send({"type": "http.response.start", "status": 503, "headers": headers})
            await send({"type": "http.response.body", "body": b"Too many open streams"})
        else:
            self._streams += 1
            try:
                await self._asked(scope, receive, send)
            finally:
                self._streams -= 1

    async def _asked(self, scope: Any, receive: Any, send: Any) -> None:
        """One request; the session that it names, or opens, is in use meanwhile."""
        name = _named(scope["headers"])
        ended = False

        async def noted(message: Any) -> None:
            nonlocal name, ended
            if message["type"] == "http.response.start":
                ended = message["status"] == 404 or (scope["method"] == "DELETE" and message["status"] < 300)
                if not name and message["status"] < 400:
                    name = _named(message["headers"])
                    if name:
                        self._open[name] = 1
            await send(message)

        if name in self._open:
            self._open[name] += 1
        try:
            await self._app(scope, receive, noted)
        finally:
            count = self._open.pop(name, 0)
            if count and not ended:
                self._open[name] = count - 1
        await self._end_oldest(scope)

    async def _end_oldest(self, scope: Any) -> None:
        while len(self._open) > self.most:
            oldest = next((name for name, count in self._open.items() if not count), None)
            if oldest is None:
                return
            del self._open[oldest]
            headers = [(name, value) for name, value in scope["headers"] if name == b"host"]
            asked = {**scope, "method": "DELETE", "headers": [*headers, (_HEADER, oldest)]}
            await self._app(asked, _nothing, _unheard)


def _named(headers: Any) -> bytes:
    """The session of a request or an answer; b"" where there is none."""
    return next((bytes(value) for name, value in headers if name.lower() == _HEADER), b"")


async def _nothing() -> Any:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(message: Any) -> None: ...
