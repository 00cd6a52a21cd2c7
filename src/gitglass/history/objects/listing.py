"""The objects behind commits: trees and blobs, each once, in the order git lists them (rev-list --objects).

Objects that excluded commits have are left out: the trees of excluded parents are hidden beforehand, with everything
below them. Objects wait in the order they were named or met until all commits are listed (with --in-commit-order, until
their commit is); then each tree comes before its content. A filter may decide about each object (filters.py), except
those named on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...diff.tree_delta import OFFSETS
from ...errors import Corrupt, MissingObject, text
from ...limits import Context, holding
from ...objects.parsed import fresh_entries, is_gitlink, is_tree
from ...paths.pathspec import Pathspecs
from ...records import field, record
from ...repo.store import Store
from .filters import BLOB, COMMIT, MARK, SHOW, SKIP, TAG, TREE, TREE_END, ObjectFilter
from .git_order import OidSet
from .tree_versions import TreeVersions

_TREE_MODE = 0o040000
_PATHS = 3  # copies of its path that an open tree holds: as an entry, as the prefix of its entries, and as one of these
_LEVEL_BYTES = 700  # memory of an open tree besides its paths: the generator of its entries
Entry = tuple[int, bytes, bytes]  # mode, path, oid
Named = tuple[bytes, bytes]  # oid, path


@record
class ObjectRules:
    """How an object listing treats the objects it meets. `missing` is git's word for --missing, "" by default."""

    ask: ObjectFilter | None = None
    all_asked: bool = False  # the filter decides about named objects, too
    missing: str = ""
    promised: Callable[[bytes], bool] | None = None
    ignore_promised: bool = False
    verify: bool = False
    absent: OidSet = field(default_factory=OidSet)  # the missing objects, with "print"


class ObjectLister:
    """Lists trees and blobs, each once."""

    __slots__ = (
        "_below", "_pending", "_root_of", "_roots", "_versions", "ctx", "paths", "rules", "seen", "store", "trees",
    )  # fmt: skip

    def __init__(self, store: Store, paths: Pathspecs, ctx: Context, rules: ObjectRules | None = None) -> None:
        self.store, self.paths, self.ctx = store, paths, ctx
        self.rules = rules or ObjectRules()
        self.seen: set[bytes] = set()  # blobs that are listed or hidden; trees have a set of their own
        self.trees: set[bytes] = set()
        self._pending: list[tuple[str, bytes, bytes, bool]] = []
        # Only if every object is listed or dropped for good when it is first met: no filter, no paths, no promises.
        plain = self.rules.ask is None and not self.rules.ignore_promised and not paths
        self._versions = TreeVersions(store.hash_len, store.odb.by_oid.table(OFFSETS)) if plain else None
        self._root_of: Callable[[bytes], bytes] | None = None
        self._roots: set[bytes] = set()  # trees of commits: the filter decides about them even if they were named
        self._below: set[bytes] | None = None  # and objects that were met below others, if some were named

    # ---------------------------------------------------------------- what is hidden
    def exclude(self, tree: bytes) -> None:
        """Leave out a tree and everything below it that is not missing."""
        stack = [tree]
        while stack:
            self.ctx.tick()
            here = stack.pop()
            if here in self.trees:
                continue
            self.trees.add(here)
            try:
                entries = fresh_entries(self.store.odb.tree(here), self.store.hash_len, self.seen, self.trees)
            except MissingObject:
                continue
            for mode, _, oid in entries:
                if is_tree(mode):
                    stack.append(oid)
                elif not is_gitlink(mode):
                    self.seen.add(oid)

    def exclude_commits(self, commits: Iterable[bytes]) -> None:
        """Leave out the objects of commits."""
        for commit in commits:
            self.exclude(self.store.odb.commit_facts(commit)[2])

    # ---------------------------------------------------------------- what is waiting
    def named(self, kind: str, oid: bytes, name: bytes) -> None:
        """Add a named tag, tree or blob to the waiting objects."""
        self._pending.append((kind, oid, name, not self.rules.all_asked))

    def commits(self, oids: Iterable[bytes]) -> None:
        """Add the trees of commits, all of which are shown, to the waiting objects."""
        root_of = self._root_of
        if root_of is None:
            root_of = self._root_of = self.store.odb.root_reader()
        self.roots(map(root_of, oids))

    def roots(self, trees: Iterable[bytes]) -> None:
        """Add these trees of commits."""
        wait, roots = self._pending.append, self._roots
        once = self._versions is not None  # skip trees that wait already or were listed
        for tree in trees:
            if once and tree in roots:
                continue
            roots.add(tree)
            wait((TREE, tree, b"", False))

    def commit(self, oid: bytes, *, named: bool, wait: bool = True) -> bool:
        """Add the tree of a commit to the waiting objects if it is to `wait`; return whether the commit is shown."""
        if wait:
            self.commits((oid,))
        ask = self.rules.ask
        return ask is None or (named and not self.rules.all_asked) or bool(ask(COMMIT, oid) & SHOW)

    def waiting(self) -> Iterator[Named]:
        """(oid, path) of every waiting object and everything below it; afterwards none is waiting."""
        pending, self._pending = self._pending, []
        if self.rules.ask is not None and any(free for _, _, _, free in pending):
            self._below = set()
        for kind, oid, name, free in pending:
            if oid in (self.trees if kind == TREE else self.seen):
                continue
            free = free and oid not in self._roots and oid not in (self._below or ())
            if kind == TAG:
                if self._met(TAG, oid, free) and self._verified(oid):
                    yield oid, name
                continue
            yield from self.tree(oid, name, free=free) if kind == TREE else self._blob(oid, name, free=free)

    # ---------------------------------------------------------------- one after the other
    def tree(self, tree: bytes, name: bytes = b"", *, free: bool = False) -> Iterator[Named]:
        """(oid, path) of a tree and everything below it. `free`: the filter does not decide about the tree itself."""
        if tree in self.trees:
            return
        rules, seen, trees, tick = self.rules, self.seen, self.trees, self.ctx.ticks()
        ask, plain, met_below = rules.ask, not rules.verify, self._below
        has = self.store.odb.has
        held, weights = holding(), [0]  # of the open trees: each path is as long as the tree is deep
        stack: list[tuple[bytes, bool, Iterator[Entry]]] = [(b"", True, iter([(_TREE_MODE, name, tree)]))]
        while stack:
            tick()
            for mode, path, oid in stack[-1][2]:
                if met_below is not None and len(stack) > 1:
                    met_below.add(oid)
                if oid in seen or oid in trees:
                    if oid not in (trees if is_tree(mode) else seen):
                        raise self._mistaken(mode, path, oid, stack[-1][0])
                    continue
                if is_tree(mode):
                    below = self._open(oid, path)
                    if below is None and rules.ignore_promised and self._promised(oid):
                        continue
                    bits = MARK | SHOW if ask is None or free else ask(TREE, oid)
                    if bits & MARK:
                        trees.add(oid)
                    if bits & SHOW and (below is not None or has(oid) or self._absent("tree", oid)):
                        yield oid, path
                    weights.append(_PATHS * len(path) + _LEVEL_BYTES)
                    held.count(weights[-1])
                    stack.append((oid, free, iter(()) if below is None or bits & SKIP else below))
                    free = False
                    break
                if ask is not None or rules.ignore_promised:
                    yield from self._blob(oid, path, free=False)
                    continue
                seen.add(oid)
                if (has(oid) or self._absent("blob", oid)) and (plain or self._verified(oid)):
                    yield oid, path
            else:
                oid, was_free, _ = stack.pop()
                held.count(-weights.pop())
                if ask is not None and not was_free and ask(TREE_END, oid) & MARK:
                    trees.add(oid)

    def _mistaken(self, mode: int, path: bytes, oid: bytes, tree: bytes) -> Corrupt:
        """The error for a tree entry whose object was met before with another type."""
        wanted, actual = ("tree", "blob") if is_tree(mode) else ("blob", "tree")
        self.ctx.say(f"error: object {oid.hex()} is a {actual}, not a {wanted}\n".encode())
        if not tree:
            return Corrupt(f"bad tree object {oid.hex()}", oid=oid.hex())
        name = text(path[path.rfind(b"/") + 1 :])
        return Corrupt(f"entry '{name}' in tree {tree.hex()} has {wanted} mode, but is not a {wanted}", oid=oid.hex())

    def _blob(self, oid: bytes, name: bytes, *, free: bool) -> Iterator[Named]:
        here = self.store.odb.has(oid)
        if not here and self.rules.ignore_promised and self._promised(oid):
            return
        if self._met(BLOB, oid, free) and (here or self._absent("blob", oid)) and self._verified(oid):
            yield oid, name

    def _met(self, what: str, oid: bytes, free: bool) -> bool:
        """Whether an object is shown; it is recorded if it need not be met again."""
        ask = self.rules.ask
        bits = MARK | SHOW if ask is None or free else ask(what, oid)
        if bits & MARK:
            self.seen.add(oid)
        return bool(bits & SHOW)

    def _open(self, tree: bytes, base: bytes) -> Iterator[Entry] | None:
        """The entries of a tree; None if it is missing, where that is allowed."""
        try:
            raw = self.store.odb.tree(tree)
        except (MissingObject, Corrupt) as error:
            rules = self.rules
            if isinstance(error, Corrupt):
                if self.store.odb.kind(tree) == b"tree":
                    raise
                self.ctx.say(b"error: Object %s not a tree\n" % tree.hex().encode())
            if rules.missing in ("", "error") and not (rules.ignore_promised and self._promised(tree)):
                raise MissingObject(f"bad tree object {tree.hex()}", oid=tree.hex()) from None
            return None
        if self._versions is not None:
            raw = self._versions.news(base, tree, raw)
        return self._entries(raw, base)

    def _entries(self, raw: bytes, base: bytes) -> Iterator[Entry]:
        if base and self.paths and not self.paths.could_match_below(base):
            return  # a tree that the pathspecs exclude is listed, but not its content
        prefix = base + b"/" if base else b""
        limited = bool(self.paths)
        for mode, name, oid in fresh_entries(raw, self.store.hash_len, self.seen, self.trees):
            path = prefix + name
            if is_gitlink(mode):
                continue
            if limited and not (self.paths.touches(path) if is_tree(mode) else self.paths.match(path)):
                continue
            yield mode, path, oid

    # ---------------------------------------------------------------- what is not here, or not what it should be
    def _absent(self, kind: str, oid: bytes) -> bool:
        """Handle a missing object that would be shown. Raises MissingObject unless missing objects are allowed; never
        returns True."""
        mode = self.rules.missing
        if mode == "print":
            self.rules.absent.add(oid)
        elif mode == "allow-promisor":
            if not self._promised(oid):
                raise MissingObject(f"unexpected missing {kind} object '{oid.hex()}'", oid=oid.hex())
        elif mode != "allow-any":
            if self.store.odb.is_fetched(oid):
                raise self.store.odb.missing(oid)
            raise MissingObject(f"missing {kind} object '{oid.hex()}'", oid=oid.hex())
        return False

    def _promised(self, oid: bytes) -> bool:
        return self.rules.promised is not None and self.rules.promised(oid)

    def verify_commits(self, oids: Iterable[bytes]) -> None:
        """Raise Corrupt for a commit that is not what its name says, or a parent of one: git reads them before it lists
        a commit, and with --verify-objects not from the commit-graph."""
        odb, seen = self.store.odb, set[bytes]()
        for oid in oids:
            for one in (oid, *odb.commit(oid).parents):
                if one not in seen and odb.has(one):
                    self.ctx.tick()
                    odb.verify(one)
                    seen.add(one)

    def _verified(self, oid: bytes) -> bool:
        """With --verify-objects: report an object whose content does not match its name; it is still listed."""
        if self.rules.verify:
            try:
                self.store.odb.verify(oid)
            except Corrupt as error:
                self.ctx.say(error.words())
        return True
