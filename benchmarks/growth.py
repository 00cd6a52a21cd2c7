"""How cost grows with the length of a history: time and peak memory, with and without a commit-graph, beside git's.

    python benchmarks/growth.py DIR [--sizes 1000 10000 100000 1000000] [--rounds 3] [--json FILE]

The histories are made below DIR by `synthetic.py` and kept there. Every answer of gitglass is made in a process of its
own that has the modules loaded (`cold`: a fresh handle), so that its peak of memory is its own; answers are compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from synthetic import make

QUESTIONS = [
    "log --oneline -n 20", "log --oneline --graph -n 20", "merge-base main topic19", "merge-base main topic10",
    "branch --contains topic19", "branch --contains topic10", "describe --tags", "rev-list --count topic19..main",
    "rev-list --count main", "log --oneline main",
]  # fmt: skip
ENVIRONMENT = {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
CHILD = """
import hashlib, json, resource, sys, time
import gitglass
here, argv = sys.argv[1], sys.argv[2:]
gitglass.git(argv[:1] + ["-h"], cwd=here)
start = time.perf_counter()
done = gitglass.git(argv, cwd=here)
took = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps([took, peak, hashlib.sha1(done.stdout).hexdigest(), done.stderr.decode()]))
"""


def ours(here: Path, argv: list[str]) -> tuple[float, int, str]:
    """Seconds, MiB and the answer's hash."""
    words = [sys.executable, "-c", CHILD, str(here), *argv]
    done = subprocess.run(words, env=os.environ | ENVIRONMENT, capture_output=True, check=True)
    took, peak, digest, errors = json.loads(done.stdout)
    if errors:
        print(errors, file=sys.stderr)
    return took, peak, digest


def gits(here: Path, argv: list[str]) -> tuple[float, int, str]:
    """The same of a `git` subprocess."""
    start = time.perf_counter()
    process = subprocess.Popen(
        ["git", "-C", str(here), *argv], env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    out = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - start
    process.returncode = 0
    return took, usage.ru_maxrss // 1024, hashlib.sha1(out).hexdigest()


def measure(here: Path, rounds: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for question in QUESTIONS:
        argv = question.split()
        pairs = [(gits(here, argv), ours(here, argv)) for _ in range(rounds)]
        row: dict[str, object] = {
            "question": question,
            "git_ms": 1000 * statistics.median(theirs[0] for theirs, _ in pairs),
            "ms": 1000 * statistics.median(mine[0] for _, mine in pairs),
            "ratio": statistics.median(mine[0] / theirs[0] for theirs, mine in pairs),
            "git_mib": max(theirs[1] for theirs, _ in pairs),
            "mib": max(mine[1] for _, mine in pairs),
            "same": all(theirs[2] == mine[2] for theirs, mine in pairs),
        }
        rows.append(row)
        print(
            "  {question:34s} git {git_ms:9.1f} ms {git_mib:5d} MiB   gitglass {ms:9.1f} ms {mib:5d} MiB"
            "   x{ratio:6.2f}  {same}".format(**{**row, "same": "same" if row["same"] else "DIFFERS"}),
            flush=True,
        )
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory", type=Path)
    options.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--graphs", nargs="+", choices=["with", "without"], default=["with", "without"])
    options.add_argument("--json", type=Path)
    words = options.parse_args()
    found = []
    for size in words.sizes:
        here = words.directory / str(size)
        if not here.exists():
            make(here, size)
        graph, aside = here / ".git/objects/info/commit-graph", here / ".git/objects/info/commit-graph.aside"
        for name in words.graphs:
            print(f"{size} commits, {name} commit-graph", flush=True)
            if name == "without":
                graph.rename(aside)
            try:
                rows = measure(here, words.rounds)
            finally:
                if name == "without":
                    aside.rename(graph)
            found += [{"commits": size, "graph": name, **row} for row in rows]
    if words.json:
        words.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
