"""Adapters: gitglass' tools as other frameworks' tools, a module each. None of them imports `mcp`.

Nothing registers itself: a host asks an adapter for the tools of a profile and hands them to its agent. The framework
is imported by its adapter only, and so needed only by those who have it (`gitglass[pydantic-ai]`,
`gitglass[langchain]`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..answer import ToolAnswer
from ..tool import Tool, tools

__all__ = ["beside", "chosen"]


def chosen(found: Iterable[Tool] | None, profile: str, options: dict[str, Any]) -> list[Tool]:
    """The tools given, or those of the profile."""
    return tools(profile, **options) if found is None else list(found)


def beside(answer: ToolAnswer) -> dict[str, Any]:
    """What a program may want to know of an answer beside the text that the model reads; plain data."""
    return {
        "truncated": answer.truncated,
        "reason": answer.reason,
        "shown": answer.shown,
        "total": answer.total,
        "next_cursor": answer.next_cursor,
        "notes": list(answer.notes),
        "result": answer.result,
        "untrusted": answer.untrusted,
    }
