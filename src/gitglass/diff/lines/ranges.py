"""The line ranges of `-L` in blame and log (`10,20`, `10,+5`, `/regex/,+3`, `:function`, `^:function`).

Mirrors the option's text in git-blame(1) and git-log(1). Line numbers count from one, and the end is included.
"""

from __future__ import annotations

from itertools import accumulate, islice

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...errors import BadRequest, GitError, NotFound, text
from ...limits import LARGE, MANY_LINES, Context, hold, pause

if TYPE_CHECKING:
    from ...regex.matcher import BadPattern, Matcher, compile_pattern
    from .userdiff import Driver
else:
    BadPattern, compile_pattern = deferred(__name__, "...regex.matcher", "BadPattern", "compile_pattern")


_OFFSET_BYTES = 44  # memory of a number, and of its slot in a list that grew
_DIGITS = b"0123456789"


class Lines:
    """The offsets at which the lines of a text begin. There is one more than there are lines: the end."""

    __slots__ = ("_held", "count", "data", "offsets")

    def __init__(self, data: bytes) -> None:
        size = len(data)
        self._held = hold(data.count(b"\n") * _OFFSET_BYTES if size >= MANY_LINES else 0)
        offsets = [0]
        at = 0
        while at < size:  # a stretch of lines at a time: all lines at once would take more memory than the offsets
            pause()
            end = data.rfind(b"\n", at, at + LARGE) + 1
            if end:
                lines = data[at:end].split(b"\n")
                lines.pop()
                offsets += islice(accumulate([len(line) + 1 for line in lines], initial=at), 1, None)
            else:  # the last line, or one that is longer than a stretch and is not copied
                end = data.find(b"\n", at + LARGE) + 1 or size
                offsets.append(end)
            at = end
        self.data = data
        self.offsets = offsets
        self.count = len(offsets) - 1

    def line(self, number: int) -> bytes:
        """A line with its newline, counted from zero."""
        return self.data[self.offsets[number] : self.offsets[number + 1]]

    def span(self, first: int, number: int) -> bytes:
        """A number of lines from `first` on, counted from zero."""
        return self.data[self.offsets[first] : self.offsets[first + number]]


class BadRange(GitError):
    """The text is no line range at all: git shows its usage."""

    status = 129
    prefix = "usage"


def parse_line_range(arg: bytes, lines: Lines, anchor: int, driver: Driver | None, *, ctx: Context) -> tuple[int, int]:
    """(begin, end) of one `-L`, 0 for one that is left out; `anchor` is the line after the previous range.

    Raises `BadRange` for text that is no range, GitError in git's words for a line that cannot be found.
    """
    anchor = min(max(anchor, 1), lines.count + 1)
    if arg.startswith((b":", b"^:")):
        begin, end, at = _function(arg, lines, anchor, driver, ctx)
        if at != len(arg):
            raise BadRange("malformed -L argument")
        return begin, end
    begin, at = _position(arg, 0, lines, -anchor, ctx)
    end = 0
    if arg[at : at + 1] == b",":
        end, at = _position(arg, at + 1, lines, begin + 1, ctx)
    if at != len(arg):
        raise BadRange("malformed -L argument")
    if begin and end and end < begin:
        begin, end = end, begin
    return begin, end


def _position(arg: bytes, at: int, lines: Lines, begin: int, ctx: Context) -> tuple[int, int]:
    """One end of a range: (line, position after the text that was read). `begin` is where to count or search from.

    It is negative for the first end, as `+n` and `-n` mean nothing there.
    """
    if begin >= 1 and arg[at : at + 1] in (b"+", b"-"):
        stop = _number_end(arg, at + 1)
        if stop == at + 1:
            return 0, at
        number = int(arg[at + 1 : stop])
        if not number:
            raise BadRequest("-L invalid empty range")
        if arg[at : at + 1] == b"+":
            return begin + number - 2, stop
        return max(begin - number, 1), stop
    stop = _number_end(arg, at + (arg[at : at + 1] in (b"+", b"-")))
    if stop > at and arg[stop - 1 : stop].isdigit():
        number = int(arg[at:stop])
        if number <= 0:
            raise BadRequest(f"-L invalid line number: {number}")
        return number, stop
    if begin < 0:
        begin = -begin
        if arg[at : at + 1] == b"^":
            begin, at = 1, at + 1
    if arg[at : at + 1] != b"/":
        return 0, at
    stop = _pattern_end(arg, at + 1)
    if stop < 0:
        return 0, at
    return _search(arg[at + 1 : stop], lines, begin - 1, ctx), stop + 1


def _number_end(arg: bytes, at: int) -> int:
    while at < len(arg) and arg[at] in _DIGITS:
        at += 1
    return at


def _pattern_end(arg: bytes, at: int) -> int:
    while at < len(arg):
        if arg[at] == 0x2F:
            return at
        at += 2 if arg[at] == 0x5C else 1
    return -1


def _compiled(pattern: bytes, where: str, ctx: Context) -> Matcher:
    try:
        return compile_pattern(pattern, "basic", newline=True, ctx=ctx)
    except GitError as error:
        if isinstance(error, BadPattern):
            raise BadRequest(f"{where}: {error.reason}") from None
        raise


def _search(pattern: bytes, lines: Lines, begin: int, ctx: Context) -> int:
    """The line, counted from one, of the first match from line `begin` (counted from zero) on."""
    context = f"-L parameter '{text(pattern)}' starting at line {begin + 1}"
    matcher = _compiled(pattern, context, ctx)
    start = lines.offsets[min(begin, lines.count)]
    match = matcher.search(lines.data[start:])
    if match is None:
        raise NotFound(f"{context}: No match")
    position = start + match[0]
    line = min(begin, lines.count)
    while line < lines.count:
        line += 1
        if position < lines.offsets[line]:
            return line
    return lines.count + 1  # an empty match behind the last line


def _function(arg: bytes, lines: Lines, anchor: int, driver: Driver | None, ctx: Context) -> tuple[int, int, int]:
    """`:regex` and `^:regex`: the function whose header line matches, down to the next header."""
    at = 1
    if arg.startswith(b"^"):
        anchor, at = 1, 2
    stop = at
    while stop < len(arg) and arg[stop] != 0x3A:
        stop += 2 if arg[stop] == 0x5C and stop + 1 < len(arg) else 1
    if stop == at:
        raise BadRange("malformed -L argument")
    pattern = arg[at:stop]
    header = _find_header(_compiled(pattern, f"-L parameter '{text(pattern)}'", ctx), lines, anchor - 1, driver, ctx)
    if header is None:
        raise NotFound(f"-L parameter '{text(pattern)}' starting at line {anchor}: no match")
    if header >= lines.count:
        raise NotFound(f"-L parameter '{text(pattern)}' matches at EOF")
    end = header + 1
    while end < lines.count and not _is_header(lines.line(end), driver):
        ctx.tick()
        end += 1
    return header + 1, end, stop


def _find_header(matcher: Matcher, lines: Lines, first: int, driver: Driver | None, ctx: Context) -> int | None:
    line = min(first, lines.count)
    while line < lines.count:
        ctx.tick()
        start = lines.offsets[line]
        match = matcher.search(lines.data[start:])
        if match is None:
            return None
        position = start + match[0]
        while line + 1 < lines.count and lines.offsets[line + 1] <= position:
            line += 1
        if _is_header(lines.line(line), driver):
            return line
        line += 1
    return None


def _is_header(line: bytes, driver: Driver | None) -> bool:
    finder = None if driver is None else driver.finder
    if finder is not None:
        return finder(line.removesuffix(b"\n")) is not None
    first = line[:1]
    return first.isalpha() or first in (b"_", b"$")


def merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Half-open ranges in order; those that touch or overlap are joined, empty ones left out."""
    result: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if begin >= end:
            continue
        if result and begin <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((begin, end))
    return result
