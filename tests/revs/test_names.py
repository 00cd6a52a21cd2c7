"""Refspecs, short names and the little calendar."""

import datetime

from hypothesis import given
from hypothesis import strategies as st

from gitglass.revs.abbrev import automatic_length
from gitglass.revs.calendar import civil, ident_day, rfc2822, zone_minutes
from gitglass.revs.names import map_refspecs
from gitglass.revs.tips import glob_of


def test_refspecs() -> None:
    specs = [b"+refs/heads/*:refs/remotes/origin/*", b"refs/tags/v1:refs/tags/one"]
    assert map_refspecs(specs, b"refs/heads/a/b") == b"refs/remotes/origin/a/b"
    assert map_refspecs(specs, b"refs/tags/v1") == b"refs/tags/one"
    assert map_refspecs([*specs, b"^refs/heads/a/*"], b"refs/heads/a/b") is None
    assert map_refspecs(specs, b"refs/notes/x") is None


def test_automatic_length_grows_with_the_square_root_of_the_objects() -> None:
    assert [automatic_length(n) for n in (0, 100, 1 << 13, 1 << 14, 1 << 16, 1 << 20)] == [7, 7, 7, 8, 9, 11]


def test_glob_without_wildcards_means_all_below() -> None:
    assert glob_of(b"refs/heads/x") == b"refs/heads/x/*"
    assert glob_of(b"refs/heads/") == b"refs/heads/*"
    assert glob_of(b"refs/h[e]ads") == b"refs/h[e]ads"


@given(st.integers(-700_000, 2_900_000))
def test_civil_agrees_with_the_standard_library(day: int) -> None:
    date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
    assert civil(day) == (date.year, date.month, date.day)


def test_dates_in_warnings() -> None:
    assert rfc2822(1700004321, 200) == "Wed, 15 Nov 2023 01:25:21 +0200"
    assert zone_minutes(-330) == -210
    assert ident_day(b"A <a@b> 1700004321 +0200") == "2023-11-15"
    assert ident_day(b"garbage") == "1970-01-01"
