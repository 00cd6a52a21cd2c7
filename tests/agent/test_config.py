"""Document 3's configuration."""

from typing import Any

import pytest

from gitglass.agent import Roots, Tool, ToolContext
from gitglass.agent.config import GitToolConfig, read_config
from gitglass.agent.profiles.forge import MARKER, register_git_tools
from gitglass.errors import InvalidArgs


def registered(config: GitToolConfig) -> list[Tool]:
    found: list[Tool] = []

    class Registry:
        def register(self, tool: Tool) -> None:
            found.append(tool)

    register_git_tools(Registry(), config)
    return found


def test_defaults() -> None:
    config = read_config("")
    assert (config.enabled, config.timeout_ms, config.max_bytes) == (True, 30_000, 200_000)
    assert [tool.name for tool in registered(config)] == [
        "git_status", "git_diff", "git_log", "git_show", "git_blame", "git_branch", "git_stash",
    ]  # fmt: skip


def test_disabled() -> None:
    assert registered(read_config("[tools.git]\nenabled = false")) == []


def test_defaults_of_the_calls(unpack: Any) -> None:
    log = registered(read_config("[tools.git]\nmax_bytes = 100"))[2]
    ctx = ToolContext(Roots([unpack("plain")]))
    assert log.call({}, ctx).text.endswith(MARKER)
    assert not log.call({"max_bytes": 5_000_000}, ctx).truncated


@pytest.mark.parametrize(
    "text", ["[tools.git]\ntimeout_ms = 99", "[tools.git]\nmax_bytes = 0", "[tools.git]\nx = 1", "[", "tools = 1"]
)
def test_bad(text: str) -> None:
    with pytest.raises(InvalidArgs):
        read_config(text)


def test_fr_git_mcp_02_03() -> None:
    mcp, ours = {"mcp__tools__git_status", "mcp__tools__other"}, {"git_status", "git_log"}
    assert GitToolConfig().hidden(mcp, ours) == {"mcp__tools__git_status"}
    reverse = GitToolConfig(prefer_mcp=True)
    assert reverse.hidden(mcp, ours) == set()
    assert not reverse.keeps("git_status", mcp) and reverse.keeps("git_log", mcp)
