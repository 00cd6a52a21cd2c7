"""gitglass: git repositories read in pure Python. No git binary, no subprocess, no write, inside a path jail.

    repo = gitglass.open("/workspace/project")
    repo.git(["log", "--oneline", "-n", "5"]).stdout     # git's argv in, git's bytes out
    repo.status().branch.ahead                           # or typed
    gitglass.git(["status", "-sb"], cwd="/workspace/project")

The names load on first use: importing the package costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what typing.TYPE_CHECKING is, without importing typing: `import gitglass` is a benchmark
if TYPE_CHECKING:
    from typing import Any

    from .completed import Completed as Completed
    from .errors import GitError as GitError
    from .limits import Limits as Limits
    from .repository import Repository as Repository
    from .repository import git as git
    from .repository import open as open
    from .sealed import seal as seal
    from .version import __version__ as __version__


_HOMES = {
    "Completed": "completed",
    "Repository": "repository",
    "git": "repository",
    "open": "repository",
    "seal": "sealed",
    "Limits": "limits",
    "GitError": "errors",
    "__version__": "version",
}

__all__ = ["Completed", "GitError", "Limits", "Repository", "__version__", "git", "open", "seal"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
