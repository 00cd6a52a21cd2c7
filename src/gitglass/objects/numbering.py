"""The commits of a repository by number, for a long walk where no commit-graph has numbers for them.

What a commit-graph says in its table is found out here from the commits themselves, as the walk comes to them: parents,
commit time and tree, in columns. A number takes less to look up, to compare and to keep than an oid, and the columns of
many commits are filled at a time. The numbers follow the pack from which the walk reads most of its commits, so that a
walk along the pack goes along the columns; commits that are elsewhere get theirs one by one. What is missing compared
with a commit-graph are levels: those of a commit are known only when all of its ancestors are.
"""

from __future__ import annotations

from array import array
from binascii import unhexlify
from bisect import bisect_right
from collections.abc import Callable
from zlib import error as ZlibError

from ..annotations import TYPE_CHECKING
from ..errors import GitError
from ..limits import need, pause
from .ahead import find_region, usual_commits
from .commit_graph import NO_PARENT, UNREAD
from .pack import AFTER, Pack
from .sequential import HEAD_OIDS as _HEAD_OIDS
from .sequential import PARENT, author_times_of_many, rows_of_many
from .source import Unnumbered

if TYPE_CHECKING:
    from .pack_index import Region
    from .sequential import CommitFacts

#: in the column of second parents: the first one is the only one; there are none, or more than two
ONE, OTHER = NO_PARENT, 0x80000000

_CHUNK = 64  # commits that are read together at least, where the walk jumps about
_MOST_CHUNKS = 8  # and at most, where it goes along the pack
_OUTSIDE = 1 << 14  # commits that are not in the pack and get a number all the same
_STRAYS = 32  # commits read one by one after which others of their region get numbers, too
_COMMIT_BYTES = 240
_USUAL = 1 << 11
_MOST_BYTES = 1 << 18


class Numbering:
    """Numbers for the commits of one pack, and of others that these lead to, and what is known of each by its number.

    The columns grow as numbers are given; a row of `second` is UNREAD until `read` has been asked for it. `first` and
    `second` are numbers of parents; `times` seconds since 1970. No number is as large as `capacity`.

    One thread at a time may use it.
    """

    __slots__ = (
        "_authors", "_bases", "_chunks", "_many", "_next", "_numbers", "_oids", "_region",
        "_single", "_starts", "_steps", "_strays", "_trees", "_width", "capacity", "first", "pack", "second", "times",
    )  # fmt: skip

    def __init__(self, pack: Pack, single: Callable[[bytes], CommitFacts], width: int) -> None:
        """`single` reads one commit, wherever it is."""
        self.pack, self._single, self._width = pack, single, width
        self.capacity = pack.index.count + _OUTSIDE
        self.first, self.second, self.times = array("I"), array("I"), array("Q")
        self._authors: array[int] | None = None
        self._numbers: dict[bytes, int] = {}
        self._strays = 0  # commits that were read one by one since they got their numbers alone
        self._oids: list[bytes] = []
        self._starts: list[int] = []  # where the commit begins in the pack; -1 if it is not read from there
        self._trees = bytearray()
        self._many: dict[int, tuple[int, ...]] = {}  # the parents where there are none, or more than two
        self._region: Region | None = None  # the last one that was looked up
        self._bases: list[tuple[int, int]] = []  # the first number, and the end, of each part of a region
        self._chunks: set[int] = set()  # those that were read, by the number they begin with
        self._next, self._steps = -1, 1  # the number after those that were read last, and how many chunks these were

    @property
    def count(self) -> int:
        """How many numbers were given."""
        return len(self._oids)

    # ---------------------------------------------------------------------------------------------- names and numbers
    def number(self, oid: bytes) -> int:
        """The commit's number."""
        number = self._numbers.get(oid)
        if number is None:
            self._look_up(oid)
            number = self._numbers.get(oid)
            if number is None:
                number = self._add([oid], [-1])
        return number

    def oid(self, number: int) -> bytes:
        """The commit's oid."""
        return self._oids[number]

    def oid_reader(self) -> Callable[[int], bytes]:
        """`oid`, for many commits."""
        return self._oids.__getitem__

    def _look_up(self, oid: bytes) -> None:
        """Give numbers to all objects of the region of the pack that this one is in, but for those that have one."""
        pause()
        try:
            offset = self.pack.find(oid)
            region = find_region(self.pack.index, offset, self._region) if offset >= 0 else None
        except GitError:  # whoever reads the commit gets the error
            return
        if region is None:
            return
        self._region, numbers = region, self._numbers
        rest = [(start, other) for start, other in zip(region.starts, region.oids) if other not in numbers]
        if rest:
            base = self._add([other for _, other in rest], [start for start, _ in rest])
            self._bases.append((base, self.count))

    def _parent(self, oid: bytes) -> int:
        """The number of a commit that another one leads to. One that is elsewhere gets it alone: the walk may never
        come to it."""
        number = self._numbers.get(oid)
        return self._add([oid], [-1]) if number is None else number

    def _add(self, oids: list[bytes], starts: list[int]) -> int:
        """Give numbers to objects, and rows to these; returns the first one."""
        base, count = self.count, len(oids)
        if base + count > self.capacity:
            raise Unnumbered
        need(count * _COMMIT_BYTES)
        self._numbers.update(zip(oids, range(base, base + count)))
        if len(self._numbers) != base + count:  # the same oid twice in an index
            raise Unnumbered
        self._oids += oids
        self._starts += starts
        self.first.frombytes(bytes(4 * count))
        self.second.extend(array("I", [UNREAD]) * count)
        self.times.frombytes(bytes(8 * count))
        self._trees += bytes(self._width * count)
        return base

    # ------------------------------------------------------------------------------------------------------- the rows
    def facts(self, number: int) -> tuple[tuple[int, ...], int]:
        """(parents, commit time)."""
        second = self.second[number]
        if second == UNREAD:
            self.read(number)
            second = self.second[number]
        if second == ONE:
            return (self.first[number],), self.times[number]
        if second == OTHER:
            return self._many[number], self.times[number]
        return (self.first[number], second), self.times[number]

    def parents_reader(self, *, oldest: int = 0) -> Callable[[int], tuple[int, ...]]:
        """A function from a commit's number to its parents; it returns none for a commit older than `oldest`."""
        first, second, times, read, many = self.first, self.second, self.times, self.read, self._many

        def parents_of(number: int) -> tuple[int, ...]:
            if second[number] == UNREAD:
                read(number)
            if times[number] < oldest:
                return ()
            other = second[number]
            if other == ONE:
                return (first[number],)
            return many[number] if other == OTHER else (first[number], other)

        return parents_of

    def tree(self, number: int) -> bytes:
        """The commit's tree."""
        if self.second[number] == UNREAD:
            self.read(number)
        at = number * self._width
        return bytes(self._trees[at : at + self._width])

    def tree_reader(self) -> Callable[[int], bytes]:
        """`tree`, for many commits."""
        trees, width, second, read = self._trees, self._width, self.second, self.read

        def tree(number: int) -> bytes:
            if second[number] == UNREAD:
                read(number)
            at = number * width
            return bytes(trees[at : at + width])

        return tree

    def chunk(self, number: int) -> tuple[int, int]:
        """The numbers whose rows are read together with that of this one: the first, and the end."""
        if self._starts[number] < 0:
            return number, number + 1
        base, end = self._part(number)
        begin = number - (number - base) % _CHUNK
        return begin, min(begin + _CHUNK, end)

    def _part(self, number: int) -> tuple[int, int]:
        """The numbers that were given together with this one: the first, and the end."""
        return self._bases[bisect_right(self._bases, (number, self.capacity)) - 1]

    def read_authors(self) -> None:
        """Keep the author times of the commits that are read from now on."""
        if self._authors is None:
            self._authors = array("Q", bytes(8 * self.count))

    def author_time(self, number: int) -> int:
        """The time at which the author wrote the commit; 0 if it is not known here."""
        return 0 if self._authors is None or number >= len(self._authors) else self._authors[number]

    def read(self, number: int) -> None:
        """Read a commit, and those that follow it in the pack where the walk goes along that."""
        if self.second[number] != UNREAD:
            return
        begin, end = self.chunk(number)
        if end - begin > 1 and begin not in self._chunks:
            self._read_chunks(begin)
            if self.second[number] != UNREAD:
                return
        if self._starts[number] < 0:
            self._strays += 1
            if not self._strays % _STRAYS:  # the walk goes on elsewhere in the pack
                self._look_up(self._oids[number])
        parents, time, tree = self._single(self._oids[number])
        self._put(number, tuple(map(self._parent, parents)), time, tree)

    def _read_chunks(self, begin: int) -> None:
        """Read the chunk that begins with a number, and as many of those after it as pays off."""
        self._steps = min(2 * self._steps, _MOST_CHUNKS) if begin == self._next else 1
        end, last = self._part(begin)[1], begin
        for _ in range(self._steps):
            further = min(last + _CHUNK, end) - 1
            if last >= end or last in self._chunks or self._starts[further] - self._starts[begin] > _MOST_BYTES:
                break
            self._chunks.add(last)
            last = min(last + _CHUNK, end)
        self._next = last
        if last == begin:  # the commits of the first chunk are far from each other: they are read one by one
            self._chunks.add(begin)
            return
        starts = self._starts[begin:last]
        pause()
        try:
            view = self.pack.open()
            size = min(starts[-1] + AFTER + _USUAL, self.pack.end) - starts[0]
            data = view.read(starts[0], size)
            head = 0 if self._authors is not None else _HEAD_OIDS * self._width  # enough for most
            numbers, raws = usual_commits(data, [at - starts[0] for at in starts], range(begin, last), head)
            if any(b"\0" in raw for raw in raws):  # which stands between two of them below
                usual = [(number, raw) for number, raw in zip(numbers, raws) if b"\0" not in raw]
                numbers, raws = [number for number, _ in usual], [raw for _, raw in usual]
            self._put_many(numbers, raws)
            if self._authors is not None:
                self._put_authors(self._authors, numbers, raws)
        except (GitError, ZlibError, IndexError):
            pass  # those that are asked for are read one by one, which raises the errors

    def _put_many(self, numbers: list[int], raws: list[bytes]) -> None:
        """The rows of commits that were read; those in another form than the usual one are left out."""
        rows = rows_of_many(raws, self._width)
        if rows is None:  # some are in another form, or their heads are longer
            one_by_one = [rows_of_many([raw], self._width) for raw in raws]
            numbers = [number for number, row in zip(numbers, one_by_one) if row]
            rows = [row[0] for row in one_by_one if row]
        find, first, second, times = self._numbers.get, self.first, self.second, self.times
        one, begin, end = len(PARENT) + 2 * self._width + 1, len(PARENT), len(PARENT) + 2 * self._width
        try:
            trees = unhexlify(b"".join([tree for tree, _, _ in rows]))
            for number, (_, parents, time) in zip(numbers, rows):
                if len(parents) == one:
                    oid = unhexlify(parents[begin:end])
                    parent = find(oid)
                    first[number] = self._parent(oid) if parent is None else parent
                    times[number], second[number] = int(time), ONE
                else:
                    oids = [unhexlify(line[begin:]) for line in parents.splitlines()]
                    self._put(number, tuple(map(self._parent, oids)), int(time), b"")
        except ValueError:
            return
        self._put_trees(numbers, trees)

    def _put_authors(self, authors: array[int], numbers: list[int], raws: list[bytes]) -> None:
        times = author_times_of_many(raws)
        if times is not None and numbers:
            authors.frombytes(bytes(8 * max(numbers[-1] + 1 - len(authors), 0)))
            for number, time in zip(numbers, times):
                authors[number] = int(time)

    def _put_trees(self, numbers: list[int], trees: bytes) -> None:
        width = self._width
        if numbers and numbers[-1] - numbers[0] + 1 == len(numbers):
            self._trees[numbers[0] * width : (numbers[-1] + 1) * width] = trees
            return
        for nth, number in enumerate(numbers):
            self._trees[number * width : (number + 1) * width] = trees[nth * width : (nth + 1) * width]

    def _put(self, number: int, parents: tuple[int, ...], time: int, tree: bytes) -> None:
        if len(parents) in (1, 2):
            self.first[number], second = parents[0], parents[1] if len(parents) == 2 else ONE
        else:
            self._many[number], second = parents, OTHER
        self.times[number], self.second[number] = time, second
        if tree:
            self._trees[number * self._width : (number + 1) * self._width] = tree
