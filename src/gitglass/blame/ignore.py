"""`--ignore-rev` of blame: guess where a line would come from if a commit had not been made.

A hunk of an ignored commit has lines of the parent on one side and lines of the commit on the other. Each line of the
commit is matched with the most similar line of the parent, unambiguous matches first, and matches do not cross: lines
before a matched line are only matched with lines before its partner (or with the partner itself). A line without a
partner in its hunk may be matched with a line anywhere in the parent's file that is similar enough. Similarity is
measured by fingerprints: the pairs of neighbouring characters of a line, ignoring white space and case.
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
_NEAR = 10  # lines of the parent that are compared, before and after the one at the corresponding position
_ENOUGH = 10  # common pairs that a match elsewhere in the file needs


def pass_ignored(board: Board, origin: Origin, parent: Origin) -> None:
    """Pass lines of an ignored commit on to the parent's version, as far as a match can be guessed."""
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
    """Cut a run where the guesses stop being consecutive; `blamed` has the parent's line (or -1) of each hunk line."""
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
    """The fingerprints of a text's lines, computed on demand; matching subtracts from them."""

    __slots__ = ("_made", "lines")

    def __init__(self, data: bytes) -> None:
        self.lines = Lines(data)
        self._made: list[Fingerprint | None] = [None] * self.lines.count

    def of(self, line: int) -> Fingerprint:
        """The current fingerprint of a line."""
        pairs = self._made[line]
        if pairs is None:
            pairs = self._made[line] = fingerprint(self.lines.line(line))
        return pairs


def fingerprint(line: bytes) -> Fingerprint:
    """How often each pair of neighbouring characters occurs. White space of any kind counts as one word boundary."""
    result: Fingerprint = {}
    previous = 0
    for byte in line.lower() + b" ":
        char = 0 if byte in b" \t\n\r" else byte
        pair = previous | char << 8
        if pair:
            result[pair] = result.get(pair, 0) + 1
        previous = char
    return result


def similarity(one: Fingerprint, other: Fingerprint) -> int:
    """The number of pairs that two lines share."""
    if len(other) < len(one):
        one, other = other, one
    return sum([min(count, other[pair]) for pair, count in one.items() if pair in other])


def subtract(whole: Fingerprint, part: Fingerprint) -> None:
    """Remove the pairs of one line from the fingerprint of another."""
    for pair, count in part.items():
        have = whole.get(pair)
        if have is not None:
            if have <= count:
                del whole[pair]
            else:
                whole[pair] = have - count


def guess_lines(theirs: Prints, ours: Prints, hunk: tuple[int, int, int, int], board: Board) -> list[int]:
    """For each line of a hunk the parent's line that it probably comes from, or -1."""
    _, removed, new, added = hunk
    guesses = [_NOTHING] * added
    if removed > 0:
        guesses = _Matcher(theirs, ours, hunk, board).run()
    for at, line in enumerate(guesses):
        if line < 0:
            guesses[at] = _anywhere(theirs, ours.of(new + at), new + at, board)
    return guesses


def _anywhere(theirs: Prints, pairs: Fingerprint, line: int, board: Board) -> int:
    """The most similar line of the parent's whole file, the nearest if there are several; -1 if none is similar
    enough."""
    best, nearest = _ENOUGH, _NOTHING
    for at in range(theirs.lines.count):
        board.ctx.tick()
        value = similarity(pairs, theirs.of(at))
        if value < best or (value == best and nearest >= 0 and abs(nearest - line) < abs(at - line)):
            continue
        best, nearest = value, at
    return nearest


class _Matcher:
    """Matches the lines of one hunk: the most certain line first, then the parts before and after it.

    Lines of the commit are counted from the start of the hunk, lines of the parent from the start of the file.
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
        """The parent's line for each line of the hunk, or -1."""
        old, removed, _, added = self._hunk
        parts = [(old, old + removed, 0, added)]
        while parts:
            parts += reversed(self._part(*parts.pop()))
        return self._result

    def _part(self, a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int, int, int]]:
        """Match the most certain line of one part; returns the parts before and after it."""
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
            first, second = self._result[line], self._second[line]
            if (first >= match or second >= match) if line < best else (first <= match or second <= match):
                self._certainty[line] = _UNKNOWN
        parts = []
        if best > b0:
            parts.append((a0, match + 1, b0, best))
        if best + 1 < b1:
            parts.append((match, a1, best + 1, b1))
        return parts

    def _look(self, line: int, a0: int, a1: int) -> None:
        """Find the two best matches of a line among the parent's lines nearby, and the certainty of the better one."""
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
