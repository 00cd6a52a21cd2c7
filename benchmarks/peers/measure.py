"""Ask every tool every question, side by side, and keep ratios to the `git` subprocess of the same round."""

import json
import selectors
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .questions import QUESTIONS, Question
from .tools import ENVIRONMENT, TOOLS, Git

LIMIT = 90.0  # seconds for one answer; a tool that needs more is said to need more


@dataclass
class Figure:
    """One tool's figures for one question: ratio to git (median), memory of a fresh process, and what was wrong."""

    tool: str
    ratio: float | None = None
    milliseconds: float | None = None
    megabytes: float | None = None
    trouble: str = ""


@dataclass
class Row:
    """One question on one repository; `own` is git's time without its start, as a part of the whole."""

    repo: str
    question: str
    family: str
    git_milliseconds: float = 0.0
    own: float = 0.0
    figures: list[Figure] = field(default_factory=list)


class Worker:
    """A worker process; `ask` is None when it took too long, and the process is gone then."""

    def __init__(self, tool: str, place: str, path: str) -> None:
        command = [sys.executable, "-m", "benchmarks.peers.worker", tool, place, path]
        root = Path(__file__).resolve().parents[2]
        environment = {**ENVIRONMENT, "PYTHONPATH": ":".join([str(root), *filter(None, sys.path)])}
        self.process = subprocess.Popen(
            command, cwd=root, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, question: Question) -> tuple[float, str, float] | None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(question.name + "\n")
        self.process.stdin.flush()
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            if not ready.select(LIMIT):
                self.process.kill()
                return None
        took, digest, peak = json.loads(self.process.stdout.readline())
        return took, digest, peak

    def close(self) -> None:
        if self.process.stdin is not None and self.process.poll() is None:
            self.process.stdin.close()
        self.process.wait()


def measure(place: str, path: str, names: list[str], rounds: int) -> list[Row]:
    """Every question on one repository."""
    git = Git()
    rows = []
    for question in QUESTIONS:
        row = Row(Path(place).name, question.name, question.family)
        workers = {name: Worker(name, place, path) for name in names if TOOLS[name]().offers(question)}
        base = Worker("git", place, path)
        ratios: dict[str, list[float]] = {name: [] for name in workers}
        figures = {name: Figure(name) for name in workers}
        starts, times = [], []
        for _ in range(rounds):
            begin = time.perf_counter()
            git.run(place, ["version"])
            starts.append(time.perf_counter() - begin)
            answer = base.ask(question)
            assert answer is not None, question.name
            times.append(answer[0])
            for name in list(workers):
                found = workers[name].ask(question)
                figure = figures[name]
                if found is None:
                    figure.trouble = f"> {LIMIT:.0f} s"
                    workers.pop(name).close()
                    continue
                if found[1] != answer[1]:
                    figure.trouble = found[1] if ":" in found[1] else "another answer"
                ratios[name].append(found[0] / answer[0])
                if figure.megabytes is None:
                    figure.megabytes = found[2]  # the first answer of a fresh process
                if found[0] > LIMIT / 5:  # once is enough
                    workers.pop(name).close()
        for worker in (*workers.values(), base):
            worker.close()
        row.git_milliseconds = 1000 * statistics.median(times)
        row.own = max(0.0, 1 - statistics.median(starts) / statistics.median(times))
        for name, figure in figures.items():
            if ratios[name]:
                figure.ratio = statistics.median(ratios[name])
                figure.milliseconds = figure.ratio * row.git_milliseconds
            row.figures.append(figure)
        rows.append(row)
        print(line(row), file=sys.stderr, flush=True)
    return rows


def line(row: Row) -> str:
    """A row for people who wait."""
    parts = [f"{row.repo:10s} {row.question:18s} git {row.git_milliseconds:9.1f} ms"]
    for figure in row.figures:
        said = f"x{figure.ratio:.2f}" if figure.ratio is not None else ""
        parts.append(f"{figure.tool} {said}{' (' + figure.trouble + ')' if figure.trouble else ''}")
    return "  ".join(parts)


def as_json(rows: list[Row]) -> str:
    """What `report` reads."""
    return json.dumps([asdict(row) for row in rows], indent=1)
