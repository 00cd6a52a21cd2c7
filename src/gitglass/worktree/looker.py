"""The index's entries against the files' status: which files may have changed, and whether they did.

Most files are answered by one `lstat` whose fields equal what the index noted; content is read only where that cannot
decide. Mirrors the rules behind git update-index --refresh; `core.trustctime`, `core.checkStat`, `core.fileMode`,
`core.symlinks`, and entries as young as the index itself ("racy git").
"""

from __future__ import annotations

import os
from operator import itemgetter

from ..errors import PermissionDenied
from ..limits import Context
from ..paths.pathspec import Pathspecs
from ..store.index import SKIP_WORKTREE, Index
from ..store.store import Store
from .convert import IDENTITY, blob_oid, converter_of, read_work_file

TREE, LINK, GITLINK, REGULAR = 0o040000, 0o120000, 0o160000, 0o100000
TYPE = 0o170000

_SPECIAL = frozenset((b"", b".", b".."))
# (ctime, mtime, ino, mode, uid, gid, size) of a stat result, and of the index's ten numbers
_of_stat = itemgetter(9, 8, 1, 0, 4, 5, 6)
_of_index = itemgetter(0, 2, 5, 6, 7, 8, 9)
# the same without the mode, which is compared by itself
_fields_of_stat = itemgetter(9, 8, 1, 4, 5, 6)
_fields_of_index = itemgetter(0, 2, 5, 7, 8, 9)
# what core.checkStat=minimal leaves: (mtime, size)
_of_stat_minimal = itemgetter(8, 6)
_of_index_minimal = itemgetter(2, 9)


def current_index(store: Store) -> Index:
    """The index as nearly all commands see it: sparse directories filled in, what is on disk not taken for absent."""
    index = store.index
    if not index.sparse and not index.special:
        return index
    full = store.kept.get("index")
    if not isinstance(full, Index):
        full = index.expanded(store.odb.tree) if index.sparse else index
        full = store.kept["index"] = _present_again(store, full)
    return full


def _present_again(store: Store, index: Index) -> Index:
    """In a sparse checkout, files that are on disk all the same are looked at like any other."""
    config, files = store.config, store.files
    skipped = [at for at, flags in index.special.items() if flags & SKIP_WORKTREE]
    if files is None or not skipped or not config.get_bool("core.sparsecheckout", False):
        return index
    if config.get_bool("sparse.expectfilesoutsideofpatterns", False):
        return index
    folders: dict[bytes, list[int]] = {}
    for at in skipped:
        folders.setdefault(index.paths[at].rpartition(b"/")[0], []).append(at)
    present: list[int] = []
    for folder, places in folders.items():
        names = [index.paths[at][len(folder) + bool(folder) :] for at in places]
        present += [at for at, found in zip(places, files.lstats(folder, names)) if found is not None]
    if not present:
        return index
    store.kept["unsparse"] = True
    fresh = Index(index.hash_len)
    for name in ("version", "paths", "heads", "cache_tree", "resolve_undo", "present", "mtime_ns", "size"):
        setattr(fresh, name, getattr(index, name))
    fresh.special = dict(index.special)
    for at in present:
        fresh.special[at] &= ~SKIP_WORKTREE
        if not fresh.special[at]:
            del fresh.special[at]
    return fresh


class Folder:
    """The entries of one directory: names, positions, and the stat fields of a clean file (None: look closer)."""

    __slots__ = ("names", "places", "wanted")

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self.places: list[int] = []
        self.wanted: list[tuple[int, ...] | None] = []

    def limited(self, index: Index, pathspecs: Pathspecs) -> Folder:
        """The entries that are meant."""
        chosen = Folder()
        for name, place, wanted in zip(self.names, self.places, self.wanted):
            if pathspecs.match(index.paths[place], index.modes[place] == GITLINK):
                chosen.names.append(name)
                chosen.places.append(place)
                chosen.wanted.append(wanted)
        return chosen


class Table:
    """What is derived from the index once: its entries by directory."""

    __slots__ = ("folders",)

    def __init__(self, index: Index) -> None:
        folders: dict[bytes, Folder] = {}
        young = index.mtime_ns // 1_000_000_000
        last, folder = None, Folder()
        for place, (path, stat) in enumerate(zip(index.paths, index.stats)):
            cut = path.rfind(b"/")
            name = path[:cut] if cut > 0 else b""
            base = path[cut + 1 :]
            if base in _SPECIAL:
                name = b".."  # a hostile index: no such file, wherever it would lead
            if name != last:
                last = name
                folder = folders.get(name) or folders.setdefault(name, Folder())
            folder.names.append(base)
            folder.places.append(place)
            # An entry as young as the index, or of size 0, says nothing about the content.
            folder.wanted.append(_of_index(stat) if stat[2] < young and stat[9] else None)
        if index.special:
            for folder in folders.values():
                folder.wanted = [
                    None if place in index.special else want for place, want in zip(folder.places, folder.wanted)
                ]
        self.folders = folders


def table_of(index: Index) -> Table:
    """The table of an index, made once for each reading of it."""
    table = index.kept.get("worktree")
    if not isinstance(table, Table):
        table = index.kept["worktree"] = Table(index)
    return table


class Looker:
    """Which entries of the index differ from the work tree, for one command.

    After `look`, `suspects` maps positions to the file's status (None where it is gone); all others are clean.
    """

    __slots__ = ("_check_ctime", "_ctx", "_file_mode", "_links", "_minimal", "_store", "_young", "index")

    def __init__(self, store: Store, ctx: Context) -> None:
        config = store.config
        self._store = store
        self._ctx = ctx
        self.index = current_index(store)
        self._file_mode = config.get_bool("core.filemode", True)
        self._links = config.get_bool("core.symlinks", True)
        self._check_ctime = config.get_bool("core.trustctime", True)
        self._minimal = (config.get("core.checkstat") or b"").lower() == b"minimal"
        self._young = self.index.mtime_ns // 1_000_000_000

    # ------------------------------------------------------------------------------------------------ by stat alone
    def suspects(self, pathspecs: Pathspecs) -> list[tuple[int, os.stat_result | None]]:
        """Positions of merged entries that stat data alone cannot clear, with the file's status."""
        index, files = self.index, self._store.files
        if files is None or not index.paths:
            return []
        folders, tick = table_of(index).folders, self._ctx.tick
        out: list[tuple[int, os.stat_result | None]] = []
        limited = bool(pathspecs)
        swapped: dict[bytes, list[bytes]] = {}
        for path, folder in folders.items():
            tick()
            if limited:
                if not pathspecs.could_match_below(path):
                    continue
                folder = folder.limited(index, pathspecs)
            try:
                found = files.lstats(path, folder.names)
            except PermissionDenied as error:
                self._ctx.say(b"%s: Permission denied\n" % path)
                self._ctx.note(error.message)
                continue
            try:
                if list(map(_of_stat, found)) == folder.wanted:  # type: ignore[arg-type]
                    continue  # the whole directory is clean
            except TypeError:
                pass  # a file is gone
            self._look_closer(path, folder, found, out, swapped)
        self._store.kept["swapped"] = (pathspecs, swapped)  # so that the search for untracked files need not ask again
        return out

    def _look_closer(
        self,
        path: bytes,
        folder: Folder,
        status: list[os.stat_result | None],
        out: list[tuple[int, os.stat_result | None]],
        swapped: dict[bytes, list[bytes]],
    ) -> None:
        """Entry by entry, where not all files of a directory are as noted."""
        index = self.index
        heads, special, stage_at = index.heads, index.special, 40 + index.hash_len
        for name, place, wanted, found in zip(folder.names, folder.places, folder.wanted, status):
            if found is not None and _of_stat(found) == wanted:
                continue
            if heads[place][stage_at] & 0xB0 or (special and special.get(place, 0) & SKIP_WORKTREE):
                continue  # assumed unchanged, unmerged, or not checked out
            if found is None or not self._settled(place, found):
                out.append((place, found))
                if found is not None and found.st_mode & TYPE == TREE and index.modes[place] != GITLINK:
                    swapped.setdefault(path, []).append(name)

    def _settled(self, position: int, found: os.stat_result) -> bool:
        """The slower look at the same fields: what the settings let differ, and entries as young as the index."""
        if self.index.special and self.index.intent_to_add(position):
            return False
        if self.changed(position, found) != "":
            return False
        if not 0 < self._young <= self.index.stats[position][2]:
            return True
        return self.index.modes[position] != GITLINK and self.same_content(position, found)

    def changed(self, position: int, found: os.stat_result) -> str:
        """How a file's status differs from the entry: "" not at all, "type", "mode", or "data" (perhaps touched)."""
        mode, actual = self.index.modes[position], found.st_mode
        kind = mode & TYPE
        if kind == GITLINK:
            return "" if actual & TYPE == TREE else "type"
        if kind != actual & TYPE and not (kind == LINK and not self._links and actual & TYPE == REGULAR):
            return "type"
        if kind == REGULAR and self._file_mode and (mode ^ actual) & 0o100:
            return "mode"
        noted = self.index.stats[position]
        if not noted[9] and self.index.oids[position] != self._store.empty_blob:
            return "data"  # size 0 with content: an entry that was never filled in, or smudged because it was too young
        return "" if self._same_stat(noted, found) else "data"

    def _same_stat(self, noted: tuple[int, ...], found: os.stat_result) -> bool:
        if self._minimal:
            return bool(_of_index_minimal(noted) == (int(found[8]) & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF))
        want, have = _fields_of_index(noted), tuple(number & 0xFFFFFFFF for number in _fields_of_stat(found))
        if not self._check_ctime:
            want, have = want[1:], have[1:]
        return bool(want == have)

    # ---------------------------------------------------------------------------------------------------- by content
    def same_content(self, position: int, found: os.stat_result, *, warn: bool = False) -> bool:
        """Whether a file, brought into git's form, is the blob that the entry names."""
        index = self.index
        path, oid = index.paths[position], index.oids[position]
        if found.st_mode & TYPE == REGULAR and converter_of(self._store).plan(path) is IDENTITY:
            if not found.st_size:
                return oid == self._store.empty_blob
            if self._store.odb.has(oid) and self._store.odb.kind_size(oid)[1] != found.st_size:
                return False
        data = read_work_file(self._store, path, found.st_mode, ctx=self._ctx, warn=warn)
        return data is not None and blob_oid(data, self._store.hash_name) == oid

    def differs(self, position: int, found: os.stat_result) -> bool:
        """Whether any entry, one of a conflict as well, differs from its file; the whole question at once."""
        if not self.index.stages[position]:
            if self._settled(position, found):
                return False
            return self.modified(position, found, by_size=True)
        how = self.changed(position, found)
        return how in ("type", "mode") or not self.same_content(position, found)

    def modified(self, position: int, found: os.stat_result, *, by_size: bool) -> bool:
        """Whether a suspect file differs. `by_size`: another size than noted is enough, as `git status` has it."""
        how = self.changed(position, found)
        if how in ("type", "mode"):
            return True
        noted = self.index.stats[position][9]
        if how and by_size and noted and noted != found.st_size & 0xFFFFFFFF:
            return True
        return not self.same_content(position, found, warn=not by_size)

    def mode_of(self, position: int, found: os.stat_result) -> int:
        """The mode that the file would have in the index."""
        return self.canonical(self.index.modes[position], found.st_mode)

    def canonical(self, noted: int, actual: int) -> int:
        """A file's mode as trees have it, honouring the settings that distrust the file system."""
        kind = actual & TYPE
        if kind == LINK:
            return LINK
        if kind == TREE:
            return GITLINK
        if noted & TYPE == LINK and not self._links:
            return LINK
        if not self._file_mode:
            return noted if noted & TYPE == REGULAR else 0o100644
        return 0o100755 if actual & 0o100 else 0o100644


def gitlinks(index: Index) -> list[int]:
    """Positions of the submodules."""
    found = index.kept.get("gitlinks")
    if not isinstance(found, list):
        wanted = GITLINK.to_bytes(4, "big")
        found = index.kept["gitlinks"] = [at for at, head in enumerate(index.heads) if head[24:28] == wanted]
    return found
