"""The values of a workspace: its base, staged commits, conflicts, and the operations of its log."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Literal
from uuid import uuid4

from ..mutate.grant import Identity, Moment
from ..records import field, record
from .overlay import Changed, WsEntry

State = Literal["open", "approved", "pushed", "superseded", "discarded"]
Operation = Literal["create", "update", "delete", "mode"]


@record(frozen=True)
class Base:
    """The base of the files: a commit (None: none yet), its tree, and its origin: the name of a target, and a ref
    there."""

    commit: str | None
    tree: str
    hash_name: str
    target: str = ""
    ref: str | None = None


@record(frozen=True)
class Identities:
    """The identities of commits. `committer` None means the author; `co_authors` and `trailers` are lines below every
    message ("Agent: name")."""

    author: Identity
    committer: Identity | None = None
    co_authors: tuple[Identity, ...] = ()
    trailers: tuple[str, ...] = ()

    @classmethod
    def of(cls, person: Identity, agent: Identity, preset: Literal["person", "agent", "trailer"]) -> Identities:
        """The identities of a person and an agent who work together: the person is the author and the agent a
        co-author, the other way round, or the agent is named in a trailer only (for checks of who signed an
        agreement)."""
        if preset == "person":
            return cls(person, co_authors=(agent,))
        if preset == "agent":
            return cls(agent, co_authors=(person,))
        return cls(person, trailers=(f"Agent: {agent.name} <{agent.email}>",))


@record(frozen=True)
class Clock:
    """The sources of all that differs from run to run: seconds since the epoch, minutes east of UTC (None: this
    machine's), and fresh ids."""

    seconds: Callable[[], float] = time.time
    zone: int | None = None
    new_id: Callable[[], str] = lambda: uuid4().hex
    new_change: Callable[[], str] = lambda: "I" + secrets.token_hex(20)

    def moment(self) -> Moment:
        """The present time, in the form that commits record."""
        seconds = int(self.seconds())
        zone = (time.localtime(seconds).tm_gmtoff or 0) // 60 if self.zone is None else self.zone
        return Moment(seconds, zone)


@record(frozen=True)
class StagedFile:
    """A path of a staged commit. `blob` and `sha256` name its new content ("" for a deletion)."""

    path: str
    sandbox_path: str
    operation: Operation
    old_mode: str
    new_mode: str
    blob: str
    sha256: str
    size: int
    binary: bool
    lfs: bool = False


@record(frozen=True)
class StagedCommit:
    """A commit that exists in memory, under its final name. `change_id` stays the same when it is amended or
    rebased."""

    id: str
    change_id: str
    parent: str | None
    commit: str
    tree: str
    message: str
    author: str
    committer: str
    files: tuple[StagedFile, ...]
    created_at: int
    state: State = "open"
    merged: str | None = None  # the second parent of a merge

    @property
    def subject(self) -> str:
        """The first line of its message."""
        return self.message.partition("\n")[0]


@record(frozen=True)
class WsConflict:
    """A path in conflict: the kind in git's words ("content", "modify/delete", …), its three sides, whether the file
    has markers, and git's sentence."""

    path: bytes
    kind: str
    base: WsEntry | None
    ours: WsEntry | None
    theirs: WsEntry | None
    marked: bool
    message: str


@record(frozen=True)
class WsOperation:
    """One line of the workspace's log."""

    number: int
    summary: str
    time: int


@record
class Step:
    """The state before an operation, by which it can be undone: of some paths, or (`changes`) of everything."""

    operation: WsOperation
    base: Base
    staged: tuple[StagedCommit, ...]
    conflicts: dict[bytes, WsConflict]
    seen: dict[bytes, WsEntry | None]
    tree: bytes
    paths: dict[bytes, WsEntry | None] = field(default_factory=dict)
    changes: Changed | None = None


@record(frozen=True)
class WsFile:
    """A file: its path, mode in octal, blob, content, and notes for whoever wrote it."""

    path: str
    mode: str
    oid: str
    data: bytes
    notes: tuple[str, ...] = ()


@record(frozen=True)
class WsRow:
    """A line of a listing. `change` is "", "new", "modified" or "deleted"; a directory has the mode 040000."""

    path: str
    mode: str
    oid: str
    size: int | None = None
    change: str = ""
