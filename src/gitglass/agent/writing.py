"""Changes that a tool is asked for: handed to what the host granted, or refused as not available.

A host that lets tools write puts an access (`gitglass.mutate.access.WriteAccess`) into the context of a call. Nothing
here imports the write side, and no argument of a model leads to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from ..commands.command import execute
from ..limits import Context
from ..repo.store import Store
from ..request.mutations import Mutation
from .commandline import asked_for

__all__ = ["Access", "Written", "carry_out"]


@dataclass(frozen=True, slots=True)
class Written:
    """What a change came to.

    `stdout`, `stderr` and `exit_code` are git's; `operation` is its id in the operation log ("" where nothing changed);
    `plan` is the token that approves this very plan; `preview` is the plan as text. `refs` are (name, object id before,
    after), `files` and `index` the paths whose content or entry changed; `commits` the ids of new commits. With a dry
    run nothing has changed, and all of this is what would.
    """

    stdout: bytes
    stderr: bytes
    exit_code: int
    summary: str
    risk: str
    plan: str
    preview: str
    operation: str = ""
    changed: bool = False
    verified: bool = True
    refs: tuple[tuple[str, str, str], ...] = ()
    files: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    losses: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())


class Access(Protocol):
    """What can carry a change out."""

    def carry_out(
        self, request: Mutation, store: Store, ctx: Context, *, approved: frozenset[str], dry_run: bool = False
    ) -> Written:
        """Policy's word (`ctx.policy`), the plan, the host's yes, the deed. Raises PermissionDenied, ApprovalRequired
        (its data: `plan`, the token; `preview`, `risk`), ApprovalDenied, and what git would say."""
        ...

    def operations(self, store: Store, ctx: Context) -> list[dict[str, Any]]:
        """The operation log, oldest first: id, state, summary, time."""
        ...


def carry_out(
    request: Mutation,
    store: Store,
    ctx: Context,
    access: Access | None,
    *,
    approved: frozenset[str] = frozenset(),
    dry_run: bool = False,
) -> Written:
    """Carry a change out where the host granted that. Raises Unsupported, after policy's word, where it did not."""
    if access is None:
        execute(asked_for(request).command, store, request, ctx)
        raise AssertionError("a mutation was carried out")  # the gate refuses whatever is not a reader
    return access.carry_out(request, store, ctx, approved=approved, dry_run=dry_run)
