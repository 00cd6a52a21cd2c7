"""A server on its transport: stdio, or streamable HTTP (`http.py`)."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from ...deferred import deferred
from ...version import __version__
from ...visible import visible_text
from .server import make_server
from .settings import Settings, tools_of

if TYPE_CHECKING:
    from .http import http_app, serve_http
else:
    http_app, serve_http = deferred(__name__, ".http", "http_app", "serve_http")

__all__ = ["http_app", "serve"]


def serve(settings: Settings, script: str) -> None:
    """Serve until the client, or Ctrl-C, ends it."""
    level = (logging.ERROR, logging.INFO, logging.DEBUG)[min(settings.verbose, 2)]
    logging.basicConfig(level=level, stream=sys.stderr)
    if not settings.verbose:
        logging.getLogger().handlers[0].setFormatter(_Brief(logging.BASIC_FORMAT))
    server = make_server(settings)
    if settings.http is None:
        # Ctrl-C ends it immediately: an orderly end would wait for the next line of stdin
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        anyio.run(_stdio, server, _first_line(settings, script, "stdio"))
    else:
        with contextlib.suppress(KeyboardInterrupt):
            anyio.run(serve_http, server, settings.http, _first_line(settings, script, "{}"))


class _Brief(logging.Formatter):
    """One visible line for a record. What a client sends or leaves unsent makes the SDK log exceptions: no traceback is
    shown, the exception is named."""

    def format(self, record: logging.LogRecord) -> str:
        return visible_text(super().format(record)).replace("\n", " ")

    def formatException(self, ei: Any) -> str:
        return f"({ei[0].__name__})"

    def formatStack(self, stack_info: str) -> str:
        return ""


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
        await server.run(_Read(read, write), write, server.create_initialization_options())


class _Read:
    """The messages of a client. A line that is none is answered with JSON-RPC's error for it, without an id, as none
    can be told; the SDK hands such a line on as an exception, and leaves the client without an answer."""

    def __init__(self, stream: Any, write: Any) -> None:
        self._stream, self._write = stream, write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> _Read:
        return self

    async def __anext__(self) -> Any:
        async for message in self._stream:
            if not isinstance(message, Exception):
                return message
            await self._write.send(SessionMessage(_no_message(message)))
        raise StopAsyncIteration

    async def __aenter__(self) -> _Read:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> bool | None:
        closed: bool | None = await self._stream.__aexit__(*raised)
        return closed


def _no_message(error: Exception) -> types.JSONRPCError:
    """`-32700` for a line that is no JSON, `-32600` for one that is no request."""
    if isinstance(error, ValidationError) and error.errors(include_input=False)[0]["type"] != "json_invalid":
        data = types.ErrorData(code=types.INVALID_REQUEST, message="Invalid Request")
    else:
        data = types.ErrorData(code=types.PARSE_ERROR, message="Parse error")
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=data)
