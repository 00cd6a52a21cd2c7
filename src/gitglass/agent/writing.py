"""Changes requested through a tool: passed to the access that the host granted, or refused as not available.

A host that allows tools to write puts an access (`gitglass.mutate.access.WriteAccess`) into the context of a call. This
module does not import the write side, and no argument of a model leads to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from ..commands.command import execute
from ..errors import InvalidArgs
from ..limits import Context
from ..repo.store import Store
from ..request.mutations import Mutation
from .commandline import asked_for

__all__ = ["Access", "Row", "Written", "carry_out", "operation_meant"]

#: an operation of the operation log: id, state, summary, time, undoes
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a change.

    `stdout`, `stderr` and `exit_code` are git's; `operation` is its id in the operation log ("" if nothing changed);
    `plan` is the token that approves exactly this plan; `preview` is the plan as text. `refs` are (name, object id
    before, after), `files` and `index` the paths whose content or entry changed; `commits` the ids of new commits.
    `kind` is the kind of its failure, in a word ("conflict"). `pushed` are (ref of the other repository, object id
    before, after, outcome). With a dry run nothing has changed, and these are the expected values.
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
    kind: str = ""
    pushed: tuple[tuple[str, str, str, str], ...] = ()


class Access(Protocol):
    """Carries a change out."""

    @property
    def reaches_others(self) -> bool:
        """Whether any other repository may be contacted."""
        ...

    def carry_out(
        self, request: Mutation, store: Store, ctx: Context, *, approved: frozenset[str], dry_run: bool = False
    ) -> Written:
        """Check the policy (`ctx.policy`), plan, check the host's approval, and carry out. Raises PermissionDenied,
        ApprovalRequired (its data: `plan`, the token; `preview`, `risk`), ApprovalDenied, and the errors that git would
        report."""
        ...

    def operations(self, store: Store, ctx: Context) -> list[Row]:
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
    """Carry a change out if the host granted that. Otherwise raises Unsupported, after the policy's own errors."""
    if access is None:
        execute(asked_for(request).command, store, request, ctx)
        raise AssertionError("a mutation was carried out")  # the gate refuses every request that is not a reader's
    return access.carry_out(request, store, ctx, approved=approved, dry_run=dry_run)


def operation_meant(rows: list[Row], action: str, name: str | None) -> str:
    """The id of the operation that "undo" or "redo" inverts: the named one, or else the last that can be inverted. A
    redo is named by the operation or by its undo. Raises InvalidArgs."""
    depths, is_redo = _depths(rows), action == "redo"
    fitting = [row for row in rows if row["state"] == "done" and depths[row["id"]] % 2 == is_redo]
    if name is not None:
        names = [name] if len(name) < 6 else [row["id"] for row in rows if row["id"].startswith(name)]
        fitting = [row for row in fitting if row["id"] in names or (is_redo and row["undoes"] in names)]
    if not fitting:
        what = f"operation '{name}'" if name is not None else "operation"
        raise InvalidArgs(f"there is no {what} to {action}", hint="action=list shows the operation log.")
    return str(fitting[-1]["id"])


def _depths(rows: list[Row]) -> dict[str, int]:
    """The depth of each operation's chain of inversions: an odd number is an undo, an even one is not."""
    depths: dict[str, int] = {}
    for row in rows:  # oldest first
        depths[row["id"]] = depths.get(row["undoes"], 0) + 1 if row["undoes"] else 0
    return depths
