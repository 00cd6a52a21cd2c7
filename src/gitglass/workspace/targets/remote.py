"""A repository at an https address as a target: git's smart protocol, with any server.

    RemoteTarget("reports", "https://git.example.com/reports.git", grant, branch="worker-{timestamp}")

Objects are fetched and sent in packs (gitprotocol-http(5), gitprotocol-pack(5)). The ref is moved by the old value in
the push's own command; after a lost answer, its value is read again. The grant names the address (`remotes`), allows
the effect "network", and has the credentials; nothing here reads an environment or a configuration.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NoReturn

from ...errors import GitError, NotFound, NotGranted, PermissionDenied, Timeout, text
from ...graph.merge_base import is_ancestor
from ...limits import Context, Limits
from ...mutate.changes import ABSENT
from ...mutate.grant import WriteGrant
from ...mutate.remote.addresses import parse_address
from ...mutate.remote.http import HttpDestination, HttpPush
from ...mutate.remote.listing import Listing, Outcome, Update
from ...mutate.remote.web import RemoteFailed
from ..incoming import Incoming
from ..sources import Handle, opened_store
from .held import Held
from .protocol import Branches, Kind, LostAnswer, Outgoing, RefMoved, Rejected, Sent, Unreachable

_HEADS = "refs/heads/"
_MOVED = "failed to update ref"


def unreachable(error: GitError) -> NoReturn:
    """Raise Unreachable for a target that cannot be reached; refusals of the grant are raised unchanged."""
    if isinstance(error, RemoteFailed | Timeout):
        raise Unreachable(error.message, wait=error.data.get("wait")) from error
    raise error


class RemoteTarget:
    """A repository at an https address (http on this very machine, if granted). `where` is a name by which agents may
    refer to it, beside its own: its address.

    `branch` is the destination of pushes that name none: a name, or a template (`named.expanded`). `near` is a
    repository of the host that has most of its objects: those are not fetched again. Raises NotGranted for an address
    that the grant does not cover, Unsupported and BadRequest for one that is no http address.
    """

    kind: Kind = "remote"
    hash_name = "sha1"

    def __init__(
        self, name: str, url: str, grant: WriteGrant, *, branch: str | None = None, near: Handle | None = None
    ) -> None:
        self.name, self.grant, self.branch = name, grant, branch
        self.address = parse_address(url.encode("utf-8", "surrogateescape"), b"/")
        if self.address.kind == "local":
            raise NotGranted(f"'{url}' is no http address", hint="LocalTarget is for repositories of this machine.")
        self._held = Held(self.address, grant, None if near is None else opened_store(near))
        self._tips: frozenset[bytes] = frozenset()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def where(self) -> str:
        """See `Target`."""
        return text(self.address.full)

    # --- reading ----------------------------------------------------------------------------------------------------

    def _listing(self) -> Listing:
        """Its refs. Raises Unreachable."""
        try:
            listing = self._held.listing()
        except (RemoteFailed, Timeout) as error:
            unreachable(error)
        self._tips = frozenset(listing.refs.values())
        return listing

    def head(self, ref: str) -> str | None:
        """See `Target`."""
        oid = self._listing().refs.get(ref.encode("utf-8", "surrogateescape"))
        return None if oid is None else oid.hex()

    def branches(self) -> Branches:
        """See `Target`."""
        listing = self._listing()
        names = tuple(sorted(text(name)[len(_HEADS) :] for name in listing.refs if name.startswith(_HEADS.encode())))
        current = listing.symrefs.get(b"HEAD")
        word = None if current is None else text(current).removeprefix(_HEADS)
        return Branches(names, word, tuple(name for name in names if self.is_protected(name)))

    def is_protected(self, branch: str) -> bool:
        """See `Target`."""
        return self.is_guarded(branch)

    def is_guarded(self, branch: str) -> bool:
        """Whether the grant protects a branch."""
        return any(fnmatchcase(branch, pattern) for pattern in self.grant.protected)

    def incoming(self, branch: str | None) -> Incoming:
        """See `Target`: missing objects are fetched. Raises Unreachable, Corrupt, TooLarge."""
        listing = self._listing()
        ref = listing.symrefs.get(b"HEAD", b"HEAD") if branch is None else (_HEADS + branch).encode()
        oid = listing.refs.get(ref)
        if oid is None:
            raise NotFound(f"'{self.name}' has no branch '{branch or 'HEAD'}'", branch=branch)
        try:
            self._held.bring(oid)
        except (RemoteFailed, Timeout) as error:
            unreachable(error)
        odb = self._held.odb
        shown = None if ref == b"HEAD" else text(ref)
        return Incoming(oid.hex(), odb.commit_facts(oid)[2].hex(), odb, self.name, shown)

    def holds(self) -> Callable[[bytes], bool]:
        """See `Target`: objects that were fetched from there exist there, and so do those reachable from its refs."""
        tips = sorted(self._tips)
        store = self._held.store

        def has(oid: bytes) -> bool:
            if oid in self._tips or self._held.is_of_there(oid):
                return True
            if not store.odb.has(oid) or store.odb.kind(oid) != b"commit":
                return False
            near = [tip for tip in tips if store.odb.has(tip) and store.odb.kind(tip) == b"commit"]
            with Context(Limits()) as ctx:
                return any(is_ancestor(store, oid, tip, ctx=ctx) for tip in near)

        return has

    def notes(self, ref: str) -> tuple[str, ...]:
        """See `Target`."""
        return ()

    # --- writing ----------------------------------------------------------------------------------------------------

    def send(self, outgoing: Outgoing) -> Sent:
        """See `Target`."""
        need_ref(self.grant, outgoing.ref)
        ref = outgoing.ref.encode("utf-8", "surrogateescape")
        old = ABSENT if outgoing.expected is None else bytes.fromhex(outgoing.expected)
        with Context(Limits(timeout=self.grant.limits.network_timeout)) as ctx:
            view = self._held.sending(outgoing.objects, ctx)
            update = Update(ref, old, bytes.fromhex(outgoing.commit))
            push = HttpPush(HttpDestination(self.address, view), view, [update], list(outgoing.objects), False)
            try:
                outcome = push.carry_out()
            except (RemoteFailed, Timeout) as error:  # before anything was sent
                unreachable(error)
            except (PermissionDenied, NotFound) as error:
                raise Rejected(error.message, server=(error.message,)) from error
        return self._sent(outgoing, outcome, ref)

    def _sent(self, outgoing: Outgoing, outcome: Outcome, ref: bytes) -> Sent:
        """The result of a push, in the errors and values of the protocol. `HttpPush` has verified a server's yes: there
        are servers that say it to the second of two pushers."""
        words = tuple(line.removesuffix("\n") for line in outcome.words)
        if ref in outcome.unknown:
            raise LostAnswer(outcome.unknown[ref])
        reason = outcome.rejected.get(ref, "the server did not say")
        if reason is None:
            return Sent(words)
        if reason == _MOVED or self.head(outgoing.ref) != outgoing.expected:
            raise RefMoved(f"'{outgoing.ref}' has moved", ref=outgoing.ref)
        raise Rejected(reason, server=(*words, reason))


def need_ref(grant: WriteGrant, ref: str) -> None:
    """Raise Rejected unless the grant covers the ref."""
    try:
        grant.need_ref(ref)
    except NotGranted as error:
        raise Rejected(error.message, server=(error.message,), hint=error.hint) from error
