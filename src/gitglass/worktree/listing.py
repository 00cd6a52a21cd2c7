"""The output of git ls-files: entries of the index, files that differ from it, files that are not in it.

Mirrors git ls-files(1).
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import compress
from operator import itemgetter

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import TooLarge
from ..index.index import MOST_KEPT, Index, Stat
from ..limits import Context, paced
from ..objects.parsed import tree_entries
from ..paths.ignore import Ignore
from ..paths.pathspec import Pathspecs
from ..records import field, record, replace
from ..repo.store import Store
from .convert import blob_oid, read_work_file
from .scan import ScanSpec, scan
from .stat_cache import GITLINK, UNSPARSE, Looker, current_index

if TYPE_CHECKING:
    from .submodules import absent_submodule, is_active, sub_store, submodule_head
else:
    absent_submodule, is_active, sub_store, submodule_head = deferred(
        __name__, ".submodules", "absent_submodule", "is_active", "sub_store", "submodule_head"
    )


_TREE, _TYPE = 0o040000, 0o170000
_STAGES, _HASHED = 0x3000, 0x100000  # git's flags of an entry: the stage; being in the table of names
_NO_STAT: Stat = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@record(frozen=True)
class ListSpec:
    """The files to list; see the options of the same names."""

    cached: bool = False
    deleted: bool = False
    modified: bool = False
    others: bool = False
    ignored: bool = False
    killed: bool = False
    stage: bool = False
    unmerged: bool = False
    resolve_undo: bool = False
    directory: bool = False
    hide_empty: bool = False
    deduplicate: bool = False
    recurse_submodules: bool = False
    sparse: bool = False
    with_tree: bytes | None = None  # the tree's oid
    ignore: Ignore | None = None
    pathspecs: Pathspecs = field(default_factory=lambda: Pathspecs.ALL)
    debug: bool = False
    check_off: bool = False  # record which pathspecs matched (--error-unmatch)

    def match(self, path: bytes, is_dir: bool = False) -> bool:
        """Whether a path is selected."""
        return self.pathspecs.match_seen(path, is_dir) if self.check_off else self.pathspecs.match(path, is_dir)

    @property
    def plain(self) -> bool:
        """Whether only the entries of the index are listed, unchanged, or each path once."""
        more = self.deleted or self.modified or self.others or self.ignored or self.killed
        other = self.unmerged or self.resolve_undo or self.recurse_submodules or self.with_tree
        return (self.cached or self.stage) and not more and not other


@record
class Listed:
    """One line.

    `tag` is git's letter: H cached, S not checked out, M unmerged, R removed, C changed, K killed, ? other, U
    resolve-undo. `mode` is 0 for a file that is not in the index. `store` is the repository of the entry.
    """

    tag: str
    path: bytes
    mode: int = 0
    oid: bytes = b""
    stage: int = 0
    assume_valid: bool = False
    store: Store | None = None
    facts: tuple[Stat, int] | None = None  # with ListSpec.debug: stat data and flags of an entry


def plain_paths(store: Store, spec: ListSpec) -> list[bytes]:
    """The paths of the index, each once for each of its stages: the most common list, made without an object per path.
    If all are listed, they may still have the zero bytes that follow them in the file."""
    index = listed_index(store, spec)
    if not spec.pathspecs and not spec.check_off:
        return index.names
    sides = None if spec.check_off else spec.pathspecs.plain_sides
    if sides is not None:
        return index.paths_at(index.spans_of(*sides))
    common = spec.pathspecs.common_dir()
    low, high = index.span(common)
    above = index.find(common) if common else -1  # a submodule may stand in the directory's place
    ending = None if spec.check_off or above >= 0 else spec.pathspecs.ending
    if ending is not None and not index.spans_of([b"*".join(ending)]):
        front, tail = ending
        chosen, least = index.ending(tail, low, high), len(front) + len(tail)
        return [path for path in chosen if len(path) >= least and path.startswith(front)] if front else chosen
    paths = index.paths
    selected = None if spec.check_off or above >= 0 else spec.pathspecs.select(paths[low:high])
    if selected is not None:
        return selected
    match, modes = spec.match, index.modes
    places = range(low, high) if above < 0 else [above, *range(low, high)]
    return [paths[at] for at in paced(places) if match(paths[at], modes[at] in (GITLINK, _TREE))]


@record
class Staged:
    """Entries of the index: their names, perhaps with the zero bytes behind them that they have in the file, and their
    fixed parts side by side."""

    names: list[bytes]
    fixed: bytes


def staged_entries(store: Store, spec: ListSpec) -> Iterator[Staged] | None:
    """The entries of the index (`-s`), some at a time; None where the words have to be asked about each path."""
    index = listed_index(store, spec)
    if not spec.pathspecs and not spec.check_off:
        return _all_staged(index)
    sides = None if spec.check_off else spec.pathspecs.plain_sides
    if sides is not None:
        spans, width, fixed = index.spans_of(*sides), 42 + index.hash_len, index.fixed
        chosen = b"".join([fixed[span.start * width : span.stop * width] for span in spans])
        return iter([Staged(index.paths_at(spans), chosen)])
    paths = None if spec.check_off else spec.pathspecs.select(index.paths)
    if paths is None:
        return None
    kept = map(frozenset(paths).__contains__, index.paths)
    return iter([Staged(paths, b"".join(compress(index.heads, kept)))])


def _all_staged(index: Index) -> Iterator[Staged]:
    at, width = 0, 42 + index.hash_len
    names = index.paths if len(index) <= MOST_KEPT else index.names
    for fixed in index.fixed_stretches():
        count = len(fixed) // width
        yield Staged(names[at : at + count], fixed)
        at += count


def listed_index(store: Store, spec: ListSpec) -> Index:
    """The index in the form that is listed: sparse directories are only kept with --sparse."""
    full = current_index(store)
    return store.index if spec.sparse and not store.per_call.get(UNSPARSE) else full


def list_files(store: Store, spec: ListSpec, *, ctx: Context) -> Iterator[Listed]:
    """All lines, in git's order: others, killed, then the index, then resolve-undo."""
    lister = _Lister(store, spec, ctx)
    yield from lister.others()
    if spec.cached or spec.stage or spec.deleted or spec.modified:
        yield from lister.indexed()
    if spec.resolve_undo:
        yield from lister.undone()


class _Lister:
    __slots__ = ("_base", "_ctx", "_doubtful", "_from_tree", "_index", "_looker", "_spec", "_store")

    def __init__(self, store: Store, spec: ListSpec, ctx: Context, base: bytes = b"") -> None:
        self._store = store
        self._spec = spec
        self._ctx = ctx
        self._base = base  # the path of the listed submodule, with its slash
        self._index = listed_index(store, spec)
        self._looker: Looker | None = None
        self._doubtful: dict[int, os.stat_result | None] | None = None  # only these entries may be missing or changed
        files = () if spec.with_tree is None else _files_of(store, spec.with_tree, ctx)
        here = {path for path, stage in zip(self._index.paths, self._index.stages) if not stage} if files else ()
        self._from_tree = [row for row in files if row[0] not in here]  # files that only the tree has

    # ---------------------------------------------------------------------------------------- files not in the index
    def others(self) -> Iterator[Listed]:
        spec = self._spec
        if not (spec.others or spec.killed):
            return
        wanted = ScanSpec(
            other_dirs=spec.directory and spec.others,
            hide_empty=spec.hide_empty,
            only_ignored=spec.ignored,
            for_killed=not spec.others,
            pathspecs=spec.pathspecs,
            ignore=spec.ignore,
            besides={path: mode for path, mode, _ in self._from_tree},
        )
        others = scan(self._store, wanted, ctx=self._ctx).untracked
        killed = list(filter(self._is_killed, others)) if spec.killed else []
        if spec.check_off:
            for path in others if spec.others else killed:
                spec.match(path.rstrip(b"/"), path[-1:] == b"/")
        if spec.others:
            yield from (Listed("?", path) for path in others)
        yield from (Listed("K", path) for path in killed)

    def _is_killed(self, path: bytes) -> bool:
        """Whether checking out the index would have to remove the file: the index has a directory at its path, or a
        file above it. Entries in conflict do not count."""
        index, paths = self._index, self._index.paths
        at = path.find(b"/")
        while at >= 0:
            if index.find(path[:at]) >= 0:
                return True
            at = path.find(b"/", at + 1)
        at = bisect_left(paths, path)
        while at < len(paths) and index.stages[at]:
            at += 1
        return at < len(paths) and paths[at].startswith(path + b"/")

    # -------------------------------------------------------------------------------------------- files in the index
    def indexed(self) -> Iterator[Listed]:
        spec, index = self._spec, self._index
        entries = self._with_tree() if spec.with_tree is not None else self._entries()
        done: bytes | None = None
        for at in entries:
            self._ctx.tick()
            if not isinstance(at, int):
                if not spec.ignored or self._excluded(at.path, at.mode):
                    yield at
                continue
            path = index.paths[at]
            if path == done:
                continue
            full = self._base + path
            if spec.ignored and not self._excluded(full, index.modes[at]):
                continue
            for tag in self._tags(at):
                inner = self._inside(at, full) if spec.recurse_submodules else None
                if inner is not None:
                    yield from inner
                elif spec.match(full, index.modes[at] in (GITLINK, _TREE)):
                    yield self._row(tag, at, full)
                if spec.deduplicate:
                    done = path
                    break

    def _entries(self) -> Iterable[int]:
        """The positions of entries that may be listed: all, or those of files that are missing or changed."""
        spec = self._spec
        if spec.deleted or spec.modified:
            self._looker = Looker(self._store, self._ctx)
            if spec.modified:
                self._doubtful = self._looker.doubtful(spec.pathspecs)
            else:
                self._doubtful = dict.fromkeys(self._looker.missing(spec.pathspecs))
            if not (spec.cached or spec.stage):
                return sorted(self._doubtful)
        elif spec.unmerged:
            return [at for places in self._index.unmerged.values() for at in sorted(places.values())]
        if spec.ignored and spec.ignore is not None and not self._base:
            return spec.ignore.candidates(self._index.names)
        return range(len(self._index))

    def _row(self, tag: str, at: int, full: bytes) -> Listed:
        index = self._index
        stage = index.stages[at]
        if stage and self._spec.with_tree is not None:
            stage = 3  # so that only the tree's own entries have stage 1
        row = Listed(tag, full, index.modes[at], index.oids[at], stage, index.assume_valid(at), self._store)
        if self._spec.debug:
            row.facts = index.stat(at), self._flags(at)
        return row

    def _flags(self, at: int) -> int:
        """An entry's flags as git has them in memory at the end."""
        spec, flags = self._spec, self._index.flags_in_memory(at)
        if spec.with_tree is not None and flags & _STAGES:
            flags |= _STAGES
        return flags | (_HASHED if spec.others or spec.killed else 0)

    def _excluded(self, full: bytes, mode: int) -> bool:
        ignore = self._spec.ignore
        return ignore is not None and ignore.ignored(full, mode in (GITLINK, _TREE))

    def _tags(self, at: int) -> Iterator[str]:
        """The tags that an entry is listed with; there may be several."""
        spec, index = self._spec, self._index
        stage, skipped = index.stages[at], index.skip_worktree(at)
        if (spec.cached or spec.stage) and (stage or not spec.unmerged):
            yield "M" if stage else "S" if skipped else "H"
        if not (spec.deleted or spec.modified) or skipped:
            return
        status = None
        if self._doubtful is not None:
            if at not in self._doubtful:
                return
            status = self._doubtful[at]
        if status is None and self._store.files is not None:
            status = self._store.files.lstat(index.paths[at])
        if status is None and spec.deleted:
            yield "R"
        if spec.modified and (status is None or self._is_modified(at, status)):
            yield "C"

    def _is_modified(self, at: int, status: os.stat_result) -> bool:
        index = self._index
        if index.assume_valid(at):
            return False
        if index.special and index.intent_to_add(at):
            return True
        if index.modes[at] == GITLINK:
            head = submodule_head(self._store, index.paths[at])
            return status.st_mode & _TYPE != _TREE or (head is not None and head != index.oids[at])
        if self._looker is None:
            self._looker = Looker(self._store, self._ctx)
        return self._looker.differs(at, status)

    # ---------------------------------------------------------------------------------------------------- submodules
    def _inside(self, at: int, full: bytes) -> Iterator[Listed] | None:
        """The lines of an active submodule; None if it is listed as an entry."""
        index, store = self._index, self._store
        if index.modes[at] != GITLINK or not is_active(store, index.paths[at]):
            return None
        sub = sub_store(store, index.paths[at]) or absent_submodule(store, index.paths[at])
        if sub is None:
            return iter(())
        return _Lister(sub, self._spec, self._ctx, full + b"/").indexed()

    # ----------------------------------------------------------------------------------------------------- --with-tree
    def _with_tree(self) -> list[int | Listed]:
        """The index's positions, with the files that only the tree has inserted between them."""
        index = self._index
        merged: list[tuple[bytes, int, int | Listed]] = [
            (path, 3 if index.stages[at] else 0, at) for at, path in enumerate(index.paths)
        ]
        for path, mode, oid in self._from_tree:
            if self._spec.match(path, mode == GITLINK):
                facts = (_NO_STAT, _STAGES & -_STAGES) if self._spec.debug else None
                row = Listed("M", path, mode, oid, 1, store=self._store, facts=facts)
                merged += [(path, 1, replace(row, tag=tag)) for tag in self._tree_tags(row)]
        merged.sort(key=itemgetter(0, 1))
        return [row for _, _, row in merged]

    def _tree_tags(self, row: Listed) -> Iterator[str]:
        """The tags of a path that only the tree has."""
        spec, files = self._spec, self._store.files
        if spec.cached:
            yield "M"
        if not (spec.deleted or spec.modified):
            return
        status = files.lstat(row.path) if files is not None else None
        if status is None and spec.deleted:
            yield "R"
        if spec.modified and (status is None or not self._same(row, status)):
            yield "C"

    def _same(self, row: Listed, status: os.stat_result) -> bool:
        data = read_work_file(self._store, row.path, status.st_mode, ctx=self._ctx, warn=False)
        return data is not None and blob_oid(data, self._store.hash_name) == row.oid

    # --------------------------------------------------------------------------------------------------- resolve-undo
    def undone(self) -> Iterator[Listed]:
        for path, sides in self._index.resolve_undo:
            if not self._spec.match(path):
                continue
            for stage, (mode, oid) in enumerate(sides, 1):
                if mode and oid is not None:
                    yield Listed("U", path, mode, oid, stage)


def _files_of(store: Store, tree: bytes, ctx: Context) -> Iterator[tuple[bytes, int, bytes]]:
    """Every file of a tree, unordered."""
    stack = [(b"", tree)]
    while stack:
        ctx.tick()
        prefix, oid = stack.pop()
        if prefix.count(b"/") > 2048:
            raise TooLarge("trees are nested too deeply")
        for mode, name, child in tree_entries(store.odb.tree(oid), store.hash_len):
            if mode == _TREE:
                stack.append((prefix + name + b"/", child))
            else:
                yield prefix + name, mode, child
