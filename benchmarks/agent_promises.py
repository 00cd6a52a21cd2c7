"""What the agent's door promises, tried on a real repository: budgets and cursors, cancellation and deadlines, threads.

    python benchmarks/agent_promises.py --repo DIR [--budgets 200] [--stops 200] [--threads 8] [--seed 1]

budgets  random requests with random budgets of 200 bytes to 1 MB: the pages that the cursors lead to are, joined, the
         uncut answer; no answer is larger than its budget. Requests that would take more than --pages pages are drawn
         again, and counted.
stops    any tool, cancelled or timed out at a random moment of its work: how long after that moment it came back; in
         wall time, and in this thread's own processor time (which another process cannot spoil; counted from the last
         look at the clock before the moment, so that it is never too small). Python's full garbage collections, which
         hold up every thread of a process (40 to 80 ms each on a busy machine), are made between the calls; with
         --collector they are left where they fall.
threads  the same requests alone and on as many threads together: the same answers.

Ends with status 1 where a promise is broken (100 ms of processor time for a stop).
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gitglass
from gitglass.agent import Budget, Roots, ToolAnswer, ToolContext, tools
from gitglass.limits import Limits

TOOLS = {tool.name: tool for tool in tools()}
PROMISE = 0.1


class Drawn:
    """Random requests about one repository: its own tags, commits and files."""

    def __init__(self, place: str, seed: int) -> None:
        self.rng = random.Random(seed)
        repo = gitglass.open(place)
        self.tags = [line for line in _lines(repo, "tag", "--sort=-creatordate") if line][:40] or ["HEAD"]
        self.commits = _lines(repo, "rev-list", "-n", "2000", "HEAD")
        self.files = [line for line in _lines(repo, "ls-files") if not line.startswith('"')]
        self.sources = [name for name in self.files if name.endswith((".c", ".h", ".py", ".md", ".rst"))] or self.files

    def range(self) -> tuple[str, str]:
        """Two commits, the older one first."""
        old, new = sorted(self.rng.sample(range(len(self.commits)), 2), reverse=True)
        return self.commits[old], self.commits[new]

    def request(self, name: str | None = None) -> tuple[str, dict[str, Any]]:
        """A tool and arguments."""
        rng = self.rng
        name = name or rng.choice(sorted(TOOLS))
        old, new = self.range()
        mode = rng.choice(["patch", "stat", "name_status", "name_only"])
        some = rng.choice([None, [rng.choice(self.files)], [rng.choice(self.files).split("/")[0]]])
        asked: dict[str, Any] = {
            "git_status": {"untracked": rng.choice(["no", "normal", "all"])},
            "git_log": {
                "rev": rng.choice(["HEAD", f"{old}..{new}", rng.choice(self.tags)]), "mode": rng.choice([mode, "none"]),
                "format": rng.choice(["line", "oneline", "medium", "full"]), "max_count": rng.choice([5, 40, 1000]),
                "paths": some, "author": rng.choice([None, None, "a"]), "grep": rng.choice([None, None, "fix"]),
            },
            "git_diff": {"from_ref": old, "to_ref": new, "mode": mode, "paths": some},
            "git_show": {"rev": rng.choice([old, new, f"{old}:{rng.choice(self.files).split('/')[0]}"]), "mode": mode},
            "git_blame": {"path": rng.choice(self.sources), "detect": rng.choice(["none", "none", "moves"])},
            "git_refs": {"sort": rng.choice(["name", "newest"]), "max_count": rng.choice([None, 7])},
            "git_files": {"rev": rng.choice([None, old]), "format": rng.choice(["name", "long"]), "paths": some},
            "git_grep": {"pattern": rng.choice(["return", "TODO", "^#", "int main"]), "paths": some},
            "git_compare": {"from_ref": old, "to_ref": new},
        }.get(name, {})  # fmt: skip
        return name, {key: value for key, value in asked.items() if value is not None}


#: questions that take a while, by tool: what a stop is tried on
def long_ones(drawn: Drawn) -> list[tuple[str, dict[str, Any]]]:
    big = max(drawn.sources[:4000], key=len)
    tag = drawn.tags[-1]
    return [
        ("git_status", {"untracked": "all", "ignored": True}),
        ("git_log", {"mode": "patch", "max_count": 1000}),
        ("git_log", {"mode": "stat", "max_count": 1000}),
        ("git_log", {"grep": "no such words as these", "all": True}),
        ("git_log", {"search": "nosuchidentifier"}),
        ("git_log", {"paths": [drawn.rng.choice(drawn.sources)], "follow": True, "max_count": 1000}),
        ("git_log", {"lines": f"1,20:{drawn.rng.choice(drawn.sources)}"}),
        ("git_diff", {"from_ref": tag, "to_ref": "HEAD"}),
        ("git_diff", {"from_ref": tag, "to_ref": "HEAD", "mode": "stat"}),
        ("git_diff", {"from_ref": drawn.commits[-1], "to_ref": "HEAD", "ignore_space": True}),
        ("git_show", {"rev": "HEAD:"}),
        ("git_show", {"rev": drawn.rng.choice(drawn.commits)}),
        ("git_blame", {"path": big}),
        ("git_blame", {"path": drawn.rng.choice(drawn.sources), "detect": "copies"}),
        ("git_blame", {"path": drawn.rng.choice(drawn.sources), "detect": "moves", "ignore_space": True}),
        ("git_refs", {"contains": drawn.commits[-1]}),
        ("git_refs", {"merged": "HEAD", "sort": "newest"}),
        ("git_files", {"format": "long", "rev": "HEAD"}),
        ("git_grep", {"pattern": "(a|b)*c.*return"}),
        ("git_grep", {"pattern": "nosuchidentifier", "rev": tag}),
        ("git_compare", {"from_ref": tag, "to_ref": "HEAD"}),
        ("git_info", {}),
    ]


def _lines(repo: gitglass.Repository, *argv: str) -> list[str]:
    done = repo.git(argv)
    done.check_returncode()
    return done.stdout.decode("utf-8", "replace").splitlines()


# ------------------------------------------------------------------------------------------------------------- budgets
def budgets(place: str, count: int, most_pages: int, seed: int) -> dict[str, Any]:
    """Pages joined are the uncut answer."""
    drawn, roots = Drawn(place, seed), Roots(place)
    pages = redrawn = broken = 0
    sizes: list[int] = []
    done = 0
    while done < count:
        name, asked = drawn.request()
        budget = int(10 ** drawn.rng.uniform(2.302, 6))
        plain = {**asked, "max_count": 1000} if "max_count" in asked and name == "git_log" else asked
        whole = "".join(answer.body for answer in follow(name, plain, roots, 10**9))
        if (
            len(whole.encode()) > (budget - 118) * most_pages
            or asked.get("max_count", 99) < whole.count("\n") / most_pages
        ):
            redrawn += 1
            continue
        answers = follow(name, asked, Roots(place), budget)
        over = [answer for answer in answers if len(answer.text.encode()) > budget]
        if "".join(answer.body for answer in answers) != whole or over:
            broken += 1
            print("BROKEN", name, json.dumps(asked), budget, file=sys.stderr)
        pages += len(answers)
        sizes.append(len(whole.encode()))
        done += 1
    return {"requests": count, "pages": pages, "bytes": sum(sizes), "drawn_again": redrawn, "broken": broken}


def follow(name: str, asked: dict[str, Any], roots: Roots, budget: int) -> list[ToolAnswer]:
    """All pages of an answer."""
    found: list[ToolAnswer] = []
    cursor = None
    while True:
        answer = TOOLS[name].call({**asked, "cursor": cursor}, ToolContext(roots, budget=Budget(budget)))
        found.append(answer)
        cursor = answer.next_cursor
        if cursor is None or answer.is_error:
            return found


# --------------------------------------------------------------------------------------------------------------- stops
def stops(place: str, count: int, seed: int, *, collector: bool = False) -> dict[str, Any]:
    """Cancelled or timed out at a random moment: how long until the call is back."""
    drawn, roots = Drawn(place, seed), Roots(place)
    asked = long_ones(drawn)
    if not collector:
        gc.disable()
    wall: list[float] = []
    cpu: list[float] = []
    late: list[str] = []
    by_tool: dict[str, int] = {}
    outcomes: dict[str, int] = {}
    turn = 0
    took: dict[int, float] = {}
    while len(wall) < count:
        which = turn % len(asked)
        name, arguments = asked[which]
        turn += 1
        if which not in took:
            began = time.monotonic()
            TOOLS[name].call(arguments, ToolContext(Roots(place), limits=Limits(timeout=4.0)))
            took[which] = time.monotonic() - began
        wait = drawn.rng.uniform(0, took[which])
        if not collector:
            gc.collect()
        late_wall, late_cpu, code = stopped(
            name, arguments, Roots(place) if turn % 3 else roots, wait, by_flag=turn % 2 == 0
        )
        if late_wall < 0:
            continue  # it had its answer before that moment
        wall.append(late_wall)
        cpu.append(late_cpu)
        by_tool[name] = by_tool.get(name, 0) + 1
        outcomes[code] = outcomes.get(code, 0) + 1
        if late_cpu > PROMISE:
            late.append(f"{late_cpu * 1000:.0f} ms, {code}, at {wait:.3f} s: {name} {json.dumps(arguments)}")
    gc.enable()
    return {
        "stops": count,
        "calls": turn,
        "wall_ms": spread(wall),
        "cpu_ms": spread(cpu),
        "late": late,
        "late_by_wall": sum(one > PROMISE for one in wall),
        "tools": by_tool,
        "outcomes": outcomes,
    }


def stopped(
    name: str, arguments: dict[str, Any], roots: Roots, wait: float, *, by_flag: bool
) -> tuple[float, float, str]:
    """(wall time, processor time since the last look at the clock before the moment, outcome); negative: too early."""
    began = time.monotonic()
    moment = began + wait
    last = time.thread_time()

    def cancelled() -> bool:
        nonlocal last
        if time.monotonic() > moment:
            return by_flag
        last = time.thread_time()
        return False

    limits = Limits() if by_flag else Limits(timeout=wait)
    answer = TOOLS[name].call(arguments, ToolContext(roots, limits=limits, cancelled=cancelled))
    back, spent = time.monotonic(), time.thread_time()
    late = back - moment
    return late, min(spent - last, late), str(answer.error["code"]) if answer.error else "ok"


def spread(values: list[float]) -> dict[str, float]:
    """Median, 99 in 100, and worst, in milliseconds."""
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered) * 1000, 2),
        "p99": round(ordered[min(len(ordered) * 99 // 100, len(ordered) - 1)] * 1000, 2),
        "worst": round(ordered[-1] * 1000, 2),
    }


# ------------------------------------------------------------------------------------------------------------- threads
def threads(place: str, many: int, seed: int) -> dict[str, Any]:
    """Alone, and together on one handle."""
    drawn = Drawn(place, seed)
    asked = [drawn.request() for _ in range(many * 6)]
    alone = [TOOLS[name].call(arguments, ToolContext(Roots(place))).body for name, arguments in asked]
    ctx = ToolContext(Roots(place))
    with ThreadPoolExecutor(many) as pool:
        together = list(pool.map(lambda one: TOOLS[one[0]].call(one[1], ctx).body, asked))
    return {
        "threads": many,
        "requests": len(asked),
        "broken": sum(a != b for a, b in zip(alone, together, strict=True)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repo", required=True)
    parser.add_argument("--budgets", type=int, default=200)
    parser.add_argument("--stops", type=int, default=200)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--collector", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    if asked.budgets:
        found["budgets"] = budgets(asked.repo, asked.budgets, asked.pages, asked.seed)
    if asked.stops:
        found["stops"] = stops(asked.repo, asked.stops, asked.seed, collector=asked.collector)
    if asked.threads:
        found["threads"] = threads(asked.repo, asked.threads, asked.seed)
    print(json.dumps(found, indent=1))
    bad = found.get("budgets", {}).get("broken", 0) + found.get("threads", {}).get("broken", 0)
    return 1 if bad or found.get("stops", {}).get("late") else 0


if __name__ == "__main__":
    sys.exit(main())
