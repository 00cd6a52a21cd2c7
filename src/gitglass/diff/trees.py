"""Which files differ between two trees.

This is the hot path of `git log --stat` and its kin. Two versions of a directory are compared as bytes, and only the
entries that differ are cut out (`tree_delta.py`). Other trees are cut into their raw entries (`mode name NUL oid`) by
one regular expression and cached as sets, so that comparing them is one set operation in C. The order of git's own walk
is that of whole paths compared as bytes, which sorting restores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from operator import itemgetter

from ..annotations import TYPE_CHECKING
from ..deferred import lazy_pattern
from ..errors import Corrupt
from ..limits import need, paced, pause, uncollected
from ..memories import Facts
from ..objects.parsed import DoubledName, tree_columns, tree_entries
from ..paths.pathspec import Pathspecs
from .changes import Change, Filespec, letter_of
from .spec import DiffSpec
from .tree_delta import OFFSETS, TreeCutter
from .tree_order import GITLINK, MAX_DEPTH, Doubled, Row, link_rows, names_twice, rows_in_order

if TYPE_CHECKING:
    from ..limits import Context
    from ..objects.database import Odb

__all__ = ["Row", "Trees", "diff_trees", "trees_of"]

TREE = 0o040000
KIND = 0o170000
_MANY = 1 << 14  # entries that are processed between two checks of the clock
LARGE = 200  # bytes of a tree; versions of larger ones are compared as a whole

Pair = tuple[int, bytes | None, int, bytes | None]

_EMPTY: frozenset[bytes] = frozenset()
_REGULAR = {b"100644": 0o100644, b"40000": TREE, b"100755": 0o100755, b"120000": 0o120000, b"160000": 0o160000}


def _mode(text: bytes) -> int:
    """The mode of a raw entry as git sees it: old repositories have odd permission bits, which are ignored."""
    regular = _REGULAR.get(text)
    if regular is not None:
        return regular
    try:
        mode = int(text, 8)
    except ValueError:
        raise Corrupt("malformed mode in tree entry") from None
    kind = mode & KIND
    if kind == 0o100000:
        return 0o100755 if mode & 0o100 else 0o100644
    if kind in (0o120000, TREE):
        return kind
    return 0o160000


_first = itemgetter(0)


def _add_all(
    files: list[Row],
    todo: list[tuple[bytes, bytes | None, bytes | None, bool]],
    base: bytes,
    listed: list[tuple[int, bytes, bytes]],
    is_removed: bool,
) -> None:
    """Collect the entries of a directory that one side lacks: its files as rows, its directories as work to do."""
    for start in range(0, len(listed), _MANY):
        pause()
        entries = listed[start : start + _MANY]
        with uncollected(len(entries)):
            if is_removed:
                files += [(base + name, mode, oid, 0, None) for mode, name, oid in entries if mode != TREE]
                todo += [(base + name + b"/", oid, None, True) for mode, name, oid in entries if mode == TREE]
            else:
                files += [(base + name, 0, None, mode, oid) for mode, name, oid in entries if mode != TREE]
                todo += [(base + name + b"/", None, oid, True) for mode, name, oid in entries if mode == TREE]


_ENTRY_BYTES = 128  # memory of an entry in a set, including its slot
#: the raw entries of trees; a row counts by their number
_SETS: Facts[bytes, frozenset[bytes]] = Facts("entries of trees", most=400_000, each=_ENTRY_BYTES)
#: trees that are kept as bytes; a row counts by its length
_LARGE: Facts[bytes, bytes] = Facts("large trees", most=24 << 20, each=1)

#: pattern of one raw entry of a tree, by the length of an oid
_CUT = {width: lazy_pattern(rb"[^\0]+\0.{%d}" % width, re.DOTALL) for width in (20, 32)}


class Trees:
    """Compares trees of one object database and caches those it has read."""

    __slots__ = ("_cut", "_cutter", "_hash_len", "_large", "_odb", "_sets")

    def __init__(self, odb: Odb, hash_len: int = 20) -> None:
        self._odb = odb
        self._hash_len = hash_len
        self._cut = _CUT[hash_len].findall
        self._cutter: TreeCutter | None = None  # of large trees: made for the first of them
        self._sets = odb.by_oid.table(_SETS)
        self._large = odb.by_oid.table(_LARGE)

    def entries(self, oid: bytes | None) -> frozenset[bytes]:
        """The raw entries of a tree, as a set; None is the empty tree."""
        if oid is None:
            return _EMPTY
        raw_entries = self._sets.get(oid)
        if raw_entries is None:
            raw = self._large.get(oid) or self._fetch(oid)
            need(3 * len(raw) + self._sets.held * _ENTRY_BYTES)
            raw_entries = self._cut_up(oid, raw)
        return raw_entries

    def _cut_up(self, oid: bytes, raw: bytes) -> frozenset[bytes]:
        cut = self._cut(raw)
        if len(b"".join(cut)) != len(raw):
            raise Corrupt("too-short tree object", oid=oid.hex())
        made = Doubled(cut) if names_twice(cut, self._hash_len) else frozenset(cut)
        return self._sets.put(oid, made, len(cut) + 8)

    def _fetch(self, oid: bytes) -> bytes:
        return self._odb.tree(oid)

    def _read(self, oid: bytes) -> bytes | None:
        """A tree's bytes if it is large; a small tree is turned into a set at once."""
        raw = self._large.get(oid)
        if raw is None:
            if oid in self._sets.rows:
                return None
            raw = self._fetch(oid)
            if len(raw) < LARGE:
                self._cut_up(oid, raw)
                return None
            self._large.put(oid, raw, len(raw))
        return raw

    def differing(self, one: bytes | None, two: bytes | None) -> tuple[Collection[bytes], Collection[bytes]]:
        """The raw entries only in one tree, and those only in the other (None: the empty tree).

        Raises `DoubledName` if one of them names a file twice: sets cannot tell how such trees differ.
        """
        sets = self._sets.get
        old_entries = _EMPTY if one is None else sets(one)
        new_entries = _EMPTY if two is None else sets(two)
        if old_entries is None or new_entries is None:
            if one is not None and two is not None:
                raw_one, raw_two = self._read(one), self._read(two)
                if raw_one is not None and raw_two is not None:
                    need(4 * (len(raw_one) + len(raw_two)))  # in case they have nothing in common
                    if self._cutter is None:
                        self._cutter = TreeCutter(self._cut, self._hash_len, self._odb.by_oid.table(OFFSETS))
                    delta = self._cutter.differ(one, raw_one, two, raw_two)
                    if delta is not None:
                        return delta
            old_entries, new_entries = self.entries(one), self.entries(two)
        if type(old_entries) is Doubled or type(new_entries) is Doubled:
            raise DoubledName
        return old_entries - new_entries, new_entries - old_entries

    def rows(
        self,
        old: bytes | None,
        new: bytes | None,
        pathspecs: Pathspecs = Pathspecs.ALL,
        *,
        ctx: Context,
        show_trees: bool = False,
        recursive: bool = True,
    ) -> list[Row]:
        """The differences between two trees (None: the empty one), as rows in git's order."""
        try:
            return self._rows(old, new, pathspecs, ctx, show_trees, recursive)
        except DoubledName:
            return self.rows_in_order(old, new, pathspecs, ctx=ctx, show_trees=show_trees, recursive=recursive)

    def rows_in_order(
        self,
        old: bytes | None,
        new: bytes | None,
        pathspecs: Pathspecs = Pathspecs.ALL,
        *,
        ctx: Context,
        show_trees: bool = False,
        recursive: bool = True,
    ) -> list[Row]:
        """As `rows`, but found entry by entry: slower, and also right for trees that name a file twice."""
        return rows_in_order(old, new, self._entry_list, pathspecs, ctx=ctx, show_trees=show_trees, recursive=recursive)

    def _entry_list(self, oid: bytes) -> list[tuple[int, bytes, bytes]]:
        return [(_mode(b"%o" % mode), name, of) for mode, name, of in tree_entries(self._fetch(oid), self._hash_len)]

    def _rows(
        self,
        old: bytes | None,
        new: bytes | None,
        pathspecs: Pathspecs,
        ctx: Context,
        show_trees: bool,
        recursive: bool,
    ) -> list[Row]:
        files: list[Row] = []
        folders: list[tuple[bytes, Row]] = []  # by the path they are sorted by
        words, everything = pathspecs.plain_words, not pathspecs
        todo: list[tuple[bytes, bytes | None, bytes | None, bool]] = [(b"", old, new, everything)]
        while todo:
            ctx.tick()
            base, one, two, whole = todo.pop()
            if one == two:
                continue
            if base.count(b"/") > MAX_DEPTH:
                raise Corrupt("exceeded maximum allowed tree depth")
            if (one is None or two is None) and everything and recursive and not show_trees:
                listed = self._listed(one or two)
                if listed is not None:
                    need(len(base) * len(listed))  # each path begins with it
                    _add_all(files, todo, base, listed, two is None)
                    continue
            removed, added = self.differing(one, two)
            if words is not None and not whole:
                names = {word[len(base) :].partition(b"/")[0] for word in words if word.startswith(base)}
                removed, added = self._named(removed, names), self._named(added, names)
            if base:
                need(len(base) * (len(removed) + len(added)))
            for name, (old_mode, old_oid, new_mode, new_oid) in paced(self._pairs(removed, added).items()):
                is_tree = name[-1:] == b"/"
                path = base + (name[:-1] if is_tree else name)
                if old_mode == new_mode and old_oid == new_oid:
                    continue
                if not is_tree:
                    if whole or (old_mode != GITLINK != new_mode and pathspecs.match(path)):
                        files.append((path, old_mode, old_oid, new_mode, new_oid))
                    elif GITLINK in (old_mode, new_mode):
                        files += link_rows((path, old_mode, old_oid, new_mode, new_oid), pathspecs)
                    continue
                if not recursive:
                    if pathspecs.touches(path):
                        folders.append((path + b"/", (path, old_mode, old_oid, new_mode, new_oid)))
                    continue
                below = whole or pathspecs.could_match_below(path)
                if show_trees and (below or pathspecs.touches(path)):
                    folders.append((path + b"/", (path, old_mode, old_oid, new_mode, new_oid)))
                if below:
                    inner = whole or pathspecs.matches_all_below(path)
                    todo.append((path + b"/", old_oid, new_oid, inner))
        if folders:
            folders += [(row[0], row) for row in paced(files)]
            pause()
            folders.sort(key=_first)
            pause()
            return [row for _, row in folders]
        if len(files) > 1:
            pause()
            files.sort(key=_first)
            pause()
        return files

    def _listed(self, oid: bytes | None) -> list[tuple[int, bytes, bytes]] | None:
        """(mode, name, oid) of all entries of a tree that only one side has; None if any entry is unusual."""
        if oid is None or oid in self._sets.rows:
            return None
        raw = self._large.get(oid) or self._fetch(oid)
        need(6 * len(raw))
        columns = tree_columns(raw, self._hash_len)
        if columns is None:
            return None
        modes, names, oids = columns
        if not _REGULAR.keys() >= set(modes) or len(set(names)) < len(names):
            return None
        with uncollected(len(names)):
            return list(zip(map(_REGULAR.__getitem__, modes), names, oids))

    def _named(self, entries: Collection[bytes], names: set[bytes]) -> list[bytes]:
        """The raw entries that have one of the names."""
        end = -self._hash_len - 1
        return [entry for entry in paced(entries) if entry[entry.find(b" ") + 1 : end] in names]

    def _pairs(self, removed: Collection[bytes], added: Collection[bytes]) -> dict[bytes, Pair]:
        """Entries of one directory that differ, by name (for a tree: with a slash)."""
        cut = -self._hash_len
        if len(removed) == len(added) == 1:  # nearly always
            [old], [new] = removed, added
            if old[:cut] == new[:cut]:
                mode_text, _, name = new[: cut - 1].partition(b" ")
                mode = _mode(mode_text)
                return {name + b"/" if mode == TREE else name: (mode, old[cut:], mode, new[cut:])}
        pairs: dict[bytes, Pair] = {}
        gone = {entry[:cut]: entry[cut:] for entry in paced(removed)}
        come: list[bytes] = []  # with another mode, or that are new
        for entry in paced(added):
            head = entry[:cut]
            oid = gone.pop(head, None)
            if oid is None:
                come.append(entry)
                continue
            mode_text, _, name = head[:-1].partition(b" ")
            mode = _mode(mode_text)
            pairs[name + b"/" if mode == TREE else name] = mode, oid, mode, entry[cut:]
        for head, oid in gone.items():
            mode_text, _, name = head[:-1].partition(b" ")
            mode = _mode(mode_text)
            pairs[name + b"/" if mode == TREE else name] = mode, oid, 0, None
        for entry in come:
            mode_text, _, name = entry[: cut - 1].partition(b" ")
            mode = _mode(mode_text)
            if mode == TREE:
                name += b"/"
            pair = pairs.get(name)
            if pair is None:
                pairs[name] = 0, None, mode, entry[cut:]
            else:
                pairs[name] = pair[0], pair[1], mode, entry[cut:]
        return pairs

    def files(self, tree: bytes | None, *, ctx: Context, pathspecs: Pathspecs = Pathspecs.ALL) -> list[Row]:
        """Every file of a tree as a row of additions, in path order."""
        return self.rows(None, tree, pathspecs, ctx=ctx)


def trees_of(odb: Odb) -> Trees:
    """A `Trees` for an object database; the trees that it cached serve later comparisons."""
    return Trees(odb, odb.hash_len)


def diff_trees(
    old_tree: bytes | None,
    new_tree: bytes | None,
    odb: Odb,
    spec: DiffSpec,
    *,
    ctx: Context,
    trees: Trees | None = None,
    sift: Callable[[list[Row]], list[Row]] | None = None,
) -> list[Change]:
    """The changes from one tree to another (None: the empty tree), limited by the spec's pathspecs, and to the rows
    that `sift` leaves.

    Renames are not detected and sides not swapped: that is done by `diffcore`. With --find-copies-harder, unchanged
    files are in the list too (status "=").
    """
    if trees is None:
        trees = trees_of(odb)
    rows = trees.rows(old_tree, new_tree, spec.pathspecs, ctx=ctx, show_trees=spec.show_trees, recursive=spec.recursive)
    changes = as_changes(rows if sift is None else sift(rows))
    if spec.find_copies_harder and old_tree and rows:
        files = trees.rows(None, old_tree, spec.pathspecs, ctx=ctx, recursive=spec.recursive)
        changes = _with_unchanged(changes, [row for row in files if row[3] != TREE])
    return changes


def as_change(row: Row) -> Change:
    """A row as a `Change`, the pair of sides that later steps work on."""
    path, old_mode, old_oid, new_mode, new_oid = row
    old, new = Filespec(path, old_mode, old_oid), Filespec(path, new_mode, new_oid)
    return Change(letter_of(old_mode, new_mode), old, new)


def as_changes(rows: list[Row]) -> list[Change]:
    """`as_change` for many rows."""
    if len(rows) < _MANY:
        return [as_change(row) for row in rows]
    changes: list[Change] = []
    for start in range(0, len(rows), _MANY):
        pause()
        with uncollected(_MANY):
            changes += [as_change(row) for row in rows[start : start + _MANY]]
    return changes


def _with_unchanged(changes: list[Change], files: list[Row]) -> list[Change]:
    changed = {change.old.path for change in changes if change.old.mode}
    extra = [
        Change("=", Filespec(path, mode, oid), Filespec(path, mode, oid))
        for path, _, _, mode, oid in paced(files)
        if path not in changed
    ]
    return sorted(changes + extra, key=lambda change: change.new.path)
