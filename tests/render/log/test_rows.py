"""Commits printed from rows: what the writer of entries prints, in every format and shape."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from tests.support.specs import changed

from gitglass.errors import NotFound
from gitglass.history.log_diff import LogEntry, Part
from gitglass.history.spec import BOUNDARY, LEFT, PATCHSAME, UNINTERESTING, WalkEntry
from gitglass.render.log.graph import Graph
from gitglass.render.log.rows import Changed, Row, RowPrinter, batches

from .test_log import Log, oid, walked

FORMS = ["oneline", "short", "medium", "full", "fuller", "raw", "email", "tformat:%m %h %s", "format:%s%n%b", "format:",
         "tformat:%S %P"]  # fmt: skip
SHAPES: list[dict[str, Any]] = [
    {}, {"sides": True}, {"cherry": True}, {"parents": True}, {"children": True}, {"source": True}, {"nul": True},
    {"log_size": True}, {"line_prefix": b"| "}, {"children": True, "sides": True}, {"source": True, "cherry": True},
]  # fmt: skip
SIGNS = [0, LEFT, PATCHSAME, BOUNDARY, UNINTERESTING, BOUNDARY | LEFT]
#: of each commit those of the parents that a graph has lines to; the first has no child among them
DRAWN = {1: (3, 2), 2: (4,), 3: (4, 5, 6), 4: (5,), 5: (6,), 6: ()}


def commits(shape: dict[str, Any], *, graph: bool) -> tuple[list[WalkEntry], list[Row]]:
    """The same commits as entries and as rows."""
    entries: list[WalkEntry] = []
    rows: list[Row] = []
    for number, flags in zip(DRAWN, SIGNS, strict=True):
        message = b"c%d\n\nand more\n" % number if number % 2 else b""
        entry = walked(number, message, flags, tuple(map(oid, (8, 9)[: number % 3])))
        beside: tuple[bytes, ...] = ()
        if graph:
            beside = entry.graph_parents = tuple(map(oid, DRAWN[number]))
        elif shape.get("children"):
            beside = entry.children = (oid(7),) * (number % 3)
        elif shape.get("source") and number != 4:
            entry.source = b"name%d" % number
            beside = (entry.source,)
        entries.append(entry)
        rows.append((entry.oid, entry.parents, entry.commit.raw, flags, beside))
    return entries, rows


def printer_of(log: Log) -> RowPrinter:
    return RowPrinter(log.printer, log.writer.shape, log.printer.env.palette, log.spec.formats, lambda: log.writer)


def drawn(graph: bool, color: bool) -> dict[str, Any]:
    return {"graph": Graph((b"[1]", b"[2]", b"[3]") if color else (), b"[0]" if color else b"")} if graph else {}


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_rows_are_printed_as_entries_are(form: str, graph: bool, color: bool) -> None:
    for shape in SHAPES:
        if graph and ("children" in shape or "source" in shape):
            continue  # a row has one of these
        entries, rows = commits(shape, graph=graph)
        for cuts in ([0, 6], [0, 1, 3, 6]):
            log = Log(form, color, **shape, **drawn(graph, color))
            write = printer_of(log).write
            printed = b"".join(write(rows[start:end]) for start, end in pairwise(cuts))
            assert printed == Log(form, color, **shape, **drawn(graph, color)).write(*entries), (shape, cuts)


def test_notes_and_refs_stand_where_they_do_for_entries() -> None:
    for form in ("oneline", "medium"):
        entries, rows = commits({}, graph=False)
        logs = [Log(form), Log(form)]
        for log in logs:
            log.printer.decorated = True
            log.printer.env.decorations.text = lambda name, palette: b" (here)" if name == oid(2) else b""
            log.printer.env.notes = lambda name: b"Notes:\n    n\n" if name == oid(3) else b""
        printed = printer_of(logs[0]).write(rows)
        assert printed == logs[1].write(*entries)
        assert printed.count(b" (here)") == printed.count(b"Notes:") == 1


@pytest.mark.parametrize("formats", [["raw"], ["patch"], ["patch", "stat"], []])
@pytest.mark.parametrize("nul", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_changes_stand_where_those_of_entries_do(form: str, nul: bool, formats: list[str]) -> None:
    """Of six commits some have a diff, some nothing, and one goes through the writer of entries."""
    entries, rows = commits({}, graph=False)
    logs = [Log(form, nul=nul) for _ in range(2)]
    for log in logs:
        log.spec = log.writer.spec = changed(log.spec, **{f"formats__{name}": True for name in formats})
    printer = printer_of(logs[0])
    if not printer.writes_changes:
        assert form in ("email", "format:")
        return
    part = Part([])
    changes: list[Changed] = [[b"DIFF\n"], None, [], [b"DI", b"FF\n"], None, [b"DIFF\n"]]
    shown = [LogEntry(entry, () if change is None else [part]) for entry, change in zip(entries, changes, strict=True)]
    both = list(zip(rows, changes, strict=True))
    for cuts in ([0, 2], [0, 1, 2]):
        printer = printer_of(logs[0])
        printed = b"".join(printer.write_with(both[start:end]) for start, end in pairwise(cuts))
        printed += b"".join(printer.write_entry(shown[2]))
        printed += printer.write_with(both[3:5]) + printer.write_with([]) + printer.write_with(both[5:])
        log = Log(form, nul=nul)
        log.writer.spec = logs[0].spec
        assert printed == log.write(*shown), cuts


@pytest.mark.parametrize("shape", [{"line_prefix": b"| "}, {"log_size": True}, {"graph": Graph()}])
def test_no_changes_are_written_beside_a_graph_or_with_lines_between(shape: dict[str, Any]) -> None:
    assert printer_of(Log("oneline")).writes_changes
    assert not printer_of(Log("oneline", **shape)).writes_changes


def walk(count: int, fails: bool = False, raw: bytes | None = None) -> Iterator[Any]:
    for number in range(count):
        yield oid(number), (), raw, 0, ()
    if fails:
        raise NotFound("no more")


def test_batches_grow_and_an_error_comes_behind_what_was_met() -> None:
    for reader in (None, lambda: bytes.hex):
        met: list[int] = []
        with pytest.raises(NotFound):
            met.extend(len(batch) for batch in batches(walk(12, fails=True), reader))  # type: ignore[arg-type]
        assert met == [1, 2, 4, 5]
    assert [len(batch) for batch in batches(walk(3), None)] == [1, 2]
    assert list(batches(walk(0), None)) == []


def test_batches_are_bounded() -> None:
    many = ((b"%020d" % number, (), None, 0, ()) for number in range(2000))
    assert max(len(batch) for batch in batches(many, lambda: lambda oid: b"")) == 256
    large = bytes(600_000)
    assert [len(batch) for batch in batches(walk(7), lambda: lambda oid: large)] == [1, 2, 2, 2]


def test_what_the_walk_has_read_is_not_read_again_and_the_reader_is_made_late() -> None:
    made: list[str] = []

    def reader() -> Any:
        made.append("made")
        return lambda oid: pytest.fail("read again")

    rows = walk(2, raw=b"text")
    assert made == []
    assert [row[2] for batch in batches(rows, reader) for row in batch] == [b"text"] * 2
    assert made == ["made"]
