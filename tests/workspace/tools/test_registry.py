"""Toolsets by name: each name once, unknown ones say which there are."""

import pytest

from gitglass.errors import InvalidArgs, NotFound
from gitglass.workspace.tools.registry import Toolsets


def test_by_name() -> None:
    toolsets = Toolsets.usual()
    assert toolsets.names == ["git", "ws"] and "git" in toolsets and "svn" not in toolsets
    assert "git_push" in toolsets.tools({"git": None}) and "ws_push" in toolsets.tools({"ws": {}, "git": {}})
    with pytest.raises(InvalidArgs, match="'git' is there already"):
        toolsets.register("git", lambda _: [])
    with pytest.raises(NotFound, match="unknown toolset 'svn'") as caught:
        toolsets.tools({"svn": {}})
    assert caught.value.hint == "Toolsets: git, ws."
    toolsets.register("more", lambda config: list(Toolsets.usual().tools({"git": config}).values()))
    with pytest.raises(InvalidArgs, match="two toolsets have the tool 'git_status'"):
        toolsets.tools({"git": {}, "more": {}})
