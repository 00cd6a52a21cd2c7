"""Replays fixtures/recorded: each argv, answered by gitglass, gives git's bytes, its exit status and its words."""

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.objects.numbering import Numbering

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


#: commands that walk along history
WALKS = {"log", "rev-list", "shortlog", "tag", "branch", "for-each-ref", "describe", "name-rev", "merge-base", "cherry"}
HISTORIES = [path for path in RECORDS if path.parent.name in ("clocks", "plain", "sha256")]


def walks(path: Path) -> bool:
    argv = read(path, b"")[0]
    while argv[:1] == ["-c"]:
        argv = argv[2:]
    return bool(argv) and argv[0] in WALKS


@pytest.mark.parametrize("path", [*filter(walks, HISTORIES)], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_long_histories_are_answered_by_number(path: Path, unpack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same records, where two commits are many."""
    monkeypatch.setattr("gitglass.objects.sequential.FIRST_NUMBERED", 2)
    cwd = unpack(path.parent.name)
    argv, status, out, _ = read(path, os.fsencode(os.path.realpath(cwd)))
    repo = gitglass.open(cwd)
    for _ in range(2):  # the second time with the numbers of the first
        done = repo.git(argv)
        assert (done.returncode, done.stdout) == (status, out)


def test_long_histories_get_numbers(unpack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitglass.objects.sequential.FIRST_NUMBERED", 2)
    made: list[int] = []
    real = Numbering._namer

    def namer(self: Numbering) -> Any:
        number_of = real(self)
        return lambda oid: (made.append(number_of(oid)), made[-1])[1]

    monkeypatch.setattr(Numbering, "_namer", namer)
    repo = gitglass.open(unpack("clocks"))
    for line in (
        "rev-list --date-order -n 3 main",
        "rev-list main~9..main",
        "tag --contains main~9",
        "tag --merged main",
        "name-rev main~9",
    ):
        made.clear()
        assert repo.git(["-c", "core.commitGraph=false", *line.split()]).returncode == 0
        assert made, line
        repo = gitglass.open(unpack("clocks"))
