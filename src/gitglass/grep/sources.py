"""What git grep searches: the files of the work tree, of the index, or of trees, one after another.

Files come from the work tree (by the index, or by looking for untracked ones as well), from the index, or from trees.
Only regular files are searched, no symbolic links; submodules are entered with `recurse_submodules` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from ..diff.lines.userdiff import driver_for
from ..disk.worktree import WorkTree
from ..errors import BadRequest, GitError, MissingObject, NotFound, PermissionDenied, TooLarge, text
from ..index.index import STAGE_OF, Index
from ..limits import Context, paced
from ..objects.parsed import tree_entries
from ..paths.attributes import attributes_of
from ..paths.pathspec import Item, Pathspecs
from ..records import field, record
from ..repo.gitmodules import SubmoduleNames, names_in_tree
from ..repo.store import Store
from ..worktree.scan import is_repository, members, standard_ignore
from ..worktree.stat_cache import current_index
from ..worktree.submodules import inner_store
from .expression import Query
from .file import ShowSpec

_TYPE, _REGULAR, _TREE, _GITLINK = 0o170000, 0o100000, 0o040000, 0o160000
_DEEPEST = 4096


@record
class Root:
    """An object to search in: `name` as given; `attributes`: its paths are those of the work tree."""

    name: bytes
    oid: bytes
    kind: bytes
    path: bytes | None = None  # a blob's path, where it was named by one
    attributes: bool = False


@record(frozen=True)
class GrepSpec:
    """What is searched, and how much is wanted of it.

    `want`: "lines", "count", "names" (of files with a match), "others" (files without), "any" and "any-other" (only
    whether there is one). `binary`: "" (say only that it matches), "text" (-a), "skip" (-I).
    `no_index`: with `untracked`, repositories within the work tree are entered, too.
    `recurse_submodules`: submodules that are active are searched, each in its own repository.
    `textconv`: converted text is wanted, which is the content itself unless a program is configured for the path.
    """

    query: Query
    show: ShowSpec = field(default_factory=ShowSpec)
    want: str = "lines"
    binary: str = ""
    cached: bool = False
    untracked: bool = False
    no_index: bool = False
    exclude_standard: bool = True
    max_depth: int = -1
    textconv: bool = False
    recurse_submodules: bool = False
    pathspecs: Pathspecs = field(default_factory=lambda: Pathspecs.ALL)
    roots: Sequence[Root] = ()


Source = tuple[bytes, bytes | None, bytes, bytes | None]  # tree name, path for attributes, path shown, content


Unread = Callable[[bytes, bytes, bytes, int], None]  # tree name, path shown, object, how often git says so


def sources(store: Store, spec: GrepSpec, ctx: Context, unread: Unread | None = None) -> Iterator[Source]:
    """Every file to search, in git's order; content None for one that cannot be read. A missing object ends the search,
    unless `unread` takes note of it."""
    if spec.untracked:
        yield from _all_files(store, spec, ctx)
    elif not spec.roots:
        yield from _IndexFiles(store, spec, ctx, unread).below(store, b"")
    else:
        for root in spec.roots:
            if root.kind == b"blob":
                shown = root.name
                yield b"", root.path, shown, store.odb.blob(root.oid)
            else:
                yield from _root_files(store, root, spec, ctx, unread)


class _Files:
    """Files of a repository and of the submodules in it. `store` is the outermost repository: its attributes, its work
    tree and the words of the command line hold within submodules too."""

    __slots__ = ("_ctx", "_match", "_spec", "_store", "_unread")

    def __init__(self, store: Store, spec: GrepSpec, ctx: Context, unread: Unread | None) -> None:
        self._store = store
        self._spec = spec
        self._ctx = ctx
        self._unread = unread
        self._match = _matcher(store, spec)

    def _missed(self, error: MissingObject, oid: bytes, name: bytes, path: bytes | None, shown: bytes) -> None:
        """Take note of a missing object: git looks at a file to see whether it is binary, and to search it."""
        if self._unread is None:
            raise error
        spec = self._spec
        looks = [spec.binary != "text", True]
        if looks[0] and path is not None:
            value = attributes_of(self._store).get(path, b"diff")
            binary = driver_for(value, self._store.config).binary
            looks = [binary is None, not (binary and spec.binary == "skip")]
        self._unread(name, shown, oid, sum(looks))


class _IndexFiles(_Files):
    """The files of an index, and of the indexes of the submodules in it."""

    __slots__ = ()

    def below(self, store: Store, prefix: bytes) -> Iterator[Source]:
        """The files of one repository; `prefix` leads to it from the outermost (b"" or b"sub/")."""
        spec, ctx, match = self._spec, self._ctx, self._match
        index = current_index(store)
        spans = self._spans(index)
        few = sum(map(len, spans)) < len(index) >> 4  # then no columns of the whole index are made
        entry_of = index.head if few else index.heads.__getitem__
        path_of = index.path if few else index.paths.__getitem__
        cached = spec.cached
        limit, odb, done = ctx.limits.max_object_bytes, store.odb, None
        files, special = self._store.files, index.special
        for at in chain.from_iterable(spans):
            path, entry = path_of(at), entry_of(at)
            stage, kind = STAGE_OF[entry[-2]], int.from_bytes(entry[24:28], "big") & _TYPE
            if kind != _REGULAR:
                if spec.recurse_submodules and kind == _GITLINK and path != done:
                    done = path if stage else done
                    if cached or not index.skip_worktree(at):
                        yield from self._submodule(store, path, prefix)
                continue
            full = prefix + path
            if path == done or (match is not None and not match(full)):
                continue
            done = path if stage else done  # the sides of a conflict are one file
            if special and not cached and index.skip_worktree(at):
                continue
            if cached or entry[-2] >= 0x80:  # a file assumed unchanged is what the index says
                if stage or (special and index.intent_to_add(at)):
                    continue
                try:
                    data: bytes | None = odb.read(entry[40:-2])[1]
                except MissingObject as error:
                    self._missed(error, entry[40:-2], b"", full, full)
                    data = None
                yield b"", full, full, data
            elif files is not None:
                yield b"", full, full, _work_file(self._store, full, limit, ctx)

    def _spans(self, index: Index) -> list[range]:
        """The positions of the entries that may be searched."""
        spec = self._spec
        sides = None if spec.recurse_submodules else spec.pathspecs.plain_sides
        if sides is not None:
            return index.spans_of(*sides)
        return [range(*index.span(b"" if spec.recurse_submodules else spec.pathspecs.common_dir()))]

    def _submodule(self, store: Store, path: bytes, prefix: bytes) -> Iterator[Source]:
        self._ctx.tick()
        if not _enters(self._store, self._spec, prefix + path):
            return
        sub = inner_store(store, path)
        if sub is not None:
            yield from self.below(sub, prefix + path + b"/")


def _work_file(store: Store, path: bytes, limit: int, ctx: Context) -> bytes | None:
    files = store.files
    assert files is not None
    try:
        return files.read_optional(path, limit)
    except PermissionDenied:
        ctx.say(b"error: failed to open '%s': Permission denied\n" % path)
        return None


def _all_files(store: Store, spec: GrepSpec, ctx: Context) -> Iterator[Source]:
    """Tracked or not: what is in the work tree, except what is ignored."""
    match = _matcher(store, spec)
    for path in _walk_files(store, spec, ctx):
        if match is None or match(path):
            yield b"", path, path, _work_file(store, path, ctx.limits.max_object_bytes, ctx)


def _walk_files(store: Store, spec: GrepSpec, ctx: Context) -> Iterator[bytes]:
    """Regular files of the work tree in git's order. Repositories within are entered with `no_index` only."""
    files, no_index = store.files, spec.no_index
    if files is None:
        return
    ignore = standard_ignore(store) if spec.exclude_standard else None
    pathspecs = spec.pathspecs
    stack: list[Iterator[tuple[bytes, str]]] = [iter(_listed(files, b"", ctx))]
    while stack:
        ctx.tick()
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        path, kind = entry
        if ignore is not None and ignore.ignored(path, kind == "d"):
            continue
        if kind == "f":
            yield path
        elif kind == "d" and pathspecs.could_match_below(path) and (no_index or not is_repository(store, path)):
            stack.append(iter(_listed(files, path + b"/", ctx)))


def _listed(files: WorkTree, folder: bytes, ctx: Context) -> list[tuple[bytes, str]]:
    """What is in a directory, in the order of paths: a directory sorts as if it ended in a slash."""
    entries = [(folder + name, kind) for name, kind in members(files, folder[:-1], ctx) if name != b".git"]
    return sorted(entries, key=lambda entry: entry[0] + b"/" if entry[1] == "d" else entry[0])


def _root_files(store: Store, root: Root, spec: GrepSpec, ctx: Context, unread: Unread | None) -> Iterator[Source]:
    """The files of a tree named on the command line: what its own .gitmodules says of submodules holds."""
    tree = store.odb.peel(root.oid, b"tree")
    names = names_in_tree(store, tree) if spec.recurse_submodules else None
    name = root.name + b":" if root.name else b""
    yield from _TreeFiles(store, spec, ctx, unread).below(store, tree, b"", name, names, root.attributes)


class _TreeFiles(_Files):
    """The files of a tree, and of the trees of the submodules in it."""

    __slots__ = ()

    def below(
        self, store: Store, tree: bytes, prefix: bytes, name: bytes, names: SubmoduleNames | None, attributes: bool
    ) -> Iterator[Source]:
        """The files of one repository's tree. `prefix` leads to it from the outermost, `name` is printed in front.

        Strange but git's: attributes are looked up at the path within the submodule, in the outermost repository.
        """
        spec, odb, size, match, pathspecs = self._spec, store.odb, store.hash_len, self._match, self._spec.pathspecs
        content = odb.content_reader()
        stack = [(b"", iter(paced(tree_entries(odb.tree(tree), size))))]
        while stack:
            base, entries = stack[-1]
            for mode, entry, oid in entries:
                kind, path = mode & _TYPE, base + entry
                if kind == _REGULAR:
                    if match is None or match(prefix + path):
                        try:
                            data: bytes | None = content(oid)
                        except MissingObject as error:
                            self._missed(error, oid, name, path if attributes else None, path)
                            data = None
                        yield name, path if attributes else None, path, data
                elif kind == _TREE:
                    self._ctx.tick()
                    full = prefix + path
                    if pathspecs.could_match_below(full) and _may_descend(spec, full):
                        if len(stack) >= _DEEPEST:
                            raise TooLarge("the tree is nested too deeply")
                        stack.append((path + b"/", iter(paced(tree_entries(odb.tree(oid), size)))))
                        break
                elif kind == _GITLINK and spec.recurse_submodules:
                    yield from self._submodule(store, path, oid, prefix, name, names)
            else:
                stack.pop()

    def _submodule(
        self, store: Store, path: bytes, oid: bytes, prefix: bytes, name: bytes, names: SubmoduleNames | None
    ) -> Iterator[Source]:
        self._ctx.tick()
        if not _enters(self._store, self._spec, prefix + path):
            return
        sub = inner_store(store, path, names)
        if sub is None:
            return
        try:
            commit, tree = sub.odb.kind(oid) == b"commit", sub.odb.peel(oid, b"tree")
        except GitError:
            raise NotFound(f"unable to read tree ({oid.hex()})") from None
        yield from self.below(sub, tree, prefix + path + b"/", name + path + b"/", None, commit)


def _may_descend(spec: GrepSpec, folder: bytes) -> bool:
    """A cheap bound for --max-depth where there is no pathspec."""
    return spec.max_depth < 0 or bool(spec.pathspecs.items) or folder.count(b"/") < spec.max_depth


# ---------------------------------------------------------------------------------------------------------- which paths
def _matcher(store: Store, spec: GrepSpec) -> Callable[[bytes], bool] | None:
    """Whether a path is meant; None where all are."""
    pathspecs, depth = spec.pathspecs, spec.max_depth
    if depth < 0:
        return pathspecs.match if pathspecs else None
    included = _included(pathspecs)
    if not included:
        return lambda path: pathspecs.match(path) and path.count(b"/") <= depth
    single = [(item, Pathspecs([item], lambda: attributes_of(store))) for item in included]

    def shallow(path: bytes) -> bool:
        if not pathspecs.match(path):
            return False
        covering = (_within(item, path, depth) for item, one in reversed(single) if one.match(path))
        # Strange but git's: in trees the last of the sorted words that cover a path decides alone.
        return next(covering, False) if spec.roots else any(covering)

    return shallow


def _included(pathspecs: Pathspecs) -> list[Item]:
    """The words that include paths, sorted as git sorts them for --max-depth."""
    return sorted((item for item in pathspecs.items if not item.exclude), key=lambda item: item.match)


def _enters(store: Store, spec: GrepSpec, path: bytes) -> bool:
    """Whether the submodule at a path is meant, or may hold what is."""
    pathspecs, depth, in_tree = spec.pathspecs, spec.max_depth, bool(spec.roots)
    if depth < 0 or not pathspecs.enters(path, in_tree=in_tree):
        return depth < 0 and pathspecs.enters(path, in_tree=in_tree)
    included = _included(pathspecs)
    if not included:
        return path.count(b"/") <= depth
    single = [(item, Pathspecs([item], lambda: attributes_of(store))) for item in included]
    covering = (_within(item, path, depth) for item, one in reversed(single) if one.enters(path, in_tree=in_tree))
    return next(covering, False) if in_tree else any(covering)


def _within(item: Item, path: bytes, depth: int) -> bool:
    """Whether a path that a word covers is not too deep below it; wildcards know no depth."""
    front = path[: len(item.match)]
    if front != item.match and not (item.icase and front.lower() == item.match.lower()):
        return True
    return path[len(front) :].removeprefix(b"/").count(b"/") <= depth


def root_of(store: Store, name: bytes, oid: bytes, path: bytes | None) -> Root:
    """An object named on the command line. Raises GitError for what cannot be searched."""
    odb = store.odb
    try:
        kind, final = odb.kind(oid), oid
    except MissingObject:
        raise NotFound(f"unable to parse object: {text(name)}") from None
    if kind == b"tag":
        final = odb.peel(oid)
        kind = odb.kind(final)
    if kind not in (b"commit", b"tree", b"blob"):
        raise BadRequest(f"unable to grep from object of type {text(kind)}")
    return Root(name, final, kind, path, kind == b"commit")
