"""Compares a tree with the index: the staged changes.

They are compared directory by directory; a subtree whose oid is in the index's cache-tree is never opened, and for a
commit just made nothing is compared. Mirrors git diff-index --cached(1).
"""

from __future__ import annotations

from operator import itemgetter

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..diff.changes import Change, Filespec, absent
from ..errors import MissingObject
from ..index.extensions import CacheTree
from ..index.index import Index
from ..index.rows import gathered
from ..limits import Context, need, paced, pause
from ..objects.parsed import tree_columns, tree_entries
from ..paths.pathspec import Pathspecs
from ..paths.tree_listing import with_canonical_modes
from ..repo.store import Store
from .stat_cache import GITLINK, TREE, TYPE, current_index

if TYPE_CHECKING:
    from ..repo.gitmodules import ignore_setting
else:
    ignore_setting = deferred(__name__, "..repo.gitmodules", "ignore_setting")


def tree_vs_index(
    store: Store,
    tree: bytes | None,
    *,
    pathspecs: Pathspecs = Pathspecs.ALL,
    ita_invisible: bool = True,
    ignore_submodules: bytes | None = None,
    ignore_default: bytes = b"",
    ctx: Context,
) -> list[Change]:
    """The changes of `git diff --cached <tree>`. `tree` None stands for the empty tree.

    `ignore_submodules` b"all" leaves submodules out; if it is None, their own settings count, then the default.
    """
    index = current_index(store)
    changes: list[Change] = []
    for path, old, position in paced(tree_index_pairs(store, tree, pathspecs=pathspecs, ctx=ctx)):
        if position >= 0 and index.stages[position]:
            side = Filespec(path, *old) if old else absent(path)
            changes.append(Change("U", side, absent(path), unmerged=True))
            continue
        if _is_submodule(old, index, position) and _left_out(store, path, ignore_submodules, ignore_default):
            continue
        if position >= 0 and ita_invisible and index.special and index.intent_to_add(position):
            position = -1
        if position < 0:
            if old:
                changes.append(Change("D", Filespec(path, *old), absent(path)))
            continue
        mode, oid = index.modes[position], index.oids[position]
        new = Filespec(path, mode, oid)
        if not old:
            changes.append(Change("A", absent(path), new))
        elif old != (mode, oid):
            letter = "T" if (old[0] ^ mode) & TYPE else "M"
            changes.append(Change(letter, Filespec(path, *old), new))
    return changes


def need_tree(store: Store, tree: bytes | None, name: str) -> None:
    """Read the tree that a comparison begins with, as git does even if the index's cache-tree makes that
    unnecessary."""
    if tree is not None and not store.odb.has(tree):
        raise MissingObject(f"bad tree object {name}", prefix="error", oid=tree.hex())


Side = tuple[int, bytes]
Entry = tuple[int, bytes, bytes]  # mode, name, oid
Pair = tuple[bytes, Side | None, int]
_Open = tuple[bytes, bytes | None, CacheTree | None, int, int]  # a directory: its tree, cache-tree, range of the index
#: the position for a repeated name of the tree: only the first entry of a name is compared with the index
AGAIN = -2
_LARGE = 64  # directories with fewer entries are compared by name
_STRETCH = 256
_FILES = {b"%o" % mode: mode.to_bytes(4, "big") for mode in (0o100644, 0o100755, 0o120000, GITLINK)}


def _left_out(store: Store, path: bytes, given: bytes | None, default: bytes) -> bool:
    return ignore_setting(store, path, given, default) == b"all"


def _is_submodule(old: Side | None, index: Index, position: int) -> bool:
    """Whether a pair has only submodules."""
    modes = {old[0] if old else GITLINK, index.modes[position] if position >= 0 else GITLINK}
    return modes == {GITLINK}


def tree_index_pairs(
    store: Store, tree: bytes | None, *, pathspecs: Pathspecs = Pathspecs.ALL, ctx: Context
) -> list[Pair]:
    """(path, mode and oid in the tree, first position in the index or -1) of possible differences, by path.

    A name that the tree has more than once is listed once for each further entry, with the position `AGAIN`.
    """
    index = current_index(store)
    root = index.cache_tree
    if tree is not None and root is not None and root.oid == tree:
        return []
    out: list[Pair] = []
    stack: list[_Open] = [(b"", tree, root, 0, len(index))]
    while stack:
        ctx.tick()
        prefix, oid, cached, low, high = stack.pop()
        raw = b"" if oid is None else store.odb.tree(oid)
        rows = _differing(index, prefix, raw, low, high)
        if rows is not None:
            for row in paced(rows):
                out += _meant(row, index.mode(row[2]), pathspecs)
            continue
        entries = with_canonical_modes(tree_entries(raw, store.hash_len))
        need(len(prefix) * (len(entries) + high - low))  # each path begins with the prefix
        sides = _tree_sides(entries)
        again = _again(entries) if len(sides) < len(entries) else []
        inner: list[_Open] = []
        for name, side, first, last in paced(_merged(index, prefix, sides, low, high) + again):
            path = prefix + name
            if low == AGAIN:
                first = AGAIN
            is_dir = name[-1:] == b"/"
            if not is_dir:
                if side is None or first < 0 or not _equal(index, first, side):
                    out += _meant((path, side, first), index.mode(first) if first >= 0 else -1, pathspecs)
                continue
            below = cached.subtrees.get(name[:-1]) if cached is not None and first >= 0 else None
            if side is not None and below is not None and below.oid == side[1]:
                continue
            if pathspecs.could_match_below(path[:-1]):
                inner.append((path, side[1] if side else None, below, AGAIN if first == AGAIN else max(first, 0), last))
        stack += reversed(inner)  # repeated names of the tree keep its order
    out.sort(key=itemgetter(0))
    return out


def _meant(pair: Pair, mode: int, pathspecs: Pathspecs) -> list[Pair]:
    """The pair of a path as far as words select it; `mode` is the index's, -1 if it lacks the path. "name/" is no
    file's name but a submodule's: where the index has one in place of a file, the tree's side is judged for itself."""
    path, side, position = pair
    before = -1 if side is None else side[0]
    if not pathspecs.match(path, (before if mode < 0 else mode) == GITLINK):
        return []
    if GITLINK in (before, mode) and before != mode and not pathspecs.match(path, before == GITLINK):
        side = None
    return [(path, side, position)]


def _differing(index: Index, prefix: bytes, raw: bytes, low: int, high: int) -> list[Pair] | None:
    """The differing entries of a large directory that has files of the same names on both sides and no directories;
    None for any other directory. `raw` is the tree; columns are compared, each as one text."""
    count, size, width = high - low, index.hash_len, 42 + index.hash_len
    if count < _LARGE or index.special or index.unmerged:
        return None
    columns = tree_columns(raw, size)
    if columns is None or len(columns[1]) != count:
        return None
    modes, names, oids = columns
    if not _FILES.keys() >= set(modes):
        return None
    pause()
    paths = index.paths[low:high]
    if prefix + (b"\0" + prefix).join(names) != b"\0".join(paths):
        return None
    pause()
    fixed = index.fixed[low * width : high * width]
    ours = gathered(fixed, 24, 4, width), gathered(fixed, 40, size, width)
    theirs = b"".join([_FILES[mode] for mode in modes]), b"".join(oids)
    if ours == theirs:
        return []
    at = _unlike(ours[1], theirs[1], size) | _unlike(ours[0], theirs[0], 4)
    return [(paths[nth], (int(modes[nth], 8), oids[nth]), low + nth) for nth in sorted(at)]


def _unlike(one: bytes, two: bytes, size: int) -> set[int]:
    """The indexes at which two columns of the same length differ, whose items have `size` bytes each."""
    differing: set[int] = set()
    for start in range(0, len(one), _STRETCH * size):
        end = start + _STRETCH * size
        if one[start:end] != two[start:end]:
            differing |= {at // size for at in range(start, end, size) if one[at : at + size] != two[at : at + size]}
    return differing


def _tree_sides(entries: list[Entry]) -> dict[bytes, Side]:
    """name → (mode, oid); the names of directories end in a slash."""
    return {(name + b"/" if mode == TREE else name): (mode, child) for mode, name, child in reversed(entries)}


def _again(entries: list[Entry]) -> list[tuple[bytes, Side | None, int, int]]:
    """The further entries of names that a tree has more than once."""
    seen: set[bytes] = set()
    out: list[tuple[bytes, Side | None, int, int]] = []
    for mode, name, child in paced(entries):
        name = name + b"/" if mode == TREE else name
        if name in seen:
            out.append((name, (mode, child), AGAIN, AGAIN))
        seen.add(name)
    return out


def _equal(index: Index, position: int, side: Side) -> bool:
    head = index.head(position)
    return (
        not head[-2] & 0x30
        and head[40:-2] == side[1]
        and int.from_bytes(head[24:28], "big") == side[0]
        and not index.intent_to_add(position)
    )


def _merged(
    index: Index, prefix: bytes, sides: dict[bytes, Side], low: int, high: int
) -> list[tuple[bytes, Side | None, int, int]]:
    """(name, tree's side, first position, end) of every entry one level below a directory, on either side.

    The index's names can be anything: "/a" is a file "a" in a directory with an empty name. Each round ends after the
    entry it began with, because that entry itself starts with the name whose end is searched for.
    """
    paths, size = index.paths, len(prefix)
    out: list[tuple[bytes, Side | None, int, int]] = []
    at = low
    while at < high:
        if not at & 0xFFF:
            pause()
        rest = paths[at][size:]
        cut = rest.find(b"/")
        if cut < 0:
            end = at + 1
            while end < high and paths[end] == paths[at]:
                end += 1
            name = rest
        else:
            name = rest[: cut + 1]
            end = index.span_below(prefix + name)[1]
        out.append((name, sides.pop(name, None), at, end))
        at = end
    out.extend((name, side, -1, 0) for name, side in sides.items())
    return out
