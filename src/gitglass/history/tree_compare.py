"""Whether two trees agree in some paths: the test that a path-limited walk applies to every commit.

It is called tens of thousands of times, so it never builds a list of changes. Plain paths (no wildcards, no magic) are
looked up name by name in both raw trees, and each lookup is remembered by tree: the tree of a commit is compared twice,
as child and as parent, and directories rarely change. Other pathspecs compare the two trees entry by entry and stop at
the first difference. A commit-graph's Bloom filters give most answers without any tree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..graph.bloom import BloomQuery, make_bloom_query
from ..graph.nodes import Node
from ..limits import Context
from ..objects.parsed import DoubledName
from ..paths.pathspec import Pathspecs
from ..repo.store import Store
from .entry_cache import UNKNOWN, EntryLookup
from .spec import WalkSpec

if TYPE_CHECKING:
    from ..diff.trees import Trees
else:
    Trees = deferred(__name__, "..diff.trees", "Trees")


Same = Callable[[bytes | None, bytes], bool]
SAME, NEW, OLD, DIFFERENT = 0, 1, 2, 3
TREE = 0o040000
_TREES, _FOLDERS = (TREE,), (TREE, 0o160000)  # "name/" is a directory or a submodule
TREE_MODES = (b"40000", b"040000")


class Comparer:
    """Compares two commits' trees: SAME, NEW (the paths only appear), OLD (they only vanish) or DIFFERENT."""

    __slots__ = ("asked", "bloom", "ctx", "decorated", "hash_len", "limited", "maybe", "odb", "store")

    def __init__(self, store: Store, spec: WalkSpec, ctx: Context) -> None:
        self.store, self.odb, self.ctx, self.hash_len = store, store.odb, ctx, store.hash_len
        self.decorated: Collection[Node] | None = spec.decorated
        self.asked = Pathspecs.ALL if spec.paths is None else spec.paths
        self.limited = spec.paths is not None and bool(spec.paths)
        self.bloom: BloomQuery | None = None
        self.maybe: Callable[[Node], bool] | None = None  # False if a filter says that nothing changed

    def look_in_filters(self, bloom: BloomQuery | None) -> None:
        """Use Bloom filters first."""
        self.bloom, self.maybe = bloom, None if bloom is None else bloom.maybe

    def by_number(self, number: Callable[[bytes], int | None]) -> None:
        """Take commits by number from now on."""
        if self.decorated is not None:
            self.decorated = set(map(number, self.decorated))
        if self.bloom is not None:
            self.maybe = self.bloom.maybe_at

    @property
    def by_decoration(self) -> bool:
        """Whether the result depends only on whether the commit is decorated."""
        return self.decorated is not None and not self.limited

    def compare(self, parent: Node, node: Node, nth: int, tree_of: Callable[[Node], bytes]) -> int:
        """How the tree of a commit relates to that of its nth parent; `tree_of` gives the tree of a commit."""
        if self.decorated is not None:
            if node in self.decorated:
                return DIFFERENT
            if not self.limited:
                return SAME
        old, new = tree_of(parent), tree_of(node)
        if old == new:
            return SAME
        if self.maybe is not None and not nth and not self.maybe(node):
            return SAME
        return self.trees(old, new)

    def trees(self, old: bytes | None, new: bytes) -> int:
        raise NotImplementedError

    def in_order(self, old: bytes | None, new: bytes) -> int:
        """The same for a tree that names a file twice, with git's parallel walk through both trees."""
        result = SAME
        trees = Trees(self.odb, self.hash_len)
        for _, old_mode, _, new_mode, _ in trees.rows_in_order(old, new, self.asked, ctx=self.ctx):
            result |= (OLD if old_mode else 0) | (NEW if new_mode else 0)
        return result

    def same_as_empty(self, tree: bytes) -> bool:
        """Whether none of the paths is in the tree."""
        return self.trees(None, tree) == SAME


#: the most paths that are looked up one by one: these take a millisecond for a pair of trees
_MOST_PLAIN = 1000


class Anything(Comparer):
    """No paths: any difference counts."""

    __slots__ = ()

    def trees(self, old: bytes | None, new: bytes) -> int:
        if old is None:
            return SAME if not self.odb.tree(new) else NEW
        return SAME if old == new else DIFFERENT


class PlainPaths(Comparer):
    """Paths without wildcards: each a list of names, and whether it must be a directory."""

    __slots__ = ("find", "paths")

    def __init__(self, store: Store, spec: WalkSpec, ctx: Context, paths: list[bytes]) -> None:
        super().__init__(store, spec, ctx)
        self.paths = [(path.rstrip(b"/").split(b"/"), path.endswith(b"/")) for path in paths]
        entries = EntryLookup(store)
        self.find = {name: entries.finder(name) for names, _ in self.paths for name in names}

    def trees(self, old: bytes | None, new: bytes) -> int:
        result = SAME
        try:
            for names, directory in self.paths:
                result |= self._one(old, new, names, directory)
                if result == DIFFERENT:
                    break
        except DoubledName:
            return self.in_order(old, new)
        return result

    def _one(self, old: bytes | None, new: bytes | None, names: list[bytes], directory: bool) -> int:
        self.ctx.tick()
        last = len(names) - 1
        for depth, name in enumerate(names):
            left = self.find[name](old) if old is not None else None
            right = self.find[name](new) if new is not None else None
            if left == right:
                return SAME
            if depth < last or directory:
                kinds = _FOLDERS if depth == last else _TREES
                left = left if left is not None and left[0] in kinds else None
                right = right if right is not None and right[0] in kinds else None
                if left == right:
                    return SAME
            old = None if left is None else left[1]
            new = None if right is None else right[1]
        if old is None:
            return NEW
        return OLD if new is None else DIFFERENT


class AnyPaths(Comparer):
    """Pathspecs with wildcards, exclusion or other magic: looks at the raw entries that only one of two trees has."""

    __slots__ = ("all_trees", "paths")

    def __init__(self, store: Store, spec: WalkSpec, ctx: Context, paths: Pathspecs) -> None:
        super().__init__(store, spec, ctx)
        self.paths = paths
        self.all_trees = Trees(store.odb, store.hash_len)

    def trees(self, old: bytes | None, new: bytes) -> int:
        try:
            return self._by_sets(old, new)
        except DoubledName:
            return self.in_order(old, new)

    def _by_sets(self, old: bytes | None, new: bytes) -> int:
        result = SAME
        differing, hash_len = self.all_trees.differing, self.hash_len
        stack: list[tuple[bytes | None, bytes | None, bytes]] = [(old, new, b"")]
        while stack:
            self.ctx.tick()
            left, right, base = stack.pop()
            below: dict[bytes, list[bytes | None]] = {}
            gone, come = differing(left, right)
            for side, kind, changed in ((0, OLD, gone), (1, NEW, come)):
                for entry in changed:
                    mode, _, name = entry[: -hash_len - 1].partition(b" ")
                    if mode in TREE_MODES:
                        below.setdefault(base + name, [None, None])[side] = entry[-hash_len:]
                    elif result & kind == 0 and self.paths.match(base + name, mode == b"160000"):
                        result |= kind
            if result == DIFFERENT:
                return result
            for path, (one, two) in below.items():
                if one != two and self.paths.could_match_below(path):
                    if one is not None and two is not None and self.paths.matches_all_below(path):
                        return DIFFERENT
                    stack.append((one, two, path + b"/"))
        return result


def make_comparer(store: Store, spec: WalkSpec, ctx: Context) -> Comparer:
    """The comparer that fits the paths of a walk."""
    paths = spec.paths
    if paths is None or not paths:
        return Anything(store, spec, ctx)
    plain = plain_paths(paths)
    if plain is None:
        return AnyPaths(store, spec, ctx, paths)
    if b"" in plain:
        return Anything(store, spec, ctx)
    comparer = PlainPaths(store, spec, ctx, plain)
    comparer.look_in_filters(make_bloom_query(store, plain))
    return comparer


def plain_paths(paths: Pathspecs) -> list[bytes] | None:
    """The paths of pathspecs without wildcards or magic; None if any has some, or if there are very many.

    Each path is looked up in each tree; beyond `_MOST_PLAIN` paths it is faster to match the differing entries, as for
    wildcards.
    """
    if len(paths.items) > _MOST_PLAIN:
        return None
    plain = []
    for item in paths.items:
        if item.exclude or item.icase or item.attrs or item.wild is not None:
            return None
        plain.append(item.match)
    return plain


def sameness(comparer: Comparer) -> Same:
    """The function that tells whether two trees agree in the paths; one plain path has a function of its own."""
    if not isinstance(comparer, PlainPaths) or len(comparer.paths) != 1 or comparer.paths[0][1]:
        trees = comparer.trees
        return lambda old, new: trees(old, new) == SAME
    entries = EntryLookup(comparer.store)
    levels = [entries.parts(name) for name in comparer.paths[0][0]]
    last = len(levels) - 1
    unknown = UNKNOWN

    def same(old: bytes | None, new: bytes) -> bool:
        try:
            return looked_up(old, new)
        except DoubledName:
            return comparer.trees(old, new) == SAME

    def looked_up(old: bytes | None, new: bytes) -> bool:
        for depth, (cached, look) in enumerate(levels):
            right = cached(new, unknown)
            if right is unknown:
                right = look(new)
            left = None
            if old is not None:
                left = cached(old, unknown)
                if left is unknown:
                    left = look(old)
            if left == right:
                return True
            if depth == last:
                return False
            if left is not None and left[0] != TREE:
                left = None
            if right is None or right[0] != TREE:
                if left is None:
                    return True
                right, left = left, None  # it only matters that one side has something below
            new, old = right[1], None if left is None else left[1]
        return False

    return same
