"""What git grep prints, in its strange corners."""

from pathlib import Path
from typing import Any

import gitglass


def lines(cwd: Path, *argv: str) -> list[str]:
    return gitglass.git(["grep", *argv], cwd=cwd).stdout.decode().splitlines()


def test_the_column_of_later_matches_is_a_sum(unpack: Any) -> None:
    rows = lines(unpack("plain"), "-o", "--column", "-h", "r", "HEAD", "--", "src/app.py")
    assert rows
    assert all(row.endswith(":r") for row in rows)


def test_a_mark_stands_between_files_and_not_in_front(unpack: Any) -> None:
    rows = lines(unpack("plain"), "-A1", "return", "HEAD")
    assert rows[0] != "--"
    assert "--" in rows
    assert lines(unpack("plain"), "--break", "return", "HEAD")[0] != ""


def test_nul_takes_the_place_of_every_separator(unpack: Any) -> None:
    rows = lines(unpack("plain"), "-z", "-n", "return", "HEAD")
    assert all(row.count("\0") == 2 for row in rows)
