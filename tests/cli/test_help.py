"""`help` and `--help`: our own texts for what is there, and a refusal by name for what is not."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.commands.registry import NAMES


def ask(place: Path, *argv: str) -> tuple[int, bytes, bytes]:
    done = gitglass.git(list(argv), cwd=place)
    return done.returncode, done.stdout, done.stderr


def test_alone_it_is_the_overview(unpack: Any) -> None:
    assert ask(unpack("plain"), "help") == ask(unpack("plain"), "--help") == ask(unpack("plain"), "help", "git")
    assert ask(unpack("plain"), "help")[1].startswith(b"usage: gitglass ")


def test_all_lists_every_command(unpack: Any) -> None:
    status, out, err = ask(unpack("plain"), "help", "-a")
    assert (status, err) == (0, b"")
    assert {line.split()[0] for line in out.decode().splitlines()[2:]} == set(NAMES)
    assert ask(unpack("plain"), "help", "--all")[1] == out


@pytest.mark.parametrize("name", ["log", "annotate", "rev-list"])
def test_of_a_command_it_is_the_usage(unpack: Any, name: str) -> None:
    """With the status of an answer, where `-h` has that of a complaint."""
    usage = b"".join(ask(unpack("plain"), name, "-h")[1:])
    assert ask(unpack("plain"), "help", name) == ask(unpack("plain"), name, "--help") == (0, usage, b"")


def test_of_an_alias_it_is_what_it_stands_for(unpack: Any) -> None:
    assert ask(unpack("plain"), "-c", "alias.st=status -s", "help", "st") == (
        0,
        b"'st' is aliased to 'status -s'\n",
        b"",
    )


@pytest.mark.parametrize(
    ("words", "status", "complaint"),
    [
        (["help", "nosuch"], 16, b"No manual entry for gitnosuch\n"),
        (["help", "everyday"], 16, b"No manual entry for giteveryday\n"),
        (["nosuch", "--help"], 16, b"No manual entry for gitnosuch\n"),
        (["help", "commit"], 129, b"error: gitglass only reads: 'commit' is not available\n"),
        (["help", "-c"], 129, b"error: gitglass help does not take -c: it has no list of settings\n"),
        (["help", "-g", "x"], 129, b"fatal: the '--guides' option doesn't take any non-option arguments\n"),
        (["help", "-a", "log"], 129, b"fatal: the '--all' option doesn't take any non-option arguments\n"),
        (["help", "--bogus"], 129, b"error: unknown option `bogus'\n"),
        (["help", "log", "diff"], 129, b"fatal: gitglass help takes one command\n"),
    ],
)
def test_what_has_no_page(unpack: Any, words: list[str], status: int, complaint: bytes) -> None:
    assert ask(unpack("plain"), *words) == (status, b"", complaint)


def test_guides_are_our_own_documents(unpack: Any) -> None:
    status, out, err = ask(unpack("plain"), "help", "-g")
    assert (status, err) == (0, b"") and ask(unpack("plain"), "help", "--guides")[1] == out
    root = Path(__file__).resolve().parents[2]
    names = [line.split()[0] for line in out.decode().splitlines()[2:]]
    assert len(names) > 3 and all((root / name).is_file() for name in names)


#: of which git prints the usage on stderr, recorded from 2.39.5
ON_STDERR = (
    "branch", "check-ref-format", "diff", "diff-files", "diff-index", "diff-tree", "ls-files", "rev-list",
    "rev-parse", "status", "var",
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(NAMES))
def test_usage_alone(unpack: Any, name: str) -> None:
    """The words are ours; status, stream and `usage: git <command>` in front are git's."""
    status, out, err = ask(unpack("plain"), name, "-h")
    assert status == (0 if name == "submodule" else 129)
    shown, other = (err, out) if name in ON_STDERR else (out, err)
    called = "log" if name in ("show", "whatchanged") else name  # strange but git's: they have the usage of log
    assert other == b"" and shown.split(b"\n")[0].startswith(f"usage: git {called} ".encode())
    assert ask(unpack("plain"), "help", "-h")[0] == 129
