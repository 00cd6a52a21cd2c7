"""The output of git grep: names, numbers, lines, in colour if wanted.

Strange but git's: if there are marks between groups of lines, every file's output begins with one, and the first line
of all is then left out, whether it is a mark or not ("Binary file …" has none, and is lost).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..grep.expression import Query
from ..grep.file import CONTEXT, FUNCTION, SELECTED, Row
from ..grep.search import Result
from ..grep.sources import Unread
from ..limits import joined, need, paced
from ..records import record
from .color import RESET
from .quote import c_quote, relative_path
from .style import Style


@record(frozen=True)
class GrepLook:
    """How the output is printed; see the options of git grep. `marks`: groups of lines are separated. `threads`: git
    would search with several threads."""

    names: bool = True
    numbers: bool = False
    columns: bool = False
    only_matching: bool = False
    null: bool = False
    full_name: bool = False
    heading: bool = False
    breaks: bool = False
    marks: bool = False
    threads: bool = True
    color: str | None = None


def write_grep(
    results: Callable[[Unread], Iterable[Result]], query: Query, look: GrepLook, style: Style
) -> Iterator[bytes]:
    """The output, in one piece a file."""
    writer = _Writer(query, look, style)
    skip = look.threads and (look.marks or look.breaks)
    later = look.threads
    for one in results(writer.unread):
        if one.kind == "any":
            continue
        chunk = writer.file(one, later)
        later = later or one.kind == "lines"
        if skip and chunk and one.kind not in ("name", "count"):
            chunk = chunk[chunk.find(b"\n") + 1 :]
            skip = False
        yield chunk


class _Writer:
    __slots__ = ("_colors", "_look", "_name", "_on", "_query", "_sep", "_style")

    def __init__(self, query: Query, look: GrepLook, style: Style) -> None:
        self._query = query
        self._look = look
        self._style = style
        palette = style.color("grep", look.color)
        self._on = bool(palette)
        self._colors = palette
        self._name = self._namer()
        self._sep = {sign: self._separator(sign) for sign in (SELECTED, CONTEXT, FUNCTION)}

    def _separator(self, sign: int) -> bytes:
        return b"\0" if self._look.null else self._paint(bytes((sign,)), self._colors.grep_separator)

    def _paint(self, data: bytes, color: bytes) -> bytes:
        return color + data + RESET if color else data

    def _namer(self) -> Callable[[Result], bytes]:
        look, prefix = self._look, b"" if self._look.full_name else self._style.prefix
        quote = c_quote if not look.null else None
        high = self._style.quote.high

        def name(one: Result) -> bytes:
            path = relative_path(one.path, prefix) if prefix else one.path
            return one.tree + (path if quote is None else quote(path, high=high))

        return name

    def unread(self, tree: bytes, path: bytes, oid: bytes, times: int) -> None:
        """Say that a file's object is missing."""
        line = b"error: '%b': unable to read %b\n" % (self._name(Result("", tree, path)), oid.hex().encode())
        if times:
            self._style.ctx.say(line * times)

    def file(self, one: Result, later: bool) -> bytes:
        """The output for one file; `later`: it may begin with a mark."""
        name = self._paint(self._name(one), self._colors.grep_filename)
        if one.kind == "name":
            return name + (b"\0" if self._look.null else b"\n")
        if one.kind == "binary":
            return b"Binary file " + name + b" matches\n"
        if one.kind == "count":
            front = name + self._sep[SELECTED] if self._look.names else b""
            return b"%s%d\n" % (front, one.count)
        return self._lines(one, name, later)

    def _lines(self, one: Result, name: bytes, later: bool) -> bytes:
        look, data = self._look, one.data
        need(len(data) + 2 * sum(row[2] - row[1] for row in paced(one.rows)))  # the lines, cut out and joined
        out: list[bytes] = []
        shown = 0
        plain = not (self._on or look.only_matching)
        front = name if look.names and not look.heading else None
        for row in paced(one.rows):
            number, start, end, sign, column = row
            heading = b""
            if not shown:
                if look.breaks:
                    out.append(b"\n" if later else b"")
                elif look.marks and later:
                    out.append(self._mark())
                heading = name + b"\n" if look.heading else b""
            elif look.marks and number > shown + 1:
                out.append(self._mark())
            if plain:
                shown = number
                out.append(heading)
                out.append(self._header(front, number, sign, column))
                out.append(data[start:end])
                out.append(b"\n")
            elif self._line(out, data, row, front, heading):
                shown = number
        return joined(out)

    def _mark(self) -> bytes:
        return self._paint(b"--", self._colors.grep_separator) + b"\n"

    def _header(self, front: bytes | None, number: int, sign: int, column: int) -> bytes:
        look, sep = self._look, self._sep[sign]
        header = b"" if front is None else front + sep
        if look.numbers:
            header += self._paint(b"%d" % number, self._colors.grep_linenumber) + sep
        if look.columns and column:
            header += self._paint(b"%d" % column, self._colors.grep_column) + sep
        return header

    def _line(self, out: list[bytes], data: bytes, row: Row, front: bytes | None, heading: bytes) -> bool:
        """A line whose matches are marked: in colour, or printed alone (-o). Returns whether anything was printed."""
        number, start, end, sign, column = row
        alone, colors = self._look.only_matching, self._colors
        color = {SELECTED: colors.grep_selected, CONTEXT: colors.grep_context}.get(sign, colors.grep_function)
        match_color = colors.grep_match_selected if sign == SELECTED else colors.grep_match_context
        rest = data[start:end]
        if not alone:
            out += heading, self._header(front, number, sign, column)
        begins = True
        while True:
            span = self._query.next_match(rest, begins=begins)
            if span is None or span[0] == span[1]:
                break
            if alone:
                out += heading if begins else b"", self._header(front, number, sign, column)
            else:
                out.append(self._paint(rest[: span[0]], color))
            out.append(self._paint(rest[span[0] : span[1]], match_color))
            if alone:
                out.append(b"\n")
            rest = rest[span[1] :]
            column += span[1]  # git's sum: it is the column of the first match only
            begins = False
        if not alone:
            out.append(self._paint(rest, color))
            out.append(b"\n")
        return not alone or not begins
