"""The output of git rev-list: the name of each commit alone, or with the additions that the options ask for."""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Callable, Sequence
from operator import itemgetter

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..history.spec import MARKED, WalkEntry, mark
from ..limits import lines_in
from ..objects.parsed import Commit
from ..objects.sequential import CommitFacts
from ..records import record
from .log.graph import Graph
from .log.pretty import Printer
from .log.rows import Row

if TYPE_CHECKING:
    from .log.graph_rows import Draw, drawer
else:
    drawer = deferred(__name__, ".log.graph_rows", "drawer")


_OID, _PARENTS, _BESIDE = itemgetter(0), itemgetter(1), itemgetter(4)


@record(frozen=True)
class RevListShape:
    """The parts of a commit that are printed."""

    timestamp: bool = False
    timed: bool = False  # rows may have the time beside them
    sides: bool = False
    cherry: bool = False
    parents: bool = False
    children: bool = False
    header: bool = False  # --header: the raw commit, ended by NUL
    verbose: bool = False  # a format, or --header
    named: bool = True  # a format has the commit's name before it
    graph: Graph | None = None
    beside: Callable[[bytes], bytes] | None = None  # after the commit's name (--bisect-all)


def human_size(size: int) -> bytes:
    """A number of bytes with a unit and two digits, rounded as git rounds."""
    for shift, half, unit in ((30, 0, b"GiB"), (20, 5243, b"MiB"), (10, 5, b"KiB")):
        if size > 1 << shift:
            size += half
            rest = size & ((1 << shift) - 1)
            parts = rest // 10737419 if shift == 30 else (rest * 100) >> shift
            return b"%d.%02d %b" % (size >> shift, parts, unit)
    return b"%d byte%b" % (size, b"" if size == 1 else b"s")


def _text_writer(printer: Printer) -> Callable[[Sequence[Row]], list[bytes]]:
    """The function that gives the texts of some commits."""
    if printer.is_user:
        return printer.user_texts()
    text = printer.text
    return lambda rows: [text(Commit(oid, raw, parents), parents) for oid, parents, raw, _, _ in rows]


class RevListWriter:
    """Prints commits one by one."""

    __slots__ = ("_draw", "_in_columns", "_texts", "bare", "facts", "printer", "shape", "simple")

    def __init__(self, shape: RevListShape, printer: Printer | None, facts: Callable[[bytes], CommitFacts]) -> None:
        self.shape, self.printer, self.facts = shape, printer, facts
        self.bare = printer is None and not (shape.verbose or shape.beside) and shape.named
        self.simple = self.bare and not (shape.parents or shape.children or shape.timestamp or shape.graph)
        self._in_columns = self.bare or (shape.named and not (shape.graph or shape.beside))
        self._draw = drawer(shape.graph) if self.bare and shape.graph is not None else None
        self._texts = _text_writer(printer) if printer is not None and self._in_columns else None

    def rows(self, rows: Sequence[Row]) -> bytes:
        """The whole output for some commits."""
        if not self._in_columns:
            return b"".join(map(self._row, rows))
        shape, printer = self.shape, self.printer
        lines = self._names(rows)
        sides, cherry = shape.sides, shape.cherry
        if self._draw is None and (sides or cherry or any(row[3] & MARKED for row in rows)):
            lines = [mark(row[3], sides=sides, cherry=cherry) + line for row, line in zip(rows, lines, strict=True)]
        ended = shape.header or printer is None or printer.kind != "oneline"  # the line with the name
        if shape.verbose and ended and not shape.header:
            lines = [b"commit " + line for line in lines]
        if shape.timestamp:
            lines = [b"%b %b" % pair for pair in zip(self._times(rows), lines, strict=True)]
        if self._draw is not None:
            lines = self._beside(self._draw, rows, lines)
        if not shape.verbose or self._texts is None:
            return b"\n".join(lines) + b"\n"
        between, end = b"\n" if ended else b" ", b"\0" if shape.header else b"\n"
        without = b"" if ended else b"\n"
        texts = [text + end if text else without for text in self._texts(rows)]
        return b"".join([line + between + text for line, text in zip(lines, texts, strict=True)])

    def _names(self, rows: Sequence[Row]) -> list[bytes]:
        """The commits' names, with those of their parents or children."""
        shape, printer = self.shape, self.printer
        if not (shape.parents or shape.children):
            return list(map(hexlify, map(_OID, rows))) if printer is None else printer.names(list(map(_OID, rows)))
        related = _PARENTS if shape.parents else _BESIDE
        if printer is None:
            return [hexlify(b"".join((row[0], *related(row))), b" ", -len(row[0])) for row in rows]
        return [b" ".join([printer.oid(row[0]), *map(hexlify, related(row))]) for row in rows]

    def _times(self, rows: Sequence[Row]) -> list[bytes]:
        facts, timed = self.facts, self.shape.timed
        return [row[4][0] if timed and row[4] else b"%d" % facts(row[0])[1] for row in rows]

    def _beside(self, draw: Draw, rows: Sequence[Row], lines: list[bytes]) -> list[bytes]:
        """The lines beside the graph, and the rows below each."""
        sides, cherry = self.shape.sides, self.shape.cherry
        out: list[bytes] = []
        for (oid, _, _, flags, parents), line in zip(rows, lines, strict=True):
            sign = mark(flags, sides=sides, cherry=cherry, graph=True) if sides or flags & MARKED else b"*"
            _, front, below, _ = draw(oid, parents, sign, spaced=False)
            out.append(front + line)
            out += below
        return out

    def _row(self, row: Row) -> bytes:
        oid, parents, raw, flags, beside = row
        entry = WalkEntry(oid, Commit(oid, raw, parents), parents, flags)
        if self.shape.graph is not None:
            entry.graph_parents = beside
        else:
            entry.children = beside
        return self.entry(entry)

    def entry(self, walked: WalkEntry) -> bytes:
        """The whole output for one commit."""
        shape = self.shape
        sign = walked.mark(sides=shape.sides, cherry=shape.cherry, graph=shape.graph is not None)
        if self.simple:
            return sign + walked.oid.hex().encode() + b"\n"
        out: list[bytes] = []
        graph = shape.graph
        if graph is not None:
            out.append(graph.begin(walked.oid, walked.graph_parents, sign))
            sign = b""
        self._line(walked, sign, out)
        if not shape.verbose or self.printer is None:
            self._remainder(graph, out)
        else:
            self._text(self.printer, walked, out)
        return b"".join(out)

    def _line(self, walked: WalkEntry, sign: bytes, out: list[bytes]) -> None:
        shape, printer = self.shape, self.printer
        oneline = printer is not None and printer.kind == "oneline" and not shape.header
        if shape.timestamp:
            out.append(b"%d " % self.facts(walked.oid)[1])
        if shape.named:
            if shape.verbose and not oneline and not shape.header:
                out.append(b"commit ")
            out.append(sign)
            out.append(walked.oid.hex().encode() if printer is None else printer.oid(walked.oid))
        related = walked.parents if shape.parents else walked.children if shape.children else ()
        out += [b" " + oid.hex().encode() for oid in related]
        if shape.beside is not None:
            out.append(shape.beside(walked.oid))
        if oneline and shape.verbose:
            out.append(b" ")
        elif shape.named:
            out.append(b"\n")

    def _text(self, printer: Printer, walked: WalkEntry, out: list[bytes]) -> None:
        graph = self.shape.graph
        printer.env.mark = walked.mark(sides=True)  # %m shows sides, whatever the line above shows
        text = printer.text(walked.commit, walked.parents_in(user_format=printer.is_user))
        if not text:
            self._remainder(graph, out)
            if printer.kind == "oneline":
                out.append(b"\n")
            return
        if graph is None:
            out.append(text)
        else:
            if printer.kind != "oneline":
                out.append(graph.next_row()[0])
            lines = lines_in(text.removesuffix(b"\n"))
            out.append(lines[0])
            for line in lines[1:]:
                out += [b"\n", graph.next_row()[0], line]
            if text.endswith(b"\n"):
                out.append(b"\n")
            if not graph.finished:
                out.append(b"" if text.endswith(b"\n") else b"\n")
                self._rest(graph, out)
                out.append(b"\n" if text.endswith(b"\n") else b"")
            if text.endswith(b"\n"):
                out.append(graph.padding_row())
        out.append(b"\0" if self.shape.header else b"\n")

    # ---------------------------------------------------------------- graph
    def _rest(self, graph: Graph, out: list[bytes]) -> None:
        while True:
            out.append(graph.next_row()[0])
            if graph.finished:
                return
            out.append(b"\n")

    def _remainder(self, graph: Graph | None, out: list[bytes]) -> None:
        if graph is not None and not graph.finished:
            self._rest(graph, out)
            out.append(b"\n")
