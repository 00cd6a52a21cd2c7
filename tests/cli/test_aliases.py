"""Aliases: words as git cuts them, alias to alias, and what none of them may do."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.cli.aliases import split_words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"log -1", [b"log", b"-1"]),
        (b"log  '--format=%h x'\t\"a b\"", [b"log", b"--format=%h x", b"a b"]),
        (b'a\\ b \'c\\d\' "e\\"f"', [b"a b", b"c\\d", b'e"f']),
        (b"", [b""]),
    ],
)
def test_words(line: bytes, words: list[bytes]) -> None:
    assert split_words(line) == words


@pytest.mark.parametrize("line", [b"log 'x", b'log "x', b"log \\"])
def test_what_does_not_end(line: bytes) -> None:
    with pytest.raises(ValueError):
        split_words(line)


@pytest.fixture(scope="module")
def repo(unpack: Any) -> Path:
    path: Path = unpack("plain")
    return path


@pytest.mark.parametrize(
    ("alias", "status", "told"),
    [
        ("a='log", 128, b"fatal: bad alias.a string: unclosed quote\n"),
        ("a=a", 128, b"fatal: recursive alias: a\n"),
        ("a=nosuch", 1, b"expansion of alias 'a' failed; 'nosuch' is not a git command\n"),
        ("a=", 1, b"expansion of alias 'a' failed; '' is not a git command\n"),
        ("a", 128, b"error: missing value for 'alias.a'\nfatal: unable to parse 'alias.a' from command-line config\n"),
        ("a=!echo hi", 129, b"error: gitglass runs nothing: the alias 'a' is a program\n"),
        ("a=commit -m x", 129, b"error: gitglass only reads: 'commit' is not available\n"),
        ("a=diff --output=x", 129, b"error: gitglass diff does not take --output: it writes a file\n"),
        (
            "a=--git-dir=x log",
            128,
            b"fatal: alias 'a' changes environment variables.\nYou can use '!git' in the alias to do this\n",
        ),
    ],
)
def test_refusals(repo: Path, alias: str, status: int, told: bytes) -> None:
    done = gitglass.git(["-c", f"alias.{alias}", "a"], cwd=repo)
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", told)


def test_an_alias_of_an_alias_with_settings_of_its_own(repo: Path) -> None:
    front = ["-c", "alias.a=b -1", "-c", "alias.b=-c core.abbrev=12 log --format='%h x'"]
    want = gitglass.git(["-c", "core.abbrev=12", "log", "--format=%h x", "-1", "topic"], cwd=repo)
    assert gitglass.git([*front, "a", "topic"], cwd=repo).stdout == want.stdout
    plain = gitglass.git(["log", "-1", "--format=%h"], cwd=repo)
    assert gitglass.git(["-c", "alias.log=status", "log", "-1", "--format=%h"], cwd=repo).stdout == plain.stdout


def test_a_longer_loop_is_drawn(repo: Path) -> None:
    done = gitglass.git(["-c", "alias.a=b", "-c", "alias.b=a", "a"], cwd=repo)
    want = b"fatal: alias loop detected: expansion of 'a' does not terminate:\n  a <==\n  b ==>\n"
    assert (done.returncode, done.stderr) == (128, want)
