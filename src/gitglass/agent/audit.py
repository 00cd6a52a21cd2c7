"""The audit record of each call: caller, digest of the request, size of the answer, duration, outcome.

The digest covers the tool and the arguments as they came, so that a call refused for its arguments has one as well;
neither the arguments nor the repository's text are in the record, which may be stored where those must not be.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..deferred import deferred

if TYPE_CHECKING:
    from hashlib import sha256
else:
    sha256 = deferred(__name__, "hashlib", "sha256")  # loads OpenSSL

__all__ = ["AuditRecord", "Auditor", "Change", "Noted", "ProcessRun", "arguments_digest", "note_change", "note_run",
           "noted"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProcessRun:
    """One program that ran for a call: its file and the SHA-256 of its bytes, its exit status, and its duration. Its
    arguments are left out, because a repository may influence them."""

    argv0: str
    sha256: str
    exit: int
    ms: float


@dataclass(frozen=True, slots=True)
class Change:
    """One plan that was carried out for a call: its digest, the kinds of its effects ("write_index", …; "push" and its
    outcome), and the operation that `undo` takes back ("" if there is none)."""

    plan: str
    effects: tuple[str, ...]
    operation: str = ""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One call. `outcome` is "ok" or the error's code; `bytes` are those of the text; `request` is a SHA-256 in hex;
    `processes` are the programs that ran for it and `changes` the plans that were carried out, in order."""

    caller_id: str
    tool: str
    request: str
    bytes: int
    duration_ms: float
    outcome: str
    processes: tuple[ProcessRun, ...] = ()
    changes: tuple[Change, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The record as a dictionary for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Noted:
    """The programs that the running call has run, and the changes it has made."""

    runs: list[ProcessRun] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


_NOTED: ContextVar[Noted | None] = ContextVar("gitglass.noted", default=None)


@contextmanager
def noted() -> Iterator[Noted]:
    """Collect the programs and changes of this thread during a `with` block."""
    gathered = Noted()
    token = _NOTED.set(gathered)
    try:
        yield gathered
    finally:
        _NOTED.reset(token)


def note_run(run: ProcessRun) -> None:
    """Record a program that ran, for the current call if there is one."""
    gathered = _NOTED.get()
    if gathered is not None:
        gathered.runs.append(run)


def note_change(change: Change) -> None:
    """Record a plan that was carried out, for the current call if there is one."""
    gathered = _NOTED.get()
    if gathered is not None:
        gathered.changes.append(change)


#: called with the record of each finished call, in the call's thread
Auditor = Callable[[AuditRecord], object]


def arguments_digest(tool: str, arguments: object) -> str:
    """The digest of a request in its record: equal for equal arguments in any order; null is the same as a missing
    argument."""
    if isinstance(arguments, dict):
        arguments = {str(key): value for key, value in arguments.items() if value is not None}
    try:
        text = json.dumps([tool, arguments], sort_keys=True, default=repr, ensure_ascii=True)
    except (
        RecursionError,
        ValueError,
        TypeError,
    ):  # endless nesting, or keys that cannot be sorted
        text = f"{tool}: not JSON"
    return sha256(text.encode()).hexdigest()
