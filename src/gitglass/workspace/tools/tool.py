"""WsTool: a tool that works on a workspace of the host's desk, through the frame that all tools have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from ...agent.answer import ToolAnswer
from ...agent.budget import Unit
from ...agent.native.writers.change import with_plan
from ...agent.sizes import MOST_TEXT_BYTES
from ...agent.tool import Call, Hints, Tool, ToolContext, Uncut
from ...agent.visible import visible_value
from ...errors import GitError, Unsupported
from ..desk import Desk
from ..workspace import Workspace

_REMEDIES = {
    "conflict": "ws_status shows what is in conflict; ws_read shows the file as it is.",
    "approval_denied": "Nothing left the workspace: change what was rejected, or do something else.",
}


class WsParams(BaseModel):
    """The root of parameters: closed, with the workspace's handle."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    workspace: str | None = None


class WsTool(Tool):
    """A tool of a desk. `respond(desk, workspace, parameters, call)` returns the answer, uncut. `whole_files`: its
    arguments include contents of files."""

    __slots__ = ("respond",)

    def __init__(
        self,
        name: str,
        description: str,
        parameters: type[BaseModel],
        respond: Callable[[Desk, Workspace, Any, Call], Uncut],
        *,
        hints: Hints | None = None,
        title: str | None = None,
        other_names: Mapping[str, tuple[str, ...]] | None = None,
        whole_files: bool = False,
    ) -> None:
        super().__init__(
            name, description, parameters, self._answered, hints=hints or Hints(read_only=False, idempotent=False),
            needs_repository=False, other_names=other_names or {}, title=title, rows="",
        )  # fmt: skip
        self.respond = respond
        self.most_text = 12 << 20 if whole_files else MOST_TEXT_BYTES

    def _answered(self, call: Call, asked: Any) -> Uncut:
        desk = call.host.desk
        if not isinstance(desk, Desk):
            raise Unsupported("there is no workspace here", hint="The host has to give a desk.")
        return self.respond(desk, desk.workspace(getattr(asked, "workspace", None)), asked, call)

    def failure(self, error: GitError) -> ToolAnswer:
        """See `Tool.failure`."""
        if error.hint is None:
            error.hint = _REMEDIES.get(error.code)
        return super().failure(error)

    def bounded(self, answer: ToolAnswer, ctx: ToolContext, asked: Any = None) -> ToolAnswer:
        """The answer within the budget; if a push has to be approved, with its preview and the plan's digest."""
        return super().bounded(with_plan(answer, ctx), ctx, asked)


def whole(text: str, fields: dict[str, Any]) -> Uncut:
    """An answer in one piece, with its typed form."""
    return Uncut([Unit(lambda: text)], "answer", fields=lambda: _visible(fields), total=1)


def lines(
    call: Call, raw: bytes, noun: str = "lines", *, state: bytes = b"", fields: dict[str, Any] | None = None
) -> Uncut:
    """An answer in lines, which is cut and continued by a cursor."""
    units = call.line_units(raw)
    typed = None if fields is None else lambda: _visible(fields)
    return Uncut(units, noun, fields=typed, total=len(units), state=state)


def rows(call: Call, listed: Iterable[tuple[str, dict[str, Any]]], noun: str, key: str, state: bytes = b"") -> Uncut:
    """An answer in rows, each with its typed form."""
    units = [Unit(lambda text=text: text, lambda row=row: _visible(row)) for text, row in listed]  # type: ignore[misc]
    return Uncut(units, noun, key, total=len(units), state=state, empty=lambda: f"no {noun}")


def _visible(fields: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {name: visible_value(value) for name, value in fields.items()}
    return made
