"""Run the mutation check.

    python -m tests.mutants [--jobs 2] [--only WORD] [--sample N]

A mutant is applied in memory, never to the files: each runs in a fork of this process, which has imported pytest and
what gitglass stands on, but not gitglass. Exits 1 where a mutant does not apply, where fewer than 95 % are caught, where
a requirement that counts has none that is caught, or where the tests fail without any mutant.
"""

import argparse
import gc
import importlib
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from tests.support.scratch import write_into_memory

from .table import DOCUMENT4, SOURCES, TESTS, Mutant, mutants, rows_of_document4, rows_with_mutants

#: imported once, before any fork: what takes long and is not gitglass
HEAVY = (
    "pytest", "_pytest.assertion.rewrite", "hypothesis", "pydantic", "regex", "dulwich.objects", "dulwich.pack",
    "dulwich.config", "asyncio", "concurrent.futures", "anyio._backends._asyncio", "mcp", "mcp.server.lowlevel",
    "mcp.server.context", "mcp.server.caching", "mcp.server.stdio", "mcp.server.transport_security", "mcp_types",
    "uvicorn", "tarfile", "gzip", "json", "tomllib",
)  # fmt: skip
#: seconds of processor time after which a mutant counts as endless, which is noticed; and for all tests without any
MOST_SECONDS = 20
MOST_SECONDS_UNBROKEN = 600
CAUGHT, SURVIVED, BROKEN = "caught", "survived", "does not apply"


def warm_up() -> None:
    """Import what every fork needs and is not gitglass."""
    plugins = [f"_pytest.{plugin}" for plugin in importlib.import_module("_pytest.config").default_plugins]
    for name in (*HEAVY, *plugins):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    assert "gitglass" not in sys.modules


def compiled(tests: Iterable[str]) -> dict[str, CodeType]:
    """File → its code: of gitglass, and of what these tests are made of. No fork has to compile them again."""
    files = {TESTS / one.partition("::")[0] for one in tests}
    files |= {*SOURCES.rglob("*.py"), *TESTS.rglob("conftest.py"), *(TESTS / "support").rglob("*.py")}
    return {str(file): compile(file.read_bytes(), file, "exec", dont_inherit=True) for file in files if file.exists()}


def load_from(codes: dict[str, CodeType]) -> None:
    """Let this process load modules from code that is there; those that are not in `codes` as ever."""
    plain = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> Any:
        return codes.get(self.get_filename(fullname)) or plain(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]


@dataclass(frozen=True)
class Run:
    """Tests in a process of their own, with a mutant, or without any: those have to pass."""

    mutant: Mutant | None
    tests: tuple[str, ...]


def run_tests(run: Run, place: str, codes: dict[str, CodeType]) -> int:
    """In a fork: pytest's exit status, 0 where all tests passed."""
    import pytest

    log = os.open(os.path.join(place, "log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS if run.mutant else MOST_SECONDS_UNBROKEN,) * 2)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # what others bring (langsmith, xdist) is not needed, and slow
    options = ["-q", "-p", "no:cacheprovider", "--no-header", "--basetemp", os.path.join(place, "tmp")]
    if run.mutant is not None:
        broken = str(SOURCES / run.mutant.file)
        codes = codes | {broken: compile(run.mutant.source or "", broken, "exec", dont_inherit=True)}
        os.environ["HYPOTHESIS_PROFILE"] = "unshrunk"
        options += ["-x", "--assert=plain", "--tb=native"]  # that a test fails is enough; to explain it costs time
    load_from(codes)
    return int(pytest.main([*options, *(str(TESTS / one) for one in run.tests)]))


def start(run: Run, place: str, codes: dict[str, CodeType]) -> int:
    """A process that runs tests; its id."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 3
        try:
            status = run_tests(run, place, codes)
        finally:
            os._exit(status)
    return child


def judged(runs: list[Run], jobs: int) -> Iterator[tuple[Run, str, str]]:
    """(run, verdict, the last lines of its log), as they come."""
    codes = compiled(test for run in runs for test in run.tests)
    gc.freeze()  # what is there is shared by the forks, and not walked through by their collections
    waiting, running = list(reversed(runs)), dict[int, tuple[Run, str]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            run = waiting.pop()
            if run.mutant and (run.mutant.source is None or not run.tests):
                yield run, BROKEN, ""
                continue
            place = tempfile.mkdtemp(prefix="gitglass-mutant-")
            running[start(run, place, codes)] = run, place
        if not running:
            continue
        child, status = os.wait()
        run, place = running.pop(child)
        words = Path(place, "log").read_text(encoding="utf-8", errors="replace")[-3000:]
        shutil.rmtree(place, ignore_errors=True)
        yield run, verdict(status), words


def verdict(status: int) -> str:
    """What a child's end says of its mutant."""
    if os.WIFSIGNALED(status):
        return CAUGHT if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else BROKEN
    return {0: SURVIVED, 1: CAUGHT}.get(os.WEXITSTATUS(status), BROKEN)


def unbroken(found: list[Mutant], parts: int) -> list[Run]:
    """All tests that the mutants name, without any mutant, in so many runs of whole files."""
    files: dict[str, set[str]] = {}
    for test in (test for mutant in found for test in mutant.tests):
        files.setdefault(test.partition("::")[0], set()).add(test)
    parted: list[list[str]] = [[] for _ in range(parts)]
    for tests in sorted(files.values(), key=len, reverse=True):
        min(parted, key=len).extend(sorted(tests))
    return [Run(None, tuple(tests)) for tests in parted if tests]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="The mutation check.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="mutants whose words, file or tests contain this")
    parser.add_argument("--sample", type=int, help="as many, drawn anew in each run")
    parser.add_argument("-v", "--verbose", action="store_true", help="name each mutant")
    given = parser.parse_args()
    write_into_memory()  # as conftest does in the forks, whose guard lets tests write nowhere else
    warm_up()
    began = time.monotonic()
    found = [one for one in mutants() if given.only in f"{one} {' '.join(one.tests)}"]
    if given.sample is not None:
        found = random.sample(found, min(given.sample, len(found)))
    counts = {CAUGHT: 0, SURVIVED: 0, BROKEN: 0}
    held: set[str] = set()
    sound = True
    runs = [*unbroken(found, given.jobs), *(Run(one, one.tests) for one in found)]
    for run, word, words in judged(runs, given.jobs):
        mutant = run.mutant
        if mutant is None:
            if word != SURVIVED:
                sound = False
                print(f"{words}\nthe tests fail without any mutant", flush=True)
            continue
        counts[word] += 1
        if word == CAUGHT:
            held.add(mutant.holds)
        if word != CAUGHT or given.verbose:
            print(f"{word}: {mutant}" + (f"\n    {mutant.survives}" if mutant.survives else ""), flush=True)
        if word == BROKEN and words:
            print("    " + words[-600:].replace("\n", "\n    "))
        if word == CAUGHT and mutant.survives:
            print(f"caught after all: {mutant}")
    total = sum(counts.values())
    print(
        f"{total} mutants: {', '.join(f'{count} {word}' for word, count in counts.items())}; {time.monotonic() - began:.0f} s"
    )
    wanted = rows_with_mutants() | {DOCUMENT4 + name for name in rows_of_document4()}
    missing = set() if given.only or given.sample is not None else wanted - held
    for name in sorted(missing):
        print(f"no mutant of this requirement is caught: {name}")
    return int(bool(not sound or counts[BROKEN] or missing or counts[CAUGHT] < 0.95 * total))


if __name__ == "__main__":
    sys.exit(main())
