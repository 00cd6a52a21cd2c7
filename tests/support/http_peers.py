"""A bare repository behind dulwich's smart HTTP server on loopback, in this process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain

App = Callable[[dict[str, Any], Any], Any]


class Quiet(WSGIRequestHandler):
    """A handler that logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class Server:
    """dulwich's smart HTTP server over a bare repository; `around` may answer in its place."""

    def __init__(self, up: Path) -> None:
        repositories: dict[str, Any] = {"/": Repo(str(up))}
        self.inner: App = make_wsgi_chain(DictBackend(repositories))
        self.around: Callable[[App, dict[str, Any], Any], Any] | None = None
        self.seen: list[dict[str, Any]] = []
        self._server = make_server("127.0.0.1", 0, self._app, server_class=WSGIServer, handler_class=Quiet)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def _app(self, environ: dict[str, Any], start: Any) -> Any:
        self.seen.append(environ)
        return self.inner(environ, start) if self.around is None else self.around(self.inner, environ, start)

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
