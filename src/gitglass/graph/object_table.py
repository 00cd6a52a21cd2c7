"""The objects in git's table (`Slots`) after it has read refs and commits one by one.

`git name-rev --all` prints the table in its order. That order depends on which objects are looked up and when, so the
same look-ups are made here.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import GitError, MissingObject
from ..limits import Context
from ..repo.store import Store
from .slots import Slots

__all__ = ["ObjectTable", "read_refs"]


class ObjectTable:
    """git's table of objects while refs and commits are read one by one; `ctx` is looked at with each."""

    __slots__ = ("_commits", "_ctx", "_read", "_slots", "_store", "_waiting")

    def __init__(self, store: Store, ctx: Context) -> None:
        self._store, self._ctx = store, ctx
        self._slots = Slots()
        self._read: set[bytes] = set()
        self._commits: set[bytes] = set()
        self._waiting = sorted(store.shallow)  # git looks these up when it reads the first commit

    def commits(self) -> list[bytes]:
        """The commits, in the table's order."""
        return [oid for oid in self._slots.order() if oid in self._commits]

    def read_object(self, oid: bytes) -> bytes:
        """Read an object as git's parse_object() does, and return its kind. Raises GitError if it cannot be read."""
        self._slots.look(oid, make=False)
        odb = self._store.odb
        kind = odb.kind(oid)
        if oid in self._read:
            return kind
        self._slots.look(oid)
        self._read.add(oid)
        if kind == b"commit":
            self._enter_named(oid, odb.raw_reader()(oid))
        elif kind == b"tag":
            self._slots.look(odb.tag(oid).object)
        return kind

    def read_commits(self, oids: Iterable[bytes]) -> None:
        """Read commits that are parents of others, unless they were read: from the commit-graph if it has them. In that
        case git does not look up their trees."""
        odb = self._store.odb
        for oid in oids:
            if oid in self._read:
                continue
            self._ctx.tick()
            self._read.add(oid)
            graph = odb.graph
            if graph is not None and graph.position(oid) is not None:
                self._enter_commits(odb.commit_facts(oid)[0])
            else:
                try:
                    raw = odb.raw_reader()(oid)
                except MissingObject:  # it has a place in the table even so
                    continue
                self._enter_named(oid, raw)

    def _enter_named(self, oid: bytes, raw: bytes) -> None:
        """Look up the tree and the parents of a commit."""
        self._commits.add(oid)
        self._slots.look(bytes.fromhex(raw[5 : raw.index(b"\n")].decode()))
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            self._enter_commits(waiting)
        self._enter_commits(self._store.odb.commit_facts(oid)[0])

    def _enter_commits(self, oids: Iterable[bytes]) -> None:
        for oid in oids:
            self._commits.add(oid)
            self._slots.look(oid)


def read_refs(table: ObjectTable, store: Store) -> None:
    """Read the objects that all refs point at, through tags, as git does before it selects refs."""
    for _, oid in store.refs.iterate(b"refs/"):
        try:
            while table.read_object(oid) == b"tag":
                oid = store.odb.tag(oid).object
        except GitError:
            continue
