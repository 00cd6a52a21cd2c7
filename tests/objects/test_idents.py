"""Ident lines, tolerantly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.objects.idents import split_ident


@pytest.mark.parametrize(
    ("line", "name", "mail", "epoch", "tz"),
    [
        (b"A U Thor <a@x> 1112911993 -0700", b"A U Thor", b"a@x", 1112911993, -700),
        (b"<a@x> 1 +0130", b"", b"a@x", 1, 130),
        (b"A  <  a@x > 1 +0000", b"A", b"  a@x ", 1, 0),
        (b"A <a>b> 1 +0000", b"A", b"a", 1, 0),
        (b"A <a@x>", b"A", b"a@x", 0, 0),
        (b"A <a@x> 12", b"A", b"a@x", 0, 0),  # without a zone there is no date
        (b"A <a@x> 99999999999999999999 +0100", b"A", b"a@x", 0, 0),
    ],
)
def test_split(line: bytes, name: bytes, mail: bytes, epoch: int, tz: int) -> None:
    ident = split_ident(line)
    assert ident is not None
    assert (ident.name, ident.mail, ident.time, ident.tz) == (name, mail, epoch, tz)


@pytest.mark.parametrize("line", [b"", b"name", b"a <b", b"a> b"])
def test_no_ident(line: bytes) -> None:
    assert split_ident(line) is None


@given(st.binary(max_size=60))
def test_any(line: bytes) -> None:
    ident = split_ident(line)
    if ident is not None:
        assert ident.time >= 0
