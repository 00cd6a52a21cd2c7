"""`python -m gitglass`: how the process of a command line starts and ends."""

import os
import subprocess
import sys
from typing import Any

import pytest


def run(code: str, *words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, timeout=60, **options)


def test_the_answer_is_written_and_the_status_is_the_commands(unpack: Any) -> None:
    for words, status, starts in (
        (["rev-parse", "HEAD"], 0, b""),
        (["rev-parse", "--verify", "nothing"], 128, b"fatal: "),
        (["status", "--no-such-option"], 129, b"error: "),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "gitglass", *words], cwd=unpack("packed"), capture_output=True, timeout=60
        )
        assert done.returncode == status and done.stderr.startswith(starts) and bool(done.stdout) == (not status)


def test_a_reader_that_went_away_ends_it_quietly(unpack: Any) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "gitglass", "log"],
        cwd=unpack("packed"),
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_it_leaves_without_teardown_unless_somebody_traces(unpack: Any) -> None:
    code = "import atexit, sys; from gitglass.__main__ import run; atexit.register(print, 'torn down'); {}run()"
    place = unpack("packed")
    assert b"torn down" not in run(code.format(""), "rev-parse", "HEAD", cwd=place).stdout
    traced = run(code.format("sys.setprofile(lambda *event: None); "), "rev-parse", "HEAD", cwd=place)
    assert traced.stdout.endswith(b"torn down\n") and traced.returncode == 0


def test_the_collector_waits_for_a_long_command() -> None:
    code = (
        "import gc, sys, gitglass.cli.main as main, gitglass.__main__ as program\n"
        "usual = gc.get_threshold()\n"
        "def command():\n"
        "    short = gc.get_threshold()\n"
        "    held = [[] for _ in range(program.ALLOCATIONS + 1000)]\n"
        "    print(short[0] == program.ALLOCATIONS, gc.get_threshold() == usual, len(gc.callbacks))\n"
        "    return 7\n"
        "main.main = command\n"
        "program.run()\n"
    )
    done = run(code)
    assert done.stdout == b"True True 0\n" and done.returncode == 7


@pytest.mark.parametrize("name", ["gitglass", "gitglass.cli.main"])
def test_importing_it_changes_nothing(name: str) -> None:
    code = f"import gc; before = gc.get_threshold(); import {name}; print(gc.get_threshold() == before, gc.callbacks)"
    assert run(code).stdout == b"True []\n"


@pytest.mark.parametrize(
    ("closed", "words", "status"),
    [(1, "log -n 1", 0), (2, "log -n 1", 0), (2, "nosuch", 1), (0, "hash-object --stdin", 0)],
)
def test_a_stream_that_was_closed_before_the_start(unpack: Any, closed: int, words: str, status: int) -> None:
    """git has /dev/null in its place: the command does what it does, and nobody reads of it."""
    line = (
        f'exec "$0" -m gitglass {words} {"<" if not closed else closed if closed == 2 else ""}{">" if closed else ""}&-'
    )
    done = subprocess.run(
        ["/bin/sh", "-c", line, sys.executable], cwd=unpack("packed"), capture_output=True, timeout=60
    )
    out = b"" if closed == 1 or status else None
    assert done.returncode == status and done.stderr == b"" and (out is None or done.stdout == out)
    assert closed or done.stdout == b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n"
