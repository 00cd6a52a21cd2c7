"""The index by directory: the tracked names of each, and the expected status of an unchanged file.

It is made once for each reading of the index and kept with it. The comparison with the disk compares lists, one for
each directory: `wanted` holds the recorded values, reduced to the fields that git compares, and `pick` reduces a file's
status in the same way. Other facts about a directory are remembered with the directory's stamp, see `Folder.listed`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter

from ..disk.opened import DirStamp
from ..index.index import MOST_KEPT, Index, empty_blob_of
from ..limits import Hold, holding, need, step, uncollected
from ..memories import BY_BYTES, Files, Slot
from ..paths.pathspec import Pathspecs

TREE, LINK, GITLINK, REGULAR = 0o040000, 0o120000, 0o160000, 0o100000
TYPE = 0o170000

Fields = tuple[int, ...]
#: (ctime, mtime, ino, mode, uid, gid, size) of a stat result, times in whole seconds as git compares them
pick = itemgetter(9, 8, 1, 0, 4, 5, 6)
_LONGEST = 4096  # no system opens a longer path, git goes without what has one
_MANY = 1 << 14  # entries that are looked at in one go
_MOST_AT_ONCE = 1 << 12  # names that are looked at together for slashes
_PART = 1 << 11  # entries of a directory that are compared at once where it is not kept
_FOLDER_BYTES = 900  # what a directory takes beside its path
_ENTRY_BYTES = 250  # what an entry takes: its path in two, its place
_WANTED_BYTES = 350  # and its fields
CLOSER: Fields = ()  # in place of fields: the status alone does not decide, examine the file

_SPECIAL, _SPECIAL_LENGTH = frozenset((b"", b".", b"..")), 2
#: Where entries go whose path names no file below the top (absolute ones, `a/..`): nothing is ever looked up there.
_NOWHERE = b".."
_32 = 0xFFFFFFFF
_time_of, _size_of = itemgetter(1), itemgetter(6)


class Folder:
    """The tracked members of one directory, in parallel lists, and the directories with something tracked below.

    `wanted` is empty until the first comparison, and stays so if the entries are very many, see `compared_folders`.
    `compared` has, by position in the index, the status of files that were found clean by their content, as nothing
    else could tell ("racy git"), and the settings that were in force: git writes this to the index and need not read
    again.
    `listed` is the directory's stamp and the names that were there besides: as long as the stamp is the same, nothing
    has come or gone. This is git's own untracked cache, kept in memory. (One pair: threads share what an index knows.)
    """

    __slots__ = ("_expected", "compared", "listed", "names", "places", "subs", "wanted")

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self.places: Sequence[int] = []
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

    def again(self) -> Folder:
        """The same directory for another index with the same names: without what the entries say of their files."""
        folder = Folder()
        folder.names, folder.places, folder.subs = self.names, self.places, self.subs
        folder.listed, folder._expected = self.listed, self._expected
        return folder

    def limited(self, index: Index, path: bytes, pathspecs: Pathspecs) -> Folder:
        """The entries that the pathspecs match, of the directory at a path."""
        if path and pathspecs.matches_all_below(path):
            return self
        chosen, places = Folder(), list[int]()
        for at, (name, position) in enumerate(zip(self.names, self.places)):
            if pathspecs.match(index.paths[position], index.modes[position] == GITLINK):
                chosen.names.append(name)
                places.append(position)
                if self.wanted:
                    chosen.wanted.append(self.wanted[at])
        chosen.places = places
        return chosen

    def parts(self, index: Index) -> Iterable[Folder]:
        """The entries with `wanted`, all together where that is kept."""
        return (self,) if self.wanted or not self.names else self._parts(index)

    def _parts(self, index: Index) -> Iterator[Folder]:
        """Some of the entries at a time, with `wanted` made for them: each part uses the memory of the one before it,
        since getting fresh memory takes longer than filling it."""
        for start in range(0, len(self.names), _PART):
            part = Folder()
            part.names, part.places = self.names[start : start + _PART], self.places[start : start + _PART]
            part.wanted = _wanted(index, part.places)
            part.compared = self.compared
            yield part


_FOLDERS: Slot[tuple[dict[bytes, Folder], Hold]] = Slot("tracked files by directory")
#: the same of the last indexes, by all their names: most changes of an index leave these as they are
_OF_NAMES: Files[list[bytes], tuple[dict[bytes, Folder], Hold]] = Files("directories of names", files=4, size=12 << 20)
_COMPARED: Slot[bool] = Slot("whether directories have what a clean file looks like")


def compared_folders(index: Index) -> dict[bytes, Folder]:
    """`folders_of`, with what a clean file's status looks like (`Folder.wanted`) unless the entries are very many."""
    folders = folders_of(index)
    if len(index) <= MOST_KEPT:
        index.derived.made(_COMPARED, lambda: _fill_wanted(index, folders))
    return folders


def _fill_wanted(index: Index, folders: dict[bytes, Folder]) -> bool:
    """Set the expected status of each directory's unchanged files."""
    need(len(index) * _WANTED_BYTES)
    wanted = _wanted(index, range(len(index)))
    for folder in folders.values():
        places = folder.places
        if places and places[-1] - places[0] == len(places) - 1:
            folder.wanted = wanted[places[0] : places[-1] + 1]
        else:
            folder.wanted = [wanted[position] for position in places]
    return True


def folders_of(index: Index) -> dict[bytes, Folder]:
    """Every directory with something tracked in or below it, by its path (b"" is the top)."""
    return index.derived.made(_FOLDERS, lambda: _remembered(index))[0]


def folders_within(index: Index, pathspecs: Pathspecs) -> dict[bytes, Folder] | None:
    """Of a large index the directories of the entries that plain words select, with these entries only, and the
    directories above; None where that is not worth the while, or other words have to be asked about each path."""
    sides = pathspecs.plain_sides if len(index) > MOST_KEPT else None
    return None if sides is None else _gathered(index, index.spans_of(*sides))[0]


def _remembered(index: Index) -> tuple[dict[bytes, Folder], Hold]:
    """What was gathered for an earlier index with the very same names, as far as it follows from these."""
    names = index.names
    if not names or len(names) > MOST_KEPT:
        return _gathered(index, [range(len(names))])
    key = names[0] + b"/" + names[-1]
    earlier = BY_BYTES.get(_OF_NAMES, key, names)
    if earlier is None:
        folders, held = _gathered(index, [range(len(names))])
    else:
        folders, held = {path: folder.again() for path, folder in earlier[0].items()}, earlier[1]
    BY_BYTES.put(_OF_NAMES, key, names, (folders, held), len(names) * _ENTRY_BYTES)
    return folders, held


def _gathered(index: Index, spans: list[range]) -> tuple[dict[bytes, Folder], Hold]:
    """The directories of entries, and the memory announced for them, which is held as long as they exist."""
    folders: dict[bytes, Folder] = {b"": Folder()}
    need(sum(map(len, spans)) * _ENTRY_BYTES)
    held = holding()
    low, high = index.span_below(b"/")
    for path, at, end in chain.from_iterable([_runs(index.names, span) for span in spans]):
        skip = len(path) + 1 if path or low <= at < high else 0
        names = list[bytes]()
        for start in range(at, end, _MANY):
            step()
            names += [name[skip:].rstrip(b"\0") for name in index.names[start : min(start + _MANY, end)]]
        held.count(len(path) + _FOLDER_BYTES)
        if len(path) > _LONGEST:
            path = _NOWHERE
        special = min(map(len, names)) <= _SPECIAL_LENGTH and not _SPECIAL.isdisjoint(names)
        if special or (at < high and end > low):
            for position, name in enumerate(names, at):
                outside = name in _SPECIAL or low <= position < high
                _add(folders, _NOWHERE if outside else path, [name], position)
        else:
            _add(folders, path, names, at)
    for path in list(folders):
        link_folders(folders, path, held)
    return folders, held


def _runs(names: list[bytes], span: range) -> Iterator[tuple[bytes, int, int]]:
    """(directory, where a run begins, where it ends) of some sorted names that follow one another in one directory.

    Names between two with the same front have it, too. So a stretch of them lies in one directory if its last one does,
    and if there are no more slashes than its fronts have. Stretches are twice as long each time, until one does not.
    """
    at, last = span.start, span.stop
    while at < last:
        step()
        front = names[at][: names[at].rfind(b"/") + 1]
        depth, end, more, growing = front.count(b"/"), at + 1, 1, True
        while more and end < last:
            stretch = names[end : min(end + more, last)]
            if stretch[-1].startswith(front) and b"".join(stretch).count(b"/") == depth * len(stretch):
                end += len(stretch)
            else:
                growing = False
            more = min(2 * more, _MOST_AT_ONCE) if growing else more >> 1
        yield front[:-1], at, end
        at = end


def _add(folders: dict[bytes, Folder], path: bytes, names: list[bytes], at: int) -> None:
    """Add consecutive entries of one directory, from index position `at` on."""
    folder = folders.get(path)
    if folder is None:
        folder = folders[path] = Folder()
    end = at + len(names)
    if not folder.names:
        folder.names, folder.places = names, range(at, end)
    else:
        folder.names += names
        places: list[int] = folder.places if isinstance(folder.places, list) else list(folder.places)
        places += range(at, end)
        folder.places = places


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


def _wanted(index: Index, places: Sequence[int]) -> list[Fields]:
    """What `pick` gives for each file that is clean, of the entries at some positions, which rise; CLOSER where status
    alone cannot tell."""
    cut = struct.Struct(f">I4xI8xIIIII{index.hash_len + 2}x")
    wanted = list[Fields]()
    for start in range(0, len(places), _MANY):
        step()
        some = places[start : start + _MANY]
        raw = index.fixed_at(some)
        with uncollected(len(some)):
            wanted += cut.iter_unpack(raw)
    # An entry as young as the index may have been changed after it was noted ("racy git"); one of size 0 that is not
    # the empty file was never filled in, or smudged because it was too young.
    young, empty = index.mtime_ns // 1_000_000_000, empty_blob_of(index.hash_len)
    plain = max(map(_time_of, wanted), default=0) < young and 0 not in map(_size_of, wanted)
    for at, fields in () if plain else enumerate(wanted):
        if fields[1] >= young or (not fields[6] and index.oid(places[at]) != empty):
            wanted[at] = CLOSER
    for at, position in enumerate(places) if index.special else ():
        if position in index.special:
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
