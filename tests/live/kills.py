"""The kill matrix: every operation ended at every call that changes something.

    python -m tests.live.kills [--only WORD] [--first NAME] [--every N] [--work DIR] [--no-git] [--recover N]
                               [--results FILE]

Prints for each operation the number of calls, of kills, and how many of these `recover` took back and brought forward
(`refused`: forward, before all objects had been written, which changes nothing); then every fault. 1 where there is one.
With `--results` each operation's row goes into a file, and one that has a row there is not done again.
With `--recover N` each N-th of these kills is followed by kills of `recover` itself, at all of its calls, both ways.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.support.all_cases import ALL
from tests.support.init_kills import judge_init
from tests.support.kills import Judged, judge, judge_recovery
from tests.support.results import Results

#: what has no operation log, since there is no repository yet: `back` is none at all, `forward` a whole one
INITS = ("init", "init --bare")


def main() -> int:
    """Run; 1 where anything was lost or `recover` did not arrive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="operations whose name contains this")
    parser.add_argument("--first", default="", help="begin with this operation")
    parser.add_argument("--every", type=int, default=1, help="each so many-th call")
    parser.add_argument("--work", type=Path, default=None)
    parser.add_argument("--no-git", action="store_true", help="do not ask git's fsck")
    parser.add_argument("--recover", type=int, default=0, help="kill `recover` after each so many-th kill")
    parser.add_argument("--results", type=Path, default=None, help="where rows are kept")
    options = parser.parse_args()
    if options.work is not None:
        options.work.mkdir(parents=True, exist_ok=True)
    names = [*ALL, *INITS]
    began, total, faults, results = time.monotonic(), [0, 0, 0, 0, 0], 0, Results(options.results)
    print(f"{'operation':36}{'calls':>7}{'killed':>8}{'back':>6}{'forward':>9}{'refused':>9}{'faults':>8}")
    for name in names[names.index(options.first) if options.first else 0 :]:
        if options.only not in name or (options.recover and name in INITS):
            continue
        if name not in results.rows:
            place = Path(tempfile.mkdtemp(prefix="kills-", dir=options.work))
            one = _judged(name, place, options)
            shutil.rmtree(place)
            results.add(name, [one.calls, one.killed, one.back, one.forward, one.refused], one.faults)
        row, wrong = results.rows[name]
        total = [before + more for before, more in zip(total, row, strict=True)]
        faults += len(wrong)
        print(f"{name:36}{row[0]:7}{row[1]:8}{row[2]:6}{row[3]:9}{row[4]:9}{len(wrong):8}", flush=True)
        for fault in wrong[:12]:
            print(f"    {fault}")
    print(f"{'in all':36}{total[0]:7}{total[1]:8}{total[2]:6}{total[3]:9}{total[4]:9}{faults:8}")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if faults else 0


def _judged(name: str, place: Path, options: argparse.Namespace) -> Judged:
    """One operation, killed."""
    git = not options.no_git
    if name in INITS:
        return judge_init(place, bare=name != "init", git=git)
    if options.recover:
        return judge_recovery(name, place, git=git, every=options.recover, first=1 + options.recover // 2)
    return judge(name, place, git=git, every=options.every)


if __name__ == "__main__":
    sys.exit(main())
