"""Eight readers beside a git that never rests: `python -m tests.live.churn --minutes 10 --readers 8 [--seed N] [--mix NAME]`.

A writer (`writer.py`, a process) commits, amends, branches, switches, merges, stashes, repacks, gc's, prunes and packs
refs without a pause. Threads ask meanwhile: most on one shared handle, some on handles of their own or through
`gitglass.git`, some as processes `python -m gitglass`. Each answer is judged by what was true between the moment before
the question and the moment after the answer (`questions.py`, `world.py`).
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, deque
from pathlib import Path

import gitglass

from .questions import Answer, Judge, command_line, typed
from .world import Window, World
from .writer import MIXES

ROOT = Path(__file__).resolve().parents[3]
Sample = tuple[float, float, str, str, Judge, Answer]


class Readers:
    """The threads, and what they were answered until it is judged."""

    def __init__(self, repo: Path, count: int, seed: int, processes: int) -> None:
        self.repo = repo
        self.shared = gitglass.open(repo)
        self.samples: deque[Sample] = deque()
        self.stop = threading.Event()
        self.threads = [
            threading.Thread(target=self.run, args=(random.Random(seed * 1000 + at), at < processes), daemon=True)
            for at in range(count)
        ]

    def run(self, draw: random.Random, process: bool) -> None:
        while not self.stop.is_set():
            how = "process" if process and draw.random() < 0.3 else draw.choice(
                ["shared", "shared", "shared", "typed", "typed", "open", "call"]
            )  # fmt: skip
            self.samples.append(self.ask(how, draw))

    def ask(self, how: str, draw: random.Random) -> Sample:
        if how == "typed":
            what, call, judge = typed(draw)
            began = time.monotonic()
            try:
                answer = Answer(0, call(self.shared if draw.random() < 0.8 else gitglass.open(self.repo)), "")
            except gitglass.GitError as error:
                answer = Answer(error.status, "", error.words().decode())
            except Exception:
                answer = Answer(-1, "", "crash: " + traceback.format_exc()[-1500:])
            return began, time.monotonic(), how, what, judge, answer
        argv, judge = command_line(draw)
        began = time.monotonic()
        try:
            done = self.command(how, argv)
            answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
        except Exception:
            answer = Answer(-1, "", "crash: " + traceback.format_exc()[-1500:])
        return began, time.monotonic(), how, " ".join(argv), judge, answer

    def command(self, how: str, argv: list[str]) -> gitglass.Completed[bytes] | subprocess.CompletedProcess[bytes]:
        if how == "shared":
            return self.shared.git(argv)
        if how == "open":
            return gitglass.open(self.repo).git(argv)
        if how == "call":
            return gitglass.git(argv, cwd=self.repo)
        env = {"PYTHONPATH": str(ROOT / "src"), "HOME": "/nonexistent", "PATH": "/usr/bin:/bin"}
        return subprocess.run([sys.executable, "-m", "gitglass", *argv], cwd=self.repo, env=env, capture_output=True)


def was_pruned(window: Window, answer: Answer) -> bool:
    """Whether what HEAD was at first was left and pruned before it was read: git fails there as well."""
    pruned = window.prunes() and any(window.gone(commit.oid) for commit in window.commits("HEAD"))
    return pruned and answer.err.startswith("fatal: unable to read ")


class Report:
    """What was judged."""

    def __init__(self) -> None:
        self.reads: Counter[str] = Counter()
        self.faults: list[str] = []
        self.torn = self.quiet = self.pruned = 0

    def judge(self, world: World, sample: Sample) -> None:
        began, ended, how, what, judge, answer = sample
        window = world.window(began, ended)
        self.reads[how] += 1
        self.quiet += window.quiet
        try:
            fault = judge(window, answer)
            if fault and len(window.heads()) > 1:
                window.strict = False
                fault = judge(window, answer)
                self.torn += not fault
            if fault and was_pruned(window, answer):
                self.pruned += 1
                fault = None
        except Exception:
            fault = "the judge failed: " + traceback.format_exc()[-1500:]
        if fault:
            steps = [state.step for state in window.states]
            self.faults.append(f"{how}: {what}: {fault}\n    in {ended - began:.3f} s, during {steps}")


def churn(
    place: Path, seconds: float, readers: int, seed: int, mix: str = "all", processes: int = 2
) -> tuple[Report, World]:
    """Let git churn in `place`, and readers read it."""
    repo, journal = place / "repo", place / "journal"
    repo.mkdir()
    command = [sys.executable, "-m", "tests.live.churn.writer", str(repo), str(journal), str(seed), mix]
    writer = subprocess.Popen(command, cwd=ROOT)
    report = Report()
    try:
        while not journal.exists() or not journal.stat().st_size:
            if writer.poll() is not None:
                raise RuntimeError("the writer did not start")
            time.sleep(0.01)
        world = World(journal)
        asking = Readers(repo, readers, seed, processes)
        for thread in asking.threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end and writer.poll() is None:
            time.sleep(0.2)
            judged(asking, world, report)
        asking.stop.set()
        for thread in asking.threads:
            thread.join(60)
            if thread.is_alive():
                report.faults.append("a reader hangs")
        time.sleep(0.05)
        journal.with_suffix(".stop").touch()
        if writer.wait(60):
            report.faults.append("the writer failed")
        judged(asking, world, report)
        report.faults += ["an answer was not judged"] * len(asking.samples)
    finally:
        writer.kill()
        writer.wait()
    return report, world


def judged(asking: Readers, world: World, report: Report) -> None:
    """Judge what can be judged: all that ended before the last step that the journal knows."""
    world.read()
    known, later = world.known_until, []
    while asking.samples:
        sample = asking.samples.popleft()
        if sample[1] > known:
            later.append(sample)
        else:
            report.judge(world, sample)
    asking.samples.extendleft(reversed(later))


def main() -> int:
    options = argparse.ArgumentParser(prog="tests.live.churn")
    options.add_argument("--minutes", type=float, default=1)
    options.add_argument("--readers", type=int, default=8)
    options.add_argument("--processes", type=int, default=2, help="how many of the readers also start processes")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--mix", choices=list(MIXES), default="all")
    options.add_argument("--shown", type=int, default=20, help="how many faults are shown")
    asked = options.parse_args()
    place = Path(tempfile.mkdtemp(prefix="churn"))
    report, world = churn(place, asked.minutes * 60, asked.readers, asked.seed, asked.mix, asked.processes)
    for fault in report.faults[: asked.shown]:
        print(fault)
    total = sum(report.reads.values())
    print(f"steps of git: {sum(world.steps.values())} ({dict(sorted(world.steps.items()))})")
    print(f"reads: {total} {dict(report.reads)}, {report.quiet} while git did nothing")
    print(f"of HEAD's name at one moment and its branch at another, as git itself reads them: {report.torn}")
    print(f"of a commit that was left and pruned before it was read: {report.pruned}")
    print(f"faults: {len(report.faults)}")
    if not report.faults:
        shutil.rmtree(place)
    else:
        print(f"kept: {place}")
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main())
