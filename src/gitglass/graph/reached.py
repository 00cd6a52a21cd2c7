"""What some commits reach and others do not, by position in a commit-graph: a line of commits at a time.

A commit is reached only from commits of higher levels. So what some commits reach can be marked level by level, only as
far down as somebody asks; and who goes through other commits stops at the first marked ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from struct import error as Beyond

from ..limits import Context
from .positions import NONE, TIME, Positions

_UNPACK = Struct(">IIQ").unpack_from
_FIRST_STEP = 16  # levels that are marked at once; twice as many each time

REACHED = 1


class WrongClock(Exception):
    """A commit is younger than its child."""


class Reached:
    """The commits that some tips reach, themselves included: `REACHED` is set in `marks`, by position."""

    __slots__ = ("_by_date", "_ctx", "_positions", "_step", "_waiting", "floor", "marks")

    def __init__(self, positions: Positions, tips: Iterable[int], ctx: Context, *, by_date: bool = False) -> None:
        """With `by_date`, `down_to` raises WrongClock for a commit that is younger than its child."""
        self._positions, self._ctx, self._by_date = positions, ctx, by_date
        self.marks = bytearray(positions.count)
        self._waiting: list[int] = []  # marked commits whose parents are not marked yet
        self._step = _FIRST_STEP
        #: of commits at this level and above, it is known whether they are reached
        self.floor = 0
        for tip in tips:
            self.add(tip)

    def add(self, tip: int) -> None:
        """Another commit that reaches what it reaches."""
        if not self.marks[tip] & REACHED:
            self.marks[tip] |= REACHED
            self._waiting.append(tip)
            self.floor = max(self.floor, self._positions.level(tip))

    def down_to(self, level: int) -> None:
        """Mark the commits of that level, at least."""
        if level >= self.floor:
            return
        self.floor = floor = max(min(level, self.floor - self._step), 0)
        self._step *= 2
        least = floor + 1 << 34
        positions, marks, tick, by_date = self._positions, self.marks, self._ctx.visits(), self._by_date
        rows, size, width, count = positions.rows, positions.size, positions.width, positions.count
        row_of = positions.row
        stack, self._waiting = self._waiting, []
        while stack:
            commit = stack.pop()
            first, second, packed = row_of(commit)
            while packed >= least:
                tick()
                if second != NONE or first >= count:
                    for parent in positions.above(commit, first, second):
                        if by_date and row_of(parent)[2] & TIME > packed & TIME:
                            raise WrongClock
                        if not marks[parent] & REACHED:
                            marks[parent] |= REACHED
                            stack.append(parent)
                    break
                time, commit = packed & TIME, first  # follow a line of commits
                try:
                    first, second, packed = _UNPACK(rows, commit * size + width)
                except Beyond:
                    first, second, packed = row_of(commit)
                    rows = positions.rows
                if by_date and packed & TIME > time:
                    raise WrongClock
                if marks[commit] & REACHED:
                    break
                marks[commit] |= REACHED
            else:
                self._waiting.append(commit)


def beyond(positions: Positions, tips: Iterable[int], reached: Reached, ctx: Context) -> tuple[int, list[int]]:
    """How many commits the tips reach and `reached` has not; and the first commits, on each way down, that it has."""
    rows, size, width, count = positions.rows, positions.size, positions.width, positions.count
    marks, floor, tick = reached.marks, reached.floor, ctx.visits()
    seen = bytearray(count)
    stack = list(dict.fromkeys(tips))
    for tip in stack:
        seen[tip] = 1
    number, common = 0, list[int]()
    while stack:
        commit = stack.pop()
        while True:
            tick()
            try:
                first, second, packed = _UNPACK(rows, commit * size + width)
            except Beyond:
                first, second, packed = positions.row(commit)
                rows = positions.rows
            if packed >> 34 < floor:
                reached.down_to(packed >> 34)
                floor = reached.floor
            if marks[commit] & REACHED:
                common.append(commit)
                break
            number += 1
            if second == NONE and first < count:
                if seen[first]:
                    break
                seen[first] = 1
                commit = first  # follow a line of commits
                continue
            for parent in positions.above(commit, first, second):
                if not seen[parent]:
                    seen[parent] = 1
                    stack.append(parent)
            break
    return number, common


def best_common(positions: Positions, one: int, others: Sequence[int], ctx: Context) -> list[int]:
    """The common ancestors of `one` and any of `others` that no other one reaches, highest level first."""
    level = positions.level
    _, common = beyond(positions, [one], Reached(positions, others, ctx), ctx)
    if len(common) < 2:
        return common
    common.sort(key=lambda commit: (level(commit), commit), reverse=True)
    stale, best = Reached(positions, (), ctx), list[int]()
    for commit in common:
        stale.down_to(level(commit))
        if not stale.marks[commit] & REACHED:
            stale.add(commit)
            best.append(commit)
    return best
