#!/usr/bin/env python3
"""dulwich's tools on our jailed repository and on dulwich's own: processor time in pairs, outputs compared first.

    python benchmarks/bridge.py --repo DIR [--rounds 5] [--only walk,trees,missing,pack]

Each measurement is a process of its own, which opens the repository, imports included in neither side: time is taken
from the opening to the last object. The two sides of a pair run back to back; the median ratio is reported.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

CHILD = """
import hashlib, json, sys, time
import dulwich.repo, dulwich.walk, dulwich.object_store, dulwich.pack
import gitglass, gitglass.repository, gitglass.bridge.repo
side, question, path = sys.argv[1:]
begun = time.process_time()
limits = gitglass.Limits.generous()
repo = gitglass.open(path, root=path, limits=limits).dulwich() if side == "ours" else dulwich.repo.Repo(path)
head = repo.refs[b"HEAD"]
found = hashlib.sha1()
count = 0
if question == "walk":
    for entry in repo.get_walker(include=[head]):
        found.update(entry.commit.id)
        count += 1
elif question == "trees":
    for entry in repo.get_walker(include=[head], max_entries=300):
        for item in repo.object_store.iter_tree_contents(entry.commit.tree):
            found.update(item.sha)
            count += 1
elif question == "missing":
    for name, _ in sorted(dulwich.object_store.MissingObjectFinder(repo.object_store, haves=[], wants=[head])):
        found.update(name)
        count += 1
elif question == "pack":
    size = 0
    def write(data):
        global size
        size += len(data)
    count, objects = repo.object_store.generate_pack_data([], [head])
    dulwich.pack.write_pack_data(write, objects, num_records=count, object_format=repo.object_format)
    print(size, "bytes", file=sys.stderr)
print(json.dumps([time.process_time() - begun, count, found.hexdigest()]))
"""


def measure(side: str, question: str, path: str) -> tuple[float, int, str]:
    """(seconds of processor time, how many, what) of one run."""
    done = subprocess.run([sys.executable, "-c", CHILD, side, question, path], stdout=subprocess.PIPE, check=True)
    seconds, count, found = json.loads(done.stdout)
    return seconds, count, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True, help="a repository")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="walk,trees", help="walk, trees, missing, pack")
    options = parser.parse_args()
    print(f"{'question':<10}{'items':>10}{'dulwich s':>12}{'bridge s':>12}{'times faster':>14}")
    for question in options.only.split(","):
        pairs = []
        for _ in range(options.rounds):
            ours, theirs = (measure(side, question, options.repo) for side in ("ours", "dulwich"))
            if ours[1:] != theirs[1:]:
                raise SystemExit(f"{question}: the answers differ: {ours[1:]} {theirs[1:]}")
            pairs.append((theirs[0], ours[0]))
        ratio = statistics.median(theirs / ours for theirs, ours in pairs)
        theirs_s, ours_s = (statistics.median(side) for side in zip(*pairs, strict=True))
        print(f"{question:<10}{ours[1]:>10}{theirs_s:>12.2f}{ours_s:>12.2f}{ratio:>14.2f}")


if __name__ == "__main__":
    main()
