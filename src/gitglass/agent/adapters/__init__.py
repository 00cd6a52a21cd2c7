"""Adapters: gitglass' tools as tools of other frameworks, one module each. None of them imports `mcp`.

Nothing registers itself: a host asks an adapter for the tools of a profile and hands them to its agent. A framework is
imported only by its adapter, so only its users need it (`gitglass[pydantic-ai]`, `gitglass[langchain]`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..answer import ToolAnswer
from ..tool import Tool, tools

__all__ = ["beside", "chosen", "unapproved"]


def chosen(given: Iterable[Tool] | None, profile: str, options: dict[str, Any]) -> list[Tool]:
    """The given tools, or those of the profile."""
    return tools(profile, **options) if given is None else list(given)


def beside(answer: ToolAnswer) -> dict[str, Any]:
    """What a program may use of an answer, in addition to the text that the model reads; plain data."""
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
    """What the host has to approve, if an answer waits for its approval; plain data.

    `summary` and `risk` are texts, `request` is the digest of the request. If the host can write, `plan` is the token
    that approves exactly this plan, and `preview` its text for a person; otherwise both are None.
    """
    error = answer.error
    if error is None or error["code"] != "approval_required":
        return None
    details = error.get("details", {})
    return {"summary": error["message"], **{name: details.get(name) for name in ("risk", "request", "plan", "preview")}}
