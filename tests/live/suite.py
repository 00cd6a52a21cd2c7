"""git's own test suite, in which gitglass is asked every command line that only reads, too.

    python -m tests.live.suite SOURCE [--tests t4013 t6012 …] [--work DIR]

SOURCE is the tree of git 2.39.5 after `make` (its tests need `t/helper/test-tool`). A script stands in for `git`
(`suite_git.py`): gitglass answers first, in a process forked from this one, then git, and output, status and complaints
are compared. The suite's thousands of odd repositories are asked as its authors ask them; what a test expects does not
matter here, and nothing of it is kept.

What differs is printed, with the folder below DIR that has the question and both answers. By design differ: textconv,
external programs, gpg, and usage texts. Not compared are the terminal, and commands whose input no word announces.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import os
import pkgutil
import shutil
import signal
import socket
import subprocess
import sys
import time
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from threading import Thread

import gitglass
from gitglass.cli.main import main as answer

LIMIT = 60  # seconds that an answer may take
NOT_READING = (".agent", ".bridge", ".mutate", ".workspace", "__main__")


def preload() -> None:
    """Import what answers, so that a forked process need not."""
    for module in pkgutil.walk_packages(gitglass.__path__, "gitglass."):
        if not any(part in module.name for part in NOT_READING):
            importlib.import_module(module.name)


def _asked(folder: Path) -> tuple[str, list[str], list[str]]:
    """(directory, words, NAME=VALUE of the environment) of a question."""
    cwd, count, *rest = os.fsdecode((folder / "asked").read_bytes()).split("\0")
    return cwd, rest[: int(count)], rest[int(count) :]


def _answer(folder: Path) -> None:
    """Answer a question in this process, which is one of its own."""
    cwd, words, variables = _asked(folder)
    os.environ.clear()
    os.environ.update({name: value for name, _, value in (variable.partition("=") for variable in variables)})
    time.tzset()
    given = folder / "in" if (folder / "in").exists() else Path(os.devnull)
    for number, place, flags in (
        (0, given, os.O_RDONLY),
        (1, folder / "our.out", os.O_WRONLY | os.O_CREAT),
        (2, folder / "our.err", os.O_WRONLY | os.O_CREAT),
    ):
        os.dup2(os.open(place, flags, 0o600), number)
    sys.stdin = TextIOWrapper(BufferedReader(FileIO(0, closefd=False)))
    sys.stdout, sys.stderr = (TextIOWrapper(BufferedWriter(FileIO(number, "w", closefd=False))) for number in (1, 2))
    signal.alarm(LIMIT)
    try:
        os.chdir(cwd)
        status = answer(words)
    except SystemExit as end:
        status = int(end.code or 0)
    sys.stdout.flush()
    sys.stderr.flush()
    (folder / "our.status").write_text(str(status))


def judged(folder: Path, git_status: int) -> str:
    """How two answers compare: "same", "refused" by name, "words" (complaints alone differ), or "DIFFERS"."""

    def read(name: str) -> bytes:
        place = folder / name
        return place.read_bytes() if place.exists() else b""

    ours, words = read("our.status").decode() or "died", read("our.err")
    if ours == str(git_status) and read("our.out") == read("git.out"):
        return "same" if words == read("git.err") else "words"
    return "refused" if b"gitglass" in words and b"Traceback" not in words else "DIFFERS"


class Server:
    """Answers and judges what the stand-in asks, one process each."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(work / "socket"))
        self.socket.listen(64)
        self.kinds: collections.Counter[str] = collections.Counter()

    def serve(self) -> None:
        """Until the process ends."""
        while True:
            line, _ = self.socket.accept()
            with line:
                order = b"".join(iter(lambda line=line: line.recv(4096), b"")).decode()  # type: ignore[misc]
                what, _, rest = order.partition(" ")
                if what == "judge":
                    status, _, folder = rest.partition(" ")
                    self._judge(Path(folder), int(status))
                else:
                    self._answer(Path(rest))

    def _answer(self, folder: Path) -> None:
        child = os.fork()
        if not child:
            try:
                _answer(folder)
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    def _judge(self, folder: Path, status: int) -> None:
        kind = judged(folder, status)
        self.kinds[kind] += 1
        if kind in ("same", "refused"):
            shutil.rmtree(folder)
            return
        cwd, words, _ = _asked(folder)
        print(f"{kind}: {' '.join(words)!r} in {cwd!r}: {folder}", flush=True)


def main(argv: list[str] | None = None) -> int:
    """Run the tests; 0 if no answer differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--tests", nargs="*", default=["t"], help="the beginnings of names, as t4013; all without")
    parser.add_argument("--work", type=Path, default=Path("/tmp/gitglass-suite"))
    asked = parser.parse_args(argv)
    shutil.rmtree(asked.work, ignore_errors=True)
    for name in ("bin", "calls", "places"):
        (asked.work / name).mkdir(parents=True)
    script = Path(__file__).with_name("suite_git.py").read_text()
    (asked.work / "bin" / "git").write_text(f"#!{sys.executable} -SEs\n{script}")
    (asked.work / "bin" / "git").chmod(0o755)
    preload()
    server = Server(asked.work)
    Thread(target=server.serve, daemon=True).start()
    environment = {
        **os.environ,
        "GITGLASS_SUITE": str(asked.work),
        "GITGLASS_SUITE_GIT": str(asked.source.absolute() / "git"),
        "GIT_TEST_INSTALLED": str(asked.work / "bin"),
    }
    for test in sorted((asked.source / "t").glob("t[0-9]*.sh")):
        if test.name.startswith(tuple(asked.tests)):
            words = [f"./{test.name}", f"--root={asked.work}/places"]
            done = subprocess.run(
                words, cwd=test.parent, env=environment, stdin=subprocess.DEVNULL, capture_output=True
            )
            print(f"{test.name}: {done.stdout.decode(errors='replace').splitlines()[-1:]}", flush=True)
    print(dict(server.kinds))
    return int(server.kinds["DIFFERS"] + server.kinds["words"] > 0)


if __name__ == "__main__":
    sys.exit(main())
