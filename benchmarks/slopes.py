"""Which options grow faster than git's: processor time over histories of 10^3 to 10^6 commits and trees of 10^2 to 10^5
files, beside a `git` subprocess, and the slope of the ratio.

    python benchmarks/slopes.py DIR [--kinds history trees] [--sizes 1000 100000] [--files 100 100000]
        [--graphs with without] [--only WORD] [--rounds 3] [--limit 2] [--timeout 120] [--json FILE]

The repositories are made below DIR, the same bytes every time, and kept there: histories by `synthetic.py`, wide trees
by `git fast-import`. A question `A < B` gives git's answer to B to A as its standard input. Each answer of gitglass is
made in a process of its own that asked it of a small repository before, so that all modules are loaded, with a fresh
handle; its processor time (user and system) is that of the call alone, git's is that of the subprocess, its start
included. The small repository has all that the questions name, and some answer to each: an error loads other modules;
it has a commit-graph where the other one has.
Compiled modules are kept below DIR, whatever PYTHONDONTWRITEBYTECODE says. Answers are compared (DIFFERS). A row says the ratio at each
size, and the exponent by which the ratio grows with the size over the two largest (0: as git's, 1: git's is linear,
ours quadratic).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from synthetic import START, make

ENVIRONMENT = {
    "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "GIT_OPTIONAL_LOCKS": "0",
}  # fmt: skip

#: commits and files of the repositories that are asked before: the least with every tag, branch and path of the questions
SMALL_HISTORY, SMALL_TREE = 2000, 2200

HISTORY = [
    "log --oneline", "log --oneline -n 30 --simplify-by-decoration", "log --oneline --simplify-merges -n 30 -- file",
    "log --oneline --full-history -n 30 -- file", "log --oneline --full-history --parents -n 30 -- file",
    "log --oneline -n 30 -- file", "log --oneline -n 30 -- absent", "log --oneline --graph -n 30",
    "log --oneline --graph", "log --oneline --graph --date-order", "log --oneline --graph --first-parent",
    "log --oneline --date-order", "log --oneline --author-date-order",
    "log --oneline --topo-order -n 30", "log --oneline --date-order -n 30",
    "log --oneline --author-date-order -n 30", "log --oneline --reverse -n 30", "log --oneline --first-parent",
    "log --oneline --merges", "log --oneline --no-merges", "log --oneline --children -n 30",
    "log --oneline --parents -n 30", "log --oneline --boundary -n 30 topic10..main",
    "log --oneline --left-right topic19...main", "log --oneline --cherry-mark topic18...topic19",
    "log --oneline --ancestry-path topic18..topic19", "log --oneline --ancestry-path topic01..main -n 30",
    "log --oneline --source -n 30 --all", "log --oneline --all -n 30", "log --oneline --all",
    "log --oneline --since=2001-10-01 -n 30", "log --oneline --until=2001-10-01 -n 30",
    "log --oneline --since-as-filter=2001-10-01 -n 30", "log --oneline --grep=99$", "log --oneline --author=nobody",
    "log --oneline --show-pulls -n 30 -- file", "log --oneline --remove-empty -n 30 -- file",
    "log --oneline --sparse -n 30 -- file", "log --oneline --skip=900 -n 30", "log --oneline -S99 -n 10",
    "log --oneline --follow -n 30 -- file", "log --oneline --decorate=short -n 100", "log --oneline --no-walk --all",
    "log --oneline --show-linear-break -n 30", "log --oneline topic10..main", "log --format=%H%d",
    "log --format=%an%ae",
    "log", "log --graph", "log --pretty=fuller", "log --format=%S --source", "log --format=%m%h topic10...main",
    "log --oneline --graph --merges", "log --oneline --graph --no-merges", "log --oneline --graph -- file",
    "log --oneline --graph --boundary topic10..main", "log --oneline --graph --left-right topic10...main",
    "log --oneline --left-only topic10...main", "log --oneline --children", "log --oneline --parents",
    "log --oneline --source --all", "log --oneline --topo-order --reverse", "log --oneline --branches --not main",
    "log --oneline --simplify-by-decoration", "log --oneline -- file", "log --oneline --first-parent -- file",
    "log --oneline --full-history --parents -- file", "log --oneline --follow -- file", "log --oneline --name-only",
    "log --oneline --stat", "log --oneline --diff-filter=A", "log --oneline -p -n 3000", "log -L1,3:file -n 300",
    "rev-list --count main", "rev-list --count topic10..main", "rev-list --count --all", "rev-list main",
    "rev-list --count --merges main", "rev-list --topo-order main", "rev-list --objects main",
    "rev-list --bisect topic10..main", "rev-list --count --left-right topic10...main",
    "rev-list --count --first-parent main", "rev-list --count --since=2001-10-01 main", "rev-list --max-parents=0 main",
    "rev-list --parents main", "rev-list --reverse main", "rev-list -n 1 main -- file",
    "rev-list --children main", "rev-list --date-order main", "rev-list --graph main", "rev-list --format=%H main",
    "rev-list --timestamp main", "rev-list --disk-usage main", "rev-list --objects topic10..main",
    "rev-list --filter=blob:none --objects main", "log --no-walk --stdin --oneline < rev-list -n 3000 main",
    "diff-tree --stdin -r < rev-list -n 3000 main", "cat-file --batch-check < rev-list -n 20000 main",
    "merge-base main topic19", "merge-base main topic10", "merge-base --all topic01 main",
    "merge-base --is-ancestor topic01 main", "merge-base --is-ancestor main topic01",
    "merge-base --independent main topic01 topic10", "merge-base --octopus main topic01 topic10",
    "branch --contains topic10", "branch --contains topic01", "branch --merged main", "branch --no-merged topic10",
    "branch -v", "tag --contains v010", "tag --contains v190", "tag --no-contains v100", "tag --merged topic10",
    "tag --points-at main", "describe --tags", "describe --tags topic10~3", "describe --tags --match=v000",
    "describe --contains topic10~3", "name-rev main~1 topic01~4", "shortlog -s main", "shortlog -s -n main",
    "for-each-ref", "for-each-ref --sort=-committerdate", "for-each-ref --sort=-version:refname",
    "for-each-ref --contains=topic10", "for-each-ref --merged=topic10", "for-each-ref --format=%(subject)%(authorname)",
    "rev-parse main~500", "rev-parse :/99", "rev-parse main^{/99$}", "show --stat main", "diff topic01 main",
    "blame main file", "blame topic10..main file", "cat-file --batch-check --batch-all-objects", "count-objects -v", "cherry topic19 main",
]  # fmt: skip

TREES = [
    "log --oneline -- d010/f007", "log --oneline -- flat/f00050", "log --oneline -- flat", "log --oneline -- d010",
    "log --oneline -- absent", "log --oneline -- *7", "log --oneline --stat", "log --oneline --stat -n 10",
    "log --oneline --name-only", "log --oneline -p -n 10", "log --oneline --raw", "log --oneline --numstat -M",
    "log --oneline --follow -- flat/f00050", "log --oneline --full-history -- flat/f00050",
    "log --oneline --simplify-merges -- flat/f00050", "log --oneline -S99", "log --oneline --shortstat -- d010",
    "diff HEAD~1", "diff HEAD~20 HEAD", "diff --stat HEAD~20 HEAD", "diff --cached", "diff --cached HEAD~1", "diff",
    "diff-tree -r HEAD~20 HEAD", "diff-tree HEAD~20 HEAD", "diff-index --cached HEAD", "diff-files", "status",
    "status --porcelain", "status -uno", "ls-tree HEAD", "ls-tree -r HEAD", "ls-tree -r HEAD -- d010",
    "ls-tree HEAD flat/", "ls-tree HEAD flat/f00050", "ls-tree -r --name-only HEAD", "ls-tree -l HEAD flat/f00050",
    "ls-files", "ls-files -s",
    "ls-files -- d010", "ls-files -o", "ls-files -m", "ls-files *7", "show HEAD", "show HEAD:flat/f00050",
    "rev-parse HEAD:flat/f00050", "cat-file -p HEAD:flat", "blame flat/f00050", "grep -c line HEAD -- d010",
    "grep -l never HEAD", "grep -l never", "rev-list --objects HEAD~1..HEAD", "rev-list --objects --all",
    "check-ignore flat/f00050", "check-attr text flat/f00050", "cat-file -s HEAD:flat/f00050",
    "check-ignore --stdin --no-index < ls-files", "check-attr --stdin text diff < ls-files",
    "cat-file --batch-check --batch-all-objects", "ls-tree -r -l HEAD", "log --oneline --dirstat", "ls-files -t",
    "cat-file --batch-check < ls-tree -r --object-only HEAD", "diff --name-status HEAD~20 HEAD", "diff HEAD -- d010",
    "ls-files -v", "ls-files --deduplicate", "ls-files --format=%(objectname)%x09%(path)", "ls-files -u", "ls-files -d",
    "ls-files :(exclude)flat", "grep zz -- d010", "rev-parse :flat/f00050", "ls-files -c -i -x *.c",
    "cat-file --batch-all-objects --batch-check=%(objectname)",
]  # fmt: skip

CHILD = """
import gc, hashlib, json, resource, sys
import gitglass
small, here, argv, given = sys.argv[1], sys.argv[2], sys.argv[3:], sys.stdin.buffer.read()
gitglass.git(argv, cwd=small, stdin=given[:100])
def used():
    about = resource.getrusage(resource.RUSAGE_SELF)
    return about.ru_utime + about.ru_stime
start = used()
done = gitglass.git(argv, cwd=here, stdin=given)
took = used() - start
print(json.dumps([took, hashlib.sha1(done.stdout).hexdigest(), done.stderr.decode(errors="replace")]))
"""


def ours(
    small: Path, here: Path, argv: list[str], given: bytes, limit: float, env: dict[str, str]
) -> tuple[float, str] | None:
    """Seconds of processor time and the answer's hash; None where it takes too long."""
    words = [sys.executable, "-c", CHILD, str(small), str(here), *argv]
    try:
        done = subprocess.run(words, env=env, input=given, capture_output=True, timeout=limit, check=True)
    except subprocess.TimeoutExpired:
        return None
    took, digest, errors = json.loads(done.stdout)
    if errors:
        print(f"  ({' '.join(argv)}: {errors.splitlines()[0]})", file=sys.stderr)
    return took, digest


def gits(here: Path, argv: list[str], given: bytes) -> tuple[float, str]:
    """The same of a `git` subprocess."""
    with tempfile.TemporaryFile() as stdin:
        stdin.write(given)
        stdin.seek(0)
        process = subprocess.Popen(
            ["git", "-C", str(here), *argv],
            env=os.environ | ENVIRONMENT,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    assert process.stdout is not None
    out = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime, hashlib.sha1(out).hexdigest()


def make_tree(top: Path, count: int, commits: int = 40) -> None:
    """A repository of so many files: half of them in one directory, half in directories of a hundred, and checked out.

    Forty commits, each of which changes three files; packed, without a commit-graph."""
    top.mkdir(parents=True)
    run = {"cwd": top, "env": os.environ | ENVIRONMENT, "check": True}
    subprocess.run(["git", "init", "-q", "-b", "main"], **run)  # type: ignore[call-overload]
    flat = [b"flat/f%05d" % nth for nth in range(count // 2)]
    deep = [b"d%03d/f%03d" % (nth // 100, nth % 100) for nth in range(count // 2)]
    names = flat + deep
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=top, stdin=subprocess.PIPE) as process:
        say = process.stdin.write  # type: ignore[union-attr]
        for nth in range(commits):
            message = b"Change number %d\n" % nth
            say(b"commit refs/heads/main\ncommitter C <c@example.com> %d +0000\n" % (START + 60 * nth))
            say(b"data %d\n%s\n" % (len(message), message))
            some = [nth * 7919 % len(names), nth * 104729 % len(names), (50 + nth % 5) % len(flat)]
            for name in names if not nth else sorted({names[which] for which in some}):
                data = b"a line\n" * 3 + b"%s %d\n" % (name, nth) + b"the last line\n"
                say(b"M 644 inline %s\ndata %d\n%s\n" % (name, len(data), data))
    subprocess.run(["git", "reset", "-q", "--hard"], **run)  # type: ignore[call-overload]
    subprocess.run(["git", "repack", "-q", "-a", "-d"], **run)  # type: ignore[call-overload]


class Table:
    """Rows as they are measured, and their ratios by question."""

    def __init__(self, words: argparse.Namespace) -> None:
        self.words = words
        self.env = os.environ | ENVIRONMENT | {"PYTHONPYCACHEPREFIX": str(words.directory.absolute() / "compiled")}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)
        self.small = Path()  # where a process asks the question first, so that all modules are loaded
        self.rows: list[dict[str, object]] = []
        self.ratios: dict[str, dict[int, float]] = {}

    def measure(self, small: Path, here: Path, kind: str, size: int, questions: list[str]) -> None:
        print(f"{kind}, {size}", flush=True)
        self.small = small
        for question in questions:
            if self.words.only and not any(only in question for only in self.words.only):
                continue
            self._one(here, kind, size, question)

    def _one(self, here: Path, kind: str, size: int, question: str) -> None:
        argv, given = question.partition(" < ")[0].split(), b""
        if " < " in question:
            source = ["git", "-C", str(here), *question.partition(" < ")[2].split()]
            given = subprocess.run(source, env=os.environ | ENVIRONMENT, capture_output=True, check=True).stdout
        pairs: list[tuple[float, float]] = []
        same = True
        for _ in range(self.words.rounds):
            mine = ours(self.small, here, argv, given, self.words.timeout, self.env)
            theirs = gits(here, argv, given)
            pairs.append((math.inf if mine is None else mine[0], theirs[0]))
            if mine is None:
                break
            same = same and mine[1] == theirs[1]
        took, base = (min(side) for side in zip(*pairs, strict=True))
        ratio = statistics.median(mine / max(theirs, 0.001) for mine, theirs in pairs)
        row = {"kind": kind, "size": size, "question": question, "git_ms": 1000 * base, "ms": 1000 * took}
        self.rows.append({**row, "ratio": ratio, "same": same})
        self.ratios.setdefault(f"{kind}: {question}", {})[size] = ratio
        sign = " <<<" if ratio > self.words.limit else ""
        print(
            f"  {question:58s} git {1000 * base:9.1f} ms   gitglass {1000 * took:9.1f} ms   x{ratio:6.2f}"
            f"{'' if same else '  DIFFERS'}{sign}",
            flush=True,
        )

    def report(self) -> None:
        """The ratios side by side, the worst first, with the slope over the two largest sizes."""
        print("\nratio of processor time at each size, and its slope")
        for name, by_size in sorted(self.ratios.items(), key=lambda item: -list(item[1].values())[-1]):
            sizes = sorted(by_size)
            slope = 0.0
            if len(sizes) > 1:
                low, high = sizes[-2:]
                slope = math.log(max(by_size[high], 1e-9) / max(by_size[low], 1e-9)) / math.log(high / low)
            shown = "  ".join(f"{size}: {by_size[size]:6.2f}" for size in sizes)
            print(f"{name:76s} {shown}  slope {slope:+.2f}")


def _made(here: Path, count: int, maker: Callable[[Path, int], object]) -> Path:
    """A repository of that size, made where it is not there yet; a half-made one never has its name."""
    if not here.exists():
        begun = here.with_name(f"{here.name}.begun")
        shutil.rmtree(begun, ignore_errors=True)
        maker(begun, count)
        begun.rename(here)
    return here


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory", type=Path)
    options.add_argument("--kinds", nargs="+", choices=["history", "trees"], default=["history", "trees"])
    options.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    options.add_argument("--files", type=int, nargs="+", default=[100, 1000, 10_000, 100_000])
    options.add_argument("--graphs", nargs="+", choices=["with", "without"], default=["with", "without"])
    options.add_argument("--only", action="append", help="questions that contain this (may be given again)")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--limit", type=float, default=2, help="ratios above it are marked")
    options.add_argument("--timeout", type=float, default=120, help="seconds given to one answer")
    options.add_argument("--json", type=Path)
    words = options.parse_args()
    table = Table(words)
    for size in words.sizes if "history" in words.kinds else ():
        for graph in words.graphs:
            here = words.directory / "hist" / (f"{size}" if graph == "with" else f"{size}-bare")
            _made(here, size, make if graph == "with" else partial(make, graph=False))
            few = words.directory / "hist" / (f"{SMALL_HISTORY}" if graph == "with" else f"{SMALL_HISTORY}-bare")
            small = _made(few, SMALL_HISTORY, make if graph == "with" else partial(make, graph=False))
            table.measure(small, here, f"{graph} graph", size, HISTORY)
    for files in words.files if "trees" in words.kinds else ():
        here = _made(words.directory / "trees" / str(files), files, make_tree)
        small = _made(words.directory / "trees" / f"{SMALL_TREE}", SMALL_TREE, make_tree)
        table.measure(small, here, "files", files, TREES)
    table.report()
    if words.json:
        words.json.write_text(json.dumps(table.rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
