"""SECURITY.md names tests and tools: each of them exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "SECURITY.md").read_text()
WORDS = sorted({word for quoted in re.findall(r"`([^`\n]+)`", TEXT) for word in quoted.split()})
FILES = [path for folder in ("tests", "benchmarks", "fuzz") for path in (ROOT / folder).rglob("*.py")]
TESTS = {name for path in FILES for name in re.findall(r"^ *def (test_\w+)\(", path.read_text(), re.MULTILINE)}


def is_there(word: str) -> bool:
    """Whether what a word names exists: a file, a module, or a test."""
    if word.endswith(".py"):
        return any(str(path).endswith("/" + word) for path in FILES)
    if "." in word:
        path = ROOT / word.replace(".", "/")
        return path.is_dir() or path.with_suffix(".py").is_file()
    return word in TESTS


NAMED = [
    word for word in WORDS
    if re.fullmatch(r"(tests|benchmarks|fuzz)(/[\w/]+\.py|(\.\w+)+)", word) or re.fullmatch(r"test_\w+(\.py)?", word)
]  # fmt: skip


@pytest.mark.parametrize("word", NAMED)
def test_what_is_named_is_there(word: str) -> None:
    assert is_there(word)


def test_enough_is_named_and_what_is_not_there_is_seen() -> None:
    assert len(NAMED) > 50
    assert not any(map(is_there, ("tests/no_such.py", "test_no_such.py", "tests.no_such", "test_no_such_thing")))


def test_every_row_on_writing_names_a_test() -> None:
    table = TEXT.partition("\n## Writing")[2].partition("\n## ")[0]
    rows = [row for row in table.splitlines() if row.startswith("| ")][1:]
    assert len(rows) > 20
    for row in rows:
        last = row.rstrip(" |").rpartition(" | ")[2]
        words = [word for quoted in re.findall(r"`([^`]+)`", last) for word in quoted.split()]
        assert any(word in NAMED for word in words), row
