"""Toolsets by name, as document 4 registers them: a worker has those that its configuration names.

toolsets = Toolsets()
toolsets.register("git", lambda config: document4.tools())
toolsets.tools({"git": {}})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...agent.tool import Tool
from ...errors import InvalidArgs, NotFound
from . import document4, ws

#: makes the tools from a worker's configuration of the toolset
Factory = Callable[[Mapping[str, Any]], Sequence[Tool]]


class Toolsets:
    """Factories of tools by the name of the toolset."""

    def __init__(self) -> None:
        self._factories: dict[str, Factory] = {}

    @classmethod
    def usual(cls) -> Toolsets:
        """The toolsets of workspaces: `git` with document 4's tools, `ws` with our own."""
        made = cls()
        made.register("git", lambda _: document4.tools())
        made.register("ws", lambda _: ws.tools())
        return made

    def register(self, name: str, factory: Factory) -> None:
        """Add a toolset. Raises InvalidArgs for a name that exists already."""
        if name in self._factories:
            raise InvalidArgs(f"toolset '{name}' is there already")
        self._factories[name] = factory

    def __contains__(self, name: object) -> bool:
        return name in self._factories

    @property
    def names(self) -> list[str]:
        """The names of all, in the order in which they were added."""
        return list(self._factories)

    def tools(self, wanted: Mapping[str, Mapping[str, Any] | None]) -> dict[str, Tool]:
        """The tools of a worker by the names of toolsets. Raises NotFound for an unknown toolset, with the known ones;
        InvalidArgs if two toolsets have a tool of one name."""
        made: dict[str, Tool] = {}
        for name, config in wanted.items():
            if name not in self._factories:
                there = ", ".join(self._factories) or "none"
                raise NotFound(f"unknown toolset '{name}'", hint=f"Toolsets: {there}.", name=name)
            for tool in self._factories[name](config or {}):
                if tool.name in made:
                    raise InvalidArgs(f"two toolsets have the tool '{tool.name}'", name=tool.name)
                made[tool.name] = tool
        return made
