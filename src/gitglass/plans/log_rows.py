"""The commits of a log that are printed from rows, each with a list of the files that it changed."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import GitError
from ..history.log_diff import LogDiffs, LogEntry
from ..history.spec import WalkRow
from ..render.diff.formats import Hexes
from ..render.diff.raw import file_lines
from ..render.log.rows import Row, RowPrinter, batches
from ..render.style import Style


def with_files(
    rows: Iterator[WalkRow], printer: RowPrinter, diffs: LogDiffs, max_count: int, style: Style
) -> Iterator[bytes]:
    """Commits with lists of files (`LogDiffs.files`), or with diffs where these say more. `max_count` counts the
    commits shown, for logs in which commits can be left out here."""
    left = max_count
    store, always = style.store, diffs.log_spec.always_show
    lines = file_lines(diffs.spec, style.quote, Hexes(store, diffs.spec.abbrev))
    read = store.odb.raw_reader(keep=not store.once)

    def changed(row: WalkRow) -> tuple[Row, bytes | LogEntry] | None:
        """A commit and what it changed; None if it is not shown."""
        oid, parents, raw, flags, beside = row
        files = diffs.files(oid, parents)
        if not files and files is not None and not always:
            return None
        if raw is None:
            raw = read(oid) if printer.reads or files is None else b""
        whole = oid, parents, raw, flags, beside
        if files is not None:
            return whole, lines(files) if files else b""
        entry = printer.entry(whole)
        parts = diffs.of(entry)
        return (whole, LogEntry(entry, parts)) if parts or always else None

    if not left:
        return
    for batch in batches(rows, None):
        shown: list[tuple[Row, bytes | LogEntry]] = []
        try:
            for row in batch:
                made = changed(row)
                if made is not None:
                    shown.append(made)
                    left -= 1
                    if not left:
                        break
        except GitError:
            yield printer.write_with(shown)
            raise
        yield printer.write_with(shown)
        if not left:
            return
