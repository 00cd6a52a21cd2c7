"""The record of each call: who asked, what (by digest), how much was answered, how long it took, how it ended.

The digest stands for the tool and the arguments as they came, so that a call that was refused for its arguments has one
as well; neither the arguments nor the repository's text are in the record, which may go where those must not.
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
    """One program that ran for a call: its file and the SHA-256 of its bytes, its exit status, how long it took. Its
    other words are not here: a repository may have a say in them."""

    argv0: str
    sha256: str
    exit: int
    ms: float


@dataclass(frozen=True, slots=True)
class Change:
    """One plan that was carried out for a call: its digest, what kinds of things it did ("write_index", …; "push" and
    its outcome), and the operation that `undo` takes back ("" where there is none)."""

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
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Noted:
    """What the running call has had run, and what it has changed."""

    runs: list[ProcessRun] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


_NOTED: ContextVar[Noted | None] = ContextVar("gitglass.noted", default=None)


@contextmanager
def noted() -> Iterator[Noted]:
    """Gather what runs and what is changed meanwhile, in this thread."""
    gathered = Noted()
    token = _NOTED.set(gathered)
    try:
        yield gathered
    finally:
        _NOTED.reset(token)


def note_run(run: ProcessRun) -> None:
    """Note a program that ran, for the call that is under way, if one is."""
    gathered = _NOTED.get()
    if gathered is not None:
        gathered.runs.append(run)


def note_change(change: Change) -> None:
    """Note a plan that was carried out, for the call that is under way, if one is."""
    gathered = _NOTED.get()
    if gathered is not None:
        gathered.changes.append(change)


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
