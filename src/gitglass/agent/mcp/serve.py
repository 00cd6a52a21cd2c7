"""A server on its transport: stdio, or streamable HTTP with uvicorn, whose Host and Origin headers are checked."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
from collections.abc import Iterator
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from ... import __version__
from ...model.visible import visible_text
from .doors import LOOPBACK, Connection, Doors
from .server import make_server
from .settings import Http, Settings, tools_of

__all__ = ["http_app", "serve"]

#: a request is a few hundred bytes; this is generous
_MAX_BODY = 1 << 20


def serve(settings: Settings, script: str) -> None:
    """Serve until the client, or Ctrl-C, ends it."""
    level = (logging.ERROR, logging.INFO, logging.DEBUG)[min(settings.verbose, 2)]
    logging.basicConfig(level=level, stream=sys.stderr)
    server = make_server(settings)
    if settings.http is None:
        # Ctrl-C ends it at once: the SDK's reader would hold up an orderly end until the next line of stdin
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        anyio.run(_stdio, server, _first_line(settings, script, "stdio"))
    else:
        with contextlib.suppress(KeyboardInterrupt):
            anyio.run(_http, server, settings.http, _first_line(settings, script, "{}"))


def _first_line(settings: Settings, script: str, where: str) -> str:
    roots = ", ".join(f"{name}={path.decode('utf-8', 'replace')}" for name, path in settings.roots.named.items())
    count = len(tools_of(settings))
    line = f"{script} {__version__}: {'+'.join(settings.profiles)}, {count} tools, {where}; {roots or 'any repository'}"
    return visible_text(line).replace("\n", " ")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


async def _stdio(server: Server[Any], line: str) -> None:
    async with stdio_server() as (read, write):
        _say(line)
        await server.run(read, write, server.create_initialization_options())


# ---------------------------------------------------------------------------------------------------------------- HTTP
def http_app(server: Server[Any], http: Http) -> Any:
    """The ASGI application."""
    app = server.streamable_http_app(
        streamable_http_path=http.path,
        host=http.host,
        max_request_body_size=_MAX_BODY,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=list(_with_ports(*LOOPBACK, http.netloc, *http.hosts)),
            allowed_origins=[
                *_with_ports(*(f"{scheme}://{name}" for scheme in ("http", "https") for name in LOOPBACK)),
                *http.origins,
            ],
        ),
    )
    return Doors(app, http)


def _with_ports(*names: str) -> Iterator[str]:
    for name in names:
        yield name
        yield f"{name}:*"


async def _http(server: Server[Any], http: Http, line: str) -> None:
    config = uvicorn.Config(
        http_app(server, http),
        http=Connection,
        host=http.host,
        port=http.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    listening = uvicorn.Server(config)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_announce, listening, http, line)
        await listening.serve()
        tasks.cancel_scope.cancel()


async def _announce(listening: uvicorn.Server, http: Http, line: str) -> None:
    """The first line, with the port that port 0 became."""
    while not listening.started:
        await anyio.sleep(0.005)
    port = listening.servers[0].sockets[0].getsockname()[1]
    _say(line.replace("{}", f"http://{http.netloc}:{port}{http.path}", 1))
