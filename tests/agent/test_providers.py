"""agent/providers.py: the envelope in which each provider's API takes a tool."""

from typing import Any

import pytest

from gitglass.agent import tools
from gitglass.agent.providers import tool_schemas
from gitglass.agent.tool import Tool


@pytest.fixture
def tool() -> Tool:
    return tools(only=["git_log"])[0]


@pytest.mark.parametrize(
    ("dialect", "path", "more"),
    [
        ("openai", ("function", "parameters"), {"type"}),
        ("openai-strict", ("function", "parameters"), {"type"}),
        ("anthropic", ("input_schema",), {"name", "description"}),
        ("anthropic-strict", ("input_schema",), {"name", "description", "strict"}),
        ("gemini", ("parameters",), {"name", "description"}),
    ],
)
def test_where_the_schema_stands(tool: Tool, dialect: str, path: tuple[str, ...], more: set[str]) -> None:
    (sent,) = tool_schemas(dialect, [tool])
    assert set(sent) == more | {path[0]}
    inner: Any = sent
    for key in path:
        inner = inner[key]
    assert inner == tool.input_schema(dialect)
    named = sent.get("function", sent)
    assert (named["name"], named["description"]) == ("git_log", tool.description)
    assert named.get("strict") is (True if dialect.endswith("strict") else None)


def test_an_openai_tool_says_that_it_is_a_function(tool: Tool) -> None:
    assert tool_schemas("openai", [tool])[0]["type"] == "function"


def test_mcp_has_an_envelope_of_its_own_and_the_order_is_kept(tool: Tool) -> None:
    assert tool_schemas("mcp", [tool]) == [tool.as_mcp()]
    other = tools(only=["git_show"])[0]
    assert [sent["name"] for sent in tool_schemas("anthropic", [other, tool])] == ["git_show", "git_log"]
