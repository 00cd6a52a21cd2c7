"""Compares the index's entries with the status of files: which files may have changed, and whether they did.

Most files are decided by one `lstat` whose fields equal the recorded ones; content is read only if that is not enough.
Mirrors the rules behind git update-index --refresh; `core.trustctime`, `core.checkStat`, `core.fileMode`,
`core.symlinks`, and entries as young as the index itself ("racy git").
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter

from ..config.config import Config, parse_bool
from ..disk.opened import Directory, differing
from ..errors import NotFound, PermissionDenied
from ..index.index import SKIP_WORKTREE, Index, Stat
from ..limits import Context, paced, uncollected
from ..memories import Slot
from ..objects.sequential import size_reader
from ..paths.pathspec import Pathspecs
from ..records import field, record
from ..repo.store import Store
from .convert import IDENTITY, blob_oid, converter_of, read_work_file
from .folders import (
    CLOSER,
    GITLINK,
    LINK,
    REGULAR,
    TREE,
    TYPE,
    Fields,
    Folder,
    compared_folders,
    folders_of,
    folders_within,
    pick,
    same_fields,
)

__all__ = ["GITLINK", "LINK", "REGULAR", "TREE", "TYPE", "Looker", "Survey", "current_index", "gitlinks"]

# (ctime, mtime, ino, uid, gid, size) of a stat result, and of the index's ten numbers
_fields_of_stat = itemgetter(9, 8, 1, 4, 5, 6)
_fields_of_index = itemgetter(0, 2, 5, 7, 8, 9)
_CURRENT: Slot[Index] = Slot("the index as commands see it")
#: whether sparse directories are expanded although the command does not need that
UNSPARSE: Slot[bool] = Slot("filled in")
_GITLINKS: Slot[list[int]] = Slot("positions of submodules")
_MOST_COMPARED = 1 << 16
_CLOCK_SLACK = 2  # seconds: the coarsest clock of a file system in use (FAT)
_SECOND = 1_000_000_000  # in nanoseconds
_PLAIN, _EXECUTABLE = 0o100644, 0o100755
_TICK = 10_000_000  # nanoseconds: a clock that has given a part of it ticks as often
_32 = 0xFFFFFFFF
_SOME = 8  # of so many files one has to be examined
_ASIDE = 0xB0  # flags of an entry that is assumed unchanged (0x80), or in conflict
_UNCOUNTED = bytes(flags & _ASIDE != 0 for flags in range(256))
# the fields for core.checkStat=minimal: (mtime, size)
_of_index_minimal = itemgetter(2, 9)


def current_index(store: Store) -> Index:
    """The index as nearly all commands see it: sparse directories expanded, existing files not marked as absent."""
    index = store.index
    if not index.sparse and not index.special:
        return index
    return store.per_call.made(_CURRENT, lambda: _current(store, index))


def _current(store: Store, index: Index) -> Index:
    full = index
    if index.sparse:
        if not _stays_sparse(store, index):
            store.per_call.put(UNSPARSE, True)
        full = index.expanded(store.odb.tree)
    return _present_again(store, full)


def _stays_sparse(store: Store, index: Index) -> bool:
    """Whether git keeps sparse directories: it expands them if the settings forbid them, or if any of them exists on
    disk."""
    config, files = store.config, store.files
    if not config.get_bool("core.sparsecheckout", False):
        return True
    if not config.get_bool("index.sparse", False) or not config.get_bool("core.sparsecheckoutcone", True):
        return False
    if files is None or config.get_bool("sparse.expectfilesoutsideofpatterns", False):
        return True
    folders = (index.paths[at].rstrip(b"/") for at in paced(index.special) if index.mode(at) == TREE)
    return all(files.lstat(folder) is None for folder in folders)


def _present_again(store: Store, index: Index) -> Index:
    """In a sparse checkout, files that exist nevertheless are treated like any other."""
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
        present += [at for at, status in zip(places, files.lstats(folder, names)) if status is not None]
    if not present:
        return index
    store.per_call.put(UNSPARSE, True)
    fresh = Index(index.hash_len)
    for name in (
        "version", "paths", "heads", "cache_tree", "resolve_undo", "present", "replaced", "mtime_ns", "device", "size",
    ):  # fmt: skip
        setattr(fresh, name, getattr(index, name))
    fresh.special = dict(index.special)
    for at in present:
        fresh.special[at] &= ~SKIP_WORKTREE
        if not fresh.special[at]:
            del fresh.special[at]
    return fresh


def trusts_folders(config: Config) -> bool:
    """Whether the times of directories show that no name was added or removed (`core.untrackedCache`): unless it is set
    to false."""
    return parse_bool(config.get("core.untrackedcache") or b"keep") is not False


@record
class Survey:
    """Names that the comparison of index and files has met, for the search of untracked files after it.

    `extras` are by directory the names that are not in the index, if there are any (None: the directory cannot be
    read); `swapped` are the tracked files that a directory has replaced.
    """

    pathspecs: Pathspecs
    extras: dict[bytes, list[bytes] | None] = field(default_factory=dict)
    swapped: dict[bytes, list[bytes]] = field(default_factory=dict)


#: the survey from comparing the index with the files
SURVEY: Slot[Survey] = Slot("survey")


class Looker:
    """Finds the entries of the index that differ from the work tree, for one command.

    `suspects` gives positions with the file's status (None if it is missing); all other entries are unchanged.
    """

    __slots__ = (
        "_by_nanosecond", "_check_ctime", "_compared", "_ctx", "_file_mode", "_links", "_long_ago", "_minimal",
        "_remembers", "_settings", "_size_of", "_sizes", "_store", "_young", "index",
    )  # fmt: skip

    def __init__(self, store: Store, ctx: Context) -> None:
        config = store.config
        self._store = store
        self._ctx = ctx
        self.index = current_index(store)
        self._file_mode = config.get_bool("core.filemode", True)
        self._links = config.get_bool("core.symlinks", True)
        self._check_ctime = config.get_bool("core.trustctime", True)
        self._minimal = (config.get("core.checkstat") or b"").lower() == b"minimal"
        self._settings = self._file_mode, self._links, self._check_ctime, self._minimal
        self._young = self.index.mtime_ns // _SECOND
        #: whether times tell by the nanosecond that a file was not written since it was noted
        self._by_nanosecond = self._check_ctime and not self._minimal and bool(self.index.mtime_ns % _TICK)
        self._remembers = trusts_folders(config)
        self._compared: dict[tuple[int, ...], bool] = {}  # the result for a file is remembered for the command
        self._sizes: dict[bytes, int | None] = {}  # of blobs that were asked for
        self._size_of: Callable[[bytes], int | None] | None = None
        self._long_ago = (ctx.wall - _CLOCK_SLACK) * _SECOND

    # ------------------------------------------------------------------------------------------------ by stat alone
    def suspects(
        self, pathspecs: Pathspecs, *, survey: bool = False, denied: list[bytes] | None = None
    ) -> list[tuple[int, os.stat_result | None]]:
        """Positions of merged entries that may have changed according to stat data, with the file's status.

        `survey`: also collect names that are not in the index, while the directories are open; see `Survey`. `denied`
        collects the directories that cannot be read; without it a warning is printed.
        """
        index, files = self.index, self._store.files
        if files is None or not len(index):
            return []
        tick, limited = self._ctx.tick, bool(pathspecs)
        out: list[tuple[int, os.stat_result | None]] = []
        seen, gone = Survey(pathspecs), list[bytes]()
        within = folders_within(index, pathspecs) if limited and not survey else None
        if within is None:
            index.cut_fixed()
        for path, folder in (within or compared_folders(index)).items():
            tick()
            if limited and not pathspecs.could_match_below(path):
                continue
            meant = folder.limited(index, path, pathspecs) if limited and within is None else folder
            try:
                directory = files.directory(path)
                if directory is None:
                    out += [(position, None) for position in meant.places if self._counts(position)]
                    gone.append(path)
                    continue
                for part in meant.parts(index):
                    statuses = _kept_statuses(directory, part)
                    if statuses is None:
                        unlike = directory.unlike(part.names, part.wanted, pick)
                    else:
                        unlike = differing([None if one is None else pick(one) for one in statuses], part.wanted)
                    if unlike:
                        self._look_closer(path, part, unlike, statuses, out, seen.swapped)
            except PermissionDenied as error:
                if denied is not None:
                    denied.append(path)
                    continue
                self._ctx.say(b"%s: Permission denied\n" % path)
                self._ctx.note(error.message)
                seen.extras[path] = None
                continue
            if survey:
                self._survey(path, folder, directory, seen)
                if limited:
                    self._look_for_directories(path, folder, meant, seen)
        if survey:
            self._add_replaced(gone, seen)
            self._store.per_call.put(SURVEY, seen)
        out.sort(key=itemgetter(0))
        return out

    def doubtful(self, pathspecs: Pathspecs) -> dict[int, os.stat_result | None]:
        """Positions of all entries that have to be examined one by one, with the file's status if it exists and is
        known: the suspects, and those whose status does not decide (in conflict, assumed unchanged, submodules, in a
        directory that cannot be read). Every other selected entry is unchanged."""
        denied = list[bytes]()
        suspects = self.suspects(pathspecs, denied=denied)
        out: dict[int, os.stat_result | None] = dict.fromkeys(self._undecided())
        for path in denied:
            out.update(dict.fromkeys(folders_of(self.index)[path].places))
        out.update(suspects)
        return out

    def missing(self, pathspecs: Pathspecs) -> set[int]:
        """Positions of the entries whose file may not be there: none is read, nor compared with the index."""
        index, files = self.index, self._store.files
        out = set(self._undecided())
        within = folders_within(index, pathspecs) if pathspecs else None
        for path, folder in (within or folders_of(index)).items():
            self._ctx.tick()
            if files is None or (pathspecs and not pathspecs.could_match_below(path)):
                continue
            meant = folder.limited(index, path, pathspecs) if pathspecs and within is None else folder
            try:
                statuses = files.lstats(path, meant.names)
            except PermissionDenied:
                out.update(meant.places)
                continue
            out.update(at for at, status in zip(meant.places, statuses, strict=True) if status is None)
        return out

    def _undecided(self) -> Iterator[int]:
        """Positions of entries whose status does not decide: submodules, and those in conflict or assumed unchanged."""
        index = self.index
        yield from gitlinks(index)
        flags = index.states().translate(_UNCOUNTED)
        at = flags.find(1)
        while at >= 0:
            yield at
            at = flags.find(1, at + 1)

    def _counts(self, position: int) -> bool:
        """Whether an entry is compared at all: not if it is assumed unchanged, unmerged, or not checked out."""
        special = self.index.special
        return not (self.index.head(position)[-2] & _ASIDE or (special and special.get(position, 0) & SKIP_WORKTREE))

    def _look_closer(
        self,
        path: bytes,
        folder: Folder,
        unlike: list[tuple[int, Fields | None]],
        statuses: Sequence[os.stat_result | None] | None,
        out: list[tuple[int, os.stat_result | None]],
        swapped: dict[bytes, list[bytes]],
    ) -> None:
        """Examine the entries whose status is not exactly as recorded; `statuses` are of all entries, if they were
        kept."""
        rest, aside = list[int](), list[int]()
        compared, settings, wanted, places = folder.compared, self._settings, folder.wanted, folder.places
        plain = CLOSER in folder.wanted and converter_of(self._store).is_plain_in(path)
        for at, have in unlike:
            if have is not None and wanted[at] is not CLOSER and same_fields(have, wanted[at]):
                wanted[at] = have  # the same from now on, at first sight
            elif plain and have is not None and compared and compared.get(places[at]) == (have, settings):
                continue  # as it was when its content was compared
            elif self._counts(places[at]):
                rest.append(at)
            elif have is not None:
                aside.append(at)
        files = self._store.files
        if files is None or not (rest or aside):
            return
        tick = self._ctx.ticks()
        names = dict.fromkeys(folder.names[at] for at in aside if self.index.mode(places[at]) != GITLINK)
        for name, status in zip(names, files.lstats(path, list(names)), strict=True):
            tick()
            if status is not None and status.st_mode & TYPE == TREE:
                swapped.setdefault(path, []).append(name)
        if statuses is None:
            again = files.lstats(path, [folder.names[at] for at in rest])
        else:
            again = [statuses[at] for at in rest]
        for at, status in zip(rest, again):
            tick()
            position = places[at]
            if status is not None and (
                (plain and self._is_untouched(position, status)) or self.settled(position, status)
            ):
                # another change of a file that changed this long ago will show in its times
                if plain and max(status.st_mtime_ns, status.st_ctime_ns) < self._long_ago:
                    compared[position] = pick(status), settings
            else:
                out.append((position, status))
                if status is not None and status.st_mode & TYPE == TREE and self.index.mode(position) != GITLINK:
                    swapped.setdefault(path, []).append(folder.names[at])

    # ---------------------------------------------------------------------------------------- other files
    def _survey(self, path: bytes, folder: Folder, directory: Directory, seen: Survey) -> None:
        """Collect the names of a directory that are not in the index."""
        stamp = directory.stamp() if self._remembers else None
        listed = folder.listed
        if listed is not None and listed[0] == stamp:
            extras = listed[1]
        else:
            folder.listed = None
            try:
                names = directory.names()
            except OSError as error:
                seen.extras[path] = None if isinstance(error, PermissionError) else []
                return
            expected = folder.expected
            extras = [] if expected.issuperset(names) else [name for name in names if name not in expected]
            # A directory that was just changed may change again within the same tick of the file system's clock.
            if stamp is not None and max(stamp[2], stamp[3]) < self._long_ago:
                folder.listed = stamp, extras
        if extras:
            seen.extras[path] = extras

    def _look_for_directories(self, path: bytes, folder: Folder, meant: Folder, seen: Survey) -> None:
        """Find directories in place of tracked files that the pathspecs do not match; they may match its content: `git
        status -- file/x`."""
        front, chosen, files = path + b"/" if path else b"", frozenset(meant.places), self._store.files
        rest = [
            name
            for name, position in zip(folder.names, folder.places)
            if position not in chosen
            and seen.pathspecs.could_match_below(front + name)
            and self.index.mode(position) != GITLINK
        ]
        for name, status in zip(rest, files.lstats(path, rest) if files is not None and rest else ()):
            if status is not None and status.st_mode & TYPE == TREE:
                seen.swapped.setdefault(path, []).append(name)

    def _add_replaced(self, gone: list[bytes], seen: Survey) -> None:
        """Collect files in place of a directory of the index: they are names like any other then."""
        files = self._store.files
        for path in gone:
            if path and files is not None and files.lstat(path) is not None:
                above, _, name = path.rpartition(b"/")
                seen.extras[above] = [*(seen.extras.get(above) or ()), name]

    def settled(self, position: int, status: os.stat_result) -> bool:
        """Whether a file's status shows it as unchanged; the slower comparison of the same fields, with allowed
        differences by the settings, and entries as young as the index."""
        if self.index.special and self.index.intent_to_add(position):
            return False
        noted = self.index.stat(position)
        if self._difference(noted, position, status) != "":
            return False
        if not 0 < self._young <= noted[2]:
            return True
        return noted[6] != GITLINK and self.same_content(position, status)

    def changed(self, position: int, status: os.stat_result) -> str:
        """The difference of a file's status from the entry: "" if none, "type", "mode", or "data" (perhaps only
        touched)."""
        return self._difference(self.index.stat(position), position, status)

    def _difference(self, noted: Stat, position: int, status: os.stat_result) -> str:
        """`changed`, with what the entry has noted."""
        mode, actual = noted[6], status.st_mode
        kind = mode & TYPE
        if kind == GITLINK:
            return "" if actual & TYPE == TREE else "type"
        if kind != actual & TYPE and not (kind == LINK and not self._links and actual & TYPE == REGULAR):
            return "type"
        if kind == REGULAR and self._file_mode and (mode ^ actual) & 0o100:
            return "mode"
        if not noted[9] and self.index.oid(position) != self._store.empty_blob:
            return "data"  # size 0 with content: an entry that was never filled in, or was marked as too young
        return "" if self._same_stat(noted, status) else "data"

    def _same_stat(self, noted: Stat, status: os.stat_result) -> bool:
        if self._minimal:
            return bool(_of_index_minimal(noted) == (int(status[8]) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF))
        want, have = _fields_of_index(noted), _fields_of_stat(status)
        if want == have:
            return True
        have = tuple(number & 0xFFFFFFFF for number in have)
        if not self._check_ctime:
            want, have = want[1:], have[1:]
        return bool(want == have)

    # ---------------------------------------------------------------------------------------------------- by content
    def same_content(self, position: int, status: os.stat_result, *, warn: bool = False) -> bool:
        """Whether a file, converted to git's form, is the blob of the entry."""
        key = position, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        same = None if warn else self._compared.get(key)
        if same is None:
            same = self._same_bytes(position, status, warn=warn)
            if len(self._compared) < _MOST_COMPARED:
                self._compared[key] = same
        return same

    def _same_bytes(self, position: int, status: os.stat_result, *, warn: bool) -> bool:
        index = self.index
        path, oid = index.paths[position], index.oid(position)
        if status.st_mode & TYPE == REGULAR and converter_of(self._store).plan(path) is IDENTITY:
            if not status.st_size:
                return oid == self._store.empty_blob
            noted = index.stat(position)  # if the file still has that size, so has the blob
            other = noted[9] != status.st_size & 0xFFFFFFFF and self._store.odb.has(oid)
            if other and self._store.odb.kind_size(oid)[1] != status.st_size:
                return False
            if not warn and self._is_untouched(position, status):
                return True
        data = read_work_file(self._store, path, status.st_mode, ctx=self._ctx, warn=warn)
        if warn:
            converter_of(self._store).compared.add(path)
        return data is not None and blob_oid(data, self._store.hash_name) == oid

    def _is_untouched(self, position: int, status: os.stat_result) -> bool:
        """Whether the times of a file that nothing converts show that nothing was written to it since they were noted,
        although it is as young as the index by the second: they are the same to the nanosecond, and the index was
        written later. (git compares seconds, and reads such a file. What it would find is the same, if the blob has the
        file's size: nothing converted it when it was noted, either.)"""
        changed, modified, mode, index = status.st_ctime_ns, status.st_mtime_ns, status.st_mode, self.index
        if (
            mode & TYPE != REGULAR
            or not self._by_nanosecond
            or changed + _TICK >= index.mtime_ns
            or not changed % _TICK
        ):
            return False
        noted, size = index.stat(position), status.st_size
        have = (
            changed // _SECOND, changed % _SECOND, modified // _SECOND, modified % _SECOND, noted[4],
            status.st_ino & _32, _EXECUTABLE if mode & 0o100 else _PLAIN, status.st_uid & _32, status.st_gid & _32,
            size & _32,
        )  # fmt: skip
        if noted != have or not size or status.st_dev != index.device:
            return False
        return not (index.special and position in index.special) and self.has_size(index.oid(position), size)

    def has_size(self, blob: bytes, size: int) -> bool:
        """Whether a blob is there, and of this size."""
        sizes = self._sizes
        if blob not in sizes:
            if self._size_of is None:
                odb = self._store.odb
                self._size_of = size_reader(self._sought_size, odb.packs.newest, odb.hash_len)
            sizes[blob] = self._sought_size(blob) if self._store.odb.replaced else self._size_of(blob)
        return sizes[blob] == size

    def _sought_size(self, blob: bytes) -> int | None:
        """The size of a blob wherever it may be; None if it is missing."""
        odb = self._store.odb
        at_hand = None if blob in odb.replaced else odb.packs.size_at_hand(blob)
        try:
            return odb.kind_size(blob)[1] if at_hand is None else at_hand
        except NotFound:
            return None

    def differs(self, position: int, status: os.stat_result) -> bool:
        """Whether any entry, also one in conflict, differs from its file; the complete check at once. Of a submodule
        only whether there is a directory."""
        if self.index.mode(position) == GITLINK:
            return status.st_mode & TYPE != TREE
        if not self.index.stage(position):
            if self.settled(position, status):
                return False
            return self.modified(position, status, by_size=True)
        state = self.changed(position, status)
        return state in ("type", "mode") or not self.same_content(position, status)

    def modified(self, position: int, status: os.stat_result, *, by_size: bool) -> bool:
        """Whether a suspect file differs. `by_size`: a size other than the recorded one is enough, as in `git
        status`."""
        state = self.changed(position, status)
        if state in ("type", "mode"):
            return True
        noted = self.index.stat(position)[9]
        if state and by_size and noted and noted != status.st_size & 0xFFFFFFFF:
            return True
        return not self.same_content(position, status, warn=not by_size)

    def mode_of(self, position: int, status: os.stat_result) -> int:
        """The mode that the file would have in the index."""
        return self.canonical(self.index.mode(position), status.st_mode)

    def canonical(self, noted: int, actual: int) -> int:
        """A file's mode in the form of trees, with the settings that distrust the file system."""
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


def _kept_statuses(directory: Directory, folder: Folder) -> list[os.stat_result | None] | None:
    """The whole status of each file of a directory, where so many have to be examined that asking again takes longer
    than keeping it."""
    if folder.wanted.count(CLOSER) * _SOME <= len(folder.wanted):
        return None
    with uncollected(len(folder.names)):
        return directory.lstats(folder.names)


def gitlinks(index: Index) -> list[int]:
    """Positions of the submodules."""
    return [] if index.all_usual else index.derived.made(_GITLINKS, lambda: _places_of(index, GITLINK))


def _places_of(index: Index, mode: int) -> list[int]:
    """Positions of the entries of a mode, found by the byte with its type: nearly all entries have another one."""
    kinds, kind, places = index.column(26), mode >> 8, list[int]()
    at = kinds.find(kind)
    while at >= 0:
        if index.mode(at) == mode:
            places.append(at)
        at = kinds.find(kind, at + 1)
    return places
