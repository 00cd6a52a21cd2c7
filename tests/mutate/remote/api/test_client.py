"""Requests in JSON: the token's way, servers that send elsewhere, too much, too slowly, or no JSON."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from gitglass.errors import NotGranted, Timeout, TooLarge
from gitglass.mutate.grant import ALL_EFFECTS, Credential, WriteGrant, WriteLimits
from gitglass.mutate.remote.api import client as api
from gitglass.mutate.remote.api.client import JsonAnswer, JsonClient
from gitglass.mutate.remote.web import RemoteFailed

from ....support.servers import AUTHORITY, Server, answering, body_of, serving

pytestmark = [pytest.mark.writes, pytest.mark.loopback]


@pytest.fixture
def server() -> Iterator[Server]:
    def echo(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("200 ok", [("Content-Type", "application/json")])
        return [b'{"body": %s, "path": "%s"}' % (body_of(environ) or b"null", environ["PATH_INFO"].encode())]

    with serving(echo) as made:
        yield made


def client(url: str, timeout: float = 20.0, **more: Any) -> JsonClient:
    given: dict[str, Any] = {"remotes": ("*",), "effects": ALL_EFFECTS, "plain_http": True, **more}
    return JsonClient(url, WriteGrant(limits=WriteLimits(network_timeout=timeout), **given))


def test_a_question_and_its_answer(server: Server) -> None:
    asked = client(server.url, credentials=lambda _: Credential("x", "s3cret"))
    answer = asked.ask("POST", "/a/b", {"x": "ü"})
    assert (answer.status, answer.value) == (200, {"body": {"x": "ü"}, "path": "/a/b"}) and asked.has_token
    assert server.seen[0]["HTTP_AUTHORIZATION"] == "Bearer s3cret" and "s3cret" not in repr(answer)
    assert not client(server.url).has_token and client(server.url).ask("GET").value["body"] is None
    with serving(server.inner, tls=True) as sealed:
        assert client(sealed.url, authorities=AUTHORITY).ask("GET").status == 200
        with pytest.raises(RemoteFailed, match="SSLError"):
            client(sealed.url).ask("GET")


def test_grants(server: Server) -> None:
    for refused in ({"remotes": ()}, {"plain_http": False}, {"effects": frozenset({"write_refs"})}):
        with pytest.raises(NotGranted):
            client(server.url, **refused)


def test_servers_that_are_odd(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.around = answering("302 there", b"", ("Location", "http://127.0.0.1:9/"))
    with pytest.raises(RemoteFailed, match="not followed"):
        client(server.url).ask("GET")
    server.around = answering("500 oh", b"<html>")
    answer = client(server.url).ask("GET")
    assert (answer.value, answer.words) == (None, "the server answered 500")
    monkeypatch.setattr(api, "_MOST", 10)
    server.around = answering("200 ok", b"x" * 100)
    with pytest.raises(TooLarge):
        client(server.url).ask("GET")

    def slow(_: Any, __: Any, start: Any) -> Iterator[bytes]:
        start("200 ok", [])
        for _ in range(20):
            time.sleep(0.05)
            yield b"x" * 100_000

    monkeypatch.setattr(api, "_MOST", 1 << 30)
    server.around = slow
    with pytest.raises((Timeout, RemoteFailed)):
        client(server.url, timeout=0.2).ask("GET")
    server.close()
    with pytest.raises(RemoteFailed, match="NewConnectionError"):
        client(server.url).ask("GET")


def test_how_long_to_wait() -> None:
    assert JsonAnswer(429, {"retry-after": "7"}, None).wait == 7.0
    assert JsonAnswer(403, {}, None).wait is None
    later = JsonAnswer(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + 50)}, None).wait
    assert later is not None and 40 < later < 60
    assert JsonAnswer(422, {}, {"message": "a\n b" + "x" * 900}).words.startswith("a bx")
