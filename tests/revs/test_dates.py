"""Dates in words, as git 2.39.5 reads them (approxidate.json holds its answers)."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.revs.dates import approxidate, approxidate_careful

DATA = json.loads((Path(__file__).parent / "approxidate.json").read_text())
NOW = DATA["now"]


@pytest.fixture
def zone() -> Iterator[object]:
    before = os.environ.get("TZ")

    def set_zone(name: str) -> None:
        os.environ["TZ"] = name
        time.tzset()

    yield set_zone
    if before is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize("name", sorted({row[0] for row in DATA["rows"]}))
def test_as_git(name: str, zone) -> None:  # type: ignore[no-untyped-def]
    zone(name)
    for where, text, epoch in DATA["rows"]:
        if where == name:
            assert approxidate(text.encode(), NOW) == epoch, text


def test_what_means_nothing() -> None:
    assert approxidate_careful(b"foo bar", NOW) is None
    assert approxidate(b"foo bar", NOW) == NOW


def test_strict(zone) -> None:  # type: ignore[no-untyped-def]
    zone("UTC")
    assert approxidate_careful(b"2005-04-07 22:13:13 -0330", NOW) == 1112924593
    assert approxidate_careful(b"@1112911993 +0130", NOW) == 1112911993


WORDS = """1 2 31 99 2005 20200203 101112 jan feb mon last yesterday noon tea pm am never now ago day weeks months years

10:30 25:00 2020-01-02 1/2/19 13.2.18 T10 Z EST +0100 -05:30 @12 @1112911993 . - , foo é \x00""".split()  # noqa: SIM905


@given(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=30))
def test_never_fails(text: str) -> None:
    assert 0 <= approxidate(text.encode(), NOW) < 1 << 64
