"""The index by directory: the tracked names of each, and the expected status of an unchanged file.

It is made once for each reading of the index and kept with it. The comparison with the disk compares lists, one for
each directory: `wanted` holds the recorded values, reduced to the fields that git compares, and `pick` reduces a file's
status in the same way. Other facts about a directory are remembered with the directory's stamp, see `Folder.listed`.
"""

from __future__ import annotations

import struct
from itertools import groupby, repeat
from operator import itemgetter

from ..disk.opened import DirStamp
from ..index.index import Index, empty_blob_of
from ..limits import Hold, holding, need, paced, step, uncollected
from ..memories import Slot
from ..paths.pathspec import Pathspecs

TREE, LINK, GITLINK, REGULAR = 0o040000, 0o120000, 0o160000, 0o100000
TYPE = 0o170000

Fields = tuple[int, ...]
#: (ctime, mtime, ino, mode, uid, gid, size) of a stat result, times in whole seconds as git compares them
pick = itemgetter(9, 8, 1, 0, 4, 5, 6)
_LONGEST = 4096  # no system opens a longer path; git ignores entries with one
_MANY = 1 << 14  # entries that are handled at once
_FOLDER_BYTES = 900  # memory of a directory besides its path
_ENTRY_BYTES = 250  # memory of an entry: its path in two parts, its position
_WANTED_BYTES = 350  # and its fields
CLOSER: Fields = ()  # in place of fields: the status alone does not decide, examine the file

_SPECIAL = frozenset((b"", b".", b".."))
#: For entries whose path names no file below the top (absolute ones, `a/..`): nothing is ever looked up there.
_NOWHERE = b".."
_32 = 0xFFFFFFFF
_folder_of = itemgetter(0)
_name_of = itemgetter(2)
_time_of, _size_of = itemgetter(1), itemgetter(6)


class Folder:
    """The tracked members of one directory, in parallel lists, and the directories with something tracked below.

    `wanted` is empty until the first comparison, see `compared_folders`. `compared` has, by position in these lists,
    the status of files that were found unchanged by their content, because the status could not tell ("racy git"), and
    the settings in force: git writes this to the index and need not read the file again. `listed` is the directory's
    stamp and its other names: as long as the stamp is the same, no name was added or removed. This is git's own
    untracked cache, kept in memory. (It is one pair, because threads share the data of an index.)
    """

    __slots__ = ("_expected", "compared", "listed", "names", "places", "subs", "wanted")

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self.places: list[int] = []
        self.wanted: list[Fields] = []
        self.compared: dict[int, tuple[Fields, object]] = {}
        self.subs: set[bytes] = set()
        self.listed: tuple[DirStamp, list[bytes]] | None = None
        self._expected: frozenset[bytes] | None = None

    @property
    def expected(self) -> frozenset[bytes]:
        """Every expected name: the tracked ones, and the repository itself."""
        if self._expected is None:
            self._expected = frozenset(self.names) | self.subs | {b".git"}
        return self._expected

    def limited(self, index: Index, pathspecs: Pathspecs) -> Folder:
        """The entries that the pathspecs match."""
        chosen = Folder()
        for name, position, wanted in zip(self.names, self.places, self.wanted):
            if pathspecs.match(index.paths[position], index.modes[position] == GITLINK):
                chosen.names.append(name)
                chosen.places.append(position)
                chosen.wanted.append(wanted)
        return chosen


_FOLDERS: Slot[tuple[dict[bytes, Folder], Hold]] = Slot("tracked files by directory")
_COMPARED: Slot[bool] = Slot("whether directories have what a clean file looks like")


def compared_folders(index: Index) -> dict[bytes, Folder]:
    """`folders_of` with the expected status of unchanged files (`Folder.wanted`)."""
    folders = folders_of(index)
    index.derived.made(_COMPARED, lambda: _fill_wanted(index, folders))
    return folders


def _fill_wanted(index: Index, folders: dict[bytes, Folder]) -> bool:
    """Set the expected status of each directory's unchanged files."""
    need(len(index) * _WANTED_BYTES)
    wanted = _wanted(index)
    for folder in folders.values():
        places = folder.places
        if places and places[-1] - places[0] == len(places) - 1:
            folder.wanted = wanted[places[0] : places[-1] + 1]
        else:
            folder.wanted = [wanted[position] for position in places]
    return True


def folders_of(index: Index) -> dict[bytes, Folder]:
    """Every directory with something tracked in or below it, by its path (b"" is the top)."""
    return index.derived.made(_FOLDERS, lambda: _gathered(index))[0]


def _gathered(index: Index) -> tuple[dict[bytes, Folder], Hold]:
    """The directories, and the memory announced for them, which is held as long as they exist."""
    folders: dict[bytes, Folder] = {b"": Folder()}
    need(len(index.paths) * _ENTRY_BYTES)
    held = holding()
    at = 0
    low, high = index.span_below(b"/")
    for path, run in groupby(map(bytes.rpartition, paced(index.paths), repeat(b"/")), _folder_of):
        names = list(map(_name_of, run))
        end = at + len(names)
        held.count(len(path) + _FOLDER_BYTES)
        if len(path) > _LONGEST:
            path = _NOWHERE
        if not _SPECIAL.isdisjoint(names) or (at < high and end > low):
            for position, name in enumerate(names, at):
                outside = name in _SPECIAL or low <= position < high
                _add(folders, _NOWHERE if outside else path, [name], position)
        else:
            _add(folders, path, names, at)
        at = end
    for path in list(folders):
        link_folders(folders, path, held)
    return folders, held


def _add(folders: dict[bytes, Folder], path: bytes, names: list[bytes], at: int) -> None:
    """Add consecutive entries of one directory, from index position `at` on."""
    folder = folders.get(path)
    if folder is None:
        folder = folders[path] = Folder()
    end = at + len(names)
    folder.names += names
    folder.places += range(at, end)


def link_folders(folders: dict[bytes, Folder], path: bytes, held: Hold) -> None:
    """Make the directories above one, up to the first that exists; a path of many components has many."""
    while path:
        above, _, name = path.rpartition(b"/")
        folder = folders.get(above)
        if folder is None:
            step()
            held.count(len(above) + _FOLDER_BYTES)
            folder = folders[above] = Folder()
        elif name in folder.subs:
            return
        folder.subs.add(name)
        path = above


def _wanted(index: Index) -> list[Fields]:
    """The result of `pick` for each unchanged file; CLOSER if the status alone does not decide."""
    cut = struct.Struct(f">I4xI8xIIIII{index.hash_len + 2}x")
    fixed, wanted, most = index.fixed, list[Fields](), cut.size * _MANY
    for start in range(0, len(fixed), most):
        step()
        with uncollected(_MANY):
            wanted += cut.iter_unpack(fixed[start : start + most])
    # An entry as young as the index may have been changed after it was recorded ("racy git"); one of size 0 that is not
    # the empty file was never filled in, or was marked as too young.
    young, empty = index.mtime_ns // 1_000_000_000, empty_blob_of(index.hash_len)
    plain = max(map(_time_of, wanted), default=0) < young and 0 not in map(_size_of, wanted)
    for at, fields in () if plain else enumerate(wanted):
        if fields[1] >= young or (not fields[6] and index.oid(at) != empty):
            wanted[at] = CLOSER
    for at in index.special:
        wanted[at] = CLOSER
    return wanted


def same_fields(have: Fields, want: Fields) -> bool:
    """Whether a status that is not exactly `want` is equal in what the index can record: 32 bits, and two modes."""
    mode = have[3]
    kind = mode & TYPE
    if kind == REGULAR:
        mode = 0o100755 if mode & 0o100 else 0o100644
    elif kind == LINK:
        mode = LINK
    else:
        return False
    return want == (have[0] & _32, have[1] & _32, have[2] & _32, mode, have[4] & _32, have[5] & _32, have[6] & _32)
