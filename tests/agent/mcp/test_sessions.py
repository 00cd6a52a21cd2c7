"""Sessions and streams over HTTP are bounded, for an application that opens and ends sessions."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from gitglass.agent.mcp.sessions import Sessions

HEADER = b"mcp-session-id"


class App:
    """Opens a session where none is named; a stream lasts until `closed` is set. `gone` are the sessions that ended."""

    def __init__(self) -> None:
        self.count = 0
        self.open: set[bytes] = set()
        self.gone: list[bytes] = []
        self.closed = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        name = dict(scope["headers"]).get(HEADER, b"")
        status = 200
        if not name and scope["method"] == "POST":
            self.count += 1
            name = b"%d" % self.count
            self.open.add(name)
        elif name not in self.open:
            status = 404
        elif scope["method"] == "DELETE":
            assert (await receive())["type"] == "http.request" and dict(scope["headers"])[b"host"] == b"here"
            self.open.remove(name)
            self.gone.append(name)
        await send({"type": "http.response.start", "status": status, "headers": [(HEADER, name)]})
        if scope["method"] == "GET" and status == 200:
            await self.closed.wait()
        await send({"type": "http.response.body", "body": b""})


async def ask(app: Sessions, name: bytes = b"", method: str = "POST") -> int:
    """The status of an answer."""
    statuses: list[int] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = [(b"host", b"here"), (b"accept", b"x"), *([(HEADER, name)] if name else [])]
    await app({"type": "http", "method": method, "headers": headers}, receive, send)
    return statuses[0]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sessions, "most", 3)
    monkeypatch.setattr(Sessions, "most_streams", 2)


async def _many(names: Sequence[bytes]) -> tuple[App, list[int]]:
    app = App()
    sessions = Sessions(app)
    return app, [await ask(sessions, name) for name in names]


@pytest.mark.usefixtures("few")
def test_the_session_asked_last_the_longest_ago_is_ended() -> None:
    app, statuses = asyncio.run(_many([b"", b"", b"", b"1", b"", b"2", b"1", b""]))
    assert app.gone == [b"2", b"3"] and statuses == [200, 200, 200, 200, 200, 404, 200, 200]
    assert app.open == {b"1", b"4", b"5"}


@pytest.mark.usefixtures("few")
def test_a_session_in_use_is_kept_and_streams_are_bounded() -> None:
    async def run() -> None:
        app = App()
        sessions = Sessions(app)
        for _ in range(3):
            await ask(sessions)
        streams = [asyncio.create_task(ask(sessions, name, "GET")) for name in (b"1", b"2")]
        await asyncio.sleep(0)
        assert await ask(sessions, b"3", "GET") == 503 and await ask(sessions, b"3") == 200
        await ask(sessions)
        assert app.gone == [b"3"]
        app.closed.set()
        assert await asyncio.gather(*streams) == [200, 200]
        assert await ask(sessions, b"4", "GET") == 200
        assert await ask(sessions, b"1", "DELETE") == 200 and not sessions._open.keys() & {b"1"}
        await ask(sessions)
        assert app.gone == [b"3", b"1"]

    asyncio.run(run())


def test_other_messages_are_passed_on() -> None:
    app = App()
    asyncio.run(Sessions(app)({"type": "lifespan"}, None, None))
    assert not app.count
