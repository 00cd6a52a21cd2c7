"""git grep: search the files that were asked for; results file by file, as they are found.

Files come from the work tree (by the index, or by looking for untracked ones as well), from the index, or from trees.
Only regular files are searched: no symbolic links, no submodules. Mirrors git grep(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..diff.lines.userdiff import DEFAULT, Driver, driver_for, is_binary
from ..disk.worktree import WorkTree
from ..errors import BadRequest, PermissionDenied, TooLarge, text
from ..limits import Context, watched
from ..objects.parsed import tree_entries
from ..paths.attributes import attributes_of
from ..paths.pathspec import Item, Pathspecs
from ..records import field, record
from ..repo.store import Store
from ..worktree.scan import members, standard_ignore
from ..worktree.smudge import refuse_conversion
from ..worktree.stat_cache import current_index
from .expression import Query
from .file import Row, ShowSpec, count_others, every_part, rows_of, selected

_TYPE, _REGULAR, _TREE = 0o170000, 0o100000, 0o040000
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
    pathspecs: Pathspecs = field(default_factory=lambda: Pathspecs.ALL)
    roots: Sequence[Root] = ()


@record
class Result:
    """One file with something to show. `tree` is what stands in front of the path (b"HEAD:" or nothing).

    `kind`: "lines", "count", "name", "binary" or "any".
    """

    kind: str
    tree: bytes
    path: bytes
    data: bytes = b""
    rows: list[Row] = field(default_factory=list)
    count: int = 0


def grep(store: Store, spec: GrepSpec, *, ctx: Context) -> Iterator[Result]:
    """All matches, in git's order. Raises what reading an object raises."""
    if spec.show.max_count == 0:
        return
    searcher = _Searcher(store, spec, ctx)
    for tree, path, shown, data in _sources(store, spec, ctx):
        ctx.tick()
        if data is None:
            continue
        result = searcher.search(tree, path, shown, data)
        if result is not None:
            yield result


class _Searcher:
    """Looks one file through after another."""

    __slots__ = ("_ctx", "_drivers", "_spec", "_store")

    def __init__(self, store: Store, spec: GrepSpec, ctx: Context) -> None:
        self._store = store
        self._spec = spec
        self._ctx = ctx
        self._drivers: dict[object, Driver] = {}

    def search(self, tree: bytes, path: bytes | None, shown: bytes, data: bytes) -> Result | None:
        """`path` is where attributes are looked up, `shown` what is printed."""
        spec = self._spec
        if spec.textconv and path is not None:
            refuse_conversion(self._store, path, "grep")
        if spec.binary == "skip" and self._is_binary(path, data):
            return None
        if spec.query.all_match and not every_part(data, spec.query, spec.show):
            return None  # not even a file without a match (-L)
        if spec.want == "count" and spec.show.invert and spec.query.expression is None:
            count = count_others(data, spec.query)
            limit = spec.show.max_count
            count = count if limit < 0 else min(count, limit)
            return Result("count", tree, shown, count=count) if count else None
        hits = watched(selected(data, spec.query, spec.show, self._ctx))
        first = next(hits, None)
        if spec.want.endswith("other") or spec.want == "others":
            return Result("any" if spec.want == "any-other" else "name", tree, shown) if first is None else None
        if first is None:
            return None
        if spec.want == "any":
            return Result("any", tree, shown)
        if spec.want == "names":
            return Result("name", tree, shown)
        if spec.want == "count":
            count, limit = 1, spec.show.max_count
            for _ in hits:
                if limit >= 0 and count >= limit:
                    break
                count += 1
            return Result("count", tree, shown, count=count)
        if not spec.binary and self._is_binary(path, data):
            return Result("binary", tree, shown)
        rows = rows_of(data, _again(first, hits), spec.show, self._namer(path), spec.query)
        return Result("lines", tree, shown, data, rows)

    def _driver(self, path: bytes | None) -> Driver:
        if path is None:
            return DEFAULT
        value = attributes_of(self._store).get(path, b"diff")
        driver = self._drivers.get(value)
        if driver is None:
            driver = self._drivers[value] = driver_for(value, self._store.config)
        return driver

    def _is_binary(self, path: bytes | None, data: bytes) -> bool:
        binary = self._driver(path).binary
        return is_binary(data) if binary is None else binary

    def _namer(self, path: bytes | None) -> Callable[[bytes], bool]:
        show = self._spec.show
        if not (show.function or show.function_body):
            return _names_function
        finder = self._driver(path).finder
        return _names_function if finder is None else lambda line: finder(line) is not None


def _names_function(line: bytes) -> bool:
    """git's rule where no driver has one: a letter, `_` or `$` at the front."""
    return line[:1].isalpha() or line[:1] in (b"_", b"$")


def _again(first: tuple[int, int, int], rest: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    yield first
    yield from rest


# ------------------------------------------------------------------------------------------------------------- sources
_Source = tuple[bytes, bytes | None, bytes, bytes | None]  # tree name, path for attributes, path shown, content


def _sources(store: Store, spec: GrepSpec, ctx: Context) -> Iterator[_Source]:
    if spec.untracked:
        yield from _all_files(store, spec, ctx)
    elif not spec.roots:
        yield from _index_files(store, spec, ctx)
    else:
        for root in spec.roots:
            if root.kind == b"blob":
                shown = root.name
                yield b"", root.path, shown, store.odb.blob(root.oid)
            else:
                yield from _tree_files(store, root, spec, ctx)


def _index_files(store: Store, spec: GrepSpec, ctx: Context) -> Iterator[_Source]:
    index = current_index(store)
    low, high = index.span(spec.pathspecs.common_dir())
    paths, modes, stages, cached = index.paths, index.modes, index.stages, spec.cached
    match = _matcher(store, spec)
    limit, odb, done = ctx.limits.max_object_bytes, store.odb, None
    files, flags = store.files, index.column(40 + index.hash_len)
    special = index.special
    for at in range(low, high):
        path = paths[at]
        if path == done or modes[at] & _TYPE != _REGULAR or (match is not None and not match(path)):
            continue
        done = path if stages[at] else done  # the sides of a conflict are one file
        if special and not cached and index.skip_worktree(at):
            continue
        if cached or flags[at] >= 0x80:  # a file assumed unchanged is what the index says
            if stages[at] or (special and index.intent_to_add(at)):
                continue
            yield b"", path, path, odb.blob(index.oids[at])
        elif files is not None:
            yield b"", path, path, _work_file(store, path, limit, ctx)


def _work_file(store: Store, path: bytes, limit: int, ctx: Context) -> bytes | None:
    files = store.files
    assert files is not None
    try:
        return files.read_optional(path, limit)
    except PermissionDenied:
        ctx.say(b"error: failed to open '%s': Permission denied\n" % path)
        return None


def _all_files(store: Store, spec: GrepSpec, ctx: Context) -> Iterator[_Source]:
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
        elif kind == "d" and pathspecs.could_match_below(path) and (no_index or files.lstat(path + b"/.git") is None):
            stack.append(iter(_listed(files, path + b"/", ctx)))


def _listed(files: WorkTree, folder: bytes, ctx: Context) -> list[tuple[bytes, str]]:
    """What is in a directory, in the order of paths: a directory sorts as if it ended in a slash."""
    entries = [(folder + name, kind) for name, kind in members(files, folder[:-1], ctx) if name != b".git"]
    return sorted(entries, key=lambda entry: entry[0] + b"/" if entry[1] == "d" else entry[0])


def _tree_files(store: Store, root: Root, spec: GrepSpec, ctx: Context) -> Iterator[_Source]:
    odb, size = store.odb, store.hash_len
    name = root.name + b":" if root.name else b""
    match, pathspecs = _matcher(store, spec), spec.pathspecs
    tree = odb.peel(root.oid, b"tree")
    stack = [(b"", iter(tree_entries(odb.tree(tree), size)))]
    while stack:
        base, entries = stack[-1]
        for mode, entry, oid in entries:
            kind = mode & _TYPE
            if kind == _REGULAR:
                path = base + entry
                if match is None or match(path):
                    yield name, path if root.attributes else None, path, odb.blob(oid)
            elif kind == _TREE:
                ctx.tick()
                if pathspecs.could_match_below(base + entry) and _may_descend(spec, base + entry):
                    if len(stack) >= _DEEPEST:
                        raise TooLarge("the tree is nested too deeply")
                    stack.append((base + entry + b"/", iter(tree_entries(odb.tree(oid), size))))
                    break
        else:
            stack.pop()


def _may_descend(spec: GrepSpec, folder: bytes) -> bool:
    """A cheap bound for --max-depth where there is no pathspec."""
    return spec.max_depth < 0 or bool(spec.pathspecs.items) or folder.count(b"/") < spec.max_depth


# ---------------------------------------------------------------------------------------------------------- which paths
def _matcher(store: Store, spec: GrepSpec) -> Callable[[bytes], bool] | None:
    """Whether a path is meant; None where all are."""
    pathspecs, depth = spec.pathspecs, spec.max_depth
    if depth < 0:
        return pathspecs.match if pathspecs else None
    included = [item for item in pathspecs.items if not item.exclude]
    if not included:
        return lambda path: pathspecs.match(path) and path.count(b"/") <= depth
    single = [(item, Pathspecs([item], lambda: attributes_of(store))) for item in included]

    def shallow(path: bytes) -> bool:
        if not pathspecs.match(path):
            return False
        covering = (_within(item, path, depth) for item, one in reversed(single) if one.match(path))
        # Strange but git's: in trees the last word that covers a path decides alone.
        return next(covering, False) if spec.roots else any(covering)

    return shallow


def _within(item: Item, path: bytes, depth: int) -> bool:
    """Whether a path that a word covers is not too deep below it; wildcards know no depth."""
    front = path[: len(item.match)]
    if front != item.match and not (item.icase and front.lower() == item.match.lower()):
        return True
    return path[len(front) :].removeprefix(b"/").count(b"/") <= depth


def root_of(store: Store, name: bytes, oid: bytes, path: bytes | None) -> Root:
    """An object named on the command line. Raises GitError for what cannot be searched."""
    odb = store.odb
    kind, final = odb.kind(oid), oid
    if kind == b"tag":
        final = odb.peel(oid)
        kind = odb.kind(final)
    if kind not in (b"commit", b"tree", b"blob"):
        raise BadRequest(f"unable to grep from object of type {text(kind)}")
    return Root(name, final, kind, path, kind == b"commit")
