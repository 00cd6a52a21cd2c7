"""`checkout --merge` by gitglass and by git, compared on real histories: files hold what another commit has, and HEAD
moves to a third; after that the conflicts are shown again in another style (`checkout --conflict`).

    python -m tests.live.carried --repos DIR... [--count N] [--seed S] [--seconds T] [--work DIR]

A round is one clean commit, some of whose files get the content of a commit nearby, or go, and a commit nearby as where
to go. Prints each difference; 1 where there is one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

from tests.live.compared import compare, git
from tests.live.states import STATES
from tests.live.twins import copies
from tests.support.twins import START, Refused, attempt

_NEAR = 40
_STYLES = "merge", "diff3", "zdiff3"


def commits_of(repo: Path) -> list[str]:
    """The commits of a history, as `git rev-list` gives them."""
    return git(repo, ["rev-list", "HEAD"])[1].decode().split()


def hold(homes: tuple[Path, Path], rng: random.Random, here: str, other: str) -> int:
    """Have some of the files that differ between two commits be as the other one has them; how many. What only that one
    has stays untracked."""
    rows = git(homes[0], ["diff", "--no-renames", "--name-status", "-z", here, other])[1].split(b"\0")
    some = [pair for pair in zip(rows[::2], rows[1::2]) if pair[0] != b"A" or rng.random() < 0.1]
    chosen = rng.sample(some, min(len(some), rng.randint(1, 6)))
    for letter, name in chosen:
        content = git(homes[0], ["cat-file", "blob", f"{other}:{name.decode()}"])[1] if letter != b"D" else None
        for home in homes:
            path = home / name.decode()
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.unlink(missing_ok=True)
                path.write_bytes(content)
    return len(chosen)


def one_round(homes: tuple[Path, Path], rng: random.Random, commits: list[str], counts: Counter[str]) -> str | None:
    """One round; what differs."""
    at = rng.randrange(len(commits))
    near = commits[max(0, at - _NEAR) : at + _NEAR]
    here, other, there = commits[at], rng.choice(near), rng.choice(near)
    if any(b" commit " in git(homes[0], ["ls-tree", "-r", one])[1] for one in (here, other, there)):
        counts["submodules"] += 1  # which gitglass does not check out
        return None
    for home in homes:
        git(home, ["checkout", "-q", "-f", here])
        git(home, ["reset", "-q", "--hard"])
        git(home, ["clean", "-q", "-f", "-d", "-x"])
    if not hold(homes, rng, here, other):
        return None
    style = rng.choice(_STYLES)
    steps = [["checkout", *rng.choice((["-m"], ["-q", "-m"], [f"--conflict={style}"])), there]]
    steps += [["checkout", f"--conflict={rng.choice(_STYLES)}", "."]]
    for argv in steps:
        have = attempt(homes[1], argv, START)
        if isinstance(have, Refused):
            counts["refused: " + have.words[:60]] += 1
            return None
        want = git(homes[0], argv)
        counts[f"status {want[0]}{', in conflict' * bool(git(homes[0], ['ls-files', '-u'])[1])}"] += 1
        problem = compare(homes, STATES["plain"], want, have)
        if problem is not None:
            return f"{here} {other} {there} {argv}\n{problem}"
    return None


def main() -> int:
    """Run; 1 where anything differed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repos", nargs="+", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200, help="rounds for each repository")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=86400)
    parser.add_argument("--work", type=Path, default=Path("/tmp/carried"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    counts, bad, rounds = Counter[str](), 0, 0
    end = time.monotonic() + options.seconds
    for repo in options.repos:
        homes = copies(repo, options.work, STATES["plain"])
        commits = commits_of(repo)
        for number in range(options.count):
            rng = random.Random(f"{options.seed} {repo.name} {number}")
            rounds += 1
            problem = one_round(homes, rng, commits, counts)
            if problem is not None:
                bad += 1
                print(repo.name, number, problem, flush=True)
                homes = copies(repo, options.work, STATES["plain"])
            if time.monotonic() > end:
                break
    print(f"{rounds} rounds, {bad} differ; {dict(counts.most_common())}")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
