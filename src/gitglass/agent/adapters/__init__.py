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

__all__ = ["beside", "chosen", "unapproved"]


def chosen(given: Iterable[Tool] | None, profile: str, options: dict[str, Any]) -> list[Tool]:
    """The tools given, or those of the profile."""
    return tools(profile, **options) if given is None else list(given)


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


def unapproved(answer: ToolAnswer) -> dict[str, Any] | None:
    """What the host is asked to approve, where that is why nothing has happened; plain data.

    `summary` and `risk` in words, `request` is the digest of what was asked. Where the host can write there are `plan`,
    the token that approves this very plan, and `preview`, its text for a person; None where not.
    """
    error = answer.error
    if error is None or error["code"] != "approval_required":
        return None
    details = error.get("details", {})
    return {"summary": error["message"], **{name: details.get(name) for name in ("risk", "request", "plan", "preview")}}
