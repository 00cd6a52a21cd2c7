"""The lines of git ls-files, of rows that are given."""

import tracemalloc
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import BadRequest
from gitglass.index.index import Index
from gitglass.render import ls_files
from gitglass.render.ls_files import ListLook, has_columns, write_listing, write_paths, write_staged
from gitglass.render.quote import Quoter
from gitglass.worktree.listing import Listed, Staged

OIDS = bytes([0xAB]) * 20, bytes([0x12]) * 20
HEXES = b"ab" * 20, b"12" * 20


def style(prefix: bytes = b"") -> Any:
    store = SimpleNamespace(hash_len=20, work_tree=None, files=None, index=Index(20))
    return SimpleNamespace(prefix=prefix, quote=Quoter(), store=store)


def text_of(paths: list[bytes], look: ListLook, style: Any) -> bytes:
    return b"".join(write_paths(paths, look, style))


@pytest.mark.parametrize(
    ("look", "prefix", "expected"),
    [
        (ListLook(), b"", b"d/a\nd/b\n"),
        (ListLook(null=True), b"", b"d/a\0d/b\0"),
        (ListLook(), b"d/", b"a\nb\n"),
        (ListLook(null=True), b"e/", b"../d/a\0../d/b\0"),
        (ListLook(full_name=True), b"d/", b"d/a\nd/b\n"),
        (ListLook(null=True, full_name=True), b"d/", b"d/a\0d/b\0"),
    ],
)
def test_paths_alone(look: ListLook, prefix: bytes, expected: bytes) -> None:
    assert text_of([b"d/a", b"d/b"], look, style(prefix)) == expected
    assert text_of([b"d/a\0\0", b"d/b\0"], look, style(prefix)) == expected  # as in the index's file


def test_the_lines_of_a_whole_index_stay_with_it() -> None:
    here = style()
    index = here.store.index
    index.paths = [b"a", b"d/b"]
    (first,) = write_paths(index.names, ListLook(), here)
    assert first == b"a\nd/b\n" and next(write_paths(index.names, ListLook(), here)) is first
    assert text_of([b"a"], ListLook(), here) == b"a\n"  # not all of it
    index.forget()
    index.paths = [b"c"]
    assert text_of(index.names, ListLook(), here) == b"c\n"


@given(
    st.lists(st.sampled_from([b"a", b"d/b\0\0", b"d/long name", b"\xc3\xa9", b"", b"c\nd\0"]), max_size=9),
    st.builds(ListLook, null=st.booleans(), full_name=st.booleans()),
    st.sampled_from([b"", b"d/"]),
)
def test_long_paths_are_written_in_parts(paths: list[bytes], look: ListLook, prefix: bytes) -> None:
    whole = text_of(paths, look, style(prefix))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ls_files, "_MOST_BYTES", 7)
        patch.setattr(ls_files, "_PART", 2)
        assert text_of(paths, look, style(prefix)) == whole


def test_very_long_paths_are_never_all_in_one_text() -> None:
    paths = [b"%b%05d" % (b"a/" * 2000, number) for number in range(20_000)]
    tracemalloc.start()
    try:
        assert sum(map(len, write_paths(paths, ListLook(), style()))) == 20_000 * 4006
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


def test_odd_paths() -> None:
    assert text_of([], ListLook(), style()) == b""
    assert text_of([b"a\nb", b"c"], ListLook(), style()) == b'"a\\nb"\nc\n'
    assert text_of([b"\xc3\xa9"], ListLook(), style()) == b'"\\303\\251"\n'
    assert text_of([b"\xc3\xa9"], ListLook(null=True), style()) == b"\xc3\xa9\0"
    assert text_of([b"", b"a"], ListLook(), style()) == b"./\na\n"
    assert text_of([b"\0", b"a\0"], ListLook(), style()) == b"./\na\n"
    assert text_of([b"\xc3\xa9\0"], ListLook(), style()) == b'"\\303\\251"\n'


def test_entries_with_mode_name_and_stage() -> None:
    heads = [
        bytes(24) + mode.to_bytes(4, "big") + bytes(12) + oid + bytes([stage << 4, 1])
        for mode, oid, stage in zip((0o100644, 0o120000), OIDS, (0, 2), strict=True)
    ]
    rows = [Staged([b"a\0\0", b'q"\0'], b"".join(heads))]
    first, second = b"100644 " + HEXES[0] + b" 0\t", b"120000 " + HEXES[1] + b" 2\t"
    assert b"".join(write_staged(rows, ListLook(stage=True), style())) == first + b"a\n" + second + b'"q\\""\n'
    assert b"".join(write_staged(rows, ListLook(stage=True, null=True), style())) == first + b"a\0" + second + b'q"\0'


ENTRIES = [
    (b"a", 0o100644, 0, False), (b'q"', 0o120000, 0, True), (b"x/y", 0o100755, 1, False), (b"x/y", 0o100755, 3, True),
]  # fmt: skip


@pytest.mark.parametrize("chosen", [slice(0, 1), slice(0, 2), slice(0, 4), slice(2, 4)])
@pytest.mark.parametrize(
    "look",
    [
        ListLook(tags=True), ListLook(tags=True, lower=True), ListLook(tags=True, stage=True),
        ListLook(tags=True, lower=True, stage=True, null=True), ListLook(format=b"%(path)"), ListLook(format=b"x%%%n%x41"),
        ListLook(format=b"%(objectmode) %(objectname)%x09%(stage) %(path)", null=True), ListLook(format=b"%(stage)%(path)!"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("prefix", [b"", b"x/"])
def test_columns_of_entries_are_the_lines_of_each(look: ListLook, prefix: bytes, chosen: slice) -> None:
    entries = ENTRIES[chosen]
    heads = [
        bytes(24) + mode.to_bytes(4, "big") + bytes(12) + OIDS[0] + bytes([stage << 4 | (valid << 7), 1])
        for _, mode, stage, valid in entries
    ]
    rows = [
        Listed("M" if stage else "H", path, mode, OIDS[0], stage, assume_valid=valid)
        for path, mode, stage, valid in entries
    ]
    expected = b"".join(write_listing(iter(rows), look, style(prefix)))
    for padding in (b"", b"\0\0"):
        parts = [Staged([path + padding for path, *_ in entries], b"".join(heads))]
        assert b"".join(write_staged(parts, look, style(prefix))) == expected


@pytest.mark.parametrize(
    ("form", "has"),
    [(b"", True), (b"a%%b%n%x0a", True), (b"%(path)%(stage)", True), (b"%(eolattr)", False), (b"%(path", False),
     (b"%q", False), (b"%x4g", False), (b"%(objectsize)", False), (b"%", False)],
)  # fmt: skip
def test_formats_that_are_made_of_columns(form: bytes, has: bool) -> None:
    assert has_columns(form) == has


def listing(look: ListLook, *rows: Listed) -> bytes:
    return b"".join(write_listing(iter(rows), look, style()))


def test_tags() -> None:
    cached, other = Listed("H", b"a", 0o100644, OIDS[0], assume_valid=True), Listed("?", b"b", assume_valid=True)
    assert listing(ListLook(tags=True), cached, other) == b"H a\n? b\n"
    assert listing(ListLook(tags=True, lower=True), cached, other) == b"h a\n! b\n"
    assert listing(ListLook(tags=True, stage=True), cached, other) == b"H 100644 %b 0\ta\n? b\n" % HEXES[0]
    assert listing(ListLook(), Listed("U", b"a", 0o100644, OIDS[0], 3)) == b"100644 %b 3\ta\n" % HEXES[0]


def test_stat_data_of_an_entry() -> None:
    row = Listed("H", b"a", facts=((1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 0x3000))
    assert listing(ListLook(), row) == (
        b"a\n  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  uid: 8\tgid: 9\n  size: 10\tflags: 3000\n"
    )


def test_formats() -> None:
    row = Listed("H", b"a", 0o100755, OIDS[0], 1)
    form = b"%(objectmode) %(objectname)%x41%%%n%(stage)|%(path)"
    assert listing(ListLook(format=form), row) == b"100755 %bA%%\n1|a\n" % HEXES[0]
    assert listing(ListLook(format=b"%(path)", null=True), row, row) == b"a\0a\0"


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (b"a%q", "bad ls-files format: element 'q' does not start with '('"),
        (b"%x4g", "bad ls-files format: element 'x4g' does not start with '('"),
        (b"%(path", "bad ls-files format: element '(path' does not end in ')'"),
        (b"%(nosuch) b", "bad ls-files format: %(nosuch)"),
    ],
)
def test_bad_formats(form: bytes, message: str) -> None:
    with pytest.raises(BadRequest) as raised:
        listing(ListLook(format=form), Listed("H", b"a"))
    assert raised.value.message == message
