"""Replays fixtures/recorded: each argv, answered by gitglass, gives the bytes and the exit status that git gave."""

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

import gitglass

RECORDED = Path(__file__).resolve().parents[2] / "fixtures" / "recorded"
RECORDS = sorted(RECORDED.glob("*/*.txt"))


def read(path: Path, here: bytes) -> tuple[list[str], int, bytes, bytes]:
    raw = path.read_bytes().replace(b"{here}", here)
    head, _, body = raw.partition(b"\n---\n")
    _, line, status = head.decode().split("\n")
    out, _, err = body.partition(b"\n--- stderr\n")
    return shlex.split(line.removeprefix("$ git ")), int(status.removeprefix("exit ")), out, err


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
    assert done.returncode == status or (status == 129 and done.returncode == 129)
    assert bool(done.stderr) == bool(err), done.stderr


def test_there_are_records() -> None:
    assert len(RECORDS) > 500
