"""The entries of git log, one after another: header line, message, diff, and the lines between entries.

The parts are made elsewhere (`pretty.py` the text, `render/diff` the diff, `graph.py` the graph); this module adds the
text between them. Formats of kind *terminator* (oneline, tformat) end each entry with a newline, the others
*separate* entries by one; with -z the newline is a NUL; a graph continues beside all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...annotations import TYPE_CHECKING
from ...diff.spec import DiffSpec, Formats
from ...history.log_diff import LogEntry, Part
from ...history.spec import WalkEntry
from ...limits import joined, lines_weight, need, paced
from ...records import record
from ...revs.names import abbreviate_ref
from ..message import beside_rows
from ..style import Style
from .commit_parts import ReflogInfo
from .pretty import Printer

if TYPE_CHECKING:
    from ...history.spec import ReflogPlace
    from .graph import Graph


#: Writes the diff of a part: (entry, part, prefix of every line) → bytes.
DiffWriter = Callable[[WalkEntry, Part, bytes], Iterator[bytes]]


@record(frozen=True)
class LogShape:
    """The text around the pretty-printed commit."""

    graph: Graph | None = None
    sides: bool = False  # --left-right
    cherry: bool = False  # --cherry-mark
    parents: bool = False
    children: bool = False
    source: bool = False
    log_size: bool = False
    line_break: bytes | None = None  # --show-linear-break
    reverse: bool = False
    nul: bool = False
    line_prefix: bytes = b""
    behind: bool = False  # --no-commit-id: the header of a commit is printed after its diff
    always: bool = True  # commits are printed although they have no diff
    dated: bool = False  # reflog entries are named by their date: --date was given


def lead(printer: Printer, formats: Formats) -> bytes:
    """The line between a commit and its diff."""
    if not formats.any or printer.kind == "oneline" or printer.empty_user:
        return b""
    return b"---\n" if formats.patch and formats.stat and not printer.dashed else b"\n"


class LogWriter:
    """Prints commits one by one, and keeps track of how the last one ended."""

    __slots__ = (
        "_commit_color",
        "_end",
        "_missing_newline",
        "_reset",
        "_short_names",
        "diff",
        "printer",
        "shape",
        "shown_one",
        "spec",
    )

    def __init__(self, printer: Printer, style: Style, shape: LogShape, spec: DiffSpec, diff: DiffWriter) -> None:
        self.printer, self.shape, self.spec, self.diff = printer, shape, spec, diff
        palette = style.color("diff", spec.color)
        self._commit_color, self._reset = palette.diff_commit, palette.reset
        self._end = b"\0" if shape.nul else b"\n"
        self.shown_one = False
        self._missing_newline = False
        self._short_names: dict[bytes, bytes] = {}

    # ---------------------------------------------------------------- an entry
    def entry(self, entry: LogEntry) -> Iterator[bytes]:
        """The whole output for one commit."""
        shape, walked = self.shape, entry.walked
        if shape.graph is not None:
            shape.graph.update(walked.oid, walked.graph_parents, self._mark(walked))
        unlinked = shape.line_break is not None and not walked.linear
        if unlinked and not shape.reverse:
            yield b"\n%s\n" % shape.line_break
        if shape.behind:
            yield from self._diff_first(entry)
        else:
            if not entry.parts and not entry.hidden:
                yield self.header(walked)
            for part in entry.parts:
                yield self.header(walked, part.parent)
                yield from self.body(walked, part)
        if unlinked and shape.reverse:
            yield b"\n%s\n" % shape.line_break

    def _diff_first(self, entry: LogEntry) -> Iterator[bytes]:
        """Strange but git's: --no-commit-id omits the header before a diff, and prints it after the diff instead."""
        for part in entry.parts:
            if part.notice:  # which comes with its header all the same
                yield self.header(entry.walked)
                yield part.notice
                return
            yield from self.diff(entry.walked, part, self.prefix())
        if self.shape.always and not entry.hidden:
            yield self.header(entry.walked)

    def body(self, walked: WalkEntry, part: Part) -> Iterator[bytes]:
        """The diff of a commit, after the line that separates it from the message."""
        if part.notice:
            yield part.notice
            return
        formats = self.spec.formats
        prefix = self.prefix() if formats.any else b""
        if part.combined is not None:
            if formats.any and not self.printer.empty_user:
                yield prefix + self._end
            yield from self.diff(walked, part, prefix)
            return
        line = lead(self.printer, formats)
        if line:
            yield prefix + line
        yield from self.diff(walked, part, prefix)

    def prefix(self) -> bytes:
        """The text before every line of a diff."""
        graph = self.shape.graph
        return self.shape.line_prefix + (graph.padding_row() if graph is not None else b"")

    # ---------------------------------------------------------------- header and message
    def header(self, walked: WalkEntry, parent: bytes | None = None) -> bytes:
        """The whole output for a commit except its diff."""
        printer, shape = self.printer, self.shape
        out: list[bytes] = []
        graph = shape.graph
        if self.shown_one and not printer.terminator:
            if not shape.nul and not self._missing_newline:
                self._padding(out)
            out.append(self._end)
        self.shown_one = True
        if graph is not None:
            self._graph_commit(graph, out)
        elif shape.line_prefix:
            out.append(shape.line_prefix)
        env = printer.env
        env.mark = walked.mark(sides=True)  # %m shows sides, whatever the header line shows
        env.source = walked.source
        if walked.reflog is not None:
            env.reflog = self._reflog_info(walked.reflog)
        if graph is not None:
            env.graph_width = graph.width
        if not printer.is_user and not self._header_line(walked, parent, out):
            return joined(out)
        text = printer.text(walked.commit, walked.parents_in(user_format=printer.is_user))
        if shape.log_size:
            out.append(b"log size %d\n" % len(text))
            self._graph_line(out)
        self._missing_newline = not text.endswith(b"\n")
        self._message(text, out)
        if printer.terminator and not printer.empty_user:
            if not self._missing_newline:
                self._padding(out)
            out.append(self._end)
        return joined(out)

    def _header_line(self, walked: WalkEntry, parent: bytes | None, out: list[bytes]) -> bool:
        """The line `commit <hash> (decoration)`; False if nothing follows it (a reflog entry in one line)."""
        printer, shape = self.printer, self.shape
        if printer.kind in ("email", "mboxrd"):
            oid = bytes(len(walked.oid)) if printer.mail.anonymous else walked.oid
            for line in (b"From %s Mon Sep 17 00:00:00 2001\n" % oid.hex().encode(), *printer.mail.ids):
                out.append(line)
                self._graph_line(out)
            return True
        oneline = printer.kind == "oneline"
        out.append(self._commit_color if oneline else self._commit_color + b"commit ")
        mark = self._mark(walked) if shape.graph is None else b""
        if mark:
            out.append(mark + b" ")
        out.append(printer.oid(walked.oid))
        related: Sequence[bytes] = ()
        if shape.parents:
            related = walked.parents
        elif shape.children:
            related = walked.children
        for oid in related:
            out.append(b" " + printer.oid(oid))
        if parent is not None:
            out.append(b" (from " + printer.oid(parent) + b")")
        out.append(self._reset)
        if shape.source and walked.source is not None:
            out.append(b"\t" + walked.source)
        out.append(printer.decoration(walked.oid))
        if oneline:
            out.append(b" ")
        else:
            out.append(b"\n")
            self._graph_line(out)
        if printer.env.reflog is not None:
            out.append(printer.reflog_lines(printer.env.reflog))
            return not oneline
        return True

    def _reflog_info(self, reflog: ReflogPlace) -> ReflogInfo:
        """The name of a reflog entry: `main@{2}`, or `main@{<date>}` if dates were asked for."""
        entry = reflog.entry
        dated = self.shape.dated if reflog.by_date is None else reflog.by_date
        label = self.printer.env.dater(entry.time, entry.tz) if dated else b"%d" % reflog.number
        short = self._short_names.get(reflog.name)
        if short is None:
            short = self._short_names[reflog.name] = abbreviate_ref(self.printer.env.store, reflog.name)
        return ReflogInfo(reflog.name + b"@{" + label + b"}", short + b"@{" + label + b"}", entry.message, entry.ident)

    def _mark(self, walked: WalkEntry) -> bytes:
        shape = self.shape
        return walked.mark(sides=shape.sides, cherry=shape.cherry, graph=shape.graph is not None)

    # ---------------------------------------------------------------- the graph beside it
    def _graph_commit(self, graph: Graph, out: list[bytes]) -> None:
        """Rows up to the commit's own; a commit that is shown again has a padding row."""
        prefix = self.shape.line_prefix
        out.append(prefix)
        if graph.finished:
            out += (prefix, graph.padding_row())  # strange but git's: both have the prefix
            return
        while not graph.finished:
            row, own = graph.next_row()
            out.append(row)
            if own:
                break
            out.append(b"\n" + prefix)

    def _padding(self, out: list[bytes]) -> None:
        out.append(self.shape.line_prefix)
        if self.shape.graph is not None:
            out.append(self.shape.graph.padding_row())

    def _graph_line(self, out: list[bytes]) -> None:
        out.append(self.shape.line_prefix)
        if self.shape.graph is not None:
            out.append(self.shape.graph.next_row()[0])

    def _message(self, text: bytes, out: list[bytes]) -> None:
        """The message, with the graph before all lines but the first, and the remaining rows of the graph below it."""
        graph = self.shape.graph
        if graph is None and not self.shape.line_prefix:
            out.append(text)
            return
        need(2 * lines_weight(text))  # its lines, the rows beside them, and both joined
        ended = text[-1:] == b"\n"
        lines = beside_rows(text[:-1] if ended else text)
        for nth, line in enumerate(paced(lines)):
            if nth:
                out.append(b"\n")
                self._graph_line(out)
            out.append(line)
        if ended:
            out.append(b"\n")
        if graph is None or graph.finished:
            return
        if not ended:
            out.append(b"\n")
        self._remainder(graph, out)
        if ended:
            out.append(b"\n")

    def _remainder(self, graph: Graph, out: list[bytes]) -> None:
        prefix = self.shape.line_prefix
        out.append(prefix)
        while True:
            out.append(graph.next_row()[0])
            if graph.finished:
                return
            out.append(b"\n" + prefix)
