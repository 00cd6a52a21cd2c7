"""`--remerge-diff` of random merges, against the installed git: changes that meet, renames, deletions."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import gitglass

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]


def edited(lines: list[str], rnd: random.Random) -> list[str]:
    out = list(lines)
    for _ in range(rnd.choice((1, 1, 2, 4))):
        at = rnd.randrange(len(out) + 1)
        kind = rnd.random()
        if kind < 0.4:
            out[at:at] = [f"new {rnd.randrange(9)}" for _ in range(rnd.choice((1, 2, 3)))]
        elif kind < 0.8:
            out[at : at + rnd.choice((1, 1, 2))] = [f"changed {rnd.randrange(9)}"]
        else:
            del out[at : at + rnd.choice((1, 2, 5))]
    return out


def text(lines: list[str], rnd: random.Random) -> str:
    return "\n".join(lines) + ("" if rnd.random() < 0.1 else "\n")


Git = Callable[..., bytes]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """git in an empty repository."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    for role in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@a", f"GIT_{role}_DATE": "1700000000 +0000"}

    def git(*argv: str, status: int = 0) -> bytes:
        done = subprocess.run(["git", *argv], cwd=tmp_path, env=env, capture_output=True)
        assert status < 0 or done.returncode == status, done.stderr
        return done.stdout

    git("init", "-q", "-b", "main")
    return git


def put(git: Git, here: Path, files: dict[str, str]) -> str:
    """The tree that holds the files."""
    for path in here.iterdir():
        if path.name != ".git":
            path.unlink()
    for name, data in files.items():
        here.joinpath(name).write_text(data)
    git("add", "-A")
    return git("write-tree").decode().strip()


def same(git: Git, here: Path, merge: str) -> None:
    for options in (["-p"], ["--stat"], ["--raw"]):
        argv = ["show", "--remerge-diff", *options, merge]
        got = gitglass.git(argv, cwd=here)
        if got.returncode == 129:
            assert b"does not do this merge again" in got.stderr
            continue
        assert got.stdout == git(*argv)


@pytest.mark.parametrize("seed", range(12))
def test_several_bases(seed: int, git: Git, tmp_path: Path) -> None:
    """Two branches that merge each other's older commits, again and again."""
    rnd = random.Random(seed)
    lines = {name: [f"{name} line {i}" for i in range(30)] for name in "abc"}

    def commit(files: dict[str, list[str]], *parents: str) -> str:
        tree = put(git, tmp_path, {name: text(one, rnd) for name, one in files.items()})
        above = [word for parent in parents for word in ("-p", parent)]
        return git("commit-tree", tree, *above, "-m", "c").decode().strip()

    sides = [lines, lines]
    start = commit(lines)
    tips = [start, start]
    for _ in range(rnd.choice((1, 2, 3))):
        for at in (0, 1):
            sides[at] = {name: edited(one, rnd) if rnd.random() < 0.6 else one for name, one in sides[at].items()}
            if rnd.random() < 0.2 and len(sides[at]) > 1:
                sides[at] = dict(list(sides[at].items())[1:])
            tips[at] = commit(sides[at], tips[at])
        mixed = [{**sides[0], "a": sides[1].get("a", ["none"])}, {**sides[1], "b": sides[0].get("b", ["none"])}]
        sides, tips = mixed, [commit(mixed[at], tips[at], tips[1 - at]) for at in (0, 1)]
    last = commit({**sides[0], "c": edited(lines["c"], rnd)}, *tips)
    for merge in git("rev-list", "--merges", last).decode().split():
        same(git, tmp_path, merge)


@pytest.mark.parametrize("seed", range(12))
def test_as_git(seed: int, git: Git, tmp_path: Path) -> None:
    rnd = random.Random(seed)

    def commit(files: dict[str, str], message: str) -> None:
        put(git, tmp_path, files)
        git("commit", "-q", "--allow-empty", "-m", message)

    base = {name: [f"{name} line {i % rnd.choice((7, 40))}" for i in range(30)] for name in ("a", "b", "c", "d")}
    commit({name: text(lines, rnd) for name, lines in base.items()}, "Base")
    git("branch", "other")
    sides = []
    for branch in ("main", "other"):
        git("checkout", "-q", branch)
        files = {name: text(edited(lines, rnd), rnd) for name, lines in base.items()}
        if rnd.random() < 0.5:
            files.pop(rnd.choice("bc") if branch == "main" else "d")
        if branch == "main" and "a" in files and rnd.random() < 0.5:
            files["renamed"] = files.pop("a")
        files["both"] = text(edited(["one", "two", "three"], rnd), rnd)
        commit(files, f"Side {branch}")
        sides.append(files)
    git("checkout", "-q", "main")
    git("merge", "-q", "-s", "ours", "-m", "Merge", "other")
    commit({**sides[0], **{name: sides[1][name] for name in rnd.sample(sorted(sides[1]), 2)}}, "x")
    tree = git("rev-parse", "HEAD^{tree}").decode().strip()
    merge = git("commit-tree", "-p", "HEAD~2", "-p", "other", "-m", "Merge", tree).decode().strip()
    same(git, tmp_path, merge)
