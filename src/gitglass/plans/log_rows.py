"""The commits of a log that are printed from rows, each with what it changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import monotonic

from ..errors import GitError
from ..history.log_diff import LogDiffs, LogEntry, Part
from ..history.spec import WalkRow
from ..render.diff.formats import Hexes
from ..render.diff.raw import file_lines
from ..render.log.log import DiffWriter
from ..render.log.rows import Changed, Row, RowPrinter, batches
from ..render.style import Style

_ROOM = 1 << 20  # bytes of diffs that are printed together
_SOON = 0.05  # seconds that a commit waits to be printed with others


def with_changes(
    rows: Iterator[WalkRow], printer: RowPrinter, diffs: LogDiffs, max_count: int, style: Style, write: DiffWriter
) -> Iterator[bytes]:
    """Commits with lists of files where these say everything (`LogDiffs.files`), or else with diffs. `max_count` counts
    the commits shown, for logs in which commits can be left out here."""
    left, always = max_count, diffs.log_spec.always_show
    changes_of = _reader(printer, diffs, style, write)
    for batch in batches(rows, None) if left else ():
        shown: list[tuple[Row, Changed]] = []
        room, due = _ROOM, monotonic() + _SOON
        try:
            for row in batch:
                whole, changed, text = changes_of(row)
                if changed is None and not always:
                    continue
                left -= 1
                if isinstance(changed, LogEntry):
                    yield printer.write_with(shown)
                    shown.clear()
                    yield from printer.write_entry(changed)
                else:
                    shown.append((whole, changed))
                for piece in text:
                    if room < 0:  # the rest of a large diff goes on by itself
                        yield piece
                        continue
                    changed.append(piece)  # type: ignore[union-attr]
                    room -= len(piece)
                    if room < 0:
                        yield printer.write_with(shown)
                        shown.clear()
                if room < 0 or monotonic() > due:
                    yield printer.write_with(shown)
                    shown.clear()
                    room, due = _ROOM, monotonic() + _SOON
                if not left:
                    break
        except GitError:
            yield printer.write_with(shown)
            raise
        yield printer.write_with(shown)
        if not left:
            return


#: makes of a row: the commit, what it changed (None: nothing; an entry whose diffs have headers of their own), and the
#: pieces of its text that are still to be made
Reader = Callable[[WalkRow], tuple[Row, Changed | LogEntry, Iterable[bytes]]]


def _reader(printer: RowPrinter, diffs: LogDiffs, style: Style, write: DiffWriter) -> Reader:
    store, always = style.store, diffs.log_spec.always_show
    lists, reads = diffs.makes_lists(), printer.reads
    lines = file_lines(diffs.spec, style.quote, Hexes(store, diffs.spec.abbrev)) if lists else None
    read, rooted = store.odb.raw_reader(keep=not store.once), diffs.rooted

    def changes_of(row: WalkRow) -> tuple[Row, Changed | LogEntry, Iterable[bytes]]:
        oid, parents, raw, flags, beside = row
        trees = beside if rooted else ()
        files = None if lines is None else diffs.files(oid, parents, trees)
        if files is not None and lines is not None:
            if raw is None:
                raw = read(oid) if reads and (files or always) else b""
            return (oid, parents, raw, flags, beside), [lines(files)] if files else None, ()
        whole = oid, parents, read(oid) if raw is None else raw, flags, beside
        entry = printer.entry(whole)
        parts = diffs.of(entry, trees)
        if len(parts) == 1 and _is_plain(parts[0]):
            return whole, [], write(entry, parts[0], b"")
        return whole, LogEntry(entry, parts) if parts else None, ()

    return changes_of


def _is_plain(part: Part) -> bool:
    """Whether the commit is shown as usual above the diff."""
    return part.parent is None and part.combined is None and not part.notice
