"""Tools in the form of model providers' APIs: each schema in the provider's dialect and envelope."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .tool import Tool


def tool_schemas(dialect: str, tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Tools in the form that a provider's API takes."""
    return [_wrapped(tool, dialect) for tool in tools]


def _wrapped(tool: Tool, dialect: str) -> dict[str, Any]:
    schema = tool.input_schema(dialect)
    if dialect == "mcp":
        return tool.as_mcp()
    if dialect.startswith("openai"):
        function: dict[str, Any] = {"name": tool.name, "description": tool.description, "parameters": schema}
        if dialect == "openai-strict":
            function["strict"] = True
        return {"type": "function", "function": function}
    if dialect.startswith("anthropic"):
        made: dict[str, Any] = {"name": tool.name, "description": tool.description, "input_schema": schema}
        if dialect == "anthropic-strict":
            made["strict"] = True
        return made
    return {"name": tool.name, "description": tool.description, "parameters": schema}
