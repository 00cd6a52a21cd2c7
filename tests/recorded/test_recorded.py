"""Replays fixtures/recorded: each argv, answered by gitglass, gives git's bytes, its exit status and its words."""

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

import gitglass

RECORDED = Path(__file__).resolve().parents[2] / "fixtures" / "recorded"
RECORDS = sorted(RECORDED.glob("*/*.txt"))

#: where stderr differs, and why: the record's directory and command line → the reason
STDERR_DIFFERS = {
    (
        "attributes",
        "diff --stat HEAD",
    ): "recorded where the index knew the files' times; unpacked, both read docs/nonl.txt",
    ("packed", "fsck --no-full --unreachable"): "git reads reflogs in the order of the directory on disk",
}


def read(path: Path, here: bytes) -> tuple[list[str], int, bytes, bytes]:
    raw = path.read_bytes().replace(b"{here}", here)
    head, _, body = raw.partition(b"\n---\n")
    _, line, status = head.decode().split("\n")
    out, _, err = body.partition(b"\n--- stderr\n")
    return shlex.split(line.removeprefix("$ git ")), int(status.removeprefix("exit ")), out, err


def said(stderr: bytes) -> bytes:
    """What stderr says before a usage: the usage itself is in our own words (README, "What differs from git")."""
    lines = stderr.splitlines(keepends=True)
    usage = next((at for at, line in enumerate(lines) if line.startswith(b"usage: ")), None)
    return stderr if usage is None else b"".join([*lines[:usage], b"usage\n"])


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local times in UTC, as they were recorded."""
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_recorded(path: Path, unpack: Any, watched: Any) -> None:
    cwd = unpack(path.parent.name)
    place = cwd.parent if path.parent.name == "linked" else cwd
    argv, status, out, err = read(path, os.fsencode(os.path.realpath(place)))
    watched(os.path.realpath(place))
    done = gitglass.git(argv, cwd=cwd)
    assert done.stdout == out
    assert done.returncode == status
    if (path.parent.name, shlex.join(argv)) in STDERR_DIFFERS:
        assert done.stderr and done.stderr != err, "the difference is gone: take it out of the list"
    else:
        assert said(done.stderr) == said(err)


def test_there_are_records() -> None:
    assert len(RECORDS) > 500


def test_the_differences_are_of_records() -> None:
    lines = {(path.parent.name, shlex.join(read(path, b"")[0])) for path in RECORDS}
    assert set(STDERR_DIFFERS) <= lines
