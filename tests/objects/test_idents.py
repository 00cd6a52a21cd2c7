"""Ident lines, tolerantly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.objects.idents import number_of, split_ident


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
        (b"A <a@x> " + b"9" * 5000 + b" +0100", b"A", b"a@x", 0, 0),  # more digits than Python makes a number of
        (b"A <a@x> " + b"0" * 5000 + b"7 +0100", b"A", b"a@x", 7, 100),
        (b"A <a@x> 7 -" + b"9" * 5000, b"A", b"a@x", 7, 0),
        (b"A <a@x> 7 -" + b"0" * 5000 + b"130", b"A", b"a@x", 7, -130),
    ],
)
def test_split(line: bytes, name: bytes, mail: bytes, epoch: int, tz: int) -> None:
    ident = split_ident(line)
    assert ident is not None
    assert (ident.name, ident.mail, ident.time, ident.tz) == (name, mail, epoch, tz)


@pytest.mark.parametrize(
    ("digits", "number"),
    [(b"", 0), (b"0017", 17), (b"1" * 19, int("1" * 19)), (b"18446744073709551614", (1 << 64) - 2)]
    + [(digits, (1 << 64) - 1) for digits in (b"18446744073709551616", b"9" * 20, b"9" * 23, b"9" * 5000)],
)
def test_a_number_is_clamped(digits: bytes, number: int) -> None:
    assert number_of(digits) == number


@pytest.mark.parametrize("line", [b"", b"name", b"a <b", b"a> b"])
def test_no_ident(line: bytes) -> None:
    assert split_ident(line) is None


@given(st.binary(max_size=60))
def test_any(line: bytes) -> None:
    ident = split_ident(line)
    if ident is not None:
        assert ident.time >= 0
