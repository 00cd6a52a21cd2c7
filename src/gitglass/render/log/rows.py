"""Commits of a log without diffs, printed many at a time from bare values.

What `LogWriter.entry` prints for one commit after another is made here for a list of rows (`history.spec.WalkRow`): the
formats in one line, the usual formats in blocks, and what a user's format makes. Anything else goes through
`LogWriter.header`, commit by commit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...history.spec import MARKED, WalkEntry, mark
from ...objects.parsed import Commit

if TYPE_CHECKING:
    from .graph import Graph
    from .graph_rows import GraphRows
    from .log import LogWriter
else:
    GraphRows = deferred(__name__, ".graph_rows", "GraphRows")

#: a commit as in `WalkRow`, read
Row = tuple[bytes, tuple[bytes, ...], bytes, int, tuple[bytes, ...]]
#: prints commits
RowWriter = Callable[[list[Row]], bytes]

_BLOCKS = ("short", "medium", "full", "fuller", "raw")


def row_writer(writer: LogWriter) -> RowWriter:
    """The function that prints the commits of a log of which none has a diff; all of them are printed by it."""
    printer, shape, end = writer.printer, writer.shape, writer.end
    if shape.line_prefix or shape.log_size or printer.empty_user:
        return _one_by_one(writer)
    if printer.is_user and shape.graph is None:
        return _separated(writer, _formatted(writer))
    if printer.kind == "oneline":
        lines = _lines(writer)
        if shape.graph is not None:
            return _beside(shape.graph, lines, writer)
        return lambda rows: end.join(lines(rows)) + end
    if printer.kind in _BLOCKS and shape.graph is None:
        return _separated(writer, _blocks(writer))
    return _one_by_one(writer)


def _one_by_one(writer: LogWriter) -> RowWriter:
    """The general way."""
    graph, shape, header = writer.shape.graph, writer.shape, writer.header

    def write(rows: list[Row]) -> bytes:
        out = []
        for oid, parents, raw, flags, beside in rows:
            entry = WalkEntry(oid, Commit(oid, raw, parents), parents, flags)
            if graph is not None:
                graph.update(oid, beside, entry.mark(sides=shape.sides, cherry=shape.cherry, graph=True))
            elif shape.children:
                entry.children = beside
            elif shape.source and beside:
                entry.source = beside[0]
            out.append(header(entry))
        return b"".join(out)

    return write


def _separated(writer: LogWriter, texts: Callable[[list[Row]], list[bytes]]) -> RowWriter:
    """Texts with line ends behind them, or between them."""
    end = writer.end
    if writer.printer.terminator:
        return lambda rows: end.join(texts(rows)) + end

    def write(rows: list[Row]) -> bytes:
        before = end if writer.shown_one else b""
        writer.shown_one = True
        return before + end.join(texts(rows))

    return write


def _formatted(writer: LogWriter) -> Callable[[list[Row]], list[bytes]]:
    """Commits in the user's format; %m shows sides, whatever the options."""
    text, env, sources = writer.printer.text, writer.printer.env, writer.shape.source

    def texts(rows: list[Row]) -> list[bytes]:
        made = []
        for oid, above, raw, flags, beside in rows:
            env.mark = mark(flags, sides=True)
            if sources:
                env.source = beside[0] if beside else None
            made.append(text(Commit(oid, raw, above), above))
        return made

    return texts


def _heads(writer: LogWriter) -> Callable[[list[Row]], list[bytes]]:
    """A function from commits to the beginnings of their header lines: mark, name, related commits, source and
    decoration."""
    printer, shape, reset = writer.printer, writer.shape, writer.reset
    sides, cherry, decoration = shape.sides, shape.cherry, printer.decoration
    signs = shape.graph is None  # otherwise the graph has them
    related: Callable[[Row], tuple[bytes, ...]] | None
    related = (lambda row: row[1]) if shape.parents else (lambda row: row[4]) if shape.children else None
    front = writer.commit_color if printer.kind == "oneline" else writer.commit_color + b"commit "

    def heads(rows: list[Row]) -> list[bytes]:
        heads = printer.names([row[0] for row in rows])
        if signs and (sides or cherry or any(row[3] & MARKED for row in rows)):
            marks = [mark(row[3], sides=sides, cherry=cherry) for row in rows]
            heads = [sign + b" " + name if sign else name for sign, name in zip(marks, heads, strict=True)]
        if related is not None:
            name = printer.oid
            heads = [b" ".join([head, *map(name, related(row))]) for head, row in zip(heads, rows, strict=True)]
        if front or reset:
            heads = [front + head + reset for head in heads]
        if shape.source:
            heads = [head + b"\t" + row[4][0] if row[4] else head for head, row in zip(heads, rows, strict=True)]
        if printer.decorated:
            heads = [head + decoration(row[0]) for head, row in zip(heads, rows, strict=True)]
        return heads

    return heads


def _lines(writer: LogWriter) -> Callable[[list[Row]], list[bytes]]:
    """A function from commits to their single lines, without line ends: the head, the subject, and notes."""
    printer, heads = writer.printer, _heads(writer)
    if not printer.env.notes:
        subjects = printer.subjects
        return lambda rows: list(map(b" ".join, zip(heads(rows), subjects(rows), strict=True)))
    text = printer.text
    return lambda rows: [
        head + b" " + text(Commit(row[0], row[2], ()), row[1]) for head, row in zip(heads(rows), rows, strict=True)
    ]


def _blocks(writer: LogWriter) -> Callable[[list[Row]], list[bytes]]:
    """A function from commits to the lines of the usual formats."""
    heads, text = _heads(writer), writer.printer.text
    return lambda rows: [
        head + b"\n" + text(Commit(row[0], row[2], row[1]), row[1]) for head, row in zip(heads(rows), rows, strict=True)
    ]


def _beside(graph: Graph, lines: Callable[[list[Row]], list[bytes]], writer: LogWriter) -> RowWriter:
    """Single lines beside a graph."""
    end, sides, cherry = writer.end, writer.shape.sides, writer.shape.cherry

    def colored(oid: bytes, parents: Sequence[bytes], sign: bytes) -> tuple[bytes, bytes]:
        front, below = graph.draw(oid, parents, sign)
        return b"\n".join(front), b"".join([b"\n" + row for row in below])

    # colours continue along the lines, so that rows with colours do not depend on the shape alone
    draw = colored if graph.colors else GraphRows(graph).draw

    def write(rows: list[Row]) -> bytes:
        out: list[bytes] = []
        for (oid, _, _, flags, drawn), line in zip(rows, lines(rows), strict=True):
            sign = mark(flags, sides=sides, cherry=cherry, graph=True) if sides or flags & MARKED else b"*"
            front, below = draw(oid, drawn, sign)
            out += (front, line, below, end)
        return b"".join(out)

    return write
