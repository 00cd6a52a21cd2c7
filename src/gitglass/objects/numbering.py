"""The commits of a repository by number, for a long walk where no commit-graph has numbers for them.

What a commit-graph says in its table is found out here from the commits themselves, as the walk comes to them: parents,
commit time and tree, in columns. A number takes less to look up, to compare and to keep than an oid. Numbers are given
in the order in which commits are met, so that what a walk needs at a time stands together. What is missing compared
with a commit-graph are levels: those of a commit are known only when all of its ancestors are.
"""

from __future__ import annotations

from array import array
from binascii import unhexlify
from collections.abc import Callable, Iterable

from ..annotations import TYPE_CHECKING
from ..limits import need
from .commit_graph import NO_PARENT, UNREAD
from .sequential import AUTHORED_ROW, HEAD_OIDS, PARENT, ROW, Waiting, usual_rows
from .source import Unnumbered

if TYPE_CHECKING:
    from .pack import Pack
    from .sequential import CommitFacts, HeadReader

#: in the column of second parents: the first one is the only one; there are none, or more than two
ONE, OTHER = NO_PARENT, 0x80000000

_OUTSIDE = 1 << 14  # commits that are not in the pack and get a number all the same
_PORTION = 1 << 14  # rows that are added at a time
_ROW_BYTES = 240


class Numbering:
    """Numbers for the commits that a walk meets, and what is known of each by its number.

    A row of `second` is UNREAD until `read` has been asked for it. `first` and `second` are numbers of parents; `times`
    seconds since 1970. No number is as large as `capacity`.

    One thread at a time may use it.
    """

    __slots__ = (
        "_authors", "_header", "_many", "_oids", "_single", "_trees",
        "capacity", "first", "number", "pack", "read", "second", "times",
    )  # fmt: skip

    def __init__(self, pack: Pack, single: Callable[[bytes], CommitFacts], header: HeadReader | None = None) -> None:
        """`single` reads one commit, and raises the errors. `header` makes a reader of the first bytes of commits.
        Nearly all commits are in the `pack`."""
        self.pack, self._single, self._header = pack, single, header
        self.capacity = pack.index.count + _OUTSIDE
        self.first, self.second, self.times = array("I"), array("I"), array("Q")
        self._trees: list[bytes] = []
        self._authors: dict[int, int] | None = None
        self._many: dict[int, tuple[int, ...]] = {}  # the parents where there are none, or more than two
        self._oids: list[bytes] = []
        #: the number of a commit, by its oid
        self.number = self._namer()
        #: read a commit
        self.read = self._reader(self.first, self.second, along=False)

    @property
    def count(self) -> int:
        """How many numbers were given."""
        return len(self._oids)

    def oid(self, number: int) -> bytes:
        """The commit's oid."""
        return self._oids[number]

    def oid_reader(self) -> Callable[[int], bytes]:
        """`oid`, for many commits."""
        return self._oids.__getitem__

    def _namer(self) -> Callable[[bytes], int]:
        """The function `number`. As the one below, it holds no reference to the object, and so makes no circle."""
        oids, trees, first, second, times = self._oids, self._trees, self.first, self.second, self.times
        capacity, portion, numbers = self.capacity, array("I", [UNREAD]) * _PORTION, dict[bytes, int]()

        def number_of(oid: bytes) -> int:
            number = numbers.get(oid)
            if number is None:
                number = len(oids)
                if not number % _PORTION:
                    need(_PORTION * _ROW_BYTES)
                    second.extend(portion)
                    first.frombytes(bytes(4 * _PORTION))
                    times.frombytes(bytes(8 * _PORTION))
                    trees.extend([b""] * _PORTION)
                if number == capacity:
                    raise Unnumbered
                numbers[oid] = number
                oids.append(oid)
            return number

        return number_of

    # ---------------------------------------------------------------------------------------------------------- rows
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
            other = second[number]
            if other == UNREAD:
                read(number)
                other = second[number]
            if times[number] < oldest:
                return ()
            if other == ONE:
                return (first[number],)
            return many[number] if other == OTHER else (first[number], other)

        return parents_of

    def tree(self, number: int) -> bytes:
        """The commit's tree."""
        if self.second[number] == UNREAD:
            self.read(number)
        return self._trees[number]

    def tree_reader(self) -> Callable[[int], bytes]:
        """`tree`, for many commits."""
        trees, second, read = self._trees, self.second, self.read

        def tree(number: int) -> bytes:
            if second[number] == UNREAD:
                read(number)
            return trees[number]

        return tree

    def read_authors(self) -> None:
        """Keep the author times of the commits that are read from now on."""
        if self._authors is None:
            self._authors = {}
            self.read = self._reader(self.first, self.second, along=False)

    def author_time(self, number: int) -> int:
        """The time at which the author wrote the commit; 0 if it is not known here."""
        return 0 if self._authors is None else self._authors.get(number, 0)

    def reader(self, firsts: array[int] | None = None, seconds: array[int] | None = None) -> Callable[[int], None]:
        """`read` for a walk that goes along the pack: it reads ahead. A walk that rewrites parents has columns of its
        own for them: these are filled, too, but for what is in them already."""
        return self._reader(self.first if firsts is None else firsts, self.second if seconds is None else seconds)

    def _reader(self, firsts: array[int], seconds: array[int], *, along: bool = True) -> Callable[[int], None]:
        """The functions `read` and `reader`."""
        first, second, times, trees, many, authors = (
            self.first, self.second, self.times, self._trees, self._many, self._authors,
        )  # fmt: skip
        number_of, oids, single, width = self.number, self._oids, self._single, self.pack.index.hash_len
        authored = authors is not None
        ahead = Waiting(lambda oids, raws: usual_rows(oids, raws, width, authored=authored), HEAD_OIDS * width)
        head = None if self._header is None else self._header(HEAD_OIDS * width, ahead if along else None)
        take = ahead.values.pop
        usual, one_line = (AUTHORED_ROW if authored else ROW)[width].match, len(PARENT) + 2 * width + 1

        def put(number: int, oids: Iterable[bytes]) -> None:
            parents = tuple(map(number_of, oids))
            if len(parents) in (1, 2):
                firsts[number] = first[number] = parents[0]
                seconds[number] = second[number] = parents[1] if len(parents) == 2 else ONE
            else:
                many[number] = parents
                seconds[number] = second[number] = OTHER

        def unusual(number: int, oid: bytes) -> None:
            """Read a commit in another form, which raises the errors."""
            parents, times[number], trees[number] = single(oid)
            put(number, parents)

        def read(number: int) -> None:
            if seconds[number] != UNREAD:
                return
            if second[number] != UNREAD:
                firsts[number], seconds[number] = first[number], second[number]
                return
            oid = oids[number]
            row = take(oid, None)
            if row is not None:
                ahead.used += 1
            else:
                match = None if head is None else usual(head(oid))
                if match is None:
                    return unusual(number, oid)
                row = match.groups()
            try:
                trees[number], lines, times[number] = unhexlify(row[0]), row[1], int(row[-1])
                if authors is not None:
                    authors[number] = int(row[2])
                if len(lines) == one_line:
                    firsts[number] = first[number] = number_of(unhexlify(lines[7:-1]))
                    seconds[number] = second[number] = ONE
                else:
                    put(number, [unhexlify(line[7:]) for line in lines.splitlines()])
            except ValueError:
                unusual(number, oid)

        return read
