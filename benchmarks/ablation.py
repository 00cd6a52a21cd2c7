"""What each fast way of walking history gives: the same questions with one of them switched off.

python benchmarks/ablation.py --repo DIR [--path PATH] [--rounds 7]

A switch makes the assembler of walks take the next way that honours the question, down to the general one. Each round
asks every question once with everything on and once for each switch, on a fresh handle; the table has the median of the
rounds' ratios of processor time (1.00: the switch gives nothing). Answers have to be the same bytes.
"""

import argparse
import time
from statistics import median
from typing import Any
from unittest import mock

import gitglass
from gitglass.history import pipeline

HOME = "gitglass.history.pipeline"


def never(*words: Any, **named: Any) -> None:
    """In the place of a predicate."""


#: switch → the name in the assembler that is replaced
SWITCHES = {
    "plain walk": "is_plain",
    "walk along paths": "is_path_walk",
    "order by number": "is_orderly",
    "order of all": "is_ordered",
    "general walk by number": "_goes_by_number",
}


def questions(path: str) -> list[list[str]]:
    return [
        ["log", "--oneline"],
        ["log", "--oneline", "--graph"],
        ["log", "--oneline", "--topo-order"],
        ["log", "--oneline", "HEAD~200..HEAD"],
        ["log", "--oneline", "--author=a"],
        ["log", "--oneline", "--boundary", "HEAD~200..HEAD"],
        ["log", "--oneline", "--children"],
        ["log", "--oneline", "--", path],
        ["rev-list", "--parents", "HEAD"],
    ]


def asked(repo: str, words: list[str]) -> tuple[float, bytes]:
    """Seconds of processor time, and what was printed."""
    handle = gitglass.open(repo)
    start = time.process_time()
    done = handle.git(words)
    return time.process_time() - start, done.stdout


def compared(repo: str, words: list[str], switch: str, rounds: int) -> float:
    """How many times longer the question takes without one way. Raises where the answers differ."""
    ratios = []
    for _ in range(rounds):
        usual, first = asked(repo, words)
        with mock.patch.object(pipeline, SWITCHES[switch], never):
            without, second = asked(repo, words)
        if first != second:
            raise SystemExit(f"{' '.join(words)}: another answer without '{switch}'")
        ratios.append(without / usual)
    return median(ratios)


def show(name: str, cells: list[str]) -> None:
    print(f"{name:52}" + "".join(f"{one:>24}" for one in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--path", default="README.md")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    show("", list(SWITCHES))
    for words in questions(options.path):
        ratios = [compared(options.repo, words, switch, options.rounds) for switch in SWITCHES]
        show(" ".join(words), [f"{ratio:.2f}" for ratio in ratios])


if __name__ == "__main__":
    main()
