"""The table of docs/pace.md: gitglass, git and the other libraries, the same questions on the same repositories.

    python -m benchmarks REPO[=PATH]... [--rounds 5] [--tools gitglass,pygit2] [--write]

PATH is the file that the questions about one file are about. Answers are compared before a time counts; ratios are to
the `git` subprocess of the same round, and medians over the rounds. `--write` renews docs/pace.md and benchmarks/results.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from .peers.measure import as_json, measure
from .peers.report import plot, table, write_table
from .peers.tools import TOOLS

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repos", nargs="+", metavar="REPO[=PATH]")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tools", default=",".join(name for name in TOOLS if name != "git"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    names = options.tools.split(",")
    rows = []
    for given in options.repos:
        place, _, path = given.partition("=")
        subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=place, check=False)
        rows += measure(str(Path(place).resolve()), path or "README.md", names, options.rounds)
    found = json.loads(as_json(rows))
    versions = {name: TOOLS[name]().version() for name in ("git", *names) if not name.endswith("warm")}
    text = table(found, versions)
    print(text)
    if options.write:
        results = HERE / "results"
        results.mkdir(exist_ok=True)
        (results / "peers.json").write_text(json.dumps({"versions": versions, "rows": found}, indent=1) + "\n")
        for family in dict.fromkeys(row["family"] for row in found):
            plot(found, family, results / f"{family}.svg")
        write_table(HERE.parent / "docs" / "pace.md", text)


if __name__ == "__main__":
    sys.exit(main())
