"""Everyday questions, in process, against a `git` subprocess, pair by pair; outputs are compared first.

python benchmarks/daily.py --repo DIR [--rounds 7]
"""

import argparse
import math
import os
import statistics
import subprocess
import time
from collections.abc import Callable

import gitglass

QUESTIONS = [
    ["rev-parse", "HEAD"], ["rev-parse", "--abbrev-ref", "HEAD"], ["status"], ["status", "--porcelain=v2", "--branch"], ["branch", "-a"],
    ["log", "--oneline", "-n", "20"], ["log", "-n", "10", "--stat"], ["log", "-p", "-n", "3"], ["show", "HEAD"], ["diff"], ["ls-files"],
    ["ls-tree", "-r", "HEAD"], ["describe", "--tags", "--always"], ["tag", "-l"], ["remote", "-v"],
]  # fmt: skip
ENVIRONMENT = {
    "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "GIT_OPTIONAL_LOCKS": "0", "PATH": os.environ["PATH"],
}  # fmt: skip


def timed(function: Callable[[], bytes]) -> tuple[float, bytes]:
    start = time.perf_counter()
    out = function()
    return time.perf_counter() - start, out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    handle = gitglass.open(options.repo)
    figures: dict[str, list[float]] = {"cold": [], "warm": []}
    for argv in QUESTIONS:
        sides: dict[str, Callable[[], bytes]] = {
            "cold": lambda argv=argv: gitglass.git(argv, cwd=options.repo).stdout,
            "warm": lambda argv=argv: handle.git(argv).stdout,
        }
        command = ["git", *argv]
        ratios: dict[str, list[float]] = {"cold": [], "warm": []}
        same = True
        for _ in range(options.rounds):
            base, want = timed(
                lambda: (
                    subprocess.run(command, cwd=options.repo, env=ENVIRONMENT, capture_output=True, check=False).stdout
                )
            )
            for name, function in sides.items():
                took, got = timed(function)
                ratios[name].append(took / base)
                same = same and got == want
        row = {name: statistics.median(values) for name, values in ratios.items()}
        for name, value in row.items():
            figures[name].append(value)
        print(
            f"cold x{row['cold']:5.2f}  warm x{row['warm']:5.2f}  {'same' if same else 'DIFFERS'}  git {' '.join(argv)}"
        )
    for name, values in figures.items():
        print(f"{name}: geomean x{math.exp(sum(map(math.log, values)) / len(values)):.2f}")


if __name__ == "__main__":
    main()
