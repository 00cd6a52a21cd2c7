"""Raw lines and names are put together some at a time; where a piece ends makes no difference."""

import pytest
from tests.support.specs import changed

from gitglass.diff.changes import Change, Filespec
from gitglass.diff.spec import DiffSpec
from gitglass.diff.trees import Row, as_changes
from gitglass.render.diff import raw
from gitglass.render.quote import c_quote

CHANGES = [
    Change("A", Filespec(b"a"), Filespec(b"a", 0o100644, b"\1" * 20)),
    Change("M", Filespec(b"b", 0o100644, b"\2" * 20), Filespec(b"b", 0o100755, b"\3" * 20)),
    Change("D", Filespec(b"c d", 0o100644, b"\4" * 20), Filespec(b"c d")),
    Change("R", Filespec(b"old\n", 0o100644, b"\5" * 20), Filespec(b"new", 0o100644, b"\6" * 20), 87),
]
RAW = (
    b":000000 100644 ----- 01010 A\ta\n:100644 100755 02020 03030 M\tb\n:100644 000000 04040 ----- D\tc d\n"
    b':100644 100644 05050 06060 R087\t"old\\n"\tnew\n'
)


def hexes(oid: bytes | None) -> bytes:
    return b"-----" if oid is None else oid.hex().encode()[:5]


@pytest.mark.parametrize("piece", [1, 3, 4, 512])
def test_pieces_of_any_size(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "_PIECE", piece)
    spec, nul = DiffSpec(), DiffSpec(nul=True)
    pieces = list(raw.raw_lines(CHANGES, spec, c_quote, hexes, oids=True))
    assert b"".join(pieces) == RAW and len(pieces) == -(-len(CHANGES) // piece)
    status = b"".join(raw.raw_lines(CHANGES, nul, c_quote, hexes, oids=False))
    assert status == b"A\0a\0M\0b\0D\0c d\0R087\0old\n\0new\0"
    assert b"".join(raw.names(CHANGES, spec, c_quote)) == b"a\nb\nc d\nnew\n"
    assert b"".join(raw.names(CHANGES, nul, c_quote)) == b"a\0b\0c d\0new\0"


def test_a_prefix_stands_before_every_record() -> None:
    spec = DiffSpec()
    spec = changed(spec, patch__line_prefix=b"| ")
    assert b"".join(raw.names(CHANGES[:2], spec, c_quote)) == b"| a\n| b\n"
    lines = b"".join(raw.raw_lines(CHANGES[:2], spec, c_quote, hexes, oids=False))
    assert lines == b"| A\ta\n| M\tb\n"


@pytest.mark.parametrize("nul", [False, True])
@pytest.mark.parametrize("form", ["raw", "name_status", "name_only"])
def test_files_of_trees_are_written_as_changes_are(form: str, nul: bool) -> None:
    spec = changed(DiffSpec(), nul=nul, patch__line_prefix=b"| ", **{f"formats__{form}": True})
    rows: list[Row] = [
        (b"a", 0, None, 0o100644, b"\1" * 20),
        (b"b", 0o100644, b"\2" * 20, 0o120000, b"\3" * 20),
        (b"c d", 0o100644, b"\4" * 20, 0, None),
        (b"e\n", 0o100644, b"\5" * 20, 0o100755, b"\5" * 20),
    ]
    changes = as_changes(rows)
    if form == "name_only":
        expected = b"".join(raw.names(changes, spec, c_quote))
    else:
        expected = b"".join(raw.raw_lines(changes, spec, c_quote, hexes, oids=form == "raw"))
    write = raw.file_lines(spec, c_quote, hexes)
    assert write(rows) == expected
    assert b"".join(write([row]) for row in rows) == expected
    assert raw.file_lines(DiffSpec(), c_quote, hexes)(rows) == b""
