"""What starting costs: `import gitglass`, one command as a process, and the peak memory of a whole-history log.

    python benchmarks/startup.py --repo DIR [--rounds 15]

Every figure is the median over rounds of a ratio to `python -c pass` measured right before it.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time

BARE = [sys.executable, "-c", "pass"]
ROWS = {
    "import gitglass": [sys.executable, "-c", "import gitglass"],
    "gitglass rev-parse HEAD": [sys.executable, "-m", "gitglass", "rev-parse", "HEAD"],
    "gitglass status -s": [sys.executable, "-m", "gitglass", "status", "-s"],
    "gitglass log --oneline -n 5": [sys.executable, "-m", "gitglass", "log", "--oneline", "-n", "5"],
}


def seconds(command: list[str], cwd: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    for name, command in ROWS.items():
        ratios, times = [], []
        for _ in range(options.rounds):
            bare = seconds(BARE, options.repo)
            took = seconds(command, options.repo)
            ratios.append(took / bare)
            times.append(took)
        print(
            f"{name:<30} x{statistics.median(ratios):6.2f} of bare Python   ({1000 * statistics.median(times):.0f} ms)"
        )
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    subprocess.run(
        [sys.executable, "-m", "gitglass", "log", "--oneline"], cwd=options.repo, check=True, stdout=subprocess.DEVNULL
    )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{'gitglass log --oneline':<30} peak memory {max(before, peak) / 1024:.0f} MB")


if __name__ == "__main__":
    main()
