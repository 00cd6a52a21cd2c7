"""Repositories over https and ssh, by git's smart protocol: what they have, what is brought from them, what is pushed.

Mirrors gitprotocol-http(5) and gitprotocol-pack(5). An `Asker` makes the client that one request goes through.
After a push whose answer was lost the refs there are read again: what is said of each is what is the case, or that
nobody can say.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from heapq import heappop, heappush
from typing import Any

from dulwich.errors import SendPackError
from dulwich.objects import ObjectID
from dulwich.pack import UnpackedObject

from ...errors import GitError, TooLarge, Unsupported
from ...limits import Context, Limits, pause, running
from ...objects.pack import KIND_NUMBERS
from ...refs.names import check_refname
from ...repo.store import Store
from ..changes import ABSENT
from ..grant import WriteGrant
from ..view import View
from .addresses import Address, need_granted
from .listing import Listing, Outcome, Update
from .local import lacking
from .packs.quarantine import take_in
from .web import Client, RemoteFailed, asked
from .wire.progress import Counter

Asker = Callable[[], Any]  # of a `Client`, or what is one to dulwich by another way
_AGAIN = (0.0, 0.3, 1.0)  # seconds before each look at what became of a push
_LOOKS = 10.0  # seconds for one of these looks, however little the call had left


def _hex(oid: bytes) -> ObjectID:
    return ObjectID(oid.hex().encode())


def listing_of(refs: Mapping[Any, Any], peeled: Mapping[Any, Any], symrefs: Mapping[Any, Any], width: int) -> Listing:
    """An advertisement, every name and object checked. Raises RemoteFailed for one that is not well formed."""
    listing = Listing({})
    for name, value in refs.items():
        pause()
        raw, oid = bytes(name), bytes(value or b"")
        if raw == b"capabilities^{}":
            continue
        front = raw.removesuffix(b"^{}")
        if not (front == b"HEAD" or (front.startswith(b"refs/") and check_refname(front))):
            raise RemoteFailed("the other repository has a ref whose name is not well formed")
        if len(oid) != width or oid.strip(b"0123456789abcdef"):
            raise RemoteFailed("the other repository names objects as this one does not")
        into = listing.refs if raw == front else listing.peeled
        into[front] = bytes.fromhex(oid.decode())
    for name, oid in peeled.items():
        if name in listing.refs and oid:
            listing.peeled[bytes(name)] = bytes.fromhex(bytes(oid).decode())
    listing.symrefs = {bytes(name): bytes(target) for name, target in symrefs.items()}
    return listing


class _Haves:
    """What is offered as common: commits here, the newest first."""

    shallow: frozenset[ObjectID] = frozenset()

    def __init__(self, store: Store, more: Iterable[bytes]) -> None:
        self._facts = store.odb.facts_reader()
        self._queue: list[tuple[int, bytes]] = []
        self._seen: set[bytes] = set()
        tips = [oid for ref in store.refs.entries() if (oid := store.refs.read(ref.name)) is not None]
        for oid in [*tips, *more]:
            if store.odb.has(oid):
                peeled = store.odb.peel(oid)
                if store.odb.kind(peeled) == b"commit":
                    self._add(peeled)

    def _add(self, oid: bytes) -> None:
        if oid not in self._seen:
            self._seen.add(oid)
            heappush(self._queue, (-self._facts(oid)[1], oid))

    def __next__(self) -> ObjectID | None:
        if not self._queue:
            return None
        pause()
        oid = heappop(self._queue)[1]
        for parent in self._facts(oid)[0]:
            self._add(parent)
        return _hex(oid)

    def ack(self, sha: ObjectID) -> None:
        """It has this one."""

    def nak(self) -> None:
        """It has none of them."""


class HttpSource:
    """Another repository that is asked over http, or by another asker."""

    def __init__(self, address: Address, grant: WriteGrant, asker: Asker | None = None) -> None:
        need_granted(address, grant)
        self.address, self._asker = address, asker or partial(Client, address, grant)
        self._brought: list[bytes] = []

    def listing(self) -> Listing:
        """See `Source`. Raises RemoteFailed, NotFound, PermissionDenied, Timeout, TooLarge."""
        with asked(self.address):
            answer = self._asker().get_refs("")
        if (answer.object_format or "sha1") != "sha1":
            raise Unsupported("repositories of SHA-256 are asked neither over http nor over ssh")
        return listing_of(answer.refs, {}, answer.symrefs, 40)

    def bring(self, view: View, wants: list[bytes]) -> None:
        """See `Source`."""
        _need_sha1(view.store)
        parts: list[bytes] = []
        length, most = 0, view.grant.limits.total_bytes
        received = Counter(view.ctx, "bytes received")

        def take(data: bytes) -> int:
            nonlocal length
            received.add(len(data))
            length += len(data)
            if length > most:
                raise TooLarge(f"the pack has more than {most} bytes", limit=most)
            parts.append(data)
            return len(data)

        def wanted(refs: Any, depth: int | None = None) -> list[ObjectID]:
            return [_hex(oid) for oid in wants]

        haves: Any = _Haves(view.store, self._brought)
        with asked(self.address):
            self._asker().fetch_pack("", wanted, haves, take, progress=lambda _: view.ctx.tick())
        if not parts:
            raise RemoteFailed("the other repository sent no pack")
        received.finish()
        data = b"".join(parts)
        parts.clear()
        take_in(view, data, wants)
        self._brought += wants


def _need_sha1(store: Store) -> None:
    if store.hash_name != "sha1":
        words = "repositories of SHA-256 are asked neither over http nor over ssh"
        raise Unsupported(words, hint="Paths and file:// are.")


class HttpDestination:
    """Another repository that is pushed to over http, or by another asker."""

    def __init__(self, address: Address, view: View, asker: Asker | None = None) -> None:
        need_granted(address, view.grant)
        _need_sha1(view.store)
        self.address, self.asker = address, asker or partial(Client, address, view.grant)
        self._listing = Listing({})

    def listing(self) -> Listing:
        """See `Destination`: what it says to who wants to push."""
        with asked(self.address):
            refs, symrefs, peeled = self.asker().refs_for_push()
        self._listing = listing_of(refs, peeled, symrefs, 40)
        return self._listing

    def prepare(self, view: View, updates: list[Update], *, atomic: bool) -> HttpPush:
        """See `Destination`: what would be sent is known then; what the server makes of it is not."""
        haves = [oid for oid in dict.fromkeys(self._listing.refs.values()) if view.odb.has(oid)]
        wants = list(dict.fromkeys(update.new for update in updates if update.new))
        oids = lacking(view.store, wants, haves, view.ctx)
        return HttpPush(self, view, updates, oids, atomic)


class _Moved(Exception):
    """The other side was seen to have moved, before anything was sent."""


class HttpPush:
    """A push that can be sent."""

    def __init__(
        self, destination: HttpDestination, view: View, updates: list[Update], oids: list[bytes], atomic: bool
    ) -> None:
        self._destination, self._store = destination, view.store
        self._updates, self._oids, self._atomic = updates, oids, atomic
        self.expected = Outcome()

    def carry_out(self) -> Outcome:
        """See `Prepared`."""
        outcome = Outcome()
        client = self._destination.asker()
        spoken: list[bytes] = []
        try:
            with asked(self._destination.address):
                answer: Any = client.send_pack(
                    "", self._swap(outcome), self._pack, progress=spoken.append, atomic=self._atomic
                )
        except _Moved:
            return outcome
        except SendPackError as error:
            words = error.args[0] if error.args and isinstance(error.args[0], bytes) else str(error).encode()
            self._read_back(outcome, f"unpacker error ({words.decode('utf-8', 'replace')})")
        except GitError as error:
            if not client.posted:
                raise
            self._read_back(outcome, error.message)
        else:
            self._take(outcome, answer.ref_status or {})
        outcome.words = b"".join(spoken).decode("utf-8", "surrogateescape").splitlines()
        return outcome

    def _swap(self, outcome: Outcome) -> Any:
        """What dulwich asks for the new refs: they are only given where the old ones are what was seen."""

        def refs(old: Mapping[Any, Any]) -> dict[bytes, ObjectID]:
            zero = b"0" * 40
            for update in self._updates:
                now = bytes(old.get(update.name) or zero)
                if now != (update.old.hex().encode() if update.old else zero):
                    outcome.rejected[update.name] = "failed to update ref"
                    outcome.words.append(f"error: cannot lock ref '{update.name.decode('utf-8', 'replace')}'")
            if outcome.rejected:
                for update in self._updates:
                    outcome.rejected.setdefault(update.name, "not sent, as another ref has moved")
                raise _Moved
            return {update.name: _hex(update.new) if update.new else ObjectID(zero) for update in self._updates}

        return refs

    def _pack(self, have: Any, want: Any, **_: Any) -> tuple[int, Iterator[UnpackedObject]]:
        """The objects, which were listed when the plan was made."""
        return len(self._oids), self._objects()

    def _objects(self) -> Iterator[UnpackedObject]:
        sent = Counter(running() or Context(), "objects sent", len(self._oids))
        for oid in self._oids:
            pause()
            sent.add()
            kind, content = self._store.odb.read_raw(oid)
            yield UnpackedObject(KIND_NUMBERS[kind], sha=oid, decomp_len=len(content), decomp_chunks=[content])
        sent.finish()

    def _take(self, outcome: Outcome, statuses: Mapping[bytes, str | None]) -> None:
        """The server's word for each ref; where it said none its refs are read."""
        if any(update.name not in statuses for update in self._updates):
            self._read_back(outcome, "the server did not say")
        for update in self._updates:
            if update.name in statuses:
                outcome.unknown.pop(update.name, None)
                outcome.rejected[update.name] = statuses[update.name]
        self._verify(outcome)

    def _verify(self, outcome: Outcome) -> None:
        """Look whether what the server says it did is so: some say so of a ref that another writer was faster with.
        Where nobody can look the server's word counts."""
        try:
            with Context(Limits(timeout=_LOOKS)):
                refs = self._destination.listing().refs
        except GitError:
            return
        for update in self._updates:
            now = refs.get(update.name, ABSENT)
            if update.name in outcome.rejected and outcome.rejected[update.name] is None and now != update.new:
                outcome.unknown[update.name] = f"the server says it was done, but it is at {now.hex() or 'nothing'}"

    def _read_back(self, outcome: Outcome, reason: str) -> None:
        """What is the case after an answer that was none: a ref is where it was to be, where it was, or elsewhere."""
        words = " ".join(reason.split())[:300]
        refs: dict[bytes, bytes] | None = None
        for wait in _AGAIN:
            time.sleep(wait)
            try:
                with Context(Limits(timeout=_LOOKS)):
                    refs = self._destination.listing().refs
            except GitError:
                continue
            if all(refs.get(update.name, ABSENT) == update.new for update in self._updates):
                break
        for update in self._updates:
            now = None if refs is None else refs.get(update.name, ABSENT)
            if now == update.new:
                outcome.rejected[update.name] = None
            elif now == update.old:
                outcome.rejected[update.name] = words
            else:
                outcome.unknown[update.name] = words
