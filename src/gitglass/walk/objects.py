"""The objects behind commits: trees and blobs, each once, in the order git lists them (rev-list --objects).

What the edge of the range already has is left out: the trees of excluded parents are marked beforehand, with all
below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import MissingObject
from ..limits import Context
from ..paths.pathspec import Pathspecs
from ..store.objects import is_gitlink, is_tree, tree_entries
from ..store.store import Store


class ObjectLister:
    """Lists trees and blobs; remembers which it has listed."""

    __slots__ = ("ctx", "paths", "seen", "store")

    def __init__(self, store: Store, paths: Pathspecs, ctx: Context) -> None:
        self.store, self.paths, self.ctx = store, paths, ctx
        self.seen: set[bytes] = set()

    def exclude(self, tree: bytes) -> None:
        """Leave out a tree and all below it."""
        stack = [tree]
        while stack:
            self.ctx.tick()
            here = stack.pop()
            if here in self.seen:
                continue
            self.seen.add(here)
            for mode, _, oid in tree_entries(self.store.odb.tree(here), self.store.hash_len):
                if is_tree(mode):
                    stack.append(oid)
                elif not is_gitlink(mode):
                    self.seen.add(oid)

    def tree(self, tree: bytes, name: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """(oid, path) of a tree and what is below it."""
        if tree in self.seen:
            return
        self.seen.add(tree)
        yield tree, name
        stack = [self._entries(tree, name)]
        while stack:
            self.ctx.tick()
            for mode, path, oid in stack[-1]:
                if oid in self.seen:
                    continue
                self.seen.add(oid)
                if not is_tree(mode) and not self.store.odb.has(oid):
                    raise MissingObject(f"missing blob object '{oid.hex()}'", oid=oid.hex())
                yield oid, path
                if is_tree(mode):
                    stack.append(self._entries(oid, path))
                    break
            else:
                stack.pop()

    def _entries(self, tree: bytes, base: bytes) -> Iterator[tuple[int, bytes, bytes]]:
        prefix = base + b"/" if base else b""
        for mode, name, oid in tree_entries(self.store.odb.tree(tree), self.store.hash_len):
            path = prefix + name
            if is_gitlink(mode):
                continue
            if is_tree(mode):
                if self.paths and not (self.paths.match(path, True) or self.paths.could_match_below(path)):
                    continue
            elif self.paths and not self.paths.match(path):
                continue
            yield mode, path, oid

    def blob(self, oid: bytes, name: bytes) -> Iterator[tuple[bytes, bytes]]:
        """A blob that was named."""
        if oid not in self.seen:
            self.seen.add(oid)
            yield oid, name


def exclude_edges(lister: ObjectLister, store: Store, edges: Iterable[bytes]) -> None:
    """Leave out what the commits at the excluded edge already have."""
    for commit in edges:
        lister.exclude(store.odb.commit_facts(commit)[2])
