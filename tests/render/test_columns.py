"""Columns as git lays them out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.config.config import Config, Entry, Source
from gitglass.errors import GitError, InvalidArgs
from gitglass.render.columns import ColumnMode, column_mode, lay_out

ITEMS = [b"alpha", b"b", b"gamma-long", b"d", b"\xc3\xa9", b"zz"]


def test_by_column_by_row_dense() -> None:
    assert lay_out(ITEMS, ColumnMode(True), 40) == b"alpha      gamma-long \xc3\xa9\nb          d          zz\n"
    assert (
        lay_out(ITEMS, ColumnMode(True, by_row=True), 40)
        == b"alpha      b          gamma-long\nd          \xc3\xa9          zz\n"
    )
    assert lay_out(ITEMS, ColumnMode(True, dense=True), 24) == b"alpha gamma-long \xc3\xa9\nb     d          zz\n"
    assert lay_out(ITEMS, ColumnMode(True), 4) == b"".join(item + b"\n" for item in ITEMS)
    assert lay_out(ITEMS[:2], ColumnMode(True, plain=True), 80, indent=b"  ") == b"  alpha\n  b\n"


@given(
    st.lists(st.text("ab", min_size=1, max_size=9).map(str.encode), max_size=20),
    st.integers(5, 60),
    st.booleans(),
    st.booleans(),
)
def test_everything_is_there_and_fits(items: list[bytes], width: int, by_row: bool, dense: bool) -> None:
    text = lay_out(items, ColumnMode(True, by_row=by_row, dense=dense), width)
    assert sorted(text.split()) == sorted(items)
    for line in text.splitlines():
        assert line == line.rstrip() and (len(line) < width or b" " not in line)


def config(**values: str) -> Config:
    source = Source("local", b"file:.git/config")
    return Config(Entry(b"column." + key.encode(), value.encode(), 1, source) for key, value in values.items())


def test_who_decides() -> None:
    assert not column_mode(config(), "tag", None, True).on
    assert (
        column_mode(config(ui="auto"), "tag", None, True).on
        and not column_mode(config(ui="auto"), "tag", None, False).on
    )
    assert column_mode(config(ui="row"), "tag", None, False) == ColumnMode(True, by_row=True)
    assert not column_mode(config(ui="always", tag="never"), "tag", None, False).on
    assert column_mode(config(), "tag", ["row,dense", ""], False) == ColumnMode(True, by_row=True, dense=True)
    assert not column_mode(config(), "tag", ["row", "no"], False).on
    with pytest.raises(InvalidArgs, match="unsupported option 'foo'"):
        column_mode(config(), "tag", "foo", False)
    with pytest.raises(GitError, match=r"invalid column.ui mode foo"):
        column_mode(config(ui="foo"), "tag", None, False)
