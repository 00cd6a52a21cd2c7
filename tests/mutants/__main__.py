"""Run the mutation check.

    python -m tests.mutants [--jobs 2] [--only WORD] [--sample N]

A mutant is applied in memory, never to the files: each runs in a fork of this process, which has imported pytest and
what gitglass stands on, but not gitglass. Exits 1 where a mutant does not apply, where fewer than 95 % are caught, where
a requirement that counts has none that is caught, or where the tests fail without any mutant.
"""

import argparse
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
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from .table import DOCUMENT4, SOURCES, TESTS, Mutant, mutants, rows_of_document4, rows_with_mutants

#: imported once, before any fork: what takes long and is not gitglass
HEAVY = (
    "pytest", "_pytest.assertion.rewrite", "hypothesis", "pydantic", "regex", "dulwich.objects", "dulwich.pack",
    "dulwich.config", "asyncio", "concurrent.futures", "anyio._backends._asyncio", "mcp", "mcp.server.lowlevel",
    "mcp.server.context", "mcp.server.caching", "mcp.server.stdio", "mcp.server.transport_security", "mcp_types",
    "uvicorn", "tarfile", "gzip", "json", "tomllib",
)  # fmt: skip
#: seconds of processor time after which a mutant counts as endless, which is noticed
MOST_SECONDS = 60
CAUGHT, SURVIVED, BROKEN = "caught", "survived", "does not apply"


def patch(mutant: Mutant) -> None:
    """Let the mutant's module be compiled from its broken source."""
    target, source, plain = str(SOURCES / mutant.file), mutant.source, SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> Any:
        if self.get_filename(fullname) == target:
            return compile(source or "", target, "exec", dont_inherit=True)
        return plain(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]


def run_tests(mutant: Mutant | None, tests: Iterable[str], place: str) -> int:
    """In a fork: pytest's exit status, 0 where all tests passed."""
    import pytest

    log = os.open(os.path.join(place, "log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS * (1 if mutant else 10),) * 2)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # what others bring (langsmith, xdist) is not needed, and slow
    if mutant is not None:
        patch(mutant)
    options = ["-q", "-p", "no:cacheprovider", "--no-header", "--basetemp", os.path.join(place, "tmp")]
    return int(pytest.main([*options, *(["-x"] if mutant else []), *(str(TESTS / one) for one in tests)]))


def start(mutant: Mutant | None, tests: Iterable[str], place: str) -> int:
    """A process that runs tests; its id."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 3
        try:
            status = run_tests(mutant, tests, place)
        finally:
            os._exit(status)
    return child


def judged(found: list[Mutant], jobs: int) -> Iterator[tuple[Mutant, str, str]]:
    """(mutant, verdict, the last lines of its run), as they come."""
    waiting, running = list(reversed(found)), dict[int, tuple[Mutant, str]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            if mutant.source is None or not mutant.tests:
                yield mutant, BROKEN, ""
                continue
            place = tempfile.mkdtemp(prefix="gitglass-mutant-")
            running[start(mutant, mutant.tests, place)] = mutant, place
        if not running:
            continue
        child, status = os.wait()
        mutant, place = running.pop(child)
        words = Path(place, "log").read_text(encoding="utf-8", errors="replace")[-600:]
        shutil.rmtree(place, ignore_errors=True)
        yield mutant, verdict(status), words


def verdict(status: int) -> str:
    """What a child's end says of its mutant."""
    if os.WIFSIGNALED(status):
        return CAUGHT if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else BROKEN
    return {0: SURVIVED, 1: CAUGHT}.get(os.WEXITSTATUS(status), BROKEN)


def sound(found: list[Mutant]) -> bool:
    """Whether all tests that the mutants name pass without any."""
    place = tempfile.mkdtemp(prefix="gitglass-mutant-")
    try:
        child = start(None, sorted({test for mutant in found for test in mutant.tests}), place)
        status = os.waitpid(child, 0)[1]
        if status:
            print(Path(place, "log").read_text(encoding="utf-8", errors="replace")[-3000:])
        return status == 0
    finally:
        shutil.rmtree(place, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="The mutation check.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="mutants whose words, file or tests contain this")
    parser.add_argument("--sample", type=int, help="as many, drawn anew in each run")
    parser.add_argument("-v", "--verbose", action="store_true", help="name each mutant")
    given = parser.parse_args()
    for name in HEAVY:
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    assert "gitglass" not in sys.modules
    began = time.monotonic()
    found = [one for one in mutants() if given.only in f"{one} {' '.join(one.tests)}"]
    if given.sample is not None:
        found = random.sample(found, min(given.sample, len(found)))
    if not sound(found):
        print("the tests fail without any mutant")
        return 1
    counts = {CAUGHT: 0, SURVIVED: 0, BROKEN: 0}
    held: set[str] = set()
    for mutant, word, words in judged(found, given.jobs):
        counts[word] += 1
        if word == CAUGHT:
            held.add(mutant.holds)
        if word != CAUGHT or given.verbose:
            print(f"{word}: {mutant}" + (f"\n    {mutant.survives}" if mutant.survives else ""), flush=True)
        if word == BROKEN and words:
            print("    " + words.replace("\n", "\n    "))
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
    return int(bool(counts[BROKEN] or missing or counts[CAUGHT] < 0.95 * total))


if __name__ == "__main__":
    sys.exit(main())
