"""The kill matrix: every operation ended at every call that changes something.

    python -m tests.live.kills [--only WORD] [--work DIR] [--no-git]

Prints for each operation the number of calls, of kills, and how many of these `recover` took back and brought forward
(`refused`: forward, before all objects had been written, which changes nothing); then every fault. 1 where there is one.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.support.kills import CASES, judge


def main() -> int:
    """Run; 1 where anything was lost or `recover` did not arrive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="operations whose name contains this")
    parser.add_argument("--work", type=Path, default=None)
    parser.add_argument("--no-git", action="store_true", help="do not ask git's fsck")
    options = parser.parse_args()
    if options.work is not None:
        options.work.mkdir(parents=True, exist_ok=True)
    began, total, faults = time.monotonic(), [0, 0, 0, 0, 0], 0
    print(f"{'operation':24}{'calls':>7}{'killed':>8}{'back':>6}{'forward':>9}{'refused':>9}{'faults':>8}")
    for name in CASES:
        if options.only not in name:
            continue
        place = Path(tempfile.mkdtemp(prefix="kills-", dir=options.work))
        one = judge(name, place, git=not options.no_git)
        shutil.rmtree(place)
        row = [one.calls, one.killed, one.back, one.forward, one.refused]
        total = [before + more for before, more in zip(total, row, strict=True)]
        faults += len(one.faults)
        print(f"{name:24}{row[0]:7}{row[1]:8}{row[2]:6}{row[3]:9}{row[4]:9}{len(one.faults):8}", flush=True)
        for fault in one.faults[:12]:
            print(f"    {fault}")
    print(f"{'in all':24}{total[0]:7}{total[1]:8}{total[2]:6}{total[3]:9}{total[4]:9}{faults:8}")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
