"""What the least Python code for a question's unavoidable work takes, beside git's whole answer and gitglass's.

    python benchmarks/floors.py DIR [--files 100000] [--commits 100000] [--only WORD] [--rounds 5] [--json FILE]

DIR is that of `slopes.py`, which makes the repositories. For questions of that table that stay above twice git's time: a
loop that does nothing but what no answer in CPython can do without, with everything it needs made beforehand where git
would have to make it too. It decides nothing, checks nothing, keeps no deadline and counts no memory. Each loop runs in
a process of its own; its processor time (user and system) is that of the loop alone, git's is that of the subprocess,
its start included. The three sides are measured in turns, and the ratios are medians.

What a loop leaves out is named beside it: a floor above 2 says that the row cannot come below 2; one below 2 says how
much of the row is the interpreter's price for the bare work.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from slopes import ENVIRONMENT, SMALL_HISTORY, SMALL_TREE, gits, ours

#: what every loop may use: the repository `here`, its only pack `pack`, and the index of that as (offset, oid) pairs
PRELUDE = """
import os, resource, struct, sys, zlib, glob, re, io, json
from heapq import heappop, heappushpop, heappush
here = sys.argv[1].encode()
git = here + b"/.git"
def packed():
    base = glob.glob(os.fsdecode(git) + "/objects/pack/*.idx")[0][:-4]
    with open(base + ".pack", "rb") as file:
        pack = file.read()
    with open(base + ".idx", "rb") as file:
        idx = file.read()
    count = struct.unpack(">I", idx[8 + 1020 : 8 + 1024])[0]
    oids = [idx[at : at + 20] for at in range(1032, 1032 + 20 * count, 20)]
    offsets = struct.unpack(">%dI" % count, idx[1032 + 24 * count : 1032 + 28 * count])
    return pack, oids, offsets
def header(pack, at):
    byte = pack[at]; kind = byte >> 4 & 7; size = byte & 15; shift = 4; at += 1
    while byte > 127:
        byte = pack[at]; size |= (byte & 127) << shift; shift += 7; at += 1
    back = 0
    if kind == 6:
        byte = pack[at]; back = byte & 127; at += 1
        while byte > 127:
            byte = pack[at]; back = back + 1 << 7 | byte & 127; at += 1
    return kind, size, at, back
def used():
    about = resource.getrusage(resource.RUSAGE_SELF)
    return about.ru_utime + about.ru_stime
"""

#: the index cut into entries, with the paths: what every question about the index begins with. Left out: the check of
#: each entry's form, modes, names, stages and stat data.
INDEX = """
data = open(git + b"/index", "rb").read()
padded = re.compile(b".{62}([^\\0]*+\\0{1,8})", re.DOTALL).findall(data, 12)[: struct.unpack(">I", data[8:12])[0]]
"""

PATHS = (
    INDEX
    + """
paths = [path.rstrip(b"\\0") for path in padded]
"""
)

#: the status of every file, by its name in an open directory. Left out: the index, the comparison, the directories.
LSTATS = """
folders = {}
for path in os.popen("git -C %s ls-files" % os.fsdecode(here)).read().split():
    above, _, name = path.rpartition("/")
    folders.setdefault(above, []).append(name.encode())
opened = [(os.open(os.path.join(os.fsdecode(here), above), os.O_PATH), names) for above, names in folders.items()]
start = used()
for fd, names in opened:
    [os.lstat(name, dir_fd=fd) for name in names]
"""

#: every object inflated, and every delta's base found. Left out: the instructions of the deltas, names, what is asked.
INFLATED = """
pack, oids, offsets = packed()
start = used()
cache = {}
for offset in offsets:
    kind, size, at, back = header(pack, offset)
    cache[offset] = zlib.decompress(pack[at : at + size + 128], 15, size + 258)
"""

#: the sizes of deltas stand in their first bytes, which are compressed. Left out: names, kinds, the order, the lines.
HEADS = """
pack, oids, offsets = packed()
start = used()
for offset in offsets:
    kind, size, at, back = header(pack, offset)
    if kind == 6:
        zlib.decompress(pack[at : at + size + 128], 15, size + 258)
"""

#: two colours, or the flags of a walk, over arrays: the queue by date, what was seen, the parents. Left out: names,
#: marks of what is excluded, when to stop.
WALKED = """
from array import array
data = open(git + b"/objects/info/commit-graph", "rb").read()
chunks = {}
for number in range(data[6]):
    at = 8 + 12 * number
    chunks[data[at : at + 4]] = int.from_bytes(data[at + 4 : at + 12], "big")
count = int.from_bytes(data[chunks[b"OIDF"] + 1020 : chunks[b"OIDF"] + 1024], "big")
rows = data[chunks[b"CDAT"] : chunks[b"CDAT"] + 36 * count]
names = data[chunks[b"OIDL"] : chunks[b"OIDL"] + 20 * count]
def at(rev):
    oid = bytes.fromhex(os.popen("git -C %s rev-parse %s" % (os.fsdecode(here), rev)).read().strip())
    return names.index(oid) // 20
tips, most = [at(rev) for rev in REVS], MOST
start = used()
words = array("I", rows); words.byteswap()
first, second, times = words[5::9], words[6::9], words[8::9]
flags = bytearray(count); queue = []; left = most
for tip in tips:
    flags[tip] = 1; heappush(queue, (-times[tip], tip, tip))
serial = count; waiting = None
while (queue or waiting) and left:
    _, _, here_at = heappop(queue) if waiting is None else heappushpop(queue, waiting)
    waiting = None; left -= 1
    for parent in (first[here_at],) if second[here_at] == 0x70000000 else (first[here_at], second[here_at]):
        if parent < count and not flags[parent]:
            flags[parent] = 1; serial += 1
            if waiting is not None:
                heappush(queue, waiting)
            waiting = (-times[parent], serial, parent)
"""


def walked(revs: list[str], most: int) -> str:
    """The loop over so many commits."""
    return WALKED.replace("REVS", repr(revs)).replace("MOST", str(most))


#: by kind of repository: a question of `slopes.py`, and its loop
FLOORS: dict[str, dict[str, str]] = {
    "trees": {
        "ls-files": "start = used()" + INDEX + "text = b'\\n'.join(padded)",
        "ls-files *7": "start = used()" + PATHS + "[path for path in paths if path.endswith(b'7')]",
        "ls-files -s": "start = used()"
        + PATHS
        + """
fixed = b"".join(re.compile(rb"(.{62})[^\\0]*+\\0{1,8}", re.DOTALL).findall(data, 12)[: len(paths)])
names = [fixed[at : at + 20].hex() for at in range(40, len(fixed), 62)]
""",
        "check-ignore flat/f00050": "start = used()" + INDEX,
        "diff-index --cached HEAD": "start = used()" + INDEX,
        "diff --cached": "start = used()" + INDEX,
        "diff-files": LSTATS,
        "diff": LSTATS,
        "ls-files -m": LSTATS,
        "status -uno": LSTATS,
        "log --oneline --stat": INFLATED,
        "log --oneline --numstat -M": INFLATED,
        "log --oneline -S99": INFLATED,
        "grep -l never HEAD": INFLATED,
        "cat-file --batch-check --batch-all-objects": HEADS,
    },
    "history": {
        "rev-list --count topic10..main": walked(["main", "topic10"], 50_000),
        "log --oneline --children -n 30": walked(["main"], 100_000),
    },
}


def floor(loop: str, here: Path) -> float:
    """Seconds of processor time of the loop, without what stands in front of `start = used()`."""
    code = f"{PRELUDE}\n{loop}\nprint(json.dumps(used() - start))"
    return float(
        json.loads(subprocess.run([sys.executable, "-c", code, str(here)], capture_output=True, check=True).stdout)
    )


def measure(
    small: Path, here: Path, question: str, loop: str, rounds: int, env: dict[str, str]
) -> dict[str, object] | None:
    """One row: git's milliseconds, and the multiples that the bare loop and gitglass take."""
    argv = question.split()
    least: list[float] = []
    whole: list[float] = []
    base: list[float] = []
    for _ in range(rounds):
        theirs = max(gits(here, argv, b"")[0], 0.001)
        mine = ours(small, here, argv, b"", 120, env)
        if mine is None:
            return None
        base.append(theirs)
        least.append(floor(loop, here) / theirs)
        whole.append(mine[0] / theirs)
    median: Callable[[list[float]], float] = statistics.median
    return {"question": question, "git_ms": 1000 * min(base), "floor": median(least), "ratio": median(whole)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory", type=Path)
    options.add_argument("--files", type=int, default=100_000)
    options.add_argument("--commits", type=int, default=100_000)
    options.add_argument("--only", action="append", help="questions that contain this (may be given again)")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--json", type=Path)
    words = options.parse_args()
    env = os.environ | ENVIRONMENT | {"PYTHONPYCACHEPREFIX": str(words.directory.absolute() / "compiled")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    rows: list[dict[str, object]] = []
    places = {"trees": ("trees", words.files, SMALL_TREE), "history": ("hist", words.commits, SMALL_HISTORY)}
    for kind, questions in FLOORS.items():
        folder, size, least = places[kind]
        small, here = (words.directory / folder / str(number) for number in (least, size))
        for question, loop in questions.items():
            if words.only and not any(only in question for only in words.only):
                continue
            row = measure(small, here, question, loop, words.rounds, env)
            if row is None:
                continue
            rows.append({"kind": kind, "size": size, **row})
            print(
                f"  {question:46s} git {row['git_ms']:8.1f} ms   floor x{row['floor']:5.2f}   gitglass x{row['ratio']:5.2f}",
                flush=True,
            )
    if words.json:
        words.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
