"""`--ignore-rev` of blame: guess whom a line would belong to had a commit not been made.

A hunk of an ignored commit has lines of the parent on one side and lines of the commit on the other. Each line of the
commit goes to the parent's line most like it, lines that match clearly before those that do not, and without
crossing: what stands before a matched line is only matched with what stands before its partner. A line that finds no
partner in its hunk may go to a line anywhere in the parent's file that is like it enough. Alike is measured by
fingerprints: the pairs of neighbouring characters of a line, without white space and case.
"""

from __future__ import annotations

from ..annotations import TYPE_CHECKING
from ..diff.lines.compare import match_lines
from ..diff.lines.ranges import Lines
from .origins import IGNORED, UNBLAMABLE, Origin, Run, Runs, Splitter

if TYPE_CHECKING:
    from .spec import Board

Fingerprint = dict[int, int]

_UNKNOWN, _HOPELESS, _NOTHING = -1, -2, -1
_NEAR = 10  # lines of the parent that are looked at, before and behind the one at the same height
_ENOUGH = 10  # pairs in common that a line elsewhere in the file needs


def pass_ignored(board: Board, origin: Origin, parent: Origin) -> None:
    """Pass on what lines of an ignored commit can be passed on to a parent's version."""
    ours, theirs = Prints(board.data(origin)), Prints(board.data(parent))
    script = match_lines(theirs.lines.data, ours.lines.data, board.spec.lines, board.ctx)
    passed, kept = Runs(), Runs()
    splitter = Splitter(origin.runs)
    guesses: list[Run] = []
    shift = 0
    for old, removed, new, added in script:
        splitter.hand_out(new, passed, shift)
        hunk = Runs()
        splitter.hand_out(new + added, hunk, 0)
        if added:
            blamed = guess_lines(theirs, ours, (old, removed, new, added), board)
            for run in hunk.rows():
                _hand_out(run, new, blamed, guesses, kept)
        shift = old + removed - (new + added)
    splitter.rest(passed, shift)
    origin.runs = kept
    kept.mark_overlap()
    board.suspect(parent, Runs.of([*passed.rows(), *guesses]))


def _hand_out(run: Run, first: int, blamed: list[int], guesses: list[Run], kept: Runs) -> None:
    """Cut a run where the guess for its lines changes; `blamed` has the parent's line, or -1, for each of the hunk."""
    start, num, final, flags = run
    at = 0
    while at < num:
        line = blamed[start - first + at]
        end = at + 1
        while end < num and blamed[start - first + end] == (line if line < 0 else line + end - at):
            end += 1
        if line >= 0:
            guesses.append((line, end - at, final + at, flags | IGNORED))
        else:
            kept.add((start + at, end - at, final + at, flags | UNBLAMABLE))
        at = end


class Prints:
    """The fingerprints of a text's lines, made when asked for; matching takes away from them."""

    __slots__ = ("_made", "lines")

    def __init__(self, data: bytes) -> None:
        self.lines = Lines(data)
        self._made: list[Fingerprint | None] = [None] * self.lines.count

    def of(self, line: int) -> Fingerprint:
        """The fingerprint of a line as it is by now."""
        made = self._made[line]
        if made is None:
            made = self._made[line] = fingerprint(self.lines.line(line))
        return made


def fingerprint(line: bytes) -> Fingerprint:
    """How often each pair of neighbouring characters occurs; white space is the end of a word, and begins the next."""
    result: Fingerprint = {}
    before = 0
    for byte in line.lower() + b" ":
        now = 0 if byte in b" \t\n\r" else byte
        pair = before | now << 8
        if pair:
            result[pair] = result.get(pair, 0) + 1
        before = now
    return result


def similarity(one: Fingerprint, other: Fingerprint) -> int:
    """How many pairs two lines share."""
    if len(other) < len(one):
        one, other = other, one
    return sum([min(count, other[pair]) for pair, count in one.items() if pair in other])


def subtract(whole: Fingerprint, part: Fingerprint) -> None:
    """Take the pairs of one line out of another's."""
    for pair, count in part.items():
        have = whole.get(pair)
        if have is not None:
            if have <= count:
                del whole[pair]
            else:
                whole[pair] = have - count


def guess_lines(theirs: Prints, ours: Prints, hunk: tuple[int, int, int, int], board: Board) -> list[int]:
    """For each line of a hunk the parent's line it may come from, or -1."""
    _, removed, new, added = hunk
    guesses = [_NOTHING] * added
    if removed > 0:
        guesses = _Matcher(theirs, ours, hunk, board).run()
    for at, line in enumerate(guesses):
        if line < 0:
            guesses[at] = _anywhere(theirs, ours.of(new + at), new + at, board)
    return guesses


def _anywhere(theirs: Prints, wanted: Fingerprint, line: int, board: Board) -> int:
    """The line of the whole file most like the wanted one, the nearest of several; -1 where none is like it enough."""
    best, nearest = _ENOUGH, _NOTHING
    for at in range(theirs.lines.count):
        board.ctx.tick()
        value = similarity(wanted, theirs.of(at))
        if value < best or (value == best and nearest >= 0 and abs(nearest - line) < abs(at - line)):
            continue
        best, nearest = value, at
    return nearest


class _Matcher:
    """The search in one hunk: the most certain line first, then the parts before and behind it.

    Lines of the commit are counted from the hunk's first; lines of the parent are the file's.
    """

    __slots__ = ("_board", "_certainty", "_hunk", "_near", "_ours", "_reach", "_result", "_second", "_table", "_theirs")

    def __init__(self, theirs: Prints, ours: Prints, hunk: tuple[int, int, int, int], board: Board) -> None:
        _, removed, _, added = hunk
        self._board = board
        self._theirs = theirs
        self._ours = ours
        self._hunk = hunk
        self._near = min(_NEAR, removed - 1)
        self._reach = ((2 * self._near + 1) * added - 1) // removed
        self._certainty = [_UNKNOWN] * added
        self._result = [_NOTHING] * added
        self._second = [_NOTHING] * added
        self._table: list[dict[int, int]] = [{} for _ in range(added)]

    def run(self) -> list[int]:
        """Match all lines."""
        old, removed, _, added = self._hunk
        parts = [(old, old + removed, 0, added)]
        while parts:
            parts += reversed(self._part(*parts.pop()))
        return self._result

    def _part(self, a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int, int, int]]:
        """One partition: settle its most certain line; gives what is left before and behind it."""
        best, certainty = _NOTHING, -1
        for line in range(b0, b1):
            self._board.ctx.tick()
            if self._certainty[line] == _UNKNOWN:
                self._look(line, a0, a1)
            if self._certainty[line] > certainty:
                best, certainty = line, self._certainty[line]
        if best < 0:
            return []
        match = self._result[best]
        subtract(self._theirs.of(match), self._ours.of(self._hunk[2] + best))
        low, high = max(best - self._reach, b0), min(best + self._reach + 1, b1)
        for line in range(low, high):
            self._table[line].pop(match, None)
        for line in range(low, high):
            if self._certainty[line] < 0 or line == best:
                continue
            one, two = self._result[line], self._second[line]
            if (one >= match or two >= match) if line < best else (one <= match or two <= match):
                self._certainty[line] = _UNKNOWN
        parts = []
        if best > b0:
            parts.append((a0, match + 1, b0, best))
        if best + 1 < b1:
            parts.append((match, a1, best + 1, b1))
        return parts

    def _look(self, line: int, a0: int, a1: int) -> None:
        """The two best partners of a line among the parent's lines nearby, and how sure the better one is."""
        old, removed, new, added = self._hunk
        center = (line * 2 + 1) * removed // (added * 2) + old
        best = second = 0
        best_at = second_at = a0
        table, ours, theirs = self._table[line], self._ours.of(new + line), self._theirs
        for at in range(max(a0, center - self._near), min(a1, center + self._near + 1)):
            value = table.get(at)
            if value is None:
                value = table[at] = similarity(ours, theirs.of(at)) * (1000 - abs(at - center))
            if value > best:
                second, second_at = best, best_at
                best, best_at = value, at
            elif value > second:
                second, second_at = value, at
        if not best:
            self._certainty[line], self._result[line] = _HOPELESS, _NOTHING
            return
        self._certainty[line] = best * 2 - second
        self._result[line], self._second[line] = best_at, second_at
