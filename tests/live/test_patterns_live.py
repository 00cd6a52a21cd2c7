"""The dialects of regular expressions compared with the git that is installed: the table and what is drawn from it."""

import os
import random
import subprocess
from pathlib import Path

import pytest
from tests.test_pattern_table import NOT_SUPPORTED, TABLE, TOO_BIG, answer, place

pytestmark = pytest.mark.live
__all__ = ["place"]
_PIECES = [
    "a",
    "b",
    "[ab]",
    "[^a]",
    ".",
    "x",
    "\\w",
    "\\b",
    "\\W",
    "é",
    " ",
    "(a|b)",
    "(?:ab|c)",
    "(?=a)",
    "(?!b)",
    "\\d",
    "^",
    "$",
]
_REPEATS = ["", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "++"]
_WITHOUT = {piece for group in NOT_SUPPORTED.values() for piece in group} | set(TOO_BIG["-P"])


_FOLDED = [*"akKsSiIßẞſ", "ı", "İ", "\u212a", "µ", "Å", "ς", "[k]", "[^k]", "[a-z]", "[A-z]", "[ſ]", "[ß]", "[[:upper:]]", ".",
           "\\w", "\\b", "\\W", " ", "(s|k)", "(i)\\1", "(ß)"]  # fmt: skip


def _git(pattern: str, cwd: Path, flags: tuple[str, ...] = ("-P",)) -> list[object]:
    common = ["git", "grep", "--no-index", "-h", "-n", *flags]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "GIT_CONFIG_GLOBAL": "/dev/null"}
    ends = [
        subprocess.run([*common, *more, "-e", pattern, "lines"], cwd=cwd, env=environment, capture_output=True)
        for more in ([], ["--column", "-o"])
    ]
    numbers = [int(row.split(b":")[0]) for row in ends[0].stdout.split(b"\n") if row]
    found: list[object] = [ends[0].returncode, numbers, os.fsdecode(ends[1].stdout), os.fsdecode(ends[0].stderr)]
    while not found[-1] and len(found) > 1:
        found.pop()
    return found


def test_drawn_patterns(place: Path) -> None:
    dice = random.Random(14)
    for _ in range(120):
        pattern = "".join(dice.choice(_PIECES) + dice.choice(_REPEATS) for _ in range(dice.randint(1, 5)))
        assert answer("-P", pattern, place) == _git(pattern, place), pattern


def test_drawn_patterns_where_case_is_ignored(place: Path) -> None:
    dice = random.Random(16)
    for kind in ("-E", "-G"):
        for _ in range(120):
            repeats = ["", "", "*", "+", "?", "{2}"] if kind == "-E" else ["", "", "*", "\\+"]
            pattern = "".join(dice.choice(_FOLDED) + dice.choice(repeats) for _ in range(dice.randint(1, 4)))
            if kind == "-G":
                pattern = pattern.replace("(", "\\(").replace(")", "\\)").replace("|", "\\|")
            assert answer(f"{kind}i", pattern, place) == _git(pattern, place, (kind, "-i")), pattern


def test_the_record_is_of_this_git(place: Path) -> None:
    for pattern in random.Random(15).sample(sorted(TABLE["-P"]), 100):
        assert pattern in _WITHOUT or _git(pattern, place) == TABLE["-P"][pattern], pattern
