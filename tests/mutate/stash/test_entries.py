"""stash/entries.py: the lines of the log, as git 2.39 writes them. More of the stash is in test_twins."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, read, run

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = empty(tmp_path / "repo", bare=False)
    commit(repo, "one")
    return repo


def push(repo: Path, message: str) -> None:
    (repo / "f").write_text(message)
    run(repo, "stash", "push", "-q", "-m", message)


def messages(repo: Path) -> list[bytes]:
    lines = (repo / ".git/logs/refs/stash").read_bytes().split(b"\n")
    assert lines.pop() == b""
    return [line.partition(b"\t")[2] for line in lines]


@pytest.mark.parametrize(
    ("message", "logged"),
    [
        ("one\ntwo", b"On main: one two"), (" a\t\tb\f\vc\r\rd \n\n", b"On main: a b\f\vc d"), (" ", b"On main:"),
        (f"m\n{0:040} {1:040} F <f@f> 1 +0000\tforged", b"On main: m " + b"%040d %040d" % (0, 1) + b" F <f@f> 1 +0000 forged"),
    ],
)  # fmt: skip
def test_white_space_in_a_message_is_one_blank_in_the_log(repo: Path, message: str, logged: bytes) -> None:
    """The commit has the message as it is: a line end in the log would be the end of the entry."""
    (repo / "f").write_text("two")
    run(repo, "stash", "push", "-q", "-m", message)
    assert messages(repo) == [logged]
    assert read(repo, "log", "-1", "--format=%B", "stash").rstrip("\n") == f"On main: {message}".rstrip("\n")
    made = read(repo, "rev-parse", "stash")
    run(repo, "stash", "clear")
    run(repo, "stash", "store", "-m", message, made)
    assert messages(repo) == [logged.removeprefix(b"On main:").lstrip(b" ")]


def test_an_entry_beside_one_with_line_ends_is_dropped(repo: Path) -> None:
    for message in ("a", "b\nc", "d"):
        push(repo, message)
    run(repo, "stash", "drop", "-q", "stash@{1}")
    assert messages(repo) == [b"On main: a", b"On main: d"]


def test_lines_end_with_a_line_feed_alone(repo: Path) -> None:
    for message in ("a", "b", "c"):
        push(repo, message)
    log = repo / ".git/logs/refs/stash"
    log.write_bytes(log.read_bytes().replace(b": b", b": b\rb"))
    run(repo, "stash", "drop", "-q", "stash@{0}")
    assert messages(repo) == [b"On main: a", b"On main: b\rb"]


def test_what_is_no_entry_is_not_counted(repo: Path) -> None:
    """git removes such lines; here they stay, and the ref follows the last entry."""
    for message in ("a", "b", "c"):
        push(repo, message)
    log = repo / ".git/logs/refs/stash"
    first, second, third = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + b"garbage\n" + second + third + b"more\n")
    run(repo, "stash", "drop", "-q", "stash@{2}")
    assert log.read_bytes() == b"garbage\n" + b"0" * 40 + second[40:] + third + b"more\n"
    run(repo, "stash", "drop", "-q", "stash@{0}")
    assert read(repo, "rev-parse", "stash") == second[41:81].decode()
