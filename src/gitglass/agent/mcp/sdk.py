"""The MCP SDK's packages without what their `__init__` imports.

`import mcp` imports clients, a high-level server and what signs in to servers: a third of the memory that
a server of tools would take, for nothing that it uses. Here the packages are put in place with their modules to be
found, and their `__init__` is run when somebody asks for one of its names.

The module of its server imports a web framework for the HTTP transports, 6 MB and 100 modules. Over stdio these names
are stand-ins, which refuse to be called. They are out of `sys.modules` when the server is imported: whoever imports the
framework gets it. Nor is OpenSSL loaded then, 5 MB that asyncio and `secrets` are made to do without: there is nothing
to encrypt.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

PACKAGES = ("mcp", "mcp.server")

#: the module of the server, and what it imports for HTTP alone
SERVER = "mcp.server.lowlevel.server"
LOOP = "anyio._backends._asyncio"  # what `anyio.run` imports; for connections with TLS it imports ssl
HTTP = (
    "starlette.applications", "starlette.middleware", "starlette.middleware.authentication", "starlette.routing",
    "mcp.server.auth.middleware.auth_context", "mcp.server.auth.middleware.bearer_auth", "mcp.server.auth.provider",
    "mcp.server.auth.routes", "mcp.server.auth.settings", "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager", "mcp.server.transport_security",
)  # fmt: skip

#: what loads OpenSSL; the standard library does without where it is not built
OPENSSL = ("ssl", "_ssl", "_hashlib")


def prepare_packages(*, http: bool = True) -> None:
    """Put the packages in place, unless the SDK is imported already. Where it is not installed nothing is done.

    `http`: whether the server is to speak HTTP; else it is imported here, without what only HTTP needs.
    """
    if "mcp" in sys.modules:
        return
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is None or spec.loader is None:
            return
        module = module_from_spec(spec)
        module.__getattr__ = _loader(module, spec.loader)  # type: ignore[method-assign]
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            sys.modules[parent].__dict__[child] = module
    if not http:
        _import_for_stdio()


@contextmanager
def without_openssl() -> Iterator[list[str]]:
    """Import without what loads OpenSSL, which takes 3 MB; the names that were not there yet. Who asks for it later has
    it."""
    unbuilt = [name for name in OPENSSL if name not in sys.modules]
    hashing = "hashlib" in sys.modules
    sys.modules.update(dict.fromkeys(unbuilt))  # type: ignore[arg-type]
    try:
        yield unbuilt
    finally:
        for name in unbuilt:
            sys.modules.pop(name, None)
        if not hashing:  # made without OpenSSL it is ten times slower: who imports it now has the whole one
            sys.modules.pop("hashlib", None)


def _import_for_stdio() -> None:
    """Import the server, and what runs it, with stand-ins for what only HTTP needs."""
    absent = [name for name in HTTP if name not in sys.modules]
    with without_openssl() as unbuilt:
        _import_server(absent, unbuilt)


def _import_server(absent: list[str], unbuilt: list[str]) -> None:
    shared = import_module("pydantic").BaseModel.model_config
    try:
        shared["defer_build"] = True  # most of the protocol's models are never met: each is built when it is needed
        import_module("asyncio")
        for name in absent + [name for name in unbuilt if name == "ssl"]:
            module = sys.modules[name] = ModuleType(name)
            module.__getattr__ = _stand_in(name)  # type: ignore[method-assign]
        import_module(SERVER)
        import_module(LOOP)
    finally:
        del shared["defer_build"]
        for name in absent:
            sys.modules.pop(name, None)


def _stand_in(module: str) -> Any:
    def make(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def refuse(self: object, *arguments: object, **named: object) -> None:
            raise RuntimeError(f"{module}.{name} belongs to HTTP, and this process was started for stdio")

        return type(name, (), {"__init__": refuse, "__module__": module})

    return make


def _loader(module: Any, loader: Any) -> Any:
    def load(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        del module.__getattr__
        loader.exec_module(module)
        return getattr(module, name)

    return load
