"""Approval: a host's yes to exactly one request, bound to the request's digest.

An approval never comes from the model: the host makes it, from the assessment that was shown to a person, and it is
valid for that request until it expires.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..commands.policy import ApprovalDenied, ApprovalRequired, Asking, Assessment, Policy, assess, request_digest

__all__ = ["Approval", "Approver", "approve", "judge", "with_approvals"]


@dataclass(frozen=True, slots=True)
class Approval:
    """An approval. `expires_at` is in epoch seconds; `approver` names the person or program that said yes."""

    request_digest: str
    preview_digest: str
    summary: str
    risk: str
    effects: tuple[str, ...]
    expires_at: float
    approver: str

    def holds(self, request: Asking, now: float | None = None) -> bool:
        """Whether it is for exactly this request, and has not expired."""
        return self.request_digest == request_digest(request) and (time.time() if now is None else now) < (
            self.expires_at
        )


#: called by the library with the assessment; returns yes or no
Approver = Callable[[Assessment], bool]


def approve(request: Asking, approver: str, *, seconds: float = 300.0, now: float | None = None) -> Approval:
    """The host's approval of a request."""
    asked, digest = assess(request), request_digest(request)
    expires = (time.time() if now is None else now) + seconds
    return Approval(digest, digest, asked.summary, asked.risk, asked.effects, expires, approver)


def with_approvals(policy: Policy, approvals: list[Approval], now: float | None = None) -> Policy:
    """The policy with those approvals that have not expired."""
    moment = time.time() if now is None else now
    good = {approval.request_digest for approval in approvals if approval.expires_at > moment}
    return replace(policy, approved=policy.approved | good)


def judge(policy: Policy, request: Asking, approver: Approver | None = None) -> Assessment:
    """The policy's assessment of a request; if an approval is needed, the host's approver is asked.

    Raises PermissionDenied, ApprovalRequired (there is no approver), ApprovalDenied.
    """
    try:
        return policy.enforce(request)
    except ApprovalRequired:
        if approver is None:
            raise
        asked = assess(request, policy)
        if not approver(asked):
            raise ApprovalDenied(f"not approved: {asked.summary}") from None
        return asked
