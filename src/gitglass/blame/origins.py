"""The book-keeping of blame: which version of a file is suspected of which lines.

An `Origin` is one path in one commit. The lines it is suspected of are stored as runs, in four parallel lists instead
of one object for each run: passing blame on shifts and splits a few of many runs, and list slices do that at a fraction
of the cost. Runs are sorted by their start in the origin's own file. Two runs may cover the same line of it: lines that
were copied have one source.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from operator import itemgetter

from ..memories import Facts

Run = tuple[int, int, int, int]  # first line in the origin, number of lines, first line in the final file, flags

IGNORED = 1  # blame was guessed past an ignored commit
UNBLAMABLE = 2  # the line belongs to an ignored commit, and no other commit to blame was found

Script = list[tuple[int, int, int, int]]
#: changes from one blob to another, by both oids and the options that affect them; each change counts towards the bound
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
        """Runs from rows in any order."""
        runs = cls()
        ordered = sorted(rows, key=itemgetter(0))
        if ordered:
            starts, nums, finals, flags = zip(*ordered)
            runs.starts, runs.nums, runs.finals, runs.flags = list(starts), list(nums), list(finals), list(flags)
            runs.mark_overlap()
        return runs

    def rows(self) -> list[Run]:
        """The runs as tuples."""
        return list(zip(self.starts, self.nums, self.finals, self.flags))

    def add(self, run: Run) -> None:
        """Append a run."""
        self.starts.append(run[0])
        self.nums.append(run[1])
        self.finals.append(run[2])
        self.flags.append(run[3])

    def mark_overlap(self) -> None:
        """Set `overlap`: whether two runs cover the same line."""
        end = 0
        self.overlap = False
        for start, num in zip(self.starts, self.nums):
            if start < end:
                self.overlap = True
                return
            end = start + num

    def merge(self, more: Runs) -> None:
        """Add other runs; if two start at the same line, those that were here already come first."""
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
        joined = Runs.of(self.rows() + more.rows())
        self.starts, self.nums, self.finals, self.flags = joined.starts, joined.nums, joined.finals, joined.flags
        self.overlap = joined.overlap

    def shifted(self, low: int, high: int, by: int) -> list[int]:
        """The start lines of the runs from index `low` to `high`, moved by `by` lines."""
        if not by:
            return self.starts[low:high]
        return [start + by for start in self.starts[low:high]]


#: no runs; shared, so it must never be changed, only replaced
NOTHING = Runs()


class Splitter:
    """Gives the runs of one origin, in order, to the parent (where the files agree) or back to the origin.

    `carry` holds what was cut off at the last limit; it comes before all runs not yet handed out.
    """

    __slots__ = ("at", "carry", "runs")

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.at = 0
        self.carry: list[Run] = []

    def hand_out(self, limit: int, to: Runs, shift: int) -> None:
        """Give all lines before `limit` to `to`, moved by `shift`; runs that extend beyond it are cut."""
        if self.carry:
            self._hand_out_carry(limit, to, shift)
        runs, first = self.runs, self.at
        last = bisect_left(runs.starts, limit, first)
        if last == first:
            return
        base = len(to.starts) - first
        to.starts += runs.shifted(first, last, shift)
        to.nums += runs.nums[first:last]
        to.finals += runs.finals[first:last]
        to.flags += runs.flags[first:last]
        for at in range(first, last) if runs.overlap else (last - 1,):
            start, num = runs.starts[at], runs.nums[at]
            if start + num > limit:
                cut = limit - start
                to.nums[base + at] = cut
                self.carry.append((limit, num - cut, runs.finals[at] + cut, runs.flags[at]))
        self.at = last

    def _hand_out_carry(self, limit: int, to: Runs, shift: int) -> None:
        remaining: list[Run] = []
        for start, num, final, flags in self.carry:
            if start >= limit:
                remaining.append((start, num, final, flags))
                continue
            cut = min(num, limit - start)
            to.add((start + shift, cut, final, flags))
            if cut < num:
                remaining.append((limit, num - cut, final + cut, flags))
        self.carry = remaining

    def rest(self, to: Runs, shift: int) -> None:
        """Give all remaining runs to `to`, moved by `shift`."""
        for start, num, final, flags in self.carry:
            to.add((start + shift, num, final, flags))
        runs, first = self.runs, self.at
        to.starts += runs.shifted(first, len(runs.starts), shift)
        to.nums += runs.nums[first:]
        to.finals += runs.finals[first:]
        to.flags += runs.flags[first:]


def divide(runs: Runs, script: Script) -> tuple[Runs, Runs]:
    """(runs that the parent is suspected of now, runs that stay), by the changes from the parent's file to this one."""
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

    `previous` is the first origin in a parent that lines were passed to. `guilty`: lines of the final file come from
    here. `loaded`: git has the content in memory and counts no further reading of it (`--show-stats`). `followers` are
    the origins whose `previous` this is.
    """

    __slots__ = ("blob", "commit", "followers", "guilty", "loaded", "mode", "path", "previous", "runs")

    def __init__(self, commit: bytes, path: bytes, blob: bytes = b"", mode: int = 0) -> None:
        self.commit = commit
        self.path = path
        self.blob = blob
        self.mode = mode
        self.runs = NOTHING
        self.previous: Origin | None = None
        self.followers = 0
        self.guilty = self.loaded = False


class Entry:
    """A run whose commit is settled: `num` lines from `final` in the final file, from `start` in the origin's file."""

    __slots__ = ("final", "flags", "num", "origin", "start")

    def __init__(self, origin: Origin, run: Run) -> None:
        self.origin = origin
        self.start, self.num, self.final, self.flags = run


def coalesce(entries: list[Entry]) -> list[Entry]:
    """The entries sorted by lines of the final file; adjacent entries of one origin are joined."""
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
