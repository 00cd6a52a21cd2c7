"""Whatever the repository holds: an answer or a clean error; nothing run, written, or read outside; soon, and no traceback."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.pace import is_too_long
from tests.support.writing import copy_of

import gitglass
from gitglass.limits import Limits

from .members import MEMBERS, SECRET

COMMANDS = [
    ["status"], ["status", "--porcelain=v2", "--branch", "--ignored"], ["log", "--stat", "-n", "5"], ["log", "-p", "--all", "-n", "5"], ["show"], ["diff"],
    ["diff", "HEAD"], ["diff", "--cached"], ["blame", "README.md"], ["ls-files", "-s"], ["ls-files", "-o", "--exclude-standard"], ["ls-tree", "-r", "-l", "HEAD"],
    ["rev-parse", "HEAD"], ["branch", "-avv"], ["tag", "-n"], ["for-each-ref"], ["describe", "--always", "--dirty"], ["config", "--list"],
    ["cat-file", "-p", "HEAD^{tree}"], ["stash", "list"], ["reflog"], ["shortlog", "-s", "HEAD"], ["show", "HEAD:README.md"], ["remote", "-v"],
]  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    repo, outside = tmp_path / "jail" / "repo", tmp_path / "outside"
    copy_of("plain", repo)
    outside.mkdir()
    (outside / "secret").write_bytes(SECRET + b"\n")
    return repo, outside


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_member(name: str, place: tuple[Path, Path], watched: Any) -> None:
    repo, outside = place
    MEMBERS[name](repo, outside)
    before = snapshot(repo)
    watched(os.path.realpath(repo))
    began = time.monotonic()
    for argv in COMMANDS:
        done = gitglass.git(argv, cwd=repo, root=repo, limits=Limits(timeout=10))
        judge(argv, done)
    try:
        handle = gitglass.open(repo, root=repo, limits=Limits(timeout=10))
    except gitglass.GitError:
        pass
    else:
        for argv in COMMANDS[:6]:
            judge(argv, handle.git(argv))
    assert not is_too_long(time.monotonic() - began, 10.0, time.monotonic)
    assert snapshot(repo) == before
    assert sorted(path.name for path in outside.iterdir() if path.name == "ran") == []


def judge(argv: list[str], done: gitglass.Completed) -> None:
    said = done.stdout + done.stderr
    assert SECRET not in said, argv
    assert b"Traceback" not in said and b"internal error" not in said, (argv, done.stderr)
    assert done.returncode in (0, 1, 2, 124, 128, 129), (argv, done)
    assert done.returncode in (0, 1) or done.stderr, argv


def snapshot(repo: Path) -> list[tuple[str, int, int]]:
    """Every path with its size and time of change."""
    found = []
    for folder, _, files in os.walk(repo):
        for path in (os.path.join(folder, name) for name in files):
            stat = os.lstat(path)
            found.append((path, stat.st_size, stat.st_mtime_ns))
    return sorted(found)


@pytest.mark.parametrize(
    "argv",
    [
        ["diff", "--output=/tmp/x"], ["log", "--output", "x"], ["diff", "--ext-diff"], ["show", "--ext-diff"],
        ["--exec-path=/tmp", "log"], ["push"], ["commit", "-m", "x"], ["branch", "-d", "x"], ["branch", "-D", "x"], ["branch", "new"], ["tag", "-d", "x"],
        ["tag", "new"], ["stash", "drop"], ["stash", "pop"], ["remote", "add", "x", "y"], ["remote", "remove", "x"], ["config", "user.name", "x"], ["config", "--unset", "x.y"],
        ["reflog", "expire"], ["reflog", "delete", "x"], ["symbolic-ref", "HEAD", "refs/heads/x"], ["log", "--show-signature"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_writing_and_running_forms_are_refused(argv: list[str], place: tuple[Path, Path], watched: Any) -> None:
    repo, _ = place
    before = snapshot(repo)
    watched(os.path.realpath(repo))
    done = gitglass.git(argv, cwd=repo, root=repo)
    assert (done.returncode, done.stdout) == (129, b""), done
    assert done.stderr and snapshot(repo) == before


@pytest.mark.parametrize("path", ["../outside/secret", "/etc/passwd", "../../etc/passwd", ".git/../../outside/secret"])
def test_paths_that_leave(path: str, place: tuple[Path, Path], watched: Any) -> None:
    repo, _ = place
    watched(os.path.realpath(repo))
    for argv in (
        ["status", "--", path],
        ["log", "--", path],
        ["blame", path],
        ["show", f"HEAD:{path}"],
        ["diff", "--", path],
        ["diff", "--no-index", path, "/dev/null"],
        ["diff", "--no-index", "src", path],
        ["diff", path, "/dev/null"],
        ["ls-files", path],
        ["-C", path, "status"],
    ):
        judge(argv, gitglass.git(argv, cwd=repo, root=repo))
