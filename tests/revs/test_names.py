"""Refspecs, short names and the little calendar."""

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.revs.abbrev import automatic_length
from gitglass.revs.calendar import civil, ident_day, rfc2822, zone_minutes
from gitglass.revs.tips import glob_of

from ..support.worktrees import Repo


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


NOTHING = "0" * 40
BEGUN = 1_600_000_000


@pytest.mark.parametrize(
    ("select", "value", "words"),
    [
        *zip("012345", (5, 4, 3, 0, 0, 0), [""] * 6, strict=True),
        *((str(BEGUN + at), value, "") for at, value in ((550, 4), (450, 3), (400, 3), (300, 2), (150, 0))),
        (str(BEGUN + 350), 5, "ref refs/heads/main unexpectedly ended on Sun, 13 Sep 2020 12:31:40 +0000"),
        (str(BEGUN + 250), 5, "ref refs/heads/main unexpectedly ended on Sun, 13 Sep 2020 12:30:00 +0000"),
        (str(BEGUN + 50), 0, "'main' only goes back to Sun, 13 Sep 2020 12:28:20 +0000"),
    ],
)
def test_a_log_with_entries_that_begin_at_nothing(tmp_path: Path, select: str, value: int, words: str) -> None:
    """Other programs write such, and git does after `checkout --orphan`. The answers are git 2.39.5's."""
    repo = Repo(tmp_path)
    blobs = [repo.put("blob", b"%d\n" % number).hex() for number in range(6)]
    olds = [NOTHING, blobs[0], NOTHING, NOTHING, *blobs[3:5]]
    rows = [f"{old} {new} A <a@x> {BEGUN + 100 * at} +0000\tm\n" for at, (old, new) in enumerate(zip(olds, blobs), 1)]
    (repo.git / "refs/heads/main").write_text(blobs[5] + "\n")
    (repo.git / "logs/refs/heads").mkdir(parents=True)
    (repo.git / "logs/refs/heads/main").write_text("".join(rows))
    done = gitglass.git(["rev-parse", f"main@{{{select}}}"], cwd=repo.top)
    assert done.stdout.decode() == blobs[value] + "\n"
    assert done.stderr.decode() == (f"warning: log for {words}\n" if words else "")
