"""Commits of a log, printed many at a time from bare values.

What `LogWriter.entry` prints for one commit after another is made here for a list of rows (`history.spec.WalkRow`): the
formats in one line, the usual formats in blocks, and what a user's format makes. Anything else goes through
`LogWriter.entry`, commit by commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...diff.spec import Formats
from ...errors import GitError
from ...history.log_diff import LogEntry
from ...history.spec import MARKED, WalkEntry, WalkRow, mark
from ...limits import MANY_LINES, lines_weight, need, paced
from ...objects.parsed import Commit
from ..color import Palette
from ..message import beside_rows
from .pretty import Printer

if TYPE_CHECKING:
    from .graph import Graph
    from .graph_rows import drawer
    from .log import LogShape, LogWriter, lead
else:
    lead = deferred(__name__, ".log", "lead")
    drawer = deferred(__name__, ".graph_rows", "drawer")

#: a commit as in `WalkRow`, read
Row = tuple[bytes, tuple[bytes, ...], bytes, int, tuple[bytes, ...]]
#: what a commit changed: the text of its diff; None for nothing
Changed = list[bytes] | None
RowWriter = Callable[[list[Row]], bytes]
Texts = Callable[[list[Row]], list[bytes]]  # a text for each commit

_MOST, _ROOM = 256, 1 << 20  # commits of a batch, and bytes of them
_BLOCKS = ("short", "medium", "full", "fuller", "raw")


def batches(rows: Iterator[WalkRow], reader: Callable[[], Callable[[bytes], bytes]] | None) -> Iterator[list[Row]]:
    """The commits of a walk, read by the function that `reader` makes (None: they are not read): the first alone, so
    that it is printed at once, then twice as many each time. Before an error is raised, all commits before it are
    given."""
    size, read, batch = 1, None, list[Row]()
    try:
        while True:
            if reader is None:
                batch.extend(islice(rows, size))  # type: ignore[arg-type]  # what comes before an error stays
            else:
                room = _ROOM
                for oid, parents, raw, flags, beside in islice(rows, size):
                    if read is None:  # not earlier: what the walk has read to find its first commit is not read again
                        read = reader()
                    if raw is None:
                        raw = read(oid)
                    batch.append((oid, parents, raw, flags, beside))
                    room -= len(raw)
                    if room < 0:
                        break
            if not batch:
                return
            yield batch
            size, batch = min(2 * size, _MOST), []
    except GitError:
        if batch:
            yield batch
        raise


class RowPrinter:
    """Prints the commits of a log, all of them, some at a time, in order."""

    __slots__ = (
        "_color",
        "_end",
        "_formats",
        "_general",
        "_printer",
        "_reset",
        "_shape",
        "_shown_one",
        "_texts",
        "_writer",
        "reads",
        "write",
    )

    def __init__(
        self,
        printer: Printer,
        shape: LogShape,
        palette: Palette,
        formats: Formats,
        general: Callable[[], LogWriter],
    ) -> None:
        """`formats` are those of the diffs; `general` makes the writer of entries, for what has no shorter way here."""
        self._printer, self._shape, self._general = printer, shape, general
        self._color, self._reset = palette.diff_commit, palette.reset
        self._end = b"\0" if shape.nul else b"\n"
        #: whether commits are read, to print them
        self.reads = printer.reads
        self._shown_one = False
        self._texts: Texts | None = None
        self._formats = formats
        self._writer: LogWriter | None = None
        #: prints some commits without diffs
        self.write: Callable[[list[Row]], bytes] = self._chosen()

    def _chosen(self) -> Callable[[list[Row]], bytes]:
        printer, shape = self._printer, self._shape
        if shape.line_prefix or shape.log_size or printer.empty_user:
            return self._one_by_one()
        if printer.kind == "oneline":
            texts = self._lines()
        elif printer.is_user:
            texts = printer.user_texts(sources=shape.source)
        elif printer.kind in _BLOCKS:
            texts = self._blocks()
        else:
            return self._one_by_one()
        if shape.graph is not None:
            return self._beside(shape.graph, texts)
        self._texts = texts
        return self._separated(texts)

    @property
    def writes_changes(self) -> bool:
        """Whether `write_with` is there: not beside a graph, and not for what goes through `LogWriter.entry`."""
        return self._texts is not None

    def write_with(self, changes: Sequence[tuple[Row, Changed]]) -> bytes:
        """Prints some commits, each with what it changed."""
        if not changes:
            return b""
        assert self._texts is not None
        printer, end = self._printer, self._end
        before, after = (b"", end) if printer.terminator else (end, b"")
        front = lead(printer, self._formats)
        out: list[bytes] = []
        for text, (_, changed) in zip(self._texts([row for row, _ in changes]), changes, strict=True):
            if before and self._shown_one:
                out.append(before)
            out += (text, after) if changed is None else (text, after, front, *changed)
            self._shown_one = True
        return b"".join(out)

    def write_entry(self, entry: LogEntry) -> Iterator[bytes]:
        """Prints a commit whose diffs have headers of their own."""
        writer = self._writer = self._writer or self._general()
        writer.shown_one = self._shown_one
        self._shown_one = True
        yield from writer.entry(entry)

    def entry(self, row: Row) -> WalkEntry:
        """The same commit as an entry."""
        oid, parents, raw, flags, beside = row
        shape, entry = self._shape, WalkEntry(oid, Commit(oid, raw, parents), parents, flags)
        if shape.graph is not None:
            entry.graph_parents = beside
        elif shape.children:
            entry.children = beside
        elif shape.source and beside:
            entry.source = beside[0]
        return entry

    def _one_by_one(self) -> RowWriter:
        """The general way."""
        show, entry_of = self._general().entry, self.entry
        return lambda rows: b"".join([piece for row in rows for piece in show(LogEntry(entry_of(row), ()))])

    def _separated(self, texts: Texts) -> RowWriter:
        """Texts with line ends behind them, or between them."""
        end = self._end
        if self._printer.terminator:
            return lambda rows: end.join(texts(rows)) + end

        def write(rows: list[Row]) -> bytes:
            before = end if self._shown_one else b""
            self._shown_one = True
            return before + end.join(texts(rows))

        return write

    def _heads(self) -> Texts:
        """A function from commits to the beginnings of their header lines: mark, name, related commits, source and
        decoration."""
        printer, shape, reset = self._printer, self._shape, self._reset
        sides, cherry, decoration = shape.sides, shape.cherry, printer.decoration
        signs = shape.graph is None  # otherwise the graph has them
        related: Callable[[Row], tuple[bytes, ...]] | None
        related = (lambda row: row[1]) if shape.parents else (lambda row: row[4]) if shape.children else None
        front = self._color if printer.kind == "oneline" else self._color + b"commit "

        def heads(rows: list[Row]) -> list[bytes]:
            made = printer.names([row[0] for row in rows])
            if signs and (sides or cherry or any(row[3] & MARKED for row in rows)):
                marks = [mark(row[3], sides=sides, cherry=cherry) for row in rows]
                made = [sign + b" " + name if sign else name for sign, name in zip(marks, made, strict=True)]
            if related is not None:
                beside = list(map(related, rows))
                names = iter(printer.names(list(chain.from_iterable(beside))))
                made = [b" ".join([head, *islice(names, len(oids))]) for head, oids in zip(made, beside, strict=True)]
            if front or reset:
                made = [front + head + reset for head in made]
            if shape.source:
                made = [head + b"\t" + row[4][0] if row[4] else head for head, row in zip(made, rows, strict=True)]
            if printer.decorated:
                made = [head + decoration(row[0]) for head, row in zip(made, rows, strict=True)]
            return made

        return heads

    def _lines(self) -> Texts:
        """A function from commits to their single lines, without line ends: the head, the subject, and notes."""
        printer, heads = self._printer, self._heads()
        if not printer.env.notes:
            subjects = printer.subjects
            return lambda rows: list(map(b" ".join, zip(heads(rows), subjects(rows), strict=True)))
        text = printer.text
        return lambda rows: [
            head + b" " + text(Commit(row[0], row[2], ()), row[1]) for head, row in zip(heads(rows), rows, strict=True)
        ]

    def _blocks(self) -> Texts:
        """A function from commits to the lines of the usual formats."""
        heads, blocks = self._heads(), self._printer.blocks
        return lambda rows: list(map(b"\n".join, zip(heads(rows), blocks(rows), strict=True)))

    def _beside(self, graph: Graph, texts: Texts) -> RowWriter:
        """Texts beside a graph: each line has a row of it in front."""
        printer, shape, end = self._printer, self._shape, self._end
        sides, cherry, env = shape.sides, shape.cherry, printer.env

        draw = drawer(graph)
        separated = not printer.terminator
        open_ended = True  # whether the last text has no line end of its own

        def write(rows: list[Row]) -> bytes:
            nonlocal open_ended
            out: list[bytes] = []
            made = None if printer.is_user else texts(rows)
            for nth, row in enumerate(rows):
                spaced = separated and self._shown_one and not (shape.nul or open_ended)
                flags = row[3]
                sign = mark(flags, sides=sides, cherry=cherry, graph=True) if sides or flags & MARKED else b"*"
                between, front, below, after = draw(row[0], row[4], sign, spaced=spaced)
                if separated and self._shown_one:
                    out += (between, end) if spaced else (end,)
                self._shown_one = True
                if made is None:
                    env.graph_width = graph.width if graph.colors else len(front) - front.rfind(b"\n") - 1
                    [text] = texts([row])
                else:
                    text = made[nth]
                out.append(front)
                open_ended = text[-1:] != b"\n"
                if b"\n" in text:
                    _lay_out(text, below, after, out)
                else:
                    out.append(text)
                    for line in below:
                        out += (b"\n", line)
                if not separated:
                    out += (end,) if open_ended else (after, end)
            return b"".join(out)

        return write


def _lay_out(text: bytes, below: Sequence[bytes], after: bytes, out: list[bytes]) -> None:
    """The lines of a text beside the rows below the commit's own, and beside further ones when these are used up."""
    if not below and len(text) < MANY_LINES and b"\0" not in text:
        out += (text[:-1].replace(b"\n", b"\n" + after), text[-1:])
        return
    need(2 * lines_weight(text))  # its lines, the rows beside them, and both joined
    ended = text[-1:] == b"\n"
    lines = beside_rows(text[:-1] if ended else text)
    count = len(below)
    out.append(lines[0])
    for nth, line in enumerate(paced(lines[1:])):
        out += (b"\n", below[nth] if nth < count else after, line)
    rest = below[len(lines) - 1 :]
    if rest:
        out += (b"\n", b"\n".join(rest))
    if ended:
        out.append(b"\n")
