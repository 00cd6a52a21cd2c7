"""Asks the client for a person's approval of a change by elicitation, in both versions of the protocol.

Clients of 2026-07-28 get the answer that input is required, with the plan's token as request state, which the SDK seals
and binds to that call; they repeat the call with the person's response. Older clients are asked while the call waits. A
client that declares no form elicitation gets the answer `approval_required` unchanged. An approval is an accepted form
whose only field is true; it is valid only for the plan that was shown.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import is_version_at_least

from ..answer import ToolAnswer

__all__ = ["APPROVED_META", "accepted", "can_ask", "input_required", "is_modern", "plan_of", "question", "response"]

#: the key of a plan's token in a call's `_meta`, if the command line allows approval that way
APPROVED_META = "gitglass/approved"

_KEY = "approval"
_SINCE = "2026-07-28"
_LONGEST = 4_000
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "Carry it out"}},
    "required": ["approve"],
}


def plan_of(answer: ToolAnswer) -> str:
    """The token of the plan that needs approval; "" if none does."""
    if answer.error is None or answer.error["code"] != "approval_required":
        return ""
    return str(answer.error.get("details", {}).get("plan", ""))


def is_modern(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether questions are part of results, as in the protocol of 2026-07-28."""
    return is_version_at_least(ctx.protocol_version, _SINCE)


def can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client has declared that it shows forms, and can be reached during the call."""
    capabilities = ctx.session.client_capabilities
    elicitation = None if capabilities is None else capabilities.elicitation
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return is_modern(ctx) or ctx.session.can_send_request


def question(answer: ToolAnswer) -> types.ElicitRequestFormParams:
    """The form: the preview, and the question whether to carry it out."""
    assert answer.error is not None
    details = answer.error.get("details", {})
    preview = str(details.get("preview", answer.error["message"]))
    if len(preview) > _LONGEST:
        shown, whole = preview[:_LONGEST].splitlines()[:-1], preview.splitlines()
        preview = "\n".join([*shown, f"  … {len(whole) - len(shown):,} more lines"])
    return types.ElicitRequestFormParams(
        message=f"{preview.rstrip()}\nplan {details.get('plan')}\nCarry it out?", requested_schema=_SCHEMA
    )


def input_required(answer: ToolAnswer) -> types.InputRequiredResult:
    """The question as a result; its state, which the client sends back, is the plan's token."""
    request = types.ElicitRequest(params=question(answer))
    return types.InputRequiredResult(input_requests={_KEY: request}, request_state=plan_of(answer))


def response(params: types.CallToolRequestParams) -> types.ElicitResult | None:
    """The person's response that a client sends when it repeats a call; None if it has none."""
    brought = (params.input_responses or {}).get(_KEY)
    return brought if isinstance(brought, types.ElicitResult) else None


def accepted(result: types.ElicitResult) -> bool:
    """Whether the response is a yes."""
    return result.action == "accept" and (result.content or {}).get("approve") is True
