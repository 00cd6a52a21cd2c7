"""What the tests of the tools share."""

from typing import Any

import pytest

from gitglass.agent import Roots, ToolAnswer, ToolContext, tools


@pytest.fixture
def ask(unpack: Any) -> Any:
    """ask(tool, arguments, fixture, **host): one call of a native tool."""
    by_name = {tool.name: tool for tool in tools()}

    def call(name: str, arguments: dict[str, Any], fixture: str = "plain", **host: Any) -> ToolAnswer:
        return by_name[name].call(arguments, ToolContext(Roots(unpack(fixture)), **host))

    return call
