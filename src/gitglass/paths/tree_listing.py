"""The entries of a tree object, as git ls-tree walks them.

Its paths are not pathspecs: each is a literal path, and only a slash at its end (`src/`), or a path below it, opens a
directory that is named. An entry is `(mode as git sees it, path from the top, oid)`.
"""

from collections.abc import Iterator, Sequence

from ..errors import GitError, MissingObject, TooLarge, WrongKind
from ..limits import Context, need, paced
from ..objects.parsed import tree_columns, tree_entries
from ..records import record
from ..repo.store import Store

Entry = tuple[int, bytes, bytes]
#: entries that follow each other in one directory, as columns: the directory, modes in octal, names, oids
Run = tuple[bytes, Sequence[bytes], Sequence[bytes], Sequence[bytes]]
_KIND, _DIRECTORY, _GITLINK = 0o170000, 0o040000, 0o160000
_DEEPEST = 4096
_BATCH = 512
_COPIES = 4  # of the path of a directory that each of its entries takes until it is written
_USUAL = frozenset((0o100644, 0o100755, _DIRECTORY, 0o120000, _GITLINK))
_USUAL_TEXT = frozenset((b"100644", b"100755", b"40000", b"120000", b"160000"))
_DIRECTORY_TEXT = b"40000"


@record(frozen=True)
class TreeListSpec:
    """`paths` from the top, with their slashes at the end; none: everything."""

    paths: Sequence[bytes] = ()
    recursive: bool = False
    trees: bool = False  # show directories that are opened
    only_trees: bool = False


class TreeListing:
    """The entries below a tree: iterated over in batches, or, where all is asked for (`whole`), in `runs`."""

    __slots__ = ("_ctx", "_spec", "_store", "_tree", "whole")

    def __init__(self, store: Store, tree: bytes, spec: TreeListSpec, ctx: Context) -> None:
        self._store, self._tree, self._spec, self._ctx = store, tree, spec, ctx
        self.whole = spec.recursive and not (spec.paths or spec.trees or spec.only_trees)

    def __iter__(self) -> Iterator[list[Entry]]:
        return list_tree(self._store, self._tree, self._spec, ctx=self._ctx)

    def runs(self) -> Iterator[Run]:
        """Everything below the tree that is no directory, with nothing made for each entry."""
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
    """The columns of a tree, with modes as git sees them."""
    columns = tree_columns(store.odb.tree(tree), store.hash_len)
    if columns is not None and _USUAL_TEXT.issuperset(columns[0]):
        return columns
    entries = _entries(store, tree, b"")
    return [b"%o" % mode for mode, _, _ in entries], [name for _, name, _ in entries], [oid for _, _, oid in entries]


def list_tree(store: Store, tree: bytes, spec: TreeListSpec, *, ctx: Context) -> Iterator[list[Entry]]:
    """The entries below `tree`, in the order of the tree, some at a time. Raises what reading a tree raises."""
    if not spec.paths and not spec.recursive and not spec.only_trees:
        yield _entries(store, tree, b"")
        return
    batch: list[Entry] = []
    stack: list[tuple[list[Entry], Iterator[int]]] = [_opened(store, tree, b"", spec)]
    done = [0]  # how many entries of each open directory have been dealt with
    while stack:
        ctx.tick()
        entries, directories = stack[-1]
        at = next(directories, len(entries))
        batch += _plain(entries[done[-1] : at], spec)
        done[-1] = at + 1
        if at == len(entries):
            stack.pop()
            done.pop()
            continue
        entry = entries[at]
        opened = spec.recursive or _opens(spec.paths, entry[1])
        if not opened or spec.trees:
            batch.append(entry)
        if opened:
            if len(stack) >= _DEEPEST:
                raise TooLarge("the tree is nested too deeply")
            if len(batch) >= _BATCH:
                yield batch
                batch = []
            try:
                below = _opened(store, entry[2], entry[1] + b"/", spec)
            except (MissingObject, WrongKind) as error:
                yield batch  # git has printed what stands before it
                raise _not_opened(entry[2], error) from None
            stack.append(below)
            done.append(0)
    if batch:
        yield batch


def _not_opened(tree: bytes, error: GitError) -> GitError:
    """git's words for a directory that cannot be gone into, and its status: that of a listing that is not whole."""
    words = f"Object {tree.hex()} not a tree" if isinstance(error, WrongKind) else f"Could not read {tree.hex()}"
    return type(error)(words, prefix="error", status=1, hint=error.hint, oid=tree.hex())


def _opened(store: Store, tree: bytes, base: bytes, spec: TreeListSpec) -> tuple[list[Entry], Iterator[int]]:
    """The entries of a tree that are asked for, and where the directories are among them."""
    entries = _entries(store, tree, base)
    if spec.paths:
        entries = [entry for entry in paced(entries) if _interesting(spec.paths, entry[1], entry[0])]
    return entries, iter([at for at, entry in enumerate(entries) if entry[0] == _DIRECTORY])


def _plain(entries: list[Entry], spec: TreeListSpec) -> list[Entry]:
    """The entries that are no directories, as far as they are shown."""
    return [entry for entry in entries if entry[0] == _GITLINK] if spec.only_trees else entries


def _entries(store: Store, tree: bytes, base: bytes) -> list[Entry]:
    entries = tree_entries(store.odb.tree(tree), store.hash_len)
    need(_COPIES * len(base) * len(entries))
    if _USUAL.issuperset({entry[0] for entry in entries}):
        return [(mode, base + name, oid) for mode, name, oid in paced(entries)] if base else entries
    return [(canonical_mode(mode), base + name, oid) for mode, name, oid in paced(entries)]


def canonical_mode(mode: int) -> int:
    """A mode as git sees it: of a file's permissions only whether it can be run counts."""
    kind = mode & _KIND
    if kind == 0o100000:
        return 0o100755 if mode & 0o100 else 0o100644
    return kind if kind in (_DIRECTORY, 0o120000) else _GITLINK


def _interesting(wanted: Sequence[bytes], path: bytes, mode: int) -> bool:
    """Is the entry named, below something named, or on the way to it?"""
    for match in wanted:
        if not match or match == path:
            return True
        if path.startswith(match) and (match.endswith(b"/") or path[len(match)] == 0x2F):
            return True
        if not match.startswith(path) or match[len(path)] != 0x2F:
            continue
        if mode == _DIRECTORY or (mode == _GITLINK and len(match) == len(path) + 1):
            return True
    return False


def _opens(wanted: Sequence[bytes], path: bytes) -> bool:
    """Does one of the paths lead into this directory?"""
    return any(match.startswith(path) and match[len(path) : len(path) + 1] == b"/" for match in wanted)
