"""Servers on loopback: any WSGI application, plain or over TLS with the certificate of fixtures/certificates/."""

from __future__ import annotations

import io
import os
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from dulwich.repo import Repo
from dulwich.server import Backend, DictBackend
from dulwich.web import make_wsgi_chain

from gitglass.mutate.remote import http

App = Callable[[dict[str, Any], Any], Any]
Around = Callable[[App, dict[str, Any], Any], Any]

CERTIFICATES = Path(__file__).resolve().parent.parent.parent / "fixtures" / "certificates"
AUTHORITY = (CERTIFICATES / "ca.pem").read_text()


class Quiet(WSGIRequestHandler):
    """A handler that logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class Server:
    """An application under an address of its own; `around` may answer in its place. `seen` are all requests."""

    def __init__(self, app: App, *, tls: bool = False) -> None:
        self.inner = app
        self.around: Around | None = None
        self.seen: list[dict[str, Any]] = []
        self._server = make_server("127.0.0.1", 0, self._app, server_class=WSGIServer, handler_class=Quiet)
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATES / "server.pem")
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def _app(self, environ: dict[str, Any], start: Any) -> Any:
        self.seen.append(environ)
        return self.inner(environ, start) if self.around is None else self.around(self.inner, environ, start)

    def close(self) -> None:
        """Stop it."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Folder(Backend):
    """Opens the repository that a path names, anew each time."""

    def __init__(self, server: FolderServer) -> None:
        self._server = server

    def open_repository(self, path: str | bytes) -> Repo:
        """See dulwich.server.Backend."""
        return Repo(str(self._server.root / os.fsdecode(path).strip("/")))


class FolderServer(Server):
    """dulwich's smart HTTP server over the bare repositories below `root`, which may be another one each time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        super().__init__(make_wsgi_chain(_Folder(self)))


def smart_app(repo: Repo) -> App:
    """dulwich's smart HTTP server of one repository."""
    backends: Any = {"/": repo}
    app: App = make_wsgi_chain(DictBackend(backends))
    return app


@contextmanager
def serving(app: App, *, tls: bool = False) -> Iterator[Server]:
    """A server for as long as a block takes."""
    server = Server(app, tls=tls)
    try:
        yield server
    finally:
        server.close()


def body_of(environ: dict[str, Any]) -> bytes:
    """The body of a request, which can be read again afterwards."""
    data: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(data)
    return data


def whole_answer(inner: App, environ: dict[str, Any], start: Any = None) -> bytes:
    """All that an application answers, written or returned."""
    parts: list[bytes] = []

    def begin(*about: Any) -> Any:
        if start is not None:
            start(*about)
        return parts.append

    parts.extend(inner(environ, begin))
    return b"".join(parts)


def answering(status: str, body: bytes = b"", *headers: tuple[str, str]) -> Around:
    """The same answer to every request."""

    def around(_: App, __: dict[str, Any], start: Any) -> list[bytes]:
        start(status, [("Content-Type", "text/plain"), *headers])
        return [body]

    return around


def losing(times: int, *, done: bool, suffix: str = "git-receive-pack") -> Around:
    """The first answers to one kind of request are lost: with what was asked done, or not."""
    left = [times]

    def around(inner: App, environ: dict[str, Any], start: Any) -> Any:
        if environ["REQUEST_METHOD"] == "GET" or not environ["PATH_INFO"].endswith(suffix) or not left[0]:
            return inner(environ, start)
        left[0] -= 1
        body_of(environ)
        if done:
            whole_answer(inner, environ, lambda *_: None)
        start("502 Bad Gateway", [("Content-Type", "text/plain")])
        return [b"oh"]

    return around


@pytest.fixture(autouse=True)
def looks_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What became of a push is looked at as often as ever, and a server on this machine is given less time in between."""
    monkeypatch.setattr(http, "_AGAIN", tuple(wait / 4 for wait in http._AGAIN))
