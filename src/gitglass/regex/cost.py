"""An upper bound of the time a backtracking matcher takes for a pattern, derived from the pattern's text.

The standard `re` cannot be interrupted: while it searches, the clock is not looked at and no other thread runs. So it
may search a text only if the work is bounded. The bound is a number of steps: an attempt at one position of a text of n
characters compares at most `steps * n ** degree` characters. The bound comes from counting the ways in which the parts
of the pattern can divide a text among them: the rest of the pattern is tried once for each way in which a part matches.

There is no such bound (`degree` is None) for the repetition of a part that can match in more than one way, nor for a
pattern with syntax that is not analysed here: back-references, look-around, and all that only Perl's patterns have.
"""

from ..deferred import lazy_pattern
from ..limits import step
from ..records import record

__all__ = ["Cost", "cost_of"]

_MOST_STEPS = 1 << 30
_MOST_DEGREE = 6
_MANY = 64  # counted repetitions beyond this count as unbounded: the bound then grows with the length of the text
_REPEAT = lazy_pattern(r"\{([0-9]{0,9})(?:(,)([0-9]{0,9}))?\}\??|[*+?]\??")
_ANCHORS = ("(?m:^)", "(?m:$)", "(?=\\w)", "(?<=\\w)")
_LINE = ("(?m:^)", "^")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_CODE = lazy_pattern(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}")

Power = tuple[int, int]  # (a, b) stands for a * n ** b


@record(frozen=True)
class Cost:
    """The bound of one attempt: `steps * n ** degree`; there is no bound if `degree` is None.

    `loops` are the repetitions without end, at least `degree` of them: the pattern of the one character that is
    repeated, "" for a group. Where a text has no more than r such characters in a row, r + 1 may stand for n in its
    place: the bound is the product over all loops.

    `crosses`: a match, or the characters that the pattern inspects around it, may lie in more than one line; this
    assumes that `^` and `$` match at lines. `prefix` is text that every match begins with; it may be empty.
    `anchored`: every match begins where a line does.
    """

    steps: int
    degree: int | None
    crosses: bool
    prefix: str
    loops: tuple[str, ...] = ()
    anchored: bool = False


class _Part:
    """An expression while it is read: the finished alternatives, and the pieces of the last alternative so far.

    `paths` is the number of ways in which the pieces so far can match, `steps` the cost of trying all of them.
    """

    __slots__ = ("firsts", "last", "paths", "paths_before", "source", "steps", "steps_before")

    def __init__(self) -> None:
        self.paths: Power = (1, 0)
        self.steps: Power = (0, 0)
        self.paths_before: Power = (0, 0)  # sum over the alternatives before the last
        self.steps_before: Power = (0, 0)
        self.firsts: list[str | None] = [None]  # the literal that each alternative begins with, if any
        self.last: tuple[Power, Power] | None = None  # the piece that a following repetition would apply to
        self.source = ""  # of that piece, if it is no group

    def put(self, paths: Power, steps: Power, source: str = "") -> None:
        self.settle()
        self.last, self.source = (paths, steps), source

    def settle(self) -> None:
        """Append the last piece to the sequence, as no repetition follows it."""
        if self.last is not None:
            paths, steps = self.last
            self.steps = _plus(self.steps, _times(self.paths, steps))
            self.paths = _times(self.paths, paths)
            self.last = None

    def alternative(self) -> None:
        self.settle()
        self.paths_before = _plus(self.paths_before, self.paths)
        self.steps_before = _plus(self.steps_before, _plus(self.steps, (1, 0)))
        self.paths, self.steps = (1, 0), (0, 0)
        self.firsts.append(None)

    def whole(self) -> tuple[Power, Power]:
        """(paths, steps) of all alternatives together."""
        self.settle()
        paths = _plus(self.paths_before, self.paths)
        steps = _plus(self.steps_before, _plus(self.steps, (1, 0)))
        ways = len(self.firsts)
        if ways > 1 and None not in self.firsts and len(set(self.firsts)) == ways and paths == (ways, 0):
            paths = (1, 0)  # at any position at most one of them matches, in one way
        return paths, steps


def _plus(one: Power, two: Power) -> Power:
    return one[0] + two[0], max(one[1], two[1])


def _times(one: Power, two: Power) -> Power:
    return one[0] * two[0], one[1] + two[1]


def _repeated(paths: Power, steps: Power, low: int, high: int | None) -> tuple[Power, Power] | None:
    """The cost of a piece that is repeated; None if it has no bound."""
    if high == 0:
        return (1, 0), (1, 0)
    if paths == (1, 0):
        if high is None or high > _MANY:
            return (2, 1), (2 * steps[0] + 2, steps[1] + 1)
        return (high - low + 1, 0), _times(steps, (high, 0))
    if high == 1:
        return _plus(paths, (1, 0)), _plus(steps, (1, 0))
    if high is None or high > 8 or paths[1]:
        return None
    power = ((paths[0] + 1) ** high, 0)
    return power, _times(steps, power)


class _Reader:
    """Computes the cost of a translated pattern, read once from left to right."""

    def __init__(self, source: str, fold: bool) -> None:
        self.source = source
        self.fold = fold
        self.at = 0
        self.crosses = False
        self.bounded = True
        self.parts = [_Part()]
        self.loops: list[str] = []

    def read(self) -> Cost:
        source, size = self.source, len(self.source)
        while self.at < size and self.bounded:
            step()
            char = source[self.at]
            if char == "(":
                self._open()
            elif char == ")":
                self._close()
            elif char == "|":
                self.at += 1
                self.parts[-1].alternative()
            elif char in "*+?{":
                self._repeat()
            else:
                self._atom(char)
        if self.at < size:
            self._look_at_rest()
        paths, steps = self.parts[0].whole() if len(self.parts) == 1 else ((1, 0), (0, 0))
        if not self.bounded or steps[1] > _MOST_DEGREE or max(paths[0], steps[0]) > _MOST_STEPS:
            return Cost(0, None, self.crosses, "")
        anchored = len(self.parts[0].firsts) == 1 and self.source.removeprefix("(?a)").startswith(_LINE)
        steps_each = max(steps[0], 1) * (2 if self.fold else 1)
        return Cost(steps_each, steps[1], self.crosses, self._prefix(), tuple(self.loops), anchored)

    def _unknown(self) -> None:
        self.bounded = False
        self.crosses = True

    def _look_at_rest(self) -> None:
        """Read on after no bound was found, only to learn whether matches stay within their lines."""
        while self.at < len(self.source) and not self.crosses:
            char = self.source[self.at]
            if char == "(":
                self._open()
            elif char in ")|*+?{":
                self.at += 1
            else:
                self._atom(char)

    # ------------------------------------------------------------------------------------------------------ pieces
    def _open(self) -> None:
        source, at = self.source, self.at
        for anchor in _ANCHORS:
            if source.startswith(anchor, at):
                self.at += len(anchor)
                self.parts[-1].put((1, 0), (1, 0), anchor)
                return
        if source.startswith("(?a:\\", at) and source[at + 6 : at + 7] == ")":
            self.crosses |= source[at + 5] in "sWD"
            self.at += 7
            self.parts[-1].put((1, 0), (1, 0), source[at : at + 7])
            return
        if source.startswith("(?a)", at):
            self.at += 4
            return
        plain = source.startswith("(?:", at)
        if not plain and source.startswith(("(?", "(*"), at):
            self._unknown()
            return
        self.at += 3 if plain else 1
        self.parts[-1].settle()
        self.parts.append(_Part())

    def _close(self) -> None:
        self.at += 1
        if len(self.parts) == 1:
            self._unknown()
            return
        paths, steps = self.parts.pop().whole()
        self.parts[-1].put(paths, steps)

    def _repeat(self) -> None:
        match = _REPEAT.match(self.source, self.at)
        part = self.parts[-1]
        if match is None:  # a literal brace
            self._atom(self.source[self.at])
            return
        self.at = match.end()
        if part.last is None:
            self._unknown()
            return
        sign = match[0][0]
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(sign, (0, None))
        if sign == "{":
            low = int(match[1] or 0)
            high = low if match[2] is None else int(match[3]) if match[3] else None
        part.firsts[-1] = None if part.steps == (0, 0) else part.firsts[-1]
        if high is None or high > _MANY:
            self.loops.append(part.source)
        part.last = _repeated(*part.last, low, high)
        self.bounded = part.last is not None

    def _atom(self, char: str) -> None:
        part, begin = self.parts[-1], self.at
        first = part.last is None and part.steps == (0, 0)
        single: str | None = None
        if char == "[":
            self._set()
        elif char == "\\":
            single = self._escape()
        else:
            self.at += 1
            single = None if char in ".^$" else char
        self.crosses |= single == "\n"
        part.put((1, 0), (1, 0), self.source[begin : self.at])
        if first and not self.fold:
            part.firsts[-1] = single

    def _escape(self) -> str | None:
        """The character that an escape stands for; None for a class or an anchor."""
        char = self.source[self.at + 1 : self.at + 2]
        self.at += 2
        if not char.isascii() or not char.isalnum():
            return char or None
        if char in _ESCAPES:
            return _ESCAPES[char]
        match = _CODE.match(self.source, self.at - 1) if char in "xuU" else None
        if match is not None:
            self.at = match.end()
            return chr(int(match[0][1:], 16))
        if char in "sWDZ":
            self.crosses = True
        elif char not in "wSdbBA":
            self._unknown()
        return None

    def _set(self) -> None:
        """Read a bracket expression; all that matters is whether it contains a newline."""
        source, size = self.source, len(self.source)
        self.at += 1
        negated = source.startswith("^", self.at)
        self.at += negated
        begin = self.at
        holds = odd = False
        while self.at < size and (source[self.at] != "]" or self.at == begin):
            low = self._member()
            high = low
            if source.startswith("-", self.at) and not source.startswith("-]", self.at):
                self.at += 1
                high = self._member()
            odd |= low is None or high is None
            holds |= low is not None and high is not None and low <= "\n" <= high
        self.at += 1
        self.crosses |= not holds if negated else holds or odd

    def _member(self) -> str | None:
        """One end of a range; None for a class that contains a newline."""
        char = self.source[self.at : self.at + 1]  # empty at the end of a pattern that does not compile
        if char != "\\":
            self.at += 1
            return char
        before, self.crosses = self.crosses, False
        single = self._escape()
        crossed, self.crosses = self.crosses, before
        return "w" if single is None and not crossed else single

    # ------------------------------------------------------------------------------------------------------ prefix
    def _prefix(self) -> str:
        """The text that every match begins with."""
        if self.fold or len(self.parts[0].firsts) > 1:
            return ""
        source, out = self.source, ""
        self.at = 4 if source.startswith("(?a)") else 0
        while self.at < len(source) and source[self.at] not in "[(.^$|)*+?{":
            char = source[self.at]
            if char == "\\":
                single = self._escape()
                if single is None:
                    break
            else:
                self.at += 1
                single = char
            if self.at < len(source) and source[self.at] in "*+?{":
                break
            out += single
        return out


def cost_of(source: str, *, fold: bool) -> Cost:
    """The cost of a pattern in Python's syntax; `fold`: the case of letters is ignored."""
    return _Reader(source, fold).read()
