"""Imports the MCP SDK's packages without the imports of their `__init__`.

`import mcp` imports clients, a high-level server and the code that signs in to servers: a third of the memory of a
server of tools, which uses none of it. Here the packages are registered so that their modules can be imported, and a
package's `__init__` only runs when one of its names is used.

The module of its server imports a web framework for the HTTP transports, 6 MB and 100 modules. For stdio these names
are replaced by stand-ins, which refuse to be called. The stand-ins are removed from `sys.modules` once the server is
imported: later imports get the real framework. OpenSSL, 5 MB, is not loaded either; asyncio and `secrets` are made to
work without it: there is nothing to encrypt.
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

#: the module of the server, and its imports that only HTTP needs
SERVER = "mcp.server.lowlevel.server"
LOOP = "anyio._backends._asyncio"  # imported by `anyio.run`; it imports ssl for TLS connections
HTTP = (
    "starlette.applications", "starlette.middleware", "starlette.middleware.authentication", "starlette.routing",
    "mcp.server.auth.middleware.auth_context", "mcp.server.auth.middleware.bearer_auth", "mcp.server.auth.provider",
    "mcp.server.auth.routes", "mcp.server.auth.settings", "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager", "mcp.server.transport_security",
)  # fmt: skip

#: modules that load OpenSSL; the standard library works without them, as in builds without OpenSSL
OPENSSL = ("ssl", "_ssl", "_hashlib")


def prepare_packages(*, http: bool = True) -> None:
    """Register the packages, unless the SDK is imported already. If it is not installed nothing is done.

    `http`: whether the server is to speak HTTP; if not, its module is imported here, without its imports for HTTP.
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
    """Imports in the `with` block load no OpenSSL, which takes 3 MB; gives the list of missing modules. Later imports
    can load it."""
    unbuilt = [name for name in OPENSSL if name not in sys.modules]
    hashing = "hashlib" in sys.modules
    sys.modules.update(dict.fromkeys(unbuilt))  # type: ignore[arg-type]
    try:
        yield unbuilt
    finally:
        for name in unbuilt:
            sys.modules.pop(name, None)
        if not hashing:  # without OpenSSL it is ten times slower: later imports get the complete module
            sys.modules.pop("hashlib", None)


def _import_for_stdio() -> None:
    """Import the server and the code that runs it, with stand-ins for the modules that only HTTP needs."""
    absent = [name for name in HTTP if name not in sys.modules]
    with without_openssl() as unbuilt:
        _import_server(absent, unbuilt)


def _import_server(absent: list[str], unbuilt: list[str]) -> None:
    shared = import_module("pydantic").BaseModel.model_config
    try:
        shared["defer_build"] = True  # most of the protocol's models are never used: each is built on first use
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
