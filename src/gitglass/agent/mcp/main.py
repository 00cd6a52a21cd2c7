"""The scripts `gitglass-mcp` and `gitglass-mcp-server-git`."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from .sdk import prepare_packages, without_openssl

with without_openssl():  # importing the settings imports pydantic
    from .settings import DROP_IN, Settings, UsageError, read_options

__all__ = ["main", "main_mcp_server_git"]


def main(argv: list[str] | None = None, *, script: str = "gitglass-mcp", profile: str = "native") -> int:
    """Serve as the command line says; returns the exit status."""
    try:
        settings = read_options(sys.argv[1:] if argv is None else argv, script, profile, os.environ.get)
        _serve(settings, script)
    except UsageError as error:
        sys.stderr.write(f"{script}: {error}\n")
        return error.status
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio", "uvicorn"):
            raise
        sys.stderr.write(f"{script}: the extra 'mcp' is not installed: pip install 'gitglass[mcp]'\n")
        return 1
    return 0


def _serve(settings: Settings, script: str) -> None:
    """Import the server, which takes half a second that --help does not need, and serve.

    The garbage collector would repeatedly traverse the modules being loaded, which stay: it is off until loading is
    over, and leaves them out from then on. While it runs, no other client is answered.
    """
    collecting = gc.isenabled()
    gc.disable()
    prepare_packages(http=settings.http is not None)
    try:
        serve = import_module(".serve", __package__).serve
        gc.freeze()
    finally:
        if collecting:
            gc.enable()
    serve(settings, script)


def main_mcp_server_git(argv: list[str] | None = None) -> int:
    """The drop-in replacement for mcp-server-git."""
    return main(argv, script="gitglass-mcp-server-git", profile=DROP_IN)


if __name__ == "__main__":
    sys.exit(main())
