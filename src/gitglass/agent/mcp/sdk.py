"""The MCP SDK's packages without what their `__init__` imports.

`import mcp` imports clients, a high-level server and what signs in to servers: a third of the memory that
a server of tools would take, for nothing that it uses. Here the packages are put in place with their modules to be
found, and their `__init__` is run when somebody asks for one of its names.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from typing import Any

PACKAGES = ("mcp", "mcp.server")


def prepare_packages() -> None:
    """Put the packages in place, unless the SDK is imported already. Where it is not installed nothing is done."""
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


def _loader(module: Any, loader: Any) -> Any:
    def load(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        del module.__getattr__
        loader.exec_module(module)
        return getattr(module, name)

    return load
