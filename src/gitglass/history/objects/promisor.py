"""The objects that a promisor remote has promised: those in promisor packs, and those that these refer to."""

from __future__ import annotations

from ...errors import GitError
from ...limits import Context
from ...objects.parsed import commit_parents, commit_tree, tag_object, tree_entries
from ...repo.store import Store


class Promised:
    """Whether an object is promised; the packs are read on first use."""

    __slots__ = ("_ctx", "_promised", "_store")

    def __init__(self, store: Store, ctx: Context) -> None:
        self._store, self._ctx = store, ctx
        self._promised: set[bytes] | None = None

    def __call__(self, oid: bytes) -> bool:
        if self._promised is None:
            self._promised = self._gather()
        return oid in self._promised

    def packed(self) -> set[bytes]:
        """The objects in promisor packs."""
        odb = self._store.odb
        oids: set[bytes] = set()
        for directory in odb.dirs:
            for pack in directory.indexed():
                if pack.promisor:
                    oids.update(pack.index.oids())
        return oids

    def _gather(self) -> set[bytes]:
        store = self._store
        if not store.is_partial:
            return set()
        oids = self.packed()
        for oid in list(oids):
            self._ctx.tick()
            try:
                kind, raw = store.odb.read(oid)
                if kind == b"tree":
                    oids.update(child for _, _, child in tree_entries(raw, store.hash_len))
                elif kind == b"commit":
                    oids.add(commit_tree(raw, oid))
                    oids.update(commit_parents(raw, oid))
                elif kind == b"tag":
                    oids.add(tag_object(raw, oid))
            except GitError:
                continue
        return oids
