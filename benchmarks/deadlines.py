"""How late an answer comes that ran out of time: heavy questions with a deadline of 200 ms.

    python benchmarks/deadlines.py --repo CURL [--tries 100]      wall time and processor time of each question's answers
    python benchmarks/deadlines.py --repo CURL --gaps             the longest processor time between two looks at the clock
    ... [--only TEXT] [--timeout 0.2] [--json FILE]

`--repo` is any repository with some history (the questions name files and tags of curl's; others are found in place of
them). Every answer is a fresh handle's, the repository being the root, after one answer that loads the modules.

A late answer on a busy machine may be late because another process had the processor. `--gaps` measures what does not
depend on that: it lets each question run (at most --seconds), and reports the longest stretch of this thread's own time in
which nobody looked at the clock, with the places where the stretch began and ended. Time in the regular expression engine
is bounded by a deadline of its own, and counts from the moment it was given one. What follows the last look (the stack
unwound, what was gathered set free) counts too.

Ends with status 1 where an answer came later than --allowed (350 ms), or a gap is longer than 100 ms.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import gitglass
from gitglass.limits import Context, Limits

OLD, NEW, FILE, FOLDER = "curl-7_80_0", "curl-8_0_0", "lib/url.c", "lib"

#: questions that take git itself a second and more on curl's history, or that read or write much
QUESTIONS = [line.split() for line in f"""
log --oneline
log --graph --oneline --all
log --topo-order --oneline
log --format=fuller
log --stat
log -p
log -p -M -C --find-copies-harder
log --name-status -M
log --cc -p --merges
log --follow -p -- {FILE}
log --oneline -- {FILE}
log -S Curl_setup --oneline
log -G (a+)+$ --oneline
log -i --grep=(x+x+)+y --oneline
log -L 100,140:{FILE}
log --format=%H%d%(describe) -n 5000
log --all --source --decorate=full --oneline
rev-list --all --objects
rev-list --count --all
rev-list --left-right --cherry-mark {OLD}...{NEW}
blame {FILE}
blame -C -C -C -w {FILE}
diff --stat {OLD} {NEW}
diff -p -M -C --find-copies-harder {OLD} {NEW}
diff --patience {OLD} {NEW}
diff --histogram --word-diff {OLD} {NEW}
diff-tree -r -p --minimal {OLD} {NEW}
shortlog -s -n -e --all
describe --all --contains HEAD~2000
name-rev --all
branch --all --contains HEAD~5000
tag --contains HEAD~3000
tag --merged HEAD
for-each-ref --format=%(ahead-behind:HEAD)%(contents)
for-each-ref --contains HEAD~5000
grep -n -E (a+)+$
grep -i -c curl {OLD}
ls-tree -r -l {NEW}
cat-file --batch-check --batch-all-objects
cat-file --batch --batch-all-objects
cherry -v {NEW} {OLD}
merge-base --all {OLD} HEAD
status --ignored -uall
reflog show --all
compare {OLD} {NEW}
""".strip().splitlines()]  # fmt: skip


def ask(repo: str, argv: list[str], limits: Limits) -> gitglass.Completed:
    return gitglass.git(argv, cwd=repo, root=repo, limits=limits)


def questions(repo: str, only: str) -> list[list[str]]:
    """The questions, with names that this repository has."""
    tags = gitglass.git(["tag", "--sort=creatordate"], cwd=repo).stdout.decode().split() or ["HEAD"]
    files = gitglass.git(["ls-files"], cwd=repo).stdout.decode().splitlines()
    largest = max(files, key=lambda name: _size(repo, name), default="README")
    other = {OLD: tags[len(tags) // 2], NEW: tags[-1], FILE: largest, FOLDER: largest.partition("/")[0]}
    known = {*tags, *files, FOLDER if any(name.startswith(FOLDER + "/") for name in files) else ""}
    put = {name: name if name in known else stands for name, stands in other.items()}

    def named(word: str) -> str:
        for name, stands in put.items():
            word = word.replace(name, stands) if name != FOLDER else word
        return word

    return [[named(word) for word in argv] for argv in QUESTIONS if only in " ".join(argv)]


def _size(repo: str, name: str) -> int:
    try:
        return (Path(repo) / name).lstat().st_size if name.endswith((".c", ".py", ".rst", ".md")) else -1
    except OSError:
        return -1


# ---------------------------------------------------------------------------------------------------------------- tries
def late(repo: str, argv: list[str], tries: int, timeout: float) -> tuple[list[float], list[float], int]:
    """(wall times, processor times, how many ran out of time) of so many answers."""
    walls, cpus, ended = [], [], 0
    for _ in range(tries):
        gc.collect()
        wall, cpu = time.monotonic(), time.thread_time()
        done = ask(repo, argv, Limits(timeout=timeout))
        cpus.append(time.thread_time() - cpu)
        walls.append(time.monotonic() - wall)
        ended += done.returncode == 124
    return walls, cpus, ended


# ----------------------------------------------------------------------------------------------------------------- gaps
class Clock:
    """Stands in for the context's two ways to look at the clock, and remembers the longest time between two looks."""

    def __init__(self) -> None:
        self.worst, self.where, self.looks = 0.0, "", 0
        self._last, self._place = time.thread_time(), "the beginning"
        self._check, self._remaining = Context.check, Context.remaining

    def look(self, what: str = "") -> None:
        now = time.thread_time()
        gap = now - self._last
        self.looks += 1
        if gap > max(self.worst, 0.005):
            place = what or _place(sys._getframe(2))
            self.worst, self.where = gap, f"{self._place}  →  {place}"
            self._place = place
        elif gap > 0.001 or what:
            self._place = what or _place(sys._getframe(2))
        self._last = time.thread_time()

    def __enter__(self) -> Clock:
        clock, check, remaining = self, self._check, self._remaining

        def checked(ctx: Context) -> None:
            clock.look()
            check(ctx)

        def left(ctx: Context) -> float | None:
            clock.look()
            return remaining(ctx)

        Context.check, Context.remaining = checked, left  # type: ignore[method-assign]
        self._last = time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        Context.check, Context.remaining = self._check, self._remaining  # type: ignore[method-assign]
        self.look("the end")


def _place(frame: Any) -> str:
    """Where the work is: the innermost functions that are no clock's own."""
    rows = [row for row in traceback.extract_stack(frame) if not row.filename.endswith(("limits.py", "deadlines.py"))]
    return " < ".join(f"{Path(row.filename).stem}.{row.name}:{row.lineno}" for row in reversed(rows[-3:]))


def gap(repo: str, argv: list[str], seconds: float) -> Clock:
    gc.collect()
    with Clock() as clock:
        ask(repo, argv, Limits(timeout=seconds))
    return clock


# ----------------------------------------------------------------------------------------------------------------- main
def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--tries", type=int, default=100)
    parser.add_argument("--timeout", type=float, default=0.2)
    parser.add_argument("--allowed", type=float, default=0.35)
    parser.add_argument("--only", default="")
    parser.add_argument("--gaps", action="store_true")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long --gaps lets a question run")
    parser.add_argument("--json")
    args = parser.parse_args()
    asked = questions(args.repo, args.only)
    rows: list[dict[str, Any]] = []
    for argv in asked:
        ask(args.repo, argv, Limits(timeout=args.timeout))  # modules are loaded, and the files are in the cache
        name = " ".join(argv)
        if args.gaps:
            clock = gap(args.repo, argv, args.seconds)
            row: dict[str, Any] = {"question": name, "gap": clock.worst, "where": clock.where, "looks": clock.looks}
            print(f"{clock.worst * 1000:7.1f} ms  {name:55.55}  {clock.where}", flush=True)
        else:
            walls, cpus, ended = late(args.repo, argv, args.tries, args.timeout)
            over = sum(wall > args.allowed for wall in walls)
            row = {"question": name, "wall": max(walls), "cpu": max(cpus), "over": over, "ended": ended}
            print(
                f"{max(walls) * 1000:7.1f} ms wall  {max(cpus) * 1000:7.1f} ms cpu  {over:3} over  {name}", flush=True
            )
        rows.append(row)
    if args.json:
        Path(args.json).write_text(json.dumps(rows, indent=1) + "\n")
    if args.gaps:
        worst = max(rows, key=lambda row: float(row["gap"]))
        print(f"longest {worst['gap'] * 1000:.1f} ms: {worst['question']}: {worst['where']}")
        return any(row["gap"] > 0.1 for row in rows)
    worst = max(rows, key=lambda row: float(row["wall"]))
    over, total = sum(int(row["over"]) for row in rows), len(rows) * args.tries
    print(
        f"{over} of {total} over {args.allowed * 1000:.0f} ms; worst {worst['wall'] * 1000:.0f} ms: {worst['question']}"
    )
    return over > 0


if __name__ == "__main__":
    sys.exit(main())
