"""A push to a repository on this machine: an operation of that repository, by a writer of its own."""

from __future__ import annotations

from ...config.config import Config
from ...errors import Conflict, GitError, text
from ...objects.idents import configured_person
from ...records import replace
from ...repo.store import Store
from ...request.ref_mutations import ReceiveRequest
from ..changes import ABSENT
from ..grant import Identity, WriteGrant
from ..plan import Plan
from ..view import View
from ..writer import Writer, approve
from .addresses import Address
from .listing import Listing, Outcome, Update
from .local import listing_of, open_other
from .receive import OUTCOME, SOURCE


class _Handle:
    """A repository's opened files, as a writer takes them."""

    def __init__(self, store: Store) -> None:
        self.store = store


class LocalDestination:
    """A repository on this machine that is pushed to."""

    def __init__(self, address: Address, view: View) -> None:
        self.address = address
        self.store = open_other(address, view.grant)

    def listing(self) -> Listing:
        """See `Destination`."""
        return listing_of(self.store, b"receive")

    def prepare(self, view: View, updates: list[Update], *, atomic: bool) -> LocalPush:
        """See `Destination`: the other side's plan, which has the objects in its quarantine already."""
        return LocalPush(self.store, view, updates, atomic)


class LocalPush:
    """A push that the other repository has planned."""

    def __init__(self, store: Store, view: View, updates: list[Update], atomic: bool) -> None:
        self._store, self._updates = store, updates
        self._writer = Writer(_Handle(store), _granted(view, store), nested=True)
        request = ReceiveRequest(
            updates=[(text(one.name), one.old.hex(), one.new.hex()) for one in updates], atomic=atomic
        )
        exchange: dict[object, object] = {SOURCE: view.store}
        self._plan: Plan = self._writer.plan(request, moment=view.when("committer"), exchange=exchange)
        self.expected: Outcome = exchange[OUTCOME]  # type: ignore[assignment]

    def carry_out(self) -> Outcome:
        """See `Prepared`. Where the other repository has changed since, nothing of it is touched, and its refs are
        read again to say what is the case."""
        try:
            if not self._plan.is_empty:
                self._writer.apply(self._plan, approve(self._plan, "push"))
        except Conflict as error:
            return self._read_back(error)
        return self.expected

    def _read_back(self, error: GitError) -> Outcome:
        """What is there now, after an attempt that failed."""
        self._store.refresh()
        outcome = Outcome(dict(self.expected.rejected), words=[*self.expected.words, f"error: {error.message}"])
        for update in self._updates:
            raw = self._store.refs.backend.raw(update.name)
            now = ABSENT if raw is None or raw.oid is None else raw.oid
            if outcome.rejected.get(update.name) is None and now != update.new:
                outcome.rejected[update.name] = "failed to update ref"
        return outcome


def _granted(view: View, store: Store) -> WriteGrant:
    """The grant for the other side: refs and nothing else, by the person who pushes, at the same moment."""
    moment = view.when("committer")
    name, mail = (text(word) for word in _person(view, store))
    return replace(
        view.grant, effects=frozenset({"write_refs"}), refs=("refs/*",), remotes=(), committer=Identity(name, mail),
        clock=lambda: moment.seconds, zone=moment.zone,
    )  # fmt: skip


def _person(view: View, store: Store) -> tuple[bytes, bytes]:
    """Who pushes. git's end of a local push is a process in the other repository: it has the variables and the user's
    settings, but neither those of the repository that is pushed from nor those of the command line. Where it would make
    a name of the system's user, the settings of who pushes say it."""
    if view.grant.identity is not None or view.grant.committer is not None:
        return view.person("committer")
    person = configured_person(_Settings(store.config, view.config), "committer", view.store.where.people)
    return person or view.person("committer")


class _Settings:
    """Settings of a repository, and behind them those of the user who pushes to it."""

    def __init__(self, own: Config, users: Config) -> None:
        self._own, self._users = own, users

    def get(self, key: str) -> bytes | None:
        value = self._own.get(key)
        if value is not None:
            return value
        entries = self._users.section(key.partition(".")[0].encode())
        values = [one.value for one in entries if one.key == key.encode() and one.source.scope in ("system", "global")]
        return values[-1] if values else None
