"""agent/schema.py: the tool list stays small, and each dialect keeps to its provider's rules."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gitglass.agent import DIALECTS, Hints, tool_schemas, tools
from gitglass.errors import InvalidArgs


def parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from parts(item)


def test_the_tool_list_is_paid_for_on_every_turn() -> None:
    listed = {"tools": [tool.as_mcp() for tool in tools()]}
    assert len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode()) <= 9500
    names = [tool.name for tool in tools()]
    assert len(set(names)) == len(names)
    assert all(tool.hints == Hints(True, False, True, False) for tool in tools())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_titles_references_or_null_defaults(dialect: str) -> None:
    listed = [{key: value for key, value in tool.items() if key != "title"} for tool in tool_schemas(dialect)]
    for part in parts(listed):  # MCP's title of the tool itself stands beside the schema
        assert "$ref" not in part
        assert part.get("default", 0) is not None
        assert not isinstance(part.get("title"), str)


def schema(dialect: str, tool: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = tool.get("function", tool).get("parameters") or tool["input_schema"]
    return found


def test_openai_strict() -> None:
    for tool in tool_schemas("openai-strict"):
        assert tool["function"]["strict"] is True
        root = schema("openai-strict", tool)
        assert root["required"] == list(root["properties"])
        assert root["additionalProperties"] is False
        for part in parts(list(root["properties"].values())):
            assert not set(part) & {"minimum", "maximum", "minLength", "maxLength", "default", "pattern", "oneOf"}


def test_anthropic_strict() -> None:
    for tool in tool_schemas("anthropic-strict"):
        root = schema("anthropic-strict", tool)
        assert tool["strict"] is True and tool["input_schema"] == root
        assert root["additionalProperties"] is False
        for part in parts(list(root["properties"].values())):
            assert not set(part) & {"minimum", "maximum", "minLength", "maxLength"}
            assert part.get("minItems", 0) in (0, 1)


def test_gemini_says_nullable() -> None:
    for part in [
        p for tool in tool_schemas("gemini") for p in parts(list(schema("gemini", tool)["properties"].values()))
    ]:
        assert not isinstance(part.get("type"), list)
        assert "anyOf" not in part or "type" in part
        assert None not in part.get("enum", [])
    (log,) = [tool for tool in tool_schemas("gemini") if tool["name"] == "git_log"]
    rev = schema("gemini", log)["properties"]["rev"]
    assert (rev["type"], rev["nullable"]) == ("string", True)


def test_an_unknown_dialect_or_tool() -> None:
    with pytest.raises(InvalidArgs):
        tool_schemas("yaml")
    with pytest.raises(InvalidArgs):
        tools(only=["git_push"])
    with pytest.raises(InvalidArgs):
        tools("no-such-profile")
