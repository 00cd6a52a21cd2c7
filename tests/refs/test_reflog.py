"""Reflog lines, as tolerant as git."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Timeout
from gitglass.limits import Context, Limits
from gitglass.refs.reflog import Reflog, parse_entry

A, B = b"a" * 40, b"b" * 40


def line(time: int, message: bytes = b"\tcommit: x") -> bytes:
    return b"%b %b A U <a@b> %d -0330%b" % (A, B, time, message)


def test_newest_first() -> None:
    log = Reflog(b"HEAD", [line(1), b"rubbish", line(3, b""), line(2, b"\tlast")], 20)
    assert [entry.time for entry in log] == [2, 3, 1] and len(log) == 3
    first = log.at(0)
    assert first is not None and (first.ident, first.tz, first.message) == (b"A U <a@b>", -330, b"last")
    assert log.at(3) is None and log.at_time(2) == 0 and log.at_time(0) is None


def test_an_entry_of_time_zero_is_none() -> None:
    log = Reflog(b"HEAD", [line(1, b"\tfirst"), line(0), line(0).replace(b" 0 ", b" 000 "), line(2, b"\tlast")], 20)
    assert [entry.message for entry in log] == [b"last", b"first"]


def test_none_and_empty_differ() -> None:
    assert not Reflog(b"x", None, 20).exists and Reflog(b"x", [], 20).exists and not Reflog(b"x", [], 20)


@given(st.binary(max_size=150))
def test_noise_is_no_entry(noise: bytes) -> None:
    parse_entry(noise, 20)
    parse_entry(line(5)[:90] + noise, 20)


def test_a_long_log_is_read_by_the_clock() -> None:
    log = Reflog(b"HEAD", [b"no entry"] * 5000, 20)
    with pytest.raises(Timeout), Context(Limits(timeout=0)):
        log.at(0)
