"""A repository of this machine as a target, bare or not: opened by the jail, changed by a writer.

A branch that is checked out is refused, or (`update_worktree`) moved as `git merge --ff-only` moves it: index and
files follow, and files with local changes prevent it. No program of the repository is run; if it has a hook of
git-receive-pack(1), the grant decides whether that refuses the push.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from ...errors import (
    BadRequest,
    CommandFailed,
    Conflict,
    Corrupt,
    GitError,
    Locked,
    NotFound,
    PermissionDenied,
    StaleApproval,
    Unsupported,
    text,
)
from ...mutate.grant import WriteGrant
from ...mutate.operations.common import check_hooks
from ...mutate.plan import Plan
from ...mutate.remote.packs.packing import packed_objects
from ...mutate.remote.packs.quarantine import take_in, take_objects
from ...mutate.view import View
from ...mutate.writer import Writer, approve
from ...repo.store import Store
from ...request.mutations import Mutation
from ...request.ref_mutations import MergeRequest, UpdateRefRequest
from ...worktree.checkouts import taken_by
from ..incoming import Incoming
from ..sources import Handle, incoming_of, opened_store
from .protocol import Branches, Kind, Outgoing, RefMoved, Rejected, Sent

_HEADS = "refs/heads/"
_ONE_BY_ONE = 100  # objects; more of them are written as a pack
#: the hooks that git runs when a push arrives (githooks(5))
_HOOKS = ("pre-receive", "update", "post-receive", "post-update", "proc-receive", "push-to-checkout")


class ReceivingWriter(Writer):
    """A writer whose plans include objects from elsewhere."""

    def __init__(self, repo: Handle, grant: WriteGrant, objects: dict[bytes, tuple[bytes, bytes]]) -> None:
        super().__init__(repo, grant)
        self._objects = objects

    def planned_by(self, request: Mutation, view: View) -> Plan:
        """See `Writer.planned_by`."""
        check_hooks(view, _HOOKS)
        self._bring(view)
        return super().planned_by(request, view)

    def _bring(self, view: View) -> None:
        """Add the objects, checked and connected like those that git-receive-pack(1) receives; many of them stay a
        pack."""
        lacked = {oid: row for oid, row in self._objects.items() if not view.odb.has(oid)}
        wants = [oid for oid, (kind, _) in lacked.items() if kind == b"commit"][-1:]
        if len(lacked) < _ONE_BY_ONE:
            take_objects(view, ((oid, *row) for oid, row in lacked.items()), wants, action="receive")
        else:
            take_in(view, packed_objects(lacked, view.store.hash_name), wants, action="receive")


class LocalTarget:
    """A repository that the host has opened. `where` is a name by which agents may refer to it, beside its own.

    `branch` is the destination of pushes that name none: a name, or a template (`named.expanded`).
    """

    def __init__(
        self,
        name: str,
        repo: Handle,
        grant: WriteGrant,
        *,
        where: str = "",
        branch: str | None = None,
        update_worktree: bool = False,
    ) -> None:
        self.name, self._repo, self.grant, self.where, self.branch = name, repo, grant, where, branch
        self.update_worktree = update_worktree
        self._read: Store | None = None

    def __repr__(self) -> str:
        return f"LocalTarget({self.name!r})"

    @property
    def kind(self) -> Kind:
        """See `Target`."""
        return "local-bare" if self._store.work_tree is None else "local"

    @property
    def hash_name(self) -> str:
        """See `Target`."""
        return self._store.hash_name

    @property
    def _store(self) -> Store:
        """The repository for reading, independent of what other calls have read."""
        if self._read is None:
            self._read = opened_store(self._repo)
        return self._read

    def _fresh(self) -> Store:
        store = self._store
        store.refresh()
        return store

    # --- reading ----------------------------------------------------------------------------------------------------

    def head(self, ref: str) -> str | None:
        """See `Target`."""
        oid = self._fresh().refs.read(ref.encode("utf-8", "surrogateescape"))
        return None if oid is None else oid.hex()

    def branches(self) -> Branches:
        """See `Target`."""
        refs = self._fresh().refs
        names = tuple(text(name).removeprefix(_HEADS) for name, _ in refs.iterate(_HEADS.encode()))
        current = refs.head()[0]
        word = None if current is None else text(current).removeprefix(_HEADS)
        return Branches(names, word, tuple(name for name in names if self.is_protected(name)))

    def is_protected(self, branch: str) -> bool:
        """See `Target`."""
        return any(fnmatchcase(branch, pattern) for pattern in self.grant.protected)

    def incoming(self, branch: str | None) -> Incoming:
        """See `Target`."""
        rev = "HEAD" if branch is None else _HEADS + branch
        if branch is not None and self.head(rev) is None:
            raise NotFound(f"'{self.name}' has no branch '{branch}'", branch=branch)
        return incoming_of(self._store, rev, target=self.name)

    def holds(self) -> Callable[[bytes], bool]:
        """See `Target`."""
        return self._fresh().odb.has

    def notes(self, ref: str) -> tuple[str, ...]:
        """See `Target`."""
        taken = taken_by(self._fresh(), ref.encode("utf-8", "surrogateescape"))
        if taken is None:
            return ()
        return (f"the branch is checked out: files and index there follow ({taken})",) if self.update_worktree else ()

    # --- writing ----------------------------------------------------------------------------------------------------

    def send(self, outgoing: Outgoing) -> Sent:
        """See `Target`."""
        writer = ReceivingWriter(self._repo, self.grant, outgoing.objects)
        try:
            plan = writer.plan(self._request(outgoing))
            result = writer.apply(plan, approve(plan, outgoing.approver or "host"))
        except (StaleApproval, BadRequest, CommandFailed) as error:
            if self.head(outgoing.ref) != outgoing.expected:
                raise RefMoved(f"'{outgoing.ref}' has moved", ref=outgoing.ref) from error
            raise _rejected(error) from error
        except (Locked, Conflict, Corrupt, Unsupported, PermissionDenied) as error:
            raise _rejected(error) from error
        return Sent(tuple(result.notes))

    def _request(self, outgoing: Outgoing) -> Mutation:
        taken = taken_by(self._fresh(), outgoing.ref.encode("utf-8", "surrogateescape"))
        if taken is None:
            return UpdateRefRequest(
                ref=outgoing.ref, new=outgoing.commit, old=outgoing.expected or "", message="push", no_deref=True
            )
        if not self.update_worktree:
            raise Rejected(
                f"refusing to update checked out branch: {outgoing.ref}", server=(f"checked out at {taken}",),
                hint="Push to another branch, or have the host allow that the files there follow.",
            )  # fmt: skip
        head = self._store.refs.head()[0]
        if head is None or text(head) != outgoing.ref or self.head(outgoing.ref) != outgoing.expected:
            raise RefMoved(f"'{outgoing.ref}' has moved, or is checked out elsewhere", ref=outgoing.ref)
        return MergeRequest(commits=[outgoing.commit], switches=["--ff-only", "--no-stat"])


def _rejected(error: GitError) -> GitError:
    data: dict[str, Any] = {"server": tuple(error.message.splitlines()), "cause": error.code}
    return Rejected(error.message, hint=error.hint, **data)
