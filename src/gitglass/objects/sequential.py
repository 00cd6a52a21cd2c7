"""Fast reading of thousands of commits one after the other, which takes most of the time of a walk over a history.

The object database has to find one object wherever it may be. A walk reads nearly all its commits from one pack, where
they are small, whole (no deltas) and nearly in the walk's own order. The readers here are closures that are made once a
walk: they hold what such a commit needs in local names. Everything else is left to the object database, which also
raises the errors. Commits are remembered in the object database's own memory, which bounds them.
"""

from __future__ import annotations

import sys
from array import array
from binascii import unhexlify
from collections.abc import Callable
from itertools import compress
from zlib import decompress, decompressobj
from zlib import error as ZlibError

from ..annotations import TYPE_CHECKING, Any, Generic, TypeVar
from ..deferred import deferred, lazy_pattern
from ..errors import Corrupt
from ..memories import ObjectCache, Table
from .delta import apply_delta, delta_sizes
from .pack import AFTER, BLOB, IN_WINDOW, OFS_DELTA, ROOM, SLACK, SMALL, TAG, TREE, WINDOW_BITS, Pack
from .pack_index import PackIndex, Spot
from .parsed import COMMIT_ROW, commit_parents, commit_time, commit_tree
from .source import LongHistory

if TYPE_CHECKING:
    from .ahead import Ahead
else:
    Ahead = deferred(__name__, ".ahead", "Ahead")

T = TypeVar("T")
CommitFacts = tuple[tuple[bytes, ...], int, bytes]
FactsReader = Callable[[bytes], CommitFacts]
Row = tuple[int, tuple[bytes, ...], bytes]
RawReader = Callable[[bytes], bytes]
UsualRow = tuple[bytes, ...]
#: a function from oids and raw commits to what is made of them, without the commits that have to be read one by one
MakeMany = Callable[[list[bytes], list[bytes]], tuple[list[bytes], list[T]]]
#: number of a commit's first bytes that hold its facts, and its parents, in lengths of an oid (20 or 32)
HEAD_OIDS, _PARENT_OIDS = 16, 8
PARENT = b"parent "
_FILES = (BLOB, TREE)
_MISSES = 16
_FIRST_PORTION, _MOST_PORTION = 4 << 10, 64 << 10
_KEPT = 16 << 20  # bytes of commits that are kept whole by a walk that asks for their facts, and may not show them
_BEGUN = 1 << 11  # commits after which a walk that still reads them one by one keeps no more
_MOST_WAITING = 1 << 12  # commits that the walk passed by wait no longer
#: number of commits that are read one by one first, at least one for 2**7 objects of the pack: to find out what follows
#: in the pack takes time in proportion to these. Fewer where the walk begins again by number then.
FIRST, _FIRST_BITS = 512, 7
FIRST_NUMBERED, _NUMBERED_BITS = 128, 9


class Waiting(Generic[T]):
    """What was read ahead for a reader, in `values`: made by `make` of oids and raw commits, or of their first `head`
    bytes. It waits there until it is taken out; or it stays, where these are the rows of a `table`.

    `left` commits are to be read one by one before `read` is called again. The reader counts the commits that it found
    in `values`: they are `used`. With `ends` that call raises LongHistory.
    """

    __slots__ = ("_ahead", "_ends", "_head", "_make", "_table", "left", "used", "values")

    def __init__(
        self, make: MakeMany[T], head: int = 0, table: Table[bytes, T] | None = None, *, ends: bool = False
    ) -> None:
        self._make, self._head, self._table, self._ends = make, head, table, ends
        self.values: dict[bytes, T] = {} if table is None else table.rows
        self._ahead: Ahead | None = None
        self.left, self.used = FIRST_NUMBERED if ends else FIRST, 0

    def choose(self, index: PackIndex) -> None:
        """Another pack is read from now on."""
        self.forget()
        self._ahead = None
        if self._ends:
            self.left = max(FIRST_NUMBERED, index.count >> _NUMBERED_BITS)
        else:
            self.left = max(FIRST, index.count >> _FIRST_BITS)

    def forget(self) -> None:
        """Nothing waits any longer."""
        if self._table is None:
            self.values.clear()

    def put(self, oids: list[bytes], raws: list[bytes]) -> int:
        """Commits were read ahead. Returns how many of them the reader will find."""
        if self._table is not None:
            self._table.make_room()
        elif len(self.values) > _MOST_WAITING:
            self.values.clear()
        oids, made = self._make(oids, raws)
        self.values.update(zip(oids, made))
        return len(oids)

    def read(self, pack: Pack, offset: int) -> None:
        """Read on in the pack, if the walk goes along it; the commit at `offset` is asked for."""
        if self._ends:
            raise LongHistory(pack)
        if self._ahead is None:
            self._ahead = Ahead(self._head)
        self.left = self._ahead.read(self, pack, offset)


#: makes a reader of the first bytes of commits, and may have it read ahead
HeadReader = Callable[[int, Waiting[Any] | None], RawReader]


class _Reader(Generic[T]):
    """The state of a reader: tables of the pack that answered last. The pack is chosen again after many misses."""

    __slots__ = ("ahead", "fan", "index", "last", "missed", "offsets", "pack", "read", "spots")

    def __init__(
        self, read: Callable[[bytes], T], last: Callable[[], Pack | None], ahead: Waiting[Any] | None = None
    ) -> None:
        self.read, self.last, self.missed, self.ahead = read, last, 0, ahead
        self.spots: dict[int, Spot] = {}
        self.offsets: array[int] | None = None
        self.fan: list[int] = []
        self.pack: Pack | None = None
        self.index: PackIndex | None = None
        self.choose()

    def missing(self, oid: bytes) -> T:
        """Read an object that the pack does not have, or not in the common form."""
        self.missed += 1
        answer = self.read(oid)
        if not self.missed % _MISSES:
            self.choose()
        return answer

    def choose(self) -> None:
        """Choose the pack that answered last, if all its offsets are in the table."""
        pack = self.last()
        if pack is None or not pack.is_open:
            return
        index = pack.index
        index.expect(self.missed)  # as many as so far
        if index.offset_table is not None and not index.has_large:
            if self.ahead is not None and pack is not self.pack:
                self.ahead.choose(index)
            self.pack, self.index = pack, index
            self.spots, self.offsets, self.fan = index.spots, index.offset_table, index.fan

    def spot(self, first: int) -> Spot | None:
        """Read the bucket of oids with this first byte from the index."""
        try:
            return None if self.index is None else self.index.spot(first)
        except Corrupt:  # the object database raises the error when it is asked
            return None


def pack_reader(
    read: RawReader, last: Callable[[], Pack | None], width: int, head: int = 0, ahead: Waiting[Any] | None = None
) -> RawReader:
    """A function that reads raw commits: small whole ones of one pack directly, all others with `read`.

    If only the first bytes are needed, `head` is their number: longer commits are inflated only so far. After many
    commits those that follow in the pack are read `ahead`; the caller looks there first.
    """
    state = _Reader(read, last, ahead)
    missing = state.missing

    def get(oid: bytes) -> bytes:
        offsets, pack = state.offsets, state.pack
        if offsets is None or pack is None:
            return missing(oid)
        first = oid[0]
        spot = state.spots.get(first) or state.spot(first)
        if spot is None:
            return missing(oid)
        bucket, count, spread = spot
        guess = ((oid[1] << 8 | oid[2]) * count >> 16) * width
        at = bucket.find(oid, guess - spread if guess > spread else 0, guess + spread)
        if at < 0 or at % width:
            return missing(oid)
        at = offsets[state.fan[first] + at // width]
        if at >= pack.end:
            return missing(oid)
        if ahead is not None:
            ahead.left -= 1
            if not ahead.left:
                ahead.read(pack, at)
        window = pack.windows.get(at >> WINDOW_BITS)
        if window is None:
            window, at = pack.piece(at)
        else:
            at &= IN_WINDOW
        try:
            byte, second = window[at], window[at + 1]
            size = byte & 15 | (second & 127) << 4
            at += 2
            if second > 127:
                second = window[at]
                at += 1
                size |= second << 11
            if byte & 0xF0 != 0x90 or second > 127 or size > SMALL:
                return missing(oid)  # no commit, or a large one
            if size > head > 0:
                raw, size = decompressobj().decompress(window[at : at + head + SLACK], head), head
            else:
                raw = decompress(window[at : at + size + AFTER], 15, size + ROOM)
        except (ZlibError, IndexError):
            return missing(oid)
        return raw if len(raw) == size else missing(oid)

    return get


def whole_reader(read: RawReader, last: Callable[[], Pack | None], width: int) -> RawReader:
    """A function that reads raw commits, as `pack_reader`, many of them ahead."""
    ahead: Waiting[bytes] = Waiting(lambda oids, raws: (oids, raws))
    take, get = ahead.values.pop, pack_reader(read, last, width, 0, ahead)

    def raw(oid: bytes) -> bytes:
        commit = take(oid, None)
        if commit is None:
            return get(oid)
        ahead.used += 1
        return commit

    return raw


def object_reader(
    read: RawReader, last: Callable[[], Pack | None], width: int, objects: ObjectCache, only: int = 0
) -> RawReader:
    """A function that reads the contents of trees and blobs. Objects of one pack are read directly if they are in
    memory, small and whole, or a small delta against one in memory; all others with `read`. `only` restricts it to one
    kind, by number.

    Along a history nearly all objects are of these forms: a pack stores older versions of a directory as deltas against
    newer ones, and each file of a tree is like its version in the tree before.
    """
    state = _Reader(read, last)
    missing, remember, apply = state.missing, objects.put, apply_delta

    def get(oid: bytes) -> bytes:
        first = oid[0]
        offsets, pack = state.offsets, state.pack
        if offsets is None or pack is None:
            return missing(oid)
        spot = state.spots.get(first) or state.spot(first)
        if spot is None:
            return missing(oid)
        bucket, count, spread = spot
        guess = ((oid[1] << 8 | oid[2]) * count >> 16) * width
        at = bucket.find(oid, guess - spread if guess > spread else 0, guess + spread)
        if at < 0 or at % width:
            return missing(oid)
        at = offsets[state.fan[first] + at // width]
        key = pack.key + at
        entry = objects.young.get(key)
        if entry is not None and (entry[0] == only or not only):  # e.g. as the base of another object
            return entry[1]
        if at >= pack.end:
            return missing(oid)
        window = pack.windows.get(at >> WINDOW_BITS)
        if window is None:
            window, at = pack.piece(at)
        else:
            at &= IN_WINDOW
        try:
            byte = window[at]
            size, kind = byte & 15, byte >> 4 & 7
            if byte > 127:
                at += 1
                byte = window[at]
                if byte > 127:
                    return missing(oid)  # more than two thousand bytes
                size |= byte << 4
            at += 1
            if kind == OFS_DELTA:
                byte = window[at]
                distance = byte & 127
                while byte > 127:
                    at += 1
                    byte = window[at]
                    distance = (distance + 1) << 7 | (byte & 127)
                base = objects.young.get(key - distance) or objects.get(key - distance)
                if base is None or not 0 < distance <= key - pack.key:
                    return missing(oid)
                kind = base[0]
                delta = decompress(window[at + 1 : at + size + AFTER], 15, size + ROOM)
                if len(delta) != size:
                    return missing(oid)
                raw = apply(base[1], delta, pack.limit)
            else:
                raw = decompress(window[at : at + size + AFTER], 15, size + ROOM)
                if len(raw) != size:
                    return missing(oid)
            if kind != only if only else kind not in _FILES:
                return missing(oid)
        except (ZlibError, IndexError, Corrupt):
            return missing(oid)
        remember(key, (kind, raw))
        return raw

    return get


def size_reader(
    read: Callable[[bytes], int | None], last: Callable[[], Pack | None], width: int
) -> Callable[[bytes], int | None]:
    """A function that gives the sizes of objects: of those in windows of one pack that were read directly, if they are
    whole or deltas against an earlier object of it; of all others with `read`."""
    state: _Reader[int | None] = _Reader(read, last)
    missing = state.missing

    def get(oid: bytes) -> int | None:
        first = oid[0]
        offsets, pack = state.offsets, state.pack
        if offsets is None or pack is None:
            return missing(oid)
        spot = state.spots.get(first) or state.spot(first)
        if spot is None:
            return missing(oid)
        bucket, count, spread = spot
        guess = ((oid[1] << 8 | oid[2]) * count >> 16) * width
        at = bucket.find(oid, guess - spread if guess > spread else 0, guess + spread)
        if at < 0 or at % width:
            return missing(oid)
        at = offsets[state.fan[first] + at // width]
        window = pack.windows.get(at >> WINDOW_BITS)
        if window is None or at >= pack.end:
            return missing(oid)
        at &= IN_WINDOW
        try:
            byte = window[at]
            size, kind = byte & 15, byte >> 4 & 7
            if byte > 127:
                at += 1
                byte = window[at]
                if byte > 127:
                    return missing(oid)
                size |= byte << 4
            at += 1
            if 0 < kind <= TAG:
                return size
            if kind != OFS_DELTA:
                return missing(oid)
            while window[at] > 127:
                at += 1
            return delta_sizes(decompressobj().decompress(window[at + 1 : at + 65], 20))[1]
        except (ZlibError, IndexError, Corrupt):
            return missing(oid)

    return get


def facts_reader(
    table: Table[bytes, CommitFacts],
    whole: Table[bytes, bytes],
    head_reader: HeadReader,
    read: RawReader,
    width: int,
    ends: bool = False,
    keep: bool = False,
) -> FactsReader:
    """A function that reads (parents, time, tree) of commits: from the table, where they may have been read ahead, from
    commits that were read as a `whole`, from their heads, or else from the whole commit. The first ones are kept whole,
    if their heads are all of them: they are often shown next; with `keep` all are. `ends` as in `Waiting`."""
    size, room = HEAD_OIDS * width, sys.maxsize if keep else _KEPT

    def made(oids: list[bytes], raws: list[bytes]) -> tuple[list[bytes], list[CommitFacts]]:
        nonlocal room
        if room > 0:
            sizes = [*map(len, raws)]
            weight = sum(sizes) + COMMIT_ROW * len(raws)
            room -= weight
            whole.reserve(weight)
            short = zip(oids, raws)
            whole.rows.update(short if max(sizes) < size else (pair for pair in short if len(pair[1]) < size))
        return facts_of_many(oids, raws, width)

    ahead = Waiting(made, size, table, ends=ends)
    head = head_reader(size, ahead)
    find, cached, most = table.get, table.rows, table.most

    def facts(oid: bytes) -> CommitFacts:
        row = find(oid)
        if row is not None:
            ahead.used += 1
            return row
        nonlocal room
        raw = whole.get(oid)
        if raw is None:
            first = head(oid)
            row = usual_facts(first, width)
            if row is None:
                row = commit_facts(read(oid), oid)
            if room > 0 and len(cached) < _BEGUN and len(first) < size:
                room -= len(first) + COMMIT_ROW
                whole.put(oid, first, len(first) + COMMIT_ROW)
        else:
            row = commit_facts(raw, oid)
        if len(cached) >= most:
            table.make_room()
        cached[oid] = row
        return row

    return facts


def kept_reader(table: Table[bytes, bytes], read: RawReader) -> RawReader:
    """A function that reads raw commits and remembers them in the table.

    Memory is reserved for several commits at a time, at most for as much again as was needed before.
    """
    rows, reserve, portion, room = table.rows, table.reserve, _FIRST_PORTION, 0

    def raw(oid: bytes) -> bytes:
        nonlocal portion, room
        commit = rows.get(oid)
        if commit is None:
            commit = read(oid)
            if len(commit) > _MOST_PORTION:
                return table.put(oid, commit, len(commit) + COMMIT_ROW)
            room -= len(commit) + COMMIT_ROW
            if room < 0:
                reserve(portion - room)
                room, portion = portion, min(2 * portion, _MOST_PORTION)
            rows[oid] = commit
        return commit

    return raw


def rows_reader(
    cached: Table[bytes, bytes],
    keep: Callable[[bytes, bytes], bytes] | None,
    read: RawReader,
    width: int,
    roots: dict[bytes, bytes] | None = None,
) -> Callable[[bytes], Row]:
    """A function that reads (time, parents, raw commit), from `cached` if possible; `keep` remembers what was read, and
    `roots` gets the tree of each commit."""
    find, usual = cached.get, usual_facts

    def row(oid: bytes) -> Row:
        raw = find(oid)
        if raw is None:
            raw = read(oid)
            if keep is not None:
                keep(oid, raw)
        parents, time, tree = usual(raw, width) or commit_facts(raw, oid)
        if roots is not None:
            roots[oid] = tree
        return time, parents, raw

    return row


def parents_reader(
    table: Table[bytes, tuple[bytes, ...]],
    whole: Table[bytes, bytes],
    head_reader: HeadReader,
    read: RawReader,
    width: int,
) -> Callable[[bytes], tuple[bytes, ...]]:
    """A function that reads the parents of commits; the head is enough for a commit with one or two parents."""
    ahead = Waiting(lambda oids, raws: parents_of_many(oids, raws, width), _PARENT_OIDS * width, table)
    head = head_reader(_PARENT_OIDS * width, ahead)
    find, cached, most = table.get, table.rows, table.most
    with_one, with_two = 4 * width + 13, 6 * width + 21

    def parents(oid: bytes) -> tuple[bytes, ...]:
        row = find(oid)
        if row is not None:
            ahead.used += 1
            return row
        raw = whole.get(oid) or head(oid)
        if raw[with_one : with_one + 8] != b"\nauthor " and raw[with_two : with_two + 8] != b"\nauthor ":
            raw = read(oid)
        row = commit_parents(raw, oid)
        if len(cached) >= most:
            table.make_room()
        cached[oid] = row
        return row

    return parents


def commit_facts(raw: bytes, oid: bytes) -> tuple[tuple[bytes, ...], int, bytes]:
    """(parents, commit time, tree) of a raw commit in one pass; the message is not needed."""
    return usual_facts(raw, len(oid)) or (commit_parents(raw, oid), commit_time(raw), commit_tree(raw, oid))


def usual_facts(raw: bytes, width: int) -> tuple[tuple[bytes, ...], int, bytes] | None:
    """The facts of a commit with at most two parents that is written as git writes them; None for any other.

    `raw` may be only the first bytes of a commit; None if these are too few.
    """
    match = _USUAL[width].match(raw)
    if match is None:
        return None
    tree, first, second, time = match.groups()
    try:
        if second is not None:
            return (unhexlify(first), unhexlify(second)), int(time), unhexlify(tree)
        return (() if first is None else (unhexlify(first),)), int(time), unhexlify(tree)
    except ValueError:
        return None


def facts_of_many(oids: list[bytes], raws: list[bytes], width: int) -> tuple[list[bytes], list[CommitFacts]]:
    """`usual_facts` of many commits, and the oids of those that have them; any number of parents is usual here."""
    rows = rows_of_many(raws, width)
    if rows is not None:
        one, end = len(b"parent \n") + 2 * width, 7 + 2 * width
        try:
            made = [
                (
                    (unhexlify(parents[7:end]),) if len(parents) == one else _parents(parents),
                    int(time),
                    unhexlify(tree),
                )
                for tree, parents, time in rows
            ]
            return oids, made
        except ValueError:
            pass
    some = {oid: row for oid, raw in zip(oids, raws) if (row := usual_facts(raw, width)) is not None}
    return [*some], [*some.values()]


def rows_of_many(raws: list[bytes], width: int, *, authored: bool = False) -> list[UsualRow] | None:
    """(tree, lines of parents, time) of raw commits, as they stand there; with `authored` the author's time is the last
    but one. None unless all are in the usual form."""
    text = b"\0".join([b"", *raws])
    rows: list[UsualRow] = (_MANY_AUTHORED if authored else _MANY)[width].findall(text)
    # a match begins with a zero byte: if there are as many matches as zero bytes, each is one commit from its start
    return rows if len(rows) == len(raws) == text.count(b"\0") else None


def usual_rows(
    oids: list[bytes], raws: list[bytes], width: int, *, authored: bool = False
) -> tuple[list[bytes], list[UsualRow]]:
    """The rows of those that are in the usual form, and their oids."""
    rows = rows_of_many(raws, width, authored=authored)
    if rows is not None:
        return oids, rows
    alone = [rows_of_many([raw], width, authored=authored) for raw in raws]
    return [oid for oid, row in zip(oids, alone) if row], [row[0] for row in alone if row]


def parents_of_many(oids: list[bytes], raws: list[bytes], width: int) -> tuple[list[bytes], list[tuple[bytes, ...]]]:
    """The same for the parents, for which the first bytes of commits suffice."""
    text, pattern = b"\0".join([b"", *raws]), _MANY_PARENTS[width]
    blocks = pattern.findall(text)
    if not len(blocks) == len(raws) == text.count(b"\0"):
        matches = [pattern.match(b"\0" + raw) for raw in raws]
        oids, blocks = [*compress(oids, matches)], [match[1] for match in matches if match is not None]
    one, end = len(b"parent \n") + 2 * width, 7 + 2 * width
    try:
        return oids, [(unhexlify(lines[7:end]),) if len(lines) == one else _parents(lines) for lines in blocks]
    except ValueError:
        return [], []


def _parents(lines: bytes) -> tuple[bytes, ...]:
    """The oids in lines of parents."""
    return tuple([unhexlify(line[7:]) for line in lines.splitlines()])


def _usual(digits: int) -> bytes:
    """A pattern of the beginning of a usual commit: tree, parents, and complete lines of author and committer."""
    name = b"(.{%d})\n" % digits
    words = b"tree %b(?:parent %b(?:parent %b)?)?author .*\ncommitter [^>\n]*> (\\d{1,18}) .*\n(?s:.)"
    return words % (name, name, name)


def _row(digits: int, author: bytes = b".*+") -> bytes:
    """The same with any number of parents, which are taken together."""
    words = b"tree (.{%d})\n((?:parent .{%d}\n)*+)author %b\ncommitter [^>\n]*+> (\\d{1,18}+) .*+\n"
    return words % (digits, digits, author)


_AUTHOR = b"[^>\n]*+> (\\d{1,18}+) .*+"
#: by the length of an oid; in front of each of many commits there is a zero byte
_USUAL = {20: lazy_pattern(_usual(40)), 32: lazy_pattern(_usual(64))}
ROW = {20: lazy_pattern(_row(40)), 32: lazy_pattern(_row(64))}
AUTHORED_ROW = {20: lazy_pattern(_row(40, _AUTHOR)), 32: lazy_pattern(_row(64, _AUTHOR))}
_MANY = {20: lazy_pattern(b"\\0" + _row(40)), 32: lazy_pattern(b"\\0" + _row(64))}
_MANY_AUTHORED = {20: lazy_pattern(b"\\0" + _row(40, _AUTHOR)), 32: lazy_pattern(b"\\0" + _row(64, _AUTHOR))}
_PARENTS = b"\\0tree .{%d}\n((?:parent .{%d}\n)*+)author "
_MANY_PARENTS = {20: lazy_pattern(_PARENTS % (40, 40)), 32: lazy_pattern(_PARENTS % (64, 64))}
