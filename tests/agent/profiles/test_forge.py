"""agent/profiles/forge.py: which of git's words each parameter of document 3 becomes, and what is refused; values."""

from __future__ import annotations

from typing import Any

import pytest

from gitglass.agent import Roots, ToolContext, tools
from gitglass.agent.profiles import forge
from gitglass.agent.profiles.forge import GitToolConfig, register_git_tools
from gitglass.agent.tool import Tool
from gitglass.errors import InvalidArgs
from gitglass.request.mutations import PatchFilesRequest

WORDS: list[tuple[str, dict[str, Any], str]] = [
    ("status", {}, "status --porcelain=v1 -b"),
    ("status", {"branch": False}, "status --porcelain=v1"),
    ("status", {"porcelain": False}, "status"),
    ("status", {"untracked": False}, "status --porcelain=v1 -b -uno"),
    ("diff", {}, "diff --"),
    ("diff", {"cached": True}, "diff --cached --"),
    ("diff", {"name_only": True}, "diff --name-only --"),
    ("diff", {"stat": True, "unified": 0}, "diff --stat -U0 --"),
    ("diff", {"name_only": True, "stat": True}, "diff --name-only --"),
    ("diff", {"from_ref": "v1.0"}, "diff v1.0 --"),
    ("diff", {"to_ref": "v1.0"}, "diff HEAD..v1.0 --"),
    ("diff", {"from_ref": "v1.0", "to_ref": "v2.0", "paths": ["src", "docs"]}, "diff v1.0..v2.0 -- src docs"),
    ("log", {}, "log --"),
    ("log", {"max_count": 3, "oneline": True}, "log --max-count=3 --oneline --"),
    ("log", {"format": "%H", "oneline": True}, "log --format=%H --"),
    (
        "log",
        {"author": "a", "since": "b", "until": "c", "grep": "d", "path": "src"},
        "log --author=a --since=b --until=c --grep=d -- src",
    ),
    ("show", {}, "show HEAD --"),
    ("show", {"stat": True, "format": "%s"}, "show --stat --format=%s HEAD --"),
    ("show", {"name_only": True, "stat": True, "commit": "v1.0"}, "show --name-only v1.0 --"),
    ("blame", {"path": "f"}, "blame -- f"),
    ("blame", {"path": "f", "start_line": 2}, "blame -L2, -- f"),
    ("blame", {"path": "f", "end_line": 3}, "blame -L1,3 -- f"),
    ("blame", {"path": "f", "start_line": 3, "end_line": 3, "commit": "v1.0"}, "blame -L3,3 v1.0 -- f"),
    ("branch", {}, "branch -v"),
    ("branch", {"list_all": True}, "branch -v -a"),
    ("branch", {"list_remote": True}, "branch -v -r"),
    ("branch", {"create": "x"}, "branch x"),
    ("branch", {"delete": "x"}, "branch -d x"),
    ("branch", {"force_delete": "x"}, "branch -D x"),
    ("branch", {"rename": "x", "new_name": "y"}, "branch -m x y"),
    ("stash", {}, "stash push"),
    ("stash", {"include_untracked": True, "message": "m"}, "stash push -u -m m"),
    ("stash", {"action": "list", "index": 1}, "stash list"),
    ("stash", {"action": "clear"}, "stash clear"),
    ("stash", {"action": "pop"}, "stash pop stash@{0}"),
    ("stash", {"action": "show", "index": 2}, "stash show stash@{2}"),
]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("diff", {"cached": True, "from_ref": "a"}, "cached cannot be used with from_ref/to_ref"),
    ("diff", {"cached": True, "to_ref": "a"}, "cached cannot be used with from_ref/to_ref"),
    ("diff", {"output_dir": "o", "from_ref": "a"}, "output_dir requires both from_ref and to_ref"),
    ("diff", {"output_dir": "o", "to_ref": "a"}, "output_dir requires both from_ref and to_ref"),
    (
        "diff",
        {"output_dir": "o", "from_ref": "a", "to_ref": "b", "stat": True},
        "output_dir cannot be used with name_only or stat",
    ),
    (
        "diff",
        {"output_dir": "o", "from_ref": "a", "to_ref": "b", "name_only": True},
        "output_dir cannot be used with name_only or stat",
    ),
    ("blame", {"path": " "}, "path must not be empty"),
    ("blame", {"path": "f", "start_line": 3, "end_line": 2}, "start_line must be <= end_line"),
    ("branch", {"rename": "x"}, "rename requires new_name"),
]


def by_name(**more: Any) -> dict[str, Tool]:
    return {tool.name: tool for tool in tools("forge", **more)}


def request_of(name: str, arguments: dict[str, Any]) -> Any:
    model = next(model for tool, _, model, _, _ in forge._TOOLS if tool == f"git_{name}")
    return getattr(forge, f"_{name}")(model(**arguments))


@pytest.mark.parametrize(("name", "arguments", "words"), WORDS)
def test_parameters_become_words_of_git(name: str, arguments: dict[str, Any], words: str) -> None:
    assert request_of(name, arguments) == words.split()


@pytest.mark.parametrize(("name", "arguments", "words"), REFUSED)
def test_what_does_not_go_together(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgs) as caught:
        request_of(name, arguments)
    assert caught.value.message == words


def test_a_folder_of_patches_is_a_change() -> None:
    asked = request_of("diff", {"output_dir": "o", "from_ref": "a", "to_ref": "b", "paths": ["p"], "unified": 1})
    assert asked == PatchFilesRequest(from_ref="a", to_ref="b", folder="o", paths=["p"], unified=1)


def test_ten_minutes_are_the_most(unpack: Any) -> None:
    host = ToolContext(Roots([unpack("plain")]))
    listed = by_name(mutating=True)
    assert not listed["git_log"].call({"timeout_ms": 600_000}, host).is_error
    for name in ("git_log", "git_add"):
        answer = listed[name].call({"timeout_ms": 600_001, **({"paths": ["x"]} if name == "git_add" else {})}, host)
        assert answer.text == "timeout_ms cannot exceed 600000"
    answer = listed["git_add"].call({"timeout_ms": 600_000, "paths": ["x"]}, host)
    assert answer.is_error and answer.text != "timeout_ms cannot exceed 600000"


def test_hosts_are_told_what_may_change_something() -> None:
    listed = by_name(mutating=True)
    changing = {"git_branch", "git_stash", "git_add", "git_restore", "git_commit", "git_checkout"}
    assert {name for name, tool in listed.items() if not tool.hints.read_only} == changing
    patches = by_name(patches=True)
    assert not patches["git_diff"].hints.read_only and patches["git_diff"].hints.destructive
    assert patches["git_log"].hints.read_only and listed["git_diff"].hints.read_only


def test_registration_takes_the_configuration() -> None:
    class Registry:
        def __init__(self) -> None:
            self.names: list[str] = []

        def register(self, tool: Tool) -> None:
            self.names.append(tool.name)

    registry = Registry()
    register_git_tools(registry)
    assert registry.names == list(by_name())
    register_git_tools(registry, mutating=True)
    assert registry.names == [*by_name(), *by_name(mutating=True)]
    register_git_tools(registry, GitToolConfig(enabled=False))
    assert len(registry.names) == len(by_name()) + len(by_name(mutating=True))


def test_schemas_for_providers_keep_every_parameter() -> None:
    for tool in tools("forge", mutating=True):
        plain = tool.input_schema("mcp")["properties"]
        for dialect in ("openai", "anthropic"):
            schema = tool.input_schema(dialect)
            assert schema["properties"].keys() == plain.keys(), (tool.name, dialect)
