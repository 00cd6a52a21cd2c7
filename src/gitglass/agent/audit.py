"""The record of each call: who asked, what (by digest), how much was answered, how long it took, how it ended.

The digest stands for the tool and the arguments as they came, so that a call that was refused for its arguments has one
as well; neither the arguments nor the repository's text are in the record, which may go where those must not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..deferred import deferred

if TYPE_CHECKING:
    from hashlib import sha256
else:
    sha256 = deferred(__name__, "hashlib", "sha256")  # loads OpenSSL

__all__ = ["AuditRecord", "Auditor", "arguments_digest"]


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One call. `outcome` is "ok" or the error's code; `bytes` are those of the text; `request` is a SHA-256 in hex."""

    caller_id: str
    tool: str
    request: str
    bytes: int
    duration_ms: float
    outcome: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


#: told of each call once it has ended, in the thread that made it
Auditor = Callable[[AuditRecord], object]


def arguments_digest(tool: str, arguments: object) -> str:
    """What a record knows a request by: equal for equal arguments in any order; null is the same as left out."""
    if isinstance(arguments, dict):
        arguments = {str(key): value for key, value in arguments.items() if value is not None}
    try:
        text = json.dumps([tool, arguments], sort_keys=True, default=repr, ensure_ascii=True)
    except (
        RecursionError,
        ValueError,
        TypeError,
    ):  # nested without end, keys without an order
        text = f"{tool}: not JSON"
    return sha256(text.encode()).hexdigest()
