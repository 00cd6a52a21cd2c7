"""Races: competing writers of a ref, links swapped in under the door, an editor that saves while operations run.

    python -m tests.live.races [--swaps N] [--links N] [--edits N] [--work DIR] [--seed N]

Half of the swaps are gitglass against gitglass, half gitglass against `git update-ref`. Half of the links are put in
right before a call, the others by a process of its own. Prints what came of it; 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.support.editors import edit
from tests.support.races import link_all_the_time, link_at_every_call, race_refs


def main() -> int:
    """Run all that has a number."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--swaps", type=int, default=0, help="compare-and-swaps")
    parser.add_argument("--links", type=int, default=0, help="links swapped in")
    parser.add_argument("--edits", type=int, default=0, help="operations beside an editor")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, default=None)
    options = parser.parse_args()
    if options.work is not None:
        options.work.mkdir(parents=True, exist_ok=True)
    half, links, edits = options.swaps // 2, options.links // 2, options.edits
    races: list[tuple[str, int, Callable[[Path], tuple[Counter[str], list[str]]]]] = [
        ("four writers of gitglass", half, lambda place: race_refs(place, half, writers=4)),
        ("two of gitglass, two of git", half, lambda place: race_refs(place, half, writers=2, with_git=2)),
        ("a link before each call", links, lambda place: link_at_every_call(place, links)),
        ("links all the time", links, lambda place: link_all_the_time(place, links)),
        ("an editor", edits, lambda place: edit(place, edits, options.seed)),
    ]
    wrong = 0
    for name, count, race in races:
        if not count:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=options.work, ignore_cleanup_errors=True) as place:
            told, faults = race(Path(place))
        words = ", ".join(f"{number} {word}" for word, number in told.most_common())
        print(f"{name}: {words}; {len(faults)} wrong; {time.monotonic() - began:.0f} s", flush=True)
        for fault, number in Counter(faults).most_common(12):
            print(f"    {number} x {fault}")
        wrong += len(faults)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
