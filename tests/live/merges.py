"""Merges by gitglass and by git, compared: the tree, every stage of every conflict, every message.

    python -m tests.live.merges --repos DIR... [--count N]         the merges of real histories
    python -m tests.live.merges --repos DIR... --picks N [--seed S]  changes of real histories, put onto other commits
    python -m tests.live.merges --random N [--kind KIND] [--seed S] [--work DIR]  histories made for it

Prints the first of each kind of difference; 1 where there is one. git fails where an assertion of its own does, and where
it writes a stage without a mode: a file of our side that it lost while it moved it.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.support.merge_histories import KINDS, make_history, on_disk
from tests.support.merged import merged

import gitglass
from gitglass.errors import GitError

_NAMES = {0: "the same", 1: "differs", 2: "refused", 3: "git failed"}


def git(repo: Path, *words: str) -> bytes:
    """git's standard output; 1 is a status like another (a conflict)."""
    done = subprocess.run(["git", "-C", str(repo), *words], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return done.stdout


def compare(repo: Path, one: str, two: str) -> tuple[int, bytes, bytes]:
    """0 the same, 1 different, 2 refused; and both answers."""
    try:
        theirs = git(repo, "merge-tree", "--write-tree", "-z", one, two)
    except RuntimeError:
        theirs = b""  # an assertion of git's own fails: nothing to compare with
    mine = merged(gitglass.open(repo), one, two)
    if isinstance(mine, str):
        return 2, mine.encode(), theirs
    if not theirs or b"\x00000000 " in theirs:
        return 3, mine, theirs
    return int(mine != theirs), mine, theirs


def report(repo: Path, pair: tuple[str, str], mine: bytes, theirs: bytes) -> None:
    """One difference, part by part."""
    print(f"--- {repo} {pair[0]} {pair[1]}")
    left, right = mine.split(b"\0"), theirs.split(b"\0")
    for word in left:
        if word not in right:
            print("  ours:", word.decode(errors="backslashreplace"))
    for word in right:
        if word not in left:
            print("  git: ", word.decode(errors="backslashreplace"))
    if sorted(left) == sorted(right):
        print("  in another order")


def picks(repo: Path, rng: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Pairs to merge as a cherry-pick merges: a commit, and the files of another one as a child of its parent's."""
    listed = [line.split() for line in git(repo, "rev-list", "--all", "--parents").decode().splitlines()]
    who = ["-c", "user.name=A U Thor", "-c", "user.email=a@example.com"]
    for _ in range(count):
        at = rng.randrange(len(listed))
        near = listed[rng.randrange(max(0, at - 500), min(len(listed), at + 500))][0]
        if len(listed[at]) == 2:
            picked, parent = listed[at]
            made = git(repo, *who, "commit-tree", "-p", parent, "-m", "c", f"{near}^{{tree}}")
            yield made.decode().strip(), picked


def main() -> int:
    """Run; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repos", type=Path, nargs="*", default=[])
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--picks", type=int, default=0)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, default="any")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--work", type=Path, default=None)
    options = parser.parse_args()
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
    tally: Counter[str] = Counter()
    began = time.monotonic()

    def judge(repo: Path, one: str, two: str) -> None:
        try:
            verdict, mine, theirs = compare(repo, one, two)
        except GitError as error:
            verdict, mine, theirs = 1, repr(error).encode(), b""
        tally[_NAMES[verdict]] += 1
        if theirs and verdict != 3:
            conflict = b"\0" in theirs[:-1].strip(b"\0")
            tally["in conflict"] += conflict
            tally["in conflict and the same"] += conflict and verdict == 0
        if verdict in (1, 2) and tally[_NAMES[verdict]] <= options.show:
            report(repo, (one, two), mine, theirs)

    for repo in options.repos if options.picks else ():
        beside = Path(tempfile.mkdtemp(dir=options.work))
        git(repo, "clone", "-q", "--bare", ".", str(beside))
        for ours, theirs in picks(beside, random.Random(options.seed), options.picks):
            judge(beside, ours, theirs)
    for repo in options.repos if not options.picks else ():
        listed = git(repo, "rev-list", "--all", "--merges", "--parents").decode().splitlines()
        for line in listed[: options.count]:
            _, *parents = line.split()
            if len(parents) == 2:
                judge(repo, parents[0], parents[1])
    if options.random:
        place = Path(tempfile.mkdtemp(dir=options.work))
        history = make_history(random.Random(options.seed), options.random, options.kind)
        names = [oid.hex() for oid in on_disk(history, place)]
        for one, two in history.pairs:
            judge(place, names[one], names[two])
    print(dict(tally), f"{time.monotonic() - began:.0f} s")
    return int(tally["differs"] > 0)


if __name__ == "__main__":
    sys.exit(main())
