"""What a workspace costs, against the bars of its design: staging and pushing, memory before the first write, the page.

    python benchmarks/workspace.py --repo DIR [--rounds 5] [--only push,memory,page] [--work DIR]

`push` stages 500 changed files of the repository (each with a line more) and pushes them to a bare clone of it, verified as
every push is: processor time and the clock, medians of the rounds, each on a new clone; below 1 s. `memory` is the peak of a
process that opens a workspace over the repository and lists its files, beside one that only imports it; below 50 MB.
`page` makes the review's page of a change of 5,000 lines in 50 files and opens it in a browser without a window (chromium):
from the address being entered to the second frame after everything is there; below 2 s, and below 5 MB.

The exit status is 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dulwich.repo import MemoryRepo
from tests.support.browser import browser
from tests.support.devtools import tab
from tests.support.reviewed import PEOPLE, Elsewhere
from tests.support.workspaces import add_commit

import gitglass
from gitglass.mutate.grant import WriteGrant
from gitglass.workspace.push import plan_push, push
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.page import page
from gitglass.workspace.targets.local import LocalTarget
from gitglass.workspace.workspace import Workspace

FILES, LINES = 500, 5_000
BARS = {"push": 1.0, "memory": 50.0, "page": 2.0, "size": 5.0}
_PROBE = """
import sys, gitglass
from gitglass.workspace.workspace import Workspace
if len(sys.argv) > 1:
    workspace = Workspace.over(gitglass.open(sys.argv[1]), "HEAD")
    assert len(workspace.files(recursive=True)) > 1
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def changed_workspace(bare: Path) -> tuple[Workspace, list[str]]:
    """A workspace over a bare repository, with a line more in 500 of its files."""
    workspace = Workspace.over(gitglass.open(bare), "HEAD", target="bare", identity=PEOPLE)
    rows = [row.path for row in workspace.files(recursive=True) if row.mode == "100644" and row.size]
    names = rows[:: max(len(rows) // FILES, 1)][:FILES]
    assert len(names) == FILES, f"the repository has {len(rows)} files"
    for name in names:
        workspace.write(name, workspace.read(name).data + b"one more line\n")
    return workspace, names


def pushed_once(source: Path, work: Path) -> tuple[float, float]:
    """(processor time, the clock) of staging and pushing; then git's word for it."""
    bare = work / "bare.git"
    shutil.rmtree(bare, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", "--bare", "--no-hardlinks", str(source), str(bare)], check=True)
    workspace, names = changed_workspace(bare)
    target = LocalTarget("bare", gitglass.open(bare), WriteGrant(identity=PEOPLE.author))
    cpu, clock = time.process_time(), time.perf_counter()
    word = workspace.stage(names, "A line more").id
    result = push(workspace, plan_push(workspace, word, target, "worker-1"), target)
    took = time.process_time() - cpu, time.perf_counter() - clock
    assert result.status == "success", result
    argv = ["git", "-C", str(bare), "diff", "--name-only", "HEAD", "worker-1"]
    assert len(subprocess.run(argv, check=True, capture_output=True).stdout.splitlines()) == FILES
    return took


def peak(*words: str) -> float:
    """The peak of a process of its own, in MB."""
    done = subprocess.run([sys.executable, "-c", _PROBE, *words], check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def long_change() -> tuple[Workspace, Review]:
    """5,000 new lines in 50 files."""
    repo: Any = MemoryRepo()
    add_commit(repo, {b"README.md": b"# Title\n"}, message=b"Base\n")
    workspace = Workspace.over(gitglass.open(repo), "main", identity=PEOPLE)
    line = b"    value_%d = compute(%d, 'some text of a usual length')\n"
    names = [f"src/module{number}.py" for number in range(50)]
    for number, name in enumerate(names):
        workspace.write(name, b"".join(line % (at, number) for at in range(LINES // 50)))
    target: Any = Elsewhere(repo)
    return workspace, Review.of(workspace, plan_push(workspace, workspace.stage(names, "Much").id, target, "main"))


def shown(name: str, value: float, unit: str, more: str = "") -> bool:
    """Say a figure beside its bar; whether it is met."""
    met = value < BARS[name]
    print(
        f"{name:<8} {value:8.2f} {unit:<3} bar {BARS[name]:g} {unit:<3} {'ok' if met else 'MISSED'}  {more}", flush=True
    )
    return met


def measured_push(repo: Path, work: Path, rounds: int) -> bool:
    took = [pushed_once(repo, work) for _ in range(rounds)]
    cpu, clock = (statistics.median(row[at] for row in took) for at in (0, 1))
    return shown(
        "push", cpu, "s", f"processor time; the clock {clock:.2f} s, its least {min(row[1] for row in took):.2f} s"
    )


def measured_memory(repo: Path, rounds: int) -> bool:
    whole, bare = (statistics.median(peak(*words) for _ in range(rounds)) for words in ((str(repo),), ()))
    return shown("memory", whole, "MB", f"of which {bare:.1f} MB are what is imported")


def measured_page(rounds: int) -> bool:
    workspace, review = long_change()
    made, data = [], b""
    for _ in range(rounds):
        began = time.process_time()
        data = page(workspace, review)
        made.append(time.process_time() - began)
    assert data.count(b'<tr class="a">') == LINES
    met = shown("size", len(data) / (1 << 20), "MB", f"made in {statistics.median(made):.2f} s of processor time")
    if browser() is None:
        print("page: no chromium is installed")
        return False
    with tab() as opened:
        took = [opened.show(data) / 1000 for _ in range(rounds)]
        rows = opened.value("document.querySelectorAll('tr.a').length")
    assert rows == LINES
    return shown("page", statistics.median(took), "s", f"in the browser, its least {min(took):.2f} s") and met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="push,memory,page")
    parser.add_argument("--work", type=Path)
    given = parser.parse_args()
    print(f"{given.repo.name}, medians of {given.rounds} rounds; load {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory(dir=given.work) as folder:
        measures = {
            "push": lambda: measured_push(given.repo.resolve(), Path(folder), given.rounds),
            "memory": lambda: measured_memory(given.repo.resolve(), given.rounds),
            "page": lambda: measured_page(given.rounds),
        }  # fmt: skip
        met = [measures[name]() for name in given.only.split(",")]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
