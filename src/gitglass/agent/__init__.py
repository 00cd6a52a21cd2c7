"""The agent's door: repositories for models, as tools with bounded and complete answers.

    from gitglass.agent import Roots, ToolContext, tools

    ctx = ToolContext(Roots(["/workspace/project"]))
    for tool in tools():
        print(tool.name, tool.input_schema())
    print(tools(only=["git_log"])[0].call({"max_count": 5}, ctx).text)

The names load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .answer import ToolAnswer as ToolAnswer
    from .audit import AuditRecord as AuditRecord
    from .budget import Budget as Budget
    from .roots import Roots as Roots
    from .schema import DIALECTS as DIALECTS
    from .tool import Hints as Hints
    from .tool import Tool as Tool
    from .tool import ToolContext as ToolContext
    from .tool import tools as tools

_HOMES = {
    "AuditRecord": "audit",
    "Budget": "budget",
    "DIALECTS": "schema",
    "Hints": "tool",
    "Roots": "roots",
    "Tool": "tool",
    "ToolAnswer": "answer",
    "ToolContext": "tool",
    "tools": "tool",
}

__all__ = [*_HOMES, "tool_schemas"]


def tool_schemas(dialect: str = "mcp", profile: str = "native", **options: Any) -> list[dict[str, Any]]:
    """The tools of a profile in the form of a provider's API; `DIALECTS` lists the dialects."""
    schemas: list[dict[str, Any]] = import_module(".providers", __name__).tool_schemas(
        dialect, import_module(".tool", __name__).tools(profile, **options)
    )
    return schemas


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
