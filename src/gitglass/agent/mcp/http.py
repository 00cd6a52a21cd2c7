"""Streamable HTTP with uvicorn, whose Host and Origin headers are checked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from .doors import LOOPBACK, Connection, Doors
from .sessions import Sessions
from .settings import Http

#: a request is a few hundred bytes; this is generous
_MAX_BODY = 1 << 20


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
    return Doors(Sessions(app), http)


def _with_ports(*names: str) -> Iterator[str]:
    for name in names:
        yield name
        yield f"{name}:*"


async def serve_http(server: Server[Any], http: Http, line: str) -> None:
    """Serve until stopped; when it listens, `line` is printed with the address in place of `{}`."""
    config = uvicorn.Config(
        http_app(server, http),
        http=Connection,
        host=http.host,
        port=http.port,
        log_config=None,
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
    """The first line, with the actual port in place of port 0."""
    while not listening.started:
        await anyio.sleep(0.005)
    port = listening.servers[0].sockets[0].getsockname()[1]
    sys.stderr.write(line.replace("{}", f"http://{http.netloc}:{port}{http.path}", 1) + "\n")
    sys.stderr.flush()
