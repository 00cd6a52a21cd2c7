"""The index as a file again: entries with changes laid over them, in the version the file had.

Entries that nothing changed keep their bytes. Of the extensions TREE and REUC (resolve-undo) are written, `sdir` where
sparse directories are left or may come; a split index comes out whole, and what other tools keep beside (UNTR, FSMN,
EOIE, IEOT) is left out, as an extension with a capital letter may be (gitformat-index(5)). Versions 2 and 3 differ by
whether any entry has extended flags, as in git; version 4 stays version 4.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Collection, Mapping
from itertools import groupby, islice, repeat
from operator import attrgetter, itemgetter

from ..errors import Corrupt, Unsupported, text
from ..index.extensions import CacheTree
from ..index.index import INTENT_TO_ADD, SKIP_WORKTREE, Index
from ..limits import paced
from ..objects.hashes import new_hash
from ..objects.parsed import SYMLINK, TREE, object_name
from ..paths.ignore import PatternList
from ..repo.store import Store
from .changes import ROW_FLAGS, Changes, EntryChange, ResolvedChange, Row, Stages
from .checkout.sparse import folders_outside

_STAT = struct.Struct(">10I")
_ASSUME_VALID = 0x8000
_EXTENDED = 0x4000
_FOLDER = TREE.to_bytes(4, "big")
_MASK = 0xFFFFFFFF

Entry = tuple[bytes, bytes, int]  # path, fixed part, extended flags


def index_name(store: Store) -> bytes:
    """The index file that is read and written, from the (common) git directory; b"" where GIT_INDEX_FILE (git(1)) names
    one that lies elsewhere."""
    path, front = store.index_path, store.common_dir + b"/"
    if store.where.index is not None:
        folder, _, name = path.rpartition(b"/")
        path = store.jail.resolve(folder) + b"/" + name
    return path.removeprefix(front) if path.startswith(front) else b""


def need_index(store: Store) -> bytes:
    """The same. Raises Unsupported for one that lies elsewhere: the door and the locks are the git directory's."""
    name = index_name(store)
    if not name:
        raise Unsupported(
            f"GIT_INDEX_FILE names '{text(store.where.index or b'')}', and gitglass writes no index outside of the"
            " git directory"
        )
    return name


def rows_at(index: Index, path: bytes) -> tuple[Row, ...]:
    """The entries of one path, by stage."""
    rows: list[Row] = []
    for at in index.positions(path):
        head = index.head(at)
        flags = (head[-2] << 8 | index.special.get(at, 0) << 16) & ROW_FLAGS
        rows.append(Row(head[-2] >> 4 & 3, int.from_bytes(head[24:28], "big"), head[40:-2], flags))
    return tuple(rows)


def stat_numbers(info: os.stat_result, mode: int) -> bytes:
    """A file's status as an entry holds it, each number cut to 32 bits."""
    return _STAT.pack(
        int(info.st_ctime_ns // 1_000_000_000) & _MASK, info.st_ctime_ns % 1_000_000_000,
        int(info.st_mtime_ns // 1_000_000_000) & _MASK, info.st_mtime_ns % 1_000_000_000,
        info.st_dev & _MASK, info.st_ino & _MASK, mode, info.st_uid & _MASK, info.st_gid & _MASK,
        info.st_size & _MASK,
    )  # fmt: skip


def _entry(path: bytes, row: Row, stat: bytes) -> Entry:
    extended = row.flags >> 16 & (SKIP_WORKTREE | INTENT_TO_ADD)
    flags = row.flags & _ASSUME_VALID | (_EXTENDED if extended else 0) | row.stage << 12 | min(len(path), 0xFFF)
    return path, stat[:24] + row.mode.to_bytes(4, "big") + stat[28:] + row.oid + flags.to_bytes(2, "big"), extended


def _stat_of(index: Index, change: EntryChange, row: Row, written: Mapping[bytes, os.stat_result]) -> bytes:
    """The stat data of a changed entry: of the file as it is known to go with it, or of the entry before; else none."""
    if row.stage:
        return bytes(40)
    info = change.stat if change.stat is not None else written.get(change.path)
    moved = -1 if change.moved_from is None else index.find(change.moved_from)
    believed = row.flags & (_ASSUME_VALID | SKIP_WORKTREE << 16)  # git does not look at their files where they move
    if moved >= 0 and (info is None or believed):
        return index.head(moved)[:40]
    if info is not None:
        return stat_numbers(info, row.mode)
    before = next((old for old in change.before if not old.stage), None)
    if before is not None and (before.oid, before.mode) == (row.oid, row.mode):
        at = index.find(change.path)
        if at >= 0:
            return index.head(at)[:40]
    return bytes(40)


def edited(
    index: Index, changes: list[EntryChange], written: Mapping[bytes, os.stat_result], smudged: Collection[int]
) -> list[Entry]:
    """The entries of an index with changes laid over them, in order.

    `written`: status of the files that the operation put into place. `smudged`: positions of untouched entries that
    look unchanged by their stat data and are not (racy-git): their size is written as 0, so that every reader looks
    again.
    """
    new: list[Entry] = []
    for change in changes:
        for row in change.after:
            new.append(_entry(change.path, row, _stat_of(index, change, row, written)))
    special, heads = index.special, index.heads
    if smudged:
        heads = heads.copy()
        for at in smudged:
            heads[at] = heads[at][:36] + bytes(4) + heads[at][40:]
    if special:
        flags = [special.get(at, 0) & (SKIP_WORKTREE | INTENT_TO_ADD) for at in range(len(heads))]
        kept: list[Entry] = list(zip(index.paths, heads, flags))
    else:
        kept = list(zip(index.paths, heads, repeat(0)))
    gone = {change.path for change in changes}
    if gone:
        kept = [entry for entry in paced(kept) if entry[0] not in gone]
    if new:
        kept += new
        staged = bool(index.unmerged) or any(row.stage for change in changes for row in change.after)
        kept.sort(key=_by_path if staged else itemgetter(0))
    return kept


def collapsed(entries: list[Entry], folders: list[bytes], store: Store) -> list[Entry]:
    """The entries with directories as one entry again of which no file is to be in the work tree, and whose tree the
    repository has. `folders` were so before."""
    for front in folders:
        rows = [entry for entry in entries if entry[0].startswith(front)]
        if not rows or not all(extended & SKIP_WORKTREE and not head[-2] >> 4 & 3 for _, head, extended in rows):
            continue
        named = [(path[len(front) :], int.from_bytes(head[24:28], "big"), head[40:-2]) for path, head, _ in rows]
        tree, _ = write_trees(named, None, lambda kind, data: object_name(kind, data, store.hash_name), b"")
        if store.odb.has(tree):
            kept = [entry for entry in entries if not entry[0].startswith(front)]
            one = _entry(front, Row(0, TREE, tree, SKIP_WORKTREE << 16), bytes(40))
            entries = sorted([*kept, one], key=_by_path)
    return entries


def outside_folders(entries: list[Entry], patterns: PatternList | None) -> list[bytes]:
    """The topmost directories that a sparse checkout does not hold, with a slash at their end, of files that are marked
    as absent."""
    fronts = set[bytes]()
    if patterns is None:
        return []
    for path, _, extended in entries:
        if extended & SKIP_WORKTREE and not path.startswith(tuple(fronts)):
            fronts.update(folder + b"/" for folder in islice(folders_outside(patterns, path), 1))
    return sorted(fronts)


def index_bytes(
    entries: list[Entry],
    version: int,
    hash_name: str,
    *,
    trees: CacheTree | None,
    undo: bytes = b"",
    skip_hash: bool = False,
    sparse: bool = False,
) -> bytes:
    """An index file. `trees` and `undo` are the extensions TREE and REUC; `skip_hash` (`index.skipHash`) leaves the
    checksum zero. One that is `sparse` says so, even without a directory in it, if it
    has entries."""
    if version != 4:
        version = 3 if any(extended for _, _, extended in entries) else 2
    write = _compressed if version == 4 else _padded
    sparse = (sparse and bool(entries)) or any(head[24:28] == _FOLDER for _, head, _ in entries)
    return _file(version, len(entries), write(entries), hash_name, trees, undo, skip_hash, sparse=sparse)


def spliced_bytes(
    index: Index,
    changes: list[EntryChange],
    written: Mapping[bytes, os.stat_result],
    smudged: Collection[int],
    hash_name: str,
    *,
    trees: CacheTree | None,
    undo: bytes = b"",
    skip_hash: bool = False,
) -> bytes | None:
    """The same file as `index_bytes` makes of `edited`, with whatever lies between two changes copied as it stands;
    None where that is not to be had: another version, extended flags, directories as entries."""
    data = index.usual_file
    rows = [(change, row) for change in paced(changes) for row in change.after]
    if data is None or index.sparse or any(row.flags >> 16 or row.mode == TREE for _, row in paced(rows)):
        return None
    edits: dict[int, tuple[int, list[Entry]]] = {}  # position → how many entries go there, and what comes
    for change in paced(sorted(changes, key=attrgetter("path"))):
        places = index.positions(change.path)
        count, come = edits.get(places.start, (0, []))
        come += [_entry(change.path, row, _stat_of(index, change, row, written)) for row in change.after]
        edits[places.start] = max(count, len(places)), come
    for at in smudged:
        count, come = edits.get(at, (0, []))
        if not count:
            head = index.head(at)
            edits[at] = 1, [*come, (index.path(at), head[:36] + bytes(4) + head[40:], 0)]
    parts: list[bytes] = []
    begin, total = 0, len(index)
    for at in paced(sorted(edits)):
        count, come = edits[at]
        come.sort(key=_by_path)
        parts += [data[index.start(begin) : index.start(at)], *_padded(come)]
        begin, total = at + count, total + len(come) - count
    parts.append(data[index.start(begin) : index.start(len(index))])
    return _file(2, total, parts, hash_name, trees, undo, skip_hash)


def _by_path(entry: Entry) -> tuple[bytes, int]:
    return entry[0], entry[1][-2] >> 4 & 3


def _file(
    version: int,
    count: int,
    entries: list[bytes],
    hash_name: str,
    trees: CacheTree | None,
    undo: bytes,
    skip_hash: bool,
    *,
    sparse: bool = False,
) -> bytes:
    parts = [struct.pack(">4sII", b"DIRC", version, count), *entries]
    if trees is not None:
        parts.append(_extension(b"TREE", tree_bytes(trees)))
    if undo:
        parts.append(_extension(b"REUC", undo))
    if sparse:
        parts.append(_extension(b"sdir", b""))
    data = b"".join(parts)
    digest = new_hash(hash_name, data).digest()
    return data + (bytes(len(digest)) if skip_hash else digest)


def _padded(entries: list[Entry]) -> list[bytes]:
    """Versions 2 and 3: each entry ends in one to eight zero bytes, at a multiple of eight."""
    padding = [bytes(8 - size) for size in range(8)]
    bodies = [
        head + extended.to_bytes(2, "big") + path if extended else head + path
        for path, head, extended in paced(entries)
    ]
    return [body + padding[len(body) & 7] for body in paced(bodies)]


def _compressed(entries: list[Entry]) -> list[bytes]:
    """Version 4: how much of the path before is dropped, and what is added to the rest."""
    parts: list[bytes] = []
    before = b""
    for path, head, extended in paced(entries):
        common = _common(before, path)
        parts.append(head + (extended.to_bytes(2, "big") if extended else b""))
        parts.append(_variable(len(before) - common) + path[common:] + b"\0")
        before = path
    return parts


def _common(one: bytes, two: bytes) -> int:
    """How many bytes two paths begin with alike."""
    least = min(len(one), len(two))
    if one[:least] == two[:least]:
        return least
    low, high = 0, least
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == two[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _variable(value: int) -> bytes:
    """A number in bytes that continue while the top bit is set, each step adding one (`rows.variable_number`)."""
    parts = [value & 0x7F]
    while value := value >> 7:
        value -= 1
        parts.append(0x80 | value & 0x7F)
    return bytes(reversed(parts))


def _extension(name: bytes, body: bytes) -> bytes:
    return name + len(body).to_bytes(4, "big") + body


# --- the extension TREE ---------------------------------------------------------------------------------------------


def tree_bytes(root: CacheTree) -> bytes:
    """The extension's body: each node before its subtrees, those in order of length and then bytes, as git has them."""
    parts: list[bytes] = []
    stack = [(b"", root)]
    while stack:
        name, node = stack.pop()
        count = -1 if node.oid is None else node.count
        parts.append(b"%b\0%d %d\n" % (name, count, len(node.subtrees)) + (node.oid or b""))
        stack += sorted(node.subtrees.items(), key=lambda item: (len(item[0]), item[0]), reverse=True)
    return b"".join(parts)


def without_paths(root: CacheTree | None, paths: list[bytes]) -> CacheTree | None:
    """The cached trees with those on the way to changed paths marked as unknown; the given one is not changed."""
    if root is None:
        return None
    fresh: dict[bytes, CacheTree | None] = {b"": _unknown(root) if paths else root}  # by directory
    for folder, names in groupby(map(bytes.rpartition, paths, repeat(b"/")), itemgetter(0)):
        node = _unknown_on_the_way(fresh, folder)
        if node is not None:
            for _, _, name in names:
                node.subtrees.pop(name, None)  # a directory that is a file now
    return fresh[b""]


def _unknown_on_the_way(fresh: dict[bytes, CacheTree | None], folder: bytes) -> CacheTree | None:
    """The tree of a directory in a copy, which is made as far as it is not among the `fresh` ones, with all that lead
    to it; None where it is not cached."""
    missing: list[bytes] = []
    while folder not in fresh:
        folder, _, name = folder.rpartition(b"/")
        missing.append(name)
    node = fresh[folder]
    for name in reversed(missing):
        below = None if node is None else node.subtrees.get(name)
        if node is not None and below is not None:
            below = node.subtrees[name] = _unknown(below)
        folder = folder + b"/" + name if folder else name
        node = fresh[folder] = below
    return node


def _unknown(node: CacheTree) -> CacheTree:
    """A copy of a tree over the same subtrees, its own name and count not known."""
    copy = CacheTree(-1, None)
    copy.subtrees = dict(node.subtrees)
    return copy


# --- trees out of entries ---------------------------------------------------------------------------------------------


def write_trees(
    entries: list[tuple[bytes, int, bytes]],
    cached: CacheTree | None,
    add: Callable[[bytes, bytes], bytes],
    empty_tree: bytes,
) -> tuple[bytes, CacheTree]:
    """The tree that entries (path, mode, oid; sorted, stage 0) make: (its name, the cached trees of all directories).

    `add(kind, content)` keeps a new object and gives its name. A directory that `cached` knows, with as many entries,
    is not made again. Raises Corrupt where a name is a file and a directory.
    """
    paths = [entry[0] for entry in entries]

    def make(low: int, high: int, depth: int, cached: CacheTree | None) -> CacheTree:
        if cached is not None and cached.oid is not None and cached.count == high - low:
            return cached
        made = CacheTree(high - low, None)
        rows: list[tuple[bytes, bytes]] = []
        at = low
        while at < high:
            path, mode, oid = entries[at]
            slash = path.find(b"/", depth)
            if slash < 0 or mode == TREE:
                name = path[depth:].rstrip(b"/")
                rows.append((name + b"/" if mode == TREE else name, b"%o %b\0" % (mode, name) + oid))
                at += 1
                continue
            front = path[: slash + 1]
            end = _first_not_below(paths, front, at, high)
            name = path[depth:slash]
            below = cached.subtrees.get(name) if cached is not None else None
            child = made.subtrees[name] = make(at, end, slash + 1, below)
            assert child.oid is not None
            rows.append((name + b"/", b"40000 %b\0" % name + child.oid))
            at = end
        rows.sort()
        if len({key.rstrip(b"/") for key, _ in rows}) != len(rows):
            raise Corrupt("a name of the index is a file and a directory")
        made.oid = add(b"tree", b"".join(row for _, row in rows))
        return made

    root = make(0, len(entries), 0, cached)
    assert root.oid is not None
    return root.oid, root


def _first_not_below(paths: list[bytes], front: bytes, low: int, high: int) -> int:
    """The first position from `low` on whose path does not begin with `front`."""
    end = front[:-1] + b"0"
    while low < high:
        middle = (low + high) // 2
        if paths[middle] < end:
            low = middle + 1
        else:
            high = middle
    return low


def file_mode(info: os.stat_result) -> int:
    """The mode that git gives a file by its status."""
    if (info.st_mode & 0o170000) == SYMLINK:
        return SYMLINK
    return 0o100755 if info.st_mode & 0o100 else 0o100644


def write_undo(rows: list[tuple[bytes, list[tuple[int, bytes | None]]]], hash_len: int) -> bytes:
    """The body of REUC: for each path three modes in octal, then an oid for each mode that is not zero."""
    parts: list[bytes] = []
    for path, sides in rows:
        parts.append(path + b"\0" + b"".join(b"%o\0" % mode for mode, _ in sides))
        parts.append(b"".join(oid or bytes(hash_len) for mode, oid in sides if mode))
    return b"".join(parts)


# --- conflicts that were resolved (REUC) ------------------------------------------------------------------------------


def resolved_changes(index: Index, changes: Changes) -> list[ResolvedChange]:
    """What the index will keep of conflicts that were resolved, where that is not what it keeps now: those that this
    operation resolves are added, those that it makes again go, and all go where it forgets them (REUC)."""
    before: dict[bytes, Stages] = {path: tuple(stages) for path, stages in index.resolve_undo}
    after = {} if changes.forget_resolved else dict(before)
    for entry in changes.entries:
        stages = {row.stage: row for row in entry.before if row.stage}
        if any(row.stage for row in entry.after):
            after.pop(entry.path, None)
        elif stages and not changes.forget_resolved:
            after[entry.path] = tuple(
                (stages[stage].mode, stages[stage].oid) if stage in stages else (0, None) for stage in (1, 2, 3)
            )
    return [
        ResolvedChange(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]


def still_resolved(index: Index, changes: list[ResolvedChange]) -> list[ResolvedChange]:
    """Those of the changes whose path the index still keeps what it kept before."""
    now: dict[bytes, Stages] = {path: tuple(stages) for path, stages in index.resolve_undo}
    return [one for one in changes if now.get(one.path) == one.before]


def resolved_rows(index: Index, changes: Changes) -> list[tuple[bytes, list[tuple[int, bytes | None]]]]:
    """All that the index keeps of them afterwards."""
    kept = dict(index.resolve_undo)
    for one in changes.resolved or ():
        kept.pop(one.path, None)
        if one.after is not None:
            kept[one.path] = list(one.after)
    return sorted(kept.items())
