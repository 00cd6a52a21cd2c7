"""The entries of a tree object, as git ls-tree lists them.

Its arguments are not pathspecs. Each is a literal path. A directory is opened only if the path ends with a slash
(`src/`) or names something below it. An entry is `(mode as git shows it, path from the top, oid)`.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..errors import GitError, MissingObject, TooLarge, WrongKind
from ..limits import Context, need, paced
from ..objects.parsed import tree_columns, tree_entries
from ..records import record
from ..repo.store import Store

Entry = tuple[int, bytes, bytes]
#: consecutive entries of one directory as columns: the directory, modes in octal, names, oids
Run = tuple[bytes, Sequence[bytes], Sequence[bytes], Sequence[bytes]]
_KIND, _DIRECTORY, _GITLINK = 0o170000, 0o040000, 0o160000
_DEEPEST = 4096
_BATCH = 512
_COPIES = 4  # of a directory's path, which each of its entries holds until it is written
_USUAL = frozenset((0o100644, 0o100755, _DIRECTORY, 0o120000, _GITLINK))
_USUAL_TEXT = frozenset((b"100644", b"100755", b"40000", b"120000", b"160000"))
_DIRECTORY_TEXT = b"40000"


@record(frozen=True)
class TreeListSpec:
    """The options of a listing. `paths` are relative to the top, with their final slashes; with none, all is listed."""

    paths: Sequence[bytes] = ()
    recursive: bool = False
    trees: bool = False  # also list directories that are opened
    only_trees: bool = False


class _Wanted:
    """The requested paths, asked about entries: each question costs the entry's depth, however many paths there are."""

    __slots__ = ("_sorted", "_whole")

    def __init__(self, paths: Sequence[bytes]) -> None:
        self._whole, self._sorted = frozenset(paths), sorted(paths)

    def covers(self, path: bytes, mode: int) -> bool:
        """Whether an entry is a requested path, below one, or a directory above one."""
        whole = self._whole
        if path in whole or b"" in whole:
            return True
        at = path.find(b"/")
        while at >= 0:
            if path[:at] in whole or path[: at + 1] in whole:
                return True
            at = path.find(b"/", at + 1)
        return self.opens(path) if mode == _DIRECTORY else mode == _GITLINK and path + b"/" in whole

    def opens(self, path: bytes) -> bool:
        """Whether one of the requested paths leads into this directory."""
        front = path + b"/"
        at = bisect_left(self._sorted, front)
        return at < len(self._sorted) and self._sorted[at].startswith(front)


class TreeListing:
    """The entries below a tree: iterate over batches, or over `runs` if `whole` (everything is listed)."""

    __slots__ = ("_ctx", "_spec", "_store", "_tree", "whole")

    def __init__(self, store: Store, tree: bytes, spec: TreeListSpec, ctx: Context) -> None:
        self._store, self._tree, self._spec, self._ctx = store, tree, spec, ctx
        self.whole = spec.recursive and not (spec.paths or spec.trees or spec.only_trees)

    def __iter__(self) -> Iterator[list[Entry]]:
        return list_tree(self._store, self._tree, self._spec, ctx=self._ctx)

    def runs(self) -> Iterator[Run]:
        """All entries below the tree except directories, without creating an object for each entry."""
        stack = [(b"", _columns(self._store, self._tree), 0)]
        while stack:
            self._ctx.tick()
            base, columns, start = stack.pop()
            modes, names, oids = columns
            try:
                at = modes.index(_DIRECTORY_TEXT, start)
            except ValueError:
                yield base, modes[start:], names[start:], oids[start:]
                continue
            if at > start:
                yield base, modes[start:at], names[start:at], oids[start:at]
            if len(stack) >= _DEEPEST:
                raise TooLarge("the tree is nested too deeply")
            stack.append((base, columns, at + 1))
            try:
                below = _columns(self._store, oids[at])
            except (MissingObject, WrongKind) as error:
                raise _not_opened(oids[at], error) from None
            stack.append((base + names[at] + b"/", below, 0))


def _columns(store: Store, tree: bytes) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """The columns of a tree, with modes as git shows them."""
    columns = tree_columns(store.odb.tree(tree), store.hash_len)
    if columns is not None and _USUAL_TEXT.issuperset(columns[0]):
        return columns
    entries = _entries(store, tree, b"")
    return [b"%o" % mode for mode, _, _ in entries], [name for _, name, _ in entries], [oid for _, _, oid in entries]


def list_tree(store: Store, tree: bytes, spec: TreeListSpec, *, ctx: Context) -> Iterator[list[Entry]]:
    """The entries below `tree` in the order of the tree, in batches. Raises the errors of reading trees."""
    if not spec.paths and not spec.recursive and not spec.only_trees:
        yield _entries(store, tree, b"")
        return
    batch: list[Entry] = []
    wanted = _Wanted(spec.paths)
    stack: list[tuple[list[Entry], Iterator[int]]] = [_opened(store, tree, b"", spec, wanted)]
    handled = [0]  # number of entries of each open directory that have been handled
    while stack:
        ctx.tick()
        entries, directories = stack[-1]
        at = next(directories, len(entries))
        batch += _plain(entries[handled[-1] : at], spec)
        handled[-1] = at + 1
        if at == len(entries):
            stack.pop()
            handled.pop()
            continue
        entry = entries[at]
        opened = spec.recursive or wanted.opens(entry[1])
        if not opened or spec.trees:
            batch.append(entry)
        if opened:
            if len(stack) >= _DEEPEST:
                raise TooLarge("the tree is nested too deeply")
            if len(batch) >= _BATCH:
                yield batch
                batch = []
            try:
                below = _opened(store, entry[2], entry[1] + b"/", spec, wanted)
            except (MissingObject, WrongKind) as error:
                yield batch  # git has printed the entries before the error
                raise _not_opened(entry[2], error) from None
            stack.append(below)
            handled.append(0)
    if batch:
        yield batch


def _not_opened(tree: bytes, error: GitError) -> GitError:
    """git's error for a directory that cannot be opened, with the exit status of an incomplete listing."""
    words = f"Object {tree.hex()} not a tree" if isinstance(error, WrongKind) else f"Could not read {tree.hex()}"
    return type(error)(words, prefix="error", status=1, hint=error.hint, oid=tree.hex())


def _opened(
    store: Store, tree: bytes, base: bytes, spec: TreeListSpec, wanted: _Wanted
) -> tuple[list[Entry], Iterator[int]]:
    """The requested entries of a tree, and the positions of the directories among them."""
    entries = _entries(store, tree, base)
    if spec.paths:
        entries = [entry for entry in paced(entries) if wanted.covers(entry[1], entry[0])]
    return entries, iter([at for at, entry in enumerate(entries) if entry[0] == _DIRECTORY])


def _plain(entries: list[Entry], spec: TreeListSpec) -> list[Entry]:
    """The entries between two directories that are listed."""
    return [entry for entry in entries if entry[0] == _GITLINK] if spec.only_trees else entries


def _entries(store: Store, tree: bytes, base: bytes) -> list[Entry]:
    entries = tree_entries(store.odb.tree(tree), store.hash_len)
    need(_COPIES * len(base) * len(entries))
    entries = with_canonical_modes(entries)
    return [(mode, base + name, oid) for mode, name, oid in paced(entries)] if base else entries


def with_canonical_modes(entries: list[Entry]) -> list[Entry]:
    """The entries of a tree with their modes as git shows them."""
    if _USUAL.issuperset({entry[0] for entry in entries}):
        return entries
    return [(canonical_mode(mode), name, oid) for mode, name, oid in paced(entries)]


def canonical_mode(mode: int) -> int:
    """A mode as git shows it: of a file's permissions only the executable bit counts."""
    kind = mode & _KIND
    if kind == 0o100000:
        return 0o100755 if mode & 0o100 else 0o100644
    return kind if kind in (_DIRECTORY, 0o120000) else _GITLINK
