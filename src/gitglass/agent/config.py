"""Document 3's configuration: the table `[tools.git]` of a TOML text, and which tools it registers."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import InvalidArgs

__all__ = ["GitToolConfig", "read_config"]


class GitToolConfig(BaseModel):
    """`[tools.git]`. `prefer_mcp`: an MCP server's tools take precedence over ours of the same name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(True, description="Whether the tools are there at all.")
    timeout_ms: Annotated[int, Field(ge=100, le=600_000)] = Field(30_000, description="Deadline where none is asked.")
    max_bytes: Annotated[int, Field(ge=1, le=5_000_000)] = Field(200_000, description="Output where none is asked.")
    workspace: dict[str, Any] = Field({}, description="Document 4's table (gitglass.workspace.setup).")
    prefer_mcp: bool = Field(False, description="Leave names to MCP tools that have them.")

    def keeps(self, name: str, mcp_names: set[str]) -> bool:
        """Whether our tool of a name is registered, next to MCP tools (FR-GIT-MCP-02, -03)."""
        return self.enabled and not (self.prefer_mcp and name in {_bare(other) for other in mcp_names})

    def hidden(self, mcp_names: set[str], ours: set[str]) -> set[str]:
        """MCP tools that are not registered because ours have their names."""
        if self.prefer_mcp or not self.enabled:
            return set()
        return {name for name in mcp_names if _bare(name) in ours}


def _bare(name: str) -> str:
    return name.rpartition("__")[2] if name.startswith("mcp__") else name


def read_config(text: str) -> GitToolConfig:
    """The configuration of a TOML text; defaults if it has no `[tools.git]`. Raises InvalidArgs."""
    try:
        table: Any = tomllib.loads(text)
        for key in ("tools", "git"):
            table = table.get(key, {})
        return GitToolConfig.model_validate(table)
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgs(f"configuration: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidArgs(f"tools.git.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except AttributeError:
        raise InvalidArgs("configuration: tools.git is not a table") from None
