"""The fault matrix: every operation, with a fault at every call that changes something.

    python -m tests.live.faults [--only WORD] [--first NAME] [--every N] [--work DIR] [--no-git] [--kinds N]
                                [--results FILE]

At each call one kind of fault, the next one at the next call (`--kinds 9`: all of them at each): ENOSPC, EIO, EACCES,
EROFS, short writes, half a write and then ENOSPC, a disk that is full, broken or read-only from then on. Prints for
each operation how many were done although, put back at once, or left open and recovered both ways; then what is wrong.
With `--results` each operation's row goes into a file, and one that has a row there is not done again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.support.all_cases import ALL
from tests.support.faults import suffer
from tests.support.results import Results


def main() -> int:
    """Run; 1 where anything was lost, or an error was none of ours."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="operations whose name contains this")
    parser.add_argument("--first", default="", help="begin with this operation")
    parser.add_argument("--every", type=int, default=1, help="each so many-th call")
    parser.add_argument("--work", type=Path, default=None)
    parser.add_argument("--no-git", action="store_true", help="do not ask git's fsck")
    parser.add_argument("--kinds", type=int, default=1, help="how many kinds of faults at each call")
    parser.add_argument("--results", type=Path, default=None, help="where rows are kept")
    options = parser.parse_args()
    if options.work is not None:
        options.work.mkdir(parents=True, exist_ok=True)
    names = list(ALL)
    began, total, wrong, results = time.monotonic(), [0, 0, 0, 0, 0], 0, Results(options.results)
    print(f"{'operation':36}{'calls':>7}{'faults':>8}{'done':>6}{'back':>6}{'recovered':>11}{'wrong':>7}")
    for name in names[names.index(options.first) if options.first else 0 :]:
        if options.only not in name:
            continue
        if name not in results.rows:
            place = Path(tempfile.mkdtemp(prefix="faults-", dir=options.work))
            one = suffer(name, place, git=not options.no_git, kinds=options.kinds, every=options.every)
            shutil.rmtree(place)
            results.add(name, [one.calls, one.faulted, one.done, one.back, one.recovered], one.faults)
        row, faults = results.rows[name]
        total = [before + more for before, more in zip(total, row, strict=True)]
        wrong += len(faults)
        print(f"{name:36}{row[0]:7}{row[1]:8}{row[2]:6}{row[3]:6}{row[4]:11}{len(faults):7}", flush=True)
        for fault in faults[:12]:
            print(f"    {fault}")
    print(f"{'in all':36}{total[0]:7}{total[1]:8}{total[2]:6}{total[3]:6}{total[4]:11}{wrong:7}")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
