"""What the eight daily commands cost as processes, in multiples of bare Python.

    python benchmarks/start.py --repo DIR [--file PATH] [--rounds 15] [--program gitglass]

Each round runs `python -c pass` and then the command; a figure is the median over rounds of the ratio of the two, of
processor time and of elapsed time. Byte code is compiled once before anything is measured (in a directory of its own),
as it is for an installed package.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

COMMANDS = [
    "rev-parse HEAD",
    "status -s",
    "log --oneline -n 5",
    "diff",
    "show --stat HEAD",
    "branch -a",
    "ls-files",
    "blame -L1,5 FILE",
]
#: multiples of bare Python that each of them, and their geometric mean, may take
EACH, MEAN = 6.0, 5.0


def seconds(command: list[str], cwd: str, environ: dict[str, str]) -> tuple[float, float]:
    """Processor time and elapsed time of one process."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=cwd, env=environ, check=True, stdout=subprocess.DEVNULL)
    after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed


def measure(command: list[str], cwd: str, environ: dict[str, str], rounds: int) -> tuple[float, float, float]:
    """Medians over pairs: multiples of bare Python in processor time and in elapsed time; and milliseconds."""
    seconds(command, cwd, environ)
    busy, elapsed, took = [], [], []
    for _ in range(rounds):
        bare = seconds([sys.executable, "-c", "pass"], cwd, environ)
        mine = seconds(command, cwd, environ)
        busy.append(mine[0] / bare[0])
        elapsed.append(mine[1] / bare[1])
        took.append(mine[0])
    return statistics.median(busy), statistics.median(elapsed), 1000 * statistics.median(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--file", help="the file to blame; by default the first that git lists")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--program", help="a script to run in place of `python -m gitglass`")
    options = parser.parse_args()
    program = [options.program] if options.program else [sys.executable, "-m", "gitglass"]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as compiled:
        environ.setdefault("PYTHONPYCACHEPREFIX", compiled)
        name = options.file
        if name is None:
            listed = subprocess.run([*program, "ls-files", "-z"], cwd=options.repo, env=environ, check=True, stdout=-1)
            name = os.fsdecode(listed.stdout.split(b"\0")[0])
        ratios = []
        for words in COMMANDS:
            command = [*program, *(name if word == "FILE" else word for word in words.split())]
            busy, elapsed, took = measure(command, options.repo, environ, options.rounds)
            ratios.append((busy, elapsed))
            print(f"{words:<22} x{busy:5.2f} processor   x{elapsed:5.2f} elapsed   {took:6.1f} ms", flush=True)
    for kind, column in zip(("processor", "elapsed"), zip(*ratios, strict=True), strict=True):
        mean = statistics.geometric_mean(column)
        print(f"{kind}: geometric mean x{mean:.2f} (bound {MEAN:g}), greatest x{max(column):.2f} (bound {EACH:g})")


if __name__ == "__main__":
    main()
