"""Everyday writes in process, plan and verification included, against a `git` subprocess that does the same.

    python benchmarks/writing.py --repo DIR [--rounds 15] [--work DIR] [--profile commit|add|switch]

Three rows: `commit` of one changed file, `add` of 100 changed files, `switch` between two commits. Both sides have a copy
of their own; every round has each of them do the same once (which goes first alternates), and the median of the rounds'
ratios is reported. After each round the names of commit and index tree are compared. git pays for its start, as an agent
that spawns it does; ours begins with `gitglass.open`.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.limits import Context, Limits
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import Mutation

NAME, MAIL = "A U Thor", "author@example.com"
FILES = 100


def git(repo: Path, argv: list[str], moment: int) -> bytes:
    """git's output."""
    date = f"{moment} +0000"
    env = {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": NAME, "GIT_AUTHOR_EMAIL": MAIL, "GIT_COMMITTER_NAME": NAME, "GIT_COMMITTER_EMAIL": MAIL,
        "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date,
    }  # fmt: skip
    return subprocess.run(["git", *argv], cwd=repo, env=env, capture_output=True, check=True).stdout


def ours(repo: Path, argv: list[str], moment: int) -> bytes:
    """Ours, from the opening of the repository to the fresh reader's word that all is as planned."""
    handle = gitglass.open(repo)
    writer = Writer(handle, WriteGrant(identity=Identity(NAME, MAIL), clock=lambda: moment, zone=0, refs=("*",)))
    with Context(Limits()) as ctx:
        request = parse_command(argv, handle.store, ctx).request
    assert isinstance(request, Mutation)
    plan = writer.plan(request)
    result = writer.apply(plan, approve(plan, "benchmark"))
    assert result.verified and not result.answer.status, result
    return result.answer.out


Round = Callable[[Path, int], list[str]]


def _commit(repo: Path, number: int) -> list[str]:
    name = _listed(repo)[0]
    with (repo / name).open("ab") as stream:
        stream.write(b"line %d\n" % number)
    git(repo, ["add", "--", name], 1_700_000_000)
    return ["commit", "-m", f"change {number}"]


def _add(repo: Path, number: int) -> list[str]:
    for name in _listed(repo)[:FILES]:
        with (repo / name).open("ab") as stream:
            stream.write(b"line %d\n" % number)
    return ["add", "."]


def _switch(repo: Path, number: int) -> list[str]:
    return ["switch", "-q", "--detach", "one" if number % 2 else "two"]


ROWS: dict[str, Round] = {"commit": _commit, "add": _add, "switch": _switch}


def _listed(repo: Path) -> list[str]:
    rows = [line.split("\t") for line in git(repo, ["ls-files", "-s"], 0).decode().splitlines()]
    return [name for mode, name in rows if mode.startswith("100644")]


def _copy(source: Path, place: Path, apart: int) -> Path:
    """A copy on a branch of its own, with two tags to switch between."""
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run(["cp", "-a", str(source), str(place)], check=True)
    git(place, ["tag", "two"], 0)
    git(place, ["tag", "one", f"HEAD~{apart}"], 0)
    git(place, ["update-index", "-q", "--refresh"], 0)
    return place


def measure(name: str, source: Path, work: Path, rounds: int, apart: int) -> tuple[float, float, float]:
    """(median ratio, milliseconds of git, of ours)."""
    theirs, mine = (_copy(source, work / one, apart) for one in ("git", "ours"))
    pairs: list[tuple[float, float]] = []
    for number in range(rounds + 1):
        moment = 1_700_000_000 + number
        argv, _ = (ROWS[name](repo, number) for repo in (theirs, mine))
        time.sleep(1.1)  # nothing is as young as the index
        both: dict[str, float] = {}
        sides = [("git", git, theirs), ("ours", ours, mine)]
        for side, call, repo in sides if number % 2 else reversed(sides):
            start = time.perf_counter()
            call(repo, argv, moment)
            both[side] = time.perf_counter() - start
        for question in (["rev-parse", "HEAD"], ["write-tree"], ["status", "--porcelain"]):
            assert git(theirs, question, 0) == git(mine, question, 0), (name, number, question)
        if number:
            pairs.append((both["git"], both["ours"]))
    ratio = statistics.median(mine / git for git, mine in pairs)
    return ratio, *(1000 * statistics.median(pair[at] for pair in pairs) for at in (0, 1))


def profile(name: str, source: Path, work: Path, apart: int) -> None:
    """Where our time goes."""
    repo = _copy(source, work / "ours", apart)
    watch = cProfile.Profile()
    for number in range(6):
        argv = ROWS[name](repo, number)
        time.sleep(1.1)
        if not number:
            ours(repo, argv, 1_700_000_000)
            continue
        watch.runcall(ours, repo, argv, 1_700_000_000 + number)
    pstats.Stats(watch).sort_stats("cumulative").print_stats(70)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True, type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--apart", type=int, default=50, help="first parents between the two commits")
    parser.add_argument("--work", type=Path, default=Path("/tmp/writing"))
    parser.add_argument("--only", default="commit,add,switch")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    for name in options.only.split(","):
        if options.profile:
            profile(name, options.repo, options.work, options.apart)
            continue
        ratio, theirs, mine = measure(name, options.repo, options.work, options.rounds, options.apart)
        print(f"{name:<8} {ratio:5.2f} times git's subprocess   (git {theirs:.0f} ms, ours {mine:.0f} ms)")


if __name__ == "__main__":
    main()
