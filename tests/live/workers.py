"""Agents that push to one target with faults, a thousand times: nothing twice, nothing lost.

    python -m tests.live.workers [--runs N] [--first SEED] [--seconds S]

Half of the runs are against a target that makes commits of its own, as GitHub does. Prints what became of the staged
commits; 1 where anything is wrong. The seed of a run that is wrong is said: `--first SEED --runs 1` has it again.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter

from tests.support.workers import simulate


def main() -> int:
    """Run them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--seconds", type=float, default=900.0, help="no run begins after that")
    options = parser.parse_args()
    told: Counter[str] = Counter()
    began, done, wrong = time.monotonic(), 0, 0
    for seed in range(options.first, options.first + options.runs):
        if time.monotonic() - began > options.seconds:
            break
        try:
            told += simulate(seed)
        except Exception:
            wrong += 1
            print(f"seed {seed}:", traceback.format_exc(limit=-3), file=sys.stderr, flush=True)
        done += 1
    words = ", ".join(f"{number:,} {word}" for word, number in told.most_common())
    print(f"{done:,} runs, {sum(told.values()):,} commits: {words}; {wrong} wrong; {time.monotonic() - began:.0f} s")
    return 1 if wrong or done < options.runs else 0


if __name__ == "__main__":
    sys.exit(main())
