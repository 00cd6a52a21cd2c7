"""Moments as text in every mode; expectations observed from git 2.39.5."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import GitError
from gitglass.render.dates import dater, parse_date_mode, relative

NOW = 1785000000
MODES = [
    "default",
    "iso",
    "iso-strict",
    "rfc",
    "short",
    "relative",
    "human",
    "raw",
    "unix",
    "format:%c %z",
    "iso-local",
]


@pytest.mark.parametrize(
    ("mode", "epoch", "tz", "shown"),
    [
        (b"default", 1112911993, -700, b"Thu Apr 7 15:13:13 2005 -0700"),
        (b"default", 1112911993, -1, b"Thu Apr 7 22:12:13 2005"),  # git takes -0001 for "no zone shown"
        (b"iso", 1112911993, 530, b"2005-04-08 03:43:13 +0530"),
        (b"iso-strict", 1112911993, 0, b"2005-04-07T22:13:13+00:00"),
        (b"rfc2822", 1112911993, -330, b"Thu, 7 Apr 2005 18:43:13 -0330"),
        (b"short", 253402300800, 0, b"10000-01-01"),
        (b"raw", 5, -30, b"5 -0030"),
        (b"unix", 5, -30, b"5"),
        (b"default", 1 << 62, 100, b"Thu Jan 1 00:00:00 1970 +0000"),
        (b"format:%Y-%m-%d %H%%%z %Z|%s|%Q", 1112911993, -700, b"2005-04-07 15%-0700 |1112911993|%Q"),
        (b"format:", 1, 0, b""),
        (b"human", NOW - 100, 0, b"2 minutes ago"),
        (b"human", 1112911993, 0, b"Apr 7 2005"),
        (b"auto:iso", 1112911993, 0, b"Thu Apr 7 22:13:13 2005 +0000"),
    ],
)
def test_modes(mode: bytes, epoch: int, tz: int, shown: bytes) -> None:
    assert dater(parse_date_mode(mode), NOW)(epoch, tz) == shown


@pytest.mark.parametrize(
    ("age", "shown"),
    [
        (-1, b"in the future"),
        (1, b"1 second ago"),
        (89, b"89 seconds ago"),
        (90, b"2 minutes ago"),
        (5400, b"2 hours ago"),
        (36 * 3600, b"2 days ago"),
        (14 * 86400, b"2 weeks ago"),
        (70 * 86400, b"2 months ago"),
        (365 * 86400, b"1 year ago"),
        (400 * 86400, b"1 year, 1 month ago"),
        (1825 * 86400, b"5 years ago"),
    ],
)
def test_relative(age: int, shown: bytes) -> None:
    assert relative(NOW - age, NOW) == shown


@pytest.mark.parametrize("mode", [b"nosuch", b"iso-foo", b"format", b"formatx", b""])
def test_bad_modes(mode: bytes) -> None:
    with pytest.raises(GitError, match=r"unknown date format|missing colon separator"):
        parse_date_mode(mode)


def test_before_the_epoch() -> None:
    with pytest.raises(GitError, match="Timestamp before Unix epoch: 5 -030"):
        dater(parse_date_mode(b"iso"), NOW)(5, -30)


@given(st.integers(0, (1 << 63) - 1), st.integers(0, 99999), st.sampled_from(MODES))
def test_any_moment(epoch: int, tz: int, mode: str) -> None:
    show = dater(parse_date_mode(mode.encode()), NOW)
    assert show(epoch, tz) == show(epoch, tz)
