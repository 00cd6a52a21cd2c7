"""Which version of a file is suspected of which lines: the book-keeping of blame.

An `Origin` is one path in one commit. The lines it is suspected of are kept in runs, as four parallel lists instead of
an object each: passing blame on shifts and splits a few of many runs, and slices of lists do that at a fraction of the
cost. Runs are sorted by where they start in the origin's own file; two runs may cover the same line of it, as lines
that were copied have one source.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from operator import itemgetter

from ..memories import Facts

Run = tuple[int, int, int, int]  # first line in the origin, number of lines, first line in the final file, flags

IGNORED = 1  # blame was guessed past a commit that is to be ignored
UNBLAMABLE = 2  # no other commit to blame was found behind a commit that is to be ignored

Script = list[tuple[int, int, int, int]]
#: the changes from one blob to another, by both and what of the options bears on them; a row counts by its changes
SCRIPTS: Facts[tuple[bytes, bytes, bool, bool, bool], Script] = Facts("changes for blame", most=100_000, each=120)


class Runs:
    """Runs of lines, sorted by where they start."""

    __slots__ = ("finals", "flags", "nums", "overlap", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.nums: list[int] = []
        self.finals: list[int] = []
        self.flags: list[int] = []
        self.overlap = False

    def __bool__(self) -> bool:
        return bool(self.starts)

    @classmethod
    def of(cls, rows: Iterable[Run]) -> Runs:
        """Made from rows in any order: they are sorted here."""
        runs = cls()
        ordered = sorted(rows, key=itemgetter(0))
        if ordered:
            starts, nums, finals, flags = zip(*ordered)
            runs.starts, runs.nums, runs.finals, runs.flags = list(starts), list(nums), list(finals), list(flags)
            runs.mark_overlap()
        return runs

    def rows(self) -> list[Run]:
        """The runs, one by one."""
        return list(zip(self.starts, self.nums, self.finals, self.flags))

    def add(self, run: Run) -> None:
        """One more at the end."""
        self.starts.append(run[0])
        self.nums.append(run[1])
        self.finals.append(run[2])
        self.flags.append(run[3])

    def mark_overlap(self) -> None:
        """Note whether two runs cover the same line."""
        end = 0
        self.overlap = False
        for start, num in zip(self.starts, self.nums):
            if start < end:
                self.overlap = True
                return
            end = start + num

    def merge(self, more: Runs) -> None:
        """Take in other runs; where two start at the same line, those that were here come first."""
        if not self.starts or self.starts[-1] <= more.starts[0]:
            tight = not self.starts or self.starts[-1] + self.nums[-1] <= more.starts[0]
            self.starts += more.starts
            self.nums += more.nums
            self.finals += more.finals
            self.flags += more.flags
            if not self.overlap:
                if tight:
                    self.overlap = more.overlap
                else:
                    self.mark_overlap()
            return
        both = Runs.of(self.rows() + more.rows())
        self.starts, self.nums, self.finals, self.flags = both.starts, both.nums, both.finals, both.flags
        self.overlap = both.overlap

    def shifted(self, low: int, high: int, by: int) -> list[int]:
        """Where runs low to high start, moved by so many lines."""
        if not by:
            return self.starts[low:high]
        return [start + by for start in self.starts[low:high]]


#: no runs at all: never changed, only replaced
NOTHING = Runs()


class Splitter:
    """Hands the runs of one origin out, in order, to the parent (where the files agree) or back to the origin.

    `carry` holds what was cut off at the last border: it comes before all runs not yet handed out.
    """

    __slots__ = ("at", "carry", "runs")

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.at = 0
        self.carry: list[Run] = []

    def hand_out(self, limit: int, to: Runs, shift: int) -> None:
        """All lines before `limit` go to `to`, moved by `shift`; runs that reach over it are cut."""
        if self.carry:
            self._hand_out_carry(limit, to, shift)
        runs, first = self.runs, self.at
        last = bisect_left(runs.starts, limit, first)
        if last == first:
            return
        had = len(to.starts) - first
        to.starts += runs.shifted(first, last, shift)
        to.nums += runs.nums[first:last]
        to.finals += runs.finals[first:last]
        to.flags += runs.flags[first:last]
        for at in range(first, last) if runs.overlap else (last - 1,):
            start, num = runs.starts[at], runs.nums[at]
            if start + num > limit:
                cut = limit - start
                to.nums[had + at] = cut
                self.carry.append((limit, num - cut, runs.finals[at] + cut, runs.flags[at]))
        self.at = last

    def _hand_out_carry(self, limit: int, to: Runs, shift: int) -> None:
        left: list[Run] = []
        for start, num, final, flags in self.carry:
            if start >= limit:
                left.append((start, num, final, flags))
                continue
            cut = min(num, limit - start)
            to.add((start + shift, cut, final, flags))
            if cut < num:
                left.append((limit, num - cut, final + cut, flags))
        self.carry = left

    def rest(self, to: Runs, shift: int) -> None:
        """Move all remaining rows to `to`."""
        for start, num, final, flags in self.carry:
            to.add((start + shift, num, final, flags))
        runs, first = self.runs, self.at
        to.starts += runs.shifted(first, len(runs.starts), shift)
        to.nums += runs.nums[first:]
        to.finals += runs.finals[first:]
        to.flags += runs.flags[first:]


def divide(runs: Runs, script: Script) -> tuple[Runs, Runs]:
    """(what the parent is suspected of now, what stays), by the changes from the parent's file to the origin's."""
    passed, kept = Runs(), Runs()
    splitter = Splitter(runs)
    shift = 0
    for old, removed, new, added in script:
        splitter.hand_out(new, passed, shift)
        splitter.hand_out(new + added, kept, 0)
        shift = old + removed - (new + added)
    splitter.rest(passed, shift)
    passed.overlap = kept.overlap = runs.overlap
    return passed, kept


class Origin:
    """One path in one commit, and the lines it is suspected of.

    `previous` is the first parent's origin that lines were passed to; `guilty` tells that lines have ended here.
    `loaded`: git has the content in its hands, and counts no reading of it (`--show-stats`).
    """

    __slots__ = ("blob", "commit", "guilty", "loaded", "mode", "path", "previous", "runs")

    def __init__(self, commit: bytes, path: bytes, blob: bytes = b"", mode: int = 0) -> None:
        self.commit = commit
        self.path = path
        self.blob = blob
        self.mode = mode
        self.runs = NOTHING
        self.previous: Origin | None = None
        self.guilty = self.loaded = False


class Entry:
    """A run that has found its commit: `num` lines from `final` in the final file, from `start` in the origin's."""

    __slots__ = ("final", "flags", "num", "origin", "start")

    def __init__(self, origin: Origin, run: Run) -> None:
        self.origin = origin
        self.start, self.num, self.final, self.flags = run


def coalesce(entries: list[Entry]) -> list[Entry]:
    """Sorted by the final file's lines, neighbours of one origin joined."""
    ordered = sorted(entries, key=lambda entry: entry.final)
    result: list[Entry] = []
    for entry in ordered:
        last = result[-1] if result else None
        if (
            last is not None
            and last.origin is entry.origin
            and last.start + last.num == entry.start
            and last.final + last.num == entry.final
            and last.flags == entry.flags
        ):
            last.num += entry.num
        else:
            result.append(entry)
    return result
